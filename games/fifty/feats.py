"""What is remembered of a game of Fifty!: bullseyes and the longest chain of one die."""

from __future__ import annotations

from games.feats import Feats, came_from_last
from games.fifty.rules import ROUNDS, State, outcome

CHAIN = 4
"""A chain as long as this is worth a badge."""
HALF = 2
"""After so many rounds it is half-time."""


def feats(state: State, seat: int) -> Feats:
    """The throws of the three rounds; a Stechen does not count."""
    ended = outcome(state)
    assert ended
    player = state.players[seat]
    thrown = [throw for throw in player.throws if throw.dice and not throw.late]
    bullseyes = sum(throw.over == 0 for throw in thrown)
    chain = max((len(die) for throw in thrown for die in throw.dice), default=0)
    placed = any(seat in group for group in ended.places)
    halfway = {
        other: sum(throw.sum for throw in state.players[other].throws[:HALF])
        for other in state.people
        if len(state.players[other].throws) >= HALF
        and all(throw.over <= 0 for throw in state.players[other].throws[:HALF])
    }
    badges = {
        "bullseye": bullseyes > 0,
        "bullseyes": bullseyes == ROUNDS,
        "chain": chain >= CHAIN,
        "from_last": came_from_last(seat, ended.places, halfway),
    }
    return Feats(
        player.total if placed else None,
        {"bullseyes": bullseyes},
        {"chain": chain},
        tuple(badge for badge, earned in badges.items() if earned),
    )
