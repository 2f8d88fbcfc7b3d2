"""A real PostgreSQL for the tests that need one, from its wheel; one server a session."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import peewee
import psycopg
import pytest

try:
    # It asks for a runtime folder, in which it keeps nothing.
    with warnings.catch_warnings(action="ignore"):
        import pgserver
        from pgserver._commands import pg_ctl
except ImportError:  # there is no wheel of it for Python 3.13 and later
    pgserver = None

TRUNCATE = (
    "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables "
    "WHERE schemaname = 'public' AND tablename NOT LIKE '%%_migrations'"
)
MEMORY = Path("/dev/shm")
ROOM = 2**30
_numbers = count(1)


class Server:
    """A PostgreSQL server in `folder`, at the same address however often it is started."""

    def __init__(self, folder: Path) -> None:
        if pgserver is None:
            pytest.skip("no PostgreSQL: its wheel is for Python 3.11 and 3.12")
        with warnings.catch_warnings(action="ignore"):
            self._server = pgserver.get_server(folder)
        self.url: str = self._server.get_uri()

    @property
    def pid(self) -> int:
        """The process all others of the server come from."""
        return int((Path(self._server.pgdata) / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        """Starts it again."""
        self._server.ensure_postgres_running()

    def stop(self, mode: str = "fast") -> None:
        """Stops it as an operator does, or `immediate` as a crash."""
        its = self._server
        pg_ctl(["-w", "-m", mode, "stop"], pgdata=its.pgdata, user=its.system_user)

    def end(self) -> None:
        """Stops it for good."""
        self._server.cleanup()


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """A server with an empty database, in memory where there is room: each is 300 files."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    # Not below pytest's own folder: every session that starts takes other users' rights to it.
    where = MEMORY if roomy else None
    with tempfile.TemporaryDirectory(prefix="dicehall-postgres-", dir=where) as folder:
        it = Server(Path(folder))
        try:
            yield it
        finally:
            it.end()


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The URL of the empty database of a `server`."""
    with server() as it:
        yield it.url


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A server for the whole session, see `serving`."""
    with serving() as url:
        yield url


@contextlib.contextmanager
def database(server: str, template: str = "/template1") -> Iterator[str]:
    """The URL of a database of its own, gone after the block: a copy of the one at `template`.

    Nobody may be connected to that one.
    """
    name, copied = f"house{next(_numbers)}", urlsplit(template).path[1:]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {copied}")
        try:
            yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def empty(db: peewee.Database) -> None:
    """Takes everything out of a migrated database, as nothing but a replica may."""
    tables = db.execute_sql(TRUNCATE).fetchone()[0]
    if tables:
        with db.atomic():
            db.execute_sql("SET LOCAL session_replication_role = replica")
            db.execute_sql(f"TRUNCATE {tables} RESTART IDENTITY")
