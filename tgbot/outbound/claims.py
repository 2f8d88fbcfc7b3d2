"""One painter a chat at a time, where several workers serve one bot.

A worker claims a chat for a while and keeps it as long as it paints there; what others changed it
finds by looking. The claims of a worker that died lapse, and another one takes its chats over, with
what was left undone there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial

from tgbot.hall.cache import Tables
from tgbot.hall.clerk import AnyClerk

LEASE_S = 12
RENEW_S = 6
LOOK_EVERY_S = 0.4
"""How soon a board that another worker changed is seen to be out of date."""
PRUNE_EVERY = 150
IDLE_S = 12
"""A chat whose painter's claim has been over for so long may be another one's."""
_DEAD = "p.worker NOT IN (SELECT name FROM workers WHERE until >= ?)"
_FREE = f"({_DEAD} OR p.until < ? - {IDLE_S})"


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
        self._others = await self.clerk.run(partial(self._alive, now, now + LEASE_S))
        return self._others > 0

    def share(self, most: int) -> int:
        """This worker's part of what all of them together may do."""
        return max(1, most // (1 + self._others))

    async def part(self) -> None:
        """Leaves everything to the other workers, at once."""
        await self.clerk.run(self._gone)

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
        abandoned = bool(self._abandoned(now, chat_id))
        got = self._take(chat_id, now, until)
        return got, got and abandoned

    async def look(self) -> tuple[list[str], list[int]]:
        """The games whose boards this worker has to paint, read anew, and the chats in which one
        that died has left old boards over."""
        self._looks += 1
        return await self.clerk.run(self._look)

    def _look(self) -> tuple[list[str], list[int]]:
        now = int(self.now())
        games = self._to_paint(now)
        for game_id in games:
            self.tables.get(game_id)
        if self._looks % PRUNE_EVERY == 0:
            self.tables.prune(set(self.store.open_games()))
        return games, self._abandoned(now)

    # -- rows ---------------------------------------------------------------------------------

    def _alive(self, now: int, until: int) -> int:
        """Notes that this worker lives until then; how many others do."""
        self.store.sql(
            "INSERT INTO workers (name, until) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            (self.worker, until),
        )
        self.store.sql("DELETE FROM workers WHERE until < ?", (now,))
        row = self.store.sql(
            "SELECT count(*) FROM workers WHERE name <> ?", (self.worker,)
        ).fetchone()
        return int(row[0])

    def _gone(self) -> None:
        """This worker serves no more, and what it painted is anybody's."""
        self.store.sql("DELETE FROM workers WHERE name = ?", (self.worker,))
        self.store.sql("UPDATE painters SET until = 0 WHERE worker = ?", (self.worker,))

    def _take(self, chat_id: int, now: int, until: int) -> bool:
        """Makes this worker the one that paints a chat until then; False while another one is.

        One that is dead, or has not painted there for long, is none.
        """
        row = self.store.sql(
            "INSERT INTO painters AS p (chat_id, worker, until) VALUES (?, ?, ?) "
            "ON CONFLICT (chat_id) DO UPDATE SET worker = excluded.worker, "
            f"until = excluded.until WHERE p.worker = excluded.worker OR {_FREE} RETURNING 1",
            (chat_id, self.worker, until, now, now),
        ).fetchone()
        return row is not None

    def _abandoned(self, now: int, chat_id: int | None = None) -> list[int]:
        """The chats whose painter is dead and has left old boards over; or this chat, anyway."""
        which = "chat_id IN (SELECT chat_id FROM leftovers)" if chat_id is None else "chat_id = ?"
        rows = self.store.sql(
            f"SELECT chat_id FROM painters p WHERE {_DEAD} AND {which}",
            (now,) if chat_id is None else (now, chat_id),
        )
        return [row[0] for row in rows.fetchall()]

    def _to_paint(self, now: int) -> list[str]:
        """The games with boards behind that no other worker paints."""
        rows = self.store.sql(
            "SELECT DISTINCT s.game_id FROM showings s LEFT JOIN painters p "
            "ON p.chat_id = s.chat_id WHERE s.painted < s.board "
            f"AND (p.worker IS NULL OR p.worker = ? OR {_FREE}) LIMIT 200",
            (self.worker, now, now),
        )
        return [row[0] for row in rows.fetchall()]
