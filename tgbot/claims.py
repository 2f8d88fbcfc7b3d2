"""One painter a chat at a time, where several workers serve one bot.

A worker claims a chat for a while and keeps it as long as it paints there; what others changed it
finds by looking. The claims of a worker that died lapse, and another one takes its chats over.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from tgbot.clerk import AnyClerk
from tgbot.tables import Tables

LEASE_S = 12
RENEW_S = 6
LOOK_EVERY_S = 0.4
"""How soon a board that another worker changed is seen to be out of date."""
PRUNE_EVERY = 150


class Claims:
    """The chats one worker paints, and its sign of life."""

    def __init__(self, tables: Tables, clerk: AnyClerk, now: Callable[[], float]) -> None:
        self.tables = tables
        self.store = tables.store
        self.clerk = clerk
        self.now = now
        self.worker = secrets.token_hex(8)
        self._held: dict[int, float] = {}
        self._looks = 0

    async def beat(self) -> bool:
        """Tells that this worker lives; whether any other one does."""
        now = int(self.now())
        return await self.clerk.run(lambda: self.store.beat(self.worker, now, now + LEASE_S))

    async def mine(self, chat_id: int) -> bool:
        """Whether this worker paints the chat; claims it if nobody does."""
        now = self.now()
        if self._held.get(chat_id, 0) - now > LEASE_S - RENEW_S:
            return True
        until = int(now) + LEASE_S
        got = await self.clerk.run(
            lambda: self.store.claim(chat_id, self.worker, int(now), until), chat_id
        )
        if got:
            self._held[chat_id] = until
        else:
            self._held.pop(chat_id, None)
        return got

    async def look(self) -> list[str]:
        """The games whose boards this worker has to paint, read anew."""
        self._looks += 1
        return await self.clerk.run(self._look)

    def _look(self) -> list[str]:
        games = self.store.to_paint(self.worker, int(self.now()))
        for game_id in games:
            self.tables.get(game_id)
        if self._looks % PRUNE_EVERY == 0:
            self.tables.prune(set(self.store.open_games()))
        return games
