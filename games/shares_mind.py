"""Shares of a pot (RULES 1.5) against others of whom one knows how likely they reach what.

What the minds of Zilch and Fifty! have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.game import Outcome

Floats = NDArray[np.float64]

PLACES = (0.5, 0.3, 0.2)
"""The shares of places 1 to 3."""
PLACES_OF_TWO = (5 / 8, 3 / 8)


def places(players: int) -> tuple[float, ...]:
    """What the places of a game are paid that so many players joined."""
    return PLACES_OF_TWO if players == 2 else PLACES


class Against(NamedTuple):
    """How likely another ends before, level with and behind somebody, for each of their results.

    What it lacks to 1 is not counted at all.
    """

    before: Floats
    level: Floats
    behind: Floats


def against(chances: Floats) -> Against:
    """Somebody with each result against another of whom `chances` say how likely they reach each,
    along the last axis, the lowest first."""
    upto = chances.cumsum(axis=-1)
    return Against(upto[..., -1:] - upto, chances, upto - chances)


def expected(paid: Sequence[float], others: Sequence[Against]) -> Floats:
    """The mean share of somebody with each result against all `others`.

    `paid` are the shares of the places from the first down. Who is level shares their places
    evenly, as if a lot decided: of a lot from 0 to 1 it is the mean, a polynomial, so that a few
    points give it exactly.
    """
    most = max(len(paid), 1)
    result: Floats = np.zeros(())
    for lot, weight in _lots(len(others)):
        ahead = [np.ones(())] + [np.zeros(())] * (most - 1)
        for other in others:
            behind = other.behind + lot * other.level
            before = other.before + (1 - lot) * other.level
            for count in range(most - 1, 0, -1):
                ahead[count] = ahead[count] * behind + ahead[count - 1] * before
            ahead[0] = ahead[0] * behind
        shares = (share * chance for share, chance in zip(paid, ahead, strict=False))
        result = result + weight * sum(shares, np.zeros(()))
    return result


@cache
def _lots(others: int) -> tuple[tuple[float, float], ...]:
    """Points and weights by which the mean of a polynomial of this degree is exact."""
    points, weights = np.polynomial.legendre.leggauss(others // 2 + 1)
    return tuple(
        ((1 + float(point)) / 2, float(weight) / 2)
        for point, weight in zip(points, weights, strict=True)
    )


def won(outcome: Outcome | None, seat: int, paid: Sequence[float]) -> float:
    """The share `seat` has of the pot of a game that is over; nothing without a place."""
    place = 0
    for group in outcome.places if outcome else ():
        if seat in group:
            shares = [1.0] if outcome and outcome.sweep else paid[place : place + len(group)]
            return sum(shares) / len(group)
        place += len(group)
    return 0.0
