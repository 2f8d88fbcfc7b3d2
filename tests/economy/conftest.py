"""A migrated SQLite file for every test, copied from one that is made once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from peewee import Database

import economy
from economy.db import connect, migrate
from economy.ledger import Ledger

MIGRATIONS = Path(economy.__file__).parent / "migrations"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema and nothing in it."""
    path = tmp_path_factory.mktemp("migrated") / "empty.db"
    db = connect(f"sqlite:///{path}")
    migrate(db, MIGRATIONS, "economy")
    db.close()
    return path


@pytest.fixture
def db(migrated: Path, tmp_path: Path) -> Iterator[Database]:
    """An open database of its own, as the bot opens it."""
    path = shutil.copy(migrated, tmp_path / "house.db")
    db = connect(f"sqlite:///{path}")
    yield db
    db.close()


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
