"""SQL of the hall's tables. Every method runs inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from peewee import Database

from economy.database import is_sqlite, sql
from tgbot.hall.table import Recorded, Showing, Sitting, Table, first_state, fold

_GAME = (
    "id",
    "kind",
    "version",
    "chat_id",
    "topic",
    "status",
    "stake",
    "robin",
    "options",
    "opener",
    "secret",
    "part",
    "opened_at",
    "over_at",
    "stamp",
    "result",
)

_SHOWING = (
    "seat",
    "chat_id",
    "topic",
    "board",
    "painted",
    "scene",
    "message_id",
    "began_at",
    "shown",
    "due_at",
)


class Store:
    """Games, seats, moves, selections, votes and due dates."""

    def __init__(self, db: Database, language: str) -> None:
        self.db = db
        self.language = language
        self._stamp = "SELECT stamp FROM games WHERE id = ?"
        if not is_sqlite(db):
            self._stamp += " FOR UPDATE"
        self.nearest_due = 0
        """The earliest due date set since this was last 0."""

    def sql(self, query: str, values: Sequence[object] = ()) -> Any:
        """Runs one statement; answers its cursor."""
        return sql(self.db, query, values)

    # -- updates ------------------------------------------------------------------------------

    def first_time(self, update_id: int, now: int) -> bool:
        """Notes the update; False if it was applied before."""
        row = self.sql(
            "INSERT INTO updates (update_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1",
            (update_id, now),
        ).fetchone()
        return row is not None

    def forget_updates(self, before: int) -> None:
        """Drops notes of updates older than Telegram would deliver again."""
        self.sql("DELETE FROM updates WHERE at < ?", (before,))

    # -- games --------------------------------------------------------------------------------

    def insert_game(self, table: Table) -> None:
        """Writes a game's first row and its boards."""
        marks = ", ".join("?" * len(_GAME))
        self.sql(
            f"INSERT INTO games ({', '.join(_GAME)}) VALUES ({marks})",
            tuple(_column(table, name) for name in _GAME),
        )
        for showing in table.showings:
            self.add_showing(table.id, showing)

    def add_showing(self, game_id: str, showing: Showing) -> None:
        """Writes a new board."""
        marks = ", ".join("?" * (len(_SHOWING) + 1))
        self.sql(
            f"INSERT INTO showings (game_id, {', '.join(_SHOWING)}) VALUES ({marks})",
            (game_id, *(getattr(showing, name) for name in _SHOWING)),
        )

    def update_game(self, table: Table) -> None:
        """Writes what can change of a game, its boards apart."""
        self.sql(
            "UPDATE games SET status = ?, robin = ?, part = ?, over_at = ?, stamp = ?, result = ? "
            "WHERE id = ?",
            (
                table.status,
                table.robin,
                table.part,
                table.over_at,
                table.stamp,
                json.dumps(table.result) if table.result else "",
                table.id,
            ),
        )

    def update_showing(self, game_id: str, showing: Showing) -> None:
        """Writes a board: how far it is painted, where, and its phase's clock."""
        self.sql(
            "UPDATE showings SET chat_id = ?, topic = ?, board = ?, painted = ?, scene = ?, "
            "message_id = ?, began_at = ?, shown = ?, due_at = ? WHERE game_id = ? AND seat = ?",
            (
                showing.chat_id,
                showing.topic,
                showing.board,
                showing.painted,
                showing.scene,
                showing.message_id,
                showing.began_at,
                showing.shown,
                showing.due_at,
                game_id,
                showing.seat,
            ),
        )

    def restamp(self, table: Table) -> None:
        """Writes the number of a game's newest change."""
        self.sql("UPDATE games SET stamp = ? WHERE id = ?", (table.stamp, table.id))

    def stamp(self, game_id: str) -> int | None:
        """The number of the game's newest change; None for a game that never was.

        Where others may write at the same time, the game is this transaction's until it ends.
        """
        row = self.sql(self._stamp, (game_id,)).fetchone()
        return row[0] if row else None

    def read(self, game_id: str, known: Table | None = None) -> Table:
        """The game as it stands, folded on from `known` where that is an earlier picture of it."""
        return self._folded(self.read_bare(game_id), known)

    def find(self, game_id: str) -> Table | None:
        """The game's rows without its state; None for a game that never was."""
        return None if self.stamp(game_id) is None else self.read_bare(game_id)

    def read_bare(self, game_id: str) -> Table:
        """The game's rows without its state."""
        row = self.sql(f"SELECT {', '.join(_GAME)} FROM games WHERE id = ?", (game_id,)).fetchone()
        columns = dict(zip(_GAME, row, strict=True))
        columns["options"] = json.loads(columns["options"])
        columns["result"] = json.loads(columns["result"] or "{}")
        columns["secret"], columns["part"] = bytes(columns["secret"]), bytes(columns["part"])
        invited = tuple(columns["options"].get("invited", ()))
        return Table(
            **columns,
            language=columns["options"].get("language") or self.chat_language(columns["chat_id"]),
            showings=self.showings(game_id),
            sittings=self.sittings(game_id, lobby=columns["status"] == "lobby"),
            invited=tuple((user, self.name(user)) for user in invited),
        )

    def _folded(self, table: Table, known: Table | None) -> Table:
        if not table.part:
            return table
        known_state = known.state if known else None
        n = known.n if known and known_state is not None else 0
        moves = self.moves(table.id, n)
        state = first_state(table, moves) if known_state is None else known_state
        table = replace(table, state=fold(table.game, state, moves), n=n + len(moves))
        return replace(table, selections=self.selections(table))

    def showings(self, game_id: str) -> tuple[Showing, ...]:
        """A game's boards, the one for everybody first."""
        rows = self.sql(
            f"SELECT {', '.join(_SHOWING)} FROM showings WHERE game_id = ? ORDER BY seat",
            (game_id,),
        )
        return tuple(Showing(*row) for row in rows.fetchall())

    def sittings(self, game_id: str, *, lobby: bool) -> tuple[Sitting, ...]:
        """Who sits in a game: in a lobby those who have not left, later everybody who started."""
        which = "s.left_at = 0" if lobby else "s.seat >= 0"
        rows = self.sql(
            "SELECT s.id, s.user_id, p.name, s.seat, s.left_at, s.place, s.coins, s.points, "
            "CASE WHEN p.language <> '' THEN p.language ELSE p.spoken END "
            f"FROM seats s JOIN people p ON p.user_id = s.user_id WHERE s.game_id = ? AND {which} "
            "ORDER BY s.seat, s.id",
            (game_id,),
        )
        return tuple(Sitting(*row) for row in rows.fetchall())

    def moves(self, game_id: str, after: int = 0) -> list[Recorded]:
        """The recorded moves `(seat, move, dice)` from number `after` on."""
        rows = self.sql(
            "SELECT seat, move, dice FROM moves WHERE game_id = ? AND n >= ? ORDER BY n",
            (game_id, after),
        )
        return [tuple(row) for row in rows.fetchall()]

    def add_move(
        self, game_id: str, n: int, seat: int, move: str, dice: Sequence[int], at: int
    ) -> None:
        """Appends one move."""
        self.sql(
            "INSERT INTO moves (game_id, n, seat, move, dice, at) VALUES (?, ?, ?, ?, ?, ?)",
            (game_id, n, seat, move, ",".join(map(str, dice)), at),
        )

    def running(self, chat_id: int, topic: int) -> str | None:
        """The open game of a chat and topic."""
        row = self.sql(
            "SELECT id FROM games WHERE chat_id = ? AND topic = ? "
            "AND status IN ('lobby', 'running')",
            (chat_id, topic),
        ).fetchone()
        return row[0] if row else None

    def open_games(self, chat_id: int | None = None) -> list[str]:
        """Every open game, or those of one chat."""
        where = "" if chat_id is None else " AND chat_id = ?"
        rows = self.sql(
            f"SELECT id FROM games WHERE status IN ('lobby', 'running'){where} ORDER BY opened_at",
            () if chat_id is None else (chat_id,),
        )
        return [row[0] for row in rows.fetchall()]

    def unpainted(self, chat_id: int | None = None) -> list[str]:
        """Games whose message is behind, the finished ones included; all, or those of one chat."""
        where = "" if chat_id is None else " AND chat_id = ?"
        rows = self.sql(
            f"SELECT DISTINCT game_id FROM showings WHERE painted < board{where}",
            () if chat_id is None else (chat_id,),
        )
        return [row[0] for row in rows.fetchall()]

    def board_messages(self, chat_id: int, first: int, last: int) -> set[int]:
        """Which of the messages `first` to `last` of a chat are boards now, of whatever game."""
        rows = self.sql(
            "SELECT message_id FROM showings WHERE chat_id = ? AND message_id BETWEEN ? AND ?",
            (chat_id, first, last),
        )
        return {row[0] for row in rows.fetchall()}

    def private_games(self, user_id: int) -> list[tuple[str, int, int]]:
        """Game, seat and message of the running boards in somebody's private chat, newest first."""
        rows = self.sql(
            "SELECT s.game_id, s.seat, s.message_id FROM showings s JOIN games g "
            "ON g.id = s.game_id WHERE s.chat_id = ? AND s.seat >= 0 AND g.status = 'running' "
            "ORDER BY s.message_id DESC, g.opened_at DESC",
            (user_id,),
        )
        return [tuple(row) for row in rows.fetchall()]

    def boards_behind(self, chat_id: int) -> list[tuple[str, int]]:
        """Game and seat of every board in a chat that is behind."""
        rows = self.sql(
            "SELECT game_id, seat FROM showings WHERE chat_id = ? AND painted < board", (chat_id,)
        )
        return [(row[0], row[1]) for row in rows.fetchall()]

    def last_finished(self, chat_id: int, topic: int) -> str | None:
        """The game that ended last in a chat and topic."""
        row = self.sql(
            "SELECT id FROM games WHERE chat_id = ? AND topic = ? AND over_at > 0 "
            "ORDER BY over_at DESC, opened_at DESC LIMIT 1",
            (chat_id, topic),
        ).fetchone()
        return row[0] if row else None

    # -- seats, selections, votes -------------------------------------------------------------

    def add_seat(self, game_id: str, user_id: int, token: str, now: int) -> int:
        """Seats somebody in the lobby; answers the row's id."""
        row = self.sql(
            "INSERT INTO seats (game_id, user_id, seat, token, joined_at, left_at, place, coins, "
            "points) VALUES (?, ?, -1, ?, ?, 0, 0, 0, 0) RETURNING id",
            (game_id, user_id, token, now),
        ).fetchone()
        return int(row[0])

    def joinings(self, game_id: str, user_id: int) -> int:
        """How often somebody has taken a seat in a game."""
        row = self.sql(
            "SELECT count(*) FROM seats WHERE game_id = ? AND user_id = ?", (game_id, user_id)
        ).fetchone()
        return int(row[0])

    def leave_seat(self, row: int, now: int) -> None:
        """Notes that somebody left."""
        self.sql("UPDATE seats SET left_at = ? WHERE id = ?", (now, row))

    def number_seat(self, row: int, seat: int) -> None:
        """Gives the joining `row` its seat."""
        self.sql("UPDATE seats SET seat = ? WHERE id = ?", (seat, row))

    def tokens(self, game_id: str) -> list[str]:
        """The join tokens of those in the lobby, in joining order."""
        rows = self.sql(
            "SELECT token FROM seats WHERE game_id = ? AND left_at = 0 ORDER BY id", (game_id,)
        )
        return [row[0] for row in rows.fetchall()]

    def staked_games(self, user_id: int, start: int, end: int) -> int:
        """How many staked games of a person ended between two times."""
        row = self.sql(
            "SELECT count(*) FROM seats s JOIN games g ON g.id = s.game_id WHERE s.user_id = ? "
            "AND s.seat >= 0 AND g.status = 'over' AND g.stake > 0 "
            "AND g.over_at >= ? AND g.over_at < ?",
            (user_id, start, end),
        ).fetchone()
        return int(row[0])

    def last_move_at(self, game_id: str, seat: int) -> int:
        """When a seat made its last move, leaving apart."""
        row = self.sql(
            "SELECT max(at) FROM moves WHERE game_id = ? AND seat = ? AND move <> 'leave'",
            (game_id, seat),
        ).fetchone()
        return int(row[0] or 0)

    def set_result(self, sitting: Sitting) -> None:
        """Writes what a seat won."""
        self.sql(
            "UPDATE seats SET place = ?, coins = ?, points = ? WHERE id = ?",
            (sitting.place, sitting.coins, sitting.points, sitting.row),
        )

    def selection(self, game_id: str, seat: int, rev: int) -> str:
        """What a seat has picked in this phase."""
        row = self.sql(
            "SELECT selection FROM selections WHERE game_id = ? AND seat = ? AND rev = ?",
            (game_id, seat, rev),
        ).fetchone()
        return row[0] if row else ""

    def selections(self, table: Table) -> dict[int, str]:
        """What the seats of a game have picked in their running phases."""
        rows = self.sql(
            "SELECT seat, rev, selection FROM selections WHERE game_id = ?", (table.id,)
        )
        return {
            seat: selection
            for seat, rev, selection in rows.fetchall()
            if selection and rev == table.phase(seat).rev
        }

    def select(self, game_id: str, seat: int, rev: int, selection: str) -> None:
        """Notes what a seat has picked."""
        self.sql(
            "INSERT INTO selections (game_id, seat, rev, selection) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (game_id, seat) DO UPDATE SET rev = excluded.rev, "
            "selection = excluded.selection",
            (game_id, seat, rev, selection),
        )

    def unselect(self, game_id: str, seat: int) -> None:
        """Empties what a seat has picked."""
        self.sql("DELETE FROM selections WHERE game_id = ? AND seat = ?", (game_id, seat))

    def forget_selections(self, game_id: str) -> None:
        """Drops what was picked and agreed to in a lobby or game that is over."""
        self.sql("DELETE FROM selections WHERE game_id = ?", (game_id,))
        self.sql("DELETE FROM votes WHERE game_id = ?", (game_id,))

    def vote(self, game_id: str, sitting: int) -> None:
        """Notes that the joining `sitting` agrees to stop."""
        self.sql(
            "INSERT INTO votes (game_id, sitting) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (game_id, sitting),
        )

    def votes(self, game_id: str) -> set[int]:
        """The joinings that agree to stop."""
        rows = self.sql("SELECT sitting FROM votes WHERE game_id = ?", (game_id,))
        return {row[0] for row in rows.fetchall()}

    # -- due dates ----------------------------------------------------------------------------

    def set_due(self, kind: str, ref: str, at: int) -> None:
        """Puts a due date down, or moves it; `at` 0 takes it away."""
        if not at:
            self.sql("DELETE FROM due WHERE kind = ? AND ref = ?", (kind, ref))
            return
        self.nearest_due = min(self.nearest_due or at, at)
        self.sql(
            "INSERT INTO due (kind, ref, at) VALUES (?, ?, ?) "
            "ON CONFLICT (kind, ref) DO UPDATE SET at = excluded.at",
            (kind, ref, at),
        )

    def due(self, now: int, limit: int = 200) -> list[tuple[str, str, int]]:
        """What is due, of what kind, for what, since when; longest first."""
        rows = self.sql(
            "SELECT kind, ref, at FROM due WHERE at <= ? ORDER BY at LIMIT ?", (now, limit)
        )
        return [(row[0], row[1], row[2]) for row in rows.fetchall()]

    def still_due(self, kind: str, ref: str, now: int) -> bool:
        """Whether it is due, and nobody else is about it. A game's own lock sees to that."""
        lock = "" if is_sqlite(self.db) or kind == "game" else " FOR UPDATE SKIP LOCKED"
        query = f"SELECT 1 FROM due WHERE kind = ? AND ref = ? AND at <= ?{lock}"
        return self.sql(query, (kind, ref, now)).fetchone() is not None

    def next_due(self) -> int | None:
        """When the next thing is due."""
        row = self.sql("SELECT min(at) FROM due").fetchone()
        return row[0] if row else None

    # -- people and chats ---------------------------------------------------------------------

    def chat_language(self, chat_id: int) -> str:
        """The language of a chat's boards."""
        row = self.sql("SELECT language FROM chats WHERE chat_id = ?", (chat_id,)).fetchone()
        return (row[0] if row else "") or self.language

    def name_in(self, user_id: int, chat_id: int) -> str | None:
        """A person's name for lists shown in a chat; None where they are hidden from them."""
        row = self.sql(
            "SELECT name FROM people WHERE user_id = ? AND (listed = 1 OR user_id = ? OR EXISTS "
            "(SELECT 1 FROM seats s JOIN games g ON g.id = s.game_id "
            "WHERE s.user_id = people.user_id AND g.chat_id = ?))",
            (user_id, chat_id, chat_id),
        ).fetchone()
        return row[0] if row else None

    def name(self, user_id: int) -> str:
        """A person's shown name."""
        row = self.sql("SELECT name FROM people WHERE user_id = ?", (user_id,)).fetchone()
        return row[0] if row else f"#{user_id % 10000:04d}"

    def listed(self, user_id: int) -> bool:
        """Whether lists outside somebody's chats may name them."""
        row = self.sql("SELECT listed FROM people WHERE user_id = ?", (user_id,)).fetchone()
        return bool(row and row[0])

    # -- wishes -------------------------------------------------------------------------------

    def wish(self, user_id: int, kind: str, ref: str, now: int) -> None:
        """Notes what the bot waits to be told by somebody; an empty kind: nothing more."""
        self.sql("DELETE FROM wishes WHERE user_id = ?", (user_id,))
        if kind:
            self.sql(
                "INSERT INTO wishes (user_id, kind, ref, at) VALUES (?, ?, ?, ?)",
                (user_id, kind, ref, now),
            )

    def unwish(self, user_id: int, kind: str) -> bool:
        """Waits for nothing of that kind any more; False if it did not."""
        row = self.sql(
            "DELETE FROM wishes WHERE user_id = ? AND kind = ? RETURNING 1", (user_id, kind)
        ).fetchone()
        return row is not None

    def wished(self, user_id: int, kind: str, since: int) -> str | None:
        """For what the bot waits to be told something of that kind."""
        row = self.sql(
            "SELECT ref FROM wishes WHERE user_id = ? AND kind = ? AND at >= ?",
            (user_id, kind, since),
        ).fetchone()
        return row[0] if row else None


def _column(table: Table, name: str) -> object:
    value = getattr(table, name)
    if name in ("options", "result"):
        return json.dumps(value) if value else ("{}" if name == "options" else "")
    return value
