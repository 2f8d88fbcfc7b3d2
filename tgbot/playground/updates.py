"""The queue of updates that wait for the bot: ids, confirmation, long polling, delays."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from tgbot.playground.errors import Refusal
from tgbot.playground.faults import Faults
from tgbot.playground.model import Json

FIRST_UPDATE_ID = 700_000_001
# Telegram keeps updates of a bot that is away for a day; here the number is the bound.
_KEPT = 100_000
_SHUFFLE_WAIT_S = 1.0
_AHEAD = 10
"""An offset so far beyond the next id is in the future, and answered as if there were none."""
CONFLICT = (
    "Conflict: terminated by other getUpdates request; "
    "make sure that only one bot instance is running"
)


class UpdateQueue:
    """Updates in the order of their ids, the faults of delivery, and who waits for them.

    `allowed` are the kinds of updates the bot wants, None for all; it decides when an update
    happens, not when it is fetched. `on_confirmed` is told of each update that is forgotten because
    the bot confirmed it.
    """

    def __init__(self, faults: Callable[[], Faults]) -> None:
        self.allowed: frozenset[str] | None = None
        self.on_confirmed: Callable[[Json], None] = lambda update: None
        self.pending: deque[Json] = deque(maxlen=_KEPT)
        self._faults = faults
        self._next_id = FIRST_UPDATE_ID
        self._twice: dict[int, Json] = {}
        self._replays: list[Json] = []
        self._held: list[tuple[str, Json]] = []
        self._unscheduled: list[tuple[float, Callable[[], None]]] = []
        self._poll: asyncio.Future[None] | None = None
        self._watchers: list[asyncio.Future[None]] = []

    # ---- in

    def push(self, kind: str, body: Json) -> None:
        """Something happened: an update of this kind (`message`, `callback_query`, ...)."""
        if self.allowed is not None and kind not in self.allowed:
            return
        faults = self._faults()
        if not faults.strike("shuffle"):
            self._deliver(kind, body)
            return
        self._held.append((kind, body))
        if not faults.shuffle_next:
            self.release()
        elif len(self._held) == 1:
            held = self._held
            self._later(_SHUFFLE_WAIT_S, lambda: self._give_up(held))

    def _give_up(self, held: list[tuple[str, Json]]) -> None:
        if held is self._held:
            self._faults().shuffle_next = 0
            self.release()

    def release(self) -> None:
        """Delivers what a shuffle keeps back."""
        held, self._held = self._held, []
        for kind, body in reversed(held):
            self._deliver(kind, body)

    def _deliver(self, kind: str, body: Json) -> None:
        faults = self._faults()
        if faults.late_updates_s > 0:
            faults.count["late_updates"] += 1
            self._later(faults.late_updates_s, lambda: self._append(kind, body))
        else:
            self._append(kind, body)

    def _append(self, kind: str, body: Json) -> None:
        if not self.pending and self._faults().strike("lower_ids"):
            self.go_on_from(self._next_id // 2)
        update: Json = {"update_id": self._next_id, kind: body}
        self._next_id += 1
        self.pending.append(update)
        if self._faults().strike("duplicate_updates"):
            self._twice[update["update_id"]] = update
        self.wake()

    def go_on_from(self, first: int) -> None:
        """The next update has this id, as any may after a week without updates.

        Raises ValueError while one waits.
        """
        if self.pending:
            raise ValueError("Ids go on from anywhere only where no update waits.")
        self._next_id = first

    def _later(self, delay_s: float, act: Callable[[], None]) -> None:
        # People may act before any loop runs (a test's fixture); their timers start with the loop.
        try:
            asyncio.get_running_loop().call_later(delay_s, act)
        except RuntimeError:
            self._unscheduled.append((delay_s, act))

    def _start_timers(self) -> None:
        waiting, self._unscheduled = self._unscheduled, []
        for delay_s, act in waiting:
            asyncio.get_running_loop().call_later(delay_s, act)

    def wake(self) -> None:
        """Tells the waiting poll and the webhook sender to look again."""
        if self._poll is not None:
            _done(self._poll)
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            _done(watcher)

    # ---- out

    async def poll(self, offset: int, limit: int, timeout_s: float) -> list[Json]:
        """What getUpdates answers: at most `limit` updates, at once or as soon as there are any.

        A positive offset confirms all lower ids, but one far beyond the last id, which only ids of
        before a quiet week can be, confirms nothing; a negative one forgets all but the last ones.
        Raises Refusal 409 if another poll comes while this one waits.
        """
        if self._poll is not None and not self._poll.done():
            self._poll.set_exception(Refusal(409, CONFLICT))
        self._start_timers()
        self._confirm(offset)
        batch = self._batch(limit)
        if batch or timeout_s <= 0:
            return batch
        loop = asyncio.get_running_loop()
        mine = self._poll = loop.create_future()
        timer = loop.call_later(timeout_s, _done, mine)
        try:
            await mine
        finally:
            timer.cancel()
            if self._poll is mine:
                self._poll = None
        return self._batch(limit)

    def _confirm(self, offset: int) -> None:
        if offset > self._next_id + _AHEAD:
            return
        pending = self.pending
        while pending and (
            pending[0]["update_id"] < offset if offset > 0 else len(pending) > -offset > 0
        ):
            self.done(pending[0]["update_id"])

    def done(self, update_id: int) -> None:
        """This update is confirmed and gone, unless it is to come once more."""
        for place, update in enumerate(self.pending):  # webhooks confirm in any order
            if update["update_id"] == update_id:
                del self.pending[place]
                self.on_confirmed(update)
                break
        again = self._twice.pop(update_id, None)
        if again is not None:
            self._replays.append(again)

    def _batch(self, limit: int) -> list[Json]:
        batch = self._replays[:limit]
        del self._replays[:limit]
        for update in self.pending:
            if len(batch) >= limit:
                break
            batch.append(update)
        return batch

    def replays(self) -> list[Json]:
        """Takes the confirmed updates that are to be delivered once more."""
        taken, self._replays = self._replays, []
        return taken

    def drop(self) -> None:
        """Forgets everything that waits (`drop_pending_updates`)."""
        self.pending.clear()
        self._twice.clear()
        self._replays.clear()

    async def changed(self) -> None:
        """Returns when something was queued or the webhook changed."""
        self._start_timers()
        watcher = asyncio.get_running_loop().create_future()
        self._watchers.append(watcher)
        await watcher


def _done(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_result(None)
