"""What is remembered of a game of Farkle 20: the best turn, and hot dice."""

from __future__ import annotations

from games.farkle20.rules import TURNS, State, outcome
from games.feats import Feats, came_from_last


def feats(state: State, seat: int) -> Feats:
    """The turns of one seat; half-time is after ten."""
    ended = outcome(state)
    assert ended
    player = state.players[seat]
    halfway = {
        other: sum(state.players[other].scores[: TURNS // 2])
        for group in ended.places
        for other in group
    }
    from_last = player.finished and came_from_last(seat, ended.places, halfway)
    return Feats(
        player.total if player.finished else None,
        {"hot": player.hot},
        {"turn": max(player.scores, default=0)},
        ("from_last",) if from_last else (),
    )
