"""Copies of a SQLite database while the bot runs, and putting one back.

A copy is complete and audited before it gets its name, and what is restored before it takes the
place of anything: whatever goes wrong, nothing half stays behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from peewee import DatabaseError

from economy.audit import prove
from economy.database import (
    BUSY_TIMEOUT_S,
    File,
    Newer,
    Unreadable,
    give_to_folders_owner,
    sqlite_file,
)
from tgbot.config import Settings
from tgbot.database import migrate_database, refuse_newer
from tgbot.hall.store import Store
from tgbot.lock import alone

TABLES = {"accounts", "bookings", "postings", "games"}
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
RESTORE = "dicehall restore puts a backup in its place"
STALE_S = 24 * 3600
"""What a backup that was killed left behind is removed after so long."""


class BackupError(Exception):
    """A backup or restore that did not happen; one line says why. `full`: for want of room."""

    def __init__(self, why: str, *, full: bool = False) -> None:
        super().__init__(why)
        self.full = full


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that was made: its file, bytes and bookings, and the older copies it replaced."""

    file: Path
    size: int
    bookings: int
    removed: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back: bookings, migrations it lacked, and where what it replaced is kept."""

    file: Path
    bookings: int
    applied: tuple[str, ...]
    kept: Path | None


# -- backup -----------------------------------------------------------------------------------


def back_up(
    settings: Settings, path: Path, *, keep: int = 0, folder: bool = False, now: float = 0
) -> Backup:
    """Copies the database to a new file `path`, or into the folder `path` under a dated name.

    With `folder` the folder is made where it is missing, for the bot's user alone. With `keep` only
    so many copies stay in it, the newest. May take a while: never call it on the event loop or the
    clerk's thread. Raises `BackupError`.
    """
    file, now = _database(settings, "pg_dump"), now or time.time()
    if not file.is_file():
        raise BackupError(f"DATABASE: there is no {file} to back up")
    if folder:
        _make(path, "PATH")
    target = _target(file, path, now)
    try:
        with _beside(target) as part:
            _copy(file, part)
            bookings = _audited(part)
            _sync(part)
            give_to_folders_owner(part)
            size = part.stat().st_size
            os.replace(part, target)
            _sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise BackupError(
            f"PATH: {_told(error)}; nothing was left in {target.parent}", full=_full(error)
        ) from None
    return Backup(target, size, bookings, tuple(_rotate(file, target.parent, keep, now)))


def set_aside(settings: Settings, *, now: float = 0) -> Path | None:
    """Copies the database beside itself as it is, whatever is wrong with it; None if it is no file.

    Raises `BackupError`.
    """
    file = sqlite_file(settings.database)
    if file is None:
        return None
    if not file.is_file():
        raise BackupError(f"DATABASE: there is no {file}")
    stamp = datetime.fromtimestamp(now or time.time(), UTC)
    target = _free(file.with_name(f"{file.stem}-damaged-{stamp:%Y%m%dT%H%M%SZ}{file.suffix}"))
    try:
        with _beside(target) as part:
            _copy(file, part)
            _sync(part)
            give_to_folders_owner(part)
            os.replace(part, target)
            _sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise BackupError(f"DATABASE: {_told(error)}; nothing was changed") from None
    return target


def into_folder(settings: Settings, *, now: float = 0) -> Backup:
    """As `back_up`, into the folder the settings name, where it keeps as many as they say."""
    _make(settings.backup_folder, "BACKUP_FOLDER")
    return back_up(settings, settings.backup_folder, keep=settings.backups_kept, now=now)


def _make(folder: Path, name: str) -> None:
    try:
        new = not folder.exists()
        folder.mkdir(0o700, parents=True, exist_ok=True)
        if new:
            give_to_folders_owner(folder)
    except OSError as error:
        raise BackupError(f"{name}: {folder}: {_told(error)}", full=_full(error)) from None


def _target(file: Path, path: Path, now: float) -> Path:
    if path.is_dir():
        stamp = datetime.fromtimestamp(now, UTC)
        return _free(path / f"{file.stem}-{stamp:%Y%m%dT%H%M%SZ}.db")
    if path.exists():
        raise BackupError(f"PATH: {path} is there already; name another file, or a folder")
    if not path.name or not path.parent.is_dir():
        raise BackupError(f"PATH: there is no folder {path.parent}")
    return path


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file that is gone afterwards, unless it was renamed."""
    handle, name = tempfile.mkstemp(".part", f".{target.stem}-", target.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            Path(f"{part}{suffix}").unlink(missing_ok=True)


def _copy(file: Path, part: Path) -> None:
    source = sqlite3.connect(f"{file.as_uri()}?mode=ro", timeout=BUSY_TIMEOUT_S, uri=True)
    copy = sqlite3.connect(part)
    try:
        try:
            source.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.Error as error:
            raise BackupError(
                f"DATABASE: {file.name} cannot be read ({error}); {RESTORE}"
            ) from None
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
    finally:
        copy.close()
        source.close()


def _audited(part: Path) -> int:
    try:
        return _inspect(part)
    except _Unfit as unfit:
        raise BackupError(
            f"DATABASE: the copy {unfit}; it was not kept, and dicehall audit tells all"
        ) from None


def _rotate(file: Path, folder: Path, keep: int, now: float) -> Iterator[Path]:
    for left in folder.glob(f".{file.stem}-*.part"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < now - STALE_S:
                left.unlink()
    for old in _copies(file, folder)[:-keep] if keep else ():
        old.unlink(missing_ok=True)
        yield old


def _copies(file: Path, folder: Path) -> list[Path]:
    """The dated copies of a database in a folder, oldest first."""
    dated = re.compile(rf"{re.escape(file.stem)}-[0-9]{{8}}T[0-9]{{6}}Z(?:-[0-9]+)?\.db")
    return sorted(copy for copy in folder.iterdir() if dated.fullmatch(copy.name))


def newest(settings: Settings) -> int:
    """When the newest copy in the folder of the settings was made, in unix seconds; 0: there is
    none. Of PostgreSQL a copy is any file `….dump`, such as pg_dump makes."""
    file, folder = sqlite_file(settings.database), settings.backup_folder
    try:
        copies = _copies(file, folder) if file else folder.glob("*.dump")
        return max(int(copy.stat().st_mtime) for copy in copies)
    except (OSError, ValueError):
        return 0


# -- restore ----------------------------------------------------------------------------------


def restore(settings: Settings, source: Path, *, now: float = 0) -> Restored:
    """Puts the copy `source` in the place of the database, which is kept under a dated name.

    Raises `BackupError`, or `Running` while a bot runs; then nothing was replaced.
    """
    file = _database(settings, "pg_restore")
    if not source.is_file():
        raise BackupError(f"PATH: there is no file {source}")
    if file.exists() and source.samefile(file):
        raise BackupError(f"PATH: {source} is the database itself")
    with alone(settings):
        try:
            folder = Path(tempfile.mkdtemp("", f".{file.stem}-", file.parent))
            try:
                return _restore(settings, source, folder / "new.db", file, now or time.time())
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        except _Unfit as unfit:
            raise BackupError(f"PATH: {source} {unfit}; nothing was replaced") from None
        except (sqlite3.Error, OSError) as error:
            raise BackupError(f"PATH: {_told(error)}; nothing was replaced") from None


def _restore(settings: Settings, source: Path, new: Path, file: Path, now: float) -> Restored:
    for suffix in ("", "-wal"):
        if Path(f"{source}{suffix}").exists():
            shutil.copyfile(f"{source}{suffix}", f"{new}{suffix}")
    bookings = _inspect(new)
    try:
        applied = migrate_database(settings.model_copy(update={"database": f"sqlite:///{new}"}))
    except (Unreadable, DatabaseError) as error:
        raise _Unfit(f"cannot be brought up to date ({error})") from None
    _fold(new)
    if file.exists():
        shutil.copymode(file, new)
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(new, file.stat().st_uid, file.stat().st_gid)
    _sync(new)
    kept = _keep(file, now)
    made = not file.exists()
    os.replace(new, file)
    if made:
        give_to_folders_owner(file)
    _sync(file.parent)
    return Restored(file, bookings, tuple(applied), kept)


def _keep(file: Path, now: float) -> Path | None:
    """Gives the database a second, dated name; its log of changes goes along."""
    stamp = datetime.fromtimestamp(now, UTC)
    kept = _free(file.with_name(f"{file.stem}-replaced-{stamp:%Y%m%dT%H%M%SZ}{file.suffix}"))
    there = file.exists()
    if there:
        with contextlib.suppress(sqlite3.Error):  # a ruin is kept as it is
            _fold(file)
        try:
            os.link(file, kept)
        except OSError:  # not every file system has links
            shutil.copy2(file, kept)
    for suffix in ("-wal", "-shm"):
        # A log that stayed would be taken for one of the new database.
        if (left := Path(f"{file}{suffix}")).exists():
            left.rename(f"{kept}{suffix}")
    return kept if there else None


# -- both -------------------------------------------------------------------------------------


class _Unfit(Exception):
    """What makes a file useless; a sentence about it."""


def _database(settings: Settings, other: str) -> Path:
    file = sqlite_file(settings.database)
    if file is None:
        raise BackupError(f"DATABASE: this is for SQLite files; use {other} for PostgreSQL")
    return file


def _inspect(file: Path) -> int:
    """The number of bookings of a database that is whole, known and passes its audit."""
    db = File(str(file), timeout=BUSY_TIMEOUT_S)
    try:
        db.connect()
        found = db.execute_sql("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise _Unfit(f"is damaged ({found})")
        if not set(db.get_tables()) >= TABLES:
            raise _Unfit("is no ledger of this bot")
        refuse_newer(db)
        audit = prove(db, Store(db, "").open_games())
    except Newer as error:
        raise _Unfit(f"is of a newer version: {error}") from None
    except DatabaseError as error:
        if "full" in str(error):
            raise sqlite3.OperationalError(str(error)) from None
        raise _Unfit(f"is no ledger of this bot ({error})") from None
    finally:
        db.close()
    if audit.problems:
        more = f", and {len(audit.problems) - 1} more" if len(audit.problems) > 1 else ""
        raise _Unfit(f"fails its audit ({audit.problems[0]}{more})")
    return audit.bookings


def _fold(file: Path) -> None:
    """Puts everything into the one file, as far as nobody else reads it."""
    db = sqlite3.connect(file, timeout=BUSY_TIMEOUT_S)
    try:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = DELETE")
    finally:
        db.close()


def _free(path: Path) -> Path:
    """The path, or one with a number where that is taken."""
    numbers = (path.with_name(f"{path.stem}-{n}{path.suffix}") for n in range(2, 1000))
    return path if not path.exists() else next(free for free in numbers if not free.exists())


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _told(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "the disk is full" if _full(error) else str(error)


def _full(error: Exception) -> bool:
    """Whether there was no room on the disk, or not as much as one may take."""
    return "full" in str(error) or getattr(error, "errno", 0) in NO_ROOM
