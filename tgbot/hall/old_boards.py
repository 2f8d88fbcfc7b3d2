"""Old boards that still have a keyboard to lose.

A board that another one took the place of is a row until its keyboard is gone, so that no death of
the process and no absence from the chat leaves buttons of the past behind.
"""

from __future__ import annotations

import html
from collections.abc import Collection

from peewee import Database, fn

from economy.statements import Query, statement
from tgbot.models import ChatRow, GameRow, OldBoardRow, PersonRow, SeatRow

OldBoard = tuple[int, int, str]
"""Chat, message, and what the message is left saying (empty: what it says)."""


class OldBoards:
    """The table of old boards. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def add(self, chat_id: int, message_id: int, body: str) -> None:
        """Notes an old board that has its keyboard to lose; it is left saying `body`."""
        _add.run(self.db, chat_id=chat_id, message_id=message_id, body=body)

    def all(self, chat_id: int | None = None) -> list[OldBoard]:
        """Chat, message and body of old boards that have a keyboard to lose: all that can be
        reached, or those of one chat."""
        columns = (OldBoardRow.chat_id, OldBoardRow.message_id, OldBoardRow.body)
        query = OldBoardRow.select(*columns).order_by(OldBoardRow.chat_id, OldBoardRow.message_id)
        if chat_id:
            query = query.where(OldBoardRow.chat_id == chat_id)
        else:
            gone = (ChatRow.chat_id == OldBoardRow.chat_id, ChatRow.gone_at != 0)
            shut = (PersonRow.user_id == OldBoardRow.chat_id, PersonRow.reachable == 0)
            query = query.where(
                ~fn.EXISTS(ChatRow.select(ChatRow.chat_id).where(*gone)),
                ~fn.EXISTS(PersonRow.select(PersonRow.user_id).where(*shut)),
            )
        return list(query.tuples().execute(self.db))

    def clear(self, chat_id: int, message_id: int | None = None) -> None:
        """An old board, or every one of a chat, has no keyboard to lose any more."""
        which = OldBoardRow.chat_id == chat_id
        if message_id is not None:
            which &= OldBoardRow.message_id == message_id
        OldBoardRow.delete().where(which).execute(self.db)

    def forget(self, user_id: int, names: Collection[str]) -> None:
        """Keeps no text in which somebody may be named: those boards stay as they are."""
        sat = SeatRow.select(GameRow.chat_id).join(GameRow, on=GameRow.id == SeatRow.game_id)
        chats = sat.where(SeatRow.user_id == user_id)
        theirs = OldBoardRow.chat_id.in_(chats) | (OldBoardRow.chat_id == user_id)
        OldBoardRow.update(body="").where(theirs).execute(self.db)
        said = [html.escape(name, quote=False) for name in names if name]
        kept = OldBoardRow.select(OldBoardRow.chat_id, OldBoardRow.message_id, OldBoardRow.body)
        for chat_id, message_id, body in (
            kept.where(OldBoardRow.body != "").tuples().execute(self.db)
        ):
            if any(name in body for name in said):
                which = (OldBoardRow.chat_id == chat_id, OldBoardRow.message_id == message_id)
                OldBoardRow.update(body="").where(*which).execute(self.db)


@statement
def _add(*, chat_id: int, message_id: int, body: str) -> Query:
    new = OldBoardRow.insert(chat_id=chat_id, message_id=message_id, body=body)
    once = (OldBoardRow.chat_id, OldBoardRow.message_id)
    return new.on_conflict("NOTHING", conflict_target=once)
