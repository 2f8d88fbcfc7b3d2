"""Updates in, by an own getUpdates loop or by webhook; confirmed once they have been committed.

python-telegram-bot's Updater confirms what is merely queued; a process that dies would lose it.
Here an update is handed to its handler, and the offset passes it (the webhook's call is answered)
only once the handler is done, which is after its use case committed. One that takes long holds back
nobody: polling goes on from the first unconfirmed one, and what is in hand already is not handled
twice. One that could not be written, for want of a database or of room, is not confirmed either: it
is handled again until it is written, and no deadline fires before.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import structlog
from telegram import Bot, Update, WebhookInfo
from telegram.error import BadRequest, Conflict, Forbidden, TelegramError

from tgbot.config import Hook, WrongSetting
from tgbot.http.client import LONGEST_WAIT_S, REFUSALS, CheckedRequest, pause_of, persistently
from tgbot.inbound.delivery import AGAIN_S, Delivery, current
from tgbot.inbound.pressed import Pressed, pressed
from tgbot.operator.metrics import Metrics

POLL_S = 25
BATCH = 100
HANDLED_TOGETHER_S = 0.2
"""How long the next poll waits for handlers that are still at work."""
CONFLICT_WAIT_S = 10.0
IDLE_PAUSE_S = 1.0
"""The least between two polls that brought nothing new, whatever made them so short."""
LAST_S = 3
"""How long handlers at work may take at the end."""
CONFIRM_S = 2
"""How long the last poll may take, which confirms what was done before the end."""
ALLOWED = ["message", "callback_query", "my_chat_member", "inline_query"]
SILENT_S = 35
"""A poll that is over by so long and brought no answer is one that failed."""

MOST_CALLS = 100
"""Webhook calls at a time, the most Telegram makes."""
CATCH_UP_S = 10
"""How long updates that waited for the webhook may take to come in."""
LOOK_S = 0.3
WATCH_S = 20
"""How often Telegram is asked whether it can deliver."""

Body = dict[str, Any]
"""An update as Telegram sends it."""
Handle = Callable[[Update], Awaitable[None]]
HandlePress = Callable[[Pressed], Awaitable[None]]

log = structlog.get_logger(__name__)


class Intake(ABC):
    """A way in for updates: presses go to `press`, all else to `handle`; neither ever raises."""

    by = ""
    """`polling` or `webhook`."""
    rides = False
    """Whether an answer can ride back where the update came from."""

    def __init__(
        self, bot: Bot, handle: Handle, press: HandlePress, metrics: Metrics | None = None
    ) -> None:
        self.bot = bot
        self.handle = handle
        self.press = press
        self.metrics = metrics or Metrics()
        self.caught_up = asyncio.Event()
        """Set once what was waiting at the start, or at the end of an outage, came in."""
        self._at_work: dict[int, asyncio.Future[Delivery]] = {}
        self._again: dict[int, Delivery] = {}
        """Those that could not be written."""

    @abstractmethod
    async def run(self) -> None:
        """Takes updates in until cancelled, whatever Telegram answers once it has signed in."""

    @property
    @abstractmethod
    def flowing(self) -> bool:
        """Whether updates come in, as far as one can tell."""

    async def settled(self) -> None:
        """Waits until all that came in by now has been handled; what comes meanwhile may wait."""
        await self.caught_up.wait()
        if self._at_work:
            await asyncio.wait([*self._at_work.values()])
        await self.caught_up.wait()

    async def finish(self) -> None:
        """Waits for the handlers at work."""
        if self._at_work:
            await asyncio.wait(self._at_work.values(), timeout=LAST_S)

    async def _one(self, number: int, body: Body, *, last: bool = False) -> Delivery:
        if known := self._again.pop(number, None):
            delivery = known.again(rides=self.rides)
        else:
            delivery = Delivery(self.metrics.answered, rides=self.rides)
        delivery.last = last
        current.set(delivery)
        try:
            self.metrics.came(body)
            await self._handle(body)
        except Exception as error:
            log.exception("an update could not be handled", update=number)
            delivery.error = error
        finally:
            delivery.end()
            if delivery.to_repeat:
                self._again[number] = delivery
            self._ended(number)
        if delivery.error:
            cause = "database" if delivery.to_repeat else "update"
            self.metrics.update_errors.labels(cause).inc()
        return delivery

    async def _handle(self, body: Body) -> None:
        try:
            it = pressed(body) if "callback_query" in body else Update.de_json(body, self.bot)
        except Exception:
            log.exception("an update could not be read", update=body["update_id"])
            self.metrics.update_errors.labels("update").inc()
            return
        if isinstance(it, Pressed):
            await self.press(it)
        else:
            await self.handle(it)

    def _ended(self, number: int) -> None:
        self._at_work.pop(number, None)


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


class Webhook(Intake):
    """Updates that Telegram brings, each as a call that is answered once it is handled.

    Telegram repeats what was not answered with 200, so what another worker or an earlier life of
    this one has applied comes again; it is known by its number in the database.
    """

    by = "webhook"
    rides = True

    def __init__(
        self,
        bot: Bot,
        handle: Handle,
        press: HandlePress,
        hook: Hook,
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(bot, handle, press, metrics)
        self.hook = hook
        self.watch_s: float = WATCH_S
        self._open = False
        self._ours = False
        self._failed_at: datetime | None = None
        self._asking = asyncio.Lock()

    @property
    def flowing(self) -> bool:
        """Whether Telegram knows this webhook."""
        return self._open and self._ours

    async def run(self) -> None:
        """Has Telegram call until cancelled. Raises `WrongSetting` for what it will not call."""
        self._open = True
        try:
            try:
                await self._set(refusals=REFUSALS)
            except (BadRequest, Forbidden) as error:
                raise WrongSetting(f"WEBHOOK_URL: Telegram does not take it ({error})") from None
            await self._catch_up()
            while True:
                await asyncio.sleep(self.watch_s)
                await self._ask()
        finally:
            self._open = False

    async def settled(self) -> None:
        """Waits until all that came in by now has been handled, what Telegram could not deliver so
        far included (for a while)."""
        await self._ask()
        await super().settled()

    async def take(self, number: int, body: dict[str, Any]) -> Delivery | None:
        """Handles the update in the body of a call, whose number is `number`, and waits for it.

        None where none is taken now; the answer is to be that Telegram should try again. One that
        is in hand already is not handled twice.
        """
        known = self._at_work.get(number)
        if known is not None:
            return await asyncio.shield(known)
        if not self._open:
            return None
        handled = self._at_work[number] = asyncio.get_running_loop().create_future()
        try:
            delivery = await self._one(number, body)
        except BaseException:
            handled.cancel()
            raise
        handled.set_result(delivery)
        return delivery

    async def _set(self, *, refusals: int = 0) -> None:
        setting = partial(
            self.bot.set_webhook,
            self.hook.url,
            secret_token=self.hook.secret,
            allowed_updates=ALLOWED,
            max_connections=MOST_CALLS,
            drop_pending_updates=False,
        )
        await persistently(setting, self.caught_up.clear, refusals=refusals)
        self._ours = True
        log.info("Telegram calls", host=urlsplit(self.hook.url).hostname)

    async def _catch_up(self) -> None:
        """Lets come in what waited at Telegram (RULES 0), for a while."""
        for _ in range(int(CATCH_UP_S / LOOK_S)):
            info = await self._look()
            self._failed_at = info.last_error_date
            if not info.pending_update_count:
                break
            await asyncio.sleep(LOOK_S)
        self.caught_up.set()

    async def _look(self) -> WebhookInfo:
        info = await persistently(self.bot.get_webhook_info, self.caught_up.clear)
        self.metrics.waiting.set(info.pending_update_count)
        self._ours = info.url == self.hook.url
        return info

    async def _ask(self) -> None:
        """Asks Telegram whether it still calls, here, and can."""
        async with self._asking:
            ours, info = self._ours, await self._look()
            if not info.url:
                log.warning("somebody deleted the webhook; it is set again")
                await self._set()
            elif ours and not self._ours:
                log.error("Telegram calls another webhook", host=urlsplit(info.url).hostname)
            if info.pending_update_count and info.last_error_date != self._failed_at:
                log.warning(
                    "Telegram could not deliver",
                    error=info.last_error_message,
                    waiting=info.pending_update_count,
                )
                self.caught_up.clear()
            if not self.caught_up.is_set():
                await self._catch_up()
