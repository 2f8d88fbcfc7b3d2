"""What the page can make people do: POST /api/do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tgbot.playground import page
from tgbot.playground.core import Telegram
from tgbot.playground.membership import require_member
from tgbot.playground.model import Chat, Json, Person

Doing = Callable[[Telegram, Json], Any]


def do(telegram: Telegram, body: Json) -> Any:
    """Does `body["do"]` with the other fields; returns its result as JSON.

    Raises ValueError or LookupError with one clear sentence.
    """
    what = body.get("do")
    doing = _DOINGS.get(what) if isinstance(what, str) else None
    if doing is None:
        raise ValueError(f"There is nothing like {what!r} to do. There is: {', '.join(_DOINGS)}.")
    return doing(telegram, body)


def _person(telegram: Telegram, body: Json) -> Person:
    return _person_of(telegram, body.get("person"))


def _person_of(telegram: Telegram, value: object) -> Person:
    person = telegram.people.get(value) if isinstance(value, int) else None
    if person is None:
        raise LookupError(f"There is no person {value!r}.")
    return person


def _anybody(telegram: Telegram, body: Json) -> Person:
    """A person, or the bot."""
    return telegram.bot if body.get("person") == telegram.bot.id else _person(telegram, body)


def _chat(telegram: Telegram, body: Json) -> Chat:
    value = body.get("chat")
    chat = telegram.chats.get(value) if isinstance(value, int) else None
    if chat is None:
        raise LookupError(f"There is no chat {value!r}.")
    return chat


def _words(body: Json, name: str, default: str | None = None) -> str:
    value = body.get(name, default)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text that is not empty.")
    return value


def _whole(body: Json, name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number.")
    return value


def _maybe(body: Json, name: str) -> int | None:
    return None if body.get(name) is None else _whole(body, name)


def _new_person(telegram: Telegram, body: Json) -> Json:
    first_name = _words(body, "first_name")
    chat = _chat(telegram, body) if body.get("chat") is not None else None
    person = telegram.person(first_name, language_code=_words(body, "language_code", "en"))
    if chat is not None:
        telegram.join(chat, person)
    return page.person_json(person)


def _say(telegram: Telegram, body: Json) -> Json:
    message = telegram.say(
        _person(telegram, body),
        _chat(telegram, body),
        _words(body, "text"),
        reply_to=_maybe(body, "reply_to"),
        topic=_maybe(body, "topic"),
        anonymous=bool(body.get("anonymous")),
        as_channel=bool(body.get("as_channel")),
        forwarded=bool(body.get("forwarded")),
    )
    return page.message_json(message)


def _press(telegram: Telegram, body: Json) -> Json:
    person, chat = _person(telegram, body), _chat(telegram, body)
    require_member(chat, person)
    # The page may show an older keyboard than there is now, as a phone may.
    query_id = telegram.press_data(person, chat, _whole(body, "message_id"), _words(body, "data"))
    return {"query_id": query_id}


def _choose(telegram: Telegram, body: Json) -> Json:
    message = telegram.choose(
        _person(telegram, body),
        _chat(telegram, body),
        _words(body, "query_id"),
        _words(body, "result_id"),
        topic=_maybe(body, "topic"),
    )
    return page.message_json(message)


def _start_in(telegram: Telegram, body: Json) -> Json:
    word = _words(body, "word")
    return page.message_json(
        telegram.start_in(_person(telegram, body), _chat(telegram, body), word)
    )


def _group(telegram: Telegram, body: Json) -> Json:
    people = body.get("people")
    if not isinstance(people, list) or not people:
        raise ValueError("people must be a list of at least one person's id.")
    chat = telegram.group(
        _words(body, "title"),
        *[_person_of(telegram, each) for each in people],
        forum=bool(body.get("forum")),
        supergroup=bool(body.get("supergroup", True)),
    )
    return page.chat_json(chat)


def _faults(telegram: Telegram, body: Json) -> Json:
    telegram.faults.set({name: value for name, value in body.items() if name != "do"})
    telegram.emit_faults()
    return telegram.faults.as_json()


def _edit(telegram: Telegram, body: Json) -> None:
    message_id, text = _whole(body, "message_id"), _words(body, "text")
    telegram.edit(_person(telegram, body), _chat(telegram, body), message_id, text)


def _options(telegram: Telegram, body: Json) -> Json:
    if telegram.options is None:
        raise LookupError("The bot is not run by this playground.")
    return telegram.options(body)


_DOINGS: dict[str, Doing] = {
    "person": _new_person,
    "say": _say,
    "press": _press,
    "inline": lambda t, b: {"query_id": t.type_at(_person(t, b), _chat(t, b), str(b.get("words")))},
    "choose": _choose,
    "start_in": _start_in,
    "edit": _edit,
    "delete": lambda t, b: t.delete(_chat(t, b), _whole(b, "message_id")),
    "promote": lambda t, b: t.promote(_chat(t, b), _anybody(t, b), _words(b, "status")),
    "language": lambda t, b: t.language(_person(t, b), _words(b, "language_code")),
    "join": lambda t, b: t.join(_chat(t, b), _person(t, b)),
    "leave": lambda t, b: t.leave(_chat(t, b), _person(t, b)),
    "group": _group,
    "kick": lambda t, b: t.kick(_chat(t, b)),
    "readd": lambda t, b: t.readd(_chat(t, b)),
    "block": lambda t, b: t.block(_person(t, b)),
    "unblock": lambda t, b: t.unblock(_person(t, b)),
    "migrate": lambda t, b: page.chat_json(t.migrate(_chat(t, b))),
    "topic": lambda t, b: {"id": t.topic(_chat(t, b), _words(b, "name"))},
    "close_topics": lambda t, b: t.close_topics(_chat(t, b)),
    "faults": _faults,
    "options": _options,
}
