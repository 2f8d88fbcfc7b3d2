"""The rows of seats: who joined which game, when, with what charm, and what they won."""

from __future__ import annotations

from collections.abc import Iterable

from peewee import Database, Query, fn

from economy.statements import statement
from tgbot.hall.table import Sitting
from tgbot.models import GameRow, PersonRow, SeatRow
from tgbot.people.names import language_read


class SeatRows:
    """Reads and writes who sits in games, inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, game_id: str, *, lobby: bool) -> tuple[Sitting, ...]:
        """Who sits in a game: in a lobby those who have not left, later everybody who started."""
        which = _in_lobby if lobby else _seated
        return tuple(which.all(self.db, game_id=game_id))

    def add(self, game_id: str, user_id: int, now: int, *, charm: int = 0, late: int = 0) -> int:
        """Seats somebody in the lobby, or `late` in the running game; answers the row's id."""
        row = _add.one(
            self.db, game_id=game_id, user_id=user_id, charm=charm, late=late, joined_at=now
        )
        assert row
        return row

    def joinings(self, game_id: str, user_id: int) -> int:
        """How often somebody has taken a seat in a game."""
        return _joinings.one(self.db, game_id=game_id, user_id=user_id) or 0

    def set_charm(self, row: int, charm: int) -> None:
        """Gives the joining `row` another charm."""
        _set_charm.later(self.db, row=row, charm=charm)

    def ready(self, row: int) -> None:
        """Notes that somebody in a lobby would start."""
        _ready.later(self.db, row=row)

    def set_hints(self, row: int, hints: int) -> None:
        """Notes how many hints the joining `row` has had."""
        _set_hints.later(self.db, row=row, hints=hints)

    def leave(self, row: int, now: int) -> None:
        """Notes that somebody left."""
        _leave.later(self.db, row=row, at=now)

    def number(self, row: int, seat: int) -> None:
        """Gives the joining `row` its seat."""
        _number.later(self.db, row=row, seat=seat)

    def set_results(self, sittings: Iterable[Sitting]) -> None:
        """Writes what seats won."""
        won = [(it.place, it.coins, it.points, it.row) for it in sittings]
        _set_result.many(self.db, won)

    def end(self, game_id: str, at: int) -> None:
        """Notes that a game is over, for all who sat in it."""
        _end.later(self.db, game_id=game_id, at=at)

    def staked_games(self, user_id: int, start: int, end: int) -> int:
        """How many staked games of a person ended between two times."""
        return _staked_games.one(self.db, user_id=user_id, start=start, end=end) or 0

    def games_of(self, user_id: int) -> tuple[str, ...]:
        """The open games a person sits in and has not left."""
        rows = (
            SeatRow.select(GameRow.id)
            .join(GameRow, on=GameRow.id == SeatRow.game_id)
            .where(SeatRow.user_id == user_id, SeatRow.left_at == 0, SeatRow.ended_at == 0)
            .order_by(GameRow.opened_at, GameRow.id)
        )
        return tuple(row[0] for row in rows.tuples().execute(self.db))


# -- statements ---------------------------------------------------------------------------------


def _of(game_id: str) -> Query:
    return (
        SeatRow.select(
            SeatRow.id,
            SeatRow.user_id,
            PersonRow.name,
            SeatRow.seat,
            SeatRow.left_at,
            SeatRow.place,
            SeatRow.coins,
            SeatRow.points,
            language_read(),
            SeatRow.charm,
            SeatRow.late,
            PersonRow.username,
            SeatRow.ready,
            SeatRow.hints,
        )
        .join(PersonRow, on=PersonRow.user_id == SeatRow.user_id)
        .where(SeatRow.game_id == game_id)
        .order_by(SeatRow.seat, SeatRow.id)
    )


@statement(row=Sitting)
def _in_lobby(*, game_id: str) -> Query:
    return _of(game_id).where(SeatRow.left_at == 0)


@statement(row=Sitting)
def _seated(*, game_id: str) -> Query:
    return _of(game_id).where(SeatRow.seat >= 0)


@statement(numbered=True)
def _add(*, game_id: str, user_id: int, charm: int, late: int, joined_at: int) -> Query:
    return SeatRow.insert(
        game_id=game_id, user_id=user_id, charm=charm, late=late, joined_at=joined_at
    )


@statement(row=int)
def _joinings(*, game_id: str, user_id: int) -> Query:
    return SeatRow.select(fn.COUNT(SeatRow.id)).where(
        SeatRow.game_id == game_id, SeatRow.user_id == user_id
    )


@statement
def _set_charm(*, row: int, charm: int) -> Query:
    return SeatRow.update(charm=charm).where(SeatRow.id == row)


@statement
def _ready(*, row: int) -> Query:
    return SeatRow.update(ready=1).where(SeatRow.id == row)


@statement
def _set_hints(*, row: int, hints: int) -> Query:
    return SeatRow.update(hints=hints).where(SeatRow.id == row)


@statement
def _leave(*, row: int, at: int) -> Query:
    return SeatRow.update(left_at=at).where(SeatRow.id == row)


@statement
def _number(*, row: int, seat: int) -> Query:
    return SeatRow.update(seat=seat).where(SeatRow.id == row)


@statement
def _set_result(*, place: int, coins: int, points: int, row: int) -> Query:
    return SeatRow.update(place=place, coins=coins, points=points).where(SeatRow.id == row)


@statement
def _end(*, game_id: str, at: int) -> Query:
    return SeatRow.update(ended_at=at).where(SeatRow.game_id == game_id)


@statement(row=int)
def _staked_games(*, user_id: int, start: int, end: int) -> Query:
    return (
        SeatRow.select(fn.COUNT(SeatRow.id))
        .join(GameRow, on=GameRow.id == SeatRow.game_id)
        .where(
            SeatRow.user_id == user_id,
            SeatRow.ended_at >= start,
            SeatRow.ended_at < end,
            SeatRow.seat >= 0,
            GameRow.status == "over",
            GameRow.stake > 0,
        )
    )
