"""A hall with three people in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tgbot.playground import Chat, Limits, Message, Person, Telegram
from tgbot.soak.virtual import VirtualLoop, now


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    # Over sockets, time has to pass: a jump would end every wait for the other side.
    if item.path.name == "test_http.py":
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualLoop}


@dataclass
class Hall:
    """Anna, Ben and Cem in a group with the bot; nothing waits for the bot yet."""

    telegram: Telegram
    anna: Person
    ben: Person
    cem: Person
    group: Chat

    async def result(self, method: str, **params: Any) -> Any:
        """The result of a call that must succeed."""
        status, body = await self.telegram.call(method, params)
        assert status == 200, body
        return body["result"]

    async def refusal(self, method: str, **params: Any) -> tuple[int, str]:
        """(status, description) of a call that must be refused."""
        status, body = await self.telegram.call(method, params)
        assert status != 200, body
        assert not body["ok"]
        assert body["error_code"] == status
        return status, body["description"]

    async def send(self, text: str = "hello", **params: Any) -> Message:
        """A message of the bot in the group."""
        sent = await self.result("sendMessage", chat_id=self.group.id, text=text, **params)
        return self.group.messages[sent["message_id"]]

    async def updates(self, **params: Any) -> list[dict[str, Any]]:
        """What waits; everything is confirmed."""
        updates: list[dict[str, Any]] = await self.result("getUpdates", **params)
        if updates:
            await self.result("getUpdates", offset=updates[-1]["update_id"] + 1)
        return updates


def keyboard(*rows: str) -> dict[str, Any]:
    """An inline keyboard of `text=data` words, one string per row."""
    return {
        "inline_keyboard": [
            [
                {"text": text, "callback_data": data}
                for text, _, data in (word.partition("=") for word in row.split())
            ]
            for row in rows
        ]
    }


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
