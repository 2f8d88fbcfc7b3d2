"""What every move of Zilch is worth (RULES 8): the share of the pot one gets on average.

The running turn is solved exactly, whatever its end is worth. What that is worth is counted over
the turns that are still to come, with everybody taken to play them for points: how likely each has
how many points after so many turns, and who is first to reach the goal. In the last round the
others try to pass that one, as well as it can be done in a turn. Who is level shares their places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games import mind, setaside_mind, shares_mind
from games.game import Draw, Policy
from games.setaside import DICE
from games.setaside_mind import STEP, Floats, Turns
from games.shares_mind import Against, against
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

Numbers = NDArray[np.int_]

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
    rivals = shares_mind.rivals(state, seat)
    ends = {who: state.players[who].bank for who in rivals if not state.players[who].gone}
    return shares_mind.ranked(ends, seat, _paid(state, seat))


def for_points(state: State, seat: int, draw: Draw) -> str:
    """The move that brings the turn most points on average."""
    player, hand = state.players[seat], state.hand
    worths = _for_points(player.zilches + 1 == ZILCHES_IN_A_ROW)

    def roll(points: int, dice: int) -> float:
        return float(worths[min(points // STEP, len(worths) - 1), dice - 1])

    values = setaside_mind.values(SCORING, hand, rules.legal(state, seat), float, roll)
    return mind.best(values)


POLICIES: Mapping[str, Policy[State]] = {"points": for_points}


def _paid(state: State, seat: int) -> tuple[float, ...]:
    """What the places are paid; what nobody can hold goes to the first."""
    rivals = shares_mind.rivals(state, seat)
    paid = shares_mind.places(len(rivals))
    held = sum(not state.players[who].gone for who in rivals)
    return (paid[0] + sum(paid[held:]), *paid[1:held])


def _race(state: State, seat: int) -> Race:
    def standing(player: Player) -> Standing:
        return Standing(player.bank, player.zilches)

    rivals = {*shares_mind.rivals(state, seat)} & {*rules.seated(state)}
    queue = tuple(
        standing(state.players[other]) for other in state.queue if other != seat and other in rivals
    )
    done = (other for other in rivals if other not in state.queue)
    banks = tuple(sorted(state.players[other].bank for other in done))
    me = standing(state.players[seat])
    return Race(me, queue, banks, state.closer is None, _paid(state, seat))


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


def _index(banks: Numbers) -> Numbers:
    return (banks.clip(LOWEST, HIGHEST) - LOWEST) // STEP


class _Plays(NamedTuple):
    """Turns played for points: how likely they bring one from each bank (first axis, the second
    half for those in whom a zilch would be the third in a row) to each, and the chances of one."""

    brings: Floats
    zilch: float
    third: float


@cache
def _for_points(third: bool) -> Floats:
    """What it is worth in points to throw (steps, dice - 1) if a zilch is the third in a row."""
    bank = STEP * np.arange(BANKS + _turns().most, dtype=float)
    return _turns().worths(bank, -float(PENALTY) if third else 0.0)


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


@cache
def _by_lead() -> Floats:
    """The best chance to pass, in a turn, somebody who is so many steps ahead; to draw level counts
    half. A small lead still needs what may be banked."""
    turns = _turns()
    steps = np.arange(BANKS + turns.most) - (BANKS - 1)
    # With BANKS - 1 - n steps in hand n more draw level, whatever brought them.
    free = Turns(SCORING, 0).worths((steps > 0) + 0.5 * (steps == 0), 0.0)[::-1, DICE - 1]
    least = turns.worths((np.arange(BANKS + turns.most) >= turns.least).astype(float), 0.0)
    return np.where(np.arange(BANKS) < turns.least, least[0, DICE - 1], free)


def _passing(banks: Numbers, first: Numbers) -> Floats:
    """The best chance to pass `first` from each of these banks; 1 where that is done already."""
    lead = first - banks
    return np.where(lead < 0, 1.0, _by_lead()[np.abs(lead)])


@cache
def _passing_the_first() -> Floats:
    """Of everybody short of the goal (first axis) to pass each bank that reached it."""
    return _passing(np.arange(AT_GOAL)[:, None], np.arange(AT_GOAL, BANKS))


# -- the turns to come --------------------------------------------------------------------------


class _Paths(NamedTuple):
    """How likely each of several players (second axis) has which bank (third) after so many turns
    (first): still `short` of the goal; and `there`, at the goal, with the turn that follows."""

    short: Floats
    there: Floats


def _ends(race: Race) -> tuple[Floats, Floats]:
    """The worth of the end of the turn by the bank then (n): banked; and by zilches in a row
    (3, n)."""
    if not race.open:
        final = _last_round(race)
        return final, np.tile(final, (ZILCHES_IN_A_ROW, 1))
    paths = _paths(race.queue)
    closing = _closing(race.paid, paths)
    closed = _closed_by_others(race.paid, paths)
    going_on = np.zeros((ZILCHES_IN_A_ROW, BANKS))
    for turn in range(len(closed) - 1, -1, -1):
        going_on = _before(closing[turn + 1], going_on)
        going_on[:, :AT_GOAL] += closed[turn]
    banked = going_on[0].copy()
    banked[AT_GOAL:] = closing[0]
    return banked, going_on


def _last_round(race: Race) -> Floats:
    """One's share by the bank of one's last turn, which some have had and others will have."""
    results = [against(_sure(bank)) for bank in race.done]
    best = np.maximum(np.arange(BANKS), max(map(_at, race.done), default=0))
    for other in race.queue:
        passing = _passing(np.array(_at(other.bank)), best)
        stay = against(_sure(other.bank))
        short = 1.0 - passing
        results.append(
            Against(passing + short * stay.before, short * stay.level, short * stay.behind)
        )
    return np.broadcast_to(shares_mind.expected(race.paid, results), (BANKS,))


def _paths(queue: Sequence[Standing]) -> _Paths:
    """What becomes of those in `queue`, who play for points, until all that is very likely over."""
    plays = _plays()
    now = np.zeros((ZILCHES_IN_A_ROW, len(queue), BANKS))
    for at, (bank, zilches) in enumerate(queue):
        now[zilches, at, _at(bank)] = 1.0
    short, there = [], []
    while True:
        short.append(now.sum(axis=0)[:, :AT_GOAL])
        brought = np.concatenate((now[0] + now[1], now[2]), axis=1) @ plays.brings
        there.append(brought[:, AT_GOAL:].copy())
        if len(short) > MOST_TURNS or short[-1].sum(axis=1).prod() < UNLIKELY:
            return _Paths(np.array(short), np.array(there))
        fined = np.zeros_like(brought)
        fined[:, : -PENALTY // STEP] = plays.third * now[2][:, PENALTY // STEP :]
        fined[:, 0] += plays.third * now[2][:, : PENALTY // STEP].sum(axis=1)
        brought[:, AT_GOAL:] = 0.0
        now = np.array([brought + fined, *(plays.zilch * now[:2])])


def _before(closing: Floats, going_on: Floats) -> Floats:
    """One's share by zilches in a row and bank (3, n) before a turn for points.

    By the bank after it: `closing` where that reaches the goal, else `going_on` by the zilches.
    """
    banked = going_on[0].copy()
    banked[AT_GOAL:] = closing
    plays = _plays()
    plain, third = (plays.brings @ banked).reshape(2, BANKS)
    return np.array(
        [
            plain + plays.zilch * going_on[1],
            plain + plays.zilch * going_on[2],
            third + plays.third * _fined(going_on[0]),
        ]
    )


def _closing(paid: Sequence[float], paths: _Paths) -> Floats:
    """One's share by the bank at the goal that one closes with (turns, n), after so many turns of
    all others."""
    passing = paths.short @ _passing_the_first()
    behind = paths.short.sum(axis=2, keepdims=True) - passing
    nobody = np.zeros(())
    players = range(paths.short.shape[1])
    results = [Against(passing[:, other], nobody, behind[:, other]) for other in players]
    return shares_mind.expected(paid, results)


def _closed_by_others(paid: Sequence[float], paths: _Paths) -> Floats:
    """One's share by one's bank short of the goal (turns, n) if, after so many turns of everybody,
    another reaches it before one's own.

    Then all others have one turn to pass that one. Who passes is level with others who do, who does
    not stays where they were; which bank is to be passed is taken at its mean chances.
    """
    others = range(paths.short.shape[1])
    found = np.zeros((len(paths.short) - 1, AT_GOAL))
    for closer in others:
        there = paths.there[:-1, closer]
        likely = there.sum(axis=1, keepdims=True)
        passing = (there @ _passing_the_first().T) / np.maximum(likely, UNLIKELY**2)
        passed, failed = [], []
        for other in others:
            if other != closer:
                short = paths.short[1:, other] if other < closer else paths.short[:-1, other]
                pass_too = (short * passing).sum(axis=1, keepdims=True)
                stay = against(short * (1.0 - passing))
                passed.append(
                    Against(np.zeros(()), pass_too, short.sum(axis=1, keepdims=True) - pass_too)
                )
                failed.append(Against(stay.before + pass_too, stay.level, stay.behind))
        won, lost = shares_mind.expected(paid, passed), shares_mind.expected(paid[1:], failed)
        found += likely * (passing * won + (1.0 - passing) * lost)
    return found


def _fined(banks: Floats) -> Floats:
    """What `banks` holds for each bank less the penalty."""
    return banks[_index(np.arange(LOWEST, HIGHEST + STEP, STEP) - PENALTY)]


def _sure(bank: int) -> Floats:
    """A bank that is reached for sure."""
    found = np.zeros(BANKS)
    found[_at(bank)] = 1.0
    return found
