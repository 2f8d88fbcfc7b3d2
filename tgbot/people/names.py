"""Names: made fit to be shown, by which one somebody is shown to whom, and in which language they
read."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from peewee import Case, ColumnBase, Database, Expression, fn

from economy.statements import Query, statement
from tgbot.models import GameRow, PersonRow, SeatRow

LONGEST_NAME = 24
MOST_MARKS = 3
"""Marks over one letter that are spelling (Thai, Hindi, Vietnamese); more are mischief."""
_JOINERS = "\u200c\u200d"
"""Invisible, but spelling within a word of Persian or Hindi, and what makes a family emoji one."""
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
_VISIBLE = ("L", "N", "P", "S")


@lru_cache(maxsize=8192)
def clean_name(name: str, user_id: int) -> str:
    """A name fit for one line: nothing invisible or reversing, at most 24 characters.

    Where nothing visible is left it is `#` and the last four digits of the user id.
    """
    kept: list[str] = []
    marks = 0
    whole = unicodedata.normalize("NFC", name)
    for n, character in enumerate(whole):
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        if character in _JOINERS and _joins(kept[-1:], whole[n + 1 : n + 2]):
            pass
        elif character in _BLANK or category[0] in "CZ":
            character = " "
        elif marks > MOST_MARKS:
            continue
        kept.append(character)
    cleaned = " ".join("".join(kept).split())
    if not any(unicodedata.category(character)[0] in _VISIBLE for character in cleaned):
        return f"#{user_id % 10000:04d}"
    return _cut(cleaned)


def _joins(before: Sequence[str], following: str) -> bool:
    """Whether a joiner stands within a word or an emoji, where it belongs."""
    categories = [unicodedata.category(character)[0] for character in (*before, *following)]
    return len(categories) == 2 and categories[0] in "LMS" and categories[1] in "LS"


def _cut(name: str) -> str:
    """At most 24 characters, and no letter without its marks."""
    if len(name) <= LONGEST_NAME:
        return name
    end = LONGEST_NAME - 1
    while end > 1 and (name[end] in _JOINERS or unicodedata.category(name[end])[0] == "M"):
        end -= 1
    return name[:end].rstrip(" " + _JOINERS) + "…"


def language_read() -> ColumnBase:
    """The language somebody reads: the one they chose, else that of their app."""
    return Case(None, [(PersonRow.language != "", PersonRow.language)], PersonRow.spoken)


@statement(row=str)
def _name(*, user_id: int) -> Query:
    return PersonRow.select(PersonRow.name).where(PersonRow.user_id == user_id)


def known_in(chat_id: ColumnBase | int) -> Expression:
    """Who is listed, or has played in a chat, or whose private one it is."""
    played_here = fn.EXISTS(
        SeatRow.select(SeatRow.id)
        .join(GameRow, on=GameRow.id == SeatRow.game_id)
        .where(SeatRow.user_id == PersonRow.user_id, GameRow.chat_id == chat_id)
    )
    return (PersonRow.listed == 1) | (PersonRow.user_id == chat_id) | played_here


@statement(row=str)
def _name_in(*, user_id: int, chat_id: int) -> Query:
    return PersonRow.select(PersonRow.name).where(PersonRow.user_id == user_id, known_in(chat_id))


@statement(row=bool)
def _listed(*, user_id: int) -> Query:
    return PersonRow.select(PersonRow.listed).where(PersonRow.user_id == user_id)


def shown_name(db: Database, user_id: int) -> str:
    """A person's shown name."""
    name = _name.one(db, user_id=user_id)
    return f"#{user_id % 10000:04d}" if name is None else name


def name_in(db: Database, user_id: int, chat_id: int) -> str | None:
    """A person's name for lists shown in a chat; None where they are hidden from them."""
    return _name_in.one(db, user_id=user_id, chat_id=chat_id)


def is_listed(db: Database, user_id: int) -> bool:
    """Whether lists outside somebody's chats may name them."""
    return _listed.one(db, user_id=user_id) or False
