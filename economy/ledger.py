"""The double-entry ledger (RULES 5): every Knuddel and point moves by a booking here.

A booking has a key its caller makes, a reason, and postings that add up to zero in every currency.
Saying the same booking twice books it once. Wallets, escrows, jackpots and the fund never fall
below zero; the mint is negative by what is in circulation. All methods run inside the caller's
transaction and leave committing to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from peewee import Database, DatabaseError, IntegrityError

from economy.database import file_problems, schema_problems, sql
from economy.models import CAP

COINS = "coins"


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
    return Account("mint", "", currency)


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

    def _sql(self, query: str, values: Sequence[object] = ()) -> Any:
        return sql(self.db, query, values)

    def book(
        self, key: str, reason: str, postings: Mapping[Account, int], *, at: int, memo: str = ""
    ) -> bool:
        """Books `postings`; True if it was new, False if this very booking stands already.

        `at` is in unix seconds. Raises `Unbalanced`, `Overdrawn` or `KeyConflict`.
        """
        wanted = {account: amount for account, amount in postings.items() if amount}
        _check(wanted)
        new = self._sql(
            "INSERT INTO bookings (key, reason, at, memo) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (key) DO NOTHING RETURNING id",
            (key, reason, at, memo),
        ).fetchone()
        if new is None:
            self._same(key, reason, wanted)
            return False
        for account in sorted(wanted):
            self._post(new[0], account, wanted[account])
        return True

    def transfer(
        self, key: str, reason: str, source: Account, target: Account, amount: int, *, at: int
    ) -> bool:
        """Moves `amount` (at least 1) from one account to another, as `book`."""
        if amount < 1:
            raise Unbalanced(f"{amount} is no amount to move")
        return self.book(key, reason, {source: -amount, target: amount}, at=at)

    def balance(self, account: Account) -> int:
        """What is in `account`; 0 for one that was never used."""
        row = self._sql(
            "SELECT balance FROM accounts WHERE kind = ? AND ref = ? AND currency = ?", account
        ).fetchone()
        return row[0] if row else 0

    def balances(self, kind: str, ref: str) -> dict[str, int]:
        """What somebody holds, by currency, zeros left out."""
        rows = self._sql(
            "SELECT currency, balance FROM accounts WHERE kind = ? AND ref = ? AND balance <> 0 "
            "ORDER BY currency",
            (kind, ref),
        )
        return dict(rows.fetchall())

    def history(
        self, kind: str, ref: str, *, limit: int, offset: int = 0
    ) -> tuple[list[Entry], int]:
        """A page of an account's entries in all its currencies, newest first, and their number."""
        where = (
            "FROM postings p JOIN accounts a ON a.id = p.account_id "
            "JOIN bookings b ON b.id = p.booking_id WHERE a.kind = ? AND a.ref = ?"
        )
        count = self._sql(f"SELECT count(*) {where}", (kind, ref)).fetchone()[0]
        rows = self._sql(
            f"SELECT b.at, b.reason, p.amount, a.currency, b.key, b.memo {where} "
            "ORDER BY p.id DESC LIMIT ? OFFSET ?",
            (kind, ref, limit, offset),
        )
        return [Entry(*row) for row in rows.fetchall()], count

    def change_since(self, kind: str, ref: str, at: int) -> dict[str, int]:
        """How much each currency of somebody's changed since `at` (unix seconds)."""
        rows = self._sql(
            "SELECT a.currency, CAST(sum(p.amount) AS BIGINT) FROM postings p "
            "JOIN accounts a ON a.id = p.account_id JOIN bookings b ON b.id = p.booking_id "
            "WHERE a.kind = ? AND a.ref = ? AND b.at >= ? GROUP BY a.currency",
            (kind, ref, at),
        )
        return dict(rows.fetchall())

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
        damage = file_problems(self.db)
        try:
            return self._audit(set(open_escrows), damage)
        except (DatabaseError, sqlite3.Error):
            if not damage:
                raise
            return Audit({}, {}, 0, 0, tuple(damage))

    def mend(self) -> list[Mended]:
        """Sets every balance to what its postings say; answers those that said something else.

        One that would be below zero or beyond the cap stays: then it is the postings that are
        wrong, and `audit` goes on naming it.
        """
        mended = []
        for row, account, balance, posted in self._accounts():
            lowest = -CAP if account.kind == "mint" else 0
            if balance != posted and lowest <= posted <= CAP:
                self._sql("UPDATE accounts SET balance = ? WHERE id = ?", (posted, row))
                mended.append(Mended(" ".join(filter(None, account)), balance, posted))
        return mended

    # -- inside -------------------------------------------------------------------------------

    def _audit(self, open_escrows: set[str], problems: list[str]) -> Audit:
        held: dict[str, dict[str, int]] = {COINS: {}}
        rows = self._sql(
            "SELECT currency, kind, CAST(sum(balance) AS BIGINT) FROM accounts "
            "GROUP BY currency, kind ORDER BY currency, kind"
        )
        for currency, kind, balance in rows.fetchall():
            held.setdefault(currency, {})[kind] = balance
        sums = {currency: sum(kinds.values()) for currency, kinds in held.items()}
        problems = problems + [
            f"{currency} add up to {s}, not 0" for currency, s in sums.items() if s
        ]
        problems += self._account_problems(open_escrows)
        problems += self._booking_problems()
        problems += schema_problems(self.db)
        bookings = self._sql("SELECT count(*) FROM bookings").fetchone()[0]
        postings = self._sql("SELECT count(*) FROM postings").fetchone()[0]
        return Audit(sums, held, bookings, postings, tuple(problems))

    def _same(self, key: str, reason: str, wanted: dict[Account, int]) -> None:
        booking, why = self._sql("SELECT id, reason FROM bookings WHERE key = ?", (key,)).fetchone()
        if why != reason or self._postings(booking) != wanted:
            raise KeyConflict(f"{key} was booked with other content")

    def _post(self, booking: int, account: Account, amount: int) -> None:
        try:
            row = (
                self._sql(
                    "UPDATE accounts SET balance = balance + ? "
                    "WHERE kind = ? AND ref = ? AND currency = ? RETURNING id",
                    (amount, *account),
                ).fetchone()
                or self._sql(
                    "INSERT INTO accounts (kind, ref, currency, balance) VALUES (?, ?, ?, ?) "
                    # Another worker may open the same account at this very moment.
                    "ON CONFLICT (kind, ref, currency) "
                    "DO UPDATE SET balance = accounts.balance + excluded.balance RETURNING id",
                    (*account, amount),
                ).fetchone()
            )
        except IntegrityError as error:
            raise Overdrawn(f"{account.kind} {account.ref}: {account.currency}") from error
        self._sql(
            "INSERT INTO postings (booking_id, account_id, amount) VALUES (?, ?, ?)",
            (booking, row[0], amount),
        )

    def _postings(self, booking: int) -> dict[Account, int]:
        rows = self._sql(
            "SELECT a.kind, a.ref, a.currency, p.amount FROM postings p "
            "JOIN accounts a ON a.id = p.account_id WHERE p.booking_id = ?",
            (booking,),
        )
        return {Account(*row[:3]): row[3] for row in rows.fetchall()}

    def _accounts(self) -> Iterator[tuple[int, Account, int, int]]:
        """Every account's row, name, balance, and what its postings add up to."""
        rows = self._sql(
            "SELECT a.id, a.kind, a.ref, a.currency, a.balance, "
            "CAST(coalesce(sum(p.amount), 0) AS BIGINT) "
            "FROM accounts a LEFT JOIN postings p ON p.account_id = a.id "
            "GROUP BY a.id ORDER BY a.id"
        )
        for row, kind, ref, currency, balance, posted in rows.fetchall():
            yield row, Account(kind, ref, currency), balance, posted

    def _account_problems(self, open_escrows: set[str]) -> Iterator[str]:
        for _, account, balance, posted in self._accounts():
            kind, ref, _ = account
            name = " ".join(filter(None, account))
            if balance != posted:
                yield f"{name} holds {balance}, its postings say {posted}"
            if balance < 0 and kind != "mint":
                yield f"{name} is below zero: {balance}"
            if kind == "escrow" and balance and ref not in open_escrows:
                yield f"{name} of a finished game still holds {balance}"

    def _booking_problems(self) -> Iterator[str]:
        rows = self._sql(
            "SELECT b.key, a.currency, CAST(sum(p.amount) AS BIGINT) FROM bookings b "
            "JOIN postings p ON p.booking_id = b.id JOIN accounts a ON a.id = p.account_id "
            "GROUP BY b.id, a.currency HAVING sum(p.amount) <> 0 ORDER BY b.id, a.currency"
        )
        for key, currency, total in rows.fetchall():
            yield f"booking {key} is off by {total} {currency}"
        empty = self._sql(
            "SELECT key FROM bookings WHERE id NOT IN (SELECT booking_id FROM postings) ORDER BY id"
        )
        for (key,) in empty.fetchall():
            yield f"booking {key} has no postings"


def _check(postings: Mapping[Account, int]) -> None:
    sums: dict[str, int] = {}
    for (_, _, currency), amount in postings.items():
        if not -CAP <= amount <= CAP:
            raise Unbalanced(f"{amount} is beyond the cap of {CAP}")
        sums[currency] = sums.get(currency, 0) + amount
    if not postings or any(sums.values()):
        raise Unbalanced(f"the postings add up to {sums}, not 0")
