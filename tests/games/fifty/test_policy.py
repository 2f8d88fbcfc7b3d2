"""How the careful player of Fifty! throws; the odds are those of `tests/games/test_dice.py`."""

from __future__ import annotations

import pytest

from games import dice
from games.fairness import Stream
from games.fifty.policy import RISK, cautious
from tests.games.fifty.table import Fifty

DRAW = Stream(b"", b"", 0)


@pytest.mark.parametrize("limits", ["40 5 5", "20 15 15", "12 8 30"])
def test_the_careful_throw_as_high_as_a_risk_of_one_in_ten_allows(limits: str) -> None:
    game = Fifty(2, f"deal {limits}")
    limit = game.state.limit

    thrown = dice.parse(cautious(game.state, 0, DRAW))

    assert dice.chance_over(thrown, limit) <= RISK
    for move in game.rules.legal(game.state, 0):
        pool = dice.parse(move)
        assert dice.chance_over(pool, limit) > RISK or dice.mean(pool) <= dice.mean(thrown)


def test_where_every_throw_is_riskier_the_careful_take_the_least_risk() -> None:
    game = Fifty(2, "deal 5 5 40")

    risks = {
        move: dice.chance_over(dice.parse(move), 5) for move in game.rules.legal(game.state, 0)
    }

    assert min(risks.values()) > RISK
    assert risks[cautious(game.state, 0, DRAW)] == min(risks.values())
