"""Lobbies that are pinned in their chats.

A row says what may be pinned: it is written before the bot pins and goes once it has unpinned, so
that neither a death of the process nor a right it loses meanwhile leaves anything pinned. Whether a
message is to be pinned is the game's to say: while its lobby is open and its board is that message.
"""

from __future__ import annotations

from peewee import JOIN, Database

from economy.statements import Query, statement
from games.game import HOUSE
from tgbot.models import ChatRow, GameRow, PinRow, ShowingRow


class Pins:
    """The pins table. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def turn(self, chat_id: int, message_id: int, game_id: str) -> bool:
        """Has a lobby pinned, or unpinned if it was to be; answers whether it is now."""
        if self._wanted(game_id):
            self.give_up(game_id)
            return False
        _pin.run(self.db, chat_id=chat_id, message_id=message_id, game_id=game_id)
        return True

    def give_up(self, game_id: str) -> None:
        """A game's lobby is to be pinned no more."""
        PinRow.update(game_id="").where(PinRow.game_id == game_id).execute(self.db)

    def to_do(self, chat_id: int) -> dict[int, bool]:
        """The messages of a chat that are to be pinned, or unpinned, now; a board in a new message
        takes its pin along."""
        for game_id, message_id in _moved_on.all(self.db, chat_id=chat_id):
            self.give_up(game_id)
            _pin.run(self.db, chat_id=chat_id, message_id=message_id, game_id=game_id)
        return {row[0]: row[1] == "lobby" for row in _rows.all(self.db, chat_id=chat_id)}

    def chats(self) -> list[int]:
        """The chats in which anything may be pinned, unless the bot may not unpin it there."""
        rows = (
            PinRow.select(PinRow.chat_id)
            .join(ChatRow, on=ChatRow.chat_id == PinRow.chat_id)
            .where(ChatRow.pins != 0)
            .distinct()
            .order_by(PinRow.chat_id)
        )
        return [row[0] for row in rows.tuples().execute(self.db)]

    def unpinned(self, chat_id: int, message_id: int | None = None) -> None:
        """A message, or every one of a chat, is pinned no more, or not the bot's to unpin."""
        which = PinRow.chat_id == chat_id
        if message_id is not None:
            which &= PinRow.message_id == message_id
        PinRow.delete().where(which).execute(self.db)

    def _wanted(self, game_id: str) -> bool:
        return bool(PinRow.select().where(PinRow.game_id == game_id).exists(self.db))


@statement
def _pin(*, chat_id: int, message_id: int, game_id: str) -> Query:
    return PinRow.insert(chat_id=chat_id, message_id=message_id, game_id=game_id).on_conflict(
        conflict_target=[PinRow.chat_id, PinRow.message_id], preserve=[PinRow.game_id]
    )


@statement
def _rows(*, chat_id: int) -> Query:
    return (
        PinRow.select(PinRow.message_id, GameRow.status)
        .join(GameRow, JOIN.LEFT_OUTER, on=GameRow.id == PinRow.game_id)
        .where(PinRow.chat_id == chat_id)
        .order_by(PinRow.message_id)
    )


@statement
def _moved_on(*, chat_id: int) -> Query:
    """The lobbies whose board has another message by now, and which."""
    board = (ShowingRow.game_id == PinRow.game_id) & (ShowingRow.seat == HOUSE)
    return (
        PinRow.select(PinRow.game_id, ShowingRow.message_id)
        .join(ShowingRow, on=board)
        .join(GameRow, on=GameRow.id == PinRow.game_id)
        .where(
            PinRow.chat_id == chat_id,
            GameRow.status == "lobby",
            ShowingRow.message_id != PinRow.message_id,
            ShowingRow.message_id > 0,
        )
    )
