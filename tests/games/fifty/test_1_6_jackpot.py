"""RULES 1.6 and 1.7: what a game says of the jackpot and of the best throws."""

from __future__ import annotations

import pytest

from tests.games.fifty.table import Fifty, scored

TWO_BULLSEYES = """
    deal 5 5 40
    A: 6 = 5
    B: 4 = 1
    C: 4 = 1
    A: 6 = 5
    B: 4 = 1
    C: 4 = 1
"""


def test_1_6_when_all_are_out_nobody_has_a_place() -> None:
    game = scored(0, 0, 0)

    outcome = game.rules.outcome(game.state)
    assert (outcome.reason, outcome.places, outcome.out) == ("all_out", (), (0, 1, 2))
    assert not outcome.sweep


def test_1_6_three_bullseyes_end_the_game_that_instant() -> None:
    game = Fifty(3, TWO_BULLSEYES)
    assert game.actors == "A B C"

    game.play("A: 12+20 = 12 9 19")

    outcome = game.rules.outcome(game.state)
    assert (outcome.reason, outcome.sweep) == ("bullseyes", True)
    assert (game.places, game.out) == ("A", "B C")
    assert game.total("A") == 50


def test_1_6_after_three_bullseyes_nobody_throws_or_leaves_any_more() -> None:
    game = Fifty(3, TWO_BULLSEYES)

    game.play("A: 12+20 = 12 9 19")

    assert (game.actors, game.keys) == ("", [])
    for line in ("A: leave", "B: 4", "C: leave"):
        assert game.refuses(line) == "fifty.refused.gone"


def test_1_6_three_bullseyes_also_count_as_the_last_throw_of_the_round() -> None:
    game = Fifty(3, TWO_BULLSEYES)

    game.play("""
        B: 20 = 19
        C: 20 = 20 20 1
        A: 12+20 = 12 9 19
    """)

    assert (game.places, game.out) == ("A", "B C")
    assert game.rules.outcome(game.state).sweep


def test_1_6_somebody_late_can_hit_the_third_bullseye() -> None:
    game = Fifty(2, "deal 40 5 5")
    game.play("""
        A: 10+12+20 = 10 9 11 10
        B: 4 = 1
        A: 6 = 5
        B: 4 = 1
    """)

    game.play("late = 4 1")

    assert (game.places, game.out) == ("A", "B")
    assert game.rules.outcome(game.state).sweep
    assert game.rules.expire(game.state) is None


@pytest.mark.parametrize("last", ["19", "20 1"])
def test_1_6_two_bullseyes_win_no_jackpot(last: str) -> None:
    game = Fifty(3, TWO_BULLSEYES)

    game.play(f"""
        A: 20 = {last}
        B: 4 = 1
        C: 4 = 2
    """)

    outcome = game.rules.outcome(game.state)
    assert (game.places, outcome.reason, outcome.sweep) == ("A C B", "ranked", False)


def test_a_finished_game_counts_its_rounds_throws_over_and_bullseyes() -> None:
    swept = Fifty(3, TWO_BULLSEYES)
    swept.play("""
        C: 10+12+20 = 10 1 11 19
        A: 12+20 = 12 9 19
    """)

    assert swept.rules.tally(swept.state) == {"rounds": 3, "busts": 1, "bullseyes": 3}
    all_out = scored(0, 0)
    assert all_out.rules.tally(all_out.state) == {"rounds": 1, "busts": 2, "bullseyes": 0}


def test_1_7_the_list_holds_throws_over_the_limit_by_how_far() -> None:
    game = Fifty(4, "deal 10 20 20")
    game.play("""
        A: 12 = 12 3
        B: 4+10 = 2 10 1
        C: 10 = 9
        D: 10 = 10 5
        C: 8+20 = 8 8 4 19
    """)

    records = game.rules.outcome(game.state).records
    assert [(record.board, record.seat, record.value) for record in records] == [
        ("over", 0, 5),
        ("over", 1, 3),
        ("over", 2, 19),
        ("over", 3, 5),
    ]
    assert records[2].note == "8>8>4 + 19 = 39 > 20"


def test_1_7_a_throw_at_or_below_the_limit_is_no_record() -> None:
    game = Fifty(2, "deal 10 20 20")
    game.play("""
        A: 12 = 10
        B: 12 = 9
        A: 20 = 19
        B: 20 = 20 1
        A: 4 = 1
    """)

    assert [record.seat for record in game.rules.outcome(game.state).records] == [1]


def test_1_7_throws_over_the_limit_count_also_where_three_bullseyes_end_the_game() -> None:
    game = Fifty(3, TWO_BULLSEYES)

    game.play("""
        B: 10+12+20 = 9 11 19
        C: 10+12+20 = 10 1 11 19
        A: 12+20 = 12 9 19
    """)

    records = game.rules.outcome(game.state).records
    assert [(record.seat, record.value) for record in records] == [(2, 1)]
