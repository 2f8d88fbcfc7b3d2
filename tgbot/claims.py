"""One painter a chat at a time, where several workers serve one bot.

A worker claims a chat for a while and keeps it as long as it paints there; what others changed it
finds by looking. The claims of a worker that died lapse, and another one takes its chats over, with
what was left undone there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial

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
        self.inherited: set[int] = set()
        """Chats taken over from a worker that died, until somebody has seen to them."""
        self._others = 0
        self._held: dict[int, float] = {}
        self._looks = 0

    async def beat(self) -> bool:
        """Tells that this worker lives; whether any other one does."""
        now = int(self.now())
        beat = partial(self.store.beat, self.worker, now, now + LEASE_S)
        self._others = await self.clerk.run(beat)
        return self._others > 0

    def share(self, most: int) -> int:
        """This worker's part of what all of them together may do."""
        return max(1, most // (1 + self._others))

    async def part(self) -> None:
        """Leaves everything to the other workers, at once."""
        await self.clerk.run(lambda: self.store.part(self.worker))

    async def mine(self, chat_id: int) -> bool:
        """Whether this worker paints the chat; claims it if nobody does."""
        now = self.now()
        if self._held.get(chat_id, 0) - now > LEASE_S - RENEW_S:
            return True
        until = int(now) + LEASE_S
        got, heir = await self.clerk.run(lambda: self._claim(chat_id, int(now), until), chat_id)
        if got:
            self._held[chat_id] = until
        else:
            self._held.pop(chat_id, None)
        if heir:
            self.inherited.add(chat_id)
        return got

    def _claim(self, chat_id: int, now: int, until: int) -> tuple[bool, bool]:
        """Whether the chat is this worker's now, and whether its last painter has died."""
        abandoned = bool(self.store.abandoned(now, chat_id))
        got = self.store.claim(chat_id, self.worker, now, until)
        return got, got and abandoned

    async def look(self) -> tuple[list[str], list[int]]:
        """The games whose boards this worker has to paint, read anew, and the chats in which one
        that died has left old boards over."""
        self._looks += 1
        return await self.clerk.run(self._look)

    def _look(self) -> tuple[list[str], list[int]]:
        now = int(self.now())
        games = self.store.to_paint(self.worker, now)
        for game_id in games:
            self.tables.get(game_id)
        if self._looks % PRUNE_EVERY == 0:
            self.tables.prune(set(self.store.open_games()))
        return games, self.store.abandoned(now)
