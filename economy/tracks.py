"""How balances came to be what they are: one owner's over time, and everybody's day by day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import accumulate
from typing import Any

from peewee import Database

from economy.best_lists import bounds
from economy.database import sql
from economy.ledger import COINS

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
    row = sql(
        db,
        "SELECT max(p.id) FROM postings p JOIN accounts a ON a.id = p.account_id "
        "WHERE a.kind = ? AND a.ref = ?",
        (kind, ref),
    ).fetchone()
    return row[0] or 0


def tracks(db: Database, kind: str, ref: str) -> dict[str, Track]:
    """The balances of one owner over time, by currency."""
    among = (
        "FROM postings p JOIN accounts a ON a.id = p.account_id "
        "JOIN bookings b ON b.id = p.booking_id WHERE a.kind = ? AND a.ref = ?"
    )
    first, last = sql(db, f"SELECT min(b.at), max(b.at) {among}", (kind, ref)).fetchone()
    if first is None:
        return {}
    width = max(1, -(-(last - first + 1) // MOST_POINTS))
    rows = sql(
        db,
        f"SELECT a.currency, max(b.at), CAST(sum(p.amount) AS BIGINT) {among} "
        f"GROUP BY a.currency, b.at / {width} ORDER BY a.currency, max(b.at)",
        (kind, ref),
    ).fetchall()
    found: dict[str, list[tuple[int, int]]] = {}
    for currency, at, change in rows:
        found.setdefault(currency, []).append((at, change))
    return {currency: _track(changes) for currency, changes in found.items()}


def rank(db: Database, currency: str, balance: int) -> tuple[int, int]:
    """The place of a wallet with `balance` among those that hold the currency, and their number.

    Those who hold the same share a place.
    """
    row = sql(
        db,
        "SELECT count(CASE WHEN balance > ? THEN 1 END) + 1, count(*) FROM accounts "
        "WHERE kind = 'wallet' AND currency = ? AND balance > 0",
        (balance, currency),
    ).fetchone()
    return row[0], row[1]


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
    held |= dict(
        sql(
            db,
            "SELECT kind, CAST(sum(balance) AS BIGINT) FROM accounts "
            "WHERE currency = ? AND kind <> 'mint' GROUP BY kind",
            (currency,),
        ).fetchall()
    )
    rows: list[Any] = sql(
        db,
        f"SELECT a.kind, b.at / {QUARTER_S}, CAST(sum(p.amount) AS BIGINT) FROM bookings b "
        "JOIN postings p ON p.booking_id = b.id JOIN accounts a ON a.id = p.account_id "
        "WHERE b.at >= ? AND a.currency = ? AND a.kind <> 'mint' "
        f"GROUP BY a.kind, b.at / {QUARTER_S}",
        (ends[0], currency),
    ).fetchall()
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
