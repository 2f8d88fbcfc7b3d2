"""The tables that minds need, in files (ARCHITECTURE, A mind): made once, checked when opened.

A file is the table as numpy writes it, and after it the SHA-256 of that. It is read in place, so
that it costs no memory of one's own, and opened when its mind is first asked: there is no need of
numpy before. What is missing or wrong is worked out again, by a process of its own that gives way
to everybody; until then its mind is not ready.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from games import mind, registry
from games.mind import Table, mind_of

PIECE = 1 << 16
"""How many bytes of a file are in memory at once."""

log = structlog.get_logger(__name__)


class WrongTable(Exception):
    """A file that does not hold the table it should."""


@dataclass(frozen=True)
class Made:
    """A table that was worked out, or was there: its file and size, and how long it took."""

    file: Path
    size: int
    seconds: float
    cpu_seconds: float


def needed() -> tuple[str, ...]:
    """The names of the tables that minds need."""
    return tuple(game.mind_table for game in registry().values() if game.mind_table)


def tables() -> tuple[Table, ...]:
    """These tables themselves, for which the minds are imported."""
    found = (mind_of(game).TABLE for game in registry().values() if game.mind_table)
    return tuple(table for table in found if table)


def file_of(table: Table, folder: Path) -> Path:
    """Where a table is kept."""
    return _path(table.name, folder)


def _path(name: str, folder: Path) -> Path:
    return folder / f"{name}.npy"


def lend(folder: Path) -> tuple[str, ...]:
    """Lends the minds what is there; answers the names of the tables that are missing or wrong."""
    missing = []
    for name in needed():
        path = _path(name, folder)
        try:
            _refuse_damage(path)
            mind.lend(name, partial(_open, name, folder))
        except FileNotFoundError:
            missing.append(name)
        except (OSError, WrongTable) as error:
            log.warning("a mind's table cannot be used", table=name, error=str(error))
            missing.append(name)
    return tuple(missing)


def open_table(table: Table, folder: Path) -> Path:
    """Has a table use the numbers of its file.

    Raises FileNotFoundError, or `WrongTable` for a file that was not written to its end, was
    changed since, or is another's.
    """
    import numpy as np

    path = file_of(table, folder)
    _refuse_damage(path)
    try:
        table.use(np.load(path, mmap_mode="r", allow_pickle=False))
    except ValueError as error:
        raise WrongTable(f"{path}: {error}") from None
    return path


def _open(name: str, folder: Path) -> None:
    """Opens what was lent; one that is of no use goes, and is made again at the next start."""
    for table in tables():
        if table.name == name:
            try:
                open_table(table, folder)
            except (OSError, WrongTable) as error:
                log.warning("a mind's table cannot be used", table=name, error=str(error))
                _path(name, folder).unlink(missing_ok=True)


def _refuse_damage(path: Path) -> None:
    if not _whole(path):
        raise WrongTable(f"{path} was not written to its end, or was changed")


def _whole(path: Path) -> bool:
    """Whether a file ends with the SHA-256 of what stands before it; read piece by piece."""
    left, found = path.stat().st_size - hashlib.sha256().digest_size, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0 and (piece := file.read(min(left, PIECE))):
            found.update(piece)
            left -= len(piece)
        return left == 0 and file.read() == found.digest()


def make(table: Table, folder: Path, *, again: bool = False) -> Made:
    """Works out a table and keeps it, unless it is there and right; then lends it.

    One process does it at a time; others wait for it. Raises OSError where it cannot be kept.
    """
    began, busy = time.perf_counter(), time.process_time()
    folder.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time(folder):
        path = None
        if not again:
            with contextlib.suppress(FileNotFoundError, WrongTable):
                path = open_table(table, folder)
        if path is None:
            _write(table, folder)
            path = open_table(table, folder)
    took, worked = time.perf_counter() - began, time.process_time() - busy
    return Made(path, path.stat().st_size, round(took, 3), round(worked, 3))


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write(table: Table, folder: Path) -> None:
    """Puts a file in its place whole or not at all."""
    import numpy as np

    body = io.BytesIO()
    np.save(body, table.solve(), allow_pickle=False)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{table.name}-", delete=False) as file:
        try:
            file.write(body.getbuffer())
            file.write(hashlib.sha256(body.getbuffer()).digest())
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, file_of(table, folder))
        except BaseException:
            os.unlink(file.name)
            raise


async def keep_ready(folder: Path) -> None:
    """Lends all tables; has those that are missing made by a process of the lowest priority.

    Cancelled, it ends that process.
    """
    loop = asyncio.get_running_loop()
    missing = await loop.run_in_executor(None, lend, folder)
    if not missing:
        return
    log.info("a mind's table is being made", tables=missing)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tgbot", "solve", "--gently", "--folder", str(folder), "--json",
        stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        status = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    still = await loop.run_in_executor(None, lend, folder)
    if still:
        log.warning("a mind's table could not be made", tables=still, status=status)
    else:
        log.info("all minds are ready")
