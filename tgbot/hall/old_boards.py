"""Old boards that still have a keyboard to lose.

A board that another one took the place of is a row until its keyboard is gone, so that no death of
the process and no absence from the chat leaves buttons of the past behind.
"""

from __future__ import annotations

from tgbot.hall.rows import Store

Leftover = tuple[int, int, str]
"""Chat, message, and what the message is left saying (empty: what it says)."""


_AWAY = (
    "SELECT chat_id FROM chats WHERE gone_at <> 0 "
    "UNION SELECT user_id FROM people WHERE reachable = 0"
)


class Leftovers:
    """The leftovers table. Every method runs inside the caller's transaction."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(self, chat_id: int, message_id: int, body: str) -> None:
        """Notes an old board that has its keyboard to lose; it is left saying `body`."""
        self.store.sql(
            "INSERT INTO leftovers (chat_id, message_id, body) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (chat_id, message_id, body),
        )

    def all(self, chat_id: int | None = None) -> list[Leftover]:
        """Chat, message and body of old boards that have a keyboard to lose: all that can be
        reached, or those of one chat."""
        rows = self.store.sql(
            "SELECT chat_id, message_id, body FROM leftovers WHERE "
            f"{'chat_id = ?' if chat_id else f'chat_id NOT IN ({_AWAY})'} "
            "ORDER BY chat_id, message_id",
            (chat_id,) if chat_id else (),
        )
        return [(row[0], row[1], row[2]) for row in rows.fetchall()]

    def clear(self, chat_id: int, message_id: int | None = None) -> None:
        """An old board, or every one of a chat, has no keyboard to lose any more."""
        if message_id is None:
            self.store.sql("DELETE FROM leftovers WHERE chat_id = ?", (chat_id,))
        else:
            key = (chat_id, message_id)
            self.store.sql("DELETE FROM leftovers WHERE chat_id = ? AND message_id = ?", key)
