"""The rows of moves: what everybody did, and what the dice showed."""

from __future__ import annotations

from collections.abc import Sequence

from peewee import Database, Query, fn

from economy.statements import statement
from games.game import Throw
from tgbot.hall.table import Recorded
from tgbot.models import MoveRow


class MoveRows:
    """Reads and appends the moves of games, inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, game_id: str, after: int = 0) -> list[Recorded]:
        """The recorded moves `(seat, move, dice)` from number `after` on."""
        return _of.all(self.db, game_id=game_id, after=after)

    def add(
        self, game_id: str, n: int, seat: int, move: str, throw: Throw, dice: Sequence[int], at: int
    ) -> None:
        """Appends one move with the dice it asked for and what they showed."""
        asked = ",".join(map(str, throw.sides)) + ("!" if throw.open else "")
        thrown = ",".join(map(str, dice))
        _add.later(
            self.db, game_id=game_id, n=n, seat=seat, move=move, asked=asked, dice=thrown, at=at
        )

    def thrown(self, game_id: str) -> list[tuple[str, str]]:
        """The dice every move of a game asked for and what they showed.

        `("6,6", "1,5")`, or `("4,20!", "4,2,11")` where they were open.
        """
        return _thrown.all(self.db, game_id=game_id)

    def has_moved(self, game_id: str, seat: int) -> bool:
        """Whether a seat has made a move."""
        return _has_moved.one(self.db, game_id=game_id, seat=seat) is not None

    def last_at(self, game_id: str, seat: int) -> int:
        """When a seat made its last move, leaving apart."""
        return _last_at.one(self.db, game_id=game_id, seat=seat) or 0


# -- statements ---------------------------------------------------------------------------------


@statement
def _of(*, game_id: str, after: int) -> Query:
    of_game = (MoveRow.game_id == game_id, MoveRow.n >= after)
    return (
        MoveRow.select(MoveRow.seat, MoveRow.move, MoveRow.dice).where(*of_game).order_by(MoveRow.n)
    )


@statement
def _add(*, game_id: str, n: int, seat: int, move: str, asked: str, dice: str, at: int) -> Query:
    return MoveRow.insert(game_id=game_id, n=n, seat=seat, move=move, asked=asked, dice=dice, at=at)


@statement
def _thrown(*, game_id: str) -> Query:
    of_game = MoveRow.game_id == game_id
    return MoveRow.select(MoveRow.asked, MoveRow.dice).where(of_game).order_by(MoveRow.n)


@statement(row=int)
def _has_moved(*, game_id: str, seat: int) -> Query:
    return (
        MoveRow.select(MoveRow.n)
        .where(MoveRow.game_id == game_id, MoveRow.seat == seat, MoveRow.move != "join")
        .limit(1)
    )


@statement(row=int)
def _last_at(*, game_id: str, seat: int) -> Query:
    return MoveRow.select(fn.COALESCE(fn.MAX(MoveRow.at), 0)).where(
        MoveRow.game_id == game_id, MoveRow.seat == seat, MoveRow.move != "leave"
    )
