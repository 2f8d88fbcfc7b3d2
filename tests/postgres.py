"""A real PostgreSQL for the tests that need one, from its wheel; one server a session."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import peewee
import pgserver
import pytest

TRUNCATE = (
    "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables "
    "WHERE schemaname = 'public' AND tablename NOT LIKE '%%_migrations'"
)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of an empty database."""
    # Not below pytest's own folder: every session that starts takes other users' rights to it.
    with tempfile.TemporaryDirectory(prefix="dicehall-postgres-") as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server = pgserver.get_server(Path(folder))
        yield server.get_uri()
        server.cleanup()


def empty(db: peewee.Database) -> None:
    """Takes everything out of a migrated database."""
    tables = db.execute_sql(TRUNCATE).fetchone()[0]
    if tables:
        db.execute_sql(f"TRUNCATE {tables} RESTART IDENTITY")
