"""The latest message known of each supergroup, to tell how much talk a board lies under.

Telegram numbers a supergroup's messages one by one, whoever writes them: so any message that the
bot sends or sees says how many came before it, though privacy mode hides them. In other chats the
numbers are shared with all chats of the bot and say nothing.
"""

from __future__ import annotations

from tgbot.hall.table import Showing, Table

BURIED = 10
"""A board below so many messages is one that people have to look for."""
MOST_CHATS = 5000
_SUPERGROUPS = -1_000_000_000_000
"""The ids of supergroups lie below this one."""


class Latest:
    """What is known, of the chats that something was seen of lately."""

    def __init__(self) -> None:
        self._ids: dict[int, int] = {}

    def saw(self, chat_id: int, message_id: int) -> None:
        """There is a message with this number."""
        if chat_id < _SUPERGROUPS:
            self._ids[chat_id] = max(message_id, self._ids.pop(chat_id, 0))
            if len(self._ids) > MOST_CHATS:
                del self._ids[next(iter(self._ids))]

    def buries(self, table: Table, showing: Showing) -> bool:
        """Whether a board is to be sent anew: it lies below much talk, and a lobby has changed or
        the next one is to act."""
        lies_under = self._ids.get(showing.chat_id, 0) - showing.message_id
        news = table.status == "lobby" or (table.open and not showing.shown)
        return bool(news and showing.message_id) and lies_under >= BURIED
