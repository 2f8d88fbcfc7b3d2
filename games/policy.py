"""Ways to play that need no rules of one game: what `dicehall simulate` and the tests drive."""

from __future__ import annotations

from typing import Any

from games.game import Draw, Policy, Rules


def random_move(rules: Rules[Any]) -> Policy[Any]:
    """A policy that makes any legal move, all equally likely."""

    def choose(state: Any, seat: int, draw: Draw) -> str:
        moves = rules.legal(state, seat)
        return moves[draw(len(moves)) - 1]

    return choose
