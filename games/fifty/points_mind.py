"""Fifty! played for points: the throws that bring the highest sum at the end on average.

A throw over the limit brings nothing, and what the others have is no matter. Sets of dice are
numbered (see `number`); what every set can throw is counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from games import dice
from games.dice import Pool
from games.fifty.rules import DICE, HIGHEST_LIMIT, LIMITS, ROUNDS, TARGET, State
from games.game import Draw
from games.shares_mind import Floats

Numbers = NDArray[np.integer[Any]]

_HELD = Counter(DICE)
SHAPE = tuple(count + 1 for count in _HELD.values())
"""Sets of dice are numbered by how many of each kind they have: 288."""
SETS = int(np.prod(SHAPE))
EMPTY = 0
_NONE = (0,) * len(SHAPE)
SUMS = HIGHEST_LIMIT + 1
"""Sums of a throw are told apart up to the highest limit."""
TOTALS = TARGET + 1
_AT_ONCE = 4
"""Limits of the second round that are gone through together: more take more memory."""


def for_points(state: State, seat: int, draw: Draw) -> str:
    """The throw that brings the highest sum at the end on average."""
    if state.stechen:
        throw = most_points(SETS - 1, state.limit)
    else:
        player, seen = state.players[seat], state.limits[: state.round]
        held, total = number(player.dice), player.total
        if len(seen) == 1:
            throw = first_for_points(held, *seen)
        elif len(seen) == ROUNDS:
            throw = int(third_for_points(seen[-1]).throws[held, total])
        else:
            so_far = Crowd(np.array([held]), np.array([total]), np.ones(1))
            throw = int(second_for_points(so_far, seen[-1], TARGET - sum(seen))[0])
    counts = np.unravel_index(throw, SHAPE)
    return dice.notation(
        sides for sides, count in zip(_HELD, counts, strict=True) for _ in range(int(count))
    )


def number(pool: Pool) -> int:
    """The number of a set of dice; of dice put together it is the sum of their numbers."""
    counts = Counter(pool)
    found = 0
    for kind, size in zip(_HELD, SHAPE, strict=True):
        found = found * size + counts[kind]
    return found


@cache
def throw_chances() -> Floats:
    """How likely an open throw of each set of dice has each sum (288, 41)."""
    found = np.zeros((*SHAPE, SUMS))
    found[(*_NONE, 0)] = 1.0
    for axis, sides in enumerate(_HELD):
        one = np.zeros(SUMS)
        for total in range(SUMS):
            if total % sides:
                one[total] = (1 / sides) ** (total // sides + 1)
        by_count = np.moveaxis(found, axis, 0)
        for count in range(1, SHAPE[axis]):
            by_count[count] = np.apply_along_axis(_convolved, -1, by_count[count - 1], one)
    return found.reshape(SETS, SUMS)


def _convolved(chances: Floats, one: Floats) -> Floats:
    return np.convolve(chances, one)[: len(chances)]


@cache
def _subsets(held: int) -> tuple[int, ...]:
    """The numbers of all throws of a set of dice, in the order of `rules.legal`."""
    counts = np.unravel_index(held, SHAPE)
    every = np.arange(SETS).reshape(SHAPE)[tuple(slice(int(count) + 1) for count in counts)]
    return tuple(map(int, every.reshape(-1)[1:]))


class Ahead(NamedTuple):
    """The limits of rounds two and three that are equally likely, those seen included."""

    seconds: tuple[int, ...]
    thirds: tuple[int, ...]


@cache
def limits_ahead(seen: tuple[int, ...]) -> Ahead:
    """The limits that can follow those seen."""
    triples = [triple for triple in LIMITS if triple[: len(seen)] == seen]
    return Ahead(*(tuple(triple[at] for triple in triples) for at in (1, 2)))


def second_round(last: Callable[[slice], Floats], limits: Sequence[int], first: int) -> Floats:
    """The mean worth of each set of dice and sum before the second round (288, sums).

    `last` is what is worth what before the last round, for some of the limits.
    """
    total = np.zeros((SETS, first + 1))
    for begin in range(0, len(limits), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        total += _second_rounds(last(some), limits[some], first)
    return total / len(limits)


def _second_rounds(last: Floats, limits: Sequence[int], first: int) -> Floats:
    """The worth of each set of dice and sum before the second round, of these limits together."""
    sums, thrown = first + 1, max(limits) + 1
    chances = throw_chances()[:, :thrown].reshape(*SHAPE, thrown)
    longer = np.zeros((SETS, len(limits), sums + thrown - 1))
    width = min(longer.shape[-1], TOTALS)
    longer[..., :width] = last[..., :width]
    leading_to = sliding_window_view(longer, thrown, axis=-1)
    within = (np.arange(thrown) <= np.array(limits)[:, None])[:, None, :]
    best = np.full((*SHAPE, len(limits) * sums), -np.inf)
    for kept, (throws, had) in enumerate(_splits()):
        worths = (leading_to[kept] * within).reshape(-1, thrown)
        brought = chances[throws] @ worths.T
        brought[_NONE] = -np.inf  # somebody with dice throws some
        np.maximum(best[had], brought, out=best[had])
    worths = best.reshape(SETS, len(limits), sums)
    worths[EMPTY] = last[EMPTY, :, :sums]
    found: Floats = worths.sum(axis=1)
    return found


@cache
def _splits() -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """For every set of dice that can be kept: the throws there can be beside it, and what was had
    before each; as parts of an array by kinds."""
    found = []
    for kept in np.ndindex(*SHAPE):
        throws = tuple(slice(size - count) for size, count in zip(SHAPE, kept, strict=True))
        found.append((throws, tuple(slice(count, None) for count in kept)))
    return found


class Crowd(NamedTuple):
    """All that can have become of somebody, an entry each: dice left, sum, and how likely it is."""

    dice: Numbers
    total: Numbers
    chance: Floats

    def thrown(self, throws: Numbers, limit: int) -> Crowd:
        """What becomes of them by a throw each; who goes over the limit is dropped."""
        chances = self.chance[:, None] * throw_chances()[throws, : limit + 1]
        entry, brought = np.nonzero(chances)
        total = self.total[entry] + brought
        return Crowd((self.dice - throws)[entry], total, chances[entry, brought])


class _Third(NamedTuple):
    """The last round of those who play for points, for one limit.

    `throws` are theirs by the dice they have and their sum so far (288, sums); a throw of each set
    of dice stays `within` the limit so likely (288), and `brings` so much on average.
    """

    throws: NDArray[np.int16]
    within: Floats
    brings: Floats

    def worths(self, some: slice | Numbers, lowest: int, upto: int) -> Floats:
        """Their sum at the end on average, for some sets of dice and the sums from `lowest` on."""
        throws = self.throws[some, lowest:upto]
        totals = np.arange(lowest, lowest + throws.shape[1])
        found: Floats = self.within[throws] * totals + self.brings[throws]
        return found


@cache
def third_for_points(limit: int) -> _Third:
    """The throws that bring the highest sum at the end; who has no dice left throws none."""
    sums = np.arange(limit + 1)
    totals = np.arange(TOTALS - limit)
    under = throw_chances()[:, : limit + 1]
    within, brings = under.sum(axis=1), under @ sums
    worths = within[:, None] * totals + brings[:, None]
    worths[EMPTY] = -np.inf
    throws = np.empty(worths.shape, np.int16)
    throws[:] = np.arange(SETS)[:, None]
    for axis in range(len(SHAPE)):
        best, throw = (np.moveaxis(of.reshape(*SHAPE, -1), axis, 0) for of in (worths, throws))
        for count in range(1, SHAPE[axis]):
            fewer = best[count - 1] >= best[count]
            np.copyto(best[count], best[count - 1], where=fewer)
            np.copyto(throw[count], throw[count - 1], where=fewer)
    return _Third(throws, within, brings)


def second_for_points(crowd: Crowd, second: int, third: int) -> Numbers:
    """The throw of each of a crowd with the same dice in round two."""
    held = int(crowd.dice[0])
    throws = np.array(_subsets(held) or (EMPTY,))
    lowest, highest = int(crowd.total.min()), int(crowd.total.max())
    after = np.zeros((len(throws), highest - lowest + 1 + second))
    worths = third_for_points(third).worths(held - throws, lowest, lowest + after.shape[1])
    after[:, : worths.shape[1]] = worths
    brings = sliding_window_view(after, second + 1, axis=1)
    means = np.einsum("mtk,mk->mt", brings, throw_chances()[throws, : second + 1])
    best: Numbers = throws[means.argmax(axis=0)][crowd.total - lowest]
    return best


@cache
def first_for_points(held: int, limit: int) -> int:
    """The first throw."""
    ahead = limits_ahead((limit,))

    def last(some: slice) -> Floats:
        found = np.zeros((SETS, len(ahead.thirds[some]), TOTALS))
        for at, third in enumerate(ahead.thirds[some]):
            worths = third_for_points(third).worths(slice(None), 0, TOTALS)
            found[:, at, : worths.shape[1]] = worths
        return found

    after = second_round(last, ahead.seconds, limit)
    throws = np.array(_subsets(held))
    means = (throw_chances()[throws, : limit + 1] * after[held - throws]).sum(axis=1)
    return int(throws[means.argmax()])


@cache
def most_points(held: int, limit: int) -> int:
    """The throw of a Stechen that brings most on average, one over the limit counting nothing."""
    throws = np.array(_subsets(held))
    sums = np.arange(limit + 1)
    return int(throws[(throw_chances()[throws, : limit + 1] @ sums).argmax()])
