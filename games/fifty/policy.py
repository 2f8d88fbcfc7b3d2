"""How people play Fifty!: carefully, or for what a throw brings on average."""

from __future__ import annotations

from functools import lru_cache

from games import dice
from games.fifty import rules
from games.fifty.rules import State
from games.game import Draw

RISK = 0.1


def cautious(state: State, seat: int, draw: Draw) -> str:
    """The throw with the highest mean that goes over the limit at most one time in ten.

    Where every throw is riskier: the one least likely to go over. Equal ones: the fewest dice.
    """
    return _cautious(rules.legal(state, seat), state.limit)


def greedy(state: State, seat: int, draw: Draw) -> str:
    """The throw that brings most on average, one over the limit counting nothing."""
    return _greedy(rules.legal(state, seat), state.limit)


@lru_cache(maxsize=65536)
def _cautious(moves: tuple[str, ...], limit: int) -> str:
    def worth(move: str) -> tuple[bool, float, int]:
        pool = dice.parse(move)
        risk = float(dice.chance_over(pool, limit))
        safe = risk <= RISK
        return safe, float(dice.mean(pool)) if safe else -risk, -len(pool)

    return max(moves, key=worth)


@lru_cache(maxsize=65536)
def _greedy(moves: tuple[str, ...], limit: int) -> str:
    def worth(move: str) -> float:
        pool = dice.parse(move)
        return float(sum(total * dice.chance(pool, total) for total in range(1, limit + 1)))

    return max(moves, key=worth)
