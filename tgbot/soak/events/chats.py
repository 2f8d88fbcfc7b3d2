"""What becomes of groups: the bot is thrown out, they migrate, topics close, boards are deleted."""

from __future__ import annotations

from tgbot.soak.events.common import members, named
from tgbot.soak.world import World


async def kick_or_add(world: World) -> str:
    """The bot is thrown out of a group, or comes back."""
    chat = world.pick([chat for chat in world.chats if chat.migrated_to is None])
    if chat.bot_status in ("left", "kicked"):
        world.telegram.readd(chat)
        return f"the bot comes back to {named(chat)}"
    world.telegram.kick(chat)
    world.away.add(chat.id)
    return f"the bot is thrown out of {named(chat)}"


async def migrate(world: World) -> str:
    """A group becomes a supergroup."""
    chat = world.pick([c for c in world.chats if c.type == "group" and c.migrated_to is None])
    world.telegram.migrate(chat)
    return f"{named(chat)} becomes a supergroup"


async def topics(world: World) -> str:
    """Topics are switched off, or another one is opened."""
    chat = world.pick([chat for chat in world.chats if chat.is_forum])
    if world.chance(30):
        world.telegram.close_topics(chat)
        return f"{named(chat)} has no topics any more"
    return f"{named(chat)} has topic {world.telegram.topic(chat, 'More')}"


async def promote(world: World) -> str:
    """Somebody, or the bot, becomes an admin or a member."""
    chat = world.pick(world.chats)
    person = world.pick([*members(world, chat), world.telegram.bot])
    status = world.pick(("administrator", "member"))
    if chat.members.get(person.id) == "creator":
        raise ValueError("the creator stays")
    world.telegram.promote(chat, person, status)
    return f"{person.first_name!r} becomes {status} of {named(chat)}"


async def delete(world: World) -> str:
    """Somebody deletes a board."""
    chat = world.pick(world.chats)
    message = world.pick(world.boards(chat)[-3:])
    world.telegram.delete(chat, message.id)
    return f"message {message.id} of {named(chat)} is deleted"
