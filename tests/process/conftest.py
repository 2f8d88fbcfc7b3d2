"""Tests of the real process: time passes, and settings come from nowhere but the test."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from games.fairness import Stream
from games.fifty.policy import cautious
from tests.process.typed import ANNA, BEN, CEM, GROUP, NOW, STAKE, Run, Said
from tgbot.cli import main as cli
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.people.people import Who

KEY = b"k" * 32


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"real": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tables: Path) -> None:
    """Without any setting of the machine, in an empty folder without a `.env`.

    Only the tables of the minds are there, which take long to make.
    """
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("MIND_FOLDER", str(tables))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """A command sets up the logs of the whole process; no other test is to notice."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def dicehall(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`dicehall(*words, SETTING=value)` as it would be typed."""

    def run(*words: str, **environment: str) -> Said:
        with monkeypatch.context() as patch:
            patch.setattr("sys.argv", ["dicehall", *words])
            patch.setenv("COLUMNS", "100")
            for name, value in environment.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as end:
                cli.main()
        said = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Said(end.value.code, said.out, said.err)

    return run


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a finished staked game of Anna, Ben and Cem, in the database of the settings."""
    game_id, database = _evening()
    monkeypatch.setenv("DATABASE", f"sqlite:///{tmp_path}/books.db")
    monkeypatch.setenv("DICE_KEY_FILE", str(tmp_path / "dice.key"))
    (tmp_path / "dice.key").write_bytes(KEY)
    (tmp_path / "books.db").write_bytes(database)
    return game_id


@cache
def _evening() -> tuple[str, bytes]:
    """The game is played once; the id, and the file it is in."""
    with tempfile.TemporaryDirectory() as folder:
        file, key = Path(folder) / "books.db", Path(folder) / "dice.key"
        key.write_bytes(KEY)
        settings = Settings(_env_file=None, database=f"sqlite:///{file}", dice_key_file=key)
        db = open_database(settings)
        hall, people = open_hall(db, settings)
        with db.atomic():
            hall.chats.meet(GROUP, "Round")
            hall.chats.set(GROUP, "stake", str(STAKE), 0, 0)
            names = {ANNA: "Anna", BEN: "Ben [/b]", CEM: "Cem"}
            party = [people.meet(Who(user, name, name[:3]), NOW) for user, name in names.items()]
            game_id = hall.lobby.open(party[0], GROUP, 0, "fifty", NOW).games[0]
            for person in party:
                hall.lobby.join(person, game_id, NOW)
            hall.lobby.start(party[0], game_id, NOW)
            draw = Stream(b"seed", b"policy", 0)
            while (table := hall.tables.get(game_id)).status == "running":
                seat = table.phase().actors[0]
                hall.play.move(game_id, seat, cautious(table.state, seat, draw), NOW)
        hall.tables.committed()
        db.close()
        return game_id, file.read_bytes()


@pytest.fixture
def books(played: str, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The database of that game, to be damaged."""
    db = sqlite3.connect(tmp_path / "books.db", isolation_level=None)
    yield db
    db.close()
