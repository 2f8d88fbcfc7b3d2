"""What is in circulation and where, what comes and goes by day, and who owns most of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from peewee import Database

from economy.best_lists import bounds
from economy.database import sql
from economy.ledger import COINS

MOST_DAYS = 3660
PLACES = ("wallet", "escrow", "jackpot", "fund")
BY_GAMES = "game"
"""The reason of the bookings that pay what a game brought."""


@dataclass(frozen=True, slots=True)
class Day:
    """One day of one currency: what the mint gave and took, and what games paid to players.

    `start` is its first second, `date` as the operator's calendar has it.
    """

    date: str
    start: int
    new: int = 0
    gone: int = 0
    paid: int = 0


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody's coins and their share of all coins in circulation, from 0 to 1."""

    ref: str
    coins: int
    share: float


@dataclass(frozen=True, slots=True)
class Supply:
    """The circulation of every currency by place, its days (oldest first), and the richest."""

    circulation: Mapping[str, int]
    held: Mapping[str, Mapping[str, int]]
    days: Mapping[str, Sequence[Day]]
    richest: Sequence[Owner]

    @property
    def richest_share(self) -> float:
        """The share of the richest together, from 0 to 1."""
        return sum(owner.share for owner in self.richest)


def supply(db: Database, now: int, zone: tzinfo, *, days: int = 7, richest: int = 10) -> Supply:
    """The report as of `now` (unix seconds), with the last `days` days of the calendar in `zone`.

    Raises ValueError for fewer than one day or more than `MOST_DAYS`.
    """
    if not 1 <= days <= MOST_DAYS:
        raise ValueError(f"1 to {MOST_DAYS} days")
    held: dict[str, dict[str, int]] = {COINS: dict.fromkeys(PLACES, 0)}
    rows = sql(
        db,
        "SELECT currency, kind, CAST(sum(balance) AS BIGINT) FROM accounts WHERE kind <> 'mint' "
        "GROUP BY currency, kind ORDER BY currency, kind",
    )
    for currency, kind, balance in rows.fetchall():
        held.setdefault(currency, dict.fromkeys(PLACES, 0))[kind] = balance
    circulation = {currency: sum(places.values()) for currency, places in held.items()}
    return Supply(
        circulation,
        held,
        _days(db, tuple(held), _calendar(now, zone, days)),
        _richest(db, circulation[COINS], richest),
    )


def _calendar(now: int, zone: tzinfo, days: int) -> list[tuple[str, int, int]]:
    """Date, first second and end of each day, oldest first."""
    start, end = bounds("day", now, zone)
    calendar = []
    for _ in range(days):
        date = datetime.fromtimestamp(start, zone).date().isoformat()
        calendar.append((date, start, end))
        start, end = bounds("day", start - 1, zone)
    return calendar[::-1]


def _days(
    db: Database, currencies: Sequence[str], calendar: Sequence[tuple[str, int, int]]
) -> dict[str, list[Day]]:
    whole = ", ".join("(CAST(? AS BIGINT), CAST(? AS BIGINT))" for _ in calendar)
    rows = sql(
        db,
        f"WITH days (first, past) AS (VALUES {whole}) "
        "SELECT d.first, a.currency, "
        "CAST(sum(CASE WHEN a.kind = 'mint' AND p.amount < 0 THEN -p.amount ELSE 0 END) "
        "AS BIGINT), "
        "CAST(sum(CASE WHEN a.kind = 'mint' AND p.amount > 0 THEN p.amount ELSE 0 END) "
        "AS BIGINT), "
        "CAST(sum(CASE WHEN a.kind = 'wallet' AND p.amount > 0 AND b.reason = ? "
        "THEN p.amount ELSE 0 END) AS BIGINT) "
        # CROSS JOIN has SQLite go by the days, and not through all there ever was for each of them.
        "FROM days d CROSS JOIN bookings b CROSS JOIN postings p CROSS JOIN accounts a "
        "WHERE b.at >= d.first AND b.at < d.past AND p.booking_id = b.id "
        "AND a.id = p.account_id AND a.kind IN ('mint', 'wallet') GROUP BY d.first, a.currency",
        (*(second for _, start, end in calendar for second in (start, end)), BY_GAMES),
    )
    found = {(row[0], row[1]): row[2:] for row in rows.fetchall()}
    return {
        currency: [
            Day(date, start, *found.get((start, currency), (0, 0, 0)))
            for date, start, _ in calendar
        ]
        for currency in currencies
    }


def _richest(db: Database, circulation: int, number: int) -> list[Owner]:
    rows = sql(
        db,
        "SELECT ref, balance FROM accounts WHERE kind = 'wallet' AND currency = ? "
        "AND balance > 0 ORDER BY balance DESC, ref LIMIT ?",
        (COINS, number),
    )
    return [Owner(ref, coins, coins / circulation) for ref, coins in rows.fetchall()]
