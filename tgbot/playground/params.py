"""Reading the parameters of a call: the right type or Telegram's refusal."""

from __future__ import annotations

from typing import Any

from tgbot.playground.entities import found
from tgbot.playground.errors import Refusal, bad, too_many
from tgbot.playground.markup import clean, is_visible, parse, trim, utf16_length
from tgbot.playground.model import Chat, Json, Message
from tgbot.playground.world import World


def string(params: Json, name: str, default: str = "") -> str:
    """A string; numbers are taken as their digits."""
    value = params.get(name)
    if value is None:
        return default
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise bad(f'parameter "{name}" must be a string')


def integer(params: Json, name: str, default: int = 0) -> int:
    """A whole number, also in digits."""
    value = params.get(name)
    if value is None or value == "":
        return default
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return int(str(value))
    except ValueError:
        raise bad(f'parameter "{name}" must be an integer') from None


def number(params: Json, name: str) -> float:
    """Seconds: a number, 0 if missing."""
    value = params.get(name)
    if isinstance(value, int | float):
        return float(value)
    return float(integer(params, name))


def flag(params: Json, name: str) -> bool:
    """A truth value, also written out."""
    return params.get(name) in (True, 1, "true", "True", "1")


def strings(params: Json, name: str) -> list[str]:
    """A list of strings, empty if missing."""
    value = params.get(name)
    if value is None or value == "":
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise bad(f'parameter "{name}" must be an Array of String')
    return value


def chat(world: World, params: Json) -> Chat:
    """The chat of `chat_id`, into which the bot may write.

    Raises Refusal: 400 not found or migrated, 403 kicked, blocked or never written to.
    """
    found_chat = any_chat(world, params)
    if found_chat.person is not None:
        if found_chat.person.blocked:
            raise Refusal(403, "Forbidden: bot was blocked by the user")
        if not found_chat.person.started:
            raise Refusal(403, "Forbidden: bot can't initiate conversation with a user")
    elif found_chat.bot_status in ("left", "kicked"):
        how = {"kicked": "was kicked from", "left": "is not a member of"}[found_chat.bot_status]
        raise Refusal(403, f"Forbidden: bot {how} the {found_chat.type} chat")
    return found_chat


def any_chat(world: World, params: Json) -> Chat:
    """The chat of `chat_id`, whether or not the bot may write; 400 if not found or migrated."""
    value = params.get("chat_id")
    if value is None or value == "":
        raise bad("chat_id is empty")
    try:
        found_chat = world.chats.get(int(value))
    except (TypeError, ValueError):
        found_chat = None
    if found_chat is None:
        raise bad("chat not found")
    if found_chat.migrated_to is not None:
        raise Refusal(
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
            {"migrate_to_chat_id": found_chat.migrated_to},
        )
    return found_chat


def budgeted_chat(world: World, params: Json) -> Chat:
    """Like `chat`, and counts this send or edit against the flood limits (429)."""
    target = chat(world, params)
    wait_s = world.flood.check(target.id, group=target.is_group, now=world.now())
    if wait_s:
        raise too_many(wait_s)
    return target


def words(
    world: World, params: Json, name: str, *, most: int, required: bool
) -> tuple[str, list[Json]]:
    """Plain text and entities of `text` or `caption`, after parsing; at most `most` characters."""
    source = string(params, name)
    mode = string(params, "parse_mode").lower()
    given = params.get("entities" if name == "text" else "caption_entities")
    if mode == "html":
        text, entities = parse(source, world.people)
    elif mode:
        raise bad("unsupported parse_mode (the playground knows HTML only)")
    else:
        text, entities = trim(clean(source), _given(given, source))
    if required and not is_visible(text):
        raise bad("message text is empty")
    if len(text) > most:
        raise bad(f"message {'caption ' if name == 'caption' else ''}is too long")
    return text, found(text, entities)


def _given(value: Any, text: str) -> list[Json]:
    if not value:
        return []
    if not isinstance(value, list):
        raise bad("can't parse entities: expected an Array")
    length = utf16_length(text)
    for entity in value:
        whole = isinstance(entity, dict) and isinstance(entity.get("type"), str)
        if not whole or not all(isinstance(entity.get(key), int) for key in ("offset", "length")):
            raise bad("can't parse MessageEntity")
        if entity["offset"] < 0 or entity["offset"] + entity["length"] > length:
            raise bad("entity beginning or end is out of the text")
    return sorted(value, key=lambda e: (e["offset"], -e["length"]))


def replied(target: Chat, params: Json) -> Message | None:
    """The message that a send replies to; 400 if it is missing and must not be."""
    reply = params.get("reply_parameters")
    if reply is None:
        reply = {
            "message_id": params.get("reply_to_message_id"),
            "allow_sending_without_reply": params.get("allow_sending_without_reply"),
        }
    if not isinstance(reply, dict):
        raise bad("object expected as reply parameters")
    message_id = integer(reply, "message_id")
    if not message_id:
        return None
    message = target.messages.get(message_id)
    if message is None or message.deleted or integer(reply, "chat_id", target.id) != target.id:
        if flag(reply, "allow_sending_without_reply"):
            return None
        raise bad("message to be replied not found")
    return message


def topic(target: Chat, params: Json) -> int | None:
    """The open topic of `message_thread_id`, None if it is not given; 400 if there is none."""
    value = integer(params, "message_thread_id")
    if not value:
        return None
    if value not in target.topics:
        raise bad("message thread not found")
    return value
