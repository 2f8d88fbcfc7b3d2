"""RULES 3: the words, anywhere in a sentence, and what is typed."""

from __future__ import annotations

import pytest

from tests.games.zilch.table import Zilch


def before(dice: str) -> Zilch:
    """A has thrown these dice."""
    return Zilch(2, f"A: roll = {' '.join(dice)}")


def chosen(game: Zilch, sentence: str) -> str:
    """The dice a sentence chooses."""
    said = game.says("A", sentence)
    assert said.startswith("selects "), said
    selection = said.split("'")[1]
    return "".join(game.state.hand.dice[int(place) - 1] for place in selection)


# -- the words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "throw", "dice"),
    [
        ("one", "123346", "1"),
        ("five", "223356", "5"),
        ("ones", "111234", "111"),
        ("twos", "122234", "222"),
        ("threes", "133346", "333"),
        ("fours", "124446", "444"),
        ("fives", "123555", "555"),
        ("sixes", "123666", "666"),
        ("oneses", "111123", "1111"),
        ("twoses", "222234", "2222"),
        ("threeses", "233334", "3333"),
        ("fourses", "234444", "4444"),
        ("fiveses", "235555", "5555"),
        ("sixeses", "236666", "6666"),
        ("threeseses", "333334", "33333"),
        ("sixeseses", "266666", "66666"),
        ("threeseseses", "333333", "333333"),
        ("oneseseses", "111111", "111111"),
        ("sixeseseses", "666666", "666666"),
    ],
)
def test_3_every_word_sets_its_dice_aside(word: str, throw: str, dice: str) -> None:
    assert chosen(before(throw), word) == dice
    assert before(throw).says("A", f"{word} roll") == f"moves {dice} roll"


@pytest.mark.parametrize("throw", ["123456", "223344", "222233", "115555", "223346"])
def test_3_free_sets_all_six_aside(throw: str) -> None:
    assert chosen(before(throw), "free") == throw
    assert before(throw).says("A", "free, bank!") == f"moves {throw} bank"


@pytest.mark.parametrize("throw", ["222222", "122334", "111234", "222333"])
def test_3_free_is_for_no_other_throw(throw: str) -> None:
    assert before(throw).says("A", "free roll") == "refused: zilch.refused.free"


def test_3_free_takes_six_dice() -> None:
    game = Zilch(2, "A: roll = 1 1 1 1 2 3\nA: 11 roll = 1 1 2 2")

    assert game.says("A", "free") == "refused: zilch.refused.free"


def test_3_several_words_add_up() -> None:
    game = before("111155")

    assert chosen(game, "one five") == "15"
    assert chosen(game, "five and one and five") == "155"
    assert chosen(game, "ones, five") == "1115"
    assert chosen(game, "one one one") == "111"
    assert chosen(game, "ones and one") == "1111"


def test_3_dice_named_one_by_one_have_their_best_reading() -> None:
    game = before("111234")

    game.play("A: 111 bank")

    assert game.bank("A") == 1000


# -- anywhere in a sentence ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "nice, one five roll",
        "One FIVE Roll",
        "well... (one) and [five], roll!!!",
        "roll with one,five",
        "*one* _five_ 'roll'",
        "ROLL: five/one",
        "“one” „five“ – roll…",
        "one\nfive\nroll",
        "one\u00a0five\u2003roll",
        "someone said one five, so let us roll",
        "one five roll roll",
    ],
)
def test_3_words_stand_anywhere_as_words_of_their_own(sentence: str) -> None:
    assert before("122356").says("A", sentence) == "moves 15 roll"


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        " ",
        "nice throw!",
        "someone else",
        "fiver",
        "onesie",
        "sixs",
        "sixties",
        "freedom",
        "rolling",
        "scroll",
        "banking",
        "riverbank",
        "twenty-one",
        "one-armed",
        "one's",
        "öne",
        "two three four six",
        "onest",
        "threesese",
        "1 5",
        "eins fünf",
        "o n e",
        "💥",
    ],
)
def test_3_other_words_mean_nothing(sentence: str) -> None:
    assert before("111555").says("A", sentence) == "nothing"


def test_3_a_lone_one_in_ordinary_talk_chooses_a_die() -> None:
    assert chosen(before("122346"), "that is the one I need") == "1"


def test_3_only_the_player_whose_turn_it_is_is_heard() -> None:
    game = before("122356")

    assert game.says("B", "one five roll") == "nothing"
    game.play("A: 15 roll = 2 2 3 3")
    assert game.says("A", "roll") == "nothing"
    assert game.says("B", "roll") == "moves roll"


def test_3_nobody_is_heard_after_the_end() -> None:
    game = Zilch(2, "A: leave")

    assert game.says("A", "roll") == game.says("B", "roll") == "nothing"


# -- roll and bank ------------------------------------------------------------------------------


def test_3_roll_throws_first() -> None:
    assert Zilch().says("A", "and I roll") == "moves roll"


def test_3_bank_banks() -> None:
    assert before("111234").says("A", "bank those ones") == "moves 111 bank"


def test_3_words_without_roll_or_bank_choose_dice() -> None:
    said = before("122356").says("A", "one and five")

    assert (
        said
        == "selects '15': zilch.chosen_odds dice='1 5' points=150 total=150 number=4 risk=15.74%"
    )


def test_3_roll_and_bank_alone_take_what_is_chosen() -> None:
    game = before("111556")

    assert game.says("A", "roll", selection="14") == "moves 15 roll"
    assert game.says("A", "bank it", selection="1234") == "moves 1115 bank"


def test_3_the_words_of_a_sentence_take_the_place_of_what_is_chosen() -> None:
    game = before("111556")

    assert game.says("A", "one roll", selection="45") == "moves 1 roll"
    assert game.says("A", "five", selection="123").startswith("selects '4'")


# -- words that do not fit ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "refused"),
    [
        ("five roll", "zilch.refused.dice dice='5' lying='1 2 2 3 4 6'"),
        ("one one", "zilch.refused.dice dice='1 1' lying='1 2 2 3 4 6'"),
        ("twos", "zilch.refused.dice dice='2 2 2' lying='1 2 2 3 4 6'"),
        ("threeseseseses", "zilch.refused.dice dice='3 3 3 3 3 3 3' lying='1 2 2 3 4 6'"),
        ("roll", "zilch.refused.nothing dice='' best='1' points=100"),
        ("bank", "zilch.refused.nothing dice='' best='1' points=100"),
        ("one bank", "zilch.refused.too_little least=300 points=100"),
        ("one, roll or bank?", "zilch.refused.both"),
        ("free", "zilch.refused.free"),
    ],
)
def test_3_words_that_do_not_fit_are_refused(sentence: str, refused: str) -> None:
    assert before("122346").says("A", sentence) == f"refused: {refused}"


@pytest.mark.parametrize("sentence", ["one", "one roll", "bank", "ones bank"])
def test_3_before_the_first_throw_nothing_can_be_set_aside(sentence: str) -> None:
    assert Zilch().says("A", sentence) == "refused: zilch.refused.throw_first"


def test_a_chosen_die_that_does_not_score_yet_is_not_rolled_by_word() -> None:
    said = before("122234").says("A", "roll", selection="12")

    assert said == "refused: zilch.refused.no_score dice='1 2' best='1 2 2 2' points=300"


# -- typed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["/roll 1 5", "/roll 15", "/roll 51", "/roll 1,5", "/roll one five", "/roll five, one"]
)
def test_roll_takes_dice_or_words(line: str) -> None:
    assert before("122356").typed("A", line) == "moves 15 roll"


@pytest.mark.parametrize("line", ["/bank 1 1 1", "/bank ones", "/bank bank ones"])
def test_bank_takes_dice_or_words(line: str) -> None:
    assert before("111234").typed("A", line) == "moves 111 bank"


def test_roll_and_bank_alone_take_what_is_chosen() -> None:
    game = before("111234")

    assert game.typed("A", "/roll", selection="12") == "moves 11 roll"
    assert game.typed("A", "/bank", selection="123") == "moves 111 bank"
    assert Zilch().typed("A", "/roll") == "moves roll"


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("/roll 999", "zilch.refused.unreadable"),
        ("/roll foo", "zilch.refused.unreadable"),
        ("/roll 1 1", "zilch.refused.dice dice='1 1' lying='1 2 2 3 5 6'"),
        ("/roll 2", "zilch.refused.no_score dice='2' best='1 5' points=150"),
        ("/roll", "zilch.refused.nothing dice='' best='1 5' points=150"),
        ("/roll one bank", "zilch.refused.both"),
        ("/roll 1111111", "zilch.refused.unreadable"),
        ("/roll ١", "zilch.refused.unreadable"),
        ("/bank 15", "zilch.refused.too_little least=300 points=150"),
        ("/bank free", "zilch.refused.free"),
    ],
)
def test_what_is_typed_wrong_is_refused_telling_what_would_work(line: str, refused: str) -> None:
    assert before("122356").typed("A", line) == f"refused: {refused}"


def test_typed_moves_out_of_turn_are_refused() -> None:
    game = before("122356")

    assert game.typed("B", "/roll") == "refused: zilch.refused.turn"
    assert game.typed("B", "/bank 1") == "refused: zilch.refused.turn"
    game.play("B: leave")
    assert game.typed("B", "/roll") == "refused: zilch.refused.gone"


@pytest.mark.parametrize("line", ["/d", "/dice"])
def test_d_shows_the_dice_again_to_anybody(line: str) -> None:
    game = before("122356")
    game.play("A: 15 roll = 1 2 3 4")

    shown = "answers zilch.dice dice='1 2 3 4' turn=150 best='1' points=100"
    assert game.typed("A", line) == game.typed("B", line) == shown
    assert Zilch().typed("A", line) == "answers zilch.dice_none"
