"""The rows of games: each as a whole is read and written here; `boards`, `seats`, `moves` and
`selections` are its other tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from peewee import Database, Expression, Query

from economy.statements import statement
from tgbot.hall.board_rows import BoardRows
from tgbot.hall.due_dates import DueDates
from tgbot.hall.move_rows import MoveRows
from tgbot.hall.seat_rows import SeatRows
from tgbot.hall.selection_rows import SelectionRows
from tgbot.hall.table import Table, first_state, fold, with_james
from tgbot.models import OPEN, GameRow
from tgbot.people.chats import Chats
from tgbot.people.names import shown_name

_NAMES = (
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
    "nonce",
    "seal",
    "part",
    "opened_at",
    "over_at",
    "stamp",
    "result",
    "james",
)
"""The columns of `table.Table`."""
_CHANGING = ("status", "stake", "robin", "secret", "part", "over_at", "stamp", "result", "james")
"""Those that change."""


class Store:
    """Reads and writes what a game consists of, inside the caller's transaction.

    `due` are the due dates of the same database, `chats` its chats.
    """

    def __init__(self, db: Database, language: str) -> None:
        self.db = db
        self.boards = BoardRows(db)
        self.seats = SeatRows(db)
        self.moves = MoveRows(db)
        self.selections = SelectionRows(db)
        self.due = DueDates(db)
        self.chats = Chats(db, language)

    def insert(self, table: Table) -> None:
        """Writes a game's first row and its boards."""
        options = {"options": json.dumps(table.options)}
        _insert.run(self.db, **_columns(table, _NAMES) | options)
        for showing in table.showings:
            self.boards.add(table.id, showing)

    def update(self, table: Table) -> None:
        """Writes what can change of a game, its boards apart."""
        _update.later(self.db, game_id=table.id, **_columns(table, _CHANGING))
        if not table.open:
            self.seats.end(table.id, table.over_at)

    def restamp(self, table: Table) -> None:
        """Writes the number of a game's newest change."""
        _restamp.later(self.db, game_id=table.id, stamp=table.stamp)

    def stamp(self, game_id: str) -> int | None:
        """The number of the game's newest change; None for a game that never was.

        Where others may write at the same time, the game is this transaction's until it ends.
        """
        return _stamp.one(self.db, game_id=game_id)

    def ahead(self, game_id: str) -> None:
        """Asks for what `stamp` will answer (see `Statement.ahead`)."""
        _stamp.ahead(self.db, game_id=game_id)

    def free(self, game_id: str) -> bool:
        """Whether no other transaction has the game; then it is this one's until it ends."""
        return _stamp_of_free.one(self.db, game_id=game_id) is not None

    def read(self, game_id: str, known: Table | None = None) -> Table:
        """The game as it stands, folded on from `known` where that is an earlier picture of it."""
        return self._folded(self.read_bare(game_id), known)

    def find(self, game_id: str) -> Table | None:
        """The game's rows without its state; None for a game that never was."""
        return None if self.stamp(game_id) is None else self.read_bare(game_id)

    def read_bare(self, game_id: str) -> Table:
        """The game's rows without its state."""
        row = _game.one(self.db, game_id=game_id)
        assert row, f"there is no game {game_id}"
        columns = dict(zip(_NAMES, row, strict=True))
        columns["options"] = _options(columns["options"])
        columns["result"] = json.loads(columns["result"] or "{}")
        columns |= {name: bytes(columns[name]) for name in ("secret", "nonce", "part")}
        invited = tuple(columns["options"].get("invited", ()))
        sittings = self.seats.of(game_id, lobby=columns["status"] == "lobby")
        began = bool(columns["part"])
        spoken = sittings[0].language if sittings and columns["chat_id"] > 0 else ""
        spoken = spoken or columns["options"].get("language", "")
        return Table(
            **columns,
            language=spoken or self.chats.language(columns["chat_id"]),
            showings=self.boards.of(game_id),
            sittings=with_james(sittings) if columns["james"] and began else sittings,
            invited=tuple((user, shown_name(self.db, user)) for user in invited),
        )

    def _folded(self, table: Table, known: Table | None) -> Table:
        if not table.part:
            return table
        known_state = known.state if known else None
        n = known.n if known and known_state is not None else 0
        moves = self.moves.of(table.id, n)
        state = first_state(table, moves) if known_state is None else known_state
        table = table.changed(state=fold(table.game, state, moves), n=n + len(moves))
        return table.changed(selections=self.selections.of(table))

    def running(self, chat_id: int, topic: int) -> str | None:
        """The open game of a chat and topic."""
        return _running.one(self.db, chat_id=chat_id, topic=topic)

    def last_finished(self, chat_id: int, topic: int) -> str | None:
        """The game that ended last in a chat and topic."""
        return _last_finished.one(self.db, chat_id=chat_id, topic=topic)

    def open_games(self, chat_id: int | None = None) -> list[str]:
        """Every open game, or those of one chat."""
        which: Expression = OPEN
        if chat_id is not None:
            which &= GameRow.chat_id == chat_id
        query = GameRow.select(GameRow.id).where(which).order_by(GameRow.opened_at)
        return [game_id for (game_id,) in query.tuples().execute(self.db)]

    def move_chat(self, old: int, new: int) -> None:
        """The games of a chat are those of another one, where their boards are still to be sent."""
        GameRow.update(chat_id=new).where(GameRow.chat_id == old).execute(self.db)
        self.boards.move_chat(old, new)

    def leave_topic(self, game_id: str) -> None:
        """A game of a topic is one of its whole chat."""
        GameRow.update(topic=0).where(GameRow.id == game_id).execute(self.db)
        self.boards.leave_topic(game_id)


@lru_cache(maxsize=128)
def _options(written: str) -> Mapping[str, Any]:
    """The options of a game: of thousands most have the same, and share them."""
    options: dict[str, Any] = json.loads(written)
    return options


def _columns(table: Table, names: Iterable[str]) -> dict[str, Any]:
    columns = {name: getattr(table, name) for name in names}
    return columns | {"result": json.dumps(table.result) if table.result else ""}


# -- statements ---------------------------------------------------------------------------------


@statement(slots=_NAMES)
def _insert(**columns: Any) -> Query:
    return GameRow.insert(**columns)


@statement(slots=("game_id", *_CHANGING))
def _update(*, game_id: str, **columns: Any) -> Query:
    return GameRow.update(**columns).where(GameRow.id == game_id)


@statement
def _restamp(*, game_id: str, stamp: int) -> Query:
    return GameRow.update(stamp=stamp).where(GameRow.id == game_id)


@statement(row=int, lock="wait")
def _stamp(*, game_id: str) -> Query:
    return GameRow.select(GameRow.stamp).where(GameRow.id == game_id)


@statement(lock="skip")
def _stamp_of_free(*, game_id: str) -> Query:
    return GameRow.select(GameRow.stamp).where(GameRow.id == game_id)


@statement
def _game(*, game_id: str) -> Query:
    return GameRow.select(*(getattr(GameRow, name) for name in _NAMES)).where(GameRow.id == game_id)


@statement(row=str)
def _running(*, chat_id: int, topic: int) -> Query:
    return GameRow.select(GameRow.id).where(
        GameRow.chat_id == chat_id, GameRow.topic == topic, OPEN
    )


@statement(row=str)
def _last_finished(*, chat_id: int, topic: int) -> Query:
    return (
        GameRow.select(GameRow.id)
        .where(GameRow.chat_id == chat_id, GameRow.topic == topic, GameRow.over_at > 0)
        .order_by(GameRow.over_at.desc(), GameRow.opened_at.desc())
        .limit(1)
    )
