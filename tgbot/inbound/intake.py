"""Updates in: what came is handed to its handler, and confirmed once it has been committed.

python-telegram-bot's Updater confirms what is merely queued; a process that dies would lose it.
Here the offset passes an update (`polling.py`), or the webhook's call is answered (`webhook.py`),
only once its handler is done, which is after its use case committed. What is in hand already is not
handled twice. One that could not be written, for want of a database or of room, is not confirmed
either: it is handled again until it is written, and no deadline fires before.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from telegram import Bot, Update

from tgbot.inbound.delivery import Delivery, current
from tgbot.inbound.pressed import Pressed, pressed
from tgbot.operator.metrics import Metrics

LAST_S = 3
"""How long handlers at work may take at the end."""
ALLOWED = ["message", "callback_query", "my_chat_member", "inline_query"]

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
