"""Transactions: savepoints, moments to read in, and how long they wait for each other."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager

import peewee
from peewee import Database

from economy.database import is_sqlite
from economy.postgres import Server
from economy.trust import Unsaved, trusts


def _written(db: Database) -> int:
    """How many rows this connection has written."""
    return db.written if isinstance(db, Server) else int(db.connection().total_changes)


def aborted(db: Database) -> bool:
    """Whether the transaction under way can only be undone: PostgreSQL's, after any error."""
    return isinstance(db, Server) and not db.sound


def undoable(db: Database) -> AbstractContextManager[None]:
    """What is written inside is undone if something is raised: a savepoint (see `trust`)."""
    return _Trusted(db) if trusts() else _savepoint(db)


class _Trusted(AbstractContextManager[None]):
    """A class, since every use case is in one: a generator would take as long as a statement."""

    __slots__ = ("_db", "_written")

    def __init__(self, db: Database) -> None:
        self._db = db
        self._written = _written(db)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is None or isinstance(error, peewee.OperationalError):
            return  # nothing of this transaction can be kept
        if aborted(self._db) or _written(self._db) != self._written:
            raise Unsaved from error


@contextlib.contextmanager
def _savepoint(db: Database) -> Iterator[None]:
    """Peewee gives each a new name, and then each is a new statement that SQLite has to read."""
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


@contextlib.contextmanager
def beside(db: Database) -> Iterator[None]:
    """A connection for a thread of one's own, and one moment to read in: nobody waits for it."""
    with db.connection_context(), snapshot(db):
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


def claimed(db: Database, numbers: Collection[int]) -> set[int]:
    """Those of these numbers that no other transaction has; they are this one's until it ends."""
    if not numbers or is_sqlite(db):
        return {*numbers}
    free = "SELECT n FROM unnest(%s::bigint[]) AS n WHERE pg_try_advisory_xact_lock(n)"
    return {n for (n,) in db.execute_sql(free, ([*numbers],)).fetchall()}


def claim(db: Database, number: int) -> None:
    """Makes a number the transaction's own; waits for one that has it, as for a lock."""
    if not is_sqlite(db):
        db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (number,))


def passing(error: Exception) -> bool:
    """Whether PostgreSQL says that a lock took too long, or does not answer: it may do so soon."""
    cause = error.__cause__ or error.__context__ or error
    code = getattr(cause, "sqlstate", None) or ""
    return isinstance(error, peewee.OperationalError) and (
        code in ("", "55P03") or code[:2] in ("08", "57")
    )


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
