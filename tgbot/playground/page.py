"""What the page is told: people, chats and messages as JSON, texts as safe HTML."""

from __future__ import annotations

from tgbot.playground.entities import safe_html
from tgbot.playground.markup import utf16_length
from tgbot.playground.model import Chat, Json, Message, Person

_QUOTED = 80


def person_json(person: Person) -> Json:
    """`{"id","first_name","last_name","username","language_code","blocked"}`."""
    return {
        "id": person.id,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "username": person.username,
        "language_code": person.language_code,
        "blocked": person.blocked,
    }


def chat_json(chat: Chat) -> Json:
    """A chat without messages; `members` are people only, the bot is in `bot_status`."""
    return {
        "id": chat.id,
        "type": chat.type,
        "title": chat.title if chat.person is None else chat.person.name,
        "is_forum": chat.is_forum,
        "topics": [{"id": topic, "name": name} for topic, name in chat.topics.items()],
        "members": [{"id": member, "status": status} for member, status in chat.members.items()],
        "bot_status": chat.bot_status,
        "pinned": chat.pinned,
        "migrated_to": chat.migrated_to,
    }


def message_json(message: Message) -> Json:
    """The contract's PageMessage; `html` is safe to insert."""
    reply = message.reply_to
    return {
        "id": message.id,
        "chat_id": message.chat.id,
        "date": message.date,
        "edited": message.edited,
        "topic": message.topic,
        "sender": _sender(message),
        "service": None if message.service is None else _service(message),
        "html": safe_html(message.text, message.entities),
        "mentions": [e["user"]["id"] for e in message.entities if e["type"] == "text_mention"],
        "photo": f"/files/{message.photo.id}" if message.photo else None,
        "document": _document(message),
        "reply_to": _quote(reply) if reply is not None and reply.service is None else None,
        "buttons": [
            [
                {key: button.get(from_) for key, from_ in _SHOWN.items() if from_ in button}
                for button in row
            ]
            for row in message.buttons
        ],
        "forwarded": message.forwarded is not None,
        "via": message.via_bot.username if message.via_bot else None,
    }


_SHOWN = {"text": "text", "data": "callback_data", "url": "url", "style": "style"}


def _document(message: Message) -> Json | None:
    document = message.document
    if document is None:
        return None
    return {"name": document.name, "size": len(document.data), "url": f"/files/{document.id}"}


def _sender(message: Message) -> Json | None:
    if message.sender is None:
        return None
    name = message.sender.name
    if message.sender_chat is not None:
        name = message.sender_chat["title"]
    return {"id": message.sender.id, "name": name, "is_bot": message.sender.is_bot}


def _service(message: Message) -> Json:
    """What happened and to whom, for the page to say in its reader's language."""
    payload, by = message.payload, message.sender.name if message.sender else ""
    if topic := payload.get("forum_topic_created"):
        return {"kind": "topic", "names": [topic["name"]]}
    if gone := payload.get("left_chat_member"):
        return {"kind": "left", "names": [_full_name(gone)]}
    if come := payload.get("new_chat_member"):
        itself = message.sender is not None and come["id"] == message.sender.id
        return {"kind": "joined" if itself else "added", "names": [by, _full_name(come)]}
    if payload.get("pinned_message"):
        return {"kind": "pinned", "names": [by]}
    return {"kind": "migrated", "names": []}


def _full_name(user: Json) -> str:
    return " ".join(filter(None, (user["first_name"], user.get("last_name"))))


def _quote(message: Message) -> Json:
    """The beginning of a message, plain but for the times in it, which go on running."""
    sender = _sender(message)
    text = message.text if len(message.text) <= _QUOTED else message.text[: _QUOTED - 1] + "…"
    end = utf16_length(text)
    times = [e for e in message.entities if e["type"] == "date_time"]
    shown = safe_html(text, [e for e in times if e["offset"] + e["length"] <= end])
    return {"id": message.id, "name": sender["name"] if sender else "", "html": shown}
