"""How often a chat may be written to, and all together (Telegram: about 20 sends and edits a minute
in a group, 30 a second in all)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import IntEnum

WINDOW_S = 61.0
"""The minute in which Telegram counts a group's sends and edits, and a second to be sure."""
GAP_S = 1.0
"""From one call about a chat to the next."""
BURST = 3
BURST_S = 3.0
"""So many calls a chat takes in so many seconds, however close together."""


class Urgency(IntEnum):
    """What a call is for; the later ones leave room for the earlier ones."""

    SCENE = 0
    """A new message people must notice."""
    ENDING = 1
    """How a scene ended, shown in its message before the next one comes."""
    NOTE = 2
    """An answer to somebody's command."""
    EDIT = 3
    """A newer board in the same message."""
    TIDY = 4
    """The keyboard of an old board goes."""


_ROOM = {
    Urgency.SCENE: 19,
    Urgency.ENDING: 18,
    Urgency.NOTE: 16,
    Urgency.EDIT: 17,
    Urgency.TIDY: 11,
}
"""How many calls of a window may have been made before one of each kind is."""
MOST_NOTES = 13
"""Answers to commands in a window: however many ask, the boards keep their room."""
SPREAD_FROM = 10
"""From so many calls in a window on, edits keep their distance."""


class Budget:
    """The sends and edits of one chat. Times are seconds of the event loop's clock."""

    def __init__(self, *, group: bool) -> None:
        # Lists: there are a few of each, and an empty deque is as large as a desk.
        self._group = group
        self._calls: list[float] = []
        self._notes: list[float] = []
        self._held_until = 0.0

    def spend(self, now: float) -> None:
        """Notes a call."""
        self._calls.append(now)

    def note(self, now: float) -> None:
        """Notes that the call to come answers a command."""
        self._notes = [*self._notes[1 - MOST_NOTES :], now]

    def talked_out(self, now: float) -> bool:
        """Whether no more commands may be answered for a while."""
        full = self._group and len(self._notes) == MOST_NOTES
        return full and self._notes[0] + WINDOW_S > now

    def hold(self, until: float) -> None:
        """No call before `until`, as Telegram asked for."""
        self._held_until = max(self._held_until, until)

    def held(self, now: float) -> bool:
        """Whether Telegram takes nothing now, by what it said or by its silence."""
        return self._held_until > now

    def idle(self, now: float) -> bool:
        """Whether nothing of the past matters any more."""
        self._forget(now)
        return not self._calls and self._held_until <= now

    def wait(self, urgency: Urgency, now: float, calls: int = 1) -> float:
        """Seconds until there is room for so many calls of this urgency, and the first may be
        made."""
        self._forget(now)
        at = max(now, self._held_until)
        if not self._calls:
            return at - now
        at = max(at, self._calls[-1] + GAP_S, now + self.breath(now))
        if self._group:
            at = max(at, self._free_at(_ROOM[urgency] - calls + 1))
            if urgency is Urgency.NOTE and self.talked_out(now):
                at = max(at, self._notes[0] + WINDOW_S)
            if urgency is Urgency.EDIT:
                at = max(at, self._calls[-1] + self._edit_gap())
        return at - now

    def breath(self, now: float) -> float:
        """Seconds until one more call, right behind the last one, is none too many in a burst."""
        if len(self._calls) < BURST:
            return 0.0
        return max(0.0, self._calls[-BURST] + BURST_S - now)

    def _free_at(self, room: int) -> float:
        if len(self._calls) < room:
            return 0.0
        return self._calls[len(self._calls) - room] + WINDOW_S

    def _edit_gap(self) -> float:
        """Seconds from the last call to the next edit.

        The least that could be kept up: none of the edits to come would find its room taken by
        those before it. So whoever played fast waits a little each time, and never long.
        """
        made = len(self._calls)
        if made < SPREAD_FROM:
            return GAP_S
        last, left = self._calls[-1], _ROOM[Urgency.EDIT] - made
        gaps = (
            (at + WINDOW_S - last) / number
            for number, at in enumerate(self._calls, left + 1)
            if number > 0
        )
        return max(GAP_S, *gaps)

    def _forget(self, now: float) -> None:
        while self._calls and self._calls[0] <= now - WINDOW_S:
            del self._calls[0]


class SharedBudget:
    """The sends and edits of all chats together: at most `most()` a second, first come first
    served. Lives on the event loop."""

    def __init__(self, most: Callable[[], int]) -> None:
        self.most = most
        self._calls: deque[float] = deque()
        self._line: deque[asyncio.Future[None]] = deque()

    def spend(self, now: float) -> None:
        """Notes a call that nobody was admitted for."""
        self._calls.append(now)

    async def admission(self) -> bool:
        """Keeps a call for who asks, as soon as there is room; whether they had to wait."""
        loop = asyncio.get_running_loop()
        if not self._line and self._room() > 0:
            self._calls.append(loop.time())
            return False
        place = loop.create_future()
        self._line.append(place)
        if len(self._line) == 1:
            self._admit()
        await place
        return True

    def _room(self) -> int:
        second_ago = asyncio.get_running_loop().time() - 1
        while self._calls and self._calls[0] <= second_ago:
            self._calls.popleft()
        return self.most() - len(self._calls)

    def _admit(self) -> None:
        """Lets in as many as there is room for, and looks again when there is more."""
        loop, room = asyncio.get_running_loop(), self._room()
        while self._line and room > 0:
            place = self._line.popleft()
            if not place.done():
                place.set_result(None)
                self._calls.append(loop.time())
                room -= 1
        if self._line:
            loop.call_at((self._calls[0] if self._calls else loop.time()) + 1, self._admit)
