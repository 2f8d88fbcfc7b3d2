"""RULES 2: who does not throw or score for 60 s has the best box scored for them."""

from __future__ import annotations

from games.game import NO_DICE, Throw
from games.yahtzee import boxes
from tests.games.yahtzee.table import Yahtzee


def test_2_dice_not_thrown_yet_are_thrown_once_first() -> None:
    game = Yahtzee(2)

    assert game.rules.expire(game.state) == (0, "late")
    assert game.rules.throw(game.state, 0, "late") == Throw((6,) * 5)
    game.play("late = 2 3 4 5 1")
    assert game.value("A", "long_straight") == 40
    assert game.actors == "B"


def test_2_dice_that_lie_are_scored_as_they_lie() -> None:
    game = Yahtzee(2, "A 66612")

    assert game.rules.throw(game.state, 0, "late") == NO_DICE
    game.play("late")

    assert game.value("A", "one_pair") == 21


def test_2_late_after_the_third_throw() -> None:
    game = Yahtzee(2, "A 66612")
    game.play("A: roll 45 = 6 6")
    game.play("A: roll 0")

    game.play("late")

    assert game.value("A", "yahtzee") == 50


def test_2_of_equal_boxes_the_first_in_the_table_is_scored() -> None:
    game = Yahtzee(2)
    chosen = []
    for _ in range(4):
        game.play("A 66655")
        chosen.append(boxes.best(game.player("A").sheet, game.state.dice))
        game.play(f"A: score {chosen[-1]}")
        game.turns(1)

    assert chosen == ["one_pair", "two_pairs", "three_of_a_kind", "chance"]


def test_2_where_nothing_scores_the_first_open_box_takes_the_0() -> None:
    game = Yahtzee(2)
    game.rounds(["fours", "fives", "sixes", "one_pair", "two_pairs", "chance"])

    game.play("A 44556")
    game.play("late")

    assert game.value("A", "ones") == 0


def late_turns(game: Yahtzee, count: int) -> None:
    """A is late so often; B plays."""
    for _ in range(count):
        game.play("late = 1 1 2 4 6")
        if not game.over:
            game.turns(1)


def test_2_three_late_turns_in_a_row_and_the_player_is_taken_out() -> None:
    game = Yahtzee(3)
    for _ in range(2):
        game.play("late = 1 1 2 4 6")
        game.turns(2)
    assert game.seated == "A B C"

    game.play("late = 1 1 2 4 6")

    assert (game.seated, game.actors) == ("B C", "B")
    assert game.refuses("A: leave") == "yahtzee.refused.gone"
    assert game.state.turns[-1].out


def test_2_with_two_players_the_other_one_has_won_then() -> None:
    game = Yahtzee(2)

    late_turns(game, 3)

    assert (game.places, game.out) == ("B", "A")
    assert game.rules.outcome(game.state).reason == "last"


def test_2_a_turn_of_ones_own_ends_the_row() -> None:
    game = Yahtzee(2)
    late_turns(game, 2)

    game.turns(2)
    late_turns(game, 2)

    assert game.seated == "A B"
    assert game.player("A").late == 2


def test_2_a_turn_that_began_in_time_and_was_not_scored_is_late_too() -> None:
    game = Yahtzee(2)
    late_turns(game, 2)

    game.play("A 12345")
    game.play("late")

    assert game.seated == "B"


def test_2_nobody_acting_ends_the_game() -> None:
    game = Yahtzee(4)
    while not game.over:
        seat, move = game.rules.expire(game.state)
        game.chance(seat, move, "idle")

    assert (game.places, game.out) == ("D", "A B C")
    assert game.rules.tally(game.state)["late_turns"] == 11
