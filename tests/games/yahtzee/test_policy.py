"""How the greedy player of Yahtzee plays, and how much better that is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from games import registry
from games.fairness import Stream
from games.yahtzee import policy
from games.yahtzee.boxes import BOXES
from games.yahtzee.keeps import AT
from games.yahtzee.policy import greedy
from tests.games.ways import policy as playing
from tests.games.ways import steps
from tests.games.yahtzee.table import Yahtzee

DRAW = Stream(b"", b"", 0)
GAMES = 12


def chosen(game: Yahtzee) -> str:
    return greedy(game.state, game.state.turn, DRAW)


@pytest.mark.parametrize(
    ("dice", "move"),
    [
        ("66661", "roll 5"),
        ("55555", "score yahtzee"),
        ("23456", "score long_straight"),
        ("12346", "roll 5"),
        ("16666", "roll 1"),
    ],
)
def test_the_greedy_keep_what_promises_most(dice: str, move: str) -> None:
    game = Yahtzee(2, f"A {dice}")

    assert chosen(game) == move


def test_the_greedy_score_their_best_box_after_the_third_throw() -> None:
    game = Yahtzee(2, "A 33366\nA: roll 0\nA: roll 0")

    assert chosen(game) == "score full_house"


def test_the_greedy_give_up_the_box_that_is_worth_least() -> None:
    game = Yahtzee(2)
    game.rounds([box for box in BOXES if box not in ("ones", "long_straight", "yahtzee")])

    game.play("A 23466\nA: roll 0\nA: roll 0")

    assert chosen(game) == "score ones"


def after(held: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every throw that completes `held`, equally likely."""
    for dice in product(range(1, 7), repeat=5 - len(held)):
        yield (*held, *dice)


@pytest.mark.parametrize("held", [(), (6,), (3, 3), (2, 3, 4), (5, 5, 5, 5), (1, 2, 3, 4, 5)])
def test_the_mean_of_a_kept_set_is_exact(held: tuple[int, ...]) -> None:
    one, _ = policy._turn((BOXES.index("chance"),), False)
    usual = policy.USUAL[BOXES.index("chance")]

    throws = [sum(dice) for dice in after(held)]

    mean = Fraction(sum(throws), len(throws))
    assert one[AT[held]] == pytest.approx(float(mean) - usual)


def total(name: str) -> int:
    points = 0
    for number in range(GAMES):
        game = Yahtzee(2)
        for _ in steps(game, playing(name), f"{name} {number}"):
            pass
        points += sum(player.total for player in game.state.players)
    return points // (2 * GAMES)


def test_the_greedy_score_far_more_than_those_who_play_at_random() -> None:
    assert {*registry()["yahtzee"].policies} == {"random", "greedy"}
    assert total("random") < 100
    assert total("greedy") > 250
