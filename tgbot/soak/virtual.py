"""An event loop whose time jumps instead of passing, and everything that tells the time by it."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from importlib import import_module
from typing import Any

BEGAN = 1_800_000_000.0
"""What time it is when a loop begins, in unix seconds: 15 January 2027, 09:00 in Berlin."""
PATIENCE_S = 600
"""How long looks and polls that find nothing last, so that days pass quickly."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """When nothing is left to do, time is that of the next timer at once.

    It began at `began` (unix seconds); a wall clock that was set is `skew` seconds ahead of it.
    `busy` are asked before a jump: threads at work will have something to say without any timer.
    """

    def __init__(self, began: float = BEGAN) -> None:
        self.began = began
        self.skew = 0.0
        self.moment = 0.0
        self.busy: list[Callable[[], object]] = []
        self._threads = 0
        super().__init__()
        self._clock_resolution = 1e-6  # finer, and after half a year a float cannot tell it
        self._scheduled: list[Any]
        self._ready: Any
        self._timer_cancelled_count: int

    def time(self) -> float:
        """Seconds since it began."""
        return self.moment

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        """As the loop's own; time stands still until the thread is through."""
        self._threads += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._thread_done)
        return future

    def _thread_done(self, future: object) -> None:
        self._threads -= 1

    async def shutdown_default_executor(self, *args: Any) -> None:
        """As the loop's own."""
        self._threads += 1
        try:
            await super().shutdown_default_executor(*args)
        finally:
            self._threads -= 1

    def _run_once(self) -> None:
        timers = self._scheduled
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
            self._timer_cancelled_count -= 1
        if timers and timers[0]._when < self.moment + self._clock_resolution:
            # It goes off without a jump; who waits less than a float can tell must get on.
            self.moment += self._clock_resolution
        elif not self._ready and not self._threads and not any(busy() for busy in self.busy):
            if not timers:
                raise RuntimeError("everybody waits for something that nobody will do")
            self.moment = timers[0]._when
        super()._run_once()  # type: ignore[misc]


def true_now() -> float:
    """Seconds since 1970 by the loop's clock, whatever the wall clock was set to."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return BEGAN
    return (loop.began if isinstance(loop, VirtualLoop) else BEGAN) + loop.time()


def now() -> float:
    """Seconds since 1970 by the wall clock of the machine the loop runs on."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return BEGAN
    return true_now() + (loop.skew if isinstance(loop, VirtualLoop) else 0.0)


class VirtualDatetime(datetime):
    """`datetime` by the loop's clock, for libraries that ask it."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        """What time it is by `now`."""
        # `fromtimestamp` rounds, a real clock never shows a time that has not come yet.
        whole, part = divmod(now(), 1)
        return datetime.fromtimestamp(whole, tz).replace(microsecond=int(part * 1e6))


_PATCHES: dict[str, dict[str, Any]] = {
    "apscheduler.schedulers.base": {"datetime": VirtualDatetime},
    "apscheduler.triggers.interval": {"datetime": VirtualDatetime},
    "tgbot.hall.clock": {"LOOK_EVERY_S": PATIENCE_S},
    "tgbot.inbound.polling": {"POLL_S": PATIENCE_S},
    "tgbot.playground.api": {"LONGEST_POLL_S": PATIENCE_S},
}


@contextlib.contextmanager
def virtual_time() -> Iterator[None]:
    """While it lasts, APScheduler goes by the loop's clock, and idle looks and polls are rare."""
    before: list[tuple[Any, str, Any]] = []
    for name, values in _PATCHES.items():
        module = import_module(name)
        for attribute, value in values.items():
            before.append((module, attribute, getattr(module, attribute)))
            setattr(module, attribute, value)
    try:
        yield
    finally:
        for module, attribute, value in before:
            setattr(module, attribute, value)
