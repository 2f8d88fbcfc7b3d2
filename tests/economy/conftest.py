"""Every test has a database of its own, and runs once on SQLite and once on PostgreSQL.

What is about one of the two itself is marked `only_sqlite` or `only_postgres`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from peewee import Database

from economy.database import connect, shut
from economy.ledger import Ledger
from economy.schema import migrate
from tests.economy.kinds import MIGRATIONS, Urls
from tests.postgres import database


def migrated(url: str) -> str:
    db = connect(url)
    migrate(db, MIGRATIONS, "economy")
    shut(db)
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database a test is about."""
    return str(request.param)


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the schema and nothing in it."""
    path = tmp_path_factory.mktemp("migrated") / "empty.db"
    migrated(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def template(postgres: str) -> Iterator[str]:
    """A PostgreSQL database with the schema and nothing in it."""
    with database(postgres) as url:
        yield migrated(url)


@pytest.fixture
def new(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Urls]:
    """`new()` is the URL of one more database with the schema and nothing in it."""
    if kind == "sqlite":
        empty, number = request.getfixturevalue("file"), count(1)
        yield lambda: f"sqlite:///{shutil.copy(empty, tmp_path / f'house{next(number)}.db')}"
    else:
        server, empty = (request.getfixturevalue(name) for name in ("postgres", "template"))
        with ExitStack() as stack:
            yield lambda: stack.enter_context(database(server, empty))


@pytest.fixture
def bare(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An open database without a table."""
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path}/bare.db"
        if kind == "postgres":
            url = stack.enter_context(database(request.getfixturevalue("postgres")))
        db = connect(url)
        stack.callback(shut, db)
        yield db


@pytest.fixture
def url(new: Urls) -> str:
    """The URL of the test's database."""
    return new()


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    """It, as the bot opens it."""
    db = connect(url)
    yield db
    shut(db)


@pytest.fixture
def ledger(db: Database) -> Ledger:
    """A ledger in which nothing is booked."""
    return Ledger(db)


@pytest.fixture
def rows(db: Database) -> Callable[[], dict[str, list[tuple[object, ...]]]]:
    """`rows()` is everything the ledger's tables hold."""

    def read() -> dict[str, list[tuple[object, ...]]]:
        return {
            table: db.execute_sql(f"SELECT * FROM {table} ORDER BY id").fetchall()
            for table in ("accounts", "bookings", "postings")
        }

    return read
