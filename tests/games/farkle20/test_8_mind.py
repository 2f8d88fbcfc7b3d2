"""What moves of Farkle 20 are worth (RULES 8.2)."""

from __future__ import annotations

from itertools import product

import pytest

from games.farkle20 import mind, rules
from games.farkle20.rules import Player, State
from games.mind import best
from games.setaside import Hand
from tests.games.by_counts import farkle, subsets

TURN = 520.8251421853
"""What a turn brings on average."""


def alone(hand: Hand, scores: tuple[int, ...] = (0,) * 19) -> State:
    """Somebody alone in this turn; it is their last unless fewer were played."""
    return State((Player(scores, hand),))


@pytest.mark.parametrize(
    ("dice", "points", "lying"),
    [
        (1, 300, "12"),
        (2, 250, "123"),
        (3, 400, "1234"),
        (4, 1050, "12346"),
        (5, 3050, "122346"),
        (6, 11_900, "1"),
    ],
)
def test_8_from_so_many_points_a_turn_is_banked(dice: int, points: int, lying: str) -> None:
    # the one brings the last hundred and leaves so many dice to throw
    kept = ("3" * (6 - len(lying)),) if len(lying) < 6 else ()

    def chosen(total: int) -> str:
        return best(mind.values(alone(Hand(lying, kept, total - 100)), 0))

    assert Hand("", (*kept, "1")).to_throw == dice
    assert chosen(points) == "1 bank"
    assert chosen(points - 50) == "1 roll"


def test_8_the_worth_is_the_total_with_all_turns_to_come() -> None:
    state = rules.start(rules.Setup(3))

    assert mind.values(state, 1) == {"roll": pytest.approx(20 * TURN)}
    assert mind.values(alone(Hand(), (400, 0, 250)), 0) == {"roll": pytest.approx(650 + 17 * TURN)}
    banked = mind.values(alone(Hand("155", (), 0), (100,) * 19), 0)
    assert banked["155 bank"] == 1900 + 200


@pytest.mark.parametrize(
    ("points", "dice"), [(0, 3), (250, 1), (300, 2), (600, 4), (11950, 3), (30000, 2)]
)
def test_8_a_throw_is_worth_the_mean_of_the_best_of_what_can_follow(points: int, dice: int) -> None:
    def after(throw: tuple[int, ...]) -> float:
        lying = "".join(map(str, sorted(throw)))
        worths = []
        for part in {*subsets(lying)}:
            brings = farkle(part)
            if brings is not None:
                left = dice - len(part) or 6
                worths += [points + brings, mind._roll(points + brings, left)]
        return max(worths, default=0.0)

    throws = list(product(range(1, 7), repeat=dice))

    assert mind._roll(points, dice) == pytest.approx(sum(map(after, throws)) / 6**dice, abs=1e-9)
