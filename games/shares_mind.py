"""Shares of a pot (RULES 1.5) against others of whom one knows how likely they reach what.

What the minds of Zilch and Fifty! have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from games.game import Outcome

Floats = NDArray[np.float64]


class Guested(Protocol):
    """What is asked of a game's state: its seats, and which of them are guests."""

    @property
    def players(self) -> Sequence[Any]:
        """One for every seat."""

    @property
    def guests(self) -> tuple[int, ...]:
        """The seats that belong to nobody."""


PLACES = (0.5, 0.3, 0.2)
"""The shares of places 1 to 3."""
PLACES_OF_TWO = (5 / 8, 3 / 8)


def rivals(state: Guested, seat: int) -> tuple[int, ...]:
    """All with whom `seat` shares a pot, itself included.

    People reckon as if no guest were there (RULES 8), unless they are alone with one.
    """
    everybody = range(len(state.players))
    people = tuple(other for other in everybody if other not in state.guests)
    return tuple(everybody) if seat in state.guests or len(people) < 2 else people


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


def ranked(ends: Mapping[int, int], seat: int, paid: Sequence[float]) -> float:
    """The share `seat` has where these ended with so much, the most first; nothing for others."""
    if seat not in ends:
        return 0.0
    ahead = sum(end > ends[seat] for end in ends.values())
    level = sum(end == ends[seat] for end in ends.values())
    return sum(paid[ahead : ahead + level]) / level


def won(outcome: Outcome | None, seat: int, paid: Sequence[float]) -> float:
    """The share `seat` has of the pot of a game that is over; nothing without a place."""
    place = 0
    for group in outcome.places if outcome else ():
        if seat in group:
            shares = [1.0] if outcome and outcome.sweep else paid[place : place + len(group)]
            return sum(shares) / len(group)
        place += len(group)
    return 0.0
