"""What every move of Farkle 20 is worth (RULES 8): the total one reaches on average, exactly.

Turns have nothing to do with each other, nor with other players: the running one and what every
later one brings on average are all there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from games import mind, setaside_mind
from games.farkle20 import rules
from games.farkle20.rules import NO_MINIMUM, SCORING, TURNS, State
from games.game import Policy
from games.setaside import DICE
from games.setaside_mind import STEP, Floats, Turns

UNIT: mind.Unit = "points"
TABLE: mind.Table | None = None
POLICIES: Mapping[str, Policy[State]] = {}

ALWAYS_BANKED = 12_000
"""Points from which a turn is banked with any number of dice left."""


def values(state: State, seat: int) -> dict[str, float]:
    """The total on average after each legal move of `seat`."""
    player = state.players[seat]
    still = (TURNS - player.turn) * _roll(0, DICE)

    def bank(points: int) -> float:
        return player.total + points + still

    def roll(points: int, dice: int) -> float:
        return player.total + _roll(points, dice) + still

    return setaside_mind.values(SCORING, player.hand, rules.legal(state, seat), bank, roll)


def result(state: State, seat: int) -> float:
    """The total of `seat`."""
    return float(state.players[seat].total)


def _roll(points: int, dice: int) -> float:
    """What a turn brings on average if so many dice are thrown with so many points in hand."""
    worths = _turn()
    if points // STEP < len(worths):
        return float(worths[points // STEP, dice - 1])
    return _far(points, dice)


@cache
def _turns() -> Turns:
    return Turns(SCORING, NO_MINIMUM)


@cache
def _turn() -> Floats:
    turns = _turns()
    return turns.worths(STEP * np.arange(ALWAYS_BANKED // STEP + turns.most, dtype=float), 0.0)


def _far(points: int, dice: int) -> float:
    """The same where whatever the throw brings is banked."""
    turns = _turns()
    bank = points + STEP * np.arange(1 + turns.most, dtype=float)
    return float(turns.worths(bank, 0.0)[0, dice - 1])
