"""How balances came to be what they are: one owner's over time, and everybody's day by day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import accumulate
from typing import Any

from peewee import Case, Database, ModelSelect, fn

from economy.best_lists import bounds
from economy.ledger import COINS
from economy.models import AccountRow, BookingRow, PostingRow

MOST_POINTS = 600
"""A track longer than this is thinned out; what is left is exact."""
QUARTER_S = 900
"""No time zone's midnight lies between two of these."""


@dataclass(frozen=True, slots=True)
class Track:
    """What somebody held from each of `times` (unix seconds, ascending) until the next."""

    times: tuple[int, ...]
    held: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """What the wallets, escrows, jackpots and the fund held at the end of each day.

    `ends` are the ends of the days in unix seconds, the last one being now; `held` has for every
    kind of account one balance a day.
    """

    ends: tuple[int, ...]
    held: Mapping[str, tuple[int, ...]]


def newest(db: Database, kind: str, ref: str) -> int:
    """The number of the newest posting of an owner: as long as it stays, so do their tracks."""
    owned = (AccountRow.kind == kind, AccountRow.ref == ref)
    query = PostingRow.select(fn.MAX(PostingRow.id)).join(AccountRow).where(*owned)
    return query.scalar(db) or 0


def tracks(db: Database, kind: str, ref: str) -> dict[str, Track]:
    """The balances of one owner over time, by currency."""

    def among(*columns: Any) -> ModelSelect[PostingRow]:
        joined = PostingRow.select(*columns).join(AccountRow).switch(PostingRow).join(BookingRow)
        return joined.where(AccountRow.kind == kind, AccountRow.ref == ref).tuples()

    last_at = fn.MAX(BookingRow.at)
    ((first, last),) = among(fn.MIN(BookingRow.at), last_at).execute(db)
    if first is None:
        return {}
    width = max(1, -(-(last - first + 1) // MOST_POINTS))
    changes = among(AccountRow.currency, last_at, fn.SUM(PostingRow.amount).cast("BIGINT"))
    changes = changes.group_by(AccountRow.currency, BookingRow.at / width)
    found: dict[str, list[tuple[int, int]]] = {}
    for currency, at, change in changes.order_by(AccountRow.currency, last_at).execute(db):
        found.setdefault(currency, []).append((at, change))
    return {currency: _track(changes) for currency, changes in found.items()}


def rank(db: Database, currency: str, balance: int) -> tuple[int, int]:
    """The place of a wallet with `balance` among those that hold the currency, and their number.

    Those who hold the same share a place.
    """
    richer = fn.COUNT(Case(None, [(AccountRow.balance > balance, 1)]))
    query = AccountRow.select(richer, fn.COUNT(AccountRow.id)).where(
        AccountRow.kind == "wallet", AccountRow.currency == currency, AccountRow.balance > 0
    )
    ((ahead, number),) = query.tuples().execute(db)
    return ahead + 1, number


def places(
    db: Database, now: int, zone: tzinfo, *, days: int = 90, currency: str = COINS
) -> Places:
    """Where a currency was at the end of each of the last `days` days, today's being now.

    Reads every booking of these days: for an operator, not for a press.
    """
    start, _ = bounds("day", now, zone)
    ends = [now]
    while len(ends) < days:
        ends.append(start)
        start, _ = bounds("day", start - 1, zone)
    ends.reverse()
    held = dict.fromkeys(("wallet", "escrow", "jackpot", "fund"), 0)
    ours = (AccountRow.currency == currency, AccountRow.kind != "mint")
    now_held = AccountRow.select(AccountRow.kind, fn.SUM(AccountRow.balance).cast("BIGINT"))
    held |= dict(now_held.where(*ours).group_by(AccountRow.kind).tuples().execute(db))
    quarter = (BookingRow.at / QUARTER_S).alias("quarter")
    changes = (
        BookingRow.select(AccountRow.kind, quarter, fn.SUM(PostingRow.amount).cast("BIGINT"))
        .join(PostingRow)
        .join(AccountRow)
        .where(BookingRow.at >= ends[0], *ours)
        .group_by(AccountRow.kind, quarter)
    )
    rows = list(changes.tuples().execute(db))
    return Places(tuple(ends), {kind: _backwards(rows, kind, held[kind], ends) for kind in held})


def _track(changes: Sequence[tuple[int, int]]) -> Track:
    return Track(tuple(at for at, _ in changes), tuple(accumulate(change for _, change in changes)))


def _backwards(rows: Sequence[Any], kind: str, held: int, ends: Sequence[int]) -> tuple[int, ...]:
    """Today's balance, and before it those of the days it came from."""
    since = sorted((quarter * QUARTER_S, change) for k, quarter, change in rows if k == kind)
    balances = [held]
    for end in reversed(ends[:-1]):
        while since and since[-1][0] >= end:
            held -= since.pop()[1]
        balances.append(held)
    return tuple(reversed(balances))
