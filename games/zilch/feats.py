"""What is remembered of a game of Zilch: the best turn, and the zilches."""

from __future__ import annotations

from games.feats import Feats, came_from_last
from games.zilch.rules import State, outcome


def feats(state: State, seat: int) -> Feats:
    """The turns of one seat; half-time is after half of its winner's."""
    ended = outcome(state)
    assert ended
    turns = [turn for turn in state.turns if turn.seat == seat]
    ends = [turn.end for turn in turns]
    banked = [turn.hand.points for turn in turns if turn.end == "banked"]
    in_it = [other for group in ended.places for other in group]
    full = state.closer is not None and seat in in_it
    halfway = {other: _after(state, other, len(turns) // 2) for other in in_it}
    badges = {
        "penalty": "penalty" in ends,
        "from_last": full and came_from_last(seat, ended.places, halfway),
    }
    return Feats(
        state.players[seat].bank if full else None,
        {"zilches": ends.count("zilch") + ends.count("penalty")},
        {"turn": max(banked, default=0)},
        tuple(badge for badge, earned in badges.items() if earned),
    )


def _after(state: State, seat: int, turns: int) -> int:
    """The bank of `seat` after so many turns."""
    banks = [turn.bank for turn in state.turns if turn.seat == seat]
    return banks[min(turns, len(banks)) - 1] if turns and banks else 0
