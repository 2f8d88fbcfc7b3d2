"""By which name somebody is shown, to whom, and in which language they read."""

from __future__ import annotations

from peewee import Case, ColumnBase, Database, Expression, fn

from economy.statements import Query, statement
from tgbot.models import GameRow, PersonRow, SeatRow


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
