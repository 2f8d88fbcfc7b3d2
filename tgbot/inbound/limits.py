"""What one person may do in a while (SURVIVE 26): it holds a flooder and hurts no neighbour.

Kept in memory, by each worker for itself, and forgotten as time passes: no more than who was busy
lately.
"""

from __future__ import annotations

from collections import deque

from tgbot.config import Settings
from tgbot.hall.clerk import MOST_TOGETHER

HOUR_S = 3600
MINUTE_S = 60
VERIFIES_A_MINUTE = 6
RETRIES_A_MINUTE = 20
HINTS_A_MINUTE = 30
PROOF_EVERY_S = 600
BURST_S = 10
"""Presses of so many seconds may come at once."""


MOST_ASIDES = 3
"""How many messages that gather answers one person begins a minute."""


MOST_RINGS = 6
"""How often the bells of all chats together may ring for one person in an hour."""


MOST_BOARDS = 3
"""How often a minute a chat's board may be asked for anew."""


class Limit:
    """At most `most` in any `every_s` seconds on the long run, and so many at once."""

    def __init__(self, most: int, every_s: float) -> None:
        self.every_s = every_s
        self._each_s = every_s / most
        self._busy_until: dict[int, float] = {}
        self._counted: dict[int, deque[int]] = {}
        self._tidy_at = 1000

    def __len__(self) -> int:
        return len(self._busy_until)

    def take(self, who: int, now: float, what: int = 0) -> bool:
        """Counts one more of somebody's, if that is not too many; answers whether it was counted.

        `now` is in seconds; for a clock that was set back everybody begins anew. The same `what`
        again, which could not be written or is done once more, is not counted again.
        """
        if what and what in self._counted.get(who, ()):
            return True
        latest = now + self.every_s + 1e-6
        busy_until = self._busy_until.get(who, now)
        until = (busy_until if now < busy_until <= latest else now) + self._each_s
        if until > latest:
            return False
        self._busy_until[who] = until
        if what:
            self._counted.setdefault(who, deque(maxlen=MOST_TOGETHER)).append(what)
        if len(self._busy_until) > self._tidy_at:
            self._busy_until = {who: at for who, at in self._busy_until.items() if at > now}
            self._counted = {w: n for w, n in self._counted.items() if w in self._busy_until}
            self._tidy_at = max(1000, 2 * len(self._busy_until))
        return True


class Limits:
    """The limits of an operator's settings."""

    def __init__(self, settings: Settings) -> None:
        self.presses = Limit(settings.presses_a_second * BURST_S, BURST_S)
        """Presses and commands alike."""
        self.told = Limit(1, BURST_S)
        """Refusals of those that are told: telling each would be work as well."""
        self.ways = Limit(1, HOUR_S)
        """Chats that are shown how to play without Knuddels."""
        self.bells = Limit(MOST_RINGS, HOUR_S)
        """How often somebody is told that a game opens somewhere."""
        self.boards = Limit(MOST_BOARDS, MINUTE_S)
        """Boards that are asked for anew, by chat."""
        self.later = Limit(1, MINUTE_S)
        """Chats that are told that their commands wait for the database."""
        self.lobbies = Limit(settings.lobbies_an_hour, HOUR_S)
        self.answers = Limit(settings.answers_a_minute, MINUTE_S)
        """Messages that somebody's commands and presses bring about."""
        self.asides = Limit(MOST_ASIDES, 60.0)
        """Messages that gather what had no room, by whose answer begins one."""
        self.aloud = Limit(settings.answers_a_minute // 6, MINUTE_S)
        """Those in groups, which everybody reads and which share the group's few sends."""
        self.verifies = Limit(VERIFIES_A_MINUTE, MINUTE_S)
        """Games whose dice are recomputed, which takes a while."""
        self.analyses = Limit(VERIFIES_A_MINUTE, MINUTE_S)
        """Games whose decisions are, which may take longer."""
        self.retries = Limit(RETRIES_A_MINUTE, MINUTE_S)
        """Single decisions that are."""
        self.hints = Limit(HINTS_A_MINUTE, MINUTE_S)
        """Hints: James thinks one thought at a time, and his own moves wait with them."""
        self.proofs = Limit(1, PROOF_EVERY_S)
        """Proof files that presses bring into a chat, by game: one is enough for everybody."""
        self.gives = Limit(settings.gives_a_minute, MINUTE_S)
