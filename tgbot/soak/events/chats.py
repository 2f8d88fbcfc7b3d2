"""What becomes of groups: the bot is thrown out, they migrate, topics close, boards are deleted."""

from __future__ import annotations

from tgbot.playground.entities import found
from tgbot.playground.model import Person
from tgbot.playground.world import member_json
from tgbot.soak.events.common import addressed, members, named, somewhere
from tgbot.soak.world import CHANNEL, World

PINS = "can_pin_messages"
TELEGRAM = Person(777000, "Telegram")
"""In whose name posts of a channel appear in the group that is linked to it."""
POSTED = ("/fifty", "/play", "/points", "/d 4+20", "James Fifty", "hello")


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


async def pin_right(world: World) -> str:
    """The bot becomes an admin who may pin, or may not, or a member again."""
    chat = world.pick([chat for chat in world.chats if chat.migrated_to is None])
    status, lacks = world.pick((("administrator", ()), ("administrator", (PINS,)), ("member", ())))
    if chat.bot_status in ("left", "kicked"):
        raise ValueError("it is not there")
    world.telegram.promote(chat, world.telegram.bot, status, lacks=lacks)
    return f"the bot becomes {status} of {named(chat)}" + (" and may not pin" if lacks else "")


async def restrict(world: World) -> str:
    """A member is restricted, or no more."""
    chat = world.pick([chat for chat in world.chats if chat.type == "supergroup"])
    person = world.pick([p for p in members(world, chat) if chat.members[p.id] == "member"])
    status = "member" if person.id in chat.restricted else "restricted"
    world.telegram.promote(chat, person, status)
    return f"{world.name(person)} is {status} in {named(chat)}"


async def channel(world: World) -> str:
    """A channel adds the bot, or its posts and their comments appear in the group linked to it."""
    what = world.pick(("adds", "posts", "posts"))
    if what == "adds":
        member = member_json(world.telegram.bot, "administrator")
        gone = member_json(world.telegram.bot, "left")
        world.telegram.queue.push("my_chat_member", {
            "chat": CHANNEL, "from": world.operator.user(), "date": int(world.telegram.now()),
            "old_chat_member": gone, "new_chat_member": member,
        })  # fmt: skip
        return "a channel adds the bot"
    person, chat, _ = somewhere(world)
    line = addressed(world, world.pick(POSTED), chat)
    post = world.telegram.post(chat, TELEGRAM, text=line, html=line, sender_chat=CHANNEL)
    post.entities = found(line, [])
    world.telegram.queue.push("message", {**post.json(), "is_automatic_forward": True})
    comment = world.telegram.post(chat, person, text=line, html=line, reply_to=post)
    comment.entities = found(line, [])
    # A thread of comments has a number as a topic has, but is none.
    world.telegram.queue.push("message", {**comment.json(), "message_thread_id": post.id})
    return f"{world.name(person)} comments on {line!r} of a channel in {named(chat)}"


async def delete(world: World) -> str:
    """Somebody deletes a board."""
    chat = world.pick(world.chats)
    message = world.pick(world.boards(chat)[-3:])
    world.telegram.delete(chat, message.id)
    return f"message {message.id} of {named(chat)} is deleted"
