"""RULES 1.3: three rounds, limits that add up to fifty, 25 seconds."""

from __future__ import annotations

from games.fifty.rules import LIMITS
from games.game import HOUSE
from tests.games.fifty.table import ALL_DICE, Fifty
from tests.games.table import show

TEN_ONES = "1 1 1 1 1 1 1 1 1 1"


def test_1_3_there_are_666_ways_to_deal_the_limits() -> None:
    by_hand = {
        (a, b, 50 - a - b) for a in range(5, 41) for b in range(5, 41) if 5 <= 50 - a - b <= 40
    }

    assert len(LIMITS) == 666
    assert {*LIMITS} == by_hand


def test_1_3_each_way_to_deal_is_equally_likely() -> None:
    game = Fifty(2)

    throw = game.rules.throw(game.state, HOUSE, "deal")
    dealt = [game.rules.play(game.state, HOUSE, "deal", (face,)).limits for face in range(1, 667)]

    assert (throw.sides, throw.open) == ((666,), False)
    assert len({*dealt}) == 666


def test_1_3_a_limit_is_shown_only_when_its_round_begins() -> None:
    game = Fifty(2, "deal 13 14 23")

    def board() -> str:
        return " ".join(game.lines)

    assert "round=1 limit=13" in board()
    assert "14" not in board()
    game.play("""
        A: 4 = 1
        B: 4 = 1
    """)
    assert "round=2 limit=14" in board()
    assert "23" not in board()
    game.play("""
        A: 4 = 1
        B: 4 = 1
    """)
    assert "round=3 limit=23" in board()


def test_1_3_all_throw_in_the_same_round_in_any_order_within_25_s() -> None:
    game = Fifty(3, "deal 15 20 15")

    assert game.actors == "A B C"
    assert game.rules.phase(game.state).time_s == 25
    for line in ("C: 4 = 1", "A: 4 = 1"):
        game.play(line)
    assert game.actors == "B"
    game.play("B: 4 = 1")
    assert game.actors == "A B C"
    assert game.state.round == 2


def test_1_3_nobody_throws_twice_in_a_round() -> None:
    game = Fifty(2, "deal 15 20 15")

    game.play("A: 4 = 1")

    assert game.refuses("A: 6") == "fifty.refused.thrown"


def test_1_3_who_is_late_has_the_lowest_die_thrown_in_joining_order() -> None:
    game = Fifty(4, "deal 15 20 15")
    game.play("""
        A: 4+4+4 = 1 1 1
        B: 4 = 1
        C: 4+4+4+6+6 = 1 1 1 1 1
        D: 4+4+4+6+6+8+8+10 = 1 1 1 1 1 1 1 1
        C: 20 = 9
    """)

    game.play("""
        late = 5
        late = 2
        late = 11
    """)

    assert [(seat, move, *dice) for seat, move, dice in game.record[-3:]] == [
        (0, "late", 5),
        (1, "late", 2),
        (3, "late", 11),
    ]
    assert game.state.round == 3
    assert [game.total(letter) for letter in "ABCD"] == [8, 3, 14, 19]


def test_1_3_the_lowest_die_of_somebody_late_is_open_and_may_go_over() -> None:
    game = Fifty(2, "deal 5 20 25")

    game.play("late = 4 4 1")

    assert game.refuses("A: 4") == "fifty.refused.out"
    assert game.actors == "B"


def test_1_3_a_sum_above_the_limit_is_out_at_once_without_a_rank() -> None:
    game = Fifty(3, "deal 15 20 15")

    game.play("A: 4+12 = 3 12 1")

    assert game.refuses("A: 4") == "fifty.refused.out"
    assert "fifty.line.over name=A throw='3 + 12>1 = 16' limit=15" in game.lines[1]
    game.play("B: 4 = 1\nC: 4 = 1")
    assert game.actors == "B C"
    game.play("B: 4 = 1\nC: 4 = 1\nB: 4 = 2\nC: 4 = 1")
    assert (game.places, game.out) == ("B C", "A")


def test_1_3_a_sum_equal_to_the_limit_is_a_bullseye_and_stays_in() -> None:
    game = Fifty(2, "deal 15 20 15")

    game.play("A: 4+12 = 4 1 10")

    assert game.lines[1].startswith("fifty.line.bullseye name=A")
    game.play("B: 4 = 1")
    assert game.actors == "A B"


def test_1_3_who_has_no_dice_left_throws_nothing_scores_0_and_stays_in() -> None:
    game = Fifty(2, "deal 15 20 15")

    game.play(f"A: {ALL_DICE} = {TEN_ONES}")
    game.play("B: 4 = 2")

    assert (game.state.round, game.actors) == (2, "B")
    game.play("B: 4 = 2")
    assert (game.state.round, game.actors) == (3, "B")
    game.play("B: 4 = 2")
    assert game.places == "A B"
    assert (game.total("A"), game.total("B")) == (10, 6)
    assert [thrown.sum for thrown in game.state.players[0].throws] == [10, 0, 0]


def test_1_3_a_round_in_which_nobody_has_dice_is_over_at_once() -> None:
    game = Fifty(2, "deal 15 20 15")

    game.play(f"A: {ALL_DICE} = {TEN_ONES}")
    game.play(f"B: {ALL_DICE} = 1 1 1 1 1 1 1 1 1 2")

    assert game.places == "B A"


def test_1_3_who_leaves_is_out() -> None:
    game = Fifty(3, "deal 15 20 15")

    game.play("B: leave")

    assert game.actors == "A C"
    assert game.refuses("B: 4") == "fifty.refused.gone"
    assert game.refuses("B: leave") == "fifty.refused.gone"
    game.play("A: 4 = 1\nC: 4 = 1\nA: 4 = 1\nC: 4 = 1\nA: 4 = 1\nC: 4 = 2")
    assert (game.places, game.out) == ("C A", "B")


def test_1_3_a_throw_of_somebody_who_left_counts_no_more() -> None:
    game = Fifty(3, "deal 15 20 15")

    game.play("""
        B: 12 = 11
        B: leave
        A: 4 = 1
    """)

    assert game.actors == "C"
    game.play("C: 4 = 2")
    assert game.actors == "A C"
    game.play("late = 1\nlate = 1\nlate = 1\nlate = 1")
    assert (game.places, game.out) == ("C A", "B")


def test_1_3_a_sole_survivor_plays_on() -> None:
    game = Fifty(3, "deal 15 20 15")

    game.play("""
        A: leave
        B: 12 = 12 4
        C: 4 = 1
    """)

    assert not game.over
    assert (game.state.round, game.actors) == (2, "C")
    game.play("C: 4 = 2")
    assert (game.state.round, game.actors) == (3, "C")
    game.play("C: 4 = 3")
    assert (game.places, game.out, game.total("C")) == ("C", "A B", 6)


def test_1_3_each_round_of_a_sole_survivor_is_a_phase_of_its_own() -> None:
    game = Fifty(2, "deal 15 20 15\nA: leave")

    revs = []
    for _ in range(3):
        revs.append(game.rules.phase(game.state).rev)
        game.play("B: 4 = 1")

    assert len({*revs}) == 3


def test_1_3_a_round_ends_when_the_last_one_waited_for_leaves() -> None:
    game = Fifty(3, "deal 15 20 15")

    game.play("""
        A: 4 = 1
        C: 4 = 1
        B: leave
    """)

    assert (game.state.round, game.actors) == (2, "A C")


def test_1_3_the_game_ends_early_when_nobody_is_in() -> None:
    game = Fifty(2, "deal 5 20 25")

    game.play("""
        A: 12 = 6
        B: 12 = 7
    """)

    assert game.over
    assert (game.places, game.out) == ("", "A B")


def test_1_3_the_game_ends_when_all_have_left() -> None:
    game = Fifty(2, "deal 5 20 25")

    game.play("""
        B: leave
        A: leave
    """)

    assert (game.places, game.out) == ("", "A B")


def test_1_3_who_leaves_is_shown_as_gone() -> None:
    game = Fifty(2, "deal 15 20 15")
    before = game.state

    game.play("A: leave")

    assert game.lines[1] == "fifty.line.gone name=A"
    assert show(game.view.thrown(before, game.state, 0)) == "fifty.left"


def test_1_3_the_next_board_begins_with_how_the_round_ended() -> None:
    game = Fifty(3, "deal 9 20 21\nA: 8 = 8 3\nB: 4+4 = 3 2\nlate = 2")

    assert game.lines[:2] == [
        "fifty.told.over over=2 name=A throw='8>3 = 11' limit=9",
        "fifty.told.late over=7 name=C throw='2' limit=9 die=(fifty.die sides=4)",
    ]
    assert game.lines[2].startswith("fifty.head.round round=2")


def test_1_3_of_a_quiet_round_the_throw_nearest_to_the_limit_is_told() -> None:
    game = Fifty(2, "deal 9 20 21\nA: 8 = 7\nB: 4 = 3")

    assert game.lines[0] == "fifty.told.below over=2 name=A throw='7' limit=9"


def test_1_3_the_throw_that_decides_is_announced_and_shown_die_by_die() -> None:
    game = Fifty(2, "deal 9 20 21\nA: 8 = 7\nB: 4 = 3\nA: 6 = 2\nB: 6 = 2\nB: 10 = 2")
    assert game.view.reveal(game.state, 2) == ()

    game.play("A: 4+8 = 4 1 5")
    (announced,), (_, so_far) = game.view.reveal(game.state, 3)

    assert show(announced).startswith("fifty.throws name=A dice=(fifty.die sides=4, fifty.die")
    assert show(so_far) == "fifty.throws.so_far throw='4>1'"
