"""The ledger against plain sqlite3: the same rows in the same tables, on the same disk."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import economy
from economy import database
from economy.ledger import Ledger, mint, wallet
from tgbot.database import folder
from tgbot.hall.clerk import Clerk

PEOPLE = 1000
HELD = 10**9
CALLERS = (1, 256)
ROUNDS = 20
ROUND_S = 0.15


@dataclass(frozen=True)
class Round:
    """Bookings a second, measured one after the other; disks are in a mood, so in many rounds."""

    plain: float
    ledger: dict[int, float]
    """By the number of callers."""


def measure(path: Path) -> list[Round]:
    """The ledger with few and many callers beside plain sqlite3."""
    url = f"sqlite:///{path}"
    db = database.connect(url)
    database.migrate(db, folder(economy) / "migrations", "economy")
    with db.atomic():
        opening = {wallet(person): HELD for person in range(PEOPLE)}
        Ledger(db).book("opening", "gift", {mint(): -HELD * PEOPLE, **opening}, at=1)
    db.close()
    keys = (f"bench:{number}" for number in itertools.count())
    rounds = [
        Round(_plain(path, keys), {n: asyncio.run(_ledger(url, keys, n)) for n in CALLERS})
        for _ in range(ROUNDS)
    ]
    db = database.connect(url)
    if problems := Ledger(db).audit().problems:
        raise RuntimeError(f"the books are wrong: {problems}")
    db.close()
    return rounds


def _pairs() -> Iterator[tuple[int, int]]:
    """Who pays whom: everybody in turn, never oneself."""
    return ((n % PEOPLE, (n * 7 + 3) % PEOPLE) for n in itertools.count() if (n * 6 + 3) % PEOPLE)


def _plain(path: Path, keys: Iterator[str]) -> float:
    """One caller, one commit each, no layer in between."""
    db = sqlite3.connect(path, isolation_level=None)
    for name, value in database.PRAGMAS.items():
        db.execute(f"PRAGMA {name} = {value}")
    pairs, booked, began = _pairs(), 0, time.perf_counter()
    while time.perf_counter() - began < ROUND_S:
        source, target = next(pairs)
        db.execute("BEGIN IMMEDIATE")
        booking = db.execute(
            "INSERT INTO bookings (key, reason, at, memo) VALUES (?, 'stake', 2, '')", (next(keys),)
        ).lastrowid
        for person, amount in ((source, -1), (target, 1)):
            (account,) = db.execute(
                "UPDATE accounts SET balance = balance + ? "
                "WHERE kind = 'wallet' AND ref = ? AND currency = 'coins' RETURNING id",
                (amount, str(person)),
            ).fetchone()
            db.execute(
                "INSERT INTO postings (booking_id, account_id, amount) VALUES (?, ?, ?)",
                (booking, account, amount),
            )
        db.execute("COMMIT")
        booked += 1
    rate = booked / (time.perf_counter() - began)
    db.close()
    return rate


async def _ledger(url: str, keys: Iterator[str], callers: int) -> float:
    """So many callers, each of whom waits for its booking to be durable before the next."""
    db = database.connect(url)
    db.close()  # the clerk's thread opens its own connection
    ledger, clerk, pairs = Ledger(db), Clerk(db), _pairs()
    clerk.start()
    booked, began = 0, time.perf_counter()

    def booking(key: str, source: int, target: int) -> Callable[[], bool]:
        ends = wallet(source), wallet(target)
        return lambda: ledger.transfer(key, "stake", *ends, 1, at=2)

    async def caller() -> None:
        nonlocal booked
        while time.perf_counter() - began < ROUND_S:
            await clerk.run(booking(next(keys), *next(pairs)))
            booked += 1

    await asyncio.gather(*(caller() for _ in range(callers)))
    rate = booked / (time.perf_counter() - began)
    await clerk.stop()
    return rate
