"""What every throw of Fifty! is worth (RULES 8): the share of the pot one gets on average.

One's own throws are solved from the last round back: for every set of dice that can be left, sum
so far and limit. The limits of later rounds are not known, but with those seen they add up to
fifty: all that can follow are equally likely. The others are taken to play for points: each for
the highest sum on average, nothing if they go over a limit, whatever the others have. So how likely
each of them ends with which sum can be counted. Who is level shares their places, and so do those
in a Stechen; of the jackpot nobody dreams.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from games import dice, mind, shares_mind
from games.dice import Pool
from games.fifty import rules
from games.fifty.rules import DICE, HIGHEST_LIMIT, LIMITS, ROUNDS, TARGET, State
from games.shares_mind import Floats

UNIT: mind.Unit = "share"
TABLE: mind.Table | None = None

Numbers = NDArray[np.integer[Any]]

_HELD = Counter(DICE)
_SHAPE = tuple(count + 1 for count in _HELD.values())
"""Sets of dice are numbered by how many of each kind they have: 288."""
_SETS = int(np.prod(_SHAPE))
_EMPTY = 0
_SUMS = HIGHEST_LIMIT + 1
"""Sums of a throw are told apart up to the highest limit."""
_TOTALS = TARGET + 1


class Other(NamedTuple):
    """What of another player matters: sum so far, number of the dice left, thrown this round?"""

    total: int
    dice: int
    thrown: bool


class Round(NamedTuple):
    """What a throw depends on: the limits seen, the others still in, the shares of the places."""

    limits: tuple[int, ...]
    others: tuple[Other, ...]
    paid: tuple[float, ...]


def values(state: State, seat: int) -> dict[str, float]:
    """The share of the pot on average after each legal move of `seat`."""
    moves = rules.legal(state, seat)
    if not moves:
        return {}
    if state.stechen:
        worths = _stechen(state, seat)
        return {move: worths(number(dice.parse(move))) for move in moves}
    player, limit = state.players[seat], state.limit
    after = _after(_round(state, seat))
    had = number(player.dice)
    found = {}
    for move in moves:
        pool = number(dice.parse(move))
        upto = slice(player.total, player.total + limit + 1)
        found[move] = float(_chances()[pool, : limit + 1] @ after[had - pool, upto])
    return found


def result(state: State, seat: int) -> float:
    """The share of the pot that `seat` won."""
    return shares_mind.won(rules.outcome(state), seat, shares_mind.places(len(state.players)))


def number(pool: Pool) -> int:
    """The number of a set of dice; of dice put together it is the sum of their numbers."""
    counts = Counter(pool)
    found = 0
    for kind, size in zip(_HELD, _SHAPE, strict=True):
        found = found * size + counts[kind]
    return found


def _round(state: State, seat: int) -> Round:
    others = (
        Other(player.total, number(player.dice), len(player.throws) == state.round)
        for other, player in enumerate(state.players)
        if other != seat and player.playing
    )
    paid = shares_mind.places(len(state.players))
    return Round(state.limits[: state.round], tuple(sorted(others)), paid)


# -- throws -------------------------------------------------------------------------------------


@cache
def _chances() -> Floats:
    """How likely an open throw of each set of dice has each sum (288, 41)."""
    found = np.zeros((*_SHAPE, _SUMS))
    found[(0,) * len(_SHAPE) + (0,)] = 1.0
    for axis, sides in enumerate(_HELD):
        one = np.zeros(_SUMS)
        for total in range(_SUMS):
            if total % sides:
                one[total] = (1 / sides) ** (total // sides + 1)
        by_count = np.moveaxis(found, axis, 0)
        for count in range(1, _SHAPE[axis]):
            by_count[count] = np.apply_along_axis(_convolved, -1, by_count[count - 1], one)
    return found.reshape(_SETS, _SUMS)


def _convolved(chances: Floats, one: Floats) -> Floats:
    return np.convolve(chances, one)[: len(chances)]


@cache
def _subsets(held: int) -> tuple[int, ...]:
    """The numbers of all throws of a set of dice, in the order of `rules.legal`."""
    counts = np.unravel_index(held, _SHAPE)
    every = np.arange(_SETS).reshape(_SHAPE)[tuple(slice(int(count) + 1) for count in counts)]
    return tuple(map(int, every.reshape(-1)[1:]))


# -- rounds, from the last one back ---------------------------------------------------------------


class _Ahead(NamedTuple):
    """The limits of rounds two and three that are equally likely, those seen included."""

    seconds: tuple[int, ...]
    thirds: tuple[int, ...]


@cache
def _ahead(seen: tuple[int, ...]) -> _Ahead:
    """The limits that can follow those seen."""
    triples = [triple for triple in LIMITS if triple[: len(seen)] == seen]
    return _Ahead(*(tuple(triple[at] for triple in triples) for at in (1, 2)))


@lru_cache(maxsize=16)
def _after(game: Round) -> Floats:
    """The worth of each set of dice left and sum (288, 51) once this round's throw is done."""
    ahead = _ahead(game.limits)
    final = _final(game, ahead)
    if len(game.limits) == ROUNDS:
        return np.broadcast_to(final[0], (_SETS, _TOTALS))
    last = _last_round(final, ahead.thirds)[0]
    if len(game.limits) == ROUNDS - 1:
        return last[:, 0].copy()
    return _second_round(last, ahead, game.limits[0])


def _final(game: Round, ahead: _Ahead) -> Floats:
    """The share of each sum at the end (n, 51), for each of the limits that can follow.

    Three bullseyes take all.
    """
    ends = [_end(other, game.limits) for other in game.others]
    shares = shares_mind.expected(game.paid, ends)
    found = np.broadcast_to(shares, (len(ahead.thirds), 1 + _TOTALS))[:, 1:].copy()
    found[:, TARGET] = 1.0
    return found


def _last_round(final: Floats, limits: Sequence[int]) -> tuple[Floats, NDArray[np.int16]]:
    """The worth of each set of dice and sum before the last round (288, n, 51), and its throw."""
    worths = _windows(final, limits, slice(_TOTALS)).reshape(-1, _SUMS)
    found = (_chances() @ worths.T).reshape(_SETS, len(limits), _TOTALS)
    found[_EMPTY] = -np.inf
    throws = np.empty(found.shape, np.int16)
    throws[:] = np.arange(_SETS)[:, None, None]
    for axis in range(len(_SHAPE)):
        best, best_throw = (np.moveaxis(of.reshape(*_SHAPE, -1), axis, 0) for of in (found, throws))
        for count in range(1, _SHAPE[axis]):
            fewer = best[count - 1] >= best[count]
            np.copyto(best[count], best[count - 1], where=fewer)
            np.copyto(best_throw[count], best_throw[count - 1], where=fewer)
    found[_EMPTY] = final
    return found, throws


def _second_round(last: Floats, ahead: _Ahead, first: int) -> Floats:
    """The mean worth of each set of dice and sum of the first round before the second (288, 51)."""
    limits, sums = ahead.seconds, first + 1
    throws = _chances().reshape(*_SHAPE, _SUMS)
    best = np.full((*_SHAPE, len(limits) * sums), -np.inf)
    for kept in range(_SETS):
        counts = [int(count) for count in np.unravel_index(kept, _SHAPE)]
        thrown = tuple(slice(size - count) for size, count in zip(_SHAPE, counts, strict=True))
        had = tuple(slice(count, None) for count in counts)
        worths = _windows(last[kept], limits, slice(sums)).reshape(-1, _SUMS)
        brought = throws[thrown] @ worths.T
        brought[(0,) * len(_SHAPE)] = -np.inf  # somebody with dice throws some
        np.maximum(best[had], brought, out=best[had])
    found = np.zeros((_SETS, _TOTALS))
    means = best.reshape(_SETS, len(limits), sums)
    means[_EMPTY] = last[_EMPTY, :, :sums]
    found[:, :sums] = means.mean(axis=1)
    return found


def _windows(worths: Floats, limits: Sequence[int], totals: slice) -> Floats:
    """What each sum of a throw (last) leads to from each total: `worths` (n, 51) further on, and
    nothing over the limit (n, totals, 41)."""
    over = np.arange(_SUMS) > np.array(limits)[:, None]
    return np.where(over[:, None, :], 0.0, _slid(worths)[:, totals])


def _slid(worths: Floats) -> Floats:
    """Of each row of 51 the 41 from each place on (…, 51, 41), nothing beyond its end; a view."""
    longer = np.zeros((*worths.shape[:-1], _TOTALS + _SUMS - 1))
    longer[..., :_TOTALS] = worths
    return sliding_window_view(longer, _SUMS, axis=-1)


# -- those who play for points ------------------------------------------------------------------


class _Crowd(NamedTuple):
    """All that can have become of somebody, an entry each: which of the limits that can follow,
    which dice are left, the sum, and how likely it is."""

    ahead: Numbers
    dice: Numbers
    total: Numbers
    chance: Floats

    def thrown(self, throws: Numbers, limits: Numbers) -> _Crowd:
        """What becomes of them by a throw each; who goes over the limit is dropped."""
        chances = self.chance[:, None] * _chances()[throws]
        entry, brought = np.nonzero((chances > 0) & (np.arange(_SUMS) <= limits[:, None]))
        return _Crowd(
            self.ahead[entry],
            (self.dice - throws)[entry],
            self.total[entry] + brought,
            chances[entry, brought],
        )

    def facing(self, n: int) -> _Crowd:
        """The same with each of `n` limits that can follow."""
        ahead = np.repeat(np.arange(n), len(self.ahead))
        return _Crowd(ahead, np.tile(self.dice, n), np.tile(self.total, n), np.tile(self.chance, n))


@lru_cache(maxsize=64)
def _end(other: Other, seen: tuple[int, ...]) -> Floats:
    """How likely another ends out (first), or with each sum (n, 52), by the limits that can
    follow. Three bullseyes are left out."""
    ahead = _ahead(seen)
    seconds, thirds = map(np.array, ahead)
    throws = ROUNDS - len(seen) + (not other.thrown)
    crowd = _Crowd(np.zeros(1, int), np.array([other.dice]), np.array([other.total]), np.ones(1))
    if throws == ROUNDS:
        first = np.array([_first_for_points(other.dice, seen[0])])
        crowd = crowd.thrown(first, np.array(seen))
    crowd = crowd.facing(len(thirds))
    if throws >= ROUNDS - 1:
        crowd = crowd.thrown(_second_for_points(crowd, ahead), seconds[crowd.ahead])
    if throws >= 1:
        third = _third_for_points(ahead.thirds)[1]
        crowd = crowd.thrown(third[crowd.dice, crowd.ahead, crowd.total], thirds[crowd.ahead])
    found = np.zeros((len(thirds), 1 + _TOTALS))
    np.add.at(found, (crowd.ahead, 1 + crowd.total), crowd.chance)
    found[:, 0] = np.maximum(0.0, 1.0 - found.sum(axis=1))
    found[:, 1 + TARGET] = 0.0
    return found


@lru_cache(maxsize=2)
def _third_for_points(limits: tuple[int, ...]) -> tuple[Floats, NDArray[np.int16]]:
    """The sum at the end on average before the last round (288, n, 51), and the throw for it."""
    return _last_round(np.tile(np.arange(_TOTALS, dtype=float), (len(limits), 1)), limits)


def _second_for_points(crowd: _Crowd, ahead: _Ahead) -> Numbers:
    """The throw of each of a crowd with the same dice in round two."""
    held = int(crowd.dice[0])
    throws = np.array(_subsets(held) or (_EMPTY,))
    lowest = int(crowd.total.min())
    totals = slice(lowest, int(crowd.total.max()) + 1)
    last = _third_for_points(ahead.thirds)[0]
    within = np.arange(_SUMS) <= np.array(ahead.seconds)[:, None]
    chances = _chances()[throws][:, None] * within
    worths = np.einsum("mntk,mnk->mnt", _slid(last[held - throws])[:, :, totals], chances)
    best: Numbers = throws[worths.argmax(axis=0)][crowd.ahead, crowd.total - lowest]
    return best


@cache
def _first_for_points(held: int, limit: int) -> int:
    """The first throw."""
    ahead = _ahead((limit,))
    after = _second_round(_third_for_points(ahead.thirds)[0], ahead, limit)
    throws = np.array(_subsets(held))
    worths = _chances()[throws, : limit + 1] * after[held - throws, : limit + 1]
    return int(throws[worths.sum(axis=1).argmax()])


@cache
def _most_points(held: int, limit: int) -> int:
    """The throw of a Stechen that brings most on average, one over the limit counting nothing."""
    throws = np.array(_subsets(held))
    sums = np.arange(limit + 1)
    return int(throws[(_chances()[throws, : limit + 1] @ sums).argmax()])


# -- a Stechen ----------------------------------------------------------------------------------


def _stechen(state: State, seat: int) -> Callable[[int], float]:
    """The share that a throw brings in the running Stechen, by its number."""
    stechen = state.stechen
    assert stechen
    limit = stechen.limit
    ahead = 0
    for group in state.ranking:
        if seat in group:
            break
        ahead += len(group)
    places = shares_mind.places(len(state.players))[ahead : ahead + len(stechen.order)]
    ends = []
    for other in stechen.order:
        if other == seat:
            continue
        end = np.zeros(1 + _SUMS)
        thrown = stechen.throws.get(other)
        if thrown:
            end[0 if thrown.over > 0 else 1 + thrown.sum] = 1.0
        else:
            sums = _chances()[_most_points(_SETS - 1, limit), : limit + 1]
            end[1 : limit + 2] = sums
            end[0] = 1.0 - sums.sum()
        ends.append(end)
    shares = np.broadcast_to(shares_mind.expected(places, ends), (1 + _SUMS,))

    def worth(pool: int) -> float:
        sums = _chances()[pool, : limit + 1]
        return float(sums @ shares[1 : limit + 2] + (1.0 - sums.sum()) * shares[0])

    return worth
