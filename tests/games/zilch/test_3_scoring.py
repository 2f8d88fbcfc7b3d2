"""RULES 3: what may be set aside of a throw, and what it is worth."""

from __future__ import annotations

import pytest

from games import registry
from games.game import Refusal
from tests.games import by_counts
from tests.games.table import show

GAME = registry()["zilch"]
SIZES = pytest.mark.parametrize("size", range(1, 7))


def points(dice: str) -> int | None:
    """The points of dice set aside together."""
    return {s["dice"]: s["points"] for s in GAME.score(dice)["set_asides"]}.get(dice)


def best(throw: str) -> tuple[str, int]:
    found = GAME.score(throw)["best"]
    return found["dice"], found["points"]


@SIZES
def test_3_every_subset_of_every_throw_scores_as_counted(size: int) -> None:
    # How dice lie changes neither which dice can be chosen nor what they score; so the sorted
    # throws are compared choice by choice, and all others with the sorted one.
    sorted_ones = {}
    for throw in by_counts.every_throw(size):
        lying = "".join(sorted(throw))
        if lying not in sorted_ones:
            sorted_ones[lying] = by_counts.document(lying, by_counts.zilch)
        assert GAME.score(throw) == {**sorted_ones[lying], "throw": throw}

    assert len(sorted_ones) == {1: 6, 2: 21, 3: 56, 4: 126, 5: 252, 6: 462}[size]


@pytest.mark.parametrize(
    ("dice", "worth"),
    [
        ("1", 100),
        ("5", 50),
        ("11", 200),
        ("15", 150),
        ("55", 100),
        ("111", 1000),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("123456", 1500),
        ("2", None),
        ("12", None),
        ("66", None),
        ("12345", None),
    ],
)
def test_3_the_table(dice: str, worth: int | None) -> None:
    assert points(dice) == worth


@pytest.mark.parametrize(
    ("dice", "worth"),
    [
        ("1111", 2000),
        ("11111", 4000),
        ("111111", 8000),
        ("2222", 400),
        ("33333", 1200),
        ("555555", 4000),
        ("666666", 4800),
    ],
)
def test_3_each_further_equal_die_doubles(dice: str, worth: int) -> None:
    assert points(dice) == worth


@pytest.mark.parametrize("throw", ["112233", "223344", "446655", "115566"])
def test_3_three_pairs_are_1500(throw: str) -> None:
    assert best(throw) == ("".join(sorted(throw)), 1500)


@pytest.mark.parametrize("throw", ["222233", "555533", "666644", "555511"])
def test_3_four_equal_and_a_pair_are_three_pairs(throw: str) -> None:
    assert best(throw) == ("".join(sorted(throw)), 1500)


@pytest.mark.parametrize(
    ("throw", "dice", "worth"), [("111155", "111155", 2100), ("111122", "1111", 2000)]
)
def test_3_a_player_may_choose_the_better_reading(throw: str, dice: str, worth: int) -> None:
    assert best(throw) == (dice, worth)


def test_3_the_pair_of_four_equal_ones_can_still_be_taken_with_them_as_three_pairs() -> None:
    assert points("111122") == 1500


def test_3_six_equal_are_no_three_pairs() -> None:
    assert points("222222") == 1600
    assert points("333333") == 2400


@pytest.mark.parametrize("throw", ["223346", "233446", "226634"])
def test_3_six_dice_in_which_nothing_scores_are_500(throw: str) -> None:
    lying = "".join(sorted(throw))

    assert GAME.score(throw) == {
        "throw": throw,
        "bust": False,
        "best": {"dice": lying, "points": 500},
        "set_asides": [{"dice": lying, "points": 500}],
    }


@pytest.mark.parametrize("throw", ["2", "23", "2233", "23346", "22334"])
def test_3_fewer_dice_in_which_nothing_scores_are_nothing(throw: str) -> None:
    assert GAME.score(throw) == {
        "throw": throw,
        "bust": True,
        "best": {"dice": "", "points": 0},
        "set_asides": [],
    }


def test_3_a_die_counts_in_one_combination_only() -> None:
    assert points("1115") == 1050
    assert points("111555") == 1500
    assert points("222333") == 500


def test_a_score_lists_every_legal_set_aside_once_fewest_dice_first() -> None:
    found = GAME.score("51151")["set_asides"]

    assert [(each["dice"], each["points"]) for each in found] == [
        ("1", 100),
        ("5", 50),
        ("11", 200),
        ("15", 150),
        ("55", 100),
        ("111", 1000),
        ("115", 250),
        ("155", 200),
        ("1115", 1050),
        ("1155", 300),
        ("11155", 1100),
    ]


@pytest.mark.parametrize("throw", ["", "0", "7", "1234567", "1 1", "a", "-1", "١", "１", "1\n"])
def test_what_is_no_throw_has_no_score(throw: str) -> None:
    with pytest.raises(Refusal) as refused:
        GAME.score(throw)

    assert show(refused.value.text) == f"zilch.refused.no_throw dice={throw!r}"
