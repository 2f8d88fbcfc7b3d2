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
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from games import dice, mind, shares_mind
from games.dice import Pool
from games.fifty import rules
from games.fifty.rules import DICE, HIGHEST_LIMIT, LIMITS, ROUNDS, TARGET, State
from games.game import Draw, Policy
from games.shares_mind import Floats, against

UNIT: mind.Unit = "share"
TABLE: mind.Table | None = None

Numbers = NDArray[np.integer[Any]]

_HELD = Counter(DICE)
_SHAPE = tuple(count + 1 for count in _HELD.values())
"""Sets of dice are numbered by how many of each kind they have: 288."""
_SETS = int(np.prod(_SHAPE))
_EMPTY = 0
_NONE = (0,) * len(_SHAPE)
_SUMS = HIGHEST_LIMIT + 1
"""Sums of a throw are told apart up to the highest limit."""
_TOTALS = TARGET + 1
_AT_ONCE = 4
"""Limits of the second round that are gone through together: more take more memory."""


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
    rivals = shares_mind.rivals(state, seat)
    paid = shares_mind.places(len(rivals))
    if not {*rivals} & {*state.guests}:
        return shares_mind.won(rules.outcome(state), seat, paid)
    ends = {who: state.players[who].total for who in rivals if state.players[who].playing}
    return shares_mind.ranked(ends, seat, paid)


def for_points(state: State, seat: int, draw: Draw) -> str:
    """The throw that brings the highest sum at the end on average."""
    if state.stechen:
        throw = _most_points(_SETS - 1, state.limit)
    else:
        player, seen = state.players[seat], state.limits[: state.round]
        held, total = number(player.dice), player.total
        if len(seen) == 1:
            throw = _first_for_points(held, *seen)
        elif len(seen) == ROUNDS:
            throw = int(_third_for_points(seen[-1]).throws[held, total])
        else:
            so_far = _Crowd(np.array([held]), np.array([total]), np.ones(1))
            throw = int(_second_for_points(so_far, seen[-1], TARGET - sum(seen))[0])
    counts = np.unravel_index(throw, _SHAPE)
    return dice.notation(
        sides for sides, count in zip(_HELD, counts, strict=True) for _ in range(int(count))
    )


POLICIES: Mapping[str, Policy[State]] = {"points": for_points}


def number(pool: Pool) -> int:
    """The number of a set of dice; of dice put together it is the sum of their numbers."""
    counts = Counter(pool)
    found = 0
    for kind, size in zip(_HELD, _SHAPE, strict=True):
        found = found * size + counts[kind]
    return found


def _round(state: State, seat: int) -> Round:
    rivals = shares_mind.rivals(state, seat)
    others = (
        Other(player.total, number(player.dice), len(player.throws) == state.round)
        for other in rivals
        for player in [state.players[other]]
        if other != seat and player.playing
    )
    paid = shares_mind.places(len(rivals))
    return Round(state.limits[: state.round], tuple(sorted(others)), paid)


# -- throws -------------------------------------------------------------------------------------


@cache
def _chances() -> Floats:
    """How likely an open throw of each set of dice has each sum (288, 41)."""
    found = np.zeros((*_SHAPE, _SUMS))
    found[(*_NONE, 0)] = 1.0
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


@lru_cache(maxsize=8)
def _after(game: Round) -> Floats:
    """The worth of each set of dice left and sum (288, 51) once this round's throw is done.

    In the first round sums go only up to its limit.
    """
    ahead = _ahead(game.limits)
    final = _final(game, ahead)
    if len(game.limits) == ROUNDS:
        return np.broadcast_to(final[0], (_SETS, _TOTALS))
    if len(game.limits) == ROUNDS - 1:
        return _last_round(final, ahead.thirds)[:, 0]

    def last(some: slice) -> Floats:
        return _last_round(final[some], ahead.thirds[some])

    return _second_round(last, ahead.seconds, game.limits[0])


def _final(game: Round, ahead: _Ahead) -> Floats:
    """The share of each sum at the end (n, 51), for each of the limits that can follow.

    Three bullseyes take all.
    """
    ends = [against(_end(other, game.limits)) for other in game.others]
    shares = shares_mind.expected(game.paid, ends)
    found = np.broadcast_to(shares, (len(ahead.thirds), 1 + _TOTALS))[:, 1:].copy()
    found[:, TARGET] = 1.0
    return found


def _last_round(final: Floats, limits: Sequence[int]) -> Floats:
    """The worth of each set of dice and sum before the last round (288, n, 51)."""
    thrown = max(limits) + 1
    longer = np.zeros((len(limits), _TOTALS + thrown - 1))
    longer[:, :_TOTALS] = final
    within = (np.arange(thrown) <= np.array(limits)[:, None])[:, None, :]
    worths = (sliding_window_view(longer, thrown, axis=1) * within).reshape(-1, thrown)
    found = (_chances()[:, :thrown] @ worths.T).reshape(_SETS, len(limits), _TOTALS)
    found[_EMPTY] = -np.inf
    by_kind = found.reshape(*_SHAPE, len(limits), _TOTALS)
    for axis in range(len(_SHAPE)):
        np.maximum.accumulate(by_kind, axis=axis, out=by_kind)
    found[_EMPTY] = final
    return found


def _second_round(last: Callable[[slice], Floats], limits: Sequence[int], first: int) -> Floats:
    """The mean worth of each set of dice and sum before the second round (288, sums).

    `last` is what is worth what before the last round, for some of the limits.
    """
    total = np.zeros((_SETS, first + 1))
    for begin in range(0, len(limits), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        total += _second_rounds(last(some), limits[some], first)
    return total / len(limits)


def _second_rounds(last: Floats, limits: Sequence[int], first: int) -> Floats:
    """The worth of each set of dice and sum before the second round, of these limits together."""
    sums, thrown = first + 1, max(limits) + 1
    chances = _chances()[:, :thrown].reshape(*_SHAPE, thrown)
    longer = np.zeros((_SETS, len(limits), sums + thrown - 1))
    width = min(longer.shape[-1], _TOTALS)
    longer[..., :width] = last[..., :width]
    leading_to = sliding_window_view(longer, thrown, axis=-1)
    within = (np.arange(thrown) <= np.array(limits)[:, None])[:, None, :]
    best = np.full((*_SHAPE, len(limits) * sums), -np.inf)
    for kept, (throws, had) in enumerate(_splits()):
        worths = (leading_to[kept] * within).reshape(-1, thrown)
        brought = chances[throws] @ worths.T
        brought[_NONE] = -np.inf  # somebody with dice throws some
        np.maximum(best[had], brought, out=best[had])
    worths = best.reshape(_SETS, len(limits), sums)
    worths[_EMPTY] = last[_EMPTY, :, :sums]
    found: Floats = worths.sum(axis=1)
    return found


@cache
def _splits() -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """For every set of dice that can be kept: the throws there can be beside it, and what was had
    before each; as parts of an array by kinds."""
    found = []
    for kept in np.ndindex(*_SHAPE):
        throws = tuple(slice(size - count) for size, count in zip(_SHAPE, kept, strict=True))
        found.append((throws, tuple(slice(count, None) for count in kept)))
    return found


# -- those who play for points ------------------------------------------------------------------


class _Crowd(NamedTuple):
    """All that can have become of somebody, an entry each: dice left, sum, and how likely it is."""

    dice: Numbers
    total: Numbers
    chance: Floats

    def thrown(self, throws: Numbers, limit: int) -> _Crowd:
        """What becomes of them by a throw each; who goes over the limit is dropped."""
        chances = self.chance[:, None] * _chances()[throws, : limit + 1]
        entry, brought = np.nonzero(chances)
        total = self.total[entry] + brought
        return _Crowd((self.dice - throws)[entry], total, chances[entry, brought])


@lru_cache(maxsize=64)
def _end(other: Other, seen: tuple[int, ...]) -> Floats:
    """How likely another ends out (first), or with each sum (n, 52), by the limits that can
    follow. Three bullseyes are left out."""
    ahead = _ahead(seen)
    throws = ROUNDS - len(seen) + (not other.thrown)
    begun = _Crowd(np.array([other.dice]), np.array([other.total]), np.ones(1))
    if throws == ROUNDS:
        begun = begun.thrown(np.array([_first_for_points(other.dice, seen[0])]), seen[0])
    found = np.zeros((len(ahead.thirds), 1 + _TOTALS))
    for sums, second, third in zip(found, *ahead, strict=True):
        crowd = begun
        if throws >= ROUNDS - 1:
            crowd = crowd.thrown(_second_for_points(crowd, second, third), second)
        if throws >= 1:
            last = _third_for_points(third).throws
            crowd = crowd.thrown(last[crowd.dice, crowd.total], third)
        np.add.at(sums, 1 + crowd.total, crowd.chance)
        sums[0] = max(0.0, 1.0 - sums.sum())
        sums[1 + TARGET] = 0.0
    return found


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
def _third_for_points(limit: int) -> _Third:
    """The throws that bring the highest sum at the end; who has no dice left throws none."""
    sums = np.arange(limit + 1)
    totals = np.arange(_TOTALS - limit)
    under = _chances()[:, : limit + 1]
    within, brings = under.sum(axis=1), under @ sums
    worths = within[:, None] * totals + brings[:, None]
    worths[_EMPTY] = -np.inf
    throws = np.empty(worths.shape, np.int16)
    throws[:] = np.arange(_SETS)[:, None]
    for axis in range(len(_SHAPE)):
        best, throw = (np.moveaxis(of.reshape(*_SHAPE, -1), axis, 0) for of in (worths, throws))
        for count in range(1, _SHAPE[axis]):
            fewer = best[count - 1] >= best[count]
            np.copyto(best[count], best[count - 1], where=fewer)
            np.copyto(throw[count], throw[count - 1], where=fewer)
    return _Third(throws, within, brings)


def _second_for_points(crowd: _Crowd, second: int, third: int) -> Numbers:
    """The throw of each of a crowd with the same dice in round two."""
    held = int(crowd.dice[0])
    throws = np.array(_subsets(held) or (_EMPTY,))
    lowest, highest = int(crowd.total.min()), int(crowd.total.max())
    after = np.zeros((len(throws), highest - lowest + 1 + second))
    worths = _third_for_points(third).worths(held - throws, lowest, lowest + after.shape[1])
    after[:, : worths.shape[1]] = worths
    brings = sliding_window_view(after, second + 1, axis=1)
    means = np.einsum("mtk,mk->mt", brings, _chances()[throws, : second + 1])
    best: Numbers = throws[means.argmax(axis=0)][crowd.total - lowest]
    return best


@cache
def _first_for_points(held: int, limit: int) -> int:
    """The first throw."""
    ahead = _ahead((limit,))

    def last(some: slice) -> Floats:
        found = np.zeros((_SETS, len(ahead.thirds[some]), _TOTALS))
        for at, third in enumerate(ahead.thirds[some]):
            worths = _third_for_points(third).worths(slice(None), 0, _TOTALS)
            found[:, at, : worths.shape[1]] = worths
        return found

    after = _second_round(last, ahead.seconds, limit)
    throws = np.array(_subsets(held))
    means = (_chances()[throws, : limit + 1] * after[held - throws]).sum(axis=1)
    return int(throws[means.argmax()])


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
    places = shares_mind.places(len(state.people))[ahead : ahead + len(stechen.order)]
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
        ends.append(against(end))
    shares = np.broadcast_to(shares_mind.expected(places, ends), (1 + _SUMS,))

    def worth(pool: int) -> float:
        sums = _chances()[pool, : limit + 1]
        return float(sums @ shares[1 : limit + 2] + (1.0 - sums.sum()) * shares[0])

    return worth
