"""The schema: migrations, the triggers that keep the books as they are, and what may be missing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

import peewee
from peewee import Database, DatabaseError
from playhouse.migrations import Runner

from economy.database import Damaged, Ruined, Stuck, is_sqlite
from economy.models import REFUSED
from economy.transactions import patiently, unhurried

UPGRADE_WAIT_S = 300
UPGRADE_LOCK = int.from_bytes(b"dicehall")
"""The advisory lock of PostgreSQL under which the schema is changed."""


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


def count_on(db: Database, table: str) -> None:
    """New rows of a PostgreSQL table get numbers after the highest `id` there is."""
    sequence = db.execute_sql(f"SELECT pg_get_serial_sequence('{table}', 'id')").fetchone()[0]
    if sequence:
        db.execute_sql(f"SELECT setval('{sequence}', (SELECT max(id) FROM {table}))")
