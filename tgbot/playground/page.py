"""What the page is told: people, chats and messages as JSON, texts as safe HTML."""

from __future__ import annotations

from tgbot.playground.entities import safe_html
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
        "service": message.service,
        "html": safe_html(message.text, message.entities),
        "photo": f"/files/{message.photo.id}" if message.photo else None,
        "reply_to": _quote(reply) if reply is not None and reply.service is None else None,
        "buttons": [
            [
                {key: button.get(from_) for key, from_ in _SHOWN.items() if from_ in button}
                for button in row
            ]
            for row in message.buttons
        ],
        "forwarded": message.forwarded is not None,
    }


_SHOWN = {"text": "text", "data": "callback_data", "url": "url", "style": "style"}


def _sender(message: Message) -> Json | None:
    if message.sender is None:
        return None
    name = message.sender.name
    if message.sender_chat is not None:
        name = message.sender_chat["title"]
    return {"id": message.sender.id, "name": name, "is_bot": message.sender.is_bot}


def _quote(message: Message) -> Json:
    sender = _sender(message)
    text = message.text if len(message.text) <= _QUOTED else message.text[: _QUOTED - 1] + "…"
    return {"id": message.id, "name": sender["name"] if sender else "", "text": text}
