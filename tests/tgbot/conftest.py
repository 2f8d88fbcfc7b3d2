"""A running house for each test, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.tgbot.house import House, running_house
from tgbot.config import Settings
from tgbot.playground import Limits
from tgbot.soak.virtual import VirtualLoop, virtual_time


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("real_time"):
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualLoop}


@pytest.fixture(autouse=True)
def _time_is_virtual() -> Iterator[None]:
    with virtual_time():
        yield


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A running house without flood limits, in English."""
    async for made in running_house(tmp_path, Limits(off=True)):
        yield made


@pytest.fixture
async def strict_house(tmp_path: Path) -> AsyncIterator[House]:
    """A running house with Telegram's own limits."""
    async for made in running_house(tmp_path, Limits()):
        yield made


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any setting of the machine the tests run on."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
