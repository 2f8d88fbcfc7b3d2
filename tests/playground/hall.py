"""A group of three people and the bot, and calls that must succeed or be refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tgbot.playground import Chat, Message, Person, Telegram


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
