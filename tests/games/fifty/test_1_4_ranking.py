"""RULES 1.4: the ranking after round three, and the Stechen."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from games.fairness import Stream
from games.game import HOUSE
from tests.games.fifty.table import ALL_DICE, scored
from tests.games.table import LETTERS, show
from tests.games.ways import mixed, steps

# -- ranking ------------------------------------------------------------------------------------


def test_1_4_those_still_in_are_ranked_by_the_sum_of_their_throws() -> None:
    game = scored(12, 20, 0, 16)

    assert (game.places, game.out) == ("B D A", "C")


def test_1_4_a_tie_on_place_one_goes_to_a_stechen() -> None:
    game = scored(20, 20, 15)

    assert not game.over
    game.play("""
        stechen 12: A B
        A: 12 = 9
        B: 12 = 10
    """)
    assert game.places == "B A C"


def test_1_4_a_tie_on_place_two_goes_to_a_stechen() -> None:
    game = scored(20, 15, 15)

    game.play("""
        stechen 12: B C
        B: 12 = 9
        C: 12 = 10
    """)
    assert game.places == "A C B"


def test_1_4_tie_on_place_three_goes_to_a_stechen() -> None:
    game = scored(20, 15, 10, 10)

    game.play("""
        stechen 12: D C
        D: 12 = 9
        C: 12 = 10
    """)
    assert game.places == "A B C D"


def test_1_4_a_tie_that_reaches_into_place_three_is_broken_whole() -> None:
    game = scored(20, 15, 15, 15, 15)

    game.play("""
        stechen 12: B C D E
        B: 12 = 7
        C: 12 = 8
        D: 12 = 9
        E: 12 = 10
    """)
    assert game.places == "A E D C B"


def test_1_4_a_tie_outside_places_one_to_three_is_left_as_it_is() -> None:
    game = scored(20, 18, 16, 12, 12, 9)

    assert game.places == "A B C D=E F"


def test_1_4_with_two_players_a_tie_goes_to_a_stechen() -> None:
    game = scored(15, 15)

    game.play("""
        stechen 12: A B
        A: 4 = 1
        B: 4 = 2
    """)
    assert game.places == "B A"


def test_1_4_somebody_who_is_out_ties_with_nobody() -> None:
    game = scored(20, 0, 0)

    assert (game.places, game.out) == ("A", "B C")


# -- how a Stechen is played --------------------------------------------------------------------


def test_1_4_the_limit_of_a_stechen_is_uniform_from_5_to_40() -> None:
    game = scored(20, 20)

    throw = game.rules.throw(game.state, HOUSE, "stechen")
    limits = [
        game.rules.play(game.state, HOUSE, "stechen", (face, 1)).limit for face in range(1, 37)
    ]

    assert (throw.sides[0], throw.open) == (36, False)
    assert limits == list(range(5, 41))


@pytest.mark.parametrize("tied", [2, 3, 4, 5])
def test_1_4_every_order_of_a_stechen_is_equally_likely(tied: int) -> None:
    game = scored(*[20] * tied)

    sides = game.rules.throw(game.state, HOUSE, "stechen").sides[1:]
    orders = Counter(
        game.rules.play(game.state, HOUSE, "stechen", (1, *faces)).stechen.order
        for faces in product(*(range(1, faces + 1) for faces in sides))
    )

    assert {frozenset(order) for order in orders} == {frozenset(range(tied))}
    assert len(orders) == [2, 6, 24, 120][tied - 2]
    assert len({*orders.values()}) == 1


def test_1_4_a_stechen_is_thrown_with_all_ten_dice_again() -> None:
    game = scored(20, 20)

    game.play("stechen 12: A B")

    assert game.left("A") == game.left("B") == ALL_DICE
    game.play(f"A: {ALL_DICE} = 1 1 1 1 1 1 1 1 1 1")
    game.play("B: 12 = 11")
    assert game.places == "B A"


def test_1_4_the_tied_throw_one_after_the_other_25_s_each() -> None:
    game = scored(20, 20, 20, 3)
    game.play("stechen 12: C A B")
    phases = []

    for letter in "CAB":
        phases.append(game.rules.phase(game.state))
        assert game.actors == letter
        for other in {*"ABCD"} - {letter}:
            assert game.refuses(f"{other}: 12") == "fifty.refused.stechen"
        game.play(f"{letter}: 12 = {LETTERS.index(letter) + 1}")

    assert [phase.time_s for phase in phases] == [25, 25, 25]
    assert len({phase.rev for phase in phases}) == len({phase.scene for phase in phases}) == 3
    assert game.places == "C B A D"


def test_1_4_who_is_late_in_a_stechen_throws_the_lowest_die() -> None:
    game = scored(20, 20)
    game.play("stechen 12: B A")

    game.play("""
        late = 3
        late = 2
    """)

    assert [(seat, move) for seat, move, _ in game.record[-2:]] == [(1, "late"), (0, "late")]
    assert game.places == "B A"


def test_1_4_the_board_of_a_stechen_shows_who_throws_now_and_what_the_others_threw() -> None:
    game = scored(20, 20, 20, 3)

    game.play("""
        stechen 12: C A B
        C: 12 = 9
    """)

    story, head, thrown, later = game.lines
    assert story.startswith("fifty.told.below over=3 name=C")
    assert head == "fifty.head.stechen limit=12 name=A ends=⏱"
    assert "name=C" in thrown
    assert "9" in thrown
    assert later == "fifty.then names=(name name=B)"
    assert game.keys == ["[+4] [+6] [+8]", "[+10] [+12] [+20]", "[throw] [mine] [clear]"]


def test_1_4_who_threw_in_a_stechen_is_told_how_it_lies_to_its_limit() -> None:
    game = scored(20, 20)
    game.play("stechen 12: A B")
    before = game.state

    game.play("A: 12 = 12 3")

    told = show(game.view.thrown(before, game.state, 0))
    assert told == "fifty.threw.over throw='12>3 = 15' limit=12 over=3"


def test_1_4_who_leaves_after_a_stechen_is_not_told_its_throw_again() -> None:
    game = scored(20, 20, 3)
    game.play("""
        stechen 12: A B
        A: 12 = 9
        B: 12 = 9
        stechen 12: A B
    """)
    before = game.state

    game.play("B: leave")

    assert show(game.view.thrown(before, game.state, 1)) == "fifty.left"


# -- who wins a Stechen -------------------------------------------------------------------------


def test_1_4_closest_to_the_limit_without_passing_it_is_first() -> None:
    game = scored(20, 20, 20)

    game.play("""
        stechen 12: A B C
        A: 12 = 7
        B: 6+8 = 5 7
        C: 12 = 10
    """)

    assert game.places == "B C A"


def test_1_4_who_passes_the_limit_ranks_behind_those_who_do_not() -> None:
    game = scored(20, 20, 20)

    game.play("""
        stechen 12: A B C
        A: 20 = 13
        B: 4 = 1
        C: 12 = 10
    """)

    assert game.places == "C B A"


def test_1_4_all_who_passed_it_are_level() -> None:
    game = scored(20, 20, 20)

    game.play("""
        stechen 12: A B C
        A: 20 = 13
        B: 4 = 1
        C: 20 = 19
    """)

    assert not game.over
    assert game.ranking == "B A=C"


def test_1_4_who_is_still_level_by_the_same_sum_plays_another_stechen() -> None:
    game = scored(20, 20, 20)

    game.play("""
        stechen 12: A B C
        A: 12 = 9
        B: 20 = 9
        C: 4 = 1
    """)

    assert game.ranking == "A=B C"
    game.play("""
        stechen 30: B A
        B: 4 = 1
        A: 4 = 2
    """)
    assert game.places == "A B C"


def test_1_4_when_all_pass_the_limit_all_play_another_stechen() -> None:
    game = scored(20, 20)

    game.play("""
        stechen 5: A B
        A: 20 = 6
        B: 20 = 19
        stechen 5: A B
        A: 20 = 6
        B: 20 = 19
        stechen 20: B A
        B: 20 = 6
        A: 20 = 19
    """)

    assert game.places == "A B"


def test_1_4_another_stechen_is_played_only_while_a_paid_place_hangs_on_it() -> None:
    game = scored(20, 18, 15, 15, 15)

    game.play("""
        stechen 12: C D E
        C: 20 = 13
        D: 4 = 1
        E: 20 = 14
    """)

    assert game.places == "A B D C=E"


def test_1_4_several_tied_groups_play_one_after_another_from_the_top() -> None:
    game = scored(15, 20, 15, 20, 3, 15)

    game.play("""
        stechen 12: D B
        D: 4 = 1
        B: 4 = 2
    """)

    assert game.ranking == "B D A=C=F E"
    game.play("""
        stechen 30: F A C
        F: 20 = 19
        A: 20 = 3
        C: 20 = 4
    """)
    assert game.places == "B D F C A E"
    assert [stechen.limit for stechen in game.state.tiebreaks] == [12, 30]


def test_1_4_a_repeated_stechen_comes_before_that_of_a_lower_group() -> None:
    game = scored(20, 20, 15, 15)

    game.play("""
        stechen 12: A B
        A: 4 = 1
        B: 4 = 1
        stechen 13: A B
        A: 4 = 1
        B: 4 = 2
        stechen 14: C D
        C: 4 = 2
        D: 4 = 1
    """)

    assert game.places == "B A C D"


def test_1_4_a_stechen_changes_no_total() -> None:
    game = scored(20, 20)

    game.play("""
        stechen 12: A B
        A: 12 = 9
        B: 12 = 10
    """)

    assert (game.total("A"), game.total("B")) == (20, 20)


def test_1_4_bullseyes_of_a_stechen_win_no_jackpot() -> None:
    game = scored(20, 20)

    game.play("""
        stechen 12: A B
        A: 12 = 12 4
        B: 8 = 8 4
    """)

    outcome = game.rules.outcome(game.state)
    assert (game.places, outcome.sweep, outcome.reason) == ("B A", False, "ranked")


def test_1_4_throws_of_a_stechen_enter_no_best_list() -> None:
    game = scored(20, 20, 0)

    game.play("""
        stechen 12: A B
        A: 20 = 20 20 20 1
        B: 12 = 10
    """)

    records = game.rules.outcome(game.state).records
    assert [(record.seat, record.value) for record in records] == [(2, 1)]


# -- leaving ------------------------------------------------------------------------------------


def test_1_4_who_leaves_on_their_turn_is_out_and_the_next_throws() -> None:
    game = scored(20, 20, 20)
    game.play("stechen 12: B A C")
    rev = game.rules.phase(game.state).rev

    game.play("B: leave")

    assert game.actors == "A"
    assert game.rules.phase(game.state).rev > rev
    game.play("A: 4 = 1\nC: 4 = 2")
    assert (game.places, game.out) == ("C A", "B")


def test_1_4_who_leaves_before_their_turn_leaves_the_turn_as_it_is() -> None:
    game = scored(20, 20, 20)
    game.play("stechen 12: B A C")
    rev = game.rules.phase(game.state).rev

    game.play("C: leave")

    assert game.actors == "B"
    assert game.rules.phase(game.state).rev == rev
    game.play("B: 4 = 1\nA: 4 = 2")
    assert (game.places, game.out) == ("A B", "C")


def test_1_4_who_leaves_after_their_throw_is_out_all_the_same() -> None:
    game = scored(20, 20, 20)
    game.play("""
        stechen 12: B A C
        B: 12 = 11
        B: leave
    """)

    assert game.actors == "A"
    game.play("A: 4 = 1\nC: 4 = 2")
    assert (game.places, game.out) == ("C A", "B")


@pytest.mark.parametrize("leaver", ["A", "B"])
def test_1_4_who_remains_alone_in_a_stechen_wins_it_without_a_throw(leaver: str) -> None:
    game = scored(20, 20, 15)
    game.play("stechen 12: A B")

    game.play(f"{leaver}: leave")

    other = "B" if leaver == "A" else "A"
    assert (game.places, game.out) == (f"{other} C", leaver)


def test_1_4_a_throw_over_the_limit_still_wins_against_somebody_who_left() -> None:
    game = scored(20, 20, 15)

    game.play("""
        stechen 12: A B
        A: 20 = 19
        B: leave
    """)

    assert (game.places, game.out) == ("A C", "B")


def test_1_4_those_behind_a_leaver_move_up() -> None:
    game = scored(20, 18, 15, 15)

    game.play("""
        stechen 12: C D
        A: leave
        C: 4 = 1
        D: 4 = 2
    """)

    assert (game.places, game.out) == ("B D C", "A")


def test_1_4_a_tie_that_moves_up_to_place_three_goes_to_a_stechen() -> None:
    game = scored(20, 20, 15, 10, 10)

    game.play("""
        stechen 12: A B
        C: leave
        A: 4 = 1
        B: 4 = 2
        stechen 12: D E
        D: 4 = 1
        E: 4 = 2
    """)

    assert (game.places, game.out) == ("B A E D", "C")


def test_1_4_a_tie_whose_other_half_left_needs_no_stechen() -> None:
    game = scored(20, 20, 15, 15)

    game.play("""
        stechen 12: A B
        D: leave
        A: 4 = 1
        B: 4 = 2
    """)

    assert (game.places, game.out) == ("B A C", "D")


def test_1_4_when_all_in_a_stechen_leave_the_next_group_plays() -> None:
    game = scored(20, 20, 15, 15)

    game.play("""
        stechen 12: A B
        A: leave
        B: leave
    """)

    assert game.ranking == "C=D"
    game.play("""
        stechen 12: C D
        C: leave
    """)
    assert (game.places, game.out) == ("D", "A B C")


@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_1_4_every_stechen_ends_whoever_is_late_or_leaves(seats: int) -> None:
    for seed in range(40):
        draw = Stream(b"totals", b"", seed)
        game = scored(*(19 + draw(2) for _ in range(seats)))

        for _ in steps(game, mixed, f"stechen {seed}"):
            assert {*sum(game.state.ranking, ())} == {*game.rules.seated(game.state)}

        outcome = game.rules.outcome(game.state)
        assert sorted([*sum(outcome.places, ()), *outcome.out]) == list(range(seats))
        place = 1
        for group in outcome.places:
            assert place > 3 or len(group) == 1
            place += len(group)
