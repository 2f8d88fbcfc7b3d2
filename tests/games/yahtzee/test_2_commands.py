"""RULES 2: the typed commands, and what is said to what cannot be done."""

from __future__ import annotations

import pytest

from games.game import Answer
from games.yahtzee.boxes import BOXES
from games.yahtzee.names import find
from tests.games.table import show
from tests.games.yahtzee.table import JUNK, Yahtzee

NAMES = ("Anna", "Ben", "Annika", "Дима")
THROWN = "A 31552"


def answer(game: Yahtzee, letter: str, line: str) -> str:
    action = game.says(letter, line, NAMES)
    assert isinstance(action, Answer), action
    return show(action.text)


# -- /roll and /keep ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("/roll 135", "roll 135"),
        ("/r 135", "roll 135"),
        ("/roll 5 3 1", "roll 135"),
        ("/roll 1,3, 5", "roll 135"),
        ("/roll", "roll 0"),
        ("/r", "roll 0"),
        ("/roll 0", "roll 0"),
        ("/roll 12345", "roll 12345"),
        ("/keep 24", "roll 135"),
        ("/k 4 2", "roll 135"),
        ("/keep", "roll 12345"),
        ("/k", "roll 12345"),
        ("/keep 12345", "roll 0"),
    ],
)
def test_2_roll_throws_dice_again_and_keep_throws_the_others(line: str, move: str) -> None:
    assert Yahtzee(2, THROWN).does("A", line) == move


@pytest.mark.parametrize("line", ["/roll", "/r", "/roll 135", "/keep", "/k 24", "/keep 12345"])
def test_2_before_the_first_throw_every_form_throws_all_five(line: str) -> None:
    assert Yahtzee(2).does("A", line) == "roll"


@pytest.mark.parametrize("thrown", ["", THROWN])
@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("/roll 999", "no_die die='9' command='roll'"),
        ("/roll 6", "no_die die='6' command='roll'"),
        ("/k 10", "no_die die='0' command='k'"),
        ("/roll 1 1", "twice die='1' works='/roll 1'"),
        ("/r 3313", "twice die='3' works='/r 13'"),
        ("/keep 22 4", "twice die='2' works='/keep 24'"),
        ("/roll １３", "unreadable"),
        ("/roll ٣", "unreadable"),
        ("/roll ²", "unreadable"),
        ("/roll all", "unreadable"),
        ("/roll -1", "unreadable"),
        ("/roll 1.5", "unreadable"),
        ("/keep leave", "unreadable"),
    ],
)
def test_2_what_cannot_be_thrown_is_refused_with_what_would_work(
    thrown: str, line: str, refusal: str
) -> None:
    game = Yahtzee(2, thrown)

    assert game.told("A", line) == f"yahtzee.refused.{refusal}"


def test_2_after_the_third_throw_the_best_box_is_named() -> None:
    game = Yahtzee(2, "A 55566")
    game.play("A: roll 0\nA: roll 0")

    for line in ("/roll 1", "/roll", "/keep 1"):
        assert game.told("A", line) == (
            "yahtzee.refused.no_throw box=yahtzee.box.one_pair value=27"
        )


# -- /score -------------------------------------------------------------------------------------

CALLED = {
    "ones": ["ones", "ONES", "Einser", "ein ser", "aces", "1"],
    "twos": ["twos", "Zweier", "zweie", "2"],
    "threes": ["threes", "Dreier", "3"],
    "fours": ["fours", "Vierer", "4"],
    "fives": ["fives", "Fünfer", "FÜNFER", "fuenfer", "Fu\u0308nfer", "fi", "5"],
    "sixes": ["sixes", "Sechser", "sechs", "si", "6"],
    "one_pair": ["one_pair", "one pair", "1 pair", "1 Paar", "Paar", "ein Paar", "1p"],
    "two_pairs": ["two_pairs", "two pairs", "2 Paare", "zwei Paare", "2p"],
    "three_of_a_kind": ["three of a kind", "3 of a kind", "Dreierpasch", "dreierp", "3er-Pasch"],
    "four_of_a_kind": ["four_of_a_kind", "4 of a kind", "Viererpasch", "4er Pasch"],
    "full_house": ["full_house", "full house", "Full House", "FULL", "ful"],
    "short_straight": ["short straight", "kleine Straße", "KLEINE STRASSE", "kl. Straße", "kl"],
    "long_straight": ["long straight", "große Straße", "grosse strasse", "GROẞE", "gr", "large"],
    "yahtzee": ["yahtzee", "Yahtzee", "Kniffel", "kn", "y"],
    "chance": ["chance", "Chance", "c"],
}


@pytest.mark.parametrize("box", BOXES)
def test_2_a_box_is_known_by_its_names_in_both_languages(box: str) -> None:
    game = Yahtzee(2, THROWN)

    for called in CALLED[box]:
        assert game.does("A", f"/score {called}") == f"score {box}", called


@pytest.mark.parametrize(
    ("word", "boxes"),
    [
        ("s", "sixes short_straight"),
        ("full", "full_house"),
        ("fo", "fours four_of_a_kind"),
        ("f", "fours fives four_of_a_kind full_house"),
        ("dreier", "threes"),
        ("ein", "ones one_pair"),
        ("foo", ""),
        ("", ""),
        ("-", ""),
        ("１", ""),
        ("fullhouses", ""),
    ],
)
def test_a_beginning_means_every_box_that_begins_so(word: str, boxes: str) -> None:
    assert " ".join(find(word)) == boxes


def test_2_an_unknown_box_is_refused_with_those_that_are_open() -> None:
    game = Yahtzee(2, THROWN)

    refusal = game.told("A", "/score foo")

    assert refusal.startswith("yahtzee.refused.no_box word='foo' left=(yahtzee.box.ones, ")
    assert refusal.count("yahtzee.box.") == 15


def test_2_a_word_for_several_boxes_is_refused_with_those() -> None:
    assert Yahtzee(2, THROWN).told("A", "/score s") == (
        "yahtzee.refused.many_boxes word='s' boxes=(yahtzee.box.sixes, yahtzee.box.short_straight)"
    )


def test_2_a_used_box_is_refused_with_its_value_and_those_that_are_open() -> None:
    game = Yahtzee(2, f"A 33366 full_house\nB {JUNK} ones\n{THROWN}")

    refusal = game.told("A", "/score full house")

    assert refusal.startswith("yahtzee.refused.used_box box=yahtzee.box.full_house value=25 left=")
    assert refusal.count("yahtzee.box.") == 15


def test_2_before_the_first_throw_nothing_can_be_scored() -> None:
    assert Yahtzee(2).told("A", "/score chance") == "yahtzee.refused.first"


def test_2_score_lists_what_can_be_scored_with_its_value_now() -> None:
    game = Yahtzee(2, f"A 33366 full_house\nB {JUNK} ones\nA 33366")

    assert answer(game, "A", "/score") == (
        "yahtzee.scores.now dice='3 3 3 6 6' grid=[ones 0 | twos 0 | threes 9 | fours 0 | fives 0 "
        "| sixes 12 | one_pair 21 | two_pairs 21 | three_of_a_kind 21 | four_of_a_kind 0 "
        "| short_straight 0 | long_straight 0 | yahtzee 0 | chance 21]"
    )


def test_2_score_lists_the_yahtzee_bonus_beside_the_value() -> None:
    game = Yahtzee(2, f"A 33333 yahtzee\nB {JUNK} ones\nA 33333")

    listed = answer(game, "A", "/score")

    assert "ones 0+100 | twos 0+100 | threes 15+100 |" in listed
    assert "yahtzee 5" not in listed


def test_2_score_lists_open_boxes_without_dice_on_the_table() -> None:
    game = Yahtzee(2, f"A 33366 full_house\nB {JUNK}")

    listed = answer(game, "A", "/score")

    assert listed.startswith("yahtzee.scores.later boxes=(yahtzee.box.ones")
    assert "full_house" not in listed
    assert "yahtzee.box.full_house" in answer(Yahtzee(2), "A", "/score")


# -- /dice and /sheet ---------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["/dice", "/d", "/d ?"])
def test_2_dice_shows_the_dice_again(line: str) -> None:
    game = Yahtzee(2)
    assert answer(game, "A", line) == "yahtzee.show.mine_none name='Anna'"
    assert answer(game, "B", line) == "yahtzee.show.other_none name='Anna'"

    game.play(THROWN)
    assert answer(game, "A", line) == (
        "yahtzee.show.mine name='Anna' dice='3 1 5 5 2' faces='⚂ ⚀ ⚄ ⚄ ⚁' n=2"
    )
    assert answer(game, "B", line).startswith("yahtzee.show.other name='Anna' dice='3 1 5 5 2'")

    game.play("A: roll 0\nA: roll 0")
    assert answer(game, "A", line).startswith("yahtzee.show.mine_last ")


def test_2_dice_with_dice_named_belongs_to_no_game() -> None:
    assert Yahtzee(2, THROWN).told("A", "/d 2w6") == "yahtzee.refused.dice"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("", "Anna"),
        ("ben", "Ben"),
        ("B", "Ben"),
        ("anna", "Anna"),
        ("ANNI", "Annika"),
        ("ди", "Дима"),
        ("3", "Annika"),
    ],
)
def test_2_sheet_shows_ones_own_or_that_of_the_one_named(words: str, name: str) -> None:
    game = Yahtzee(4)

    assert answer(game, "A", f"/sheet {words}").startswith(f"yahtzee.sheet name='{name}' total=0")


def test_2_a_sheet_holds_everything() -> None:
    game = Yahtzee(2)
    for box, throw in (("sixes", "66661"), ("yahtzee", "44444"), ("full_house", "44444")):
        game.turn("A", throw, box)
        game.turns(1)

    assert answer(game, "B", "/sheet anna") == (
        "yahtzee.sheet name='Anna' total=174 grid=[ones 1 · | twos 2 · | threes 3 · | fours 4 · "
        "| fives 5 · | sixes 6 24 | sum Σ 24/63 | bonus +35 0 | _ _ _ | one_pair one_pair · "
        "| two_pairs two_pairs · | three_of_a_kind three_of_a_kind · "
        "| four_of_a_kind four_of_a_kind · | full_house full_house 0 "
        "| short_straight short_straight · | long_straight long_straight · | yahtzee yahtzee 50 "
        "| chance chance · | extra _ 100 | total _ 174]"
    )


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ("x", "no_name word='x' names=('Anna', 'Ben', 'Annika', 'Дима')"),
        ("an", "many_names word='an' names=('Anna', 'Annika')"),
        ("5", "no_name word='5' names=('Anna', 'Ben', 'Annika', 'Дима')"),
        ("２", "no_name word='２' names=('Anna', 'Ben', 'Annika', 'Дима')"),
    ],
)
def test_2_an_unknown_name_is_refused_with_those_who_play(words: str, refusal: str) -> None:
    assert Yahtzee(4).told("A", f"/sheet {words}", NAMES) == f"yahtzee.refused.{refusal}"
