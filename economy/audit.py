"""The proof of the books; balances that lie are set to what their postings say.

Bookings are never changed here; a balance is a cache of its postings (see `ledger.py`).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from peewee import JOIN, Case, Database, DatabaseError, Expression, Field, fn

from economy.database import file_problems, is_sqlite
from economy.ledger import COINS, MINT, Account, Unbalanced, correct
from economy.models import CAP, AccountRow, BookingRow, PostingRow
from economy.schema import schema_problems
from economy.transactions import snapshot

BOOKINGS_AT_ONCE = 10_000
ACCOUNTS_AT_ONCE = 1000

OnStep = Callable[[int, int], None]
"""Is called with how much is done, of how much."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A balance that was set to what its postings say: whose, as in `wallet 11 coins`."""

    account: str
    was: int
    now: int


@dataclass(frozen=True, slots=True)
class Audit:
    """What the ledger's own books say about it; `problems` is empty when all is well.

    `sums` add up every account of a currency, `held` those of each kind.
    """

    sums: dict[str, int]
    held: dict[str, dict[str, int]]
    bookings: int
    postings: int
    problems: tuple[str, ...]


def prove(db: Database, open_escrows: Iterable[str] = ()) -> Audit:
    """Proves the books: sums, signs, balances against postings, escrows, schema, file.

    `open_escrows` are the games that may hold stakes: every other escrow must be empty. Of a
    damaged file that cannot be read to its end it says no more than that.
    """
    with _damage_told(db) as found:
        _slice_of_accounts(db, found, 0, None, open_escrows)
        _slice_of_bookings(db, found, 0, None)
        _sums(db, found)
    return found.audit()


def prove_in_slices(
    db: Database,
    open_escrows: Callable[[], Iterable[str]],
    on_step: OnStep = lambda done, of: None,
) -> Audit:
    """As `prove`, in many short moments: no log of writes piles up behind a long one.

    For a connection that is in no transaction. A booking changes its postings and balances
    together, so every account is proved by the moment in which it is read; what came since the
    beginning is proved in the last one. `on_step` is called with how much is done, of how much.
    PostgreSQL has no such log, and is read in one moment.
    """
    if not is_sqlite(db):
        with snapshot(db):
            return prove(db, open_escrows())
    with _damage_told(db) as found:
        bookings = BookingRow.select(fn.MAX(BookingRow.id)).scalar(db) or 0
        accounts = AccountRow.select(fn.MAX(AccountRow.id)).scalar(db) or 0
        of = bookings + accounts
        for last in range(0, accounts, ACCOUNTS_AT_ONCE):
            with snapshot(db):
                until = min(last + ACCOUNTS_AT_ONCE, accounts)
                _slice_of_accounts(db, found, last, until, open_escrows())
            on_step(until, of)
        for last in range(0, bookings, BOOKINGS_AT_ONCE):
            with snapshot(db):
                until = min(last + BOOKINGS_AT_ONCE, bookings)
                _slice_of_bookings(db, found, last, until)
            on_step(accounts + until, of)
        with snapshot(db):
            _slice_of_accounts(db, found, accounts, None, open_escrows())
            _slice_of_bookings(db, found, bookings, None)
            _sums(db, found)
    return found.audit()


def mend(db: Database) -> list[Mended]:
    """Sets every balance to what its postings say; answers those that said something else.

    One that would be below zero or beyond the cap stays: then it is the postings that are
    wrong, and `prove` goes on naming it. Raises `Unbalanced` while a booking is: then nobody
    knows whether its postings or a balance are right.
    """
    found = _Found([])
    _slice_of_bookings(db, found, 0, None)
    if off := [problem for problem in found.problems if " is off by " in problem]:
        raise Unbalanced("; ".join(off))
    mended = []
    for row, account, balance, posted in _accounts(db):
        if balance != posted and 0 <= posted <= CAP:
            correct(db, row, posted)
            mended.append(Mended(" ".join(filter(None, account)), balance, posted))
    return mended


# -- inside -------------------------------------------------------------------------------------


@dataclass
class _Found:
    """What an audit has found so far."""

    damage: list[str]
    problems: list[str] = field(default_factory=list)
    held: dict[str, dict[str, int]] = field(default_factory=lambda: {COINS: {}})
    minted: Counter[str] = field(default_factory=Counter)
    bookings: int = 0
    postings: int = 0

    @property
    def sums(self) -> list[tuple[str, int]]:
        """What all accounts of each currency add up to."""
        return [(currency, sum(kinds.values())) for currency, kinds in self.held.items()]

    def forget(self) -> None:
        """Keeps nothing but the damage."""
        self.problems, self.held, self.minted = [], {}, Counter()
        self.bookings = self.postings = 0

    def audit(self) -> Audit:
        """The whole of it."""
        problems = (*self.damage, *self.problems)
        return Audit(dict(self.sums), self.held, self.bookings, self.postings, problems)


@contextlib.contextmanager
def _damage_told(db: Database) -> Iterator[_Found]:
    """Of a damaged file that cannot be read to its end no more is told than that."""
    found = _Found(file_problems(db))
    try:
        yield found
    except (DatabaseError, sqlite3.Error):
        if not found.damage:
            raise
        found.forget()


def _sums(db: Database, found: _Found) -> None:
    """What is held of each currency, where, and whether it adds up; and the schema."""
    kinds = (AccountRow.currency, AccountRow.kind)
    query = AccountRow.select(*kinds, fn.SUM(AccountRow.balance).cast("BIGINT"))
    query = query.group_by(*kinds).order_by(*kinds)
    for currency, kind, balance in query.tuples().execute(db):
        found.held.setdefault(currency, {})[kind] = (
            found.minted[currency] if kind == MINT else balance
        )
    off = [f"{currency} add up to {total}, not 0" for currency, total in found.sums if total]
    found.problems[:0] = off
    found.problems += schema_problems(db)


def _accounts(db: Database, *where: Expression) -> Iterator[tuple[int, Account, int, int]]:
    """The row, name and balance of every account but the mint, and what its postings say."""
    posted = fn.COALESCE(fn.SUM(PostingRow.amount), 0).cast("BIGINT")
    query = (
        AccountRow.select(AccountRow, posted)
        .join(PostingRow, JOIN.LEFT_OUTER)
        .where(AccountRow.kind != MINT, *where)
        .group_by(AccountRow.id)
        .order_by(AccountRow.id)
    )
    for row, kind, ref, currency, balance, total in query.tuples().execute(db):
        yield row, Account(kind, ref, currency), balance, total


def _slice_of_accounts(
    db: Database, found: _Found, after: int, until: int | None, open_escrows: Iterable[str]
) -> None:
    """The accounts whose number is above `after`, up to `until`, each against its postings."""
    open_now: set[str] | None = None
    for _, account, balance, posted in _accounts(db, *_between(AccountRow.id, after, until)):
        kind, ref, _ = account
        name = " ".join(filter(None, account))
        if balance != posted:
            found.problems.append(f"{name} holds {balance}, its postings say {posted}")
        if balance < 0:
            found.problems.append(f"{name} is below zero: {balance}")
        if kind == "escrow" and balance:
            open_now = set(open_escrows) if open_now is None else open_now
            if ref not in open_now:
                found.problems.append(f"{name} of a finished game still holds {balance}")


def _slice_of_bookings(db: Database, found: _Found, after: int, until: int | None) -> None:
    """The bookings whose number is above `after`, up to `until`: each must add up."""
    total, number = fn.SUM(PostingRow.amount).cast("BIGINT"), fn.COUNT(PostingRow.id)
    minted = fn.SUM(Case(None, [(AccountRow.kind == MINT, PostingRow.amount)], 0))
    which = _between(PostingRow.booking, after, until)
    sums = PostingRow.select(AccountRow.currency, minted.cast("BIGINT"), number)
    sums = sums.join(AccountRow).where(*which).group_by(AccountRow.currency)
    for currency, amount, postings in sums.tuples().execute(db):
        found.minted[currency] += amount
        found.postings += postings
    which = _between(BookingRow.id, after, until)
    found.bookings += BookingRow.select().where(*which).count(db)
    off = (
        BookingRow.select(BookingRow.key, AccountRow.currency, total)
        .join(PostingRow)
        .join(AccountRow)
        .where(*which)
        .group_by(BookingRow.id, AccountRow.currency)
        .having(fn.SUM(PostingRow.amount) != 0)
        .order_by(BookingRow.id, AccountRow.currency)
    )
    for key, currency, amount in off.tuples().execute(db):
        found.problems.append(f"booking {key} is off by {amount} {currency}")
    posted = PostingRow.select(PostingRow.id).where(PostingRow.booking == BookingRow.id)
    empty = BookingRow.select(BookingRow.key).where(*which, ~fn.EXISTS(posted))
    for (key,) in empty.order_by(BookingRow.id).tuples().execute(db):
        found.problems.append(f"booking {key} has no postings")


def _between(number: Field, after: int, until: int | None) -> list[Expression]:
    return [number > after] if until is None else [number > after, number <= until]
