"""RULES 1.2: ten dice for the whole game, each used once, every throw open."""

from __future__ import annotations

import pytest

from games.game import Answer, Move, Refusal, Select
from tests.games.fifty.table import ALL_DICE, Fifty
from tests.games.table import show


def test_1_2_everybody_owns_ten_dice() -> None:
    game = Fifty(2, "deal 15 20 15")

    assert [game.left(letter) for letter in "AB"] == ["4+4+4+6+6+8+8+10+12+20"] * 2


def test_1_2_a_die_is_used_once() -> None:
    game = Fifty(2, "deal 15 20 15")

    game.play("""
        A: 4+6+20 = 1 1 1
        B: 4+4+4 = 1 1 1
    """)

    assert game.left("A") == "4+4+6+8+8+10+12"
    assert game.left("B") == "6+6+8+8+10+12+20"
    assert game.refuses("A: 8+20").startswith("fifty.refused.die die=20")


def test_1_2_a_throw_uses_one_die_or_all_that_are_left() -> None:
    game = Fifty(2, "deal 15 20 15")

    game.play(f"A: {ALL_DICE} = 1 1 1 1 1 1 1 1 1 1")
    game.play("B: 8 = 1")

    assert (game.total("A"), game.left("A")) == (10, "")
    assert (game.total("B"), game.left("B")) == (1, "4+4+4+6+6+8+10+12+20")


def test_1_2_a_die_that_shows_its_highest_face_is_thrown_again_and_adds_up() -> None:
    game = Fifty(2, "deal 20 15 15")

    game.play("A: 6 = 6 6 3")

    assert game.total("A") == 15
    assert game.lines[1].startswith("fifty.line.thrown name=A")
    assert "6>6>3 = 15" in game.lines[1]


def test_1_2_an_open_throw_has_no_end() -> None:
    game = Fifty(2, "deal 40 5 5")

    game.play("A: 4 = 4 4 4 4 4 4 4 4 4 3")

    assert game.total("A") == 39
    assert "A" not in game.actors


def test_1_2_each_die_of_a_throw_is_open_on_its_own() -> None:
    game = Fifty(2, "deal 40 5 5")

    game.play("A: 4+4+12 = 3 4 1 12 12 2")

    assert game.total("A") == 3 + (4 + 1) + (12 + 12 + 2)
    assert "3 + 4>1 + 12>12>2 = 34" in game.lines[1]


@pytest.mark.parametrize(
    "words",
    ["4+4+6+8+12", "2w4+w6+w8+w12", "2d4+d6+d8+d12", "2W4+D6+w8+12", " 12 + 8+ 6 +2 w 4 "],
)
def test_1_2_the_ways_to_write_a_throw(words: str) -> None:
    game = Fifty(2, "deal 15 20 15")

    action = game.view.command(game.state, 0, "", "d", words)

    assert action == Move("4+4+6+8+12")
    game.play(f"A: {words} = 1 1 1 1 1")
    assert game.left("A") == "4+6+8+10+20"


def test_1_2_a_die_not_left_is_refused_naming_the_dice_left() -> None:
    game = Fifty(2, "deal 15 20 15")
    game.play("""
        A: 8+8 = 1 1
        B: 4 = 1
    """)

    assert game.refuses("A: 4+8") == "fifty.refused.die die=8 left='4+4+4+6+6+10+12+20'"


def test_1_2_more_dice_of_a_kind_than_are_left_are_refused_naming_how_many() -> None:
    game = Fifty(2, "deal 15 20 15")
    game.play("A: 8+8 = 1 1\nB: 4 = 1")

    left = "left='4+4+4+6+6+10+12+20'"
    assert game.refuses("A: 4w4") == f"fifty.refused.too_many n=3 die=4 {left}"
    assert game.refuses("A: 10+10") == f"fifty.refused.too_many n=1 die=10 {left}"


def test_1_2_an_unknown_die_is_refused_naming_the_dice_left() -> None:
    game = Fifty(2, "deal 15 20 15")

    assert game.refuses("A: 4+7") == f"fifty.refused.die die=7 left='{ALL_DICE}'"
    assert game.refuses("A: w100") == f"fifty.refused.die die=100 left='{ALL_DICE}'"


def test_1_2_an_empty_throw_is_refused_naming_the_dice_left() -> None:
    game = Fifty(2, "deal 15 20 15")

    assert game.refuses("A: ") == f"fifty.refused.empty left='{ALL_DICE}'"


@pytest.mark.parametrize(
    "words", ["four", "-4", "4+", "+4", "4-4", "4,4", "4 4", "0w4", "4*4", "٤", "４", "4_0", "?"]
)
def test_1_2_what_nobody_can_read_is_refused_naming_the_dice_left(words: str) -> None:
    game = Fifty(2, "deal 15 20 15")

    assert game.refuses(f"A: {words}") == f"fifty.refused.unreadable left='{ALL_DICE}'"


def test_1_2_one_button_per_kind_of_die_without_counts() -> None:
    game = Fifty(2, "deal 15 20 15")

    assert game.keys == ["[+4] [+6] [+8]", "[+10] [+12] [+20]", "[throw] [mine] [clear]"]
    labels = [b.label for row in game.view.board(game.state).buttons[:-1] for b in row]
    assert [show(label) for label in labels] == [
        f"fifty.die sides={sides}" for sides in (4, 6, 8, 10, 12, 20)
    ]


def test_1_2_a_kind_that_nobody_still_to_throw_has_gets_no_button() -> None:
    game = Fifty(3, "deal 15 20 15")

    game.play("""
        A: 4+4+4 = 1 1 1
        B: 12+20 = 1 1
        C: 4+20 = 1 1
        C: 6 = 1
    """)

    assert game.actors == "A B"
    assert game.keys[:-1] == ["[+4] [+6] [+8]", "[+10] [+12] [+20]"]
    game.play("B: 4 = 1")
    assert game.actors == "A"
    assert game.keys[:-1] == ["[+6] [+8] [+10]", "[+12] [+20]"]


def test_1_2_a_press_adds_one_die_to_ones_own_selection() -> None:
    game = Fifty(2, "deal 15 20 15")

    first = game.view.press(game.state, 0, "", "+8")
    second = game.view.press(game.state, 0, "8", "+4")

    assert isinstance(first, Select)
    assert first.selection == "8"
    assert isinstance(second, Select)
    assert second.selection == "4+8"


@pytest.mark.parametrize("selection", ["", "4+4"])
def test_1_2_a_press_for_a_die_not_left_is_refused(selection: str) -> None:
    game = Fifty(2, "deal 15 20 15")
    game.play("A: 20 = 1\nB: 4 = 1")

    with pytest.raises(Refusal) as refused:
        game.view.press(game.state, 0, selection, "+20")

    left = "4+4+4+6+6+8+8+10+12"
    assert show(refused.value.text) == f"fifty.refused.die die=20 left='{left}'"


@pytest.mark.parametrize(
    ("selection", "die", "told"),
    [
        ("4+20", 20, "n=1 die=20 left='4+4+6+6+8+8+10+12'"),
        ("4+4+4", 4, "n=3 die=4 left='6+6+8+8+10+12+20'"),
        ("4+4+4+6+6+8+8+10+12+20", 6, "n=2 die=6 left='–'"),
    ],
)
def test_1_2_a_press_for_a_die_that_is_picked_already_says_so(
    selection: str, die: int, told: str
) -> None:
    game = Fifty(2, "deal 15 20 15")

    with pytest.raises(Refusal) as refused:
        game.view.press(game.state, 0, selection, f"+{die}")

    assert show(refused.value.text) == f"fifty.refused.picked {told}"


def test_1_2_a_press_tells_the_odds_of_the_selection() -> None:
    game = Fifty(2, "deal 15 20 15")

    action = game.view.press(game.state, 0, "4+4", "+12")

    assert isinstance(action, Select)
    told = (
        "fifty.odds pool='4+4+12' odds=(fifty.odds.mostly low=9 high=18 | "
        "fifty.odds.over over=31.40% | fifty.odds.exact exact=6.42%)"
    )
    assert show(action.toast) == told
    mine = game.view.press(game.state, 0, "4+4+12", "mine")
    assert isinstance(mine, Answer)
    assert show(mine.text) == f"fifty.picked odds={told} left='4+6+6+8+8+10+20'"


def test_1_2_odds_that_are_next_to_nothing_are_not_told() -> None:
    def told(limits: str, picked: str, code: str) -> str:
        game = Fifty(2, f"deal {limits}")
        action = game.view.press(game.state, 0, picked, code)
        assert isinstance(action, Select)
        return show(action.toast)

    assert "exact" in told("15 20 15", "8", "+12")
    assert "exact" not in told("15 20 15", "4+4+4+6+6+8+8+10+12", "+20")  # possible, but hardly
    assert "exact" not in told("5 5 40", "4+4+4+6+6", "+8")
    assert "over" not in told("40 5 5", "", "+4").removeprefix("fifty.odds pool='4' odds=")


def test_1_2_throw_throws_the_selection_and_clear_empties_it() -> None:
    game = Fifty(2, "deal 15 20 15")

    assert game.view.press(game.state, 0, "4+12", "throw") == Move("4+12")
    cleared = game.view.press(game.state, 0, "4+12", "clear")
    assert isinstance(cleared, Select)
    assert cleared.selection == ""
    with pytest.raises(Refusal) as refused:
        game.view.press(game.state, 0, "", "throw")
    assert refused.value.text.key == "fifty.refused.empty"


def test_1_2_d_alone_throws_the_selection() -> None:
    game = Fifty(2, "deal 15 20 15")

    assert game.view.command(game.state, 0, "4+12", "d", "") == Move("4+12")
    with pytest.raises(Refusal) as refused:
        game.view.command(game.state, 0, "", "d", "")
    assert refused.value.text.key == "fifty.refused.empty"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ("3 11", "fifty.threw.below throw='3 + 11 = 14' limit=15 below=1"),
        ("4 1 10", "fifty.threw.bullseye throw='4>1 + 10 = 15' limit=15"),
        ("3 12 2", "fifty.threw.over throw='3 + 12>2 = 17' limit=15 over=2"),
    ],
)
def test_1_2_who_threw_is_told_the_chain_and_how_it_lies_to_the_limit(
    values: str, told: str
) -> None:
    game = Fifty(2, "deal 15 20 15")
    before = game.state

    game.play(f"A: 4+12 = {values}")

    assert show(game.view.thrown(before, game.state, 0)) == told


def test_1_7_d_question_mark_tells_ones_own_position() -> None:
    game = Fifty(3, "deal 15 20 15")
    game.play("""
        A: 4+8 = 3 7
        B: 4+12 = 3 10
        C: 12+20 = 11 19
        A: 20 = 2
    """)

    def position(seat: int) -> str:
        answer = game.view.command(game.state, seat, "", "d", "?")
        assert isinstance(answer, Answer)
        return show(answer.text)

    mine = "throws='10 + 2' total=12 place=2 left='4+4+6+6+8+10+12'"
    assert position(0) == f"fifty.position {mine}"
    assert position(1).startswith("fifty.position throws='13' total=13 place=1")
    assert position(2).startswith("fifty.position_out throws='30'")
