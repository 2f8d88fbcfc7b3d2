"""RULES 2, BOARDS: what people see of a game, and what their presses mean."""

from __future__ import annotations

import pytest

from games.game import Answer, Move, Refusal, Select
from games.yahtzee import asked, sheets
from games.yahtzee.boxes import BOXES
from games.yahtzee.selection import plan
from tests.games.table import keys, show
from tests.games.yahtzee.table import JUNK, Yahtzee

MOST_ROWS = 5
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


def test_the_board_tells_the_turn_before_whose_turn_it_is_and_what_everybody_has() -> None:
    game = Yahtzee(2, f"A 66661 sixes\nB {JUNK} chance\nA 31552")

    assert game.lines == [
        "yahtzee.past.scored name=B value='14' box=yahtzee.box.chance dice='1 1 2 4 6'",
        "yahtzee.head name=A round=2 ends=⏱",
        "yahtzee.dice.thrown dice='3 1 5 5 2' n=2",
        "yahtzee.odds number=3 odds=("
        "yahtzee.odds.box box=yahtzee.key.three_of_a_kind chance=44.44% | "
        "yahtzee.odds.box box=yahtzee.key.full_house chance=9.26%)",
        "yahtzee.upper.open have=24 goal=63 missing=39",
        "yahtzee.standing players=(yahtzee.line.turn name=A total=24 | "
        "yahtzee.line.player name=B total=14)",
    ]


def test_the_dice_line_follows_the_throws() -> None:
    game = Yahtzee(2)
    assert game.lines[1] == "yahtzee.dice.none"

    game.play("A 31552\nA: roll 0")
    assert game.lines[1].startswith("yahtzee.dice.thrown ")
    assert game.lines[1].endswith(" n=1")

    game.play("A: roll 0")
    assert game.lines[1].startswith("yahtzee.dice.last ")


def test_the_board_says_where_the_upper_bonus_stands() -> None:
    game = Yahtzee(2)
    game.play(f"A 11234 sixes\nB 66666 sixes\nA 11234 fives\nB 55555 fives\nA {JUNK}")
    assert game.lines[-2] == "yahtzee.upper.lost have=0 goal=63 missing=63"

    game.play("A: score chance\nB 44444 fours\nA 11111 ones\nB 11111")
    assert game.lines[-2] == "yahtzee.upper.won have=75"


def test_a_yahtzee_is_no_line_like_another_and_a_crossed_box_gets_no_tick() -> None:
    game = Yahtzee(2, "A 33333 yahtzee")
    assert game.lines[0].startswith("yahtzee.past.yahtzee name=A value='50'")

    game.play("B 33366 short_straight")
    assert game.lines[0].startswith("yahtzee.past.crossed name=B value='0'")

    game.play("A 33333 short_straight")
    assert game.lines[0].startswith("yahtzee.past.yahtzee_again name=A value='0+100'")


def test_a_new_leader_is_told_when_the_round_is_over() -> None:
    game = Yahtzee(2, "A 66666 sixes\nB 11111 ones\nA 11234 ones")
    assert not game.lines[0].startswith("yahtzee.past.leads")

    game.play("B 66666 yahtzee")
    assert game.lines[0].startswith("yahtzee.past.leads line=yahtzee.past.yahtzee name=B")
    assert game.lines[0].endswith("name=B")


def test_who_left_or_was_taken_out_is_said() -> None:
    game = Yahtzee(4, "B: leave")
    for _ in range(3):
        game.play("late = 1 1 2 4 6")
        if game.actors == "C":
            game.turns(2)

    assert game.lines[-1].split(" | ", 2)[2] == (
        "yahtzee.line.out name=A | yahtzee.line.gone name=B)"
    )


def test_the_result_has_everybody_by_their_total() -> None:
    game = Yahtzee(4, f"A {JUNK} ones\nB 66666 yahtzee\nC {JUNK} chance\nD: leave")
    game.turns(42)

    assert [line.split()[0] for line in game.lines] == ["B", "A", "C", "D"]
    assert game.lines[-1] == "D 0 yahtzee.how.gone"


def test_the_sheets_of_a_finished_game_stand_side_by_side_with_their_sums() -> None:
    game = Yahtzee(2, f"A 66666 yahtzee\nB {JUNK} chance\nA 66666 sixes")
    game.play("B: leave")

    shown = show(sheets.every(game.state))

    assert shown.startswith("[_ A B | ones · · ")
    assert "| sixes 30 · | bonus 0 0 |" in shown
    assert shown.endswith("| chance · 14 | extra 100 0 | total 180 14]")


def test_ones_own_sheet_is_one_press_away_for_everybody_who_plays() -> None:
    game = Yahtzee(2, f"A 66661 sixes\nB {JUNK} chance")

    action = game.pressed("B", "sheet")

    assert isinstance(action, Answer)
    assert action.alert
    assert "yahtzee.mine.box box=yahtzee.short.chance value='14'" in show(action.text)


# -- buttons ------------------------------------------------------------------------------------


def test_before_the_first_throw_there_is_only_the_throw() -> None:
    game = Yahtzee(2)

    assert game.keys == ["[roll]"]
    assert labels(game) == ["roll n=5"]


def test_the_plan_the_dice_the_best_boxes_and_what_opens_stand_in_four_rows() -> None:
    game = Yahtzee(2, "A 66636")

    assert game.keys == [
        "[plan] [roll]",
        DICE,
        "[sixes] [three_of_a_kind] [four_of_a_kind]",
        "[boxes] [sheet] [cross]",
    ]
    assert labels(game)[:2] == ["keep dice='6 6 6 6' number=1", "all"]


@pytest.mark.parametrize(
    ("dice", "script", "places"),
    [
        ("36646", "", "235"),  # three equal ones
        ("33465", "", "2345"),  # four in a row while a straight is open
        ("33655", "", "1245"),  # two pairs, which have a box
        ("13526", "", ""),  # no question: nothing belongs together
        ("22222", "", ""),  # a Yahtzee is made
        ("12345", "", ""),  # so is a long straight
    ],
)
def test_the_plan_is_what_nearly_everyone_means(dice: str, script: str, places: str) -> None:
    game = Yahtzee(2, f"{script}\nA {dice}" if script else f"A {dice}")

    assert "".join(map(str, plan(game.state))) == places


def test_the_plan_is_one_press() -> None:
    assert Yahtzee(2, "A 66636").pressed("A", "plan") == Move("roll 4")


def test_the_second_keyboards_open_in_place_and_close_again() -> None:
    game = Yahtzee(2, "A 33366")

    crossed = game.pressed("A", "cross", "12")
    assert isinstance(crossed, Select)
    assert (crossed.selection, crossed.at_once) == ("12x", True)
    rows = keys(game.view.board(game.state, crossed.selection))
    assert rows[-1] == "[back]"
    assert "[ones] [twos] [fours]" in rows
    assert len(rows) <= MOST_ROWS

    opened = game.pressed("A", "boxes", "12x")
    assert isinstance(opened, Select)
    assert opened.selection == "12b"
    rows = keys(game.view.board(game.state, opened.selection))
    assert rows == [
        "[threes] [sixes] [one_pair]",
        "[two_pairs] [three_of_a_kind] [full_house]",
        "[chance]",
        "[back]",
    ]
    assert selected(game.pressed("A", "k3", "12b"))[0] == "123"
    closed = game.pressed("A", "back", "12b")
    assert isinstance(closed, Select)
    assert closed.selection == "12"


def test_a_die_shows_its_value_and_whether_it_is_kept() -> None:
    game = Yahtzee(2, "A 31552")

    assert labels(game, "34")[:7] == [
        "keep dice='5 5' number=3",
        "all",
        "die face=3",
        "die face=1",
        "kept face=5",
        "kept face=5",
        "die face=2",
    ]
    assert keys(game.view.board(game.state, "34"))[:2] == [
        "[roll] [all]",
        "[k1] [k2] [t3] [t4] [k5]",
    ]


def test_a_box_shows_what_it_would_bring_now() -> None:
    game = Yahtzee(2, "A 33366")

    assert labels(game)[-6:-3] == [
        "box box=yahtzee.key.threes value=9",
        "box box=yahtzee.key.three_of_a_kind value=21",
        "box box=yahtzee.key.full_house value=25",
    ]


def test_a_box_shows_the_yahtzee_bonus_too() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\nB {JUNK} ones\nA 44444")

    assert "box box=yahtzee.key.fours value=120" in labels(game)
    assert "box box=yahtzee.key.ones value=100" in labels(game, "b")


def test_five_equal_dice_are_no_line_like_another_while_they_lie() -> None:
    game = Yahtzee(2, "A 44444")

    assert game.lines[1] == "yahtzee.dice.yahtzee dice='4 4 4 4 4' n=2"
    assert not any("odds" in line for line in game.lines)


def test_odds_are_those_of_the_dice_kept_and_none_is_nothing() -> None:
    game = Yahtzee(2, "A 66634\nA: roll 45 = 3 4")

    def odds(selection: str) -> list[str]:
        lines = game.view.board(game.state, selection).lines
        return [show(line) for line in lines if line.key == "yahtzee.odds"]

    kept = (
        "yahtzee.odds number=2 odds=("
        "yahtzee.odds.box box=yahtzee.key.four_of_a_kind chance=30.56% | "
        "yahtzee.odds.box box=yahtzee.key.full_house chance=13.89%)"
    )
    assert odds("123") == odds("0") == odds("") == [kept]  # where nothing is kept: the plan's
    told = "yahtzee.selected_odds selected=yahtzee.selected kept='6 6 6' n=2 odds="
    assert selected(game.pressed("A", "k3", "12"))[1] == told + kept
    game.play("A: roll 45 = 3 4")
    assert odds("123") == []  # the last throw has fallen


def test_a_box_that_would_bring_nothing_is_named_as_crossed_out() -> None:
    game = Yahtzee(2, f"A 44444 yahtzee\nB {JUNK} ones\nA 66666 chance\nB 66631")

    def named(seat: int, box: str) -> str:
        return show(asked.named(game.state, seat, f"score {box}"))

    assert named(1, "yahtzee") == "yahtzee.named.cross box=yahtzee.box.yahtzee"
    assert named(1, "sixes") == "yahtzee.box.sixes"
    game.play("B: score sixes\nA 66666")
    assert named(0, "short_straight") == "yahtzee.box.short_straight"  # it brings the bonus


def test_used_boxes_have_no_button() -> None:
    game = Yahtzee(2, f"A 33366 full_house\nB {JUNK} ones\nA 33366")

    for selection in ("", "b", "x"):
        assert not any("full_house" in row for row in keys(game.view.board(game.state, selection)))


def test_after_the_last_throw_only_the_boxes_are_left() -> None:
    game = Yahtzee(2, "A 31552\nA: roll 0\nA: roll 0")

    assert game.keys == ["[ones] [twos] [fives]", "[boxes] [sheet] [cross]"]


def test_with_all_five_kept_there_is_nothing_to_throw_but_the_plan() -> None:
    game = Yahtzee(2, "A 31552")

    assert keys(game.view.board(game.state, "12345"))[0] == "[plan] [all]"
    assert refused(game, "A", "roll", "12345") == "yahtzee.refused.all_kept"


# -- presses ------------------------------------------------------------------------------------


def test_a_press_on_a_die_keeps_it_and_another_lets_it_go() -> None:
    game = Yahtzee(2, "A 31552")

    def kept(code: str, selection: str = "") -> tuple[str, str]:
        """The selection, and what is told of it before the odds."""
        now, told = selected(game.pressed("A", code, selection))
        return now, told.removeprefix("yahtzee.selected_odds selected=").split(" odds=")[0]

    assert kept("k4") == ("4", "yahtzee.selected kept='5' n=4")
    assert kept("k3", "4") == ("34", "yahtzee.selected kept='5 5' n=3")
    assert kept("t4", "34") == ("3", "yahtzee.selected kept='5' n=4")
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

    assert game.keys[1] == "[k1] [k2] [t3] [t4] [k5]"
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
    assert told("A: roll 5 = 4") == "yahtzee.threw_yahtzee dice='4 4 4 4 4' faces='⚃ ⚃ ⚃ ⚃ ⚃' n=1"
    assert told("A: roll 0").startswith("yahtzee.threw_yahtzee ")
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
    assert past[1].startswith("yahtzee.past.left name=B")
    assert past[2].startswith("yahtzee.past.late name=C value='50' box=yahtzee.box.yahtzee")
    assert past[6].startswith("yahtzee.past.out name=C")
    assert past[7] == "yahtzee.past.open"
