"""The ledger against plain sqlite3: the same rows in the same tables, on the same disk.

Once with a commit each, whose waits for the disk count; and in processor time, all in one
transaction, or a transaction for as many as the ledger has callers. What lies between those two is
SQLite's: at each commit it writes the pages that were changed, for 256 bookings nearly two a
booking. Plain sqlite3 takes five statements for a booking.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import economy
from economy import database, schema
from economy.audit import prove
from economy.ledger import Ledger, mint, wallet
from tgbot.database import folder
from tgbot.hall.sqlite_clerk import SqliteClerk

PEOPLE = 1000
HELD = 10**9
CALLERS = (1, 256)
ROUNDS = 16
ROUND_S = 0.15


@dataclass(frozen=True)
class Pace:
    """Bookings a second, and a booking's processor time in µs."""

    a_second: float
    cpu_us: float


@dataclass(frozen=True)
class Round:
    """Measured one after the other; disks are in a mood, so in many rounds."""

    plain: Pace
    grouped: Pace
    """Plain sqlite3, a commit for as many as the ledger has callers at most."""
    together: Pace
    """Plain sqlite3, all in one transaction."""
    ledger: dict[int, Pace]
    """By the number of callers."""


class _Watch:
    """Measures what is booked from its making on."""

    def __init__(self) -> None:
        self._began, self._busy = time.perf_counter(), time.process_time()

    @property
    def over(self) -> bool:
        """Whether a round's time is over."""
        return time.perf_counter() - self._began >= ROUND_S

    def pace(self, booked: int) -> Pace:
        """How fast so many bookings were."""
        took, busy = time.perf_counter() - self._began, time.process_time() - self._busy
        return Pace(booked / took, 1e6 * busy / booked)


def measure(path: Path, rounds: int = ROUNDS) -> list[Round]:
    """The ledger with few and many callers beside plain sqlite3."""
    url = f"sqlite:///{path}"
    db = database.connect(url)
    schema.migrate(db, folder(economy) / "migrations", "economy")
    with db.atomic():
        opening = {wallet(person): HELD for person in range(PEOPLE)}
        Ledger(db).book("opening", "gift", {mint(): -HELD * PEOPLE, **opening}, at=1)
    db.close()
    keys = (f"bench:{number}" for number in itertools.count())
    measured = [
        Round(
            _plain(path, keys, 1),
            _plain(path, keys, CALLERS[-1]),
            _plain(path, keys, None),
            {n: asyncio.run(_ledger(url, keys, n)) for n in CALLERS},
        )
        for _ in range(rounds)
    ]
    db = database.connect(url)
    if problems := prove(db).problems:
        raise RuntimeError(f"the books are wrong: {problems}")
    db.close()
    return measured


def _pairs() -> Iterator[tuple[int, int]]:
    """Who pays whom: everybody in turn, never oneself."""
    return ((n % PEOPLE, (n * 7 + 3) % PEOPLE) for n in itertools.count() if (n * 6 + 3) % PEOPLE)


def _plain(path: Path, keys: Iterator[str], a_commit: int | None) -> Pace:
    """No layer in between; a commit for so many, or for all."""
    db = sqlite3.connect(path, isolation_level=None)
    for name, value in database.PRAGMAS.items():
        db.execute(f"PRAGMA {name} = {value}")
    pairs, booked, watch = _pairs(), 0, _Watch()
    while not (booked and watch.over):
        source, target = next(pairs)
        if not db.in_transaction:
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
        booked += 1
        if a_commit and booked % a_commit == 0:
            db.execute("COMMIT")
    if db.in_transaction:
        db.execute("COMMIT")
    pace = watch.pace(booked)
    db.close()
    return pace


async def _ledger(url: str, keys: Iterator[str], callers: int) -> Pace:
    """So many callers, each of whom waits for its booking to be durable before the next."""
    db = database.connect(url)
    db.close()  # the clerk's thread opens its own connection
    ledger, clerk, pairs = Ledger(db), SqliteClerk(db), _pairs()
    clerk.start()
    booked, watch = 0, _Watch()

    def booking(key: str, source: int, target: int) -> Callable[[], bool]:
        ends = wallet(source), wallet(target)
        return lambda: ledger.transfer(key, "stake", *ends, 1, at=2)

    async def caller() -> None:
        nonlocal booked
        while not (booked and watch.over):
            await clerk.run(booking(next(keys), *next(pairs)))
            booked += 1

    await asyncio.gather(*(caller() for _ in range(callers)))
    pace = watch.pace(booked)
    await clerk.stop()
    return pace
