"""Mending the books as far as they say themselves what is right, while no bot runs.

Balances are a cache of the postings, and the triggers are known; both can be put back. A booking
that does not add up, or a table that is not STRICT any more, cannot: then a backup is the way.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from peewee import DatabaseError

from economy.audit import Mended, mend
from economy.database import Ruined, connect, file_problems, shut
from economy.schema import protect
from tgbot.config import Settings
from tgbot.database import refuse_newer
from tgbot.lock import alone, unserved
from tgbot.operator.backup import set_aside


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was mended, and where the database is kept as it was: None where nothing was wrong, and
    for PostgreSQL."""

    kept: Path | None
    triggers: tuple[str, ...]
    balances: tuple[Mended, ...]


def repair(settings: Settings, *, now: float = 0) -> Repaired:
    """Puts back missing triggers and sets every balance to what its postings say.

    Raises `Running` while a bot runs, `BackupError` where there is no database or no room to keep
    it, `economy.database.Ruined` for a damaged file.
    """
    now = now or time.time()
    with alone(settings):
        kept, mended = set_aside(settings, now=now), False
        try:
            triggers, balances = _mend(settings)
            mended = bool(triggers or balances)
        finally:
            if kept and not mended:
                kept.unlink()
    return Repaired(kept if mended else None, triggers, balances)


def _mend(settings: Settings) -> tuple[tuple[str, ...], tuple[Mended, ...]]:
    db = connect(settings.database)
    try:
        refuse_newer(db)
        with db.atomic():
            unserved(db)
            return tuple(protect(db)), tuple(mend(db))
    except (DatabaseError, sqlite3.Error) as error:
        raise Ruined("; ".join((*file_problems(db), str(error)))) from None
    finally:
        shut(db)
