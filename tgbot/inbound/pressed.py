"""A press as Telegram sends it: most of what comes in, so nothing needless is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from telegram.constants import ChatType

from tgbot.inbound.asks import Ask
from tgbot.people.people import Who


@dataclass(frozen=True, slots=True)
class Pressed:
    """Who pressed where, and what the button says; `readable` is whether its message still is."""

    ask: Ask
    data: str | None
    readable: bool


def pressed(update: Mapping[str, Any]) -> Pressed:
    """The press in an update. Raises LookupError or TypeError for what is none."""
    query = update["callback_query"]
    sender, message = query["from"], query.get("message")
    chat = message["chat"] if message else {"id": sender["id"], "type": ChatType.PRIVATE}
    ask = Ask(
        update["update_id"],
        _who(sender),
        chat["id"],
        chat["type"] == ChatType.PRIVATE,
        topic=_topic(message) if message else 0,
        title=chat.get("title", ""),
        message_id=message["message_id"] if message else 0,
        query_id=query["id"],
        channel=chat["type"] == ChatType.CHANNEL,
    )
    # Telegram gives a message that it does not show any more no date.
    return Pressed(ask, query.get("data"), bool(message and message.get("date")))


def _who(user: Mapping[str, Any]) -> Who:
    first, last = user["first_name"], user.get("last_name")
    name = f"{first} {last}" if last else first
    return Who(user["id"], name, user.get("username", ""), user.get("language_code", ""))


def _topic(message: Mapping[str, Any]) -> int:
    return message.get("message_thread_id", 0) if message.get("is_topic_message") else 0
