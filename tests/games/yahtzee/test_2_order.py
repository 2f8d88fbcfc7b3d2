"""RULES 0, 2: joining late, leaving, and whose turn it is afterwards."""

from __future__ import annotations

import pytest

from tests.games.table import LETTERS
from tests.games.yahtzee.table import JUNK, Yahtzee

# -- joining late -------------------------------------------------------------------------------


def test_2_more_may_join_while_the_first_round_runs_and_come_last() -> None:
    game = Yahtzee(2, f"A {JUNK} ones")

    game.play("C: join")

    assert game.seated == "A B C"
    assert game.turns(4) == "BCAB"


def test_2_somebody_who_joins_in_the_last_turn_of_the_first_round_has_theirs_in_it() -> None:
    game = Yahtzee(2, f"A {JUNK} ones\nB {JUNK}")

    game.play("C: join")
    game.play("B: score ones")

    assert (game.actors, game.state.round) == ("C", 1)
    assert game.turns(4) == "CABC"


def test_2_nobody_joins_once_everybody_has_finished_their_first_turn() -> None:
    game = Yahtzee(2, f"A {JUNK} ones")
    assert game.rules.admits(game.state)

    game.play(f"B {JUNK} ones")

    assert not game.rules.admits(game.state)
    assert game.refuses("C: join") == "yahtzee.refused.join"


def test_2_the_first_round_is_over_when_those_without_a_turn_have_left() -> None:
    game = Yahtzee(3, f"A {JUNK} ones\nB {JUNK} ones")

    game.play("C: leave")

    assert not game.rules.admits(game.state)
    assert game.actors == "A"


def test_2_the_first_round_goes_on_for_somebody_who_joined_in_it() -> None:
    game = Yahtzee(2, f"A {JUNK} ones\nC: join\nB {JUNK} ones")

    assert game.rules.admits(game.state)
    game.play("D: join")
    assert game.turns(2) == "CD"
    assert not game.rules.admits(game.state)


def test_2_at_most_eight_play_those_who_left_included() -> None:
    game = Yahtzee(7, "G: leave\nH: join")

    assert not game.rules.admits(game.state)
    assert game.refuses("I: join") == "yahtzee.refused.join"


@pytest.mark.parametrize("line", ["B: join", "D: join", "house: join"])
def test_2_only_the_next_free_seat_can_be_joined(line: str) -> None:
    assert Yahtzee(2).refuses(line) == "yahtzee.refused.join"


def test_2_joining_and_leaving_change_nothing_for_the_one_whose_turn_it_is() -> None:
    game = Yahtzee(3, "A 12345")
    before = game.rules.phase(game.state)

    game.play("D: join\nB: leave")

    assert game.rules.phase(game.state) == before
    assert game.dice == "12345"


def test_2_somebody_who_joined_late_is_ranked_like_everybody() -> None:
    game = Yahtzee(2, f"A {JUNK} ones\nC: join\nB {JUNK} ones\nC 66666 yahtzee")

    game.play("A: leave\nB: leave")

    assert (game.places, game.out) == ("C", "A B")


# -- leaving ------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaver", "ABCDE")
@pytest.mark.parametrize("turn", range(5))
def test_2_the_order_stays_right_whoever_leaves_in_whoevers_turn(leaver: str, turn: int) -> None:
    game = Yahtzee(5)
    game.turns(turn)
    game.play(f"{LETTERS[turn]} 12345")

    game.play(f"{leaver}: leave")

    still = [letter for letter in "ABCDE" if letter != leaver]
    first = LETTERS[turn] if leaver != LETTERS[turn] else LETTERS[(turn + 1) % 5]
    start = still.index(first)
    assert game.turns(8) == "".join(still[(start + step) % 4] for step in range(8))


@pytest.mark.parametrize(("first", "second"), [("A", "B"), ("B", "A"), ("C", "D"), ("D", "C")])
def test_2_two_who_leave_one_after_the_other(first: str, second: str) -> None:
    game = Yahtzee(4)
    game.turns(2)

    game.play(f"{first}: leave\n{second}: leave")

    expected = {"A": "CDCD", "B": "CDCD", "C": "ABAB", "D": "ABAB"}[first]
    assert game.turns(4) == expected


def test_2_the_dice_of_somebody_who_leaves_in_their_turn_are_gone() -> None:
    game = Yahtzee(3, "A 66666")
    before = game.rules.phase(game.state)

    game.play("A: leave")

    after = game.rules.phase(game.state)
    assert (game.actors, game.dice, game.state.thrown) == ("B", "", 0)
    assert (after.rev, after.scene) == (before.rev + 1, before.scene + 1)


def test_2_the_last_but_one_who_leaves_ends_the_game_in_their_turn_or_not() -> None:
    for turn, leaver in ((0, "A"), (0, "B"), (1, "A"), (1, "B")):
        game = Yahtzee(2)
        game.turns(turn)

        game.play(f"{leaver}: leave")

        assert game.over
        assert (game.places, game.out) == ("B" if leaver == "A" else "A", leaver)
        assert game.rules.outcome(game.state).reason == "last"


def test_2_the_last_one_left_in_somebody_elses_turn_has_won_at_once() -> None:
    game = Yahtzee(3, f"A {JUNK} ones\nB 12345")
    rev = game.rules.phase(game.state).rev

    game.play("C: leave")
    assert not game.over
    game.play("A: leave")

    assert (game.places, game.actors) == ("B", "")
    assert game.rules.phase(game.state).rev == rev + 1


def test_2_who_leaves_in_the_last_turn_of_the_game_leaves_it_finished() -> None:
    game = Yahtzee(3)
    game.turns(44)

    game.play("C: leave")

    assert (game.over, game.places, game.out) == (True, "A=B", "C")
    assert game.rules.outcome(game.state).reason == "tied"
