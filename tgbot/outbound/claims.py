"""One painter a chat at a time, where several workers serve one bot.

A worker claims a chat for a while and keeps it as long as it paints there; what others changed it
finds by looking. The claims of a worker that died lapse, and another one takes its chats over, with
what was left undone there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from peewee import EXCLUDED, JOIN, Database, Expression

from economy.statements import Query, statement
from tgbot.hall.clerk import Clerk
from tgbot.hall.tables import Tables
from tgbot.models import BEHIND, ClaimRow, GameRow, OldBoardRow, ShowingRow, WorkerRow

LEASE_S = 12
"""How long a claim or sign of life holds."""
RENEW_S = 6
"""How old it may get before it is renewed."""
LOOK_EVERY_S = 0.4
"""How soon a board that another worker changed is seen to be out of date."""
PRUNE_EVERY = 150
"""Looks between two prunings of pictures of games that other workers have ended."""
IDLE_S = 12
"""A chat whose painter's claim has been over for so long may be another one's."""


class Claims:
    """The chats that this worker has claimed to paint, and its row among the living workers.

    `ahead` says how far the clock that all workers share is ahead of this one's `now`.
    """

    def __init__(
        self,
        tables: Tables,
        clerk: Clerk,
        now: Callable[[], float],
        ahead: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.tables = tables
        self.store = tables.store
        self.clerk = clerk
        self.now = now
        self.worker = secrets.token_hex(8)
        self.inherited: set[int] = set()
        """Chats taken over from a worker that died, until somebody has seen to them."""
        self._others = 0
        self.ahead = ahead
        self._ahead = 0.0
        self._held: dict[int, float] = {}
        self._looks = 0

    async def beat(self) -> bool:
        """Tells that this worker lives; whether any other one does."""
        now = int(self._time())
        self._held = {chat_id: until for chat_id, until in self._held.items() if until > now}
        self._others = await self.clerk.run(self._alive)
        return self._others > 0

    def share(self, most: int) -> int:
        """This worker's part of what all of them together may do."""
        return max(1, most // (1 + self._others))

    async def leave(self) -> None:
        """Leaves everything to the other workers, at once."""
        await self.clerk.run(self._gone)

    async def mine(self, chat_id: int) -> bool:
        """Whether this worker paints the chat; claims it if nobody does."""
        now = self._time()
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
        now = int(self._time())
        games = [it for it, stamp in self._to_paint(now) if self._up_to_date(it, stamp)]
        if self._looks % PRUNE_EVERY == 0:
            self.tables.prune(set(self.store.open_games()))
        return games, self._abandoned(now)

    def _up_to_date(self, game_id: str, stamp: int) -> bool:
        seen = self.tables.seen.get(game_id)
        return (seen is not None and seen.stamp == stamp) or self.tables.look(game_id)

    # -- rows ---------------------------------------------------------------------------------

    def _alive(self) -> int:
        """Notes that this worker lives; how many others do."""
        db = self.store.db
        self._ahead = self.ahead()
        now = int(self._time())
        return _alive(db, self.worker, now, now + LEASE_S)

    def _time(self) -> float:
        """What time it is by the clock that all workers share."""
        return self.now() + self._ahead

    def _gone(self) -> None:
        """Deletes this worker's row and its claims: any other worker may paint its chats."""
        db = self.store.db
        WorkerRow.delete().where(WorkerRow.name == self.worker).execute(db)
        ClaimRow.update(until=0).where(ClaimRow.worker == self.worker).execute(db)

    def _take(self, chat_id: int, now: int, until: int) -> bool:
        """Makes this worker the one that paints a chat until then; False while another one is.

        One that is dead, or has not painted there for long, is none.
        """
        return bool(
            _take.run(
                self.store.db,
                chat_id=chat_id,
                worker=self.worker,
                until=until,
                now=now,
                idle_since=now - IDLE_S,
            )
        )

    def _abandoned(self, now: int, chat_id: int | None = None) -> list[int]:
        """The chats whose painter is dead and has left old boards over; or this chat, anyway."""
        db = self.store.db
        if chat_id is None:
            return _left_over.all(db, now=now)
        return _abandoned.all(db, chat_id=chat_id, now=now)

    def _to_paint(self, now: int) -> list[tuple[str, int]]:
        """The games with boards behind that no other worker paints, and when each changed last."""
        idle_since = now - IDLE_S
        games = _to_paint.all(self.store.db, worker=self.worker, now=now, idle_since=idle_since)
        return list(dict.fromkeys(games))


def _alive(db: Database, worker: str, now: int, until: int) -> int:
    new = WorkerRow.insert(name=worker, until=until)
    new.on_conflict(conflict_target=[WorkerRow.name], preserve=[WorkerRow.until]).execute(db)
    WorkerRow.delete().where(WorkerRow.until < now).execute(db)
    return WorkerRow.select().where(WorkerRow.name != worker).count(db)


# -- statements --------------------------------------------------------------------------------


def _dead(now: int) -> Expression:
    """Whether the worker that painted a chat last has given no sign of life."""
    living = WorkerRow.select(WorkerRow.name).where(WorkerRow.until >= now)
    return ClaimRow.worker.not_in(living)


@statement
def _take(*, chat_id: int, worker: str, until: int, now: int, idle_since: int) -> Query:
    return ClaimRow.insert(chat_id=chat_id, worker=worker, until=until).on_conflict(
        conflict_target=[ClaimRow.chat_id],
        preserve=[ClaimRow.worker, ClaimRow.until],
        where=(ClaimRow.worker == EXCLUDED.worker) | _dead(now) | (ClaimRow.until < idle_since),
    )


@statement(row=int)
def _abandoned(*, chat_id: int, now: int) -> Query:
    return ClaimRow.select(ClaimRow.chat_id).where(ClaimRow.chat_id == chat_id, _dead(now))


@statement(row=int)
def _left_over(*, now: int) -> Query:
    with_old_boards = ClaimRow.select(ClaimRow.chat_id).join(
        OldBoardRow, on=OldBoardRow.chat_id == ClaimRow.chat_id
    )
    return with_old_boards.where(_dead(now)).distinct()


@statement
def _to_paint(*, worker: str, now: int, idle_since: int) -> Query:
    free = ClaimRow.worker.is_null() | (ClaimRow.worker == worker)
    return (
        ShowingRow.select(GameRow.id, GameRow.stamp)
        .join(GameRow, on=GameRow.id == ShowingRow.game_id)
        .switch(ShowingRow)
        .join(ClaimRow, JOIN.LEFT_OUTER, on=ClaimRow.chat_id == ShowingRow.chat_id)
        .where(BEHIND, free | _dead(now) | (ClaimRow.until < idle_since))
        .limit(200)
    )
