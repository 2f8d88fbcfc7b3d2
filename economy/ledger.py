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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from peewee import Database, Expression, IntegrityError, Query, fn

from economy.models import CAP, AccountRow, BookingRow, PostingRow
from economy.statements import statement

COINS = "coins"
MINT = "mint"


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


@lru_cache(4096)
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


_Posting = tuple[int, str, str, str]
"""How much is added to the account of this kind, whose, and in which currency."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an account's history: when (unix seconds), why, how much, for what."""

    at: int
    reason: str
    amount: int
    currency: str
    key: str
    memo: str


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
        wanted = [(n, *account) for account, n in sorted(postings.items()) if n]
        return self._book(key, reason, wanted, at, memo)

    def transfer(
        self, key: str, reason: str, source: Account, target: Account, amount: int, *, at: int
    ) -> bool:
        """Moves `amount` (at least 1) from one account to another, as `book`."""
        if amount < 1 or source == target:
            raise Unbalanced(f"{amount} from {source} to {target} moves nothing")
        pair = [(-amount, *source), (amount, *target)]
        return self._book(key, reason, pair if source < target else pair[::-1], at, "")

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

    # -- inside -------------------------------------------------------------------------------

    def _book(self, key: str, reason: str, wanted: Sequence[_Posting], at: int, memo: str) -> bool:
        """Books postings that are sorted: so two bookings wait for each other only in one way."""
        _check(wanted)
        booking = _add_booking.one(self.db, key=key, reason=reason, at=at, memo=memo)
        if booking is None:
            self._same(key, reason, wanted)
            return False
        if _post.many(self.db, [(booking, *posting) for posting in wanted]) < len(wanted):
            self._open(booking, wanted)
        try:
            _add.many(self.db, [posting for posting in wanted if posting[1] != MINT])
        except IntegrityError as error:
            raise Overdrawn(f"{key}: an account below zero, or beyond the cap") from error
        return True

    def _same(self, key: str, reason: str, wanted: Sequence[_Posting]) -> None:
        stands = _booked.one(self.db, key=key)
        assert stands, key
        booking, why = stands
        if why != reason or {*_postings.all(self.db, booking=booking)} != {*wanted}:
            raise KeyConflict(f"{key} was booked with other content")

    def _open(self, booking: int, wanted: Sequence[_Posting]) -> None:
        """Posts what had no account until now; another worker may open it at this very moment."""
        posted = {*_postings.all(self.db, booking=booking)}
        missing = [posting for posting in wanted if posting not in posted]
        _open.many(self.db, [posting[1:] for posting in missing])
        written = _post.many(self.db, [(booking, *posting) for posting in missing])
        assert written == len(missing), wanted


def _check(postings: Sequence[_Posting]) -> None:
    sums: dict[str, int] = {}
    for amount, _, _, currency in postings:
        if not -CAP <= amount <= CAP:
            raise Unbalanced(f"{amount} is beyond the cap of {CAP}")
        sums[currency] = sums.get(currency, 0) + amount
    if not postings or any(sums.values()):
        raise Unbalanced(f"the postings add up to {sums}, not 0")


def correct(db: Database, row: int, balance: int) -> None:
    """Sets the balance of an account to what its postings say, where it was tampered with."""
    AccountRow.update(balance=balance).where(AccountRow.id == row).execute(db)


# -- statements --------------------------------------------------------------------------------


@statement(numbered=True)
def _add_booking(*, key: str, reason: str, at: int, memo: str) -> Query:
    """The number of a new booking; none where the key was used before."""
    return BookingRow.insert(key=key, reason=reason, at=at, memo=memo).on_conflict(
        "NOTHING", conflict_target=[BookingRow.key]
    )


@statement
def _booked(*, key: str) -> Query:
    """Number and reason of the booking that has a key."""
    return BookingRow.select(BookingRow.id, BookingRow.reason).where(BookingRow.key == key)


@statement
def _post(*, booking: int, amount: int, kind: str, ref: str, currency: str) -> Query:
    """A posting to an account by its name; none where it was never opened."""
    what = AccountRow.select(booking, AccountRow.id, amount).where(_is(kind, ref, currency))
    into = [PostingRow.booking, PostingRow.account, PostingRow.amount]
    return PostingRow.insert_from(what, into)


@statement
def _open(*, kind: str, ref: str, currency: str) -> Query:
    """An account with nothing in it, where there is none."""
    return AccountRow.insert(kind=kind, ref=ref, currency=currency, balance=0).on_conflict(
        "NOTHING", conflict_target=[AccountRow.kind, AccountRow.ref, AccountRow.currency]
    )


@statement
def _add(*, amount: int, kind: str, ref: str, currency: str) -> Query:
    """Adds to a balance, which stays within its limits or raises IntegrityError."""
    return AccountRow.update({AccountRow.balance: AccountRow.balance + amount}).where(
        _is(kind, ref, currency)
    )


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
    """The postings of a booking."""
    return (
        PostingRow.select(PostingRow.amount, AccountRow.kind, AccountRow.ref, AccountRow.currency)
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
