"""People's side: who is where, with which rights."""

from __future__ import annotations

from collections.abc import Iterable

from tgbot.playground.model import Chat, Message, Person
from tgbot.playground.world import World

_STATUSES = frozenset({"creator", "administrator", "member", "restricted"})


def found_group(world: World, title: str, people: list[Person], *, forum: bool, big: bool) -> Chat:
    """A new group; the first person creates it and adds the bot."""
    if not people:
        raise ValueError("A group needs somebody who creates it.")
    if forum and not big:
        raise ValueError("Only a supergroup can have topics.")
    chat = world.new_group(title, supergroup=big, forum=forum)
    chat.members = {person.id: "member" for person in people} | {people[0].id: "creator"}
    add_bot(world, chat, people[0])
    return chat


def add_bot(world: World, chat: Chat, by: Person) -> None:
    """The bot comes (back) into the chat: my_chat_member and a service message, as at Telegram."""
    world.bot_becomes(chat, "member", by)
    bot = world.bot.user()
    world.announce(
        chat, by, f"{by.name} added {world.bot.name}", new_chat_members=[bot], new_chat_member=bot
    )


def creator(world: World, chat: Chat) -> Person:
    """Who owns the chat (or the first member, if the owner left)."""
    ids = [member for member, status in chat.members.items() if status == "creator"]
    for member in ids or chat.members:
        return world.people[member]
    raise LookupError(f"Nobody is left in {chat.title!r}.")


def join(world: World, chat: Chat, person: Person) -> None:
    """The person comes in by themselves; joining twice does nothing."""
    group_only(chat)
    if person.id in chat.members:
        return
    chat.members[person.id] = "member"
    user = person.user()
    world.announce(
        chat, person, f"{person.name} joined", new_chat_members=[user], new_chat_member=user
    )
    world.emit_chat(chat)


def leave(world: World, chat: Chat, person: Person) -> None:
    """The person goes; raises LookupError if they are not there."""
    group_only(chat)
    require_member(chat, person)
    del chat.members[person.id]
    world.announce(chat, person, f"{person.name} left", left_chat_member=person.user())
    world.emit_chat(chat)


def promote(
    world: World, chat: Chat, person: Person, status: str, lacks: Iterable[str] = ()
) -> None:
    """Gives a member (or the bot) another status; a new creator makes the old one administrator.

    As an administrator the bot has every right but those that it `lacks`.
    """
    group_only(chat)
    if status not in _STATUSES:
        raise ValueError(f"There is no status {status!r}, only {', '.join(sorted(_STATUSES))}.")
    if person is world.bot:
        world.bot_becomes(chat, status, creator(world, chat), frozenset(lacks))
        return
    require_member(chat, person)
    if status == "creator":
        for member, old in chat.members.items():
            if old == "creator":
                chat.members[member] = "administrator"
    if status == "restricted":
        chat.restricted.add(person.id)
        status = "member"
    else:
        chat.restricted.discard(person.id)
    chat.members[person.id] = status
    world.emit_chat(chat)


def kick(world: World, chat: Chat) -> None:
    """The bot is thrown out."""
    group_only(chat)
    world.bot_becomes(chat, "kicked", creator(world, chat))


def set_blocked(world: World, person: Person, blocked: bool) -> None:
    """The person blocks or unblocks the bot; nothing happens if it is so already."""
    if person.blocked == blocked:
        return
    person.blocked = blocked
    world.bot_becomes(world.chats[person.id], "kicked" if blocked else "member", person)
    world.emit_people()


def migrate(world: World, chat: Chat) -> Chat:
    """The group becomes a supergroup with another id; returns the new chat."""
    if chat.type != "group":
        raise ValueError("Only a plain group can become a supergroup.")
    if chat.migrated_to is not None:
        raise ValueError(f"This group has already become {chat.migrated_to}.")
    new = world.new_group(chat.title, supergroup=True, forum=False)
    new.members, new.bot_status = dict(chat.members), chat.bot_status
    new.restricted = set(chat.restricted)
    owner = creator(world, chat)
    words = "The group became a supergroup"
    chat.migrated_to = new.id
    world.announce(chat, owner, words, migrate_to_chat_id=new.id)
    world.emit_chat(chat)
    world.announce(new, owner, words, migrate_from_chat_id=chat.id)
    world.emit_chat(new)
    return new


def open_topic(world: World, chat: Chat, name: str) -> int:
    """A new topic in a forum; its id is that of the message that opens it."""
    if not chat.is_forum:
        raise ValueError(f"{chat.title!r} is no forum.")
    message = world.post(
        chat,
        creator(world, chat),
        service=f"Topic {name}",
        payload={"forum_topic_created": {"name": name, "icon_color": 7322096}},
        topic=chat.last_message_id + 1,
    )
    chat.topics[message.id] = name
    if chat.bot_status not in ("left", "kicked"):
        world.queue.push("message", message.json())
    world.emit_chat(chat)
    return message.id


def close_topics(world: World, chat: Chat) -> None:
    """Topics are switched off; what was in one stays, what is sent to one is refused."""
    chat.is_forum = False
    chat.topics.clear()
    world.emit_chat(chat)


def topic_opener(chat: Chat, topic: int | None) -> Message | None:
    """The service message that opened the topic: what messages in it reply to at least."""
    return None if topic is None else chat.messages.get(topic)


def group_only(chat: Chat) -> None:
    """Raises ValueError in a private chat."""
    if not chat.is_group:
        raise ValueError("That works in groups only.")


def require_member(chat: Chat, person: Person) -> None:
    """Raises LookupError if the person is not in the chat."""
    if person.id not in chat.members:
        where = chat.title or "this private chat"
        raise LookupError(f"{person.name} is not in {where}.")
