"""RULES 4: everybody plays their own game; the race ends when all are through or time is up."""

from __future__ import annotations

import pytest

from games.game import HOUSE, Phase
from tests.games.farkle20.table import Farkle

# -- everybody on their own ---------------------------------------------------------------------


def test_4_everybody_plays_their_own_turns_whatever_the_others_do() -> None:
    game = Farkle(3, "B: roll = 1 2 2 3 3 4\nC fails\nA banks 333\nC banks 1")

    assert game.actors == "A B C"
    assert [game.player(letter).turn for letter in "ABC"] == [2, 1, 3]
    assert game.player("B").hand.dice == "122334"
    assert game.refuses("A: 1 roll") == "farkle20.refused.throw_first"


def test_4_ones_own_phase_grows_with_ones_own_moves_only() -> None:
    game = Farkle(3)

    game.play("A: roll = 1 2 2 3 3 4\nA: 1 bank\nC fails")

    phases = [game.rules.phase(game.state, seat) for seat in range(3)]
    assert [phase.rev for phase in phases] == [3, 1, 3]
    assert [(p.scene, p.time_s, p.actors) for p in phases] == [
        (1, 600, (seat,)) for seat in range(3)
    ]


def test_4_the_race_lasts_30_minutes_and_is_one_phase() -> None:
    game = Farkle(2)
    assert game.rules.phase(game.state) == Phase(1, 1, 1800, ())

    game.turns("A", 20)
    game.play("B fails")
    assert game.rules.phase(game.state) == Phase(1, 1, 1800, ())
    game.turns("B", 19)

    assert game.over
    assert game.rules.phase(game.state).rev == 2


def test_4_alone_there_is_a_day() -> None:
    game = Farkle(1)

    assert game.rules.phase(game.state).time_s == 24 * 3600
    assert game.rules.phase(game.state, 0).time_s == 24 * 3600


def test_4_who_is_through_waits_for_the_others() -> None:
    game = Farkle(2)

    game.turns("A", 20)

    assert (game.over, game.actors) == (False, "B")
    assert game.rules.phase(game.state, 0).actors == ()
    assert game.refuses("A: roll") == "farkle20.refused.through total=2000"


# -- time ---------------------------------------------------------------------------------------


def test_4_ten_minutes_without_a_press_finish_one_as_one_stands() -> None:
    game = Farkle(2, "A banks 333\nA: roll = 1 1 1 1 1 1\nA: 11111 roll = 5")

    game.play("late A")

    assert (game.total("A"), game.actors) == (300, "B")
    assert game.rules.phase(game.state, 0).actors == ()
    assert game.rules.expire(game.state, 0) is None
    assert game.refuses("A: 5 bank") == "farkle20.refused.through total=300"


def test_4_at_time_up_the_banked_totals_rank_and_open_turns_are_lost() -> None:
    game = Farkle(3, "A banks 333\nB banks 444\nC banks 1\nA: roll = 1 1 1 1 1 1")

    game.play("late\nlate\nlate")

    assert [(seat, move) for seat, move, _ in game.record[-3:]] == [
        (0, "late"),
        (1, "late"),
        (2, "late"),
    ]
    assert (game.places, game.out) == ("B A C", "")


def test_4_at_time_up_those_who_are_through_stay_so() -> None:
    game = Farkle(2)
    game.turns("A", 20)

    assert game.rules.expire(game.state) == (1, "late")
    game.play("late")

    assert game.places == "A B"


def test_4_alone_at_time_up_one_is_ranked_as_one_stands() -> None:
    game = Farkle(1, "A banks 333\nlate")

    assert (game.places, game.rules.outcome(game.state).reason) == ("A", "solo")


# -- leaving ------------------------------------------------------------------------------------


def test_4_who_leaves_is_out_and_the_others_play_on() -> None:
    game = Farkle(3, "A banks 111111\nB banks 1\nC banks 5")

    game.play("A: leave")

    assert (game.actors, game.rules.seated(game.state)) == ("B C", (1, 2))
    assert game.refuses("A: roll") == "farkle20.refused.gone"
    assert game.refuses("A: leave") == "farkle20.refused.gone"
    game.play("late\nlate")
    assert (game.places, game.out) == ("B C", "A")


def test_4_the_last_one_left_plays_their_turns_to_the_end() -> None:
    game = Farkle(2, "A: leave")

    assert game.actors == "B"
    game.turns("B", 20)

    assert (game.places, game.out) == ("B", "A")


def test_4_when_the_last_one_who_plays_leaves_the_race_is_over() -> None:
    game = Farkle(3)
    game.turns("A", 20)
    game.play("B: leave\nC banks 333\nC: leave")

    assert (game.places, game.out) == ("A", "B C")


def test_4_when_everybody_leaves_nobody_is_placed() -> None:
    game = Farkle(2, "B: leave\nA: leave")

    assert (game.places, game.out) == ("", "A B")
    assert game.rules.outcome(game.state).reason == "nobody"


def test_0_who_is_through_keeps_result_and_rank_whatever_they_do() -> None:
    game = Farkle(2)
    game.turns("A", 20)

    assert game.refuses("A: leave").startswith("farkle20.refused.through ")

    game.play("late")
    assert (game.places, game.out) == ("A B", "")


# -- ranking and lists --------------------------------------------------------------------------


def test_4_the_banked_total_ranks_and_who_is_level_shares() -> None:
    game = Farkle(4, "A banks 1\nB banks 333\nC banks 1\nD fails")

    game.play("late\n" * 4)

    assert game.places == "B A=C D"
    assert game.rules.outcome(game.state).reason == "ranked"


def test_4_level_at_the_top_they_share_it() -> None:
    game = Farkle(2, "late\nlate")

    assert (game.places, game.rules.outcome(game.state).reason) == ("A=B", "level")


def world(game: Farkle) -> list[tuple[int, int]]:
    """Who comes into the world's list with what."""
    records = game.rules.outcome(game.state).records
    assert {record.board for record in records} <= {"world"}
    return [(record.seat, record.value) for record in records]


def test_4_only_20_finished_turns_are_a_result_for_the_lists() -> None:
    game = Farkle(4)
    game.turns("A", 19)
    game.turns("B", 20, "5")
    game.turns("C", 19, "111")
    game.turns("D", 20)

    game.play("A fails\nlate")

    assert game.places == "C D A B"
    assert world(game) == [(1, 1000), (3, 2000), (0, 1900)]


def test_4_the_results_of_a_race_are_told_in_the_order_in_which_turn_20_ended() -> None:
    game = Farkle(3)

    game.turns("C", 20)
    game.turns("A", 20)
    game.turns("B", 20)

    assert world(game) == [(2, 2000), (0, 2000), (1, 2000)]


@pytest.mark.parametrize("end", ["late", "A: leave"])
def test_4_without_20_finished_turns_there_is_no_result_alone_either(end: str) -> None:
    game = Farkle(1)
    game.turns("A", 19)

    game.play(end)

    assert world(game) == []


def test_4_the_lists_are_world_today_and_this_week_in_utc() -> None:
    (best,) = Farkle(1).game.lists

    assert (best.name, best.periods) == ("world", ("all", "day", "week"))
    assert (best.utc, best.signed, best.keeps) == (True, True, 1000)
    assert (best.staked, best.fewest, best.a_day) == (False, 1, 0)


def test_the_house_has_no_game_of_its_own() -> None:
    game = Farkle(2)

    assert game.rules.phase(game.state, HOUSE).actors == ()
    assert game.rules.house(game.state) is None
