"""How a sensible person plays Farkle 20."""

from __future__ import annotations

from games import setaside
from games.farkle20.rules import NO_MINIMUM, SCORING, State
from games.game import Draw


def greedy(state: State, seat: int, draw: Draw) -> str:
    """What is worth most if the turn were banked after at most one more throw."""
    hand = state.players[seat].hand
    return setaside.greedy(SCORING, hand.dice, hand.points, NO_MINIMUM)
