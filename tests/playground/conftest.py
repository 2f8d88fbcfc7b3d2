"""A hall with three people in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest

from tests.playground.hall import Hall
from tgbot.playground import Limits, Telegram
from tgbot.soak.virtual import VirtualLoop, now


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    # Over sockets, time has to pass: a jump would end every wait for the other side.
    if item.path.name == "test_http.py":
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualLoop}


def make_hall(limits: Limits) -> Hall:
    telegram = Telegram(now=now, limits=limits)
    anna, ben, cem = (telegram.person(name) for name in ("Anna", "Ben", "Cem"))
    hall = Hall(telegram, anna, ben, cem, telegram.group("Würfelrunde", anna, ben, cem))
    telegram.queue.drop()
    return hall


@pytest.fixture
def hall() -> Hall:
    """Without flood limits."""
    return make_hall(Limits(off=True))


@pytest.fixture
def strict_hall() -> Hall:
    """With Telegram's flood limits."""
    return make_hall(Limits())
