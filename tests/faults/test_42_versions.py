"""SURVIVE 42: an older or newer program beside a running one, two upgrades at once, one cut off.

Everything is changed or nothing, and one line says what to do.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from peewee import Database
from playhouse.migrations import Runner

import tgbot.database as parts
from economy.audit import prove
from economy.database import Missing, Newer, Older, Stuck, connect, shut
from tests.postgres import database
from tests.process.typed import Run
from tgbot.config import Settings
from tgbot.database import MIGRATIONS, migrate_database, open_database, open_existing
from tgbot.hall.hall import open_hall
from tgbot.hall.upkeep import Upkeep
from tgbot.lock import Running, alone

ROOT = Path(__file__).parents[2]
HISTORIES = sorted(Path(__file__).with_name("histories").glob("*.sql"))
"""Databases as the first, third, ninth … commit made them: one game is over, one runs."""
LANDED = Path(__file__).with_name("histories") / "landed.txt"
LATER = "INSERT INTO hall_migrations (name, applied) VALUES ('9999_later', '2100-01-01')"
BACK = "DELETE FROM hall_migrations WHERE name = '0006_times'"
READING = (
    "audit", "supply", "export", "verify abcdefgh", "cancel",
    "robin-hood status", "robin-hood history",
)  # fmt: skip
WRITING = ("grant 11 5 --reason x", "bar 11 --reason x", "erase 11", "fund 5 --reason x", "drain")


def settings(url: str) -> Settings:
    return Settings(_env_file=None, database=url)


def at(file: Path) -> Settings:
    return settings(f"sqlite:///{file}")


def schema(db: Database) -> list[tuple[object, ...]]:
    """Tables, columns and indexes, whatever made them; not in which order, nor with what text."""
    found: list[tuple[object, ...]] = []
    for table in db.get_tables():
        found += [
            (table, c.name, c.data_type, c.null, c.primary_key) for c in db.get_columns(table)
        ]
        found += [
            (table, i.name, tuple(map(str, i.columns)), i.unique) for i in db.get_indexes(table)
        ]
    return sorted(found, key=repr)


def dump(file: Path) -> list[str]:
    db = sqlite3.connect(file)
    try:
        return list(db.iterdump())
    finally:
        db.close()


def made(tmp_path: Path, history: Path) -> Path:
    """The file that an earlier commit left."""
    file = tmp_path / f"{history.stem}.db"
    db = sqlite3.connect(file)
    db.executescript(history.read_text("utf-8"))
    db.execute("PRAGMA journal_mode = wal")
    db.close()
    return file


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """A file of today without a row."""
    file = tmp_path / "new.db"
    migrate_database(at(file))
    return file


# -- landed migrations ------------------------------------------------------------------------


def test_42_a_migration_that_landed_never_changes(request: pytest.FixtureRequest) -> None:
    """`--update` writes down new ones; no option has it accept that an old one was changed."""
    files = [file for folder, _ in MIGRATIONS for file in folder.glob("[0-9]*.py")]
    are = {
        str(file.relative_to(ROOT)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
    }
    landed = dict(line.split() for line in LANDED.read_text("utf-8").splitlines())

    if request.config.getoption("--update"):
        landed = {**are, **landed}
        lines = "".join(f"{name} {digest}\n" for name, digest in sorted(landed.items()))
        LANDED.write_text(lines, "utf-8")

    assert are == landed


# -- every earlier database is brought to today's schema -----------------------------------------


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: f"commit {history.stem}")
def test_42_a_database_of_an_earlier_commit_is_brought_up_to_date(
    history: Path, tmp_path: Path, new: Path
) -> None:
    file = made(tmp_path, history)
    held = sqlite3.connect(file).execute("SELECT count(*), sum(amount) FROM postings").fetchall()

    assert migrate_database(at(file))

    db, fresh = open_existing(at(file)), open_existing(at(new))
    assert schema(db) == schema(fresh)
    hall, _ = open_hall(db, at(file))
    with db.atomic():
        assert not prove(db, hall.store.open_games()).problems
        Upkeep(hall).resume(1_800_000_000)
        for game in hall.store.open_games():
            Upkeep(hall).void(game, "operator", 1_800_000_000)
        assert not prove(db).problems  # no stake was lost on the way
    assert db.execute_sql("SELECT count(*) FROM postings").fetchone() >= held[0][:1]
    db.close()
    fresh.close()


@pytest.mark.parametrize("stopped", ["0003_workers", "0005_leftovers"])
def test_42_so_is_one_of_postgresql(postgres: str, stopped: str) -> None:
    with database(postgres) as old, database(postgres) as url:
        db = connect(old)
        (economy, _), (hall, _) = MIGRATIONS
        Runner(db, str(economy), table_name="economy_migrations").up("0003_by_day")
        Runner(db, str(hall), table_name="hall_migrations").up(stopped)
        shut(db)

        assert "0006_times" in migrate_database(settings(old))

        there, fresh = open_existing(settings(old)), open_database(settings(url))
        assert schema(there) == schema(fresh)
        shut(there)
        shut(fresh)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_42_an_upgrade_that_fails_at_its_end_changes_nothing(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    (economy, name), (hall, other) = MIGRATIONS
    folder = Path(shutil.copytree(hall, tmp_path / "hall"))
    (folder / "9999_fails.py").write_text("def up(migrator, db):\n    db.execute_sql('no SQL')\n")
    with monkeypatch.context() as patch, database(request.getfixturevalue("postgres")) as url:
        url = url if kind == "postgres" else f"sqlite:///{tmp_path}/old.db"
        patch.setattr(parts, "MIGRATIONS", ((economy, name), (folder, other)))

        with pytest.raises(Stuck, match="nothing was changed"):
            migrate_database(settings(url))

        db = connect(url)
        assert db.get_tables() == []
        shut(db)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_42_of_upgrades_at_the_same_time_one_does_it_and_the_others_wait(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with database(request.getfixturevalue("postgres")) as url:
        url = url if kind == "postgres" else f"sqlite:///{tmp_path}/one.db"
        done: list[list[str]] = []
        together = threading.Barrier(3)

        def upgrade() -> None:
            together.wait()
            db = connect(url)
            done.append(parts._migrate(db))
            shut(db)

        threads = [threading.Thread(target=upgrade) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(map(bool, done)) == [False, False, True]


# -- who may change a schema, and beside whom ----------------------------------------------------


@pytest.mark.parametrize("command", [*READING, *WRITING])
def test_42_no_command_makes_a_database(dicehall: Run, tmp_path: Path, command: str) -> None:
    before = {*tmp_path.iterdir()}

    said = dicehall(*command.split(), DATABASE=f"sqlite:///{tmp_path}/no.db")

    said.refused("DATABASE", "there is no", "dicehall migrate")
    assert {*tmp_path.iterdir()} == before


@pytest.mark.parametrize("command", [*READING, *WRITING])
def test_42_no_command_but_migrate_and_run_changes_an_older_database(
    dicehall: Run, tmp_path: Path, new: Path, command: str
) -> None:
    file = made(tmp_path, HISTORIES[-1])
    before = dump(file)

    said = dicehall(*command.split(), DATABASE=f"sqlite:///{file}")

    said.refused("DATABASE", "older version", "dicehall migrate")
    assert dump(file) == before


@pytest.mark.parametrize("command", READING)
def test_42_reading_changes_no_byte_of_a_file_that_may_only_be_read(
    dicehall: Run, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    file = made(folder, HISTORIES[-1])
    migrate_database(at(file))
    for left in folder.iterdir():
        os.chmod(left, 0o400)
    os.chmod(folder, 0o500)
    before = file.read_bytes()

    said = dicehall(*command.split(), DATABASE=f"sqlite:///{file}")

    assert said.status == 0 or "there is no game" in said.err
    assert file.read_bytes() == before
    beside = {path.suffix for path in folder.iterdir() if path != file and path.stat().st_size}
    assert beside <= {".lock", ".db-shm"}
    os.chmod(folder, 0o700)


def test_42_beside_a_running_bot_nothing_is_upgraded(tmp_path: Path) -> None:
    file = made(tmp_path, HISTORIES[-1])
    before = dump(file)

    with alone(at(file)), pytest.raises(Running, match="stop it first"):
        migrate_database(at(file))

    assert dump(file) == before


def test_42_beside_a_worker_nothing_is_upgraded(postgres: str) -> None:
    with database(postgres) as url:
        db = open_database(settings(url))
        db.execute_sql(BACK)
        db.execute_sql("INSERT INTO workers (name, until) VALUES ('w', 9000000000)")

        with pytest.raises(Running, match="stop it first"):
            migrate_database(settings(url))

        with pytest.raises(Older):
            open_existing(settings(url))
        db.execute_sql("DELETE FROM workers")
        assert migrate_database(settings(url)) == ["0006_times"]
        shut(db)


@pytest.mark.parametrize("use", [open_database, open_existing, migrate_database])
def test_42_a_newer_database_is_left_alone(use: Callable[[Settings], object], new: Path) -> None:
    with sqlite3.connect(new) as db:
        db.execute(LATER)
    before = dump(new)

    with pytest.raises(Newer, match="9999_later"):
        use(at(new))

    assert dump(new) == before


def test_42_an_empty_file_is_no_database_yet(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with pytest.raises(Missing):
        open_existing(at(tmp_path / "empty.db"))
