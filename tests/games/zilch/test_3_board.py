"""What people see of Zilch (BOARDS.md), and what their presses do."""

from __future__ import annotations

import pytest

from tests.games.table import keys, show
from tests.games.zilch.table import Zilch


def labels(game: Zilch, letter: str, selection: str = "") -> list[str]:
    """The buttons from top to bottom."""
    return [show(button.label) for row in game.seen(letter, selection).buttons for button in row]


def test_before_the_first_throw_there_is_one_to_make() -> None:
    game = Zilch()

    assert game.lines == [
        "zilch.head name=A ends=⏱ goal=10000",
        "zilch.ready",
        "zilch.banks banks=(zilch.line.acting name=A bank=0 marks='' | "
        "zilch.line.waiting name=B bank=0 marks='')",
    ]
    assert game.keys == ["[roll] [guide]"]
    assert labels(game, "A") == ["zilch.key.roll number=6", "zilch.key.guide"]
    assert game.pressed("A", "roll") == "moves roll"


def test_the_dice_lie_sorted_as_buttons_in_two_rows() -> None:
    game = Zilch(2, "A: roll = 6 1 5 2 1 1")

    assert game.keys == [
        "[roll_best]",
        "[k1] [k2] [k3]",
        "[k4] [k5] [k6]",
        "[roll] [bank_best]",
    ]
    assert labels(game, "A")[1:7] == [f"zilch.key.die die='{die}'" for die in "111256"]


def test_the_plan_is_one_press_with_its_odds() -> None:
    game = Zilch(2, "A: roll = 6 1 5 2 1 1")

    assert labels(game, "A")[0] == ("zilch.key.plan dice='1115' points=1050 number=2 risk=44.44%")
    assert game.pressed("A", "roll_best") == "moves 1115 roll"
    assert labels(game, "A")[-1] == "zilch.key.bank points=1050"
    assert game.pressed("A", "bank_best") == "moves 1115 bank"


def test_six_dice_never_zilch_so_the_plan_names_no_odds() -> None:
    game = Zilch(2, "A: roll = 1 1 1 5 5 5")

    assert labels(game, "A")[0].startswith("zilch.key.plan_sure dice='111555' points=1500")


@pytest.mark.parametrize(
    ("dice", "rows"),
    [
        ("5 1 2 3 3", ["[k1] [k2] [k3] [k4] [k5]"]),
        ("5 1 2 3", ["[k1] [k2] [k3] [k4]"]),
        ("1", ["[k1]"]),
    ],
)
def test_five_dice_and_fewer_lie_in_one_row(dice: str, rows: list[str]) -> None:
    kept = "1" * (6 - len(dice.split()))
    game = Zilch(2, f"A: roll = {' '.join(kept)} {dice}")

    game.play(f"A: {kept} roll = {dice}")

    assert game.keys[1:-1] == rows


def test_3_below_300_the_board_says_why_there_is_no_bank() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 2")
    why = "zilch.too_little least=300"

    def offered(selection: str) -> tuple[bool, bool]:
        """Whether there is a bank button, and whether the board says why not."""
        board = game.seen("A", selection)
        return "[bank]" in keys(board)[-1], why in map(show, board.lines)

    assert offered("") == offered("3") == (False, False)  # all of them would do
    assert offered("16") == offered("126") == (False, True)
    assert offered("1345") == (True, False)


def test_a_press_chooses_a_die_and_a_second_one_does_nothing_more() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    chosen = "zilch.chosen_odds dice='1' points=100 total=100 number=5 risk=7.72%"
    assert game.pressed("A", "k1") == f"selects '1': {chosen}"
    assert game.pressed("A", "k1", "k1") == f"selects '1': {chosen}"
    assert game.pressed("A", "k6", "k1").startswith("selects '16': zilch.chosen_odds dice='1 5'")
    assert game.pressed("A", "k1", "k2", "t1").startswith("selects '2'")
    assert game.pressed("A", "k1", "t1", "t1") == "selects '': zilch.none_chosen"


def test_what_is_chosen_is_shown_and_can_be_rolled_or_banked() -> None:
    game = Zilch(2, "A: roll = 1 1 1 2 5 6")

    board = game.seen("A", "1235")

    assert keys(board) == [
        "[roll_best]",
        "[t1] [t2] [t3]",
        "[k4] [t5] [k6]",
        "[roll] [bank]",
    ]
    assert [show(line) for line in board.lines][2] == (
        "zilch.chosen_odds dice='1 1 1 5' points=1050 total=1050 number=2 risk=44.44%"
    )
    assert labels(game, "A", "1235")[-2:] == [
        "zilch.key.roll number=2",
        "zilch.key.bank points=1050",
    ]
    assert labels(game, "A", "1235")[1] == "zilch.key.kept die='1'"


def test_below_300_there_is_no_button_to_bank() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert keys(game.seen("A", "126"))[-1] == "[roll]"
    assert game.pressed("A", "k1", "bank") == (
        "refused: zilch.refused.too_little least=300 points=100"
    )


def test_what_does_not_score_yet_says_what_it_needs_and_can_not_be_rolled() -> None:
    game = Zilch(2, "A: roll = 1 3 3 3 5 6")

    needs = "zilch.not_yet dice='3 3' best='3 3 3' points=300"
    assert game.pressed("A", "k2", "k3") == f"selects '23': {needs}"
    assert keys(game.seen("A", "23"))[-1] == "[roll]"
    assert [show(line) for line in game.seen("A", "23").lines][2] == needs
    assert game.pressed("A", "k2", "k3", "roll") == (
        "refused: zilch.refused.no_score dice='3 3' best='1 3 3 3 5' points=450"
    )
    assert game.pressed("A", "k2", "k1", "k3", "k4", "roll") == "moves 1333 roll"


def test_dice_that_score_only_as_all_six_are_told_so() -> None:
    game = Zilch(2, "A: roll = 2 2 3 3 4 4")

    assert game.pressed("A", "k1") == (
        "selects '1': zilch.not_yet dice='2' best='2 2 3 3 4 4' points=1500"
    )


def test_a_die_that_scores_in_no_way_can_not_be_chosen() -> None:
    game = Zilch(2, "A: roll = 1 3 3 3 5 6")

    assert game.pressed("A", "k6") == (
        "refused: zilch.refused.no_score dice='6' best='1 3 3 3 5' points=450"
    )


def test_the_plan_counts_whatever_is_chosen() -> None:
    game = Zilch(2, "A: roll = 1 1 1 2 5 6")

    assert game.pressed("A", "k1", "roll_best") == "moves 1115 roll"
    assert game.pressed("A", "k1", "bank_best") == "moves 1115 bank"


def test_roll_and_bank_with_nothing_chosen_are_refused() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.pressed("A", "roll").startswith("refused: zilch.refused.nothing")
    assert game.pressed("A", "bank").startswith("refused: zilch.refused.nothing")


@pytest.mark.parametrize("code", ["k0", "k7", "k5", "t5", "k", "k1 ", "k11", "x1", "K1", "k١"])
def test_other_codes_are_stale(code: str) -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3\nA: 11 roll = 1 2 3 4")

    assert game.pressed("A", code) == "refused: refused.stale"


def test_only_the_one_whose_turn_it_is_presses() -> None:
    game = Zilch(3, "A: roll = 1 1 5 2 2 3\nC: leave")

    for code in ("k1", "roll_best", "roll", "bank"):
        assert game.pressed("B", code) == "refused: zilch.refused.turn"
        assert game.pressed("C", code) == "refused: zilch.refused.gone"


def test_the_points_are_one_tap_away_for_everybody() -> None:
    game = Zilch(2, "A: roll = 1 1 5 2 2 3")

    assert game.pressed("A", "guide") == game.pressed("B", "guide") == "answers zilch.guide"


def test_the_turn_so_far_zilch_marks_and_banks_are_shown() -> None:
    game = Zilch(3, "A fails\nB banks 111\nC fails\nA fails\nB banks 333\nC: leave")

    game.play("A: roll = 1 1 5 2 2 3\nA: 11 roll = 5 2 3 4")

    assert game.lines == [
        "zilch.past.left name=C points=0 kept='' dice='' bank=0 penalty=500 hot=''",
        "zilch.head name=A ends=⏱ goal=10000",
        "zilch.lying_on dice='2 3 4 5' points=200 kept='1 1'",
        "zilch.too_little least=300",
        "zilch.banks banks=(zilch.line.acting name=A bank=0 marks=' ❌❌' | "
        "zilch.line.waiting name=B bank=1300 marks='' | zilch.line.gone name=C)",
    ]


def test_the_last_round_is_announced_with_the_bank_to_beat() -> None:
    game = Zilch(3, "A banks 111111\nB banks 111111\nC banks 333\nA banks 1111")

    assert game.lines[1:3] == [
        "zilch.head name=B ends=⏱ goal=10000",
        "zilch.last_round name=A bank=10000",
    ]
    assert game.lines[-1] == (
        "zilch.banks banks=(zilch.line.through name=A bank=10000 marks='' | "
        "zilch.line.acting name=B bank=8000 marks='' | "
        "zilch.line.waiting name=C bank=300 marks='')"
    )
    game.play("B banks 11111")
    assert game.lines[2] == "zilch.last_round name=B bank=12000"


def test_the_result_names_banks_best_turns_and_zilches() -> None:
    game = Zilch(3, "A banks 111111\nB banks 333\nC: leave\nA banks 1111\nB banks 111111")

    assert game.lines == [
        "A 10000 zilch.how best=8000 missed=0",
        "B 8300 zilch.how best=8000 missed=0",
        "C 0 zilch.how.gone",
    ]


def test_who_takes_the_lead_is_told_with_the_turn() -> None:
    game = Zilch(2, "A banks 333\nB banks 111")
    assert game.lines[0].startswith("zilch.past.leads line=zilch.past.banked name=B ")

    game.play("A banks 333")
    assert game.lines[0].startswith("zilch.past.banked name=A ")


def test_hot_dice_are_told_with_the_turn() -> None:
    game = Zilch(2, "A: roll = 1 1 1 5 5 5\nA: 111555 roll = 1 1 5 2 3 4\nA: 115 bank")

    assert game.lines[0].endswith("hot=' 🔥'")


def test_every_turn_is_a_new_message_and_every_throw_an_edit() -> None:
    game = Zilch(2, "A banks 333")
    scene = game.rules.phase(game.state).scene

    game.play("B: roll = 1 1 5 2 2 3")
    assert game.rules.phase(game.state).scene == scene
    game.play("B: 115 roll = 2 3 3")
    assert game.rules.phase(game.state).scene == scene + 1


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("A banks 333", "zilch.past.banked name=A points=300 kept='3 3 3' dice='' bank=300"),
        ("A fails", "zilch.past.zilch name=A points=100 kept='1' dice='2 2 3 3 4' bank=0"),
        ("late", "zilch.past.late name=A points=0 kept='' dice='' bank=0"),
        ("A: leave", "zilch.past.left name=A points=0 kept='' dice='' bank=0"),
    ],
)
def test_the_message_of_an_earlier_turn_says_how_it_went(script: str, line: str) -> None:
    game = Zilch(3, script)

    more = "penalty=500 hot=''"
    assert [show(past) for past in game.view.past(game.state, 1)] == [f"{line} {more}"]
    assert game.view.past(game.state, 2) == ()


def test_the_message_of_a_turn_that_the_end_broke_off_says_so() -> None:
    game = Zilch(2, "A banks 333\nB: roll = 1 2 3 4 4 6\nA: leave")

    assert [show(line) for line in game.view.past(game.state, 2)] == ["zilch.past.open name=B"]


def test_who_moved_is_told_what_came_of_it() -> None:
    game = Zilch(2)

    assert game.told("A: roll = 1 3 4 5 5 6") == (
        "zilch.threw dice='1 3 4 5 5 6' best='1 5 5' points=200"
    )
    assert game.told("A: 155 roll = 2 3 3") == (
        "zilch.told.zilch points=200 dice='2 3 3' bank=0 marks='❌'"
    )
    game.play("B banks 333\nA fails\nB banks 333\nA: roll = 1 2 2 3 3 4")
    assert game.told("A: 1 roll = 2 2 3 3 4").startswith("zilch.told.penalty points=100")
    game.play("B: roll = 1 1 1 1 1 1")
    assert game.told("B: 111111 bank") == (
        "zilch.told.banked points=8000 dice='' bank=8600 marks=''"
    )
    assert game.told("late").startswith("zilch.told.late ")
    game.play("B: roll = 1 1 1 1 2 3")
    assert game.told("B: 1111 bank").startswith("zilch.told.last_round points=2000")
    assert game.told("A: leave") == "zilch.told.left points=0 dice='' bank=-500 marks=''"


def test_who_leaves_out_of_turn_is_told_so() -> None:
    assert Zilch(3).told("B: leave") == "zilch.told.left"
