"""Due dates are rows; APScheduler only wakes the process when the next one comes.

Firing is a use case like any other and does nothing when the row has moved, so a wake-up too many
costs nothing. A regular look besides, by the event loop's own clock, catches what a wall clock that
was set would make it miss.
Where several workers share the rows, each fires what it put down itself, and soon after what the
others have left lying.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from peewee import PeeweeException

from economy.database import is_sqlite
from tgbot.done import Done
from tgbot.hall.clerk import Clerk
from tgbot.hall.seen_updates import forget_updates
from tgbot.hall.store import Store
from tgbot.log import Rarely

LOOK_EVERY_S = 20
ARM_MOST_S = 24 * 3600
"""No wake-up is farther ahead; a due date can be one that no calendar has."""
SET_S = 60
"""A clock is set by no less; what is less is its drift."""
LATE_S = 1
PEEK_EVERY_S = 1
LEFT_LYING_S = 2
"""What another worker did not fire so long after it was due is fired by anybody."""
RETRY_S = 60
FORGET_EVERY_S = 3600
Fire = Callable[[str, int], Done]

log = structlog.get_logger(__name__)


class Clock:
    """Fires due rows. `fire` has, for each kind of row, the use case `(ref, now)` that fires it.

    `quiet` is awaited before anything fires: updates already waiting come first (RULES 0). A wall
    clock that was set, or a machine that slept, is downtime: `resume` gives phases their full time.
    """

    def __init__(
        self,
        store: Store,
        clerk: Clerk,
        fire: dict[str, Fire],
        *,
        now: Callable[[], float],
        quiet: Callable[[], Awaitable[None]],
        show: Callable[[Done], None],
        resume: Callable[[int], Done],
    ) -> None:
        self.store = store
        self.clerk = clerk
        self.fire = fire
        self.now = now
        self.quiet = quiet
        self.show = show
        self.resume = resume
        self.failures = 0
        """Due rows that could not be fired, and looks that could not be taken."""
        self._lines = Rarely()
        self._ahead: float | None = None
        self._regular: list[asyncio.Task[None]] = []
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._armed = 0.0
        self._forget_at = 0
        self._looking = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def heed(self) -> None:
        """From now on it is noticed when somebody sets the wall clock."""
        self._was_set()

    def start(self) -> None:
        """Looks at once, and from then on whenever something is due."""
        self._loop = asyncio.get_running_loop()
        self.clerk.on_commit.append(self._committed)
        self._scheduler.start()
        self._every(LOOK_EVERY_S, self.look)
        if not is_sqlite(self.store.db):
            self._every(PEEK_EVERY_S, self._peek)
        self._arm(self.now())

    def stop(self) -> None:
        """Fires nothing more, also if it never began."""
        for task in self._regular:
            task.cancel()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def _every(self, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
        """Does something again and again, by the event loop's clock, which nobody can set."""

        async def regularly() -> None:
            while True:
                await asyncio.sleep(seconds)
                await self._try(act)

        self._regular.append(asyncio.get_running_loop().create_task(regularly()))

    async def _try(self, act: Callable[[], Awaitable[None]]) -> None:
        try:
            await act()
        except Exception as error:
            self._failed("the clock could not look", error)

    def _failed(self, event: str, error: Exception, **about: object) -> None:
        self.failures += 1
        now = asyncio.get_running_loop().time()
        self._lines.error(log, event, error, now, **about)

    async def _wake(self) -> None:
        # A stop ends a look under way; what it did not fire is due again at the next start.
        with contextlib.suppress(asyncio.CancelledError):
            await self._try(self.look)

    async def _peek(self) -> None:
        """Sees what others have put down: a worker that dies wakes nobody."""
        # A database that is away is told of elsewhere.
        with contextlib.suppress(PeeweeException):
            if nearest := await self.clerk.run(self.store.due.next):
                self._arm(nearest + LEFT_LYING_S)

    async def look(self) -> None:
        """Fires everything that is due, then arms the wake-up for what is due next."""
        if self._looking.locked():
            self._armed = 0.0  # the look under way arms anew when it is through
            return
        async with self._looking:
            self._armed = 0.0
            await self.quiet()
            now = int(self.now())
            if self._was_set():
                log.warning("the clock was set, or the machine slept: phases get their full time")
                self.show(await self.clerk.run(partial(self.resume, now)))
            due, nearest = await self.clerk.run(lambda: self._due(now))
            if due and due[0][2] < now - LATE_S:
                # The process slept; what people did meanwhile is on its way in.
                await asyncio.sleep(LATE_S / 2)
                await self.quiet()
            # Together: one that finds something locked holds up no other.
            noted = await asyncio.gather(*(self._fire(kind, ref, now) for kind, ref, _ in due))
            if due:
                nearest = await self.clerk.run(self.store.due.next)
        # What could not even be put off is due still: the next regular look tries it again.
        if nearest and all(noted):
            self._arm(nearest)

    def _was_set(self) -> bool:
        """Whether the wall clock has left the event loop's since the last look."""
        ahead = self.now() - asyncio.get_running_loop().time()
        before, self._ahead = self._ahead, ahead
        return before is not None and abs(ahead - before) >= SET_S

    def _due(self, now: int) -> tuple[list[tuple[str, str, int]], int | None]:
        """What is due, and when the next thing is; now and then old notes are dropped."""
        if now >= self._forget_at:
            self._forget_at = now + FORGET_EVERY_S
            forget_updates(self.store.db, now)
        return self.store.due.at(now), self.store.due.next()

    async def _fire(self, kind: str, ref: str, now: int) -> bool:
        """Fires a due row; whether the database took it, or that it is tried again later."""

        def work() -> Done:
            due = self.store.due.still(kind, ref, now)
            return self.fire[kind](ref, now) if due else Done()

        try:
            self.show(await self.clerk.run(work))
        except Exception as error:
            self._failed("a due row could not be fired", error, kind=kind, ref=ref)
            later = now + RETRY_S
            try:
                await self.clerk.run(lambda: self.store.due.set(kind, ref, later))
            except PeeweeException:
                return False
        return True

    def _committed(self) -> None:
        nearest, self.store.due.nearest = self.store.due.nearest, 0
        if nearest and self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arm, nearest)

    def _arm(self, at: float) -> None:
        if not self._scheduler.running or (self._armed and self._armed <= at):
            return
        self._armed = min(max(at, self.now()), self.now() + ARM_MOST_S)
        self._scheduler.add_job(
            self._wake,
            "date",
            run_date=datetime.fromtimestamp(self._armed, UTC),
            id="due",
            replace_existing=True,
            misfire_grace_time=None,
            max_instances=9,  # a look that arms the next one at once is still running
        )
