"""Turns in which scoring dice are set aside: the rules that Zilch and Farkle 20 have in common.

A `Scoring` is made from one game's combinations and knows what may be set aside of any throw of up
to six dice, and what it is worth at its best reading. A `Hand` is an open turn. Dice are written as
sorted digits, `1155`; those of a Hand also lie in that order, so that a position names a die.

Moves are `roll` (the first throw of a turn), and after a throw the dice to set aside with what to
do then, `15 roll` or `111 bank`. What people see of all this is in `games.picking`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import Any

from games.game import Refusal

DICE = 6
FACES = "123456"

SetAside = tuple[str, int]
"""Dice that may be set aside together, and their points."""

NOTHING: SetAside = ("", 0)

_MOVE = re.compile(r"(?:([1-6]{1,6}) )?(roll|bank)")


class Scoring:
    """What dice are worth where every combination of `worth` has its points.

    Dice may be set aside together if combinations use up all of them, each die in one; their points
    are those of the best such reading.
    """

    def __init__(self, worth: Mapping[str, int]) -> None:
        self._points = _readings(worth)
        self._set_asides: dict[str, tuple[SetAside, ...]] = {}

    def points(self, dice: str) -> int | None:
        """The points of the sorted `dice`; None if they may not be set aside together."""
        return self._points.get(dice)

    def set_asides(self, throw: str) -> tuple[SetAside, ...]:
        """Everything that may be set aside of the sorted `throw`: fewest dice first, then lowest.

        Empty where nothing scores.
        """
        found = self._set_asides.get(throw)
        if found is None:
            parts = (part for size in range(1, len(throw) + 1) for part in _parts(throw, size))
            found = tuple((part, self._points[part]) for part in parts if part in self._points)
            self._set_asides[throw] = found
        return found

    def best(self, throw: str) -> SetAside:
        """The set-aside with the most points, of equal ones that with more dice; or `NOTHING`."""
        return max(
            self.set_asides(throw), key=lambda found: (found[1], len(found[0])), default=NOTHING
        )

    def completed(self, throw: str, dice: str) -> SetAside:
        """The smallest set-aside of `throw` that has all of `dice`; `NOTHING` without one."""
        having = (found for found in self.set_asides(throw) if holds(found[0], dice))
        return next(having, NOTHING)

    def document(self, throw: str) -> dict[str, Any]:
        """What `dicehall score` tells of a throw; `best` has no dice where nothing scores."""
        lying = "".join(sorted(throw))
        found = self.set_asides(lying)
        dice, points = self.best(lying)
        return {
            "throw": throw,
            "bust": not found,
            "best": {"dice": dice, "points": points},
            "set_asides": [{"dice": part, "points": worth} for part, worth in found],
        }


def singles_and_sets(singles: Mapping[str, int], threes: Mapping[str, int]) -> dict[str, int]:
    """Combinations: single dice, three equal ones, and four to six of them, each doubling."""
    sets = {
        face * count: points << (count - 3)
        for face, points in threes.items()
        for count in range(3, DICE + 1)
    }
    return {**singles, **sets}


def every_throw(dice: int) -> tuple[str, ...]:
    """Every throw of so many dice, sorted."""
    return tuple(map("".join, combinations_with_replacement(FACES, dice)))


def holds(throw: str, dice: str) -> bool:
    """Whether all of `dice` lie in `throw`."""
    return not Counter(dice) - Counter(throw)


# -- a turn -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hand:
    """An open turn: the dice that lie, what was set aside of its throws so far, and its points.

    No dice lie before the first throw.
    """

    dice: str = ""
    kept: tuple[str, ...] = ()
    points: int = 0

    @property
    def to_throw(self) -> int:
        """How many dice the next throw takes: those not set aside, or six new ones."""
        return DICE - sum(map(len, self.kept)) % DICE

    @property
    def hot(self) -> int:
        """How often all six dice were set aside."""
        return sum(map(len, self.kept)) // DICE

    def taken(self, found: SetAside) -> Hand:
        """This hand when `found` is set aside; the other dice are taken up."""
        dice, points = found
        return Hand("", (*self.kept, dice), self.points + points) if dice else self

    def thrown(self, values: tuple[int, ...]) -> Hand:
        """This hand with new dice."""
        return replace(self, dice="".join(map(str, sorted(values))))


NEW_HAND = Hand()


def read(kind: str, scoring: Scoring, hand: Hand, move: str) -> tuple[SetAside, str]:
    """What `move` sets aside (`NOTHING` in the first throw), and `roll` or `bank`.

    Raises `Refusal` with the words of the game `kind`.
    """
    match = _MOVE.fullmatch(move)
    if not match:
        raise Refusal(f"{kind}.refused.unreadable")
    dice, action = match[1] or "", match[2]
    if not hand.dice:
        if move != "roll":
            raise Refusal(f"{kind}.refused.throw_first")
        return NOTHING, action
    shown = " ".join(hand.dice)
    if not holds(hand.dice, dice):
        raise Refusal(f"{kind}.refused.dice", dice=" ".join(dice), lying=shown)
    points = scoring.points(dice)
    if points is None:
        best, worth = scoring.best(hand.dice)
        key = "no_score" if dice else "nothing"
        raise Refusal(
            f"{kind}.refused.{key}", dice=" ".join(dice), best=" ".join(best), points=worth
        )
    return (dice, points), action


@cache
def moves(scoring: Scoring, dice: str, lacking: int) -> tuple[str, ...]:
    """Every move with these dice lying; banking those that bring at least `lacking` points."""
    if not dice:
        return ("roll",)
    found = scoring.set_asides(dice)
    rolls = [f"{part} roll" for part, _ in found]
    return (*rolls, *(f"{part} bank" for part, points in found if points >= lacking))


# -- how to play ------------------------------------------------------------------------------


@cache
def prospect(scoring: Scoring, dice: int) -> tuple[Fraction, Fraction]:
    """A throw of so many dice: the chance that nothing scores, and the mean of its best points."""
    ways = {
        throw: Fraction(
            factorial(dice), prod(map(factorial, Counter(throw).values())) * len(FACES) ** dice
        )
        for throw in every_throw(dice)
    }
    bust = sum((way for throw, way in ways.items() if not scoring.set_asides(throw)), Fraction(0))
    mean = sum((way * scoring.best(throw)[1] for throw, way in ways.items()), Fraction(0))
    return bust, mean


@lru_cache(maxsize=65536)
def greedy(scoring: Scoring, dice: str, points: int, minimum: int) -> str:
    """The move worth most if the turn, with `points` so far, were banked after one more throw.

    Fewer than `minimum` points are not banked.
    """
    if not dice:
        return "roll"

    def worth(move: tuple[SetAside, str]) -> Fraction:
        (part, more), action = move
        if action == "bank":
            return Fraction(points + more)
        bust, mean = prospect(scoring, len(dice) - len(part) or DICE)
        return (1 - bust) * (points + more) + mean

    found = scoring.set_asides(dice)
    banks = [(part, "bank") for part in found if points + part[1] >= minimum]
    (part, _), action = max([*banks, *((part, "roll") for part in found)], key=worth)
    return f"{part} {action}"


# -- inside -----------------------------------------------------------------------------------


def _readings(worth: Mapping[str, int]) -> dict[str, int]:
    """The best points of all dice, up to six, that combinations use up."""
    best = {"": 0}
    for size in range(DICE):
        for dice in [found for found in best if len(found) == size]:
            for combination, points in worth.items():
                if size + len(combination) <= DICE:
                    more = "".join(sorted(dice + combination))
                    best[more] = max(best.get(more, 0), best[dice] + points)
    del best[""]
    return best


def _parts(throw: str, size: int) -> list[str]:
    return sorted({"".join(part) for part in combinations(throw, size)})
