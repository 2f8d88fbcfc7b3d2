"""Telegram's flood limits: sliding windows per chat and over all chats."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

# Clocks are floats: a bot that waits exactly `retry_after` must not be a rounding error too early.
_SLACK_S = 1e-6


@dataclass(slots=True)
class Limits:
    """How many sends and edits are let through; `Limits(off=True)` lets everything through.

    A group takes `group_sends` in any `group_window_s`, every chat `chat_sends` in any
    `chat_window_s`, all chats together `all_sends` in any `all_window_s`.
    """

    off: bool = False
    group_sends: int = 20
    group_window_s: float = 60.0
    chat_sends: int = 3
    chat_window_s: float = 3.0
    all_sends: int = 30
    all_window_s: float = 1.0


class Window:
    """The last `size` moments; a further one is too early while the oldest is inside the window."""

    __slots__ = ("moments", "window_s")

    def __init__(self, size: int, window_s: float) -> None:
        self.moments: deque[float] = deque(maxlen=size)
        self.window_s = window_s

    def take(self, now: float) -> float:
        """Counts this moment, refused or not; returns seconds to wait, 0 if it may pass."""
        moments = self.moments
        if moments and moments[-1] > now:  # the clock went back
            moments.clear()
        early = len(moments) == moments.maxlen and now - moments[0] < self.window_s - _SLACK_S
        moments.append(now)
        return moments[0] + self.window_s - now if early else 0.0


class Flood:
    """Counts sends and edits against the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._all = Window(limits.all_sends, limits.all_window_s)
        self._chats: dict[int, list[Window]] = {}

    def check(self, chat_id: int, *, group: bool, now: float) -> int:
        """Whole seconds the caller must wait (`retry_after`), 0 if the call may pass.

        What one chat has too much of does not count against the others.
        """
        limits = self.limits
        if limits.off:
            return 0
        windows = self._chats.get(chat_id)
        if windows is None:
            windows = [Window(limits.chat_sends, limits.chat_window_s)]
            if group:
                windows.append(Window(limits.group_sends, limits.group_window_s))
            self._chats[chat_id] = windows
        wait_s = max([window.take(now) for window in windows])
        if not wait_s:
            wait_s = self._all.take(now)
        return max(1, math.ceil(wait_s - _SLACK_S)) if wait_s else 0
