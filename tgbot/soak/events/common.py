"""What all events are made of, and how people write and press in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tgbot.playground import Chat, Message, Person
from tgbot.soak.world import World

Event = Callable[[World], Awaitable[str]]
"""Does something to the world and answers what, in a few words."""


@dataclass(frozen=True)
class Kind:
    """A kind of event: how likely it is, and whether it is a fault to be counted."""

    weight: int
    do: Event
    fault: str = ""


def everybody(world: World) -> list[Person]:
    """All players, and the operator."""
    return [*world.people, world.operator]


def members(world: World, chat: Chat) -> list[Person]:
    """Those of them who are in a chat."""
    return [person for person in everybody(world) if person.id in chat.members]


def somewhere(world: World) -> tuple[Person, Chat, int | None]:
    """Somebody in a group, perhaps in one of its topics."""
    chat = world.pick([chat for chat in world.chats if chat.migrated_to is None])
    topic = world.pick([None, *chat.topics]) if chat.topics else None
    return world.pick(members(world, chat)), chat, topic


def addressed(world: World, line: str, chat: Chat) -> str:
    """The line, with the bot's name behind its command where it is said in a group."""
    command, space, words = line.partition(" ")
    if not line.startswith("/") or "@" in command or not chat.is_group:
        return line
    return f"{command}@{world.telegram.bot.username}{space}{words}"


def write(world: World, person: Person, chat: Chat, topic: int | None, line: str) -> str:
    """Somebody writes a line, at times as a reply to a board; answers what was done."""
    boards = world.boards(chat)
    reply = world.pick(boards[-2:]).id if boards and world.chance(25) else None
    text = addressed(world, line, chat)
    world.telegram.say(person, chat, text, topic=topic, reply_to=reply)
    return f"{world.name(person)} writes {text!r} in {named(chat)}"


def press(world: World, person: Person, chat: Chat, message: Message, data: str) -> str:
    """Somebody presses a button; answers what was done. Raises LookupError if they are away."""
    if person.id not in chat.members:
        raise LookupError("not there")
    world.pressed.append(data)
    world.last = (person, chat, message.id, data)
    world.telegram.press_data(*world.last)
    return f"{world.name(person)} presses {data!r} on message {message.id} of {named(chat)}"


def named(chat: Chat) -> str:
    """A chat, readable in a script."""
    return repr(chat.title) if chat.is_group else "private"
