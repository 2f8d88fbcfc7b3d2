"""People's side: writing, editing, pressing, and what of it the bot gets to know."""

from __future__ import annotations

from tgbot.playground.entities import found, slice16
from tgbot.playground.markup import clean, is_visible, trim
from tgbot.playground.membership import require_member, topic_opener
from tgbot.playground.model import Chat, Json, Message, Person
from tgbot.playground.world import CHANNEL_BOT, GROUP_ANONYMOUS_BOT, World

_CHANNEL_ID_BASE = -1_001_000_000_000
_TEXT_CHARACTERS = 4096


def say(
    world: World,
    person: Person,
    chat: Chat,
    text: str,
    *,
    reply_to: int | None,
    topic: int | None,
    anonymous: bool,
    as_channel: bool,
    forwarded: bool | Person,
    date: float | None,
) -> Message:
    """The person writes; the bot hears of it if privacy mode lets it."""
    text = _writable(text)
    require_member(chat, person)
    if chat.person is not None:
        if person.blocked:
            raise ValueError(f"{person.name} has blocked the bot and must unblock it first.")
        person.started = True
    if chat.migrated_to is not None:
        raise ValueError(f"This group has become the supergroup {chat.migrated_to}.")
    if topic is not None and topic not in chat.topics:
        raise LookupError(f"There is no open topic {topic}.")
    answered = visible(chat, reply_to) if reply_to is not None else None
    if answered is not None and topic is None:
        topic = answered.topic
    was_last = chat.last_writer == world.bot.id
    sender, sender_chat = _sender(person, chat, anonymous=anonymous, as_channel=as_channel)
    message = world.post(
        chat,
        sender,
        text=text,
        html=text,
        entities=found(text, []),
        date=date,
        topic=topic,
        reply_to=answered or topic_opener(chat, topic),
        sender_chat=sender_chat,
        forwarded=_origin(world, date, forwarded) if forwarded else None,
    )
    if hears(world, message, was_last=was_last):
        world.queue.push("message", message.json())
    return message


def _writable(text: str) -> str:
    text, _ = trim(clean(text), [])
    if not is_visible(text):
        raise ValueError("An empty message cannot be sent.")
    if len(text) > _TEXT_CHARACTERS:
        raise ValueError(f"A message has at most {_TEXT_CHARACTERS} characters.")
    return text


def _sender(
    person: Person, chat: Chat, *, anonymous: bool, as_channel: bool
) -> tuple[Person, Json | None]:
    if anonymous:
        return GROUP_ANONYMOUS_BOT, chat.json()
    if as_channel:
        title = f"{person.first_name}'s channel"
        return CHANNEL_BOT, {"id": _CHANNEL_ID_BASE - person.id, "type": "channel", "title": title}
    return person, None


def _origin(world: World, date: float | None, writer: bool | Person) -> Json:
    when = int(world.now() if date is None else date)
    if isinstance(writer, Person):
        return {"type": "user", "date": when, "sender_user": writer.user()}
    return {"type": "hidden_user", "date": when, "sender_user_name": "Somebody"}


def edit(world: World, person: Person, chat: Chat, message_id: int, text: str) -> None:
    """The person changes a message of their own: an edited_message update."""
    message = visible(chat, message_id)
    if message.sender is not person:
        raise ValueError("People can edit only what they wrote themselves.")
    text = _writable(text)
    message.text = message.html = text
    message.entities = found(text, [])
    message.edit_date = int(world.now())
    world.emit_message("edited", message)
    if hears(world, message, was_last=False):
        world.queue.push("edited_message", message.json())


def hears(world: World, message: Message, *, was_last: bool) -> bool:
    """Whether the bot gets this message.

    It gets everything in private and, without privacy mode or as an administrator, in groups;
    else only commands addressed to it, replies to it, and bare commands if it wrote last.
    """
    chat = message.chat
    if chat.bot_status in ("left", "kicked"):
        return False
    if chat.person is not None or not world.privacy or chat.bot_status == "administrator":
        return True
    answered = message.reply_to
    if answered is not None and answered.sender is world.bot:
        return True
    for entity in message.entities:
        if entity["type"] != "bot_command":
            continue
        command = slice16(message.text, entity["offset"], entity["length"])
        _, at, name = command.partition("@")
        if at and name.lower() == (world.bot.username or "").lower():
            return True
        if not at and was_last and entity["offset"] == 0:
            return True
    return False


def find_button(message: Message, button: str) -> str:
    """The callback data of the button with that data, that text, or that only beginning of a text.

    Raises LookupError with the buttons there are.
    """
    buttons = [each for row in message.buttons for each in row]
    matches = (
        [each for each in buttons if each.get("callback_data") == button]
        or [each for each in buttons if each["text"] == button]
        or [each for each in buttons if each["text"].startswith(button)]
    )
    there = ", ".join(repr(each["text"]) for each in buttons) or "none"
    if not matches:
        raise LookupError(f"No button {button!r}. Buttons: {there}.")
    if len({str(each.get("callback_data")) for each in matches}) > 1:
        raise LookupError(f"More than one button begins with {button!r}. Buttons: {there}.")
    data = matches[0].get("callback_data")
    if data is None:
        raise LookupError(f"{matches[0]['text']!r} opens {matches[0].get('url')!r}.")
    return str(data)


def press(world: World, person: Person, chat: Chat, message_id: int, data: str) -> str:
    """The person presses (or forges) a button: a callback query; returns its id."""
    message = chat.messages.get(message_id)
    query_id = _query(world, person, chat, message_id, message, data)
    if world.faults.strike("duplicate_presses"):
        _query(world, person, chat, message_id, message, data)
        world.emit_faults()
    return query_id


def _query(
    world: World, person: Person, chat: Chat, message_id: int, message: Message | None, data: str
) -> str:
    query = world.new_query(person)
    if message is None or message.deleted:
        shown: Json = {"chat": chat.json(), "message_id": message_id, "date": 0}
    else:
        shown = message.json()
    body = {
        "id": query.id,
        "from": person.user(),
        "message": shown,
        "chat_instance": str(abs(chat.id) * 7919),
        "data": data,
    }
    if chat.bot_status not in ("left", "kicked"):
        world.queue.push("callback_query", body)
    return query.id


def visible(chat: Chat, message_id: int) -> Message:
    """The message; raises LookupError if it never was or was deleted."""
    message = chat.messages.get(message_id)
    if message is None or message.deleted:
        raise LookupError(f"There is no message {message_id} in this chat.")
    return message
