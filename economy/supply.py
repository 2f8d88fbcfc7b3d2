"""What is in circulation and where, what comes and goes by day, and who owns most of it."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from peewee import Case, ColumnBase, Database, Expression, fn

from economy.best_lists import bounds
from economy.ledger import COINS
from economy.models import AccountRow, BookingRow, PostingRow
from economy.tracks import QUARTER_S

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
    places = (AccountRow.currency, AccountRow.kind)
    query = AccountRow.select(*places, fn.SUM(AccountRow.balance).cast("BIGINT"))
    query = query.where(AccountRow.kind != "mint").group_by(*places).order_by(*places)
    for currency, kind, balance in query.tuples().execute(db):
        held.setdefault(currency, dict.fromkeys(PLACES, 0))[kind] = balance
    circulation = {currency: sum(by_kind.values()) for currency, by_kind in held.items()}
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
    quarter = (BookingRow.at / QUARTER_S).alias("quarter")
    amount, is_mint = PostingRow.amount, AccountRow.kind == "mint"
    is_paid = (AccountRow.kind == "wallet") & (BookingRow.reason == BY_GAMES)
    query = (
        BookingRow.select(
            quarter,
            AccountRow.currency,
            _sum(is_mint & (amount < 0), amount * -1),
            _sum(is_mint & (amount > 0), amount),
            _sum(is_paid & (amount > 0), amount),
        )
        .join(PostingRow)
        .join(AccountRow)
        .where(BookingRow.at >= calendar[0][1], BookingRow.at < calendar[-1][2])
        .where(AccountRow.kind.in_(("mint", "wallet")))
        .group_by(quarter, AccountRow.currency)
    )
    starts = [start for _, start, _ in calendar]
    found: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for part, currency, *amounts in query.tuples().execute(db):
        day = found[bisect(starts, part * QUARTER_S) - 1, currency]
        day[:] = map(sum, zip(day, amounts, strict=True))
    return {
        currency: [
            Day(date, start, *found[n, currency]) for n, (date, start, _) in enumerate(calendar)
        ]
        for currency in currencies
    }


def _sum(which: Expression, amount: ColumnBase) -> ColumnBase:
    return fn.SUM(Case(None, [(which, amount)], 0)).cast("BIGINT")


def _richest(db: Database, circulation: int, number: int) -> list[Owner]:
    query = (
        AccountRow.select(AccountRow.ref, AccountRow.balance)
        .where(AccountRow.kind == "wallet", AccountRow.currency == COINS, AccountRow.balance > 0)
        .order_by(AccountRow.balance.desc(), AccountRow.ref)
        .limit(number)
    )
    rows = query.tuples().execute(db)
    return [Owner(ref, coins, coins / circulation) for ref, coins in rows]
