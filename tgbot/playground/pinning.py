"""Bot API methods that pin messages and unpin them."""

from __future__ import annotations

from typing import Any

from tgbot.playground import params as read
from tgbot.playground.errors import bad
from tgbot.playground.model import Chat, Json, Message
from tgbot.playground.world import World

_RIGHT = "can_pin_messages"


def pin_chat_message(world: World, params: Json) -> Any:
    """pinChatMessage: True; in a group a service message tells of it, with or without a sound."""
    chat, message = _pinnable(world, params, "pin")
    if message.id not in chat.pinned:
        chat.pinned.append(message.id)
        pinned = message.json(with_reply=False)
        world.announce(chat, world.bot, f"{world.bot.name} pinned a message", pinned_message=pinned)
        world.emit_chat(chat)
    return True


def unpin_chat_message(world: World, params: Json) -> Any:
    """unpinChatMessage: True, also for a message that was not pinned."""
    chat, message = _pinnable(world, params, "unpin")
    if message.id in chat.pinned:
        chat.pinned.remove(message.id)
        world.emit_chat(chat)
    return True


def _pinnable(world: World, params: Json, what: str) -> tuple[Chat, Message]:
    """The message; 400 where there is none, and without the right to pin in a group."""
    chat = read.budgeted_chat(world, params)
    if chat.is_group and (chat.bot_status != "administrator" or _RIGHT in chat.bot_lacks):
        raise bad("not enough rights to manage pinned messages in the chat")
    message = chat.messages.get(read.integer(params, "message_id"))
    if message is None or message.deleted or message.service is not None:
        raise bad(f"message to {what} not found")
    return chat, message
