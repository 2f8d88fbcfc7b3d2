"""What people see of Farkle 20 (BOARDS.md): the race in the group, one's own turns in private."""

from __future__ import annotations

import pytest

from tests.games.farkle20.table import Farkle

# -- the group ----------------------------------------------------------------------------------


def test_the_group_sees_everybodys_turn_and_total_the_highest_first() -> None:
    game = Farkle(4, "B banks 333\nB fails\nC banks 1\nD banks 444\nD: leave")

    assert game.lines == [
        "farkle20.head.race ends=⏱",
        "farkle20.line.playing name=B total=300 turn=3 of=20",
        "farkle20.line.playing name=C total=100 turn=2 of=20",
        "farkle20.line.playing name=A total=0 turn=1 of=20",
        "farkle20.gone names=(name name=D)",
    ]
    assert game.keys == []


def test_the_group_sees_who_is_through_and_who_was_stopped() -> None:
    game = Farkle(3, "C banks 333\nlate C")
    game.turns("A", 20)

    assert game.lines[1:] == [
        "farkle20.line.finished name=A total=2000 turn=20 of=20",
        "farkle20.line.late name=C total=300 turn=2 of=20",
        "farkle20.line.playing name=B total=0 turn=1 of=20",
    ]
    game.play("late B")
    assert [line.split()[:3] for line in game.lines] == [
        ["A", "2000", "farkle20.how"],
        ["C", "300", "farkle20.how.late"],
        ["B", "0", "farkle20.how.late"],
    ]


# -- one's own turns ----------------------------------------------------------------------------


def test_ones_own_board_shows_turn_total_and_dice() -> None:
    game = Farkle(3, "B banks 111\nA banks 333\nA: roll = 1 1 5 2 2 3\nA: 1 roll = 5 5 2 3 4")

    assert game.own("A") == [
        "farkle20.last.banked turn=1 points=300 kept='3 3 3' dice='' hot=''",
        "farkle20.head.own turn=2 of=20 total=300 ends=⏱",
        "farkle20.lying_on dice='2 3 4 5 5' points=100 kept='1'",
        "farkle20.race place=2 of=3 name=B total=1000 turn=2",
    ]
    assert game.own_keys("A") == [
        "[roll_best]",
        "[k1] [k2] [k3] [k4] [k5]",
        "[roll] [bank_best]",
    ]


def test_ones_own_board_shows_what_is_chosen_and_offers_to_bank_it() -> None:
    game = Farkle(2, "A: roll = 1 1 5 2 2 3")

    assert "farkle20.chosen_odds dice='5' points=50 total=50 number=5 risk=7.72%" in game.own(
        "A", "6"
    )
    assert game.own_keys("A", "6")[-1] == "[roll] [bank]"
    assert "farkle20.not_yet dice='2' best='' points=0" not in game.own("A", "6")


def test_a_bust_is_shown_on_the_next_turn() -> None:
    game = Farkle(2, "A: roll = 1 1 1 2 2 3\nA: 111 roll = 2 3 3")

    assert game.own("A")[:3] == [
        "farkle20.last.bust turn=1 points=1000 kept='1 1 1' dice='2 3 3' hot=''",
        "farkle20.head.own turn=2 of=20 total=0 ends=⏱",
        "farkle20.ready",
    ]


def test_alone_there_is_no_race_and_no_countdown() -> None:
    game = Farkle(1)

    assert game.own("A") == [
        "farkle20.head.solo turn=1 of=20 total=0 ends=⏱",
        "farkle20.ready",
    ]
    assert game.own_keys("A") == ["[roll] [guide]"]


def test_who_is_through_sees_the_result_and_the_standing_without_buttons() -> None:
    game = Farkle(2)
    game.turns("A", 18)
    game.play("A fails\nA banks 111555")

    assert game.own("A") == [
        "farkle20.result.finished total=3300 turns=20 busts=1 hot=1 best=1500",
        "farkle20.line.finished name=A total=3300 turn=20 of=20",
        "farkle20.line.playing name=B total=0 turn=1 of=20",
    ]
    assert game.own_keys("A") == []


@pytest.mark.parametrize(
    ("script", "first"),
    [
        ("late A", "farkle20.result.late total=300 turns=1 busts=0 hot=0 best=300"),
        ("A: leave", "farkle20.result.left"),
    ],
)
def test_who_was_stopped_or_left_sees_that(script: str, first: str) -> None:
    game = Farkle(2, f"A banks 333\n{script}")

    assert game.own("A")[0] == first
    assert game.own_keys("A") == []


def test_alone_the_result_stands_alone() -> None:
    game = Farkle(1, "late")

    assert game.own("A") == ["farkle20.result.late total=0 turns=0 busts=0 hot=0 best=0"]


# -- presses and commands -----------------------------------------------------------------------


def test_presses_choose_roll_and_bank_ones_own_dice() -> None:
    game = Farkle(2, "A: roll = 1 1 5 2 2 3\nB: roll = 5 2 2 3 3 4")

    assert game.pressed("A", "k6", "k1").startswith("selects '16': farkle20.chosen_odds dice='1 5'")
    assert game.pressed("A", "k6", "t6") == "selects '': farkle20.none_chosen"
    assert game.pressed("A", "bank_best") == "moves 115 bank"
    assert game.pressed("B", "roll_best") == "moves 5 roll"
    assert game.pressed("B", "k1").startswith("refused: farkle20.refused.no_score dice='2'")
    assert game.pressed("A", "roll").startswith("refused: farkle20.refused.nothing")
    assert game.pressed("A", "k7") == "refused: refused.stale"


def test_dice_that_need_more_say_so() -> None:
    game = Farkle(2, "A: roll = 1 2 3 4 5 6")

    assert game.pressed("A", "k2") == (
        "selects '2': farkle20.not_yet dice='2' best='1 2 3 4 5 6' points=2000"
    )
    assert game.pressed("A", "k2", "bank").startswith("refused: farkle20.refused.no_score")


def test_the_points_are_one_tap_away() -> None:
    assert Farkle(2).pressed("B", "guide") == "answers farkle20.guide"


def test_who_is_through_presses_nothing_any_more() -> None:
    game = Farkle(2, "late A\nB: roll = 1 2 2 3 3 4")

    for code in ("roll", "k1", "roll_best", "bank"):
        assert game.pressed("A", code) == "refused: farkle20.refused.through total=0"
    assert game.typed("A", "/roll") == "refused: farkle20.refused.through total=0"
    assert game.refuses("A: leave").startswith("farkle20.refused.through ")


def test_roll_and_bank_can_be_typed() -> None:
    game = Farkle(2, "A: roll = 1 1 5 2 2 3")

    assert game.typed("A", "/roll 5 1") == "moves 15 roll"
    assert game.typed("A", "/bank 115") == "moves 115 bank"
    assert game.typed("A", "/roll", selection="1") == "moves 1 roll"
    assert game.typed("B", "/roll") == "moves roll"


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("/roll", "farkle20.refused.nothing dice='' best='1 1 5' points=250"),
        ("/roll 999", "farkle20.refused.unreadable"),
        ("/roll foo", "farkle20.refused.unreadable"),
        ("/roll 5 5", "farkle20.refused.dice dice='5 5' lying='1 1 2 2 3 5'"),
        ("/bank 2", "farkle20.refused.no_score dice='2' best='1 1 5' points=250"),
        ("/bank 1111111", "farkle20.refused.unreadable"),
    ],
)
def test_what_is_typed_wrong_is_refused_telling_what_would_work(line: str, refused: str) -> None:
    assert Farkle(2, "A: roll = 1 1 5 2 2 3").typed("A", line) == f"refused: {refused}"


@pytest.mark.parametrize("line", ["/d", "/dice"])
def test_d_shows_ones_own_dice_again(line: str) -> None:
    game = Farkle(2, "A: roll = 1 1 5 2 2 3\nA: 11 roll = 1 2 3 4")

    assert (
        game.typed("A", line) == "answers farkle20.dice dice='1 2 3 4' turn=200 best='1' points=100"
    )
    assert game.typed("B", line) == "answers farkle20.dice_none turn=1 total=0"


def test_who_moved_is_told_what_came_of_it() -> None:
    game = Farkle(2)

    assert game.told("A: roll = 1 3 4 5 5 6") == (
        "farkle20.threw dice='1 3 4 5 5 6' best='1 5 5' points=200"
    )
    assert game.told("A: 155 roll = 2 3 3") == (
        "farkle20.told.bust turn=1 points=200 kept='1 5 5' dice='2 3 3' hot='' "
        "then=farkle20.then.next turn=2 total=0"
    )
    assert game.told("A banks 333") == (
        "farkle20.told.banked turn=2 points=300 kept='3 3 3' dice='' hot='' "
        "then=farkle20.then.next turn=3 total=300"
    )
    assert game.told("late A") == "farkle20.told.late total=300"
    assert game.told("B: leave") == "farkle20.told.left"
