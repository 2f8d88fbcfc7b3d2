"""RULES 2: ranking by total, shared places, and what is recorded."""

from __future__ import annotations

from games import registry
from games.best_list import BestList
from games.yahtzee.boxes import BOXES
from tests.games.table import letters
from tests.games.yahtzee.table import Yahtzee, finished

# four sheets of 15 throws, in the order of the boxes
GOOD = ["11123", "22213", "33312", "44412", "55512", "66612", "66654", "66554", "66612", "66661"]
GOOD += ["33366", "12346", "23456", "55555", "66655"]
FAIR = GOOD[:14]


def records(game: Yahtzee) -> list[tuple[str, str, int]]:
    outcome = game.rules.outcome(game.state)
    return [(r.board, letters([r.seat]), r.value) for r in outcome.records]


def test_2_the_highest_total_is_first() -> None:
    game = finished(FAIR, GOOD, [])

    assert game.places == "B A C"
    assert game.rules.outcome(game.state).reason == "ranked"
    assert game.player("B").total == 98 + 27 + 26 + 21 + 25 + 25 + 30 + 40 + 50 + 28


def test_2_level_players_share_their_places() -> None:
    assert finished([], FAIR, GOOD, FAIR).places == "C B=D A"
    assert finished(GOOD, [], GOOD).places == "A=C B"


def test_2_level_at_the_top_is_said() -> None:
    game = finished(GOOD, [], GOOD)

    assert game.rules.outcome(game.state).reason == "tied"


def test_2_who_left_has_no_place_and_is_not_recorded() -> None:
    game = Yahtzee(3, "A 66666 yahtzee\nB 11123 ones\nC 11123 ones\nA: leave")
    game.turns(28)

    assert (game.places, game.out) == ("B=C", "A")
    assert [letter for _, letter, _ in records(game)] == ["B", "C"]


def test_2_when_one_is_left_the_game_ends_and_they_are_first_with_what_they_have() -> None:
    game = Yahtzee(3, "A 66666 yahtzee\nB 55555 yahtzee\nC: leave\nA: leave")

    assert (game.places, game.out) == ("B", "A C")
    assert game.rules.outcome(game.state).reason == "last"


def test_0_a_sheet_that_is_not_full_is_not_recorded() -> None:
    game = Yahtzee(3, "A 66666 yahtzee\nB 55555 yahtzee\nC: leave\nA: leave")

    assert (game.places, records(game)) == ("B", [])


def test_2_the_totals_of_those_who_finished_are_recorded() -> None:
    game = finished(FAIR, GOOD)

    assert records(game) == [
        ("total", "B", game.player("B").total),
        ("total", "A", game.player("A").total),
    ]


def test_2_high_scores_are_kept_for_all_time_month_and_day() -> None:
    assert registry()["yahtzee"].lists == (BestList("total", ("all", "month", "day")),)


def test_a_finished_game_counts_its_turns_yahtzees_and_bonuses() -> None:
    game = finished(GOOD, ["55555", "55555", *GOOD[2:13], "66666", "66666"])

    assert game.rules.tally(game.state) == {
        "turns": 2 * len(BOXES),
        "late_turns": 0,
        "yahtzees": 5,
        "yahtzee_bonuses": 1,
        "upper_bonuses": 1,
    }
