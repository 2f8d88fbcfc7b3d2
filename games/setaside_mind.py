"""What turns are worth in which scoring dice are set aside: what the minds of Zilch and Farkle 20
have in common (`games.setaside` has the rules).

A turn is counted in steps of 50 points, the least that any dice bring. It is solved from its end:
points only grow, so what throwing so many dice is worth with so many points in hand follows from
what it is worth with more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from games.setaside import DICE, FACES, NOTHING, Hand, Scoring, every_throw, read

STEP = 50
"""All points are multiples of it."""

Floats = NDArray[np.float64]


class Turns:
    """The turns of one game: what every throw lets one set aside.

    Throws that lead to the same choices are one `menu`. `least` are the points from which a turn
    may be banked.
    """

    def __init__(self, scoring: Scoring, least: int) -> None:
        menus, bust = _menus(scoring)
        self.least = least // STEP
        self.bust = bust
        """By dice thrown, less one: the chance that nothing scores."""
        self.chances = np.zeros((DICE, len(menus)))
        """By dice thrown, less one, and menu: how likely it is."""
        self._offsets = np.zeros((DICE, len(menus)), np.intp)
        for at, (dice, menu, chance) in enumerate(menus):
            self.chances[dice - 1, at] = chance
            choices = [steps * DICE + left - 1 for left, steps in menu]
            # A menu shorter than others repeats its last choice.
            self._offsets[:, at] = [choices[min(n, len(choices) - 1)] for n in range(DICE)]
        self.most = int(self._offsets.max()) // DICE
        """The most steps a single throw brings."""

    def worths(self, bank: Floats, bust: float) -> Floats:
        """What it is worth to throw (steps, dice - 1), with so many steps in hand.

        `bank` is the worth of banking so many steps, `bust` that of a throw in which nothing
        scores. The last `most` steps of `bank` are taken to be banked whatever dice are left; the
        answer is for those before.
        """
        throws = len(bank) - self.most
        held = np.repeat(bank[:, None], DICE, axis=1)
        held[: self.least] = -np.inf
        flat = held.reshape(-1)
        found = np.empty((throws, DICE))
        lost = self.bust * bust
        for at in range(throws - 1, -1, -1):
            menus = flat[at * DICE :].take(self._offsets).max(axis=0)
            found[at] = self.chances @ menus + lost
            np.maximum(held[at], found[at], out=held[at])
        return found

    def law(self, bank: Floats, bust: float) -> tuple[Floats, float]:
        """How likely a turn brings so many steps when it is played for `worths`; and a bust."""
        worths = self.worths(bank, bust)
        throws = len(worths)
        held = np.repeat(bank[:, None], DICE, axis=1)
        held[: self.least] = -np.inf
        held[:throws] = np.maximum(held[:throws], worths)
        banked = np.zeros(len(bank))
        on_the_way = np.zeros((len(bank), DICE))
        on_the_way[0, DICE - 1] = 1.0
        lost = 0.0
        for at in range(throws):
            now = on_the_way[at]
            bank_it = bank[at] >= worths[at] if at >= self.least else np.zeros(DICE, bool)
            if at:
                banked[at] += now[bank_it].sum()
                now = np.where(bank_it, 0.0, now)
            if not now.any():
                continue
            lost += float(now @ self.bust)
            choices = held.reshape(-1)[at * DICE :].take(self._offsets).argmax(axis=0)
            picked = self._offsets[choices, range(len(choices))]
            np.add.at(on_the_way.reshape(-1), at * DICE + picked, now @ self.chances)
        banked[throws:] += on_the_way[throws:].sum(axis=1)
        return banked, lost


def values(
    scoring: Scoring,
    hand: Hand,
    moves: tuple[str, ...],
    bank: Callable[[int], float],
    roll: Callable[[int, int], float],
) -> dict[str, float]:
    """What each of `moves` is worth with `hand` before one.

    `bank(points)` is the worth of banking so much, `roll(points, dice)` that of throwing on.
    """
    found = {}
    for move in moves:
        part, action = read("", scoring, hand, move)
        after = hand.taken(part) if part != NOTHING else hand
        throws = action == "roll"
        found[move] = roll(after.points, after.to_throw) if throws else bank(after.points)
    return found


Menu = tuple[tuple[int, int], ...]
"""What can be left to throw, and the most steps one can then have set aside."""


def _menus(scoring: Scoring) -> tuple[list[tuple[int, Menu, float]], Floats]:
    """The menus of throws of one to six dice with their chances, and the chances of none."""
    found: list[tuple[int, Menu, float]] = []
    bust = np.zeros(DICE)
    for dice in range(1, DICE + 1):
        chances: Counter[Menu] = Counter()
        for throw in every_throw(dice):
            best: dict[int, int] = {}
            for part, points in scoring.set_asides(throw):
                left = dice - len(part) or DICE
                best[left] = max(best.get(left, 0), points // STEP)
            ways = factorial(dice) // prod(map(factorial, Counter(throw).values()))
            chances[tuple(sorted(best.items()))] += ways
        bust[dice - 1] = chances.pop((), 0) / len(FACES) ** dice
        found += [(dice, menu, ways / len(FACES) ** dice) for menu, ways in chances.items()]
    return found, bust
