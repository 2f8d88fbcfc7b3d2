"""What is remembered of a game of Fifty!, bullseyes and the longest chain of one die; and what is
told of one that runs: who leads, and who can still hit all three limits."""

from __future__ import annotations

from games.feats import Feats, came_from_last
from games.fifty.rules import ROUNDS, State, outcome, seated

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
        {"chain": chain if chain > 1 else 0},
        tuple(badge for badge, earned in badges.items() if earned),
    )


def chase(state: State) -> dict[int, int]:
    """Who can still hit all three limits, and how many they have hit (RULES 1.6)."""
    thrown = {seat: state.players[seat].throws for seat in seated(state) if seat in state.people}
    return {
        seat: len(throws)
        for seat, throws in thrown.items()
        if state.round <= ROUNDS and all(throw.over == 0 for throw in throws)
    }


def new_leader(state: State) -> int | None:
    """The seat that leads since the round before this one; None where several do, or as before."""
    number = len(state.limits) if state.round > ROUNDS else state.round - 1
    if number < 2:
        return None
    leader, before = (_leader(state, rounds) for rounds in (number, number - 1))
    return leader if leader != before else None


def _leader(state: State, rounds: int) -> int | None:
    """The seat that led after so many rounds; None where several did."""
    totals = {
        seat: sum(throw.sum for throw in player.throws[:rounds])
        for seat, player in enumerate(state.players)
        if not player.gone and all(throw.over <= 0 for throw in player.throws[:rounds])
    }
    most = max(totals.values(), default=0)
    first = [seat for seat, total in totals.items() if total == most]
    return first[0] if len(first) == 1 else None
