"""RULES 2, BOARDS: what people see of a game, and what their presses mean."""

from __future__ import annotations

import pytest

from games.game import Move, Refusal, Select
from games.yahtzee.boxes import BOXES
from tests.games.table import keys, show
from tests.games.yahtzee.table import JUNK, Yahtzee

DICE = "[k1] [k2] [k3] [k4] [k5]"


def labels(game: Yahtzee, selection: str = "") -> list[str]:
    rows = game.view.board(game.state, selection).buttons
    return [show(button.label).removeprefix("yahtzee.key.") for row in rows for button in row]


def selected(action: object) -> tuple[str, str]:
    assert isinstance(action, Select), action
    assert action.shown
    return action.selection, show(action.toast)


def refused(game: Yahtzee, letter: str, code: str, selection: str = "") -> str:
    try:
        action = game.pressed(letter, code, selection)
    except Refusal as refusal:
        return show(refusal.text)
    raise AssertionError(action)


# -- lines --------------------------------------------------------------------------------------


def test_the_board_says_whose_turn_it_is_and_what_everybody_has() -> None:
    game = Yahtzee(2, f"A 66661 sixes\nB {JUNK} chance\nA 31552")

    assert game.lines == [
        "yahtzee.head name=A round=2 ends=⏱",
        "yahtzee.line.turn number=1 name=A total=24 extra=''",
        "yahtzee.line.player number=2 name=B total=14 extra=''",
        "yahtzee.sheets grid=[_ 1 2 3 4 5 6 Σ +35 _ | >1 · · · · · 24 24 · _ "
        "| 2 · · · · · · 0 · _ | _ _ _ _ _ _ _ _ _ _ "
        "| _ one_pair two_pairs three_of_a_kind four_of_a_kind full_house short_straight "
        "long_straight yahtzee chance | >1 · · · · · · · · · | 2 · · · · · · · · 14]",
        "yahtzee.upper.open have=24 goal=63 missing=39",
        "yahtzee.dice.thrown thrown=1 dice='3 1 5 5 2' faces='⚂ ⚀ ⚄ ⚄ ⚁'",
    ]


def test_the_dice_line_follows_the_throws() -> None:
    game = Yahtzee(2)
    assert game.lines[-1] == "yahtzee.dice.none"

    game.play("A 31552\nA: roll 0")
    assert game.lines[-1].startswith("yahtzee.dice.thrown thrown=2 ")

    game.play("A: roll 0")
    assert game.lines[-1].startswith("yahtzee.dice.last thrown=3 ")


def test_the_board_says_where_the_upper_bonus_stands() -> None:
    game = Yahtzee(2)
    game.play(f"A 11234 sixes\nB 66666 sixes\nA 11234 fives\nB 55555 fives\nA {JUNK}")
    assert game.lines[-2] == "yahtzee.upper.lost have=0 goal=63 missing=63"

    game.play("A: score chance\nB 44444 fours\nA 11111 ones\nB 11111")
    assert game.lines[-2] == "yahtzee.upper.won have=75"


def test_the_sheets_tell_whose_bonus_is_won_lost_or_open() -> None:
    game = Yahtzee(3)
    for box, throws in {
        "sixes": ("66666", JUNK, "66611"),
        "fives": ("55555", "11111", "55511"),
        "fours": ("44444", "11111", "44411"),
    }.items():
        for letter, throw in zip("ABC", throws, strict=True):
            game.turn(letter, throw, box)

    upper = game.lines[4].split("_ _ _")[0].split(" | ")[1:4]

    assert [row.split()[-2] for row in upper] == ["35", "0", "·"]
    assert [row.split()[-3] for row in upper] == ["75", "6", "45"]


def test_yahtzee_bonuses_are_shown_beside_the_total() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\nB {JUNK} ones\nA 44444 fours")

    assert game.lines[1] == "yahtzee.line.player number=1 name=A total=170 extra=' (+100)'"


def test_who_left_or_was_taken_out_is_said_and_has_no_row() -> None:
    game = Yahtzee(4, "B: leave")
    for _ in range(3):
        game.play("late = 1 1 2 4 6")
        if game.actors == "C":
            game.turns(2)

    assert game.lines[1:5] == [
        "yahtzee.line.out name=A",
        "yahtzee.line.gone name=B",
        "yahtzee.line.turn number=3 name=C total=4 extra=''",
        "yahtzee.line.player number=4 name=D total=4 extra=''",
    ]
    assert " | 2 " not in game.lines[5]
    assert ">3 " in game.lines[5]


def test_the_finished_board_has_everybody_by_their_total_and_no_buttons() -> None:
    game = Yahtzee(4, f"A {JUNK} ones\nB 66666 yahtzee\nC {JUNK} chance\nD: leave")
    game.turns(42)

    assert [line.split()[:2] + line.split()[2:3] for line in game.lines[:4]] == [
        ["yahtzee.line.player", "number=2", "name=B"],
        ["yahtzee.line.player", "number=1", "name=A"],
        ["yahtzee.line.player", "number=3", "name=C"],
        ["yahtzee.line.gone", "name=D"],
    ]
    assert ">" not in game.lines[4]
    assert (len(game.lines), game.keys) == (5, [])


# -- buttons ------------------------------------------------------------------------------------


def test_before_the_first_throw_there_is_only_the_throw() -> None:
    game = Yahtzee(2)

    assert game.keys == ["[roll]"]
    assert labels(game) == ["roll n=5 left=3"]


def test_five_dice_in_a_row_the_throw_and_the_boxes_two_in_a_row() -> None:
    game = Yahtzee(2, "A 31552")

    assert game.keys == [
        DICE,
        "[roll]",
        "[ones] [twos]",
        "[threes] [fives]",
        "[one_pair] [chance]",
        "[fours] [sixes]",
        "[two_pairs] [three_of_a_kind]",
        "[four_of_a_kind] [full_house]",
        "[short_straight] [long_straight]",
        "[yahtzee]",
    ]


def test_a_die_shows_its_place_its_face_and_whether_it_is_kept() -> None:
    game = Yahtzee(2, "A 31552")

    assert labels(game, "34")[:6] == [
        "die place=1 face='⚂'",
        "die place=2 face='⚀'",
        "kept place=3 face='⚄'",
        "kept place=4 face='⚄'",
        "die place=5 face='⚁'",
        "roll n=3 left=2",
    ]
    assert keys(game.view.board(game.state, "34"))[0] == "[k1] [k2] [t3] [t4] [k5]"


def test_a_box_shows_what_it_would_bring_now_and_those_that_bring_nothing_come_last() -> None:
    game = Yahtzee(2, "A 33366")

    shown = labels(game)[6:]

    assert shown[:3] == [
        "box box=yahtzee.box.threes value='9'",
        "box box=yahtzee.box.sixes value='12'",
        "box box=yahtzee.box.one_pair value='21'",
    ]
    assert [label.split()[0] for label in shown] == ["box"] * 7 + ["zero"] * 8


def test_a_box_shows_the_yahtzee_bonus_too() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\nB {JUNK} ones\nA 44444")

    assert "box box=yahtzee.box.fours value='20+100'" in labels(game)
    assert "box box=yahtzee.box.ones value='0+100'" in labels(game)


def test_used_boxes_have_no_button() -> None:
    game = Yahtzee(2, f"A 33366 full_house\nB {JUNK} ones\nA 33366")

    assert not any("full_house" in row for row in game.keys)


def test_after_the_last_throw_only_the_boxes_are_left() -> None:
    game = Yahtzee(2, "A 31552\nA: roll 0\nA: roll 0")

    assert game.keys[0] == "[ones] [twos]"


def test_with_all_five_kept_there_is_nothing_to_throw() -> None:
    game = Yahtzee(2, "A 31552")

    assert keys(game.view.board(game.state, "12345"))[1] == "[ones] [twos]"
    assert refused(game, "A", "roll", "12345") == "yahtzee.refused.all_kept"


# -- presses ------------------------------------------------------------------------------------


def test_a_press_on_a_die_keeps_it_and_another_lets_it_go() -> None:
    game = Yahtzee(2, "A 31552")

    assert selected(game.pressed("A", "k4")) == ("4", "yahtzee.selected kept='5' n=4")
    assert selected(game.pressed("A", "k3", "4")) == ("34", "yahtzee.selected kept='5 5' n=3")
    assert selected(game.pressed("A", "t4", "34")) == ("3", "yahtzee.selected kept='5' n=4")
    assert selected(game.pressed("A", "t3", "3")) == ("0", "yahtzee.selected kept='–' n=5")
    assert selected(game.pressed("A", "k5", "1234"))[1] == "yahtzee.selected_all kept='3 1 5 5 2'"


def test_a_double_press_does_nothing_twice() -> None:
    game = Yahtzee(2, "A 31552")

    assert selected(game.pressed("A", "k4", "4"))[0] == "4"
    assert selected(game.pressed("A", "t4", "0"))[0] == "0"


@pytest.mark.parametrize(("selection", "move"), [("", "12345"), ("34", "125"), ("0", "12345")])
def test_roll_throws_those_not_kept(selection: str, move: str) -> None:
    assert Yahtzee(2, "A 31552").pressed("A", "roll", selection) == Move(f"roll {move}")


def test_the_first_throw_throws_all() -> None:
    assert Yahtzee(2).pressed("A", "roll") == Move("roll")


def test_dice_kept_with_the_throw_before_stay_kept_until_let_go() -> None:
    game = Yahtzee(2, "A 31552\nA: roll 125 = 5 6 1")

    assert game.keys[0] == "[k1] [k2] [t3] [t4] [k5]"
    assert game.pressed("A", "roll") == Move("roll 125")
    assert selected(game.pressed("A", "k1"))[0] == "134"
    assert selected(game.pressed("A", "t3"))[0] == "4"
    assert selected(game.pressed("A", "t4", "4"))[0] == "0"
    assert game.pressed("A", "roll", "0") == Move("roll 12345")


@pytest.mark.parametrize("box", BOXES)
def test_a_press_on_a_box_scores_it(box: str) -> None:
    assert Yahtzee(2, "A 31552").pressed("A", box) == Move(f"score {box}")


def test_what_cannot_be_pressed_is_refused() -> None:
    game = Yahtzee(2)
    assert refused(game, "A", "k1") == "yahtzee.refused.first"
    assert refused(game, "A", "ones") == "yahtzee.refused.first"
    assert refused(game, "B", "roll") == "yahtzee.refused.turn n=1"

    game.play("A 31552\nA: roll 0\nA: roll 0")
    assert refused(game, "A", "k1").startswith("yahtzee.refused.no_throw")
    assert refused(game, "A", "roll").startswith("yahtzee.refused.no_throw")
    for code in ("k6", "k0", "k", "t12", "k１", "score ones", "Ones", "late", "leave", "roll 1"):
        assert refused(game, "A", code) == "refused.stale"


# -- what is told -------------------------------------------------------------------------------


def test_what_the_mover_is_told() -> None:
    game = Yahtzee(3)

    def told(line: str) -> str:
        before, (seat, move, dice) = game.state, game.read(line)
        game.move(seat, move, dice)
        return show(game.view.thrown(before, game.state, seat))

    first = "dice='4 4 4 4 1' faces='⚃ ⚃ ⚃ ⚃ ⚀'"
    assert told("A: roll = 4 4 4 4 1") == f"yahtzee.threw {first} n=2"
    assert told("A: roll 5 = 4") == "yahtzee.threw dice='4 4 4 4 4' faces='⚃ ⚃ ⚃ ⚃ ⚃' n=1"
    assert told("A: roll 0").startswith("yahtzee.threw_last ")
    assert told("A: score yahtzee") == (
        "yahtzee.scored box=yahtzee.box.yahtzee value='50' dice='4 4 4 4 4' total=50"
    )
    assert told("D: join") == "yahtzee.joined"
    assert told("B: leave") == "yahtzee.left"
    assert told("D: leave") == "yahtzee.left"
    assert told("late = 1 1 2 4 6") == (
        "yahtzee.late box=yahtzee.box.one_pair value='14' dice='1 1 2 4 6' total=14"
    )
    assert told("late = 4 4 4 4 4") == (
        "yahtzee.late box=yahtzee.box.fours value='20+100' dice='4 4 4 4 4' total=170"
    )


def test_an_old_board_says_what_its_turn_brought() -> None:
    game = Yahtzee(3, f"A 33366 full_house\nB {JUNK}\nB: leave")
    game.play("late = 4 4 4 4 4")
    for _ in range(2):
        game.turns(1)
        game.play("late = 1 1 2 4 6")

    past = [show(game.view.past(game.state, scene)[0]) for scene in range(1, 9)]

    assert past[0] == (
        "yahtzee.past.scored name=A value='25' box=yahtzee.box.full_house dice='3 3 3 6 6'"
    )
    assert past[1] == "yahtzee.past.left name=B"
    assert past[2].startswith("yahtzee.past.late name=C value='50' box=yahtzee.box.yahtzee")
    assert past[6].startswith("yahtzee.past.out name=C")
    assert past[7] == "yahtzee.past.open"
