"""What every move of Zilch is worth (RULES 8): the share of the pot one gets on average.

The running turn is solved exactly, whatever its end is worth. What that is worth is counted over
the turns that are still to come, with everybody taken to play them for points: how likely each of
the others has how many points after so many turns, whoever is first to reach the goal, and what
the last round brings the rest. Who is level shares their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games import mind, setaside_mind, shares_mind
from games.setaside_mind import STEP, Floats, Turns
from games.zilch import rules
from games.zilch.rules import (
    GOAL,
    LEAST_BANKED,
    PENALTY,
    SCORING,
    ZILCHES_IN_A_ROW,
    Player,
    State,
)

UNIT: mind.Unit = "share"
TABLE: mind.Table | None = None

LOWEST, HIGHEST = -1000, 14_000
"""Banks are told apart between these."""
BANKS = (HIGHEST - LOWEST) // STEP + 1
AT_GOAL = (GOAL - LOWEST) // STEP
MOST_TURNS = 60
UNLIKELY = 1e-6
"""A race that is still open with this chance is not followed further."""


class Standing(NamedTuple):
    """What of a player matters: points banked and zilches in a row."""

    bank: int
    zilches: int


class Race(NamedTuple):
    """What the end of the running turn depends on.

    `me` plays it, then `queue` in its order, and everybody again if the race is `open`. `done` are
    the banks of those whose last turn is over; `paid` the shares of the places.
    """

    me: Standing
    queue: tuple[Standing, ...]
    done: tuple[int, ...]
    open: bool
    paid: tuple[float, ...]


def values(state: State, seat: int) -> dict[str, float]:
    """The share of the pot on average after each legal move of `seat`."""
    moves = rules.legal(state, seat)
    if not moves:
        return {}
    race = _race(state, seat)
    ends, throws = _turn(race)

    def bank(points: int) -> float:
        return float(ends[min(points // STEP, len(ends) - 1)])

    def roll(points: int, dice: int) -> float:
        return float(throws[min(points // STEP, len(throws) - 1), dice - 1])

    return setaside_mind.values(SCORING, state.hand, moves, bank, roll)


def result(state: State, seat: int) -> float:
    """The share of the pot `seat` won; nothing for whoever left."""
    return shares_mind.won(rules.outcome(state), seat, _paid(state))


def _paid(state: State) -> tuple[float, ...]:
    """What the places are paid; what nobody can hold goes to the first."""
    paid = shares_mind.places(len(state.players))
    held = len(rules.seated(state))
    return (paid[0] + sum(paid[held:]), *paid[1:held])


def _race(state: State, seat: int) -> Race:
    def standing(player: Player) -> Standing:
        return Standing(player.bank, player.zilches)

    queue = tuple(standing(state.players[other]) for other in state.queue if other != seat)
    done = (other for other in rules.seated(state) if other not in state.queue)
    banks = tuple(sorted(state.players[other].bank for other in done))
    me = standing(state.players[seat])
    return Race(me, queue, banks, state.closer is None, _paid(state))


# -- one turn -----------------------------------------------------------------------------------


@cache
def _turns() -> Turns:
    return Turns(SCORING, LEAST_BANKED)


@lru_cache(maxsize=64)
def _turn(race: Race) -> tuple[Floats, Floats]:
    """What the turn is worth by steps of points in hand: banked; and thrown with so many dice."""
    bank, zilches = race.me
    banked, zilched = _ends(race)
    turns = _turns()
    steps = max(_at(HIGHEST) - _at(bank), turns.least) + 1
    ends = banked[_index(bank + STEP * np.arange(steps + turns.most))]
    third = zilches + 1 == ZILCHES_IN_A_ROW
    lost = zilched[0 if third else zilches + 1, _at(bank - PENALTY * third)]
    return ends, turns.worths(ends, float(lost))


def _at(bank: int) -> int:
    """The number of a bank in a row of all."""
    return int(min(max(bank, LOWEST), HIGHEST) - LOWEST) // STEP


def _index(banks: NDArray[np.int_]) -> NDArray[np.int_]:
    return (banks.clip(LOWEST, HIGHEST) - LOWEST) // STEP


class _Plays(NamedTuple):
    """Turns played for points: how likely they bring one from each bank (first axis, the second
    half for those in whom a zilch would be the third in a row) to each, and the chances of one."""

    brings: Floats
    zilch: float
    third: float


@cache
def _plays() -> _Plays:
    """How everybody plays for points; a third zilch in a row costs the penalty."""
    turns = _turns()
    bank = STEP * np.arange(BANKS + turns.most, dtype=float)
    laws = [turns.law(bank, lost) for lost in (0.0, -float(PENALTY))]
    brings = np.zeros((2, BANKS, BANKS))
    for to, (steps, _) in zip(brings, laws, strict=True):
        for at in range(BANKS):
            to[at, at:] = steps[: BANKS - at]
            to[at, -1] += steps[BANKS - at :].sum()
    return _Plays(brings.reshape(2 * BANKS, BANKS), laws[0][1], laws[1][1])


# -- the turns to come --------------------------------------------------------------------------


def _ends(race: Race) -> tuple[Floats, Floats]:
    """The worth of the end of the turn by the bank then (n): banked; and by zilches in a row
    (3, n)."""
    if not race.open:
        once = _last_turns(race.queue, 0)[0]
        final = shares_mind.expected(race.paid, [*map(_sure, race.done), *once])
        return final, np.tile(final, (ZILCHES_IN_A_ROW, 1))
    last = _last_turns(race.queue, MOST_TURNS)
    closing = shares_mind.expected(race.paid, list(last.swapaxes(0, 1)))
    closed = _closed_by_others(race.paid, last)
    going_on = np.zeros((ZILCHES_IN_A_ROW, BANKS))
    for turn in range(len(closed) - 1, -1, -1):
        going_on = _before(closed[turn], closing[turn + 1], going_on)
    banked = going_on[0].copy()
    banked[AT_GOAL:] = closing[0, AT_GOAL:]
    return banked, going_on


def _before(closed: Floats, closing: Floats, going_on: Floats) -> Floats:
    """One's share by zilches in a row and bank before a turn and what others do ahead of it.

    By the bank after the turn: `closed` if another has reached the goal before it, `closing` if one
    reaches it now, else `going_on` by the zilches in a row.
    """
    banked = closed + going_on[0]
    banked[AT_GOAL:] = closed[AT_GOAL:] + closing[AT_GOAL:]
    plays = _plays()
    plain, third = (plays.brings @ banked).reshape(2, BANKS)
    return np.array(
        [
            plain + plays.zilch * (closed + going_on[1]),
            plain + plays.zilch * (closed + going_on[2]),
            third + plays.third * _fined(closed + going_on[0]),
        ]
    )


def _last_turns(queue: Sequence[Standing], most: int) -> Floats:
    """How likely each of `queue` ends with which bank (turns, players, n) if after so many turns,
    none of which reached the goal, one more is the last."""
    plays = _plays()
    now = np.zeros((ZILCHES_IN_A_ROW, len(queue), BANKS))
    for at, (bank, zilches) in enumerate(queue):
        now[zilches, at, _at(bank)] = 1.0
    found: list[Floats] = []
    while True:
        brought = np.concatenate((now[0] + now[1], now[2]), axis=1) @ plays.brings
        fined = np.zeros_like(brought)
        fined[:, : -PENALTY // STEP] = plays.third * now[2][:, PENALTY // STEP :]
        fined[:, 0] += plays.third * now[2][:, : PENALTY // STEP].sum(axis=1)
        zilched = plays.zilch * now[:2]
        found.append(brought + fined + zilched[0] + zilched[1])
        if len(found) > most or now.sum(axis=(0, 2)).prod() < UNLIKELY:
            return np.array(found)
        brought[:, AT_GOAL:] = 0.0
        now = np.array([brought + fined, *zilched])


def _closed_by_others(paid: Sequence[float], last: Floats) -> Floats:
    """One's share by the bank after one's last turn (turns, n), if after so many turns of everybody
    another reaches the goal before it; what others do by `last`."""
    others = range(last.shape[1])
    found = np.zeros((len(last) - 1, BANKS))
    for closer in others:
        closing = last[:-1, closer].copy()
        closing[:, :AT_GOAL] = 0.0
        ahead = [last[1:, other] for other in others if other < closer]
        after = [last[:-1, other] for other in others if other > closer]
        found += shares_mind.expected(paid, [*ahead, closing, *after])
    return found


def _fined(banks: Floats) -> Floats:
    """What `banks` holds for each bank less the penalty."""
    return banks[_index(np.arange(LOWEST, HIGHEST + STEP, STEP) - PENALTY)]


def _sure(bank: int) -> Floats:
    """A bank that is reached for sure."""
    found = np.zeros(BANKS)
    found[_at(bank)] = 1.0
    return found
