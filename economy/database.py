"""The database from its URL, its migrations, and what must be true of its schema."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import peewee
from peewee import Database, DatabaseError, InterfaceError, OperationalError, SqliteDatabase
from playhouse import db_url
from playhouse.migrations import Runner
from playhouse.pool import MaxConnectionsExceeded, PooledDatabase

from economy.models import REFUSED

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

UPGRADE_WAIT_S = 300
UPGRADE_LOCK = int.from_bytes(b"dicehall")
"""The advisory lock of PostgreSQL under which the schema is changed."""

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
        try:
            return Database.connection(self).execute(sql, params or ())
        except sqlite3.Error as error:
            kind = getattr(peewee, type(error).__name__, DatabaseError)
            raise kind(error, *error.args) from error

    def rollback(self) -> None:
        """Rolls back. A full disk has SQLite do so by itself; again would fail, and hide why."""
        if Database.connection(self).in_transaction:
            super().rollback()


db_url.register_database(File, "sqlite")


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
            db = db_url.connect(f"psycopg3+pool://{address}", **POOL, **ALIVE, options=session)
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


class Unsaved(BaseException):
    """Something is to be undone and has no savepoint: undo the transaction, and do it again.

    No use case catches it.
    """


class _Here(threading.local):
    trusting = False


_here = _Here()


@contextlib.contextmanager
def trusting() -> Iterator[None]:
    """Inside, this thread makes no savepoints: most of them save nothing.

    Where one would have been needed, `Unsaved` is raised instead.
    """
    _here.trusting = True
    try:
        yield
    finally:
        _here.trusting = False


def _written(db: Database) -> int | None:
    """How many rows this connection has written; None where that is not known."""
    return db.connection().total_changes if is_sqlite(db) else None


@contextlib.contextmanager
def undoable(db: Database) -> Iterator[None]:
    """A savepoint: what is written inside is undone if something is raised (see `trusting`).

    Peewee gives each a new name, and then each is a new statement that SQLite has to read.
    """
    if _here.trusting:
        written = _written(db)
        try:
            yield
        except BaseException as error:
            if written is None or _written(db) != written:
                raise Unsaved from error
            raise
        return
    db.execute_sql("SAVEPOINT step")
    try:
        yield
    except BaseException:
        if not is_sqlite(db) or db.connection().in_transaction:  # else all was undone already
            db.execute_sql("ROLLBACK TO step")
            db.execute_sql("RELEASE step")
        raise
    db.execute_sql("RELEASE step")


@contextlib.contextmanager
def snapshot(db: Database) -> Iterator[None]:
    """One moment of the database, to read in; nobody is kept from writing meanwhile."""
    with db.atomic("DEFERRED") if is_sqlite(db) else db.atomic():
        if not is_sqlite(db):
            db.execute_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        unhurried(db)
        yield


def unhurried(db: Database) -> None:
    """The transaction under way may take its time: it reads much, or changes the schema."""
    if not is_sqlite(db):
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            db.execute_sql(f"SET LOCAL {setting} = 0")


def patiently(db: Database, seconds: float) -> None:
    """The transaction under way waits so long for what another one has locked."""
    if not is_sqlite(db):
        db.execute_sql(f"SET LOCAL lock_timeout = '{int(seconds * 1000)}ms'")


def passing(error: Exception) -> bool:
    """Whether PostgreSQL says that a lock took too long, or does not answer: it may do so soon."""
    cause = error.__cause__ or error.__context__ or error
    code = getattr(cause, "sqlstate", None) or ""
    return isinstance(error, peewee.OperationalError) and (
        code in ("", "55P03") or code[:2] in ("08", "57")
    )


def time_of(db: Database) -> float:
    """What time it is, in unix seconds, for all who use this database."""
    if is_sqlite(db):
        return time.time()
    return float(db.execute_sql("SELECT extract(epoch FROM clock_timestamp())").fetchone()[0])


@contextlib.contextmanager
def beside(db: Database) -> Iterator[None]:
    """A connection for a thread of one's own, and one moment to read in: nobody waits for it."""
    with db.connection_context(), snapshot(db):
        yield


@contextlib.contextmanager
def upgrading(db: Database) -> Iterator[None]:
    """One transaction in which the schema is brought up to date: all of it or nothing.

    Whoever does the same at this moment waits until it is over. Raises `Stuck`.
    """
    try:
        with _without_foreign_keys(db), db.atomic():
            unhurried(db)
            if not is_sqlite(db):
                patiently(db, UPGRADE_WAIT_S)
                db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (UPGRADE_LOCK,))
            yield
    except DatabaseError as error:
        if "malformed" in str(error):
            raise Ruined(str(error)) from error
        raise Stuck(f"it cannot be brought up to date ({error}); nothing was changed") from error


@contextlib.contextmanager
def _without_foreign_keys(db: Database) -> Iterator[None]:
    """SQLite makes a table anew to change it; within a transaction its keys cannot be left out."""
    if not is_sqlite(db):
        yield
        return
    db.execute_sql("PRAGMA foreign_keys = 0")
    try:
        yield
    finally:
        db.execute_sql("PRAGMA foreign_keys = 1")


def pending(db: Database, folder: str | os.PathLike[str], name: str) -> list[str]:
    """The migrations in `folder` that `db` has not seen."""
    rows = Runner(db, str(folder), table_name=f"{name}_migrations").status()
    return [row.name for row in rows if row.path is not None and not row.applied]


def settled(db: Database, model: type[peewee.Model]) -> int:
    """The highest number of a table's rows, below which no other will appear; 0 of an empty one.

    PostgreSQL gives numbers before it commits, so there writers are kept waiting for that moment.
    Raises `peewee.OperationalError` where one of them takes too long.
    """
    with db.atomic():
        if not is_sqlite(db):
            db.execute_sql(f'LOCK TABLE "{model._meta.table_name}" IN SHARE MODE')
        newest = model.select(peewee.fn.MAX(model._meta.primary_key)).scalar(db)
    return int(newest or 0)


def unknown(db: Database, folder: str | os.PathLike[str], name: str) -> list[str]:
    """The migrations that `db` has seen and `folder` does not hold: a newer version made them."""
    rows = Runner(db, str(folder), table_name=f"{name}_migrations").status()
    return [row.name for row in rows if row.path is None]


def migrate(db: Database, folder: str | os.PathLike[str], name: str) -> list[str]:
    """Runs the migrations in `folder` that `db` has not seen; answers their names.

    `name` keeps the histories of several folders apart. Whatever a migration did, the append-only
    triggers stand again afterwards; a table that lost STRICT raises `Damaged`, and nothing is
    changed.
    """
    with db.atomic():
        done: list[str] = Runner(db, str(folder), table_name=f"{name}_migrations").up()
        if done:
            protect(db)
        problems = schema_problems(db)
        if problems:
            raise Damaged(problems)
    return done


def protect(db: Database) -> list[str]:
    """Puts up the triggers that refuse every change of what is booked; answers what was missing."""
    missing = _missing_triggers(db)
    if not is_sqlite(db):
        db.execute_sql(
            "CREATE OR REPLACE FUNCTION only_added_to() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '%% are only added to', TG_TABLE_NAME "
            "USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
    for name, table, verb in _triggers(db):
        if is_sqlite(db):
            db.execute_sql(
                f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are only added to'); END"
            )
        else:
            db.execute_sql(
                f"CREATE OR REPLACE TRIGGER {name} BEFORE {verb} ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION only_added_to()"
            )
    return missing


def schema_problems(db: Database) -> list[str]:
    """What an altered table silently lost: triggers, and STRICT. Empty when all is well."""
    problems = [f"trigger {name} is missing" for name in _missing_triggers(db)]
    if not is_sqlite(db):
        return problems
    ours = "type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%_migrations'"
    for name, made in db.execute_sql(f"SELECT name, sql FROM sqlite_master WHERE {ours}"):
        if not made.rstrip().upper().endswith("STRICT"):
            problems.append(f"table {name} is not STRICT")
    return problems


def _missing_triggers(db: Database) -> list[str]:
    where = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if is_sqlite(db)
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
    )
    there = {row[0] for row in db.execute_sql(where).fetchall()}
    return [name for name, _, _ in _triggers(db) if name not in there]


def _triggers(db: Database) -> Iterator[tuple[str, str, str]]:
    """Name, table and verb of every trigger that must stand."""
    for table, verbs in REFUSED.items():
        if db.table_exists(table):
            for verb in verbs:
                if verb != "TRUNCATE" or not is_sqlite(db):
                    yield f"{table}_no_{verb.lower()}", table, verb


def lacking(db: Database, models: Sequence[type[peewee.Model]]) -> list[str]:
    """The tables and columns of `models` that are not there. Empty when all is well."""
    rows = db.execute_sql(
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
        if is_sqlite(db)
        else "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = current_schema()"
    )
    there: dict[str, set[str]] = {}
    for table, column in rows.fetchall():
        there.setdefault(table, set()).add(column)
    problems = []
    for meta in (model._meta for model in models):
        if meta.table_name not in there:
            problems.append(f"table {meta.table_name} is missing")
            continue
        lost = sorted(meta.columns.keys() - there[meta.table_name])
        problems += [f"column {meta.table_name}.{column} is missing" for column in lost]
    return problems


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


def emptied_log(db: Database) -> bool:
    """Empties a SQLite file's log of changes into the file; False while somebody reads it."""
    if not is_sqlite(db):
        return True
    busy, _, _ = db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def unsynced(db: Database) -> None:
    """Waits for no disk any more: for databases that are thrown away."""
    db.execute_sql("PRAGMA synchronous = OFF")


def count_on(db: Database, table: str) -> None:
    """New rows of a PostgreSQL table get numbers after the highest `id` there is."""
    sequence = db.execute_sql(f"SELECT pg_get_serial_sequence('{table}', 'id')").fetchone()[0]
    if sequence:
        db.execute_sql(f"SELECT setval('{sequence}', (SELECT max(id) FROM {table}))")


def unavailable(error: BaseException | None) -> bool:
    """Whether the database cannot be reached or written, whatever is asked of it."""
    kinds = OperationalError | InterfaceError | MaxConnectionsExceeded | sqlite3.OperationalError
    if not isinstance(error, kinds):
        return False
    # SQLite calls it the same when a statement is wrong; that one would be wrong for ever.
    cause = getattr(error, "orig", error)
    return getattr(cause, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
