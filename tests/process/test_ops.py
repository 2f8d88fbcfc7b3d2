"""What keeps a bot running for years: copies and putting them back, quiet, export, newer versions.

Commands run in this process; the bot beside them is a real one only where it has to be.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from economy.database import Newer
from games.game import Refusal
from tests.postgres import database
from tests.process.mortal import ROOT, mortal
from tests.process.typed import ANNA, GROUP, NOW, TOKEN, Run, Said
from tgbot import __version__, config
from tgbot import database as parts
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.lock import Running, alone, is_running
from tgbot.operator import backup
from tgbot.people.people import Person

DAY_S = 24 * 3600
STAMP = "20270115T080000Z"
"""NOW in the name of a copy."""


@pytest.fixture
def settings(played: str) -> Settings:
    """The settings of a database with one finished staked game."""
    return config.load()


@pytest.fixture
def file(tmp_path: Path, played: str) -> Path:
    return tmp_path / "books.db"


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    folder = tmp_path / "copies"
    folder.mkdir()
    return folder


def content(file: Path) -> list[str]:
    """All a database holds."""
    db = sqlite3.connect(file)
    try:
        return list(db.iterdump())
    finally:
        db.close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -- backup -----------------------------------------------------------------------------------


def test_a_backup_is_one_file_with_everything(dicehall: Run, file: Path, copies: Path) -> None:
    made = dicehall("backup", f"{copies}/mine.db", "--json").document

    assert made == {
        "file": f"{copies}/mine.db",
        "bytes": (copies / "mine.db").stat().st_size,
        "bookings": 7,
        "removed": [],
    }
    assert names(copies) == ["mine.db"]
    assert content(copies / "mine.db") == content(file)


def test_a_backup_waits_for_nobody_and_has_only_what_is_committed(
    dicehall: Run, books: sqlite3.Connection, copies: Path
) -> None:
    # The clerk is in the middle of a commit.
    books.execute("BEGIN IMMEDIATE")
    books.execute("UPDATE people SET name = 'Nobody'")

    dicehall("backup", f"{copies}/mine.db", "--json").document  # noqa: B018 - it went well

    books.execute("ROLLBACK")
    assert "Nobody" not in " ".join(content(copies / "mine.db"))


def test_in_a_folder_backups_have_dates_and_the_newest_stay(
    settings: Settings, copies: Path
) -> None:
    others = ["books-replaced-20270101T000000Z.db", "books.db", "other-20270101T000000Z.db"]
    for name in others:
        (copies / name).touch()

    made = [backup.back_up(settings, copies, keep=3, now=NOW + n * DAY_S) for n in range(5)]

    assert made[0].file.name == f"books-{STAMP}.db"
    assert [len(one.removed) for one in made] == [0, 0, 0, 1, 1]
    assert made[4].removed == (made[1].file,)
    assert {*names(copies)} == {*others, *(one.file.name for one in made[2:])}


def test_the_panels_backups_go_where_the_settings_say(settings: Settings, tmp_path: Path) -> None:
    there = {"backup_folder": tmp_path / "far" / "away", "backups_kept": 2}
    for n in range(3):
        made = backup.into_folder(settings.model_copy(update=there), now=NOW + n)
    assert made.file.parent == tmp_path / "far" / "away"
    assert len(names(made.file.parent)) == 2

    (tmp_path / "taken").touch()
    with pytest.raises(backup.BackupError, match="BACKUP_FOLDER"):
        backup.into_folder(settings.model_copy(update={"backup_folder": tmp_path / "taken"}))


def test_without_keep_no_backup_goes(settings: Settings, copies: Path) -> None:
    for n in range(4):
        backup.back_up(settings, copies, now=NOW + n)
    assert len(names(copies)) == 4


@pytest.mark.parametrize("words", [["new/"], ["new", "--keep", "3"], ["new/deep/", "--keep", "3"]])
def test_a_folder_for_backups_is_made_for_the_bot_alone(
    dicehall: Run, played: str, words: list[str], tmp_path: Path
) -> None:
    made = [Path(dicehall("backup", *words, "--json").document["file"]) for _ in range(2)]

    folder = tmp_path / words[0]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert names(folder) == sorted(file.name for file in made)


def test_two_backups_in_one_second_are_two(settings: Settings, copies: Path) -> None:
    for _ in range(2):
        backup.back_up(settings, copies, now=NOW)
    assert names(copies) == [f"books-{STAMP}-2.db", f"books-{STAMP}.db"]


def test_what_a_killed_backup_left_goes_a_day_later(settings: Settings, copies: Path) -> None:
    for name in (".books-x.part", ".books-y.part"):
        (copies / name).touch()

    backup.back_up(settings, copies)
    assert len(names(copies)) == 3
    backup.back_up(settings, copies, now=(copies / ".books-x.part").stat().st_mtime + DAY_S + 1)
    assert [name for name in names(copies) if name.endswith(".part")] == []


def test_a_full_disk_leaves_no_half_file(
    dicehall: Run, copies: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def small(name: Any, *args: Any, **more: Any) -> sqlite3.Connection:
        db = connect(name, *args, **more)
        if str(name).endswith(".part"):
            db.execute("PRAGMA max_page_count = 9")
        return db

    monkeypatch.setattr("tgbot.operator.backup.sqlite3.connect", small)

    dicehall("backup", str(copies)).refused("PATH", "the disk is full", str(copies))
    assert names(copies) == []


def test_a_file_system_that_takes_no_more_leaves_no_half_file(file: Path, copies: Path) -> None:
    # The limit of the process hits after 64 blocks of 1024 bytes.
    said = subprocess.run(
        ["bash", "-c", f"ulimit -f 64; exec {sys.executable} -m tgbot backup {copies}"],
        env={"PYTHONPATH": str(ROOT), "DATABASE": f"sqlite:///{file}", "PATH": "/usr/bin:/bin"},
        cwd=copies.parent, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip

    Said(said.returncode, said.stdout, said.stderr).refused("PATH", "nothing was left")
    assert names(copies) == []


def test_a_copy_that_fails_its_audit_is_not_kept_and_takes_no_place(
    dicehall: Run, books: sqlite3.Connection, copies: Path
) -> None:
    dicehall("backup", str(copies), "--keep", "1")
    good = names(copies)
    books.execute("UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'")

    said = dicehall("backup", str(copies), "--keep", "1")

    said.refused("DATABASE", "fails its audit", "coins add up to 3", "dicehall audit")
    assert names(copies) == good


WRONG_BACKUPS = {
    "is there already": ["backup", "books.db"],
    "there already": ["backup", "/etc/hostname"],
    "no folder": ["backup", "/no/such/folder/x.db"],
    "PATH": ["backup", ""],
    "PATH: books.db: file exists": ["backup", "books.db", "--keep", "3"],
    "PATH: books.db: file": ["backup", "books.db/"],
    "PATH: /proc/none: ": ["backup", "/proc/none/"],
    "--keep: 1 to 10000": ["backup", ".", "--keep", "0"],
    "--keep": ["backup", ".", "--keep", "١"],
    "path": ["backup"],
}


@pytest.mark.parametrize("told", WRONG_BACKUPS)
def test_a_backup_that_is_asked_for_wrongly_is_refused(
    dicehall: Run, played: str, tmp_path: Path, told: str
) -> None:
    before = names(tmp_path)
    dicehall(*WRONG_BACKUPS[told]).refused(told)
    assert names(tmp_path) == before


def test_a_folder_nobody_may_write_to_is_named(dicehall: Run, file: Path) -> None:
    # /proc takes no files, not even from root.
    dicehall("backup", "/proc").refused("PATH", "nothing was left in /proc")


@pytest.mark.parametrize("command", ["backup", "restore", "verify"])
def test_a_path_that_cannot_be_looked_at_is_told_in_one_line(
    dicehall: Run, played: str, tmp_path: Path, command: str
) -> None:
    before = names(tmp_path)
    dicehall(command, "x" * 5000).refused("xxx…: file name too long")
    assert names(tmp_path) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_the_wrong_user_is_told_in_one_line(
    dicehall: Run, played: str, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = names(tmp_path)
    monkeypatch.chdir("/")
    os.seteuid(65534)
    try:
        said = dicehall(command, f"{tmp_path}/copy.db")
    finally:
        os.seteuid(0)
    said.refused("permission denied")
    assert names(tmp_path) == before


def test_there_must_be_something_to_back_up(dicehall: Run, tmp_path: Path) -> None:
    dicehall("backup", "x.db", DATABASE="sqlite:///none.db").refused("DATABASE", "none.db")
    (tmp_path / "novel.db").write_text("It was a dark and stormy night. " * 40)
    dicehall("backup", "x.db", DATABASE="sqlite:///novel.db").refused("DATABASE", "novel.db")
    assert names(tmp_path) == ["novel.db"]


def test_other_databases_have_their_own_tools(dicehall: Run) -> None:
    database = "postgresql://me@127.0.0.1:9/dicehall"
    dicehall("backup", "x.db", DATABASE=database).refused("DATABASE", "pg_dump")
    dicehall("restore", "x.db", DATABASE=database).refused("DATABASE", "pg_restore")


# -- restore ----------------------------------------------------------------------------------


@pytest.fixture
def copy(dicehall: Run, file: Path, copies: Path) -> Path:
    """A copy made before Anna was granted 50."""
    dicehall("backup", f"{copies}/copy.db")
    dicehall("grant", str(ANNA), "50", "--reason", "after the copy")
    return copies / "copy.db"


def test_restore_puts_a_copy_back_and_keeps_what_it_replaces(
    dicehall: Run, settings: Settings, copy: Path, file: Path
) -> None:
    richer, original = content(file), content(copy)

    done = backup.restore(settings, copy, now=NOW)

    assert content(file) == original
    assert done.kept == file.with_name(f"books-replaced-{STAMP}.db")
    assert content(done.kept) == richer
    assert (done.file, done.bookings, done.applied) == (file, 7, ())
    assert dicehall("audit", "--json").document["ok"] is True
    # What was kept can be put back in its turn.
    assert dicehall("restore", str(done.kept), "--json").document["bookings"] == 8
    assert content(file) == richer


def test_restore_leaves_nothing_else_behind(dicehall: Run, copy: Path, file: Path) -> None:
    before = set(names(file.parent))

    done = dicehall("restore", str(copy), "--json").document

    assert set(names(file.parent)) - before == {Path(done["kept"]).name, "books.db.lock"}
    assert before - set(names(file.parent)) <= {"books.db-wal", "books.db-shm"}


def test_restore_needs_no_database_to_replace(dicehall: Run, copy: Path, tmp_path: Path) -> None:
    done = dicehall("restore", str(copy), "--json", DATABASE="sqlite:///other.db").document
    assert (done["kept"], done["bookings"]) == (None, 7)
    assert content(tmp_path / "other.db") == content(copy)


def test_restore_replaces_a_ruin(dicehall: Run, copy: Path, file: Path) -> None:
    file.write_bytes(b"\0" * 5000)

    done = dicehall("restore", str(copy), "--json").document

    assert Path(done["kept"]).read_bytes() == b"\0" * 5000
    assert dicehall("audit", "--json").document["ok"] is True


def test_the_log_of_what_is_replaced_is_not_taken_for_one_of_the_copy(
    dicehall: Run, books: sqlite3.Connection, copy: Path, file: Path, tmp_path: Path
) -> None:
    # A bot was killed: its last commits are in the log only.
    books.execute("PRAGMA wal_autocheckpoint = 0")
    books.execute("UPDATE people SET name = 'Late' WHERE user_id = 11")
    dead = tmp_path / "dead"
    dead.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{file}{suffix}", dead)

    done = dicehall("restore", str(copy), "--json", DATABASE=f"sqlite:///{dead}/books.db").document

    assert "Late" not in " ".join(content(dead / "books.db"))
    assert "Late" in " ".join(content(Path(done["kept"])))


def test_the_log_beside_a_copy_belongs_to_it(
    dicehall: Run, books: sqlite3.Connection, file: Path, tmp_path: Path
) -> None:
    books.execute("PRAGMA wal_autocheckpoint = 0")
    books.execute("UPDATE people SET name = 'Late' WHERE user_id = 11")
    for suffix in ("", "-wal"):
        shutil.copy(f"{file}{suffix}", f"{tmp_path}/plain.db{suffix}")

    assert dicehall("restore", "plain.db", DATABASE="sqlite:///new.db").status == 0

    assert "Late" in " ".join(content(tmp_path / "new.db"))


def damaged_page(copy: Path) -> None:
    with copy.open("r+b") as raw:
        raw.seek(4096 * 2)
        raw.write(b"\xff" * 4096 * 3)


def cut(copy: Path) -> None:
    copy.write_bytes(copy.read_bytes()[:30_000])


def other_program(copy: Path) -> None:
    copy.unlink()
    with sqlite3.connect(copy) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()


def changed(*statements: str) -> Callable[[Path], None]:
    def change(copy: Path) -> None:
        db = sqlite3.connect(copy, isolation_level=None)
        for statement in statements:
            db.execute(statement)
        db.close()

    return change


RUINED: dict[str, Callable[[Path], object]] = {
    "there is no file": Path.unlink,
    "is no ledger of this bot (file is not a database)": lambda copy: copy.write_text("x" * 999),
    "is no ledger of this bot": lambda copy: copy.write_bytes(b""),
    "no ledger of this bot": other_program,
    "is damaged": damaged_page,
    "malformed": cut,
    "fails its audit (coins add up to 3": changed(
        "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet' AND currency = 'coins'"
    ),
    "trigger bookings_no_update is missing": changed("DROP TRIGGER bookings_no_update"),
    "is of a newer version": changed(
        "INSERT INTO economy_migrations (name, applied) VALUES ('0099_later', '2030-01-01')"
    ),
    "it needs dicehall 9.1.0 or newer": changed(
        "INSERT INTO hall_migrations (name, applied) VALUES ('0099_later', '2030-01-01')",
        "UPDATE facts SET value = '9.1.0' WHERE name = 'version'",
    ),
}


@pytest.mark.parametrize("told", RUINED)
def test_what_is_no_sound_ledger_is_not_restored_and_nothing_is_replaced(
    dicehall: Run, copy: Path, file: Path, told: str
) -> None:
    RUINED[told](copy)
    before = content(file)
    there = {*names(file.parent), "books.db.lock"}

    said = dicehall("restore", str(copy))

    said.refused("PATH", told)
    assert content(file) == before
    assert {*names(file.parent), "books.db.lock"} == there


def test_the_database_itself_is_not_restored(dicehall: Run, file: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(file)
    for name in ("books.db", "link.db"):
        dicehall("restore", name).refused("PATH", "the database itself")
    dicehall("restore", ".").refused("PATH", "no file")
    dicehall("restore", "").refused("PATH")
    dicehall("restore").refused("path")


def test_a_disk_that_is_full_restores_nothing(
    dicehall: Run, copy: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, there = content(file), {*names(file.parent), "books.db.lock"}

    def full(source: str, target: str) -> None:
        Path(target).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tgbot.operator.backup.shutil.copyfile", full)

    dicehall("restore", str(copy)).refused("PATH", "no space left", "nothing was replaced")
    assert content(file) == before
    assert {*names(file.parent), "books.db.lock"} == there


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A database of an earlier version, which knew only the first migrations."""
    old = []
    for folder, name in parts.MIGRATIONS:
        kept = tmp_path / f"old_{name}"
        kept.mkdir()
        shutil.copy(min(folder.glob("0001_*.py")), kept)
        old.append((kept, name))
    settings = config.load(database=f"sqlite:///{tmp_path}/old.db")
    with monkeypatch.context() as patch:
        patch.setattr(parts, "MIGRATIONS", tuple(old))
        patch.setattr(parts, "MODELS", ())
        patch.setattr("tgbot.facts.note", lambda *_: None)
        open_database(settings).close()
    return settings


def test_a_backup_before_an_upgrade_changes_nothing_and_is_upgraded_by_restore(
    dicehall: Run, earlier: Settings, tmp_path: Path
) -> None:
    before = content(tmp_path / "old.db")

    made = dicehall("backup", "copy.db", "--json", DATABASE=earlier.database).document
    assert made["bookings"] == 0
    assert content(tmp_path / "old.db") == before
    done = dicehall("restore", "copy.db", "--json", DATABASE=earlier.database).document

    assert "0002_ops" in done["applied"]
    assert dicehall("migrate", "--json", DATABASE=earlier.database).document["applied"] == []
    assert content(Path(done["kept"])) == before


# -- one bot for one file ---------------------------------------------------------------------


def test_restore_refuses_while_a_bot_runs(
    dicehall: Run, settings: Settings, copy: Path, file: Path
) -> None:
    before = content(file)
    db = open_database(settings)
    with alone(settings):
        assert is_running(settings, db)
        dicehall("restore", str(copy)).refused("DATABASE", "a bot", "serves books.db", "stop it")
        assert content(file) == before
    assert not is_running(settings, db)
    db.close()
    assert dicehall("restore", str(copy)).status == 0


def test_a_second_bot_on_the_same_file_is_refused_however_it_names_the_file(
    dicehall: Run, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "books.db")
    with alone(settings):
        for url in (settings.database, "sqlite:///books.db", "sqlite:///link.db"):
            said = dicehall("run", BOT_TOKEN=TOKEN, BOT_API="http://127.0.0.1:9", DATABASE=url)
            said.refused("DATABASE", "a bot (process ")
        with pytest.raises(Running), alone(settings):
            pass
        with alone(settings.model_copy(update={"database": "sqlite:///other.db"})):
            pass


async def test_a_running_bot_holds_its_file_until_it_is_dead(tmp_path: Path) -> None:
    async with mortal(tmp_path) as process:
        await process.start()
        await process.serving()

        # Beside it: a copy may be made, nothing may be put back, no second bot may start.
        status, _, err = await process.command("backup", "copy.db", "--json")
        assert (status, err) == (0, "")
        Said(*await process.command("restore", "copy.db")).refused("DATABASE", "stop it first")
        Said(*await process.command("run")).refused("DATABASE", "a bot (process ")
        assert not process.dead

        # However it ends, the next one may start.
        process.signal(signal.SIGKILL)
        await process.ended()
        status, out, _ = await process.command("restore", "copy.db", "--json")
        assert (status, json.loads(out)["bookings"]) == (0, 0)
        await process.start()
        await process.serving()


# -- whose the files are ----------------------------------------------------------------------


def test_nobody_else_reads_what_a_command_makes(dicehall: Run, tmp_path: Path) -> None:
    os.umask(0o022)  # as a shell has it

    dicehall("migrate", DATABASE=f"sqlite:///{tmp_path}/new.db")
    dicehall("backup", "copies/", DATABASE=f"sqlite:///{tmp_path}/new.db")

    made = [tmp_path / "new.db", tmp_path / "copies", *(tmp_path / "copies").iterdir()]
    assert len(made) == 3
    assert [path.stat().st_mode & 0o077 for path in made] == [0] * 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_what_root_makes_belongs_to_whom_the_folder_belongs(
    dicehall: Run, played: str, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    os.chown(state, 12345, 54321)
    dicehall("backup", f"{tmp_path}/copy.db")

    at = {"DATABASE": f"sqlite:///{state}/dicehall.db"}
    assert dicehall("restore", f"{tmp_path}/copy.db", **at).status == 0
    assert dicehall("restore", f"{tmp_path}/copy.db", **at).status == 0
    assert dicehall("backup", f"{state}/backups/", **at).status == 0

    made = [*state.rglob("*")]
    assert len(made) >= 5  # the database, the one it replaced, the lock, the folder, the copy
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(12345, 54321)}


# -- copy-to ----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(postgres: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with database(postgres) as url:
        yield url


def test_copy_to_a_new_postgresql_moves_everything(
    dicehall: Run, played: str, elsewhere: str, tmp_path: Path
) -> None:
    (tmp_path / "url").write_text(f"{elsewhere}\n")  # no command line shows a password

    copied = dicehall("copy-to", "url", "--json").document

    assert (copied["ok"], copied["bookings"]) == (True, 7)
    here, there = (
        dicehall("audit", "--json", **at).document for at in ({}, {"DATABASE_FILE": "url"})
    )
    assert here == there
    assert dicehall("export", DATABASE=elsewhere).out == dicehall("export").out
    assert dicehall("verify", played, "--json", DATABASE=elsewhere).document["ok"] is True


@pytest.mark.parametrize("words", ["drain", "fund 5 --reason x"])
def test_copy_to_a_database_that_holds_anything_copies_nothing(
    dicehall: Run, played: str, elsewhere: str, words: str
) -> None:
    dicehall("migrate", DATABASE=elsewhere)
    dicehall(*words.split(), DATABASE=elsewhere)
    before = dicehall("export", DATABASE=elsewhere).out

    dicehall("copy-to", elsewhere).refused("nothing was copied", "the target is not empty")

    assert dicehall("export", DATABASE=elsewhere).out == before
    # What was refused can be said again: the version it noted is still there.
    dicehall("copy-to", elsewhere).refused("nothing was copied")


def test_what_is_noted_of_the_bot_is_copied_with_the_rest(
    dicehall: Run, played: str, elsewhere: str, file: Path
) -> None:
    dicehall("drain")
    changed("UPDATE facts SET value = '0.0.1' WHERE name = 'version'")(file)

    dicehall("copy-to", elsewhere)

    with psycopg.connect(elsewhere) as db:
        facts = dict(db.execute("SELECT name, value FROM facts").fetchall())
    assert facts == {"draining": "1", "version": "0.0.1"}


def test_copy_to_goes_back_from_postgresql_unless_a_worker_serves_it(
    dicehall: Run, played: str, elsewhere: str, tmp_path: Path
) -> None:
    dicehall("copy-to", elsewhere)
    back = f"sqlite:///{tmp_path}/back.db"
    with psycopg.connect(elsewhere) as db:
        db.execute("INSERT INTO workers (name, until) VALUES ('one', 2000000000)")

    dicehall("copy-to", back, DATABASE=elsewhere).refused("a worker serves this database")
    with psycopg.connect(elsewhere) as db:
        db.execute("DELETE FROM workers")
    copied = dicehall("copy-to", back, "--json", DATABASE=elsewhere).document

    assert copied["ok"] is True
    assert dicehall("export", DATABASE=back).out == dicehall("export").out
    assert dicehall("verify", played, "--json", DATABASE=back).document["ok"] is True


# -- drain ------------------------------------------------------------------------------------


def reopen(file: Path) -> None:
    """The finished game runs again."""
    changed("UPDATE games SET status = 'running'")(file)


def opened_one(settings: Settings) -> bool:
    """Whether somebody can open a game now, with others or alone."""
    db = open_database(settings)
    hall, _ = open_hall(db, settings)
    person = Person(ANNA, "Anna", "en")
    ways = {
        lambda: hall.lobby.open(person, GROUP - 1, 0, "fifty", NOW),
        lambda: hall.lobby.open_solo(person, "farkle20", NOW),
    }
    told = set()
    for way in ways:
        with db.atomic() as transaction:
            try:
                way()
                told.add("")
            except Refusal as refusal:
                told.add(refusal.text.key)
            transaction.rollback()
    db.close()
    assert told in ({""}, {"refused.draining"})
    return told == {""}


def test_drain_opens_no_new_games_until_it_is_taken_back(
    dicehall: Run, settings: Settings, file: Path
) -> None:
    assert opened_one(settings)

    assert dicehall("drain", "--json").document == {"draining": True, "open": 0}
    assert not opened_one(settings)
    reopen(file)
    assert dicehall("drain", "--json").document == {"draining": True, "open": 1}
    assert dicehall("drain", "--off", "--json").document == {"draining": False, "open": 1}

    assert opened_one(settings)
    assert dicehall("drain", "--off").out == "new games open again; open now: 1\n"
    assert dicehall("drain").out == "no new games open; open now: 1\n"


def test_drain_can_wait_for_the_last_game(
    dicehall: Run, settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reopen(file)
    waited = []

    def ends(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            changed("UPDATE games SET status = 'over'")(file)

    monkeypatch.setattr("tgbot.cli.upkeep.time.sleep", ends)
    with alone(settings):
        document = dicehall("drain", "--wait", "--json").document

    assert document == {"draining": True, "open": 0}
    assert len(waited) == 3


def test_drain_does_not_wait_for_games_that_nobody_ends(dicehall: Run, file: Path) -> None:
    assert dicehall("drain", "--wait", "--json").document["open"] == 0
    reopen(file)
    dicehall("drain", "--wait").refused("--wait", "no bot runs")
    dicehall("drain", "--wait", "--off").refused("--wait", "--off")
    dicehall("drain", "now").refused("now")


# -- export -----------------------------------------------------------------------------------

MEMO = 'for "the" raffle, =1+1; ünd 🎲'


@pytest.fixture
def booked(dicehall: Run, played: str) -> int:
    """So many bookings, one with a memo that needs quoting."""
    dicehall("grant", str(ANNA), "50", "--reason", MEMO, "--key", "k")
    return 8


def check_postings(postings: list[tuple[str, str, int]]) -> None:
    """(booking, currency, amount): every booking adds up to zero."""
    sums: dict[tuple[str, str], int] = {}
    for booking, currency, amount in postings:
        sums[booking, currency] = sums.get((booking, currency), 0) + amount
    assert set(sums.values()) == {0}


def test_export_is_a_line_a_posting(dicehall: Run, booked: int, file: Path) -> None:
    said = dicehall("export")

    assert (said.status, said.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    db = sqlite3.connect(file)
    [(postings,)] = db.execute("SELECT count(*) FROM postings")
    db.close()
    assert len(rows) == postings
    assert len({row["booking"] for row in rows}) == booked
    check_postings([(row["booking"], row["currency"], int(row["amount"])) for row in rows])
    assert rows[-1] == {
        "booking": "8", "key": "grant:k", "reason": "grant", "at": rows[-1]["at"], "memo": MEMO,
        "kind": "wallet", "ref": str(ANNA), "currency": "coins", "amount": "50",
    }  # fmt: skip


def test_export_as_json_lines_is_a_line_a_booking(dicehall: Run, booked: int) -> None:
    lines = dicehall("export", "--format", "jsonl").out.splitlines()

    bookings = [json.loads(line) for line in lines]
    assert [booking["booking"] for booking in bookings] == list(range(1, booked + 1))
    assert bookings[-1]["memo"] == MEMO
    check_postings(
        [(b["key"], p["currency"], p["amount"]) for b in bookings for p in b["postings"]]
    )
    # The same as one document.
    assert dicehall("export", "--json").document == {"bookings": bookings}


def test_export_reads_in_batches(
    dicehall: Run, booked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = dicehall("export").out
    for batch in (1, 3):
        monkeypatch.setattr("tgbot.operator.export.BATCH", batch)
        assert dicehall("export").out == whole


def test_export_of_nothing_is_nothing(dicehall: Run) -> None:
    dicehall("migrate")
    assert dicehall("export").out.count("\n") == 1
    assert dicehall("export", "--format", "jsonl").out == ""
    assert dicehall("export", "--json").document == {"bookings": []}


@pytest.mark.parametrize("form", ["xml", "CSV", "", "json"])
def test_export_knows_two_formats(dicehall: Run, form: str) -> None:
    dicehall("export", "--format", form).refused("--format", "csv or jsonl")


def test_whoever_reads_an_export_may_stop(file: Path) -> None:
    said = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m tgbot export | head -n 1"],
        env={"PYTHONPATH": str(ROOT), "DATABASE": f"sqlite:///{file}", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert said.stdout.startswith("booking,key,")
    assert said.stderr == ""


# -- newer versions ---------------------------------------------------------------------------

LATER = "INSERT INTO hall_migrations (name, applied) VALUES ('0099_later', '2030-01-01')"
COMMANDS = [
    "run", "migrate", "audit", "verify x", "grant 11 5 --reason x", "correct 11 5 --reason x",
    "fund 5 --reason x", "supply", "export", "bar 11 --reason x", "unbar 11", "erase 11", "drain",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_of_a_newer_version_is_refused_with_the_version_it_needs(
    dicehall: Run, file: Path, command: str
) -> None:
    changed(LATER, "UPDATE facts SET value = '9.1.0' WHERE name = 'version'")(file)
    before = content(file)

    said = dicehall(*command.split(), BOT_TOKEN=TOKEN, BOT_API="http://127.0.0.1:9")

    said.refused("DATABASE", "it needs dicehall 9.1.0 or newer", "0099_later", "this is ")
    assert "dicehall restore puts a backup in its place, made before the upgrade" in said.err
    assert content(file) == before


@pytest.mark.parametrize("forget", ["DELETE FROM facts", "DROP TABLE facts"])
def test_a_newer_version_that_left_no_name_is_refused_all_the_same(
    dicehall: Run, file: Path, forget: str
) -> None:
    changed(LATER, forget)(file)
    dicehall("audit").refused("DATABASE", "a newer dicehall", "0099_later")


def test_a_newer_database_is_not_half_brought_up_to_date(earlier: Settings) -> None:
    file = Path(earlier.database.removeprefix("sqlite:///"))
    changed(LATER)(file)
    before = content(file)

    with pytest.raises(Newer):
        open_database(earlier)

    assert content(file) == before


def test_the_version_that_made_the_tables_is_noted(file: Path) -> None:
    db = sqlite3.connect(file)
    [(version,)] = db.execute("SELECT value FROM facts WHERE name = 'version'")
    db.close()
    assert version == __version__


async def test_a_newer_database_ends_the_real_bot_with_exit_status_2(tmp_path: Path) -> None:
    async with mortal(tmp_path) as process:
        assert (await process.command("migrate"))[0] == 0
        await asyncio.to_thread(changed(LATER), process.database)
        Said(*await process.command("run")).refused("DATABASE", "0099_later")
