"""What every throw of Fifty! is worth (RULES 8): the share of the pot one gets on average.

One's own throws are solved from the last round back: for every set of dice that can be left, sum
so far and limit. The limits of later rounds are not known, but with those seen they add up to
fifty: all that can follow are equally likely. The others are taken to play for points: each for
the highest sum on average, nothing if they go over a limit, whatever the others have. So how likely
each of them ends with which sum can be counted. Who is level shares their places, and so do those
in a Stechen; of the jackpot nobody dreams.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from games import dice, mind, shares_mind
from games.fifty import rules
from games.fifty.points_mind import (
    EMPTY,
    SETS,
    SHAPE,
    SUMS,
    TOTALS,
    Ahead,
    Crowd,
    first_for_points,
    for_points,
    limits_ahead,
    most_points,
    number,
    second_for_points,
    second_round,
    third_for_points,
    throw_chances,
)
from games.fifty.rules import ROUNDS, TARGET, State
from games.game import Policy
from games.shares_mind import Floats, against

UNIT: mind.Unit = "share"
TABLE: mind.Table | None = None


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
        found[move] = float(throw_chances()[pool, : limit + 1] @ after[had - pool, upto])
    return found


def result(state: State, seat: int) -> float:
    """The share of the pot that `seat` won."""
    rivals = shares_mind.rivals(state, seat)
    paid = shares_mind.places(len(rivals))
    if not {*rivals} & {*state.guests}:
        return shares_mind.won(rules.outcome(state), seat, paid)
    ends = {who: state.players[who].total for who in rivals if state.players[who].playing}
    return shares_mind.ranked(ends, seat, paid)


POLICIES: Mapping[str, Policy[State]] = {"points": for_points}


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


# -- rounds, from the last one back ---------------------------------------------------------------


@lru_cache(maxsize=8)
def _after(game: Round) -> Floats:
    """The worth of each set of dice left and sum (288, 51) once this round's throw is done.

    In the first round sums go only up to its limit.
    """
    ahead = limits_ahead(game.limits)
    final = _final(game, ahead)
    if len(game.limits) == ROUNDS:
        return np.broadcast_to(final[0], (SETS, TOTALS))
    if len(game.limits) == ROUNDS - 1:
        return _last_round(final, ahead.thirds)[:, 0]

    def last(some: slice) -> Floats:
        return _last_round(final[some], ahead.thirds[some])

    return second_round(last, ahead.seconds, game.limits[0])


def _final(game: Round, ahead: Ahead) -> Floats:
    """The share of each sum at the end (n, 51), for each of the limits that can follow.

    Three bullseyes take all.
    """
    ends = [against(_end(other, game.limits)) for other in game.others]
    shares = shares_mind.expected(game.paid, ends)
    found = np.broadcast_to(shares, (len(ahead.thirds), 1 + TOTALS))[:, 1:].copy()
    found[:, TARGET] = 1.0
    return found


def _last_round(final: Floats, limits: Sequence[int]) -> Floats:
    """The worth of each set of dice and sum before the last round (288, n, 51)."""
    thrown = max(limits) + 1
    longer = np.zeros((len(limits), TOTALS + thrown - 1))
    longer[:, :TOTALS] = final
    within = (np.arange(thrown) <= np.array(limits)[:, None])[:, None, :]
    worths = (sliding_window_view(longer, thrown, axis=1) * within).reshape(-1, thrown)
    found = (throw_chances()[:, :thrown] @ worths.T).reshape(SETS, len(limits), TOTALS)
    found[EMPTY] = -np.inf
    by_kind = found.reshape(*SHAPE, len(limits), TOTALS)
    for axis in range(len(SHAPE)):
        np.maximum.accumulate(by_kind, axis=axis, out=by_kind)
    found[EMPTY] = final
    return found


# -- those who play for points ------------------------------------------------------------------


@lru_cache(maxsize=64)
def _end(other: Other, seen: tuple[int, ...]) -> Floats:
    """How likely another ends out (first), or with each sum (n, 52), by the limits that can
    follow. Three bullseyes are left out."""
    ahead = limits_ahead(seen)
    throws = ROUNDS - len(seen) + (not other.thrown)
    begun = Crowd(np.array([other.dice]), np.array([other.total]), np.ones(1))
    if throws == ROUNDS:
        begun = begun.thrown(np.array([first_for_points(other.dice, seen[0])]), seen[0])
    found = np.zeros((len(ahead.thirds), 1 + TOTALS))
    for sums, second, third in zip(found, *ahead, strict=True):
        crowd = begun
        if throws >= ROUNDS - 1:
            crowd = crowd.thrown(second_for_points(crowd, second, third), second)
        if throws >= 1:
            last = third_for_points(third).throws
            crowd = crowd.thrown(last[crowd.dice, crowd.total], third)
        np.add.at(sums, 1 + crowd.total, crowd.chance)
        sums[0] = max(0.0, 1.0 - sums.sum())
        sums[1 + TARGET] = 0.0
    return found


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
        end = np.zeros(1 + SUMS)
        thrown = stechen.throws.get(other)
        if thrown:
            end[0 if thrown.over > 0 else 1 + thrown.sum] = 1.0
        else:
            sums = throw_chances()[most_points(SETS - 1, limit), : limit + 1]
            end[1 : limit + 2] = sums
            end[0] = 1.0 - sums.sum()
        ends.append(against(end))
    shares = np.broadcast_to(shares_mind.expected(places, ends), (1 + SUMS,))

    def worth(pool: int) -> float:
        sums = throw_chances()[pool, : limit + 1]
        return float(sums @ shares[1 : limit + 2] + (1.0 - sums.sum()) * shares[0])

    return worth
