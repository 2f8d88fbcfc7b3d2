"""How often a chat may be written to (Telegram allows about 20 sends and edits a minute)."""

from __future__ import annotations

from collections import deque
from enum import IntEnum

WINDOW_S = 61.0
GAP_S = 1.0


class Urgency(IntEnum):
    """What a call is for; the later ones leave room for the earlier ones."""

    SCENE = 0
    """A new message people must notice."""
    NOTE = 1
    """An answer to somebody's command."""
    EDIT = 2
    """A newer board in the same message."""
    TIDY = 3
    """The keyboard of an old board goes."""


_ROOM = {Urgency.SCENE: 19, Urgency.NOTE: 17, Urgency.EDIT: 14, Urgency.TIDY: 15}
_EDIT_GAPS = ((6, 1.0), (10, 2.0), (14, 4.0))


class Budget:
    """The sends and edits of one chat. Times are seconds of the event loop's clock."""

    def __init__(self, *, group: bool) -> None:
        self._group = group
        self._calls: deque[float] = deque()
        self._held_until = 0.0

    def spend(self, now: float) -> None:
        """Notes a call."""
        self._calls.append(now)

    def hold(self, until: float) -> None:
        """No call before `until`: Telegram said so."""
        self._held_until = max(self._held_until, until)

    def idle(self, now: float) -> bool:
        """Whether nothing of the past matters any more."""
        self._forget(now)
        return not self._calls and self._held_until <= now

    def wait(self, urgency: Urgency, now: float) -> float:
        """Seconds until a call of this urgency may be made."""
        self._forget(now)
        at = max(now, self._held_until)
        if not self._calls:
            return at - now
        at = max(at, self._calls[-1] + GAP_S)
        if self._group:
            at = max(at, self._free_at(_ROOM[urgency]))
            if urgency is Urgency.EDIT:
                at = max(at, self._calls[-1] + self._edit_gap())
        return at - now

    def _free_at(self, room: int) -> float:
        if len(self._calls) < room:
            return 0.0
        return self._calls[len(self._calls) - room] + WINDOW_S

    def _edit_gap(self) -> float:
        return next((gap for calls, gap in _EDIT_GAPS if len(self._calls) < calls), GAP_S)

    def _forget(self, now: float) -> None:
        while self._calls and self._calls[0] <= now - WINDOW_S:
            self._calls.popleft()
