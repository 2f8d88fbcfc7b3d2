"""Updates in: an own getUpdates loop that confirms only what has been committed.

python-telegram-bot's Updater confirms what is merely queued; a process that dies would lose it.
Here an update is handed to its handler, and the offset passes it only once the handler is done,
which is after its use case committed. One that takes long holds back nobody: polling goes on from
the first unconfirmed one, and what is in hand already is not handled twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

POLL_S = 25
BATCH = 100
HANDLED_TOGETHER_S = 0.2
"""How long the next poll waits for handlers that are still at work."""
CONFLICT_WAIT_S = 10.0
ALLOWED = ["message", "callback_query", "my_chat_member"]

log = structlog.get_logger(__name__)


class Intake:
    """Long polling. `handle` processes one update and never raises."""

    def __init__(self, bot: Bot, handle: Callable[[Update], Awaitable[None]]) -> None:
        self.bot = bot
        self.handle = handle
        self.caught_up = asyncio.Event()
        """Set once what was waiting at the start, or at the end of an outage, came in."""
        self._at_work: dict[int, asyncio.Task[None]] = {}
        self._done: set[int] = set()
        self._next = 0
        self._failures = 0

    async def run(self) -> None:
        """Polls until cancelled. Raises `InvalidToken` where the token is none."""
        while True:
            updates = await self._poll()
            if updates is None:
                continue
            self._start(updates)
            if len(updates) < BATCH:
                self.caught_up.set()
            if self._at_work:
                await asyncio.wait(self._at_work.values(), timeout=HANDLED_TOGETHER_S)

    async def settled(self) -> None:
        """Waits until all that came in by now has been handled; what comes meanwhile may wait."""
        await self.caught_up.wait()
        if self._at_work:
            await asyncio.wait([*self._at_work.values()])

    async def finish(self) -> None:
        """Waits for the handlers at work and confirms what they did."""
        if self._at_work:
            await asyncio.wait(self._at_work.values(), timeout=5)
        if self._next:
            try:
                await self.bot.get_updates(offset=self._offset(), limit=1, timeout=0)
            except TelegramError as error:
                log.warning("the last updates could not be confirmed", error=str(error))

    def _offset(self) -> int:
        return min(self._at_work, default=self._next)

    async def _poll(self) -> tuple[Update, ...] | None:
        patient = self.caught_up.is_set() and not self._at_work
        offset = self._offset()
        try:
            updates = await self.bot.get_updates(
                offset=offset or None,
                limit=BATCH,
                timeout=POLL_S if patient else 0,
                allowed_updates=ALLOWED,
            )
        except InvalidToken:
            raise
        except Conflict:
            self.caught_up.clear()
            log.warning("another process polls with this token; waiting", wait_s=CONFLICT_WAIT_S)
            await asyncio.sleep(CONFLICT_WAIT_S)
        except RetryAfter as error:
            self.caught_up.clear()
            seconds = error.retry_after
            await asyncio.sleep(seconds if isinstance(seconds, int) else seconds.total_seconds())
        except NetworkError as error:
            # What people do now comes in later; until then no deadline may fire (RULES 0).
            self.caught_up.clear()
            self._failures += 1
            wait = min(0.5 * 2**self._failures, 30)
            log.warning("no updates from Telegram", error=str(error), wait_s=wait)
            await asyncio.sleep(wait)
        else:
            self._failures = 0
            self._done = {number for number in self._done if number >= offset}
            return updates
        return None

    def _start(self, updates: tuple[Update, ...]) -> None:
        for update in sorted(updates, key=lambda update: update.update_id):
            number = update.update_id
            if number in self._at_work or number in self._done:
                continue
            self._next = max(self._next, number + 1)
            self._at_work[number] = asyncio.get_running_loop().create_task(self._one(update))

    async def _one(self, update: Update) -> None:
        try:
            await self.handle(update)
        except Exception:
            log.exception("an update could not be handled", update=update.update_id)
        finally:
            self._at_work.pop(update.update_id, None)
            self._done.add(update.update_id)
