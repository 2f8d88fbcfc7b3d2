"""Presses on messages that seem to be boards of the past: unless they prove boards, they lose their
keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tgbot.inbound.limits import Limit
from tgbot.outbound.budget import WINDOW_S
from tgbot.outbound.painter import Painter

MOST_DOUBTS = 4
"""How many boards of a chat are looked into a minute: presses can be forged, sends are few."""
DOUBT_S = 3.0
"""How long a board just sent may seem old because its delivery is not noted yet."""


class Doubts:
    """The boards that are being looked into. Lives on the event loop."""

    def __init__(self, painter: Painter, now: Callable[[], float]) -> None:
        self.painter = painter
        self.now = now
        self._under_way: set[tuple[int, int]] = set()
        self._limit = Limit(MOST_DOUBTS, WINDOW_S)

    def look_into(self, chat_id: int, message_id: int) -> None:
        """Somebody pressed a board that seems old: unless it proves one, it is tidied."""
        doubted = (chat_id, message_id) in self._under_way
        if not doubted and self._limit.take(chat_id, self.now()):
            self._under_way.add((chat_id, message_id))
            self.painter.spawn(self._look_into(chat_id, message_id))

    async def _look_into(self, chat_id: int, message_id: int) -> None:
        await asyncio.sleep(DOUBT_S)
        self._under_way.discard((chat_id, message_id))
        await self.painter.tidy_unless_board(chat_id, message_id)
