"""RULES 2: three throws of five dice, then a box; and then the next in the order of joining."""

from __future__ import annotations

import pytest

from games.game import Throw
from games.yahtzee.boxes import BOXES
from tests.games.yahtzee.table import JUNK, Yahtzee


def test_2_a_turn_begins_with_all_five_dice() -> None:
    game = Yahtzee(2)

    assert game.rules.legal(game.state, 0) == ("roll",)
    assert game.rules.throw(game.state, 0, "roll") == Throw((6,) * 5)
    game.play("A: roll = 3 1 5 5 2")
    assert game.dice == "31552"


def test_2_after_the_first_and_second_throw_the_player_picks_what_to_throw_again() -> None:
    game = Yahtzee(2, "A: roll = 3 1 5 5 2")

    game.play("A: roll 125 = 6 6 6")
    assert game.dice == "66556"
    game.play("A: roll 34 = 1 2")
    assert game.dice == "66126"


def test_2_a_throw_may_throw_none_and_is_spent() -> None:
    game = Yahtzee(2, "A 31552")

    game.play("A: roll 0")

    assert (game.dice, game.state.thrown) == ("31552", 2)


def test_2_all_five_may_be_thrown_again() -> None:
    game = Yahtzee(2, "A 31552")

    game.play("A: roll 12345 = 6 6 6 6 6")

    assert game.dice == "66666"


def test_2_after_the_third_throw_only_a_box_can_be_picked() -> None:
    game = Yahtzee(2, "A 31552")
    game.play("A: roll 0")
    game.play("A: roll 1 = 4")

    assert game.refuses("A: roll 1 = 4") == (
        "yahtzee.refused.no_throw box=yahtzee.box.one_pair value=17"
    )
    assert game.rules.legal(game.state, 0) == tuple(f"score {box}" for box in BOXES)


def test_2_a_box_can_be_picked_after_any_throw() -> None:
    game = Yahtzee(2)

    game.play("""
        A 33366 full_house
        B 11234
        B: roll 1 = 5
        B: score long_straight
    """)

    assert (game.value("A", "full_house"), game.value("B", "long_straight")) == (25, 40)


def test_2_a_box_cannot_be_picked_before_the_first_throw() -> None:
    game = Yahtzee(2)

    assert game.refuses("A: score chance") == "yahtzee.refused.first"


def test_2_a_throw_that_does_not_fit_scores_0() -> None:
    game = Yahtzee(2)

    game.play("A 12346 yahtzee")

    assert game.value("A", "yahtzee") == 0


def test_2_a_box_is_used_once() -> None:
    game = Yahtzee(2, f"A 33366 chance\nB {JUNK} ones\nA 55556")

    refusal = game.refuses("A: score chance")

    assert refusal.startswith("yahtzee.refused.used_box box=yahtzee.box.chance value=21 left=")
    assert "yahtzee.box.chance" not in refusal.split("left=")[1]


def test_2_a_game_has_fifteen_turns_each() -> None:
    game = Yahtzee(3)
    for number, box in enumerate(BOXES, 1):
        assert (game.state.round, game.over) == (number, False)
        game.rounds([box])

    assert game.over
    assert game.state.round == 15
    assert game.rules.tally(game.state)["turns"] == 45


def test_2_turns_go_in_the_order_in_which_they_joined() -> None:
    game = Yahtzee(3)

    assert game.turns(7) == "ABCABCA"


def test_2_nobody_moves_out_of_turn() -> None:
    game = Yahtzee(3, "A 31552")

    assert game.refuses("B: roll = 1 1 1 1 1") == "yahtzee.refused.turn n=1"
    assert game.refuses("C: score ones") == "yahtzee.refused.turn n=2"
    assert game.rules.legal(game.state, 1) == ()


@pytest.mark.parametrize(
    "move",
    ["roll", "roll -", "roll 31", "roll 11", "roll 6", "roll ３", "roll 1 3", "roll135", "keep 1",
     "score", "score foo", "score Chance", "score  chance", "score 15", "dice", "+1", "late 1"],
)  # fmt: skip
def test_2_a_move_has_one_form(move: str) -> None:
    game = Yahtzee(2, "A 31552")

    assert game.refuses(f"A: {move} = 1") == "yahtzee.refused.unreadable"


def test_2_a_turn_has_60_seconds_for_every_throw_and_choice() -> None:
    game = Yahtzee(2)
    phases = [game.rules.phase(game.state)]
    for line in ("A: roll = 3 1 5 5 2", "A: roll 1 = 1", "A: score ones", "B: roll = 1 1 1 1 1"):
        game.play(line)
        phases.append(game.rules.phase(game.state))

    assert [phase.time_s for phase in phases] == [60] * 5
    assert [phase.rev for phase in phases] == [1, 2, 3, 4, 5]


def test_a_new_message_comes_with_every_turn_and_with_nothing_else() -> None:
    game = Yahtzee(3)
    scenes = [game.rules.phase(game.state).scene]
    for line in ("A: roll = 3 1 5 5 2", "A: roll 0", "A: score ones", "C: leave", "B 11111"):
        game.play(line)
        scenes.append(game.rules.phase(game.state).scene)

    assert scenes == [1, 1, 1, 2, 2, 2]


def test_the_house_has_nothing_to_do() -> None:
    game = Yahtzee(2)

    assert game.rules.house(game.state) is None
