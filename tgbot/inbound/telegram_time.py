"""Telegram's dates by this machine's clock, which may be set otherwise (SURVIVE 35)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

SAMPLES = 20


class Dates:
    """What Telegram says the time is, whenever it answers with a date, against `now`.

    Both are measured against the event loop's clock, which nobody can set.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._ours = 0.0
        self._theirs: deque[float] = deque(maxlen=SAMPLES)

    def told(self, date: int) -> None:
        """Telegram dates something it does at this moment."""
        self.look()
        self._theirs.append(date - asyncio.get_running_loop().time())

    def look(self) -> None:
        """Looks at this machine's clock, which may have been set. On the event loop."""
        self._ours = self._now() - asyncio.get_running_loop().time()

    def here(self, date: int) -> int:
        """What this machine's clock showed at a date of Telegram's, both in unix seconds.

        For any thread.
        """
        if not self._theirs:
            return date
        # Answers take their time, and their dates are cut to a second: the latest is the truest.
        return date + round(self._ours - max(self._theirs))
