"""RULES 3: a turn, banking, zilches."""

from __future__ import annotations

import pytest

from tests.games.zilch.table import Zilch

# -- throwing and setting aside -----------------------------------------------------------------


def test_3_in_your_turn_throw_all_six() -> None:
    game = Zilch()

    assert game.actors == "A"
    assert game.rules.legal(game.state, 0) == ("roll",)
    assert game.rules.throw(game.state, 0, "roll").sides == (6,) * 6
    assert game.refuses("A: 1 roll") == "zilch.refused.throw_first"
    assert game.refuses("A: bank") == "zilch.refused.throw_first"


def test_3_the_dice_not_set_aside_are_thrown() -> None:
    game = Zilch(2, "A: roll = 4 1 5 2 2 3")

    assert game.rules.throw(game.state, 0, "1 roll").sides == (6,) * 5
    game.play("A: 15 roll = 1 6 3 2")
    assert game.state.hand.points == 150
    assert game.state.hand.dice == "1236"
    game.play("A: 1 roll = 5 6 6")
    assert game.state.hand.points == 250
    assert game.rules.throw(game.state, 0, "5 roll").sides == (6,) * 2


def test_3_at_least_one_scoring_die_is_set_aside() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.refuses("A: roll") == "zilch.refused.nothing dice='' best='1 1 5' points=250"
    assert game.refuses("A: bank") == "zilch.refused.nothing dice='' best='1 1 5' points=250"


@pytest.mark.parametrize("dice", ["2", "12", "22", "1235"])
def test_3_every_die_set_aside_must_score(dice: str) -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    shown = " ".join(dice)
    refused = f"zilch.refused.no_score dice='{shown}' best='1 1 5' points=250"
    assert game.refuses(f"A: {dice} roll") == refused


def test_3_only_dice_that_lie_are_set_aside() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.refuses("A: 111 roll") == "zilch.refused.dice dice='1 1 1' lying='1 1 2 2 3 5'"
    assert game.refuses("A: 6 roll") == "zilch.refused.dice dice='6' lying='1 1 2 2 3 5'"
    game.play("A: 11 roll = 5 5 2 2")
    assert game.refuses("A: 1 roll") == "zilch.refused.dice dice='1' lying='2 2 5 5'"


@pytest.mark.parametrize(
    "move", ["5 1 roll", "15  roll", "15roll", "1,5 roll", "7 roll", "1111111 roll", "15 throw"]
)
def test_a_move_has_one_form(move: str) -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.refuses(f"A: {move}") == "zilch.refused.unreadable"


def test_dice_not_sorted_are_no_move() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.refuses("A: 51 roll").startswith("zilch.refused.no_score dice='5 1'")


def test_3_dice_of_different_throws_do_not_combine() -> None:
    game = Zilch(2, "A: roll = 1 1 2 3 4 6")

    game.play("A: 11 roll = 1 2 3 4\nA: 1 bank")

    assert game.bank("A") == 300


def test_3_further_equal_dice_double_only_in_the_same_throw() -> None:
    game = Zilch(2, "A: roll = 3 3 3 2 4 6")

    game.play("A: 333 roll = 3 1 2")

    assert game.refuses("A: 3 roll") == "zilch.refused.no_score dice='3' best='1' points=100"
    assert game.refuses("A: 13 roll") == "zilch.refused.no_score dice='1 3' best='1' points=100"


def test_3_all_six_set_aside_are_six_new_dice() -> None:
    game = Zilch(2, "A: roll = 1 1 1 5 2 3")

    game.play("A: 1115 roll = 5 5")
    assert game.rules.throw(game.state, 0, "55 roll").sides == (6,) * 6
    game.play("A: 55 roll = 1 2 3 4 5 6")
    assert game.state.hand.points == 1150
    game.play("A: 123456 roll = 2 2 2 3 4 6")
    assert game.state.hand.points == 2650
    game.play("A: 222 bank")
    assert game.bank("A") == 2850
    assert game.state.turns[0].hand.hot == 2


def test_3_also_of_six_new_dice_nothing_combines_with_those_before() -> None:
    game = Zilch(2, "A: roll = 4 4 4 4 4 4")

    game.play("A: 444444 roll = 4 4 1 2 3 3")

    assert game.refuses("A: 44 roll").startswith("zilch.refused.no_score dice='4 4'")


def test_3_a_throw_of_six_dice_in_which_nothing_scores_is_500_and_no_zilch() -> None:
    game = Zilch(2, "A: roll = 2 2 3 3 4 6")

    assert game.actors == "A"
    assert game.rules.legal(game.state, 0) == ("223346 roll", "223346 bank")
    game.play("A: 223346 roll = 2 3 3 4 4 6")
    assert game.state.hand.points == 500
    game.play("A: 233446 bank")
    assert game.bank("A") == 1000


# -- banking ------------------------------------------------------------------------------------


def test_3_banking_needs_300_points_in_the_turn() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.refuses("A: 115 bank") == "zilch.refused.too_little least=300 points=250"
    game.play("A: 115 roll = 5 2 2")
    game.play("A: 5 bank")
    assert game.bank("A") == 300


def test_3_banking_ends_the_turn() -> None:
    game = Zilch(3, "A banks 111")

    assert game.actors == "B"
    assert game.refuses("A: roll") == "zilch.refused.turn"
    game.play("B banks 333\nC banks 444\nA banks 222555")
    assert [game.bank(letter) for letter in "ABC"] == [1700, 300, 400]
    assert game.actors == "B"


def test_3_the_points_of_the_turn_are_banked_with_what_is_set_aside_last() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    game.play("A: 11 roll = 1 5 2 3\nA: 15 bank")

    assert game.bank("A") == 350
    assert game.state.turns[0].hand.kept == ("11", "15")


# -- zilch --------------------------------------------------------------------------------------


def test_3_a_throw_in_which_nothing_scores_ends_the_turn_without_points() -> None:
    game = Zilch(2, "A banks 111\nB banks 111\nA: roll = 1 1 1 2 3 4")

    game.play("A: 111 roll = 2 3 4")

    assert (game.actors, game.bank("A"), game.zilches("A")) == ("B", 1000, 1)
    assert game.state.hand.dice == ""


@pytest.mark.parametrize("dice", ["2", "2 3", "2 2 3 3", "2 2 3 3 4"])
def test_3_any_throw_of_fewer_than_six_dice_can_be_a_zilch(dice: str) -> None:
    kept = "1" * (6 - len(dice.split()))
    game = Zilch(2, f"A: roll = {' '.join(kept)} {dice}")

    game.play(f"A: {kept} roll = {dice}")

    assert game.zilches("A") == 1


def test_3_three_zilches_in_a_row_cost_500_banked_points() -> None:
    game = Zilch(2, "A banks 111\nB banks 111")

    game.play("A fails\nB banks 333\nA fails\nB banks 333")
    assert (game.bank("A"), game.zilches("A")) == (1000, 2)
    game.play("A fails")

    assert (game.bank("A"), game.zilches("A")) == (500, 0)
    assert game.state.turns[-1].end == "penalty"


def test_3_the_bank_may_go_below_zero() -> None:
    game = Zilch(2, "A fails\nB banks 333\nA fails\nB banks 333\nA fails")

    assert game.bank("A") == -500


def test_3_after_the_third_zilch_the_count_starts_again() -> None:
    game = Zilch(2)

    for _ in range(5):
        game.play("A fails\nB banks 333")
    assert (game.bank("A"), game.zilches("A")) == (-500, 2)
    game.play("A fails")

    assert (game.bank("A"), game.zilches("A")) == (-1000, 0)


def test_3_banking_ends_a_row_of_zilches() -> None:
    game = Zilch(2, "A fails\nB banks 333\nA fails\nB banks 333\nA banks 333\nB banks 333")

    game.play("A fails")

    assert (game.bank("A"), game.zilches("A")) == (300, 1)


def test_3_everybody_has_their_own_row_of_zilches() -> None:
    game = Zilch(3, "A fails\nB fails\nC fails\nA fails\nB banks 333\nC fails")

    assert [game.zilches(letter) for letter in "ABC"] == [2, 0, 2]


def test_a_finished_game_counts_turns_zilches_penalties_and_hot_dice() -> None:
    game = Zilch(2, "A fails\nB fails\nA fails\nB banks 333\nA fails\nB banks 111111\nA banks 333")

    game.play("B banks 11111\nA banks 333")

    assert game.over
    assert game.rules.tally(game.state) == {
        "turns": 9,
        "zilches": 4,
        "penalties": 1,
        "hot_dice": 1,
    }
