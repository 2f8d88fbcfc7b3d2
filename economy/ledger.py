"""The double-entry ledger (RULES 5): every Knuddel and point moves by a booking here.

A booking has a key its caller makes, a reason, and postings that add up to zero in every currency.
Saying the same booking twice books it once. Wallets, escrows, jackpots and the fund never fall
below zero; the mint is negative by what is in circulation. All methods run inside the caller's
transaction and leave committing to it.

Every account but the mint has its balance beside it, which its postings prove. The mint is what its
postings say: everybody's new money comes from there, and a balance would be a row for which all
would have to wait.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from peewee import (
    EXCLUDED,
    JOIN,
    Case,
    Database,
    DatabaseError,
    Expression,
    Field,
    IntegrityError,
    Query,
    fn,
)

from economy.database import file_problems, is_sqlite, schema_problems, snapshot
from economy.models import CAP, AccountRow, BookingRow, PostingRow
from economy.statements import statement

COINS = "coins"
MINT = "mint"
BOOKINGS_AT_ONCE = 10_000
ACCOUNTS_AT_ONCE = 1000

Told = Callable[[int, int], None]
"""Is told how much is done, of how much."""


class LedgerError(Exception):
    """A booking that must not be made; nothing was written."""


class Unbalanced(LedgerError):
    """The postings do not add up to zero, or one of them is zero or beyond the cap."""


class Overdrawn(LedgerError):
    """An account would fall below zero (or beyond the cap)."""


class KeyConflict(LedgerError):
    """The key was used before for a booking with other content."""


class Account(NamedTuple):
    """The name of an account: its kind, whose it is, and its currency."""

    kind: str
    ref: str
    currency: str = COINS


def wallet(user_id: int, currency: str = COINS) -> Account:
    """What a person owns."""
    return Account("wallet", str(user_id), currency)


def escrow(game_id: str) -> Account:
    """The stakes of one game."""
    return Account("escrow", game_id)


def jackpot(chat_id: int, currency: str = COINS) -> Account:
    """The jackpot of one chat."""
    return Account("jackpot", str(chat_id), currency)


def fund(currency: str = COINS) -> Account:
    """The Robin Hood fund."""
    return Account("fund", "", currency)


def mint(currency: str = COINS) -> Account:
    """Where money comes from: minus what is in circulation."""
    return Account(MINT, "", currency)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an account's history: when (unix seconds), why, how much, for what."""

    at: int
    reason: str
    amount: int
    currency: str
    key: str
    memo: str


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


class Ledger:
    """The ledger in one database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def book(
        self, key: str, reason: str, postings: Mapping[Account, int], *, at: int, memo: str = ""
    ) -> bool:
        """Books `postings`; True if it was new, False if this very booking stands already.

        `at` is in unix seconds. Raises `Unbalanced`, `Overdrawn` or `KeyConflict`.
        """
        wanted = {account: amount for account, amount in postings.items() if amount}
        _check(wanted)
        booking = _add_booking.one(self.db, key=key, reason=reason, at=at, memo=memo)
        if booking is None:
            self._same(key, reason, wanted)
            return False
        for account in sorted(wanted):
            post = self._mint if account.kind == MINT else self._post
            post(booking, account, wanted[account])
        return True

    def transfer(
        self, key: str, reason: str, source: Account, target: Account, amount: int, *, at: int
    ) -> bool:
        """Moves `amount` (at least 1) from one account to another, as `book`."""
        if amount < 1:
            raise Unbalanced(f"{amount} is no amount to move")
        return self.book(key, reason, {source: -amount, target: amount}, at=at)

    def balance(self, account: Account) -> int:
        """What is in `account`; 0 for one that was never used.

        The mint's is added up from all it ever gave: not for a press.
        """
        kind, ref, currency = account
        if kind == MINT:
            return _posted.one(self.db, kind=kind, ref=ref, currency=currency) or 0
        return _balance.one(self.db, kind=kind, ref=ref, currency=currency) or 0

    def balances(self, kind: str, ref: str) -> dict[str, int]:
        """What somebody holds, by currency, zeros left out."""
        return dict(_balances.all(self.db, kind=kind, ref=ref))

    def history(
        self, kind: str, ref: str, *, limit: int, offset: int = 0
    ) -> tuple[list[Entry], int]:
        """A page of an account's entries in all its currencies, newest first, and their number."""
        count = _entries.one(self.db, kind=kind, ref=ref) or 0
        page = _history.all(self.db, kind=kind, ref=ref, limit=limit, offset=offset)
        return page, count

    def change_since(self, kind: str, ref: str, at: int) -> dict[str, int]:
        """How much each currency of somebody's changed since `at` (unix seconds)."""
        return dict(_change_since.all(self.db, kind=kind, ref=ref, at=at))

    def rename(self, kind: str, old: str, new: str, *, key: str, at: int) -> None:
        """Moves everything of `old` to `new`, as when a chat's id changes."""
        held = self.balances(kind, old)
        postings: dict[Account, int] = {}
        for currency, amount in held.items():
            postings[Account(kind, old, currency)] = -amount
            postings[Account(kind, new, currency)] = amount
        if postings:
            self.book(key, "moved", postings, at=at)

    def audit(self, open_escrows: Iterable[str] = ()) -> Audit:
        """Proves the books: sums, signs, balances against postings, escrows, schema, file.

        `open_escrows` are the games that may hold stakes: every other escrow must be empty. Of a
        damaged file that cannot be read to its end it says no more than that.
        """
        with _damage_told(self.db) as found:
            self._slice_of_accounts(found, 0, None, open_escrows)
            self._slice_of_bookings(found, 0, None)
            self._sums(found)
        return found.audit()

    def audit_in_slices(
        self, open_escrows: Callable[[], Iterable[str]], told: Told = lambda done, of: None
    ) -> Audit:
        """As `audit`, in many short moments: no log of writes piles up behind a long one.

        For a connection that is in no transaction. A booking changes its postings and balances
        together, so every account is proved by the moment in which it is read; what came since the
        beginning is proved in the last one. `told` is called with how much is done, of how much.
        PostgreSQL has no such log, and is read in one moment.
        """
        if not is_sqlite(self.db):
            with snapshot(self.db):
                return self.audit(open_escrows())
        with _damage_told(self.db) as found:
            bookings = BookingRow.select(fn.MAX(BookingRow.id)).scalar(self.db) or 0
            accounts = AccountRow.select(fn.MAX(AccountRow.id)).scalar(self.db) or 0
            of = bookings + accounts
            for last in range(0, accounts, ACCOUNTS_AT_ONCE):
                with snapshot(self.db):
                    until = min(last + ACCOUNTS_AT_ONCE, accounts)
                    self._slice_of_accounts(found, last, until, open_escrows())
                told(until, of)
            for last in range(0, bookings, BOOKINGS_AT_ONCE):
                with snapshot(self.db):
                    until = min(last + BOOKINGS_AT_ONCE, bookings)
                    self._slice_of_bookings(found, last, until)
                told(accounts + until, of)
            with snapshot(self.db):
                self._slice_of_accounts(found, accounts, None, open_escrows())
                self._slice_of_bookings(found, bookings, None)
                self._sums(found)
        return found.audit()

    def mend(self) -> list[Mended]:
        """Sets every balance to what its postings say; answers those that said something else.

        One that would be below zero or beyond the cap stays: then it is the postings that are
        wrong, and `audit` goes on naming it. Raises `Unbalanced` while a booking is: then nobody
        knows whether its postings or a balance are right.
        """
        found = _Found([])
        self._slice_of_bookings(found, 0, None)
        if off := [problem for problem in found.problems if " is off by " in problem]:
            raise Unbalanced("; ".join(off))
        mended = []
        for row, account, balance, posted in self._accounts():
            if balance != posted and 0 <= posted <= CAP:
                AccountRow.update(balance=posted).where(AccountRow.id == row).execute(self.db)
                mended.append(Mended(" ".join(filter(None, account)), balance, posted))
        return mended

    # -- inside -------------------------------------------------------------------------------

    def _sums(self, found: _Found) -> None:
        """What is held of each currency, where, and whether it adds up; and the schema."""
        kinds = (AccountRow.currency, AccountRow.kind)
        query = AccountRow.select(*kinds, fn.SUM(AccountRow.balance).cast("BIGINT"))
        query = query.group_by(*kinds).order_by(*kinds)
        for currency, kind, balance in query.tuples().execute(self.db):
            found.held.setdefault(currency, {})[kind] = (
                found.minted[currency] if kind == MINT else balance
            )
        off = [f"{currency} add up to {total}, not 0" for currency, total in found.sums if total]
        found.problems[:0] = off
        found.problems += schema_problems(self.db)

    def _same(self, key: str, reason: str, wanted: dict[Account, int]) -> None:
        stands = _booked.one(self.db, key=key)
        assert stands, key
        booking, why = stands
        if why != reason or self._postings(booking) != wanted:
            raise KeyConflict(f"{key} was booked with other content")

    def _post(self, booking: int, account: Account, amount: int) -> None:
        kind, ref, currency = account
        try:
            row = _add.one(self.db, kind=kind, ref=ref, currency=currency, amount=amount)
            if row is None:
                row = _open.one(self.db, kind=kind, ref=ref, currency=currency, amount=amount)
        except IntegrityError as error:
            raise Overdrawn(f"{kind} {ref}: {currency}") from error
        assert row
        _post.run(self.db, booking=booking, account=row, amount=amount)

    def _mint(self, booking: int, account: Account, amount: int) -> None:
        """As `_post`, without a balance: no two bookings wait for each other here."""
        kind, ref, currency = account
        posting = _post_to.one(
            self.db, booking=booking, amount=amount, kind=kind, ref=ref, currency=currency
        )
        if posting is None:
            row = _open.one(self.db, kind=kind, ref=ref, currency=currency, amount=0)
            assert row
            _post.run(self.db, booking=booking, account=row, amount=amount)

    def _postings(self, booking: int) -> dict[Account, int]:
        rows = _postings.all(self.db, booking=booking)
        return {Account(*row[:3]): row[3] for row in rows}

    def _accounts(self, *where: Expression) -> Iterator[tuple[int, Account, int, int]]:
        """The row, name and balance of every account but the mint, and what its postings say."""
        posted = fn.COALESCE(fn.SUM(PostingRow.amount), 0).cast("BIGINT")
        query = (
            AccountRow.select(AccountRow, posted)
            .join(PostingRow, JOIN.LEFT_OUTER)
            .where(AccountRow.kind != MINT, *where)
            .group_by(AccountRow.id)
            .order_by(AccountRow.id)
        )
        for row, kind, ref, currency, balance, total in query.tuples().execute(self.db):
            yield row, Account(kind, ref, currency), balance, total

    def _slice_of_accounts(
        self, found: _Found, after: int, until: int | None, open_escrows: Iterable[str]
    ) -> None:
        """The accounts whose number is above `after`, up to `until`, each against its postings."""
        open_now: set[str] | None = None
        for _, account, balance, posted in self._accounts(*_between(AccountRow.id, after, until)):
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

    def _slice_of_bookings(self, found: _Found, after: int, until: int | None) -> None:
        """The bookings whose number is above `after`, up to `until`: each must add up."""
        total, number = fn.SUM(PostingRow.amount).cast("BIGINT"), fn.COUNT(PostingRow.id)
        minted = fn.SUM(Case(None, [(AccountRow.kind == MINT, PostingRow.amount)], 0))
        which = _between(PostingRow.booking, after, until)
        sums = PostingRow.select(AccountRow.currency, minted.cast("BIGINT"), number)
        sums = sums.join(AccountRow).where(*which).group_by(AccountRow.currency)
        for currency, amount, postings in sums.tuples().execute(self.db):
            found.minted[currency] += amount
            found.postings += postings
        which = _between(BookingRow.id, after, until)
        found.bookings += BookingRow.select().where(*which).count(self.db)
        off = (
            BookingRow.select(BookingRow.key, AccountRow.currency, total)
            .join(PostingRow)
            .join(AccountRow)
            .where(*which)
            .group_by(BookingRow.id, AccountRow.currency)
            .having(fn.SUM(PostingRow.amount) != 0)
            .order_by(BookingRow.id, AccountRow.currency)
        )
        for key, currency, amount in off.tuples().execute(self.db):
            found.problems.append(f"booking {key} is off by {amount} {currency}")
        posted = PostingRow.select(PostingRow.id).where(PostingRow.booking == BookingRow.id)
        empty = BookingRow.select(BookingRow.key).where(*which, ~fn.EXISTS(posted))
        for (key,) in empty.order_by(BookingRow.id).tuples().execute(self.db):
            found.problems.append(f"booking {key} has no postings")


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


def _between(number: Field, after: int, until: int | None) -> list[Expression]:
    return [number > after] if until is None else [number > after, number <= until]


def _check(postings: Mapping[Account, int]) -> None:
    sums: dict[str, int] = {}
    for (_, _, currency), amount in postings.items():
        if not -CAP <= amount <= CAP:
            raise Unbalanced(f"{amount} is beyond the cap of {CAP}")
        sums[currency] = sums.get(currency, 0) + amount
    if not postings or any(sums.values()):
        raise Unbalanced(f"the postings add up to {sums}, not 0")


# -- statements --------------------------------------------------------------------------------


@statement(row=int)
def _add_booking(*, key: str, reason: str, at: int, memo: str) -> Query:
    """The number of a new booking; none where the key was used before."""
    return (
        BookingRow.insert(key=key, reason=reason, at=at, memo=memo)
        .on_conflict("NOTHING", conflict_target=[BookingRow.key])
        .returning(BookingRow.id)
    )


@statement
def _booked(*, key: str) -> Query:
    """Number and reason of the booking that has a key."""
    return BookingRow.select(BookingRow.id, BookingRow.reason).where(BookingRow.key == key)


@statement(row=int)
def _add(*, amount: int, kind: str, ref: str, currency: str) -> Query:
    """Adds to a balance and answers the account's number; none where it was never used."""
    return (
        AccountRow.update({AccountRow.balance: AccountRow.balance + amount})
        .where(_is(kind, ref, currency))
        .returning(AccountRow.id)
    )


@statement(row=int)
def _open(*, amount: int, kind: str, ref: str, currency: str) -> Query:
    """Opens an account; another worker may open the same one at this very moment."""
    return (
        AccountRow.insert(kind=kind, ref=ref, currency=currency, balance=amount)
        .on_conflict(
            conflict_target=[AccountRow.kind, AccountRow.ref, AccountRow.currency],
            update={AccountRow.balance: AccountRow.balance + EXCLUDED.balance},
        )
        .returning(AccountRow.id)
    )


@statement
def _post(*, booking: int, account: int, amount: int) -> Query:
    return PostingRow.insert(booking=booking, account=account, amount=amount)


@statement(row=int)
def _post_to(*, booking: int, amount: int, kind: str, ref: str, currency: str) -> Query:
    """A posting to an account by its name, whose row stays as it is; none where there is none."""
    what = AccountRow.select(booking, AccountRow.id, amount).where(_is(kind, ref, currency))
    into = [PostingRow.booking, PostingRow.account, PostingRow.amount]
    return PostingRow.insert_from(what, into).returning(PostingRow.id)


@statement(row=lambda total: total or 0)
def _posted(*, kind: str, ref: str, currency: str) -> Query:
    """What the postings of an account add up to."""
    return (
        PostingRow.select(fn.SUM(PostingRow.amount).cast("BIGINT"))
        .join(AccountRow)
        .where(_is(kind, ref, currency))
    )


@statement(row=int)
def _balance(*, kind: str, ref: str, currency: str) -> Query:
    return AccountRow.select(AccountRow.balance).where(_is(kind, ref, currency))


@statement
def _balances(*, kind: str, ref: str) -> Query:
    """Currency and balance of everything an owner holds."""
    return (
        AccountRow.select(AccountRow.currency, AccountRow.balance)
        .where(AccountRow.kind == kind, AccountRow.ref == ref, AccountRow.balance != 0)
        .order_by(AccountRow.currency)
    )


@statement
def _postings(*, booking: int) -> Query:
    """The accounts and amounts of a booking."""
    return (
        PostingRow.select(AccountRow.kind, AccountRow.ref, AccountRow.currency, PostingRow.amount)
        .join(AccountRow)
        .where(PostingRow.booking == booking)
    )


@statement(row=int)
def _entries(*, kind: str, ref: str) -> Query:
    """How many postings an owner has."""
    return (
        PostingRow.select(fn.COUNT(PostingRow.id))
        .join(AccountRow)
        .where(AccountRow.kind == kind, AccountRow.ref == ref)
    )


@statement(row=Entry)
def _history(*, kind: str, ref: str, limit: int, offset: int) -> Query:
    """A page of an owner's postings, newest first."""
    return (
        PostingRow.select(
            BookingRow.at,
            BookingRow.reason,
            PostingRow.amount,
            AccountRow.currency,
            BookingRow.key,
            BookingRow.memo,
        )
        .join(AccountRow)
        .switch(PostingRow)
        .join(BookingRow)
        .where(AccountRow.kind == kind, AccountRow.ref == ref)
        .order_by(PostingRow.id.desc())
        .limit(limit)
        .offset(offset)
    )


@statement
def _change_since(*, kind: str, ref: str, at: int) -> Query:
    """By how much each currency of an owner changed since a time."""
    return (
        PostingRow.select(AccountRow.currency, fn.SUM(PostingRow.amount).cast("BIGINT"))
        .join(AccountRow)
        .switch(PostingRow)
        .join(BookingRow)
        .where(AccountRow.kind == kind, AccountRow.ref == ref, BookingRow.at >= at)
        .group_by(AccountRow.currency)
    )


def _is(kind: str, ref: str, currency: str) -> Expression:
    return (AccountRow.kind == kind) & (AccountRow.ref == ref) & (AccountRow.currency == currency)
