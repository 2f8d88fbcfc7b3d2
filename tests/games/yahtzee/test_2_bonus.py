"""RULES 2: the upper bonus, and the 100 for every Yahtzee after one that scored 50."""

from __future__ import annotations

import pytest

from games.yahtzee.boxes import UPPER
from tests.games.yahtzee.table import JUNK, Yahtzee

OTHER = f"B {JUNK}"


@pytest.mark.parametrize(
    ("ones", "upper", "total"), [("11223", 62, 62), ("11123", 63, 98), ("11112", 64, 99)]
)
def test_2_upper_boxes_with_63_or_more_bring_35(ones: str, upper: int, total: int) -> None:
    game = Yahtzee(2)
    throws = (ones, "22213", "33312", "44412", "55512", "66612")
    for box, throw in zip(UPPER, throws, strict=True):
        game.turn("A", throw, box)
        game.play(f"{OTHER} {box}")

    player = game.player("A")
    assert sum(value for value in player.sheet if value is not None) == upper
    assert player.total == total


def test_2_lower_boxes_do_not_count_for_the_upper_bonus() -> None:
    game = Yahtzee(
        2, f"A 66666 chance\n{OTHER} ones\nA 66666 one_pair\n{OTHER} twos\nA 66655 sixes"
    )

    assert game.player("A").total == 30 + 30 + 18


def test_2_a_yahtzee_after_one_that_scored_50_adds_100() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\n{OTHER} ones")

    game.play("A 44444 fours")

    assert game.value("A", "fours") == 20
    assert (game.player("A").bonuses, game.player("A").total) == (1, 50 + 20 + 100)


@pytest.mark.parametrize("box", ["ones", "full_house", "long_straight", "short_straight"])
def test_2_the_100_are_paid_even_where_the_box_brings_0(box: str) -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\n{OTHER} chance\nA 44444 {box}")

    assert game.value("A", box) == 0
    assert game.player("A").total == 150


def test_2_every_further_yahtzee_adds_another_100() -> None:
    game = Yahtzee(2)
    for number, box in enumerate(("yahtzee", "chance", "full_house", "ones")):
        game.play(f"A 11111 {box}\n{OTHER} {('ones', 'twos', 'threes', 'fours')[number]}")

    assert game.player("A").bonuses == 3
    assert game.player("A").total == 50 + 5 + 0 + 5 + 300
    assert game.rules.tally(game.state)["yahtzees"] == 4


def test_2_the_yahtzee_that_scores_the_50_adds_nothing() -> None:
    game = Yahtzee(2, "A 44444 yahtzee")

    assert game.player("A").total == 50


def test_2_a_yahtzee_scored_elsewhere_before_the_50_adds_nothing() -> None:
    game = Yahtzee(2, f"A 44444 fours\n{OTHER} ones\nA 55555 yahtzee")

    assert (game.player("A").bonuses, game.player("A").total) == (0, 70)


def test_2_a_yahtzee_box_that_scored_0_pays_no_bonus() -> None:
    game = Yahtzee(2, f"A 44441 yahtzee\n{OTHER} ones\nA 55555 fives")

    assert (game.player("A").bonuses, game.player("A").total) == (0, 25)


def test_2_the_yahtzee_of_somebody_else_pays_no_bonus() -> None:
    game = Yahtzee(2, "A 44444 yahtzee\nB 44444 fours")

    assert game.player("B").bonuses == 0


def test_2_no_joker_five_equal_bring_nothing_in_a_straight_or_full_house() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\n{OTHER} ones\nA 44444 long_straight")

    assert game.value("A", "long_straight") == 0


def test_2_a_yahtzee_of_somebody_late_pays_its_bonus() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\n{OTHER} ones\nlate = 4 4 4 4 4")

    assert (game.value("A", "fours"), game.player("A").total) == (20, 170)
