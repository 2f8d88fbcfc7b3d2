"""The database of the settings: opened, brought up to date, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peewee import Database

import economy
import tgbot
from economy import database, schema
from economy.models import MODELS as ECONOMY
from tgbot import facts
from tgbot.config import Settings
from tgbot.lock import alone, unserved
from tgbot.models import MODELS as HALL

MODELS = (*ECONOMY, *HALL)
"""Every table, those first that others refer to."""


def folder(package: Any) -> Path:
    """The folder of a package."""
    return Path(package.__path__[0])


MIGRATIONS = (
    (folder(economy) / "migrations", "economy"),
    (folder(tgbot) / "migrations", "hall"),
)
"""Where the migrations are, and the name of each history."""


def open_database(settings: Settings) -> Database:
    """The database, made where there is none and brought up to date: for who serves it.

    Raises `economy.database.Unreadable`, and `tgbot.lock.Running` where another program
    that serves it would be left with a schema it does not know.
    """
    db = database.connect(settings.database)
    try:
        _migrate(db)
    except BaseException:
        database.shut(db)
        raise
    return db


def open_existing(settings: Settings, *, read_only: bool = False) -> Database:
    """The database as it stands: for commands beside a bot, which never change its schema.

    Raises `economy.database.Missing`, `Older`, `Newer` or `Damaged` where it is not as this version
    has it, `Unreadable` where it cannot be opened.
    """
    file = database.sqlite_file(settings.database)
    if file is not None and not file.exists():
        raise database.Missing(f"there is no {file}")
    db = database.connect(settings.database, read_only=read_only)
    try:
        refuse_newer(db)
        missing = _pending(db)
        if missing and not db.table_exists("bookings"):
            raise database.Missing("it holds nothing yet")
        if missing:
            named = missing[0] + (f" and {len(missing) - 1} more" if missing[1:] else "")
            raise database.Older(f"it is of an older version and lacks {named}")
        if lost := (*schema.schema_problems(db), *schema.lacking(db, MODELS)):
            raise database.Damaged(lost)
    except BaseException:
        database.shut(db)
        raise
    return db


def new_database(settings: Settings) -> Database:
    """A database to be filled: made where there is none; one that is there stays as it is."""
    db = database.connect(settings.database)
    there = db.table_exists("bookings")
    database.shut(db)
    return open_existing(settings) if there else open_database(settings)


def migrate_database(settings: Settings) -> list[str]:
    """Brings the database up to date, or makes it; answers the migrations that were missing.

    Raises as `open_database`; then nothing was changed.
    """
    db = database.connect(settings.database)
    try:
        if not _pending(db):
            return _migrate(db)
        with alone(settings):
            return _migrate(db)
    finally:
        database.shut(db)


def _pending(db: Database) -> list[str]:
    return [name for part in MIGRATIONS for name in schema.pending(db, *part)]


def _migrate(db: Database) -> list[str]:
    """All of it in one transaction; whoever else tries at the same moment waits."""
    with schema.upgrading(db):
        refuse_newer(db)
        if _pending(db):
            unserved(db)
        done = [name for part in MIGRATIONS for name in schema.migrate(db, *part)]
        if lost := schema.lacking(db, MODELS):
            raise database.Damaged(lost)
        if done:
            facts.note(db, facts.VERSION, facts.version())
    return done


def refuse_newer(db: Database) -> None:
    """Raises `economy.database.Newer` for a database that only a newer version understands."""
    newer = [name for part in MIGRATIONS for name in schema.unknown(db, *part)]
    if newer:
        maker = facts.fact(db, facts.VERSION) if db.table_exists("facts") else ""
        named = maker and maker != facts.version()
        it = f"dicehall {maker} or newer" if named else "a newer dicehall"
        raise database.Newer(f"it needs {it}, which knows {newer[-1]}; this is {facts.version()}")
