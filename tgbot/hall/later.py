"""Work that takes its time (`Done.later`): done in a thread, where it is in nobody's way.

Minds have one of their own, and think one thought after another: two at a time take longer than one
after the other, and however many wait they keep nobody from reading what they own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

from peewee import PeeweeException

from economy.transactions import passing
from tgbot.done import Done
from tgbot.hall.clerk import Clerk

ATTEMPTS = 15
"""So often, `PAUSE_S` apart, a database that is away is asked for what somebody wants to read."""
PAUSE_S = 2.0


class Later:
    """Finishes what use cases have left to be done."""

    def __init__(self, clerk: Clerk, now: Callable[[], float]) -> None:
        self.clerk = clerk
        self.now = now
        self._minds = ThreadPoolExecutor(1, "mind")

    async def finish(self, done: Done) -> Done:
        """What comes of the work, and of the use case that it leads to. Raises what these raise."""
        assert done.later
        came = await _worked(done.later, self._minds if done.thinks else None)
        return await self.clerk.run(partial(came.then, int(self.now()))) if came.then else came

    def close(self) -> None:
        """What was not begun is left undone."""
        self._minds.shutdown(wait=False, cancel_futures=True)


async def _worked(work: Callable[[], Done], threads: Executor | None) -> Done:
    """What the work answers; of `threads`, or of those that everybody shares."""
    loop, work = asyncio.get_running_loop(), partial(copy_context().run, work)
    for _ in range(ATTEMPTS - 1):
        try:
            return await loop.run_in_executor(threads, work)
        except PeeweeException as error:
            if not passing(error):
                raise
        await asyncio.sleep(PAUSE_S)
    return await loop.run_in_executor(threads, work)
