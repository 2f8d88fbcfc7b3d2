"""The rows of boards: what is shown where, how far it is painted, and its clock."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from peewee import Database, Expression, Query

from economy.statements import statement
from tgbot.hall.table import Showing
from tgbot.models import BEHIND, GameRow, SeatRow, ShowingRow

_COLUMNS = tuple(it.name for it in fields(Showing))


class BoardRows:
    """Reads and writes the boards of games, inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def add(self, game_id: str, showing: Showing) -> None:
        """Writes a new board."""
        _insert.later(self.db, game_id=game_id, **_columns(showing))

    def update(self, game_id: str, showing: Showing) -> None:
        """Writes a board: how far it is painted, where, and its phase's clock."""
        _update.later(self.db, game_id=game_id, **_columns(showing))

    def of(self, game_id: str) -> tuple[Showing, ...]:
        """A game's boards, the one for everybody first."""
        return tuple(_of.all(self.db, game_id=game_id))

    def games_behind(self, chat_id: int | None = None) -> list[str]:
        """Games whose message is behind, the finished ones included; all, or those of one chat."""
        which: Expression = BEHIND
        if chat_id is not None:
            which &= ShowingRow.chat_id == chat_id
        # Not DISTINCT, for which SQLite would go through all boards by their games.
        query = ShowingRow.select(ShowingRow.game_id).where(which)
        return list(dict.fromkeys(game_id for (game_id,) in query.tuples().execute(self.db)))

    def behind(self, chat_id: int) -> list[tuple[str, int]]:
        """Game and seat of every board in a chat that is behind."""
        return _behind.all(self.db, chat_id=chat_id)

    def messages(self, chat_id: int, first: int, last: int) -> set[int]:
        """Which of the messages `first` to `last` of a chat are boards now, of whatever game."""
        return set(_messages.all(self.db, chat_id=chat_id, first=first, last=last))

    def move_chat(self, old: int, new: int) -> None:
        """The boards of a chat are still to be sent in another one."""
        unsent = ShowingRow.update(chat_id=new, message_id=0, scene=-1)
        unsent.where(ShowingRow.chat_id == old).execute(self.db)

    def leave_topic(self, game_id: str) -> None:
        """The boards of a game stand in no topic."""
        ShowingRow.update(topic=0).where(ShowingRow.game_id == game_id).execute(self.db)

    def private_games(self, user_id: int) -> list[tuple[str, int, int]]:
        """Game, seat and message of the running boards in somebody's private chat, newest first."""
        return _private_games.all(self.db, user_id=user_id)


def _columns(showing: Showing) -> dict[str, Any]:
    return {name: getattr(showing, name) for name in _COLUMNS}


# -- statements ---------------------------------------------------------------------------------


@statement(slots=("game_id", *_COLUMNS))
def _insert(**columns: Any) -> Query:
    return ShowingRow.insert(**columns)


@statement(slots=("game_id", *_COLUMNS))
def _update(*, game_id: str, seat: int, **columns: Any) -> Query:
    return ShowingRow.update(**columns).where(
        ShowingRow.game_id == game_id, ShowingRow.seat == seat
    )


@statement(row=Showing)
def _of(*, game_id: str) -> Query:
    return (
        ShowingRow.select(*(getattr(ShowingRow, name) for name in _COLUMNS))
        .where(ShowingRow.game_id == game_id)
        .order_by(ShowingRow.seat)
    )


@statement(row=int)
def _messages(*, chat_id: int, first: int, last: int) -> Query:
    return ShowingRow.select(ShowingRow.message_id).where(
        ShowingRow.chat_id == chat_id, ShowingRow.message_id.between(first, last)
    )


@statement
def _behind(*, chat_id: int) -> Query:
    return ShowingRow.select(ShowingRow.game_id, ShowingRow.seat).where(
        ShowingRow.chat_id == chat_id, BEHIND
    )


@statement
def _private_games(*, user_id: int) -> Query:
    return (
        SeatRow.select(ShowingRow.game_id, ShowingRow.seat, ShowingRow.message_id)
        .join(ShowingRow, on=ShowingRow.game_id == SeatRow.game_id)
        .join(GameRow, on=GameRow.id == ShowingRow.game_id)
        .where(
            SeatRow.user_id == user_id,
            SeatRow.ended_at == 0,
            SeatRow.seat >= 0,
            ShowingRow.chat_id == user_id,
            GameRow.status == "running",
        )
        .order_by(ShowingRow.message_id.desc(), GameRow.opened_at.desc())
    )
