"""Best lists: results by value, the earlier first where equal, over periods of the wall clock.

A day, month or year is the operator's, computed from their time zone, so that a clock change makes
one of 23 or 25 hours and never two or none (RULES 1.7).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from peewee import Database

Period = Literal["day", "month", "year"]
PERIODS: tuple[Period, ...] = ("day", "month", "year")


@dataclass(frozen=True, slots=True)
class Best:
    """One line of a list: whose, how much, how it came about, when (unix seconds)."""

    ref: str
    value: int
    note: str
    at: int


def bounds(period: Period, at: float, zone: ZoneInfo) -> tuple[int, int]:
    """The first second of the period that holds `at`, and the first one after it."""
    local = datetime.fromtimestamp(at, zone)
    year, month, day = local.year, local.month, local.day
    if period == "day":
        start = datetime(year, month, day, tzinfo=zone)
        end = datetime.fromordinal(start.toordinal() + 1).replace(tzinfo=zone)
    elif period == "month":
        start = datetime(year, month, 1, tzinfo=zone)
        end = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone)
    else:
        start = datetime(year, 1, 1, tzinfo=zone)
        end = datetime(year + 1, 1, 1, tzinfo=zone)
    return int(start.timestamp()), int(end.timestamp())


class TopLists:
    """The best lists in one database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def _sql(self, query: str, values: tuple[object, ...]) -> Any:
        return self.db.execute_sql(query, values)

    def enter(
        self, board: str, best: Best, *, place: str, source: str, counted: bool = True
    ) -> None:
        """Writes a result into the list `board`: made in group `place`, in game `source`."""
        self._sql(
            "INSERT INTO bests (board, ref, place, source, value, note, at, counted) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (board, best.ref, place, source, best.value, best.note, best.at, int(counted)),
        )

    def top(self, board: str, start: int, end: int, *, limit: int = 10) -> list[Best]:
        """The counted results of a period (unix seconds, `end` excluded), best first."""
        rows = self._sql(
            "SELECT ref, value, note, at FROM bests WHERE board = ? AND at >= ? AND at < ? "
            "AND counted = 1 ORDER BY value DESC, at, id LIMIT ?",
            (board, start, end, limit),
        )
        return [Best(*row) for row in rows.fetchall()]

    def own(self, board: str, ref: str) -> Best | None:
        """The best counted result of one person."""
        row = self._sql(
            "SELECT ref, value, note, at FROM bests WHERE board = ? AND ref = ? AND counted = 1 "
            "ORDER BY value DESC, at, id LIMIT 1",
            (board, ref),
        ).fetchone()
        return Best(*row) if row else None
