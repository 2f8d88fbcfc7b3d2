"""What somebody did in a finished game that is remembered of them: for `/whois`, and as badges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

FEWEST = 3
"""So many it takes to be last of them."""


@dataclass(frozen=True, slots=True)
class Feats:
    """What one seat did in a finished game; what fell for somebody who was late is none of it.

    `result` is what counts for their best and average, None in a game not played to its end. Over
    all games `sums` are added up and of `bests` the highest is kept, said as `KIND.feat.NAME` of
    `n`; `badges` are earned once, said as `KIND.badge.NAME`.
    """

    result: int | None = None
    sums: Mapping[str, int] = field(default_factory=dict)
    bests: Mapping[str, int] = field(default_factory=dict)
    badges: tuple[str, ...] = ()


def came_from_last(seat: int, places: Sequence[Sequence[int]], halfway: Mapping[int, int]) -> bool:
    """Whether `seat` won alone what it was last in at half-time, by everybody's points then."""
    if len(halfway) < FEWEST or seat not in halfway or not places or [*places[0]] != [seat]:
        return False
    return all(halfway[seat] < points for other, points in halfway.items() if other != seat)
