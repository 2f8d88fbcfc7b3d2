"""Every compiled statement (ARCHITECTURE, Peewee speaks) on SQLite and on PostgreSQL."""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import re
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from peewee import Database, Query, SqliteDatabase
from playhouse.postgres_ext import Psycopg3Database

import economy
import tgbot
from economy.database import connect, is_sqlite, shut
from economy.models import AccountRow
from economy.postgres import Server
from economy.statements import Statement, registered, statement
from economy.trust import Unsaved, trusting
from tests.postgres import database
from tgbot.config import Settings
from tgbot.database import open_database

GROWING = {
    "games", "showings", "people", "seats", "moves", "postings", "bookings", "bests", "accounts",
    "tallies",
    "days", "attempts", "peers",
}  # fmt: skip
SHORT = {"games_one_a_topic", "showings_behind"}
"""Indexes of nothing but open games, and boards that are behind."""


def statements() -> tuple[Statement[..., object], ...]:
    """Those of the product: all its modules are imported for it."""
    for package in (economy, tgbot):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__") and ".migrations" not in module.name:
                importlib.import_module(module.name)
    return tuple(it for it in registered() if it.name.startswith(("economy.", "tgbot.")))


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database with the whole schema and nothing in it."""
    if request.param == "sqlite":
        made = open_database(Settings(_env_file=None, database=f"sqlite:///{tmp_path}/hall.db"))
        yield made
        made.close()
        return
    with database(request.getfixturevalue("postgres")) as url:
        made = open_database(Settings(_env_file=None, database=url))
        yield made
        shut(made)


def plan(db: Database, text: str, slots: list[str]) -> list[str]:
    """What EXPLAIN says of a statement, with whatever values."""
    if is_sqlite(db):
        rows = db.execute_sql(f"EXPLAIN QUERY PLAN {text}", [None] * len(slots))
        return [row[3] for row in rows.fetchall()]
    numbers = iter(range(1, len(slots) + 1))
    numbered = re.sub("%s", lambda _: f"${next(numbers)}", text)
    return [row[0] for row in db.execute_sql(f"EXPLAIN (GENERIC_PLAN) {numbered}").fetchall()]


def test_every_statement_is_understood_by_both_databases(db: Database) -> None:
    found = statements()

    for it in found:
        plan(db, *it.compiled(db))
    assert len({it.name for it in found}) == len(found) >= 10


def test_no_statement_goes_through_what_grows_with_history(db: Database) -> None:
    scanned = {it.name: found for it in statements() if (found := scans(db, *it.compiled(db)))}

    assert scanned == {}


def scans(db: Database, text: str, slots: list[str]) -> list[str]:
    """The tables that grow with history and would be read from end to end, by EXPLAIN."""
    tables = {alias: table for table, alias in re.findall(r'"(\w+)" AS "(\w+)"', text)}
    if is_sqlite(db):
        found = (re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", it)
                 for it in plan(db, text, slots))  # fmt: skip
        read = {tables.get(it[1], it[1]) for it in found if it and it[2] not in SHORT}
    else:
        with db.atomic():
            # However few rows there are: what it still goes through, no index would spare it.
            db.execute_sql("SET LOCAL enable_seqscan = off")
            lines = plan(db, text, slots)
        read = {it[1] for line in lines if (it := re.search(r"Seq Scan on (\w+)", line))}
    return sorted(read & GROWING)


def test_the_text_has_its_constants_and_the_slots_in_their_order() -> None:
    @statement(row=int, lock="skip")
    def it(*, ref: str, at_least: int) -> Query:
        return AccountRow.select(AccountRow.balance).where(
            AccountRow.balance >= at_least, AccountRow.kind == "it's", AccountRow.ref == ref
        )

    text, slots = it.compiled(SqliteDatabase(None))
    elsewhere, _ = it.compiled(Psycopg3Database(None))

    assert slots == ["at_least", "ref"]
    assert "\"kind\" = 'it''s'" in text
    assert elsewhere == text.replace("?", "%s") + " FOR UPDATE SKIP LOCKED"


WORDS = r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|PRAGMA|CREATE|ALTER|DROP|SAVEPOINT) [a-zA-Z_*]"
ITS_OWN_WORDS = {
    "economy/database.py",
    "economy/schema.py",
    "economy/transactions.py",
    "tgbot/operator/backup.py",  # copies files, which need no models
    "tgbot/soak/life.py",
    "tgbot/soak/promises.py",
    "tgbot/soak/rows.py",  # both look at the tables without the product's own queries
    "tgbot/soak/run.py",
}


def test_queries_are_peewees_and_no_strings() -> None:
    root = Path(economy.__file__).parents[1]
    files = [file for name in ("economy", "tgbot") for file in (root / name).rglob("*.py")]
    found = {
        str(file.relative_to(root))
        for file in files
        for it in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(it, ast.Constant) and isinstance(it.value, str) and re.match(WORDS, it.value)
        and file.parent.name != "migrations"
    }  # fmt: skip

    assert found <= ITS_OWN_WORDS


def test_values_go_to_their_slots_by_name(db: Database) -> None:
    @statement
    def add(*, kind: str, ref: str, coins: int) -> Query:
        return AccountRow.insert(kind=kind, ref=ref, currency="coins", balance=coins)

    @statement(row=int)
    def held(*, ref: str, kind: str) -> Query:
        return AccountRow.select(AccountRow.balance).where(
            AccountRow.kind == kind, AccountRow.ref == ref
        )

    assert add.run(db, coins=7, ref="11", kind="wallet") == 1

    assert held.one(db, kind="wallet", ref="11") == 7
    assert held.all(db, kind="wallet", ref="12") == []
    assert held.one(db, kind="jackpot", ref="11") is None
    with pytest.raises(KeyError):
        held.one(db, kind="wallet")


def test_many_rows_are_written_at_once_and_counted(db: Database) -> None:
    @statement
    def add(*, coins: int, ref: str) -> Query:
        return AccountRow.insert(kind="wallet", ref=ref, currency="coins", balance=coins)

    @statement
    def lift(*, ref: str, coins: int) -> Query:
        return AccountRow.update(balance=AccountRow.balance + coins).where(AccountRow.ref == ref)

    rows = [(7, "11"), (9, "12")]
    assert add.many(db, rows) == 2
    assert lift.many(db, [("11", 1), ("12", 2), ("13", 3)]) == 2
    assert lift.many(db, []) == 0
    query = AccountRow.select(AccountRow.ref, AccountRow.balance).order_by(AccountRow.ref)
    assert [*query.tuples().execute(db)] == [("11", 8), ("12", 11)]


@statement
def _open(*, ref: str) -> Query:
    return AccountRow.insert(kind="wallet", ref=ref, currency="coins", balance=0)


@statement
def _lift(*, ref: str, coins: int) -> Query:
    return AccountRow.update(balance=AccountRow.balance + coins).where(AccountRow.ref == ref)


@statement(row=int)
def _held(*, ref: str) -> Query:
    return AccountRow.select(AccountRow.balance).where(AccountRow.ref == ref)


def test_what_is_written_later_is_there_for_the_next_question_and_after_the_commit(
    db: Database,
) -> None:
    with trusting(), db.atomic():
        _open.later(db, ref="11")
        assert _lift.likely(db, 1, ref="11", coins=3) == 1
        assert _held.one(db, ref="11") == 3
        _lift.later(db, ref="11", coins=4)
        assert _open.many(db, [("12",), ("13",)]) == 2
        _lift.later(db, ref="12", coins=5)

    assert [_held.one(db, ref=ref) for ref in ("11", "12", "13")] == [7, 5, 0]


def test_what_was_asked_ahead_is_asked_anew_once_something_is_written(db: Database) -> None:
    with trusting(), db.atomic():
        _open.later(db, ref="11")
        _held.ahead(db, ref="11")
        _held.ahead(db, ref="12")
        assert (_held.one(db, ref="11"), _held.one(db, ref="12")) == (0, None)
        for write in (_lift.run, _lift.later):
            _held.ahead(db, ref="11")
            _held.ahead(db, ref="12")
            before = _held.one(db, ref="12")
            write(db, ref="11", coins=4)
            assert (before, _held.one(db, ref="11")) == (None, 4 if write == _lift.run else 8)
        _held.ahead(db, ref="11")
    _lift.run(db, ref="11", coins=1)

    assert _held.one(db, ref="11") == 9


def test_trust_that_was_misplaced_undoes_all_of_the_transaction(postgres: str) -> None:
    with database(postgres) as url:
        db = open_database(Settings(_env_file=None, database=url))

        def wrong(misplaced: Callable[[], object], look: Callable[[], object]) -> None:
            with trusting(), db.atomic():
                _open.later(db, ref="11")
                misplaced()
                look()

        there_already = partial(_open.later, db, ref="11")
        not_there = partial(_lift.likely, db, 1, ref="12", coins=1)
        for misplaced in (there_already, not_there):
            for look in (partial(_held.one, db, ref="11"), int):
                with pytest.raises(Unsaved):
                    wrong(misplaced, look)
                assert _held.one(db, ref="11") is None
                assert not db.in_transaction()

        with db.atomic():
            assert _lift.likely(db, 1, ref="12", coins=1) == 0
        shut(db)


def test_an_insert_answers_the_number_of_its_row_or_that_there_is_none(db: Database) -> None:
    @statement(numbered=True)
    def add(*, ref: str) -> Query:
        row = AccountRow.insert(kind="wallet", ref=ref, currency="coins", balance=0)
        names = [AccountRow.kind, AccountRow.ref, AccountRow.currency]
        return row.on_conflict("NOTHING", conflict_target=names)

    first, second = add.one(db, ref="11"), add.one(db, ref="12")

    assert add.one(db, ref="11") is None
    query = AccountRow.select(AccountRow.id, AccountRow.ref).order_by(AccountRow.ref)
    assert [*query.tuples().execute(db)] == [(first, "11"), (second, "12")]


def test_a_connection_that_is_gone_is_kept_by_nothing(postgres: str) -> None:
    db = connect(postgres)
    assert isinstance(db, Server)
    gone = []
    for _ in range(2):
        db.connect(reuse_if_open=True)
        assert db.execute_compiled("SELECT $1::bigint", (7,)).fetchall() == [(7,)]
        gone.append(weakref.ref(db.connection()))
        shut(db)
        gc.collect()

    assert [one() for one in gone] == [None, None]


def test_a_percent_sign_in_a_constant_is_refused_where_it_would_be_a_mark() -> None:
    @statement
    def it(*, ref: str) -> Query:
        return AccountRow.select().where(AccountRow.kind == "100 %", AccountRow.ref == ref)

    with pytest.raises(ValueError, match="percent"):
        it.compiled(Psycopg3Database(None))
