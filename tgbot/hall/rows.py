"""The rows of games: boards, seats, moves, selections, votes; and the due dates beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from peewee import Database, Expression, fn

from games.game import Throw
from tgbot.hall import queries
from tgbot.hall.due import DueDates
from tgbot.hall.table import Recorded, Showing, Sitting, Table, first_state, fold
from tgbot.models import BEHIND, OPEN, GameRow, SeatRow, SelectionRow, ShowingRow, VoteRow
from tgbot.people.chats import Chats
from tgbot.people.names import shown_name

_GAME = tuple(column.name for column in queries.GAME)
_SHOWING = tuple(it.name for it in fields(Showing))


class Store:
    """Reads and writes what a game consists of, inside the caller's transaction.

    `due` are the due dates of the same database, `chats` its chats.
    """

    def __init__(self, db: Database, language: str) -> None:
        self.db = db
        self.due = DueDates(db)
        self.chats = Chats(db, language)

    # -- games --------------------------------------------------------------------------------

    def insert_game(self, table: Table) -> None:
        """Writes a game's first row and its boards."""
        columns = {name: getattr(table, name) for name in _GAME if name != "id"}
        columns["options"] = json.dumps(table.options)
        columns["result"] = _result(table)
        queries.insert_game.run(self.db, game_id=table.id, **columns)
        for showing in table.showings:
            self.add_showing(table.id, showing)

    def add_showing(self, game_id: str, showing: Showing) -> None:
        """Writes a new board."""
        queries.insert_showing.run(self.db, game_id=game_id, **_columns(showing))

    def update_game(self, table: Table) -> None:
        """Writes what can change of a game, its boards apart."""
        queries.update_game.run(
            self.db,
            game_id=table.id,
            status=table.status,
            robin=table.robin,
            secret=table.secret,
            part=table.part,
            over_at=table.over_at,
            stamp=table.stamp,
            result=_result(table),
        )
        if not table.open:
            queries.end_seats.run(self.db, game_id=table.id, at=table.over_at)

    def update_showing(self, game_id: str, showing: Showing) -> None:
        """Writes a board: how far it is painted, where, and its phase's clock."""
        queries.update_showing.run(self.db, game_id=game_id, **_columns(showing))

    def move_chat(self, old: int, new: int) -> None:
        """The games of a chat are those of another one, where their boards are still to be sent."""
        GameRow.update(chat_id=new).where(GameRow.chat_id == old).execute(self.db)
        unsent = ShowingRow.update(chat_id=new, message_id=0, scene=-1)
        unsent.where(ShowingRow.chat_id == old).execute(self.db)

    def leave_topic(self, game_id: str) -> None:
        """A game of a topic is one of its whole chat."""
        GameRow.update(topic=0).where(GameRow.id == game_id).execute(self.db)
        ShowingRow.update(topic=0).where(ShowingRow.game_id == game_id).execute(self.db)

    def restamp(self, table: Table) -> None:
        """Writes the number of a game's newest change."""
        queries.restamp.run(self.db, game_id=table.id, stamp=table.stamp)

    def stamp(self, game_id: str) -> int | None:
        """The number of the game's newest change; None for a game that never was.

        Where others may write at the same time, the game is this transaction's until it ends.
        """
        return queries.stamp.one(self.db, game_id=game_id)

    def read(self, game_id: str, known: Table | None = None) -> Table:
        """The game as it stands, folded on from `known` where that is an earlier picture of it."""
        return self._folded(self.read_bare(game_id), known)

    def find(self, game_id: str) -> Table | None:
        """The game's rows without its state; None for a game that never was."""
        return None if self.stamp(game_id) is None else self.read_bare(game_id)

    def read_bare(self, game_id: str) -> Table:
        """The game's rows without its state."""
        row = queries.game.one(self.db, game_id=game_id)
        assert row, f"there is no game {game_id}"
        columns = dict(zip(_GAME, row, strict=True))
        columns["options"] = json.loads(columns["options"])
        columns["result"] = json.loads(columns["result"] or "{}")
        columns |= {name: bytes(columns[name]) for name in ("secret", "nonce", "part")}
        invited = tuple(columns["options"].get("invited", ()))
        return Table(
            **columns,
            language=columns["options"].get("language") or self.chats.language(columns["chat_id"]),
            showings=self.showings(game_id),
            sittings=self.sittings(game_id, lobby=columns["status"] == "lobby"),
            invited=tuple((user, shown_name(self.db, user)) for user in invited),
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
        return tuple(queries.showings.all(self.db, game_id=game_id))

    def sittings(self, game_id: str, *, lobby: bool) -> tuple[Sitting, ...]:
        """Who sits in a game: in a lobby those who have not left, later everybody who started."""
        which = queries.in_lobby if lobby else queries.seated
        return tuple(which.all(self.db, game_id=game_id))

    def moves(self, game_id: str, after: int = 0) -> list[Recorded]:
        """The recorded moves `(seat, move, dice)` from number `after` on."""
        return queries.moves.all(self.db, game_id=game_id, after=after)

    def add_move(
        self, game_id: str, n: int, seat: int, move: str, throw: Throw, dice: Sequence[int], at: int
    ) -> None:
        """Appends one move with the dice it asked for and what they showed."""
        asked = ",".join(map(str, throw.sides)) + ("!" if throw.open else "")
        thrown = ",".join(map(str, dice))
        queries.add_move.run(
            self.db, game_id=game_id, n=n, seat=seat, move=move, asked=asked, dice=thrown, at=at
        )

    def asked(self, game_id: str) -> list[str]:
        """The dice every move of a game asked for: `6,6`, or `4,20!` where they were open."""
        return queries.asked.all(self.db, game_id=game_id)

    def running(self, chat_id: int, topic: int) -> str | None:
        """The open game of a chat and topic."""
        return queries.running.one(self.db, chat_id=chat_id, topic=topic)

    def open_games(self, chat_id: int | None = None) -> list[str]:
        """Every open game, or those of one chat."""
        which: Expression = OPEN
        if chat_id is not None:
            which &= GameRow.chat_id == chat_id
        query = GameRow.select(GameRow.id).where(which).order_by(GameRow.opened_at)
        return [game_id for (game_id,) in query.tuples().execute(self.db)]

    def unpainted(self, chat_id: int | None = None) -> list[str]:
        """Games whose message is behind, the finished ones included; all, or those of one chat."""
        which: Expression = BEHIND
        if chat_id is not None:
            which &= ShowingRow.chat_id == chat_id
        # Not DISTINCT, for which SQLite would go through all boards by their games.
        query = ShowingRow.select(ShowingRow.game_id).where(which)
        return list(dict.fromkeys(game_id for (game_id,) in query.tuples().execute(self.db)))

    def board_messages(self, chat_id: int, first: int, last: int) -> set[int]:
        """Which of the messages `first` to `last` of a chat are boards now, of whatever game."""
        return set(queries.board_messages.all(self.db, chat_id=chat_id, first=first, last=last))

    def private_games(self, user_id: int) -> list[tuple[str, int, int]]:
        """Game, seat and message of the running boards in somebody's private chat, newest first."""
        return queries.private_games.all(self.db, user_id=user_id)

    def boards_behind(self, chat_id: int) -> list[tuple[str, int]]:
        """Game and seat of every board in a chat that is behind."""
        return queries.boards_behind.all(self.db, chat_id=chat_id)

    def last_finished(self, chat_id: int, topic: int) -> str | None:
        """The game that ended last in a chat and topic."""
        return queries.last_finished.one(self.db, chat_id=chat_id, topic=topic)

    # -- seats, selections, votes -------------------------------------------------------------

    def add_seat(
        self, game_id: str, user_id: int, now: int, *, charm: int = 0, late: int = 0
    ) -> int:
        """Seats somebody in the lobby, or `late` in the running game; answers the row's id."""
        row = queries.add_seat.one(
            self.db, game_id=game_id, user_id=user_id, charm=charm, late=late, joined_at=now
        )
        assert row
        return row

    def set_charm(self, row: int, charm: int) -> None:
        """Gives the joining `row` another charm."""
        queries.set_charm.run(self.db, row=row, charm=charm)

    def joinings(self, game_id: str, user_id: int) -> int:
        """How often somebody has taken a seat in a game."""
        return queries.joinings.one(self.db, game_id=game_id, user_id=user_id) or 0

    def ready(self, row: int) -> None:
        """Notes that somebody in a lobby would start."""
        queries.ready.run(self.db, row=row)

    def leave_seat(self, row: int, now: int) -> None:
        """Notes that somebody left."""
        queries.leave_seat.run(self.db, row=row, at=now)

    def number_seat(self, row: int, seat: int) -> None:
        """Gives the joining `row` its seat."""
        queries.number_seat.run(self.db, row=row, seat=seat)

    def staked_games(self, user_id: int, start: int, end: int) -> int:
        """How many staked games of a person ended between two times."""
        return queries.staked_games.one(self.db, user_id=user_id, start=start, end=end) or 0

    def sits_in(self, user_id: int) -> tuple[str, ...]:
        """The open games a person sits in and has not left."""
        rows = (
            SeatRow.select(GameRow.id)
            .join(GameRow, on=GameRow.id == SeatRow.game_id)
            .where(SeatRow.user_id == user_id, SeatRow.left_at == 0, SeatRow.ended_at == 0)
            .order_by(GameRow.opened_at, GameRow.id)
        )
        return tuple(row[0] for row in rows.tuples().execute(self.db))

    def has_moved(self, game_id: str, seat: int) -> bool:
        """Whether a seat has made a move."""
        return queries.has_moved.one(self.db, game_id=game_id, seat=seat) is not None

    def last_move_at(self, game_id: str, seat: int) -> int:
        """When a seat made its last move, leaving apart."""
        return queries.last_move_at.one(self.db, game_id=game_id, seat=seat) or 0

    def set_result(self, sitting: Sitting) -> None:
        """Writes what a seat won."""
        queries.set_result.run(
            self.db,
            row=sitting.row,
            place=sitting.place,
            coins=sitting.coins,
            points=sitting.points,
        )

    def selection(self, game_id: str, seat: int, rev: int) -> str:
        """What a seat has picked in this phase."""
        return queries.selection.one(self.db, game_id=game_id, seat=seat, rev=rev) or ""

    def selections(self, table: Table) -> dict[int, str]:
        """What the seats of a game have picked in their running phases."""
        return {
            seat: selection
            for seat, rev, selection in queries.selections.all(self.db, game_id=table.id)
            if selection and rev == table.phase(seat).rev
        }

    def select(self, game_id: str, seat: int, rev: int, selection: str) -> None:
        """Notes what a seat has picked."""
        queries.select.run(self.db, game_id=game_id, seat=seat, rev=rev, selection=selection)

    def unselect(self, game_id: str, seat: int) -> None:
        """Empties what a seat has picked."""
        queries.unselect.run(self.db, game_id=game_id, seat=seat)

    def forget_selections(self, game_id: str) -> None:
        """Drops what was picked and agreed to in a lobby or game that is over."""
        queries.forget_selections.run(self.db, game_id=game_id)
        queries.forget_votes.run(self.db, game_id=game_id)

    def forget_what_is_over(self) -> None:
        """Drops what was picked and agreed to in games that take no moves any more."""
        for model in (SelectionRow, VoteRow):
            open_still = GameRow.select(GameRow.id).where(GameRow.id == model.game_id, OPEN)
            model.delete().where(~fn.EXISTS(open_still)).execute(self.db)

    def vote(self, game_id: str, sitting: int) -> None:
        """Notes that the joining `sitting` agrees to stop."""
        queries.vote.run(self.db, game_id=game_id, sitting=sitting)

    def votes(self, game_id: str) -> set[int]:
        """The joinings that agree to stop."""
        return set(queries.votes.all(self.db, game_id=game_id))


def _columns(showing: Showing) -> dict[str, Any]:
    return {name: getattr(showing, name) for name in _SHOWING}


def _result(table: Table) -> str:
    return json.dumps(table.result) if table.result else ""
