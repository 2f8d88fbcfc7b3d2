"""Best lists: results by value, the earlier first where equal, over periods of the wall clock.

A day, month or year is the operator's, computed from their time zone, so that a clock change makes
one of 23 or 25 hours and never two or none (RULES 1.7).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any, Literal, get_args

from peewee import Database

from economy.database import sql

Period = Literal["day", "week", "month", "year", "all"]
FOREVER = 2**62


@dataclass(frozen=True, slots=True)
class Best:
    """One line of a list: whose, how much, how, when (unix seconds), and in which group."""

    ref: str
    value: int
    note: str
    at: int
    place: str = ""


@dataclass(frozen=True, slots=True)
class Bonus:
    """Whose result leads a period of a list, from which day on, until when (unix seconds)."""

    board: str
    period: Period
    day: str
    ends: int
    best: Best

    @property
    def key(self) -> str:
        """What its booking is known by, such as `bonus:fifty.over:day:2027-01-14`."""
        return f"bonus:{self.board}:{self.period}:{self.day}"


def is_period(name: str) -> Period:
    """`name` as a period. Raises ValueError for anything else."""
    for period in get_args(Period):
        if period == name:
            return period  # type: ignore[no-any-return]
    raise ValueError(f"{name!r} is no period")


def bounds(period: Period, at: float, zone: tzinfo) -> tuple[int, int]:
    """The first second of the period that holds `at`, and the first one after it.

    Weeks begin on Monday; `all` has no bounds.
    """
    if period == "all":
        return 0, FOREVER
    local = datetime.fromtimestamp(at, zone)
    today = datetime(local.year, local.month, local.day)  # noqa: DTZ001 - the wall's own day
    if period == "day":
        start, end = today, today + timedelta(days=1)
    elif period == "week":
        start = today - timedelta(days=today.weekday())
        end = start + timedelta(days=7)
    elif period == "month":
        start = today.replace(day=1)
        end = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    else:
        start = today.replace(month=1, day=1)
        end = start.replace(year=start.year + 1)
    return (
        int(start.replace(tzinfo=zone).timestamp()),
        int(end.replace(tzinfo=zone).timestamp()),
    )


class TopLists:
    """The best lists in one database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def _sql(self, query: str, values: tuple[object, ...]) -> Any:
        return sql(self.db, query, values)

    def enter(self, board: str, best: Best, *, source: str, counted: bool = True) -> None:
        """Writes a result of game `source` into the list `board`."""
        self._sql(
            "INSERT INTO bests (board, ref, place, source, value, note, at, counted) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (board, best.ref, best.place, source, best.value, best.note, best.at, int(counted)),
        )

    def top(
        self,
        board: str,
        start: int,
        end: int,
        *,
        limit: int = 10,
        offset: int = 0,
        place: str | None = None,
    ) -> list[Best]:
        """The results of a period (unix seconds, `end` excluded), best first.

        Those of group `place`, or the counted ones of all groups.
        """
        where, values = ("place = ?", (place,)) if place is not None else ("counted = 1", ())
        rows = self._sql(
            "SELECT ref, value, note, at, place FROM bests WHERE board = ? AND at >= ? AND at < ? "
            f"AND {where} ORDER BY value DESC, at, id LIMIT ? OFFSET ?",
            (board, start, end, *values, limit, offset),
        )
        return [Best(*row) for row in rows.fetchall()]

    def own(self, board: str, ref: str) -> Best | None:
        """The best counted result of one person."""
        row = self._sql(
            "SELECT ref, value, note, at, place FROM bests "
            "WHERE board = ? AND ref = ? AND counted = 1 ORDER BY value DESC, at, id LIMIT 1",
            (board, ref),
        ).fetchone()
        return Best(*row) if row else None

    def ahead(self, board: str, value: int, at: int, start: int, end: int) -> int:
        """How many results of a period rank before `value` made at `at`."""
        row = self._sql(
            "SELECT count(*) FROM bests WHERE board = ? AND at >= ? AND at < ? "
            "AND (value > ? OR (value = ? AND at <= ?))",
            (board, start, end, value, value, at),
        ).fetchone()
        return int(row[0])

    def entered(self, board: str, ref: str, source: str) -> bool:
        """Whether somebody's result of one game is in the list."""
        row = self._sql(
            "SELECT 1 FROM bests WHERE board = ? AND ref = ? AND source = ?", (board, ref, source)
        ).fetchone()
        return row is not None

    # -- bonuses ------------------------------------------------------------------------------

    def unpaid(self, board: str, period: Period, now: int, zone: tzinfo) -> Bonus | None:
        """The earliest period with a counted result that had no bonus yet, over or not.

        Where the clock went back, or the time zone changed, a day that had its bonus gets no other.
        """
        since = self._paid_until(board, period, now)
        while (at := self._counted_from(board, since)) is not None:
            start, end = bounds(period, at, zone)
            day = str(datetime.fromtimestamp(start, zone).date())
            if not self._paid(board, period, day):
                best = self.top(board, max(start, since), end, limit=1)[0]
                return Bonus(board, period, day, end, best)
            since = end
        return None

    def pay(self, bonus: Bonus, coins: int) -> None:
        """Notes that a period has got its bonus, of no coins where none is set."""
        board = bonus.board
        self._sql(
            "INSERT INTO bonuses (board, period, day, ends, ref, value, coins) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (board, bonus.period, bonus.day, bonus.ends, bonus.best.ref, bonus.best.value, coins),
        )

    def _paid_until(self, board: str, period: Period, now: int) -> int:
        row = self._sql(
            "SELECT max(ends) FROM bonuses WHERE board = ? AND period = ? AND ends <= ?",
            (board, period, now),
        ).fetchone()
        return row[0] or 0

    def _paid(self, board: str, period: Period, day: str) -> bool:
        row = self._sql(
            "SELECT 1 FROM bonuses WHERE board = ? AND period = ? AND day = ?", (board, period, day)
        ).fetchone()
        return row is not None

    def _counted_from(self, board: str, since: int) -> int | None:
        row = self._sql(
            "SELECT min(at) FROM bests WHERE board = ? AND at >= ? AND counted = 1", (board, since)
        ).fetchone()
        return row[0] if row else None
