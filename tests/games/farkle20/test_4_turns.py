"""RULES 4: a turn, bust, hot dice, and exactly twenty of them."""

from __future__ import annotations

import pytest

from tests.games.farkle20.table import Farkle


def scores(game: Farkle, letter: str = "A") -> tuple[int, ...]:
    """What each turn brought."""
    return game.player(letter).scores


# -- one turn -----------------------------------------------------------------------------------


def test_4_throw_six_keep_scoring_dice_and_throw_the_rest() -> None:
    game = Farkle(1)

    assert game.rules.legal(game.state, 0) == ("roll",)
    assert game.rules.throw(game.state, 0, "roll").sides == (6,) * 6
    game.play("A: roll = 4 1 5 2 2 3")
    assert game.rules.throw(game.state, 0, "15 roll").sides == (6,) * 4
    game.play("A: 15 roll = 1 6 3 2")
    assert (game.player("A").hand.points, game.player("A").hand.dice) == (150, "1236")


def test_4_something_is_kept_before_the_rest_is_thrown() -> None:
    game = Farkle(1, "A: roll = 4 1 5 2 2 3")

    assert game.refuses("A: roll") == "farkle20.refused.nothing dice='' best='1 5' points=150"
    assert game.refuses("A: bank") == "farkle20.refused.nothing dice='' best='1 5' points=150"
    assert game.refuses("A: 2 roll").startswith("farkle20.refused.no_score dice='2'")
    assert game.refuses("A: 11 roll") == "farkle20.refused.dice dice='1 1' lying='1 2 2 3 4 5'"
    assert game.refuses("A: 1 5 roll") == "farkle20.refused.unreadable"


def test_4_nothing_is_kept_before_the_first_throw() -> None:
    game = Farkle(1)

    assert game.refuses("A: 1 roll") == "farkle20.refused.throw_first"
    assert game.refuses("A: bank") == "farkle20.refused.throw_first"


def test_4_bank_at_any_time_there_is_no_minimum() -> None:
    game = Farkle(1, "A: roll = 4 5 2 2 3 6\nA: 5 bank")

    assert scores(game) == (50,)
    assert game.player("A").turn == 2


def test_4_further_equal_dice_double_only_in_the_same_throw() -> None:
    game = Farkle(1, "A: roll = 3 3 3 2 4 6\nA: 333 roll = 3 1 2")

    assert game.refuses("A: 3 bank").startswith("farkle20.refused.no_score")
    game.play("A: 1 bank")
    assert scores(game) == (400,)


# -- bust ---------------------------------------------------------------------------------------


def test_4_nothing_scores_the_turn_brings_0_and_banked_points_stay() -> None:
    game = Farkle(1, "A: roll = 1 1 1 2 3 4\nA: 111 bank\nA: roll = 1 1 1 5 3 4")

    game.play("A: 1115 roll = 2 3")

    assert (scores(game), game.total("A")) == ((1000, 0), 1000)
    assert game.player("A").hand.dice == ""


@pytest.mark.parametrize("dice", ["2 2 3 3 4 6", "2 2 3 3 4 4", "4 4 6 6 2 3"])
def test_4_six_dice_can_be_a_bust(dice: str) -> None:
    game = Farkle(1)

    game.play(f"A: roll = {dice}")

    assert scores(game) == (0,)


def test_4_there_is_no_penalty_for_busts_in_a_row() -> None:
    game = Farkle(1, "A banks 111\nA fails\nA fails\nA fails\nA fails")

    assert (scores(game), game.total("A")) == ((1000, 0, 0, 0, 0), 1000)


# -- hot dice -----------------------------------------------------------------------------------


def test_4_all_six_scored_throw_six_again_in_the_same_turn() -> None:
    game = Farkle(1, "A: roll = 1 1 1 5 2 3\nA: 1115 roll = 5 1")

    assert game.rules.throw(game.state, 0, "15 roll").sides == (6,) * 6
    game.play("A: 15 roll = 1 2 3 4 5 6\nA: 123456 roll = 5 2 2 3 3 4\nA: 5 bank")

    assert scores(game) == (1050 + 150 + 2000 + 50,)
    assert game.player("A").hot == 2


def test_4_a_bust_after_hot_dice_still_wipes_the_turn() -> None:
    game = Farkle(1, "A banks 333\nA: roll = 1 2 3 4 5 6")

    game.play("A: 123456 roll = 2 2 3 3 4 6")

    assert (scores(game), game.player("A").hot) == ((300, 0), 1)


def test_4_a_turn_is_one_sequence_however_many_throws() -> None:
    game = Farkle(1, "A: roll = 1 2 2 3 3 4")

    for left in (5, 4, 3, 2):
        game.play(f"A: 1 roll = {' '.join('12346'[:left])}")
    game.play("A: 1 roll = 1\nA: 1 roll = 1 2 2 3 3 4\nA: 1 bank")

    assert scores(game) == (700,)


# -- twenty turns -------------------------------------------------------------------------------


def test_4_there_are_exactly_20_turns() -> None:
    game = Farkle(1)

    game.turns("A", 19)
    assert not game.over
    assert game.player("A").turn == 20
    game.turns("A", 1)

    assert (game.over, len(scores(game)), game.total("A")) == (True, 20, 2000)
    assert game.refuses("A: roll") == "farkle20.refused.gone"


def test_4_a_bust_in_turn_20_ends_the_game_too() -> None:
    game = Farkle(1)

    game.turns("A", 19)
    game.play("A fails")

    assert (game.over, game.total("A")) == (True, 1900)


def test_4_hot_dice_in_turn_20_make_no_21st_turn() -> None:
    game = Farkle(1)
    game.turns("A", 19)

    game.play("A: roll = 1 2 3 4 5 6\nA: 123456 roll = 1 1 1 1 1 1")
    assert not game.over
    game.play("A: 111111 roll = 1 1 1 5 5 5\nA: 111555 bank")

    assert (game.over, len(scores(game)), scores(game)[-1]) == (True, 20, 2000 + 8000 + 1500)


def test_4_hot_dice_in_turn_20_can_still_bust() -> None:
    game = Farkle(1)
    game.turns("A", 19)

    game.play("A: roll = 1 2 3 4 5 6\nA: 123456 roll = 2 2 3 3 4 6")

    assert (game.over, game.total("A")) == (True, 1900)


def test_4_turn_20_is_announced_with_the_total_so_far() -> None:
    game = Farkle(2)
    game.turns("A", 18)

    told = game.told("A banks 333")

    assert told.endswith("then=farkle20.then.last turn=20 total=2100")
    assert "farkle20.last_turn total=2100" in game.own("A")
    assert game.told("A banks 1").endswith("then=farkle20.then.done turn=21 total=2200")


def test_4_turn_20_is_announced_after_a_bust_too() -> None:
    game = Farkle(1)
    game.turns("A", 18)

    assert game.told("A fails").endswith("then=farkle20.then.last turn=20 total=1800")
    assert "farkle20.last_turn total=1800" in game.own("A")


def test_a_finished_game_counts_turns_busts_and_hot_dice() -> None:
    game = Farkle(2)
    game.turns("A", 17)
    game.turns("B", 5)

    game.play("A fails\nA fails\nA banks 111555\nB fails\nB: leave")

    assert game.rules.tally(game.state) == {"turns": 26, "busts": 3, "hot_dice": 1}
