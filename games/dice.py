"""Dice: notation, throws and their exact chances.

A die is named by its number of faces, a pool by the sorted numbers of its dice. An *open* die that
shows its highest face is thrown again and everything adds up, without end (RULES 1.2). Recorded
values are flat: the open dice 6, 8 thrown as 6, 6, 3 and 5 are the values (6, 6, 3, 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from games.game import Draw, Refusal, Throw

Pool = tuple[int, ...]

MOST_DICE = 50
MOST_SIDES = 1000
HIGHEST_SUM = 60
"""Sums above this one are not told apart in tables."""

_TERM = re.compile(r"(?:([0-9]{1,4})\s*[wd]\s*)?([0-9]{1,4})|[wd]\s*([0-9]{1,4})", re.IGNORECASE)


@lru_cache(maxsize=1024)
def parse(notation: str) -> Pool:
    """The pool that `4+4+12`, `2w4+W12` or `2d4 + d12` names, sorted.

    Only plain digits count. Raises `Refusal` for anything else, for no dice at all, for more than
    50 dice and for dice with fewer than 2 or more than 1000 faces.
    """
    if not notation.strip():
        raise Refusal("dice.none")
    pool: list[int] = []
    for term in notation.split("+"):
        match = _TERM.fullmatch(term.strip())
        if not match:
            raise Refusal("dice.unreadable", term=term.strip()[:20])
        count = int(match[1] or 1)
        sides = int(match[2] or match[3])
        if sides < 2:
            raise Refusal("dice.no_sides", die=sides)
        if sides > MOST_SIDES:
            raise Refusal("dice.unknown_die", die=sides, most=MOST_SIDES)
        if not count:
            raise Refusal("dice.none_at_all", term=term.strip()[:20])
        if count > MOST_DICE - len(pool):
            raise Refusal("dice.too_many", most=MOST_DICE)
        pool += [sides] * count
    return tuple(sorted(pool))


def notation(pool: Iterable[int]) -> str:
    """The pool as `4+4+12`, lowest die first."""
    return "+".join(str(sides) for sides in sorted(pool))


def cast(throw: Throw, draw: Draw) -> tuple[int, ...]:
    """The flat values of `throw`, each drawn with `draw`."""
    values: list[int] = []
    for sides in throw.sides:
        value = draw(sides)
        values.append(value)
        while throw.open and value == sides:
            value = draw(sides)
            values.append(value)
    return tuple(values)


def chains(throw: Throw, values: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The values of each die of `throw`, in its order.

    Raises ValueError if `values` cannot be a record of it.
    """
    rest = list(values)
    found: list[tuple[int, ...]] = []
    for sides in throw.sides:
        chain: list[int] = []
        while not chain or (throw.open and chain[-1] == sides):
            if not rest or not 1 <= rest[0] <= sides:
                raise ValueError(f"{values} is no throw of {throw}")
            chain.append(rest.pop(0))
        found.append(tuple(chain))
    if rest:
        raise ValueError(f"{values} is more than a throw of {throw}")
    return tuple(found)


def show(dice: Iterable[tuple[int, ...]]) -> str:
    """Chains as people write them: `6>6>3 + 5`."""
    return " + ".join(">".join(map(str, chain)) for chain in dice)


@lru_cache(maxsize=4096)
def _counts(pool: Pool, top: int) -> tuple[tuple[int, ...], int]:
    """Numerators of P(sum = 0 … top) for the open pool, and their common denominator."""
    if not pool:
        return (1, *([0] * top)), 1
    rest, scale = _counts(pool[1:], top)
    sides = pool[0]
    power = sides ** (top // sides)
    # P(n) = (R(n-1) + … + R(n-s+1) + P(n-s)) / s: a low face ends the die, the highest goes on.
    sums: list[int] = []
    low = 0
    for total in range(top + 1):
        low += rest[total - 1] if total else 0
        low -= rest[total - sides] if total >= sides else 0
        again = sums[total - sides] // sides if total >= sides else 0
        sums.append(low * power + again)
    return tuple(sums), scale * sides * power


def chances(pool: Pool, top: int) -> tuple[Fraction, ...]:
    """The probabilities that the open throw of `pool` is exactly 0, 1 … `top`."""
    counts, scale = _counts(tuple(sorted(pool)), max(top, HIGHEST_SUM))
    return tuple(Fraction(count, scale) for count in counts[: top + 1])


def chance(pool: Pool, total: int) -> Fraction:
    """The probability that the open throw of `pool` is exactly `total`."""
    if total < 0:
        return Fraction(0)
    counts, scale = _counts(tuple(sorted(pool)), max(total, HIGHEST_SUM))
    return Fraction(counts[total], scale)


def chance_over(pool: Pool, limit: int) -> Fraction:
    """The probability that the open throw of `pool` is more than `limit`."""
    if limit < 0:
        return Fraction(1)
    counts, scale = _counts(tuple(sorted(pool)), max(limit, HIGHEST_SUM))
    return 1 - Fraction(sum(counts[: limit + 1]), scale)


def mostly(pool: Pool, likely: float) -> tuple[int, int]:
    """The lowest and highest sum of what the open throw of `pool` brings with probability `likely`
    or a little more, as much being left out below as above."""
    beside = (1 - likely) / 2
    below, low, total = 0.0, 0, 0
    for total, one in enumerate(chances(pool, HIGHEST_SUM)):
        below += float(one)
        if below > beside and not low:
            low = total
        if below >= 1 - beside:
            break
    return low, total


def mean(pool: Pool) -> Fraction:
    """The mean of the open throw of `pool`."""
    return sum((_mean(sides) for sides in pool), Fraction(0))


def variance(pool: Pool) -> Fraction:
    """The variance of the open throw of `pool`."""
    return sum((_square(sides) - _mean(sides) ** 2 for sides in pool), Fraction(0))


def _mean(sides: int) -> Fraction:
    # m = (1 + … + s)/s + m/s
    return Fraction(sides * (sides + 1), 2 * (sides - 1))


def _square(sides: int) -> Fraction:
    # q = (1² + … + (s-1)²)/s + (s² + 2sm + q)/s
    below = Fraction((sides - 1) * sides * (2 * sides - 1), 6)
    again = sides**2 + 2 * sides * _mean(sides)
    return (below + again) / (sides - 1)
