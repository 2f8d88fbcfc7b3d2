"""Tests of the real process: time passes, and settings come from nowhere but the test."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tgbot.config import Settings


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"real": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without any setting of the machine, in an empty folder without a `.env`."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """A command sets up the logs of the whole process; no other test is to notice."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
