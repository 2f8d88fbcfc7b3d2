"""Updates in by an own getUpdates loop; the offset passes those that have been committed.

One that takes long holds back nobody: polling goes on from the first unconfirmed one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import structlog
from telegram import Bot
from telegram.error import Conflict, TelegramError

from tgbot.http.client import LONGEST_WAIT_S, CheckedRequest, pause_of, persistently
from tgbot.inbound.delivery import AGAIN_S
from tgbot.inbound.intake import ALLOWED, Body, Handle, HandlePress, Intake
from tgbot.operator.metrics import Metrics

POLL_S = 25
BATCH = 100
HANDLED_TOGETHER_S = 0.2
"""How long the next poll waits for handlers that are still at work."""
CONFLICT_WAIT_S = 10.0
IDLE_PAUSE_S = 1.0
"""The least between two polls that brought nothing new, whatever made them so short."""
CONFIRM_S = 2
"""How long the last poll may take, which confirms what was done before the end."""
SILENT_S = 35
"""A poll that is over by so long and brought no answer is one that failed."""

log = structlog.get_logger(__name__)


class Polling(Intake):
    """Long polling by `request`: python-telegram-bot would make objects of all that comes."""

    by = "polling"

    def __init__(
        self,
        bot: Bot,
        handle: Handle,
        press: HandlePress,
        request: CheckedRequest,
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(bot, handle, press, metrics)
        self._request = request
        self._done: set[int] = set()
        self._away = False
        """Whether the last update that was handled could not be written."""
        self._next = 0
        self._failures = 0
        self._polled_at = float("-inf")

    @property
    def flowing(self) -> bool:
        """Whether a poll succeeded lately."""
        return asyncio.get_running_loop().time() - self._polled_at < POLL_S + SILENT_S

    async def run(self) -> None:
        """Polls until cancelled."""
        await self._leave_webhook()
        clock = asyncio.get_running_loop().time
        while True:
            asked_at, patient = clock(), self.caught_up.is_set() and not self._at_work
            updates = await self._poll(patient)
            if updates is None:
                continue
            if not self._start(updates) and not self._at_work and (updates or patient):
                await asyncio.sleep(max(0, asked_at + IDLE_PAUSE_S - clock()))
            if self._at_work:
                await asyncio.wait(self._at_work.values(), timeout=HANDLED_TOGETHER_S)
            if self._again:
                await asyncio.sleep(AGAIN_S)
            if len(updates) < BATCH and not self._away:
                self.caught_up.set()

    async def finish(self) -> None:
        """Waits for the handlers at work and confirms what they did."""
        await super().finish()
        if self._next:
            try:
                async with asyncio.timeout(CONFIRM_S):
                    await self.bot.get_updates(offset=self._offset(), limit=1, timeout=0)
            except (TelegramError, TimeoutError) as error:
                log.warning("the last updates could not be confirmed", error=str(error))

    async def _leave_webhook(self) -> None:
        """Telegram hands out no updates while it has a webhook to call."""
        info = await persistently(self.bot.get_webhook_info)
        if info.url:
            await persistently(partial(self.bot.delete_webhook, drop_pending_updates=False))
            where = urlsplit(info.url).hostname
            log.warning(
                "the webhook is deleted to poll; no update is dropped",
                host=where,
                waiting=info.pending_update_count,
            )

    def _offset(self) -> int:
        return min((*self._at_work, *self._again), default=self._next)

    async def _poll(self, patient: bool) -> Sequence[Body] | None:
        """What waits at Telegram, in its order, or comes soon where there is time to be `patient`;
        None where that cannot be told."""
        offset, wait_s = self._offset(), POLL_S if patient else 0
        asked = {"offset": offset or None, "limit": BATCH, "timeout": wait_s}
        try:
            updates: list[Body] = await self._request.call(
                f"{self.bot.base_url}/getUpdates", wait_s, {**asked, "allowed_updates": ALLOWED}
            )
        except TelegramError as error:
            await self._failed(error)
            return None
        self._failures = 0
        self._polled_at = asyncio.get_running_loop().time()
        return updates

    async def _failed(self, error: TelegramError) -> None:
        """Waits after a poll without updates; no answer of Telegram is its last word."""
        # What people do now comes in later; until then no deadline may fire (RULES 0).
        self.caught_up.clear()
        self._failures += 1
        wait = pause_of(error) or min(0.5 * 2 ** min(self._failures, 9), LONGEST_WAIT_S)
        if isinstance(error, Conflict):
            wait = CONFLICT_WAIT_S
            log.warning("another process polls with this token; waiting", wait_s=wait)
        else:
            log.warning("no updates from Telegram", error=str(error), wait_s=wait)
        await asyncio.sleep(wait)

    def _start(self, updates: Sequence[Body]) -> bool:
        """Begins with what has not been begun with; whether there was anything."""
        came = {update["update_id"]: update for update in updates}
        # What Telegram has forgotten meanwhile, after a day, is not waited for.
        self._again = {n: delivery for n, delivery in self._again.items() if n in came}
        # Ids may start lower after a quiet week: what counts is what came last, not what is most.
        self._done &= came.keys()
        self._next = updates[-1]["update_id"] + 1 if updates else self._next
        waiting = [n for n in came if n not in self._at_work and n not in self._done]
        full = len(updates) == BATCH and self._again.keys() >= {*waiting}
        for number in waiting:
            # Most of what came after the first was written, and nothing new can come in.
            last = full and number == waiting[0] and len(waiting) <= BATCH // 2
            work = self._one(number, came[number], last=last)
            self._at_work[number] = asyncio.get_running_loop().create_task(work)
        return bool(waiting)

    def _ended(self, number: int) -> None:
        super()._ended(number)
        self._away = number in self._again
        if self._away:
            self.caught_up.clear()
        else:
            self._done.add(number)
