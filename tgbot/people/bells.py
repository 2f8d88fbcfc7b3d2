"""Bells: who is told privately when a game opens in a chat, once or every time.

A bell is a row until it is taken off: by its button, in /privacy, once it has rung its one time,
and when somebody leaves the chat, blocks the bot or is erased. A chat has so many that all can be
told at once without anybody else's boards waiting for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from peewee import Database

from economy.statements import Query, statement
from games.game import Refusal
from tgbot.models import BellRow, ChatRow, PersonRow
from tgbot.people.names import language_read

MOST_BELLS = 50
"""In one chat."""


@dataclass(frozen=True, slots=True)
class Bell:
    """Somebody who can be written to, the language they read, and whether it rings `always`."""

    user_id: int
    always: bool
    language: str


@dataclass(frozen=True, slots=True)
class Hung:
    """Where one of somebody's bells hangs."""

    chat_id: int
    title: str
    always: bool


class Bells:
    """The bells table. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def turn(self, chat_id: int, user_id: int) -> str:
        """From none to `once`, from that to `always`, from that to `off`; answers which it is."""
        always = _always.one(self.db, chat_id=chat_id, user_id=user_id)
        if always:
            self.take_off(user_id, chat_id)
            return "off"
        self.hang(chat_id, user_id, always=always is not None)
        return "once" if always is None else "always"

    def hang(self, chat_id: int, user_id: int, *, always: bool) -> None:
        """Somebody has a bell there from now on. Raises `Refusal` where enough hang already."""
        here = BellRow.select().where(BellRow.chat_id == chat_id, BellRow.user_id != user_id)
        if here.count(self.db) >= MOST_BELLS:
            raise Refusal("bell.full", n=MOST_BELLS)
        BellRow.insert(chat_id=chat_id, user_id=user_id, always=int(always)).on_conflict(
            conflict_target=[BellRow.chat_id, BellRow.user_id], preserve=[BellRow.always]
        ).execute(self.db)

    def hanging(self, chat_id: int) -> list[Bell]:
        """The bells of a chat, of those who can be written to."""
        return _hanging.all(self.db, chat_id=chat_id)

    def of(self, user_id: int) -> list[Hung]:
        """Somebody's bells, by the titles of their chats."""
        query = (
            BellRow.select(BellRow.chat_id, ChatRow.title, BellRow.always)
            .join(ChatRow, on=ChatRow.chat_id == BellRow.chat_id)
            .where(BellRow.user_id == user_id)
            .order_by(ChatRow.title, BellRow.chat_id)
        )
        return [Hung(row[0], row[1], bool(row[2])) for row in query.tuples().execute(self.db)]

    def take_off(self, user_id: int, chat_id: int | None = None) -> None:
        """Takes off somebody's bell in a chat; all of theirs without one."""
        which = BellRow.user_id == user_id
        if chat_id is not None:
            which &= BellRow.chat_id == chat_id
        BellRow.delete().where(which).execute(self.db)

    def moved(self, old: int, new: int) -> None:
        """The bells of a chat hang in another one; who has one there already keeps that."""
        there = BellRow.select(BellRow.user_id).where(BellRow.chat_id == new)
        BellRow.delete().where(BellRow.chat_id == old, BellRow.user_id.in_(there)).execute(self.db)
        BellRow.update(chat_id=new).where(BellRow.chat_id == old).execute(self.db)


@statement(row=int)
def _always(*, chat_id: int, user_id: int) -> Query:
    mine = (BellRow.chat_id == chat_id, BellRow.user_id == user_id)
    return BellRow.select(BellRow.always).where(*mine)


@statement(row=Bell)
def _hanging(*, chat_id: int) -> Query:
    return (
        BellRow.select(BellRow.user_id, BellRow.always, language_read())
        .join(PersonRow, on=PersonRow.user_id == BellRow.user_id)
        .where(BellRow.chat_id == chat_id, PersonRow.reachable == 1, PersonRow.barred == "")
        .order_by(BellRow.user_id)
    )
