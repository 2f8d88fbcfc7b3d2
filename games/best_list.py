"""A list of best results, as a game asks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BestList:
    """A list of best results that a game's records are entered into (`Record.board` names it).

    `periods` are those it is shown for; days begin at midnight of the operator's time zone, or of
    UTC. Only games of `fewest` players count (only `staked` ones), and only a person's first
    `a_day` of a day (0: all). A `signed` result waits for a name its owner gives; `keeps` is how
    many a period keeps (0: all). `/command ?` shows its leaders outside a game. With a `bonus`
    whoever leads when a day, month or year ends gets Knuddels. One shown for the day, not signed,
    has the words `KIND.record.NAME` of `n`.
    """

    name: str
    periods: tuple[str, ...]
    staked: bool = False
    fewest: int = 1
    a_day: int = 0
    utc: bool = False
    signed: bool = False
    keeps: int = 0
    command: str = ""
    bonus: bool = False

    def key(self, kind: str) -> str:
        """The name under which results of this list of a kind of game are kept: `fifty.points`."""
        return f"{kind}.{self.name}"

    def takes(self, players: int, stake: int) -> bool:
        """Whether results of a game of so many players for such a stake are entered."""
        return players >= self.fewest and (stake > 0 or not self.staked)
