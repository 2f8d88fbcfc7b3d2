"""What is remembered of a game of Yahtzee: the Yahtzees."""

from __future__ import annotations

from games.feats import Feats, came_from_last
from games.yahtzee import boxes
from games.yahtzee.boxes import BOXES
from games.yahtzee.rules import State, outcome

HALF = len(BOXES) // 2


def feats(state: State, seat: int) -> Feats:
    """The turns of one sheet; half-time is after seven boxes."""
    ended = outcome(state)
    assert ended
    player = state.players[seat]
    turns = [turn for turn in state.turns if turn.seat == seat and turn.box and not turn.late]
    yahtzees = sum(boxes.is_yahtzee(turn.dice) for turn in turns)
    in_it = [other for group in ended.places for other in group]
    halfway = {other: _after(state, other, HALF) for other in in_it}
    full = player.scored == len(BOXES) and seat in in_it
    badges = {
        "yahtzee": yahtzees > 0,
        "from_last": full and came_from_last(seat, ended.places, halfway),
    }
    return Feats(
        player.total if full else None,
        {"yahtzees": yahtzees},
        badges=tuple(badge for badge, earned in badges.items() if earned),
    )


def _after(state: State, seat: int, turns: int) -> int:
    """What `seat` had after so many boxes, the upper bonus left out."""
    scored = [turn for turn in state.turns if turn.seat == seat and turn.box]
    return sum(turn.value + turn.bonus for turn in scored[:turns])
