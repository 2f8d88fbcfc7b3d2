"""How a sensible person plays Zilch."""

from __future__ import annotations

from games import setaside
from games.game import Draw
from games.zilch.rules import LEAST_BANKED, SCORING, State


def greedy(state: State, seat: int, draw: Draw) -> str:
    """What is worth most if the turn were banked after at most one more throw."""
    return setaside.greedy(SCORING, state.hand.dice, state.hand.points, LEAST_BANKED)
