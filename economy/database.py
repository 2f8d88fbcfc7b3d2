"""The database from its URL, its migrations, and what must be true of its schema."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import peewee
from peewee import Database, DatabaseError, InterfaceError, OperationalError, SqliteDatabase
from playhouse import db_url
from playhouse.pool import MaxConnectionsExceeded, PooledDatabase

from economy.postgres import Server

BUSY_TIMEOUT_S = 30

WAL_MOST = 16 * 1024 * 1024
"""To so many bytes the WAL shrinks again once a long reader has let it grow."""
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "journal_size_limit": WAL_MOST,
    "foreign_keys": 1,
    "recursive_triggers": 1,
    "secure_delete": 1,  # what was erased is to be in no free space of the file
}

POOL = {"max_connections": 40, "stale_timeout": 300, "timeout": BUSY_TIMEOUT_S}
"""Connections to PostgreSQL: one a thread, with room for tools beside."""

SESSION = {
    "lock_timeout": "500ms",
    "statement_timeout": "30s",
    "idle_in_transaction_session_timeout": "10s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
"""What PostgreSQL does for a session: it waits for no lock for long, and a session that is lost
keeps its own for seconds. See `patiently` and `unhurried` for what may take longer."""

ALIVE = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""How soon a connection whose other end is gone is known to be dead, in seconds and ms."""


class File(SqliteDatabase):
    """A SQLite file that may have run out of room."""

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        """As Peewee's, without the log and the hooks: they take as long as a small statement."""
        return self.execute_compiled(sql, params or ())

    def execute_compiled(self, text: str, values: Sequence[object]) -> sqlite3.Cursor:
        """The same, for a statement that is run again and again."""
        try:
            cursor: sqlite3.Cursor = Database.connection(self).execute(text, values)
        except sqlite3.Error as error:
            raise _peewees(error) from error
        return cursor

    def execute_many(self, text: str, rows: Iterable[Sequence[object]]) -> int:
        """The same for each of `rows`, whose values it takes; answers how many rows that wrote."""
        try:
            return int(Database.connection(self).executemany(text, rows).rowcount)
        except sqlite3.Error as error:
            raise _peewees(error) from error

    def rollback(self) -> None:
        """Rolls back. A full disk has SQLite do so by itself; again would fail, and hide why."""
        if Database.connection(self).in_transaction:
            super().rollback()


db_url.register_database(File, "sqlite")
db_url.register_database(Server, "postgresql+pool")


def _peewees(error: sqlite3.Error) -> DatabaseError:
    """As which Peewee raises an error of the driver."""
    kind: type[DatabaseError] = getattr(peewee, type(error).__name__, DatabaseError)
    return kind(error, *error.args)


class Unreadable(Exception):
    """The database cannot be used; the message says why in one line."""


class Damaged(Unreadable):
    """The schema has lost what `schema_problems` and `lacking` ask for; `problems` are these."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class Ruined(Unreadable):
    """The file itself is damaged; nothing but a backup helps."""


class Newer(Unreadable):
    """The database was made by a newer version, which the message names."""


class Unreachable(Unreadable):
    """No PostgreSQL answers at the address, or it lets nobody in; the message has its words."""


class Missing(Unreadable):
    """There is no database, or an empty one; the message says how to make one."""


class Older(Unreadable):
    """The database was not brought up to date yet; the message says how to do that."""


class Stuck(Unreadable):
    """The database cannot be brought up to date, and was left as it was; the message says why."""


def connect(url: str, *, read_only: bool = False) -> Database:
    """The open database at `url` (`sqlite:///dicehall.db`). Raises `Unreadable`.

    One to read only is never made, nor a byte of it changed.
    """
    parsed = urlparse(url)
    try:
        if parsed.scheme == "sqlite":
            path = parsed.path[1:]
            if path in ("", ":memory:"):
                raise Unreadable("memory keeps nothing")
            if not Path(path).resolve().parent.is_dir():
                raise Unreadable(f"there is no folder for {path}")
            if Path(path).is_dir():
                raise Unreadable(f"{path} is a folder")
            if read_only:
                return _connect_to_read(Path(path).resolve())
            new = not Path(path).exists()
            db: Database = db_url.connect(
                url, pragmas=PRAGMAS, lock_type="IMMEDIATE", timeout=BUSY_TIMEOUT_S
            )
        elif parsed.scheme in ("postgresql", "postgres"):
            address = url.partition("://")[2]
            session = " ".join(f"-c {name}={value}" for name, value in SESSION.items())
            more = {**POOL, **ALIVE, "prepare_threshold": None}
            db = db_url.connect(f"postgresql+pool://{address}", **more, options=session)
            new = False
        else:
            raise Unreadable(f"{parsed.scheme or url!r} is no database this version can open")
        db.connect(reuse_if_open=True)
        probe = "SELECT count(*) FROM sqlite_master" if is_sqlite(db) else "SELECT 1"
        db.execute_sql(probe).fetchone()
        if new:
            give_to_folders_owner(Path(path))
    except (DatabaseError, sqlite3.Error, TypeError, ValueError, RuntimeError) as error:
        kind = Ruined if "malformed" in str(error) else Unreadable
        if parsed.scheme in ("postgresql", "postgres"):
            kind = Unreachable
        raise kind(str(error) or type(error).__name__) from error
    return db


def give_to_folders_owner(file: Path) -> None:
    """Gives a file that root made to whom its folder belongs: a bot that is not root opens it."""
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):
            owner = file.parent.stat()
            os.chown(file, owner.st_uid, owner.st_gid)


def shut(db: Database) -> None:
    """Closes a database, the connections it keeps at hand included."""
    db.close()
    if isinstance(db, PooledDatabase):
        db.close_all()


def stay_connected(db: Database) -> None:
    """Connects this thread, for as long as it runs; anew where the server has hung up.

    A pool asks the server at every checkout whether it is there, which costs a round trip.
    """
    if isinstance(db, PooledDatabase) and not db.is_closed() and db.connection().closed:
        db.manual_close()
    db.connect(reuse_if_open=True)


def _connect_to_read(path: Path) -> Database:
    """A SQLite file that is only read, also where nothing may be written beside it."""
    uri = f"{path.as_uri()}?mode=ro"
    if not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        uri += "&immutable=1"  # what nobody has open needs no log beside it
    db = File(uri, uri=True, pragmas={"query_only": 1}, timeout=BUSY_TIMEOUT_S)
    db.connect()
    db.execute_sql("SELECT count(*) FROM sqlite_master").fetchone()
    return db


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite URL, by its real name; None for another kind of database."""
    parsed = urlparse(url)
    return Path(parsed.path[1:]).resolve() if parsed.scheme == "sqlite" else None


def time_of(db: Database) -> float:
    """What time it is, in unix seconds, for all who use this database."""
    if is_sqlite(db):
        return time.time()
    return float(db.execute_sql("SELECT extract(epoch FROM clock_timestamp())").fetchone()[0])


def left_open(url: str) -> bool:
    """Whether a SQLite file was left without being closed, as by a power cut: its log is there.

    To be asked before it is opened.
    """
    file = sqlite_file(url)
    log = Path(f"{file}-wal")
    return file is not None and log.exists() and log.stat().st_size > 0


def file_problems(db: Database) -> list[str]:
    """What is wrong with the pages of a SQLite file, which takes about 4 ms a megabyte.

    Empty when all is well, and for other databases. What the books say wrong is the audit's matter.
    """
    if not is_sqlite(db):
        return []
    try:
        found = [row[0] for row in db.execute_sql("PRAGMA quick_check").fetchall()]
    except (DatabaseError, sqlite3.Error) as error:
        found = [str(error)]
    books = ("ok", "CHECK constraint failed")
    return [
        f"the file is damaged ({' '.join(it.split())})" for it in found if not it.startswith(books)
    ]


def is_sqlite(db: Database) -> bool:
    """Whether `db` is a SQLite file."""
    return isinstance(db, SqliteDatabase)


def size(db: Database) -> int:
    """How large the database is, in bytes."""
    if not is_sqlite(db):
        return int(db.execute_sql("SELECT pg_database_size(current_database())").fetchone()[0])
    pages, size = (db.execute_sql(f"PRAGMA page_{it}").fetchone()[0] for it in ("count", "size"))
    return int(pages * size)


def answers(db: Database) -> bool:
    """True, unless asking raises Peewee's errors."""
    return bool(db.execute_sql("SELECT 1").fetchone())


def round_trip_s(db: Database) -> float:
    """How long a statement takes that does nothing, at best, in seconds."""
    taken = []
    with db.connection_context():
        for _ in range(20):
            began = time.perf_counter()
            answers(db)
            taken.append(time.perf_counter() - began)
    return min(taken)


def emptied_log(db: Database) -> bool:
    """Empties a SQLite file's log of changes into the file; False while somebody reads it."""
    if not is_sqlite(db):
        return True
    busy, _, _ = db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def unsynced(db: Database) -> None:
    """Waits for no disk any more: for databases that are thrown away."""
    db.execute_sql("PRAGMA synchronous = OFF")


def unavailable(error: BaseException | None) -> bool:
    """Whether the database cannot be reached or written, whatever is asked of it."""
    if error is None:
        return False
    kinds = OperationalError | InterfaceError | MaxConnectionsExceeded | sqlite3.OperationalError
    if not isinstance(error, kinds):
        return False
    # SQLite calls it the same when a statement is wrong; that one would be wrong for ever.
    cause = getattr(error, "orig", error)
    return getattr(cause, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
