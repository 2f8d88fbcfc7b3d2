"""RULES 2: the 15 boxes, all 252 throws against a second formulation of the table."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement, permutations

import pytest

from games import registry
from games.game import Refusal
from games.yahtzee import boxes
from games.yahtzee.boxes import BOXES
from tests.games.table import show

THROWS = ["".join(map(str, dice)) for dice in combinations_with_replacement(range(1, 7), 5)]

# The table once more, without counting: what a sorted throw has to look like, and what it brings.
PATTERNS = {
    "one_pair": r"(\d)\1",
    "two_pairs": r"(\d)\1.*(\d)\2",
    "three_of_a_kind": r"(\d)\1\1",
    "four_of_a_kind": r"(\d)\1\1\1",
    "full_house": r"^(\d)\1(?!\1)(\d)\2\2$|^(\d)\3\3(?!\3)(\d)\4$",
    "yahtzee": r"(\d)\1\1\1\1",
    "chance": r"",
}
FIXED = {"full_house": 25, "short_straight": 30, "long_straight": 40, "yahtzee": 50}
RUNS = {"short_straight": ("1234", "2345", "3456"), "long_straight": ("12345", "23456")}
FACES = {"ones": "1", "twos": "2", "threes": "3", "fours": "4", "fives": "5", "sixes": "6"}


def expected(throw: str, box: str) -> int:
    """What `box` brings for a throw with its digits in order."""
    if box in FACES:
        return throw.count(FACES[box]) * int(FACES[box])
    points = FIXED.get(box, sum(map(int, throw)))
    if box in RUNS:
        fits = any(set(run) <= set(throw) for run in RUNS[box])
    else:
        fits = re.search(PATTERNS[box], throw) is not None
    return points if fits else 0


def test_2_there_are_252_throws_and_15_boxes() -> None:
    assert (len({*THROWS}), len({*BOXES})) == (252, 15)


@pytest.mark.parametrize("box", BOXES)
def test_2_every_throw_brings_what_the_table_says(box: str) -> None:
    for throw in THROWS:
        assert boxes.value(box, tuple(map(int, throw))) == expected(throw, box), throw


def test_2_the_order_of_the_dice_does_not_matter() -> None:
    for throw in ("11122", "12345", "33366", "11234", "24456"):
        for dice in {*permutations(map(int, throw))}:
            assert boxes.values(dice) == boxes.values(tuple(map(int, throw)))


@pytest.mark.parametrize(
    ("throw", "brings"),
    [
        ("33366", "threes 9, sixes 12, pair 21, pairs 21, three 21, house 25, chance 21"),
        ("12345", "ones 1, twos 2, threes 3, fours 4, fives 5, short 30, long 40, chance 15"),
        ("13456", "ones 1, threes 3, fours 4, fives 5, sixes 6, short 30, chance 19"),
        ("12456", "ones 1, twos 2, fours 4, fives 5, sixes 6, chance 18"),
        ("44442", "twos 2, fours 16, pair 18, pairs 18, three 18, four 18, chance 18"),
        ("55555", "fives 25, pair 25, pairs 25, three 25, four 25, yahtzee 50, chance 25"),
    ],
)
def test_2_what_a_throw_brings(throw: str, brings: str) -> None:
    short = {"one_pair": "pair", "two_pairs": "pairs", "three_of_a_kind": "three"}
    short |= {"four_of_a_kind": "four", "full_house": "house"}
    short |= {"short_straight": "short", "long_straight": "long"}

    found = boxes.score(throw)["boxes"]

    assert ", ".join(f"{short.get(b, b)} {v}" for b, v in found.items() if v) == brings


def test_2_five_equal_are_two_pairs_and_no_full_house() -> None:
    for face in "123456":
        found = boxes.score(face * 5)["boxes"]

        assert found["two_pairs"] == 5 * int(face)
        assert found["full_house"] == 0


def test_the_document_of_a_throw() -> None:
    assert registry()["yahtzee"].score("33366") == {
        "throw": "33366",
        "boxes": {
            "ones": 0,
            "twos": 0,
            "threes": 9,
            "fours": 0,
            "fives": 0,
            "sixes": 12,
            "one_pair": 21,
            "two_pairs": 21,
            "three_of_a_kind": 21,
            "four_of_a_kind": 0,
            "full_house": 25,
            "short_straight": 0,
            "long_straight": 0,
            "yahtzee": 0,
            "chance": 21,
        },
    }


@pytest.mark.parametrize("throw", ["", "3336", "333666", "33307", "3336x", "٣٣٣٦٦", "33366\n"])
def test_what_is_no_throw_is_refused(throw: str) -> None:
    with pytest.raises(Refusal) as refused:
        boxes.score(throw)

    assert show(refused.value.text) == f"yahtzee.refused.throw throw={throw!r}"
