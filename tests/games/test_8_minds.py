"""What every mind promises (games/mind.py), and James."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import pytest

from games import registry
from games.fairness import Stream
from games.mind import NoMind, best, james, mind_of, ready
from tests.games.table import Table
from tests.games.ways import policy, steps

GAMES = {kind: game for kind, game in registry().items() if game.mind}


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", GAMES)
def test_8_a_mind_answers_for_every_legal_move_in_its_order(kind: str) -> None:
    mind = mind_of(GAMES[kind])
    table = Table(GAMES[kind], 3)
    asked = 0
    for number, (seat, _) in enumerate(steps(table, policy("random"), "minds")):
        if seat >= 0 and (number < 6 or number % 5 == 0):
            for whose in range(3):
                values = mind.values(table.state, whose)
                assert tuple(values) == table.rules.legal(table.state, whose)
                assert all(isfinite(worth) for worth in values.values())
                assert mind.UNIT == "points" or all(0 <= w <= 1 for w in values.values())
                asked += bool(values)
    results = [mind.result(table.state, seat) for seat in range(3)]

    assert asked
    assert mind.UNIT == "points" or sum(results) <= 1 + 1e-9
    assert all(mind.values(table.state, seat) == {} for seat in range(3))


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", ["zilch", "yahtzee", "farkle20"])
def test_8_james_makes_legal_moves_to_the_end_and_draws_nothing(kind: str) -> None:
    def no_draw(sides: int) -> int:
        raise AssertionError("James draws nothing")

    choose = james(GAMES[kind])
    table = Table(GAMES[kind], 2)
    turn = policy("greedy")

    def one_is_james(at: Table, draw: Stream) -> tuple[int, str]:
        seat, move = turn(at, draw)
        return (0, choose(at.state, 0, no_draw)) if seat == 0 else (seat, move)

    for _ in steps(table, one_is_james, "James"):
        pass

    assert table.over


def test_8_of_moves_as_good_as_the_best_james_makes_the_first() -> None:
    assert best({"a": 1.0, "b": 2.0 - 0.9e-4, "c": 2.0, "d": 1.9}) == "b"
    assert best({"a": 1.0, "b": 2.0 - 1.1e-4, "c": 2.0, "d": 2.0}) == "c"


@pytest.mark.parametrize("kind", GAMES)
def test_8_a_game_names_the_table_of_its_mind(kind: str) -> None:
    table = mind_of(GAMES[kind]).TABLE

    assert GAMES[kind].mind_table == (table.name if table else "")


def test_8_a_game_without_a_mind_says_so() -> None:
    plain = replace(registry()["zilch"], mind="")

    assert not ready(plain)
    with pytest.raises(NoMind):
        mind_of(plain)
    with pytest.raises(NoMind):
        james(plain)
