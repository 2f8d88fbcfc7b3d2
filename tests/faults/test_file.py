"""The file of the database is damaged, refuses itself, or its log is torn by a power cut.

At the start one line says so, with exit status 2, and nothing is changed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from economy.audit import prove
from tests.process.typed import TOKEN, Run, Said
from tests.tgbot.house import House
from tests.tgbot.playing import play_on
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall

ROOT = Path(__file__).parent.parent.parent
PAGE = 4096
FRAME_HEADER, LOG_HEADER = 24, 32
ROOM = 32 * 1024
"""So much SQLite needs to open a database."""
ANY_BYTES = 40
"""Cuts at random bytes, besides those where a frame ends."""
RESTORE = "dicehall restore puts a backup in its place"
CAN_READ_ALL, CAN_WRITE_ALL, DROP = 2, 1, 24
"""By these capabilities root reads and writes what is forbidden; prctl drops them."""

COMMANDS = ("run", "audit", "migrate", "grant @Ann 5 --reason x", "export", "supply")


# -- damaged ----------------------------------------------------------------------------------


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: 7 * PAGE])


def random_bytes(file: Path) -> None:
    file.write_bytes(random.Random(1).randbytes(20 * PAGE))


def no_database(file: Path) -> None:
    file.write_text("It was a dark and stormy night. " * 999)


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def zeroed_schema(file: Path) -> None:
    raw = file.read_bytes()
    file.write_bytes(raw[:PAGE] + bytes(PAGE * 20) + raw[PAGE * 21 :])


def of_table(file: Path, table: str) -> int:
    """Where in the file the first page of a table is."""
    with contextlib.closing(sqlite3.connect(file)) as db:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(db.execute(query, (table,)).fetchone()[0] - 1) * PAGE


def zeroed(table: str) -> Callable[[Path], None]:
    def zero(file: Path) -> None:
        with file.open("r+b") as raw:
            raw.seek(of_table(file, table))
            raw.write(bytes(PAGE))

    return zero


def killed(file: Path) -> None:
    """As if whoever had the file open had died: only such a one is looked through at a start."""
    Path(f"{file}-wal").write_bytes(bytes(PAGE))


def changed(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
            db.execute(statement)

    return change


UNREADABLE: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "truncated": (truncated, "malformed", RESTORE),
    "random bytes": (random_bytes, "file is not a database", RESTORE),
    "a novel": (no_database, "file is not a database; expected a file such as sqlite:///", RESTORE),
    "a folder": (folder, "is a folder", "sqlite:///"),
    "zeroed where the schema is": (zeroed_schema, "malformed", RESTORE),
    "zeroed where the migrations are": (zeroed("hall_migrations"), "malformed", RESTORE),
}
CHANGED = {
    "table showings is missing": changed("DROP TABLE showings"),
    "column games.stake is missing": changed("ALTER TABLE games RENAME COLUMN stake TO steak"),
    "trigger postings_no_delete is missing": changed("DROP TRIGGER postings_no_delete"),
    "table loose is not STRICT": changed("CREATE TABLE loose (amount INTEGER)"),
}


@pytest.fixture
def file(played: str, tmp_path: Path) -> Path:
    """The database with one finished game in it, in a folder of its own."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for left in tmp_path.glob("books.db*"):
        left.rename(folder / left.name)
    with contextlib.closing(sqlite3.connect(folder / "books.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "books.db"


@contextlib.contextmanager
def untouched(file: Path) -> Iterator[None]:
    """No byte of the file is changed, and nothing is written beside it but the lock of a bot."""
    before = file.read_bytes() if file.is_file() else b""
    yield
    assert (file.read_bytes() if file.is_file() else b"") == before
    # What `killed` left is zeros.
    beside = {
        path.suffix for path in file.parent.iterdir() if path != file and any(path.read_bytes())
    }
    assert beside <= {".lock", ".db-shm"}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_told_in_one_line_and_left_as_it_is(
    dicehall: Run, file: Path, what: str
) -> None:
    ruin, *told = UNREADABLE[what]
    ruin(file)

    with untouched(file):
        for command in COMMANDS:
            said = dicehall(*command.split(), DATABASE=f"sqlite:///{file}", BOT_TOKEN=TOKEN)
            said.refused("DATABASE", *told)


@pytest.mark.parametrize("table", ["postings", "moves", "showings"])
def test_a_page_zeroed_in_a_crash_is_found_before_anybody_plays(
    dicehall: Run, file: Path, table: str
) -> None:
    zeroed(table)(file)

    with untouched(file):
        proved = dicehall("audit", DATABASE=f"sqlite:///{file}")
        killed(file)
        said = dicehall("run", DATABASE=f"sqlite:///{file}", BOT_TOKEN=TOKEN)

    said.refused("DATABASE", "the file is damaged", RESTORE)
    assert proved.status == 1
    assert "the file is damaged (database disk image is malformed)" in proved.out


def test_a_damaged_page_of_a_large_table_is_found_by_run_and_by_audit(
    dicehall: Run, file: Path
) -> None:
    numbers = ((n, 1) for n in range(5_000))
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        db.executemany("INSERT INTO updates (update_id, at) VALUES (?, ?)", numbers)
    with file.open("r+b") as raw:
        raw.seek(-PAGE, os.SEEK_END)
        raw.write(bytes(PAGE))
    killed(file)

    with untouched(file):
        said = dicehall("run", DATABASE=f"sqlite:///{file}", BOT_TOKEN=TOKEN)
        proved = dicehall("audit", "--json", DATABASE=f"sqlite:///{file}")

    said.refused("DATABASE", "the file is damaged", RESTORE)
    assert (proved.status, proved.err) == (1, "")
    assert "the file is damaged" in json.loads(proved.out)["problems"][0]


@pytest.mark.parametrize("lost", CHANGED)
def test_a_schema_that_lost_something_is_refused_and_named(
    dicehall: Run, file: Path, lost: str
) -> None:
    CHANGED[lost](file)

    with untouched(file):
        for command in ("run", "migrate", "grant @Ann 5 --reason x"):
            said = dicehall(*command.split(), DATABASE=f"sqlite:///{file}", BOT_TOKEN=TOKEN)
            said.refused("DATABASE", lost, "dicehall audit", "dicehall repair", RESTORE)
        proved = dicehall("audit", "--json", DATABASE=f"sqlite:///{file}")

    assert (proved.status, proved.err) == (1, "")
    assert lost in proved.out


# -- forbidden, full --------------------------------------------------------------------------


def mortal() -> None:
    """Root, too, may do only what the modes of files say (a process of its own begins here)."""
    libc = ctypes.CDLL(None)
    for power in (CAN_READ_ALL, CAN_WRITE_ALL):
        libc.prctl(DROP, power, 0, 0, 0)


def no_room() -> None:
    """No file may grow."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def typed(file: Path, command: str, prepare: Callable[[], None]) -> Said:
    """A command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tgbot", *command.split()],
        env={"PYTHONPATH": str(ROOT), "DATABASE": f"sqlite:///{file}", "BOT_TOKEN": TOKEN},
        cwd=file.parent.parent, capture_output=True, text=True, timeout=60, preexec_fn=prepare,
    )  # fmt: skip
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(("mode", "of_folder"), [(0o000, 0o700), (0o400, 0o500)])
def test_a_file_without_permission_is_told_in_one_line_and_left_as_it_is(
    file: Path, mode: int, of_folder: int
) -> None:
    before = file.read_bytes()
    file.chmod(mode)
    file.parent.chmod(of_folder)
    try:
        said = typed(file, "run", mortal)
    finally:
        file.parent.chmod(0o700)
        file.chmod(0o600)

    said.refused("DATABASE")
    assert file.read_bytes() == before


def test_a_disk_that_is_full_when_the_database_is_made_is_told_in_one_line(tmp_path: Path) -> None:
    new = tmp_path / "folder" / "new.db"
    new.parent.mkdir()

    typed(new, "migrate", no_room).refused("DATABASE", "nothing was changed")

    assert typed(new, "migrate", lambda: None).status == 0
    assert typed(new, "audit", lambda: None).status == 0


# -- a torn log -------------------------------------------------------------------------------


def frames(log: bytes) -> list[int]:
    """Where each frame of a write-ahead log ends."""
    return list(range(LOG_HEADER, len(log) + 1, FRAME_HEADER + PAGE))


def commits(log: bytes) -> list[int]:
    """Where the last frame of each commit ends: it names the size of the database."""
    ends = frames(log)
    return [end for start, end in pairwise(ends) if any(log[start + 4 : start + 8])]


def buried(folder: Path, log: bytes) -> Path:
    """A folder with what a power cut left: the database of `folder`, and as much of its log."""
    grave = folder / "grave"
    shutil.rmtree(grave, ignore_errors=True)
    grave.mkdir()
    shutil.copy(folder / "dicehall.db", grave)
    (grave / "dicehall.db-wal").write_bytes(log)
    return grave


def content(folder: Path) -> dict[str, Any]:
    """What a database holds once it is opened as at a start, and proved."""
    settings = Settings(_env_file=None, database=f"sqlite:///{folder}/dicehall.db")
    db = open_database(settings)
    try:
        hall, _ = open_hall(db, settings)
        assert prove(hall.ledger.db, hall.store.open_games()).problems == ()
        assert db.execute_sql("PRAGMA integrity_check").fetchone() == ("ok",)
        games = [hall.store.read(game_id) for (game_id,) in db.execute_sql("SELECT id FROM games")]
        counts = {
            table: db.execute_sql(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("bookings", "moves", "updates", "people")
        }
        return {**counts, "games": [(game.id, game.status) for game in games]}
    finally:
        db.close()


async def test_wherever_a_power_cut_tears_the_log_what_was_acknowledged_is_there(
    house: House, tmp_path: Path
) -> None:
    log, main = tmp_path / "dicehall.db-wal", tmp_path / "dicehall.db"
    before = main.read_bytes()
    told: dict[int, int] = {}  # how long the log was once so many updates were committed

    def note(*_: object) -> None:
        assert house.bot
        count = house.bot.hall.store.db.execute_sql("SELECT count(*) FROM updates").fetchone()[0]
        told[log.stat().st_size] = count

    assert house.bot
    house.bot.clerk.on_commit.append(note)
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    for n, person in enumerate((house.anna, house.ben, house.cem)):
        await house.score(person, "4+20", 12 - n)
    await play_on(house, house.anna, house.ben, house.cem)
    assert house.table().status == "over"
    written = log.read_bytes()
    assert main.read_bytes() == before  # all of the game is in the log

    draw = random.Random(1)
    cuts = {0, 10, *frames(written), *(draw.randrange(len(written)) for _ in range(ANY_BYTES))}
    states: dict[int, bytes] = {}
    for cut in sorted(cuts):
        whole = max((end for end in commits(written) if end <= cut), default=0)
        grave = buried(tmp_path, written[:cut])
        with contextlib.closing(sqlite3.connect(grave / main.name)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found = (grave / main.name).read_bytes()
        # What is torn off behind the last whole commit leaves no trace of itself.
        assert states.setdefault(whole, found) == found, cut
    assert len(states) == len({0, *commits(written)}) > 20
    for whole, state in states.items():
        (grave / main.name).write_bytes(state)
        acknowledged = max((n for size, n in told.items() if size <= whole), default=0)
        assert content(grave)["updates"] >= acknowledged, whole
    assert content(grave) == content(tmp_path)


async def test_garbage_behind_the_last_commit_is_passed_over(house: House, tmp_path: Path) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    log = (tmp_path / "dicehall.db-wal").read_bytes()
    draw = random.Random(2)
    sound = None

    for garbage in (draw.randbytes(3 * PAGE), bytes(3 * PAGE), log[LOG_HEADER : LOG_HEADER + PAGE]):
        found = content(buried(tmp_path, log + garbage))
        assert found == (sound := sound or found)

    assert sound
    assert sound["games"] == [(house.table().id, "running")]
