"""One bot for one SQLite file: a lock beside the file, which the system drops when the bot dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from peewee import Database

from economy.database import Unreadable, give_to_folders_owner, sqlite_file, time_of
from tgbot.config import Settings
from tgbot.models import WorkerRow


class Running(Exception):
    """A bot serves this database; the message says which process that is."""


@contextlib.contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Keeps every other bot, and every restore, off a SQLite file meanwhile.

    Raises `Running` where one is there. Other databases serve any number of bots.
    """
    file = sqlite_file(settings.database)
    if file is None:
        yield
        return
    if not file.parent.is_dir():
        raise Unreadable(f"there is no folder for {file}")
    # The lock's file stays: who removed it could remove the one that another just took.
    try:
        lock = os.open(f"{file}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise Unreadable(f"{file}.lock cannot be used ({error.strerror})") from None
    give_to_folders_owner(Path(f"{file}.lock"))
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.read(lock, 20).decode("ascii", "replace").strip() or "unknown"
            raise Running(f"a bot (process {who}) serves {file.name}; stop it first") from None
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(lock)


def unserved(db: Database) -> None:
    """Raises `Running` where a worker has given a sign of life lately."""
    there = db.table_exists("workers")
    if there and WorkerRow.select().where(WorkerRow.until >= time_of(db)).exists(db):
        raise Running("a worker serves this database; stop it first")


def is_running(settings: Settings, db: Database) -> bool:
    """Whether a bot serves the database: by its lock of a SQLite file, else by a sign of life."""
    try:
        unserved(db)
        with alone(settings):
            return False
    except Running:
        return True
