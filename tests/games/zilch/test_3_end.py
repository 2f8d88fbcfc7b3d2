"""RULES 3: the last round, ranking, ties, leavers, and who is late."""

from __future__ import annotations

import pytest

from tests.games.zilch.table import Zilch

# -- the last round -----------------------------------------------------------------------------


def test_3_below_10000_nothing_ends() -> None:
    game = Zilch(2, "A banks 111111\nB banks 333\nA banks 555\nB banks 333")

    game.play("A banks 111")

    assert (game.bank("A"), game.state.closer) == (9500, None)
    game.play("B banks 333\nA banks 444\nB banks 333")
    assert (game.actors, game.bank("A")) == ("A", 9900)


def test_3_first_to_10000_gives_everyone_else_one_more_turn() -> None:
    game = Zilch(4, "A banks 333\nB banks 111111\nC banks 333\nD banks 333\nA banks 333")

    game.play("B banks 1111")

    assert (game.bank("B"), game.actors) == (10_000, "C")
    game.play("C banks 333\nD fails")
    assert game.actors == "A"
    game.play("A banks 333")
    assert (game.places, game.out) == ("B A C D", "")


def test_3_the_highest_bank_wins_also_another_than_the_first_to_10000() -> None:
    game = Zilch(2, "A banks 111111\nB banks 111111\nA banks 1111")

    game.play("B banks 11111")

    assert (game.bank("A"), game.bank("B"), game.places) == (10_000, 12_000, "B A")


def test_3_a_second_one_over_10000_gives_nobody_another_turn() -> None:
    game = Zilch(3, "A banks 111111\nB banks 111111\nC banks 333\nA banks 1111\nB banks 1111")

    assert game.actors == "C"
    game.play("C banks 333")

    assert game.places == "A=B C"


def test_3_points_not_banked_do_not_begin_the_last_round() -> None:
    game = Zilch(2, "A banks 111111\nB banks 333\nA: roll = 1 1 1 1 2 3")

    game.play("A: 1111 roll = 2 3")

    assert (game.state.closer, game.bank("A")) == (None, 8000)


def test_0_who_began_the_last_round_keeps_result_and_rank_whatever_they_do() -> None:
    game = Zilch(3, "A banks 111111\nB banks 333\nC banks 333\nA banks 1111")

    assert game.refuses("A: leave").startswith("zilch.refused.through ")
    assert game.actors == "B"
    game.play("B banks 333\nC banks 444")

    assert (game.places, game.out) == ("A C B", "")


def test_3_who_leaves_before_their_last_turn_has_none() -> None:
    game = Zilch(4, "A banks 111111\nB banks 333\nC banks 444\nD banks 333\nA banks 1111")

    game.play("C: leave\nB fails\nD banks 333")

    assert (game.places, game.out) == ("A D B", "C")


def test_3_when_the_last_one_of_the_last_round_leaves_it_is_over() -> None:
    game = Zilch(3, "A banks 111111\nB banks 333\nC banks 444\nA banks 1111\nB fails")

    game.play("C: leave")

    assert (game.places, game.out) == ("A B", "C")
    assert game.rules.outcome(game.state).reason == "ranked"


def test_3_zilches_count_in_the_last_round_too() -> None:
    game = Zilch(2, "A banks 111111\nB fails\nA banks 333\nB fails\nA banks 1111")

    game.play("B fails")

    assert (game.bank("B"), game.places) == (-500, "A B")


# -- ranking ------------------------------------------------------------------------------------


def test_2_who_is_level_shares_a_place() -> None:
    game = Zilch(4, "A banks 111111\nB banks 333\nC banks 444\nD banks 333")

    game.play("A banks 1111\nB fails\nC fails\nD fails")

    assert game.places == "A C B=D"


def test_2_level_at_the_top_they_share_it() -> None:
    game = Zilch(2, "A banks 111111\nB banks 111111\nA banks 1111\nB banks 1111")

    outcome = game.rules.outcome(game.state)
    assert (game.places, outcome.reason) == ("A=B", "level")


def test_the_banks_are_told_as_totals() -> None:
    game = Zilch(3, "A banks 111111\nB banks 333\nC: leave\nA banks 1111\nB banks 333")

    records = game.rules.outcome(game.state).records
    assert [(r.board, r.seat, r.value) for r in records] == [
        ("total", 0, 10_000),
        ("total", 1, 600),
    ]


# -- leaving ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("leaver", "nexts"),
    [("A", "BCDBC"), ("B", "ACDAC"), ("C", "ABDAB"), ("D", "ABCAB")],
)
def test_3_the_order_stays_right_whoever_leaves(leaver: str, nexts: str) -> None:
    game = Zilch(4)

    game.play(f"{leaver}: leave")

    for letter in nexts:
        assert game.actors == letter
        game.play(f"{letter} banks 333")


@pytest.mark.parametrize(("leaver", "nexts"), [("A", "CDBC"), ("B", "CDAC"), ("D", "CABC")])
def test_3_the_order_stays_right_when_somebody_leaves_in_the_middle(
    leaver: str, nexts: str
) -> None:
    game = Zilch(4, "A banks 333\nB banks 333\nC: roll = 1 2 2 3 4 6")

    game.play(f"{leaver}: leave")

    assert (game.actors, game.state.hand.dice) == ("C", "122346")
    game.play("C: 1 roll = 2 2 3 3 4")
    for letter in nexts[1:]:
        assert game.actors == letter
        game.play(f"{letter} fails")


def test_3_who_leaves_in_their_turn_takes_its_points_along() -> None:
    game = Zilch(3, "A banks 111\nB: roll = 1 1 1 1 2 3\nB: 111 roll = 5 5 5")

    game.play("B: leave")

    assert (game.actors, game.state.hand.points) == ("C", 0)
    assert game.refuses("B: roll") == "zilch.refused.gone"
    assert game.refuses("B: leave") == "zilch.refused.gone"


def test_2_when_one_player_is_left_the_game_ends_and_they_are_first() -> None:
    game = Zilch(3, "A banks 111\nB banks 333\nC: roll = 1 1 1 2 3 4")

    game.play("A: leave")
    assert game.actors == "C"
    game.play("B: leave")

    assert (game.places, game.out, game.actors) == ("C", "A B", "")
    assert game.rules.outcome(game.state).reason == "alone"


def test_2_who_is_left_alone_is_first_also_below_zero() -> None:
    game = Zilch(2, "A fails\nB banks 333\nA fails\nB banks 333\nA fails")

    game.play("B: leave")

    assert (game.bank("A"), game.places, game.out) == (-500, "A", "B")


# -- being late ---------------------------------------------------------------------------------


def test_3_there_are_60_s_to_act() -> None:
    game = Zilch()

    assert game.rules.phase(game.state).time_s == 60
    rev = game.rules.phase(game.state).rev
    game.play("A: roll = 1 2 3 4 4 6")
    assert game.rules.phase(game.state).rev == rev + 1
    assert game.rules.expire(game.state) == (0, "late")


def test_3_too_late_before_the_first_throw_the_turn_brings_nothing() -> None:
    game = Zilch(2, "A fails\nB banks 333")

    game.play("late")

    assert (game.actors, game.bank("A"), game.zilches("A")) == ("B", 0, 1)
    assert game.state.turns[-1].end == "late"


def test_3_too_late_what_was_set_aside_is_banked_if_it_is_300() -> None:
    game = Zilch(2, "A: roll = 1 1 1 2 3 4\nA: 111 roll = 5 2 2")

    game.play("late")

    assert (game.actors, game.bank("A")) == ("B", 1000)
    assert game.state.turns[-1].end == "late_banked"


def test_3_too_late_what_lies_is_not_set_aside() -> None:
    game = Zilch(2, "A: roll = 1 1 1 1 1 1")

    game.play("late")

    assert game.bank("A") == 0


def test_3_too_late_below_300_the_turn_brings_nothing_and_is_no_zilch() -> None:
    game = Zilch(2, "A fails\nB banks 333\nA fails\nB banks 333")

    game.play("A: roll = 1 1 5 2 2 3\nA: 115 roll = 1 1 2\nlate")

    assert (game.bank("A"), game.zilches("A")) == (0, 2)


def test_3_points_banked_too_late_end_a_row_of_zilches() -> None:
    game = Zilch(2, "A fails\nB banks 333\nA fails\nB banks 333")

    game.play("A: roll = 1 1 1 2 2 3\nA: 111 roll = 1 1 2\nlate")

    assert (game.bank("A"), game.zilches("A")) == (1000, 0)


def test_3_points_banked_too_late_can_begin_the_last_round() -> None:
    game = Zilch(2, "A banks 111111\nB banks 333\nA: roll = 1 1 1 1 2 3\nA: 1111 roll = 5 2")

    game.play("late")

    assert (game.bank("A"), game.state.closer, game.actors) == (10_000, 0, "B")


def test_3_three_turns_too_late_in_a_row_and_the_player_is_out() -> None:
    game = Zilch(3, "late\nB banks 333\nC banks 333\nlate\nB banks 333\nC banks 333")
    assert game.actors == "A"

    game.play("late")

    assert game.rules.seated(game.state) == (1, 2)
    assert game.state.turns[-1].end == "out"
    game.play("B banks 333\nC banks 333")
    assert game.actors == "B"


def test_3_turns_banked_too_late_count_among_the_three() -> None:
    game = Zilch(3, "A: roll = 1 1 1 2 3 4\nA: 111 roll = 5 2 2\nlate\nB banks 333\nC banks 333")

    game.play("late\nB banks 333\nC banks 333\nlate")

    assert game.rules.seated(game.state) == (1, 2)


@pytest.mark.parametrize("turn", ["A banks 333", "A fails"])
def test_3_a_turn_in_time_ends_a_row_of_late_ones(turn: str) -> None:
    game = Zilch(2, f"late\nB banks 333\nlate\nB banks 333\n{turn}\nB banks 333")

    game.play("late\nB banks 333\nlate\nB banks 333")

    assert game.actors == "A"


def test_3_who_is_out_for_being_late_leaves_the_other_alone() -> None:
    game = Zilch(2, "late\nB banks 333\nlate\nB banks 333\nlate")

    assert (game.places, game.out) == ("B", "A")


def test_3_when_nobody_acts_the_last_one_wins() -> None:
    game = Zilch(3)

    game.play("late\n" * 8)

    assert (game.places, game.out, game.over) == ("C", "A B", True)


def test_late_is_nobodys_own_move() -> None:
    game = Zilch(2)

    assert "late" not in game.rules.legal(game.state, 0)
    assert game.refuses("B: late") == "zilch.refused.turn"
    assert game.typed("A", "/roll late") == "refused: zilch.refused.unreadable"
