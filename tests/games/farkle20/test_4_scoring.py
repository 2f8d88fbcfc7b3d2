"""RULES 4: what may be set aside of a throw, and what it is worth."""

from __future__ import annotations

import pytest

from games import registry
from games.game import Refusal
from tests.games import by_counts
from tests.games.table import show

GAME = registry()["farkle20"]


def points(dice: str) -> int | None:
    """The points of dice set aside together."""
    return {s["dice"]: s["points"] for s in GAME.score(dice)["set_asides"]}.get(dice)


@pytest.mark.parametrize("size", range(1, 7))
def test_4_every_subset_of_every_throw_scores_as_counted(size: int) -> None:
    # How dice lie changes neither which dice can be chosen nor what they score; so the sorted
    # throws are compared choice by choice, and all others with the sorted one.
    sorted_ones = {}
    for throw in by_counts.every_throw(size):
        lying = "".join(sorted(throw))
        if lying not in sorted_ones:
            sorted_ones[lying] = by_counts.document(lying, by_counts.farkle)
        assert GAME.score(throw) == {**sorted_ones[lying], "throw": throw}

    assert len(sorted_ones) == {1: 6, 2: 21, 3: 56, 4: 126, 5: 252, 6: 462}[size]


@pytest.mark.parametrize(
    ("dice", "worth"),
    [
        ("1", 100),
        ("5", 50),
        ("111", 1000),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("1111", 2000),
        ("22222", 800),
        ("666666", 4800),
        ("123456", 2000),
    ],
)
def test_4_the_table(dice: str, worth: int) -> None:
    assert points(dice) == worth


@pytest.mark.parametrize("throw", ["223344", "222233", "223346", "23456", "12345"])
def test_4_nothing_else_scores(throw: str) -> None:
    assert points(throw) is None


def test_4_a_throw_in_which_nothing_scores_is_a_bust_also_with_six_dice() -> None:
    assert GAME.score("223346") == {
        "throw": "223346",
        "bust": True,
        "best": {"dice": "", "points": 0},
        "set_asides": [],
    }


def test_4_a_score_lists_every_legal_set_aside_once() -> None:
    assert GAME.score("111222") == {
        "throw": "111222",
        "bust": False,
        "best": {"dice": "111222", "points": 1200},
        "set_asides": [
            {"dice": "1", "points": 100},
            {"dice": "11", "points": 200},
            {"dice": "111", "points": 1000},
            {"dice": "222", "points": 200},
            {"dice": "1222", "points": 300},
            {"dice": "11222", "points": 400},
            {"dice": "111222", "points": 1200},
        ],
    }


@pytest.mark.parametrize("throw", ["", "0", "7", "1234567", "1 1", "a", "-1", "١", "１", "1\n"])
def test_what_is_no_throw_has_no_score(throw: str) -> None:
    with pytest.raises(Refusal) as refused:
        GAME.score(throw)

    assert show(refused.value.text) == f"farkle20.refused.no_throw dice={throw!r}"
