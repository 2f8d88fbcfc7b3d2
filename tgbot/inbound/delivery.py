"""One delivery of an update: when it came, whether its answer can ride back, how it ended.

It is in a context variable while the update is handled, so that whoever answers a press or sees a
failure finds it without being handed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from economy.database import unavailable

AGAIN_S = 2
"""When an update that could not be written is delivered again."""
TELL_AFTER_S = 5
"""How long somebody waits for a database before being told."""

Answered = Callable[[str, float], None]


class Delivery:
    """An update being handled. `answered` is told how its press was answered, after what seconds.

    With `rides` the answer to the press goes back in the response to a webhook call: `answer` is
    then the method to call, which saves a request.

    One that could not be written is handled `again`, with everything the first time has left but
    its failure; `told` says that the person knows of it, and that the press has its answer.
    """

    def __init__(self, answered: Answered, *, rides: bool = False) -> None:
        self.answer: dict[str, Any] | None = None
        self.error: BaseException | None = None
        self.repeated = False
        self.told = False
        self.last = False
        """Whether it is not delivered again, whatever comes of it."""
        self._answered = answered
        self._rides = rides
        self._clock = asyncio.get_running_loop().time
        self._came_at = self._clock()

    def again(self, *, rides: bool) -> Delivery:
        """The same update, delivered once more."""
        self.error, self.repeated, self._rides = None, True, rides
        return self

    def ride(self, method: str, **params: Any) -> bool:
        """Takes a method along in the response, if that is still to be written."""
        if not self._rides:
            return False
        if self.answer is None:
            self.answered("response")
        self.answer = {"method": method, **{k: v for k, v in params.items() if v is not None}}
        return True

    def answered(self, way: str) -> None:
        """The press has its answer, by `request` or in the `response`."""
        self._answered(way, self._clock() - self._came_at)

    def failed(self, error: BaseException | None) -> bool:
        """Notes what went wrong; whether the update will be delivered again for it."""
        self.error = error
        self._rides = self._rides and not self.to_repeat  # nobody reads what comes with a 503
        return self.to_repeat

    @property
    def to_repeat(self) -> bool:
        """Whether the update failed only because there was no database to write it to."""
        return not self.last and unavailable(self.error)

    @property
    def overdue(self) -> bool:
        """Whether the person has waited for long and knows nothing."""
        return not self.told and self._clock() - self._came_at >= TELL_AFTER_S

    def end(self) -> None:
        """The update is handled; nothing rides any more."""
        self._rides = False


current: ContextVar[Delivery | None] = ContextVar("delivery", default=None)
"""The delivery that this task handles, or that it grew out of."""
