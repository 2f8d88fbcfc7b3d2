"""Work that takes its time (`Done.later`): done in a thread, where it is in nobody's way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from peewee import PeeweeException

from economy.transactions import passing
from tgbot.done import Done
from tgbot.hall.clerk import Clerk

ATTEMPTS = 15
"""So often, `PAUSE_S` apart, a database that is away is asked for what somebody wants to read."""
PAUSE_S = 2.0


async def finish(work: Callable[[], Done], clerk: Clerk, now: Callable[[], float]) -> Done:
    """What comes of the work, and of the use case that it leads to. Raises what these raise."""
    done = await _worked(work)
    return await clerk.run(partial(done.then, int(now()))) if done.then else done


async def _worked(work: Callable[[], Done]) -> Done:
    for _ in range(ATTEMPTS - 1):
        try:
            return await asyncio.to_thread(work)
        except PeeweeException as error:
            if not passing(error):
                raise
        await asyncio.sleep(PAUSE_S)
    return await asyncio.to_thread(work)
