"""Inline queries: what a bot offers to who types its name, and what they choose to send."""

from __future__ import annotations

from typing import Any

from tgbot.playground import params as read
from tgbot.playground.errors import bad
from tgbot.playground.keyboard import inline_rows
from tgbot.playground.membership import require_member, topic_opener
from tgbot.playground.model import Chat, Json, Message, Person
from tgbot.playground.world import World

_TEXT = 4096
_MOST_RESULTS = 50
_MOST_WORDS = 256
_ANSWER_WITHIN_S = 10.0
_TYPES = {"private": "sender"}


def ask(world: World, person: Person, chat: Chat, words: str) -> str:
    """The person types the bot's name and these words in a chat; the query's id."""
    require_member(chat, person)
    query = world.new_inline(person, words[:_MOST_WORDS])
    body = {
        "id": query.id,
        "from": person.user(),
        "query": query.words,
        "offset": "",
        "chat_type": _TYPES.get(chat.type, chat.type),
    }
    world.queue.push("inline_query", body)
    return query.id


def answer_inline_query(world: World, params: Json) -> Any:
    """answerInlineQuery: True, once; the playground knows articles with a text."""
    query = world.inline.get(read.string(params, "inline_query_id"))
    if query is None or query.results is not None or world.now() - query.at > _ANSWER_WITHIN_S:
        raise bad("query is too old and response timeout expired or query ID is invalid")
    results = params.get("results")
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise bad("can't parse inline query results JSON object")
    if len(results) > _MOST_RESULTS:
        raise bad("RESULTS_TOO_MUCH")
    checked = {each["id"]: each for each in (_result(world, each) for each in results)}
    if len(checked) < len(results):
        raise bad("RESULT_ID_DUPLICATE")
    query.results = checked
    world.emit_inline(query)
    return True


def _result(world: World, result: Json) -> Json:
    if read.string(result, "type") != "article":
        raise bad("unallowed inline query result type (the playground knows articles only)")
    result_id, title = read.string(result, "id"), read.string(result, "title")
    if not 1 <= len(result_id.encode()) <= 64:
        raise bad("RESULT_ID_INVALID")
    if not title:
        raise bad("ARTICLE_TITLE_EMPTY")
    content = result.get("input_message_content")
    if not isinstance(content, dict):
        raise bad("can't parse inline query result: message content is not specified")
    form = {
        "text": content.get("message_text"),
        "parse_mode": content.get("parse_mode"),
        "entities": content.get("entities"),
    }
    text, entities = read.words(world, form, "text", most=_TEXT, required=True)
    return {
        "id": result_id,
        "title": title,
        "description": read.string(result, "description"),
        "text": text,
        "entities": entities,
        "buttons": inline_rows(result.get("reply_markup")),
    }


def choose(
    world: World, person: Person, chat: Chat, query_id: str, result_id: str, topic: int | None
) -> Message:
    """The person sends what was offered; the bot hears of it where it is a member."""
    require_member(chat, person)
    query = world.inline[query_id]
    result = (query.results or {})[result_id]
    message = world.post(
        chat,
        person,
        text=result["text"],
        html=result["text"],
        entities=result["entities"],
        buttons=result["buttons"],
        topic=topic,
        reply_to=topic_opener(chat, topic),
        via_bot=world.bot,
    )
    if chat.person is not None:
        person.started = True
    if chat.bot_status not in ("left", "kicked"):
        world.queue.push("message", message.json())
    return message
