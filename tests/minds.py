"""The tables minds need, worked out once for all tests: kept by pytest's cache between runs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from games import mind
from tgbot.hall import minds

ROOT = Path(__file__).parent.parent
SOURCES = ("games/yahtzee/mind.py", "games/yahtzee/keeps.py")
"""What the tables are made by."""


def folder(config: pytest.Config) -> Path:
    """The folder of the tables that this code makes; it need not hold them yet."""
    assert config.cache
    return config.cache.mkdir("minds") / version()


def kept() -> Path:
    """The folder of the tables, all of them ready, where no pytest runs."""
    where = ROOT / ".pytest_cache" / "d" / "minds" / version()
    ready(where)
    return where


def version() -> str:
    """What tells tables made by this code from others."""
    made_by = hashlib.sha256()
    for source in SOURCES:
        made_by.update((ROOT / source).read_bytes())
    return made_by.hexdigest()[:16]


def ready(where: Path) -> None:
    """Makes what is missing there, once for all workers, and lends every mind its table."""
    for table in minds.tables():
        if not table.ready:
            minds.make(table, where)


def unready(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the rest of a test no mind has its table."""
    monkeypatch.setattr(mind, "_lent", {})
    for table in minds.tables():
        monkeypatch.setattr(table, "_numbers", None)
