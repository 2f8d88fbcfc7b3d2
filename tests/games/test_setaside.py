"""What Zilch and Farkle 20 share: `games.setaside`, `games.picking`, a policy, tests of words."""

from __future__ import annotations

import re
import string
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from games import farkle20, setaside, zilch
from games.farkle20.rules import SCORING as FARKLE
from games.game import Answer, Game, Refusal, Select, Text
from games.setaside import Hand, Scoring
from games.zilch.rules import SCORING as ZILCH
from tests.games import by_counts
from tests.games.table import LETTERS, Table, acting
from tests.games.ways import mixed, policy, randomly, steps
from tgbot.people.names import LONGEST_NAME
from tgbot.words import LANGUAGES, Cast, Words

BOTH = pytest.mark.parametrize(
    ("scoring", "worth"), [(ZILCH, by_counts.zilch), (FARKLE, by_counts.farkle)]
)

# -- scoring ------------------------------------------------------------------------------------


def test_a_scoring_knows_only_its_own_combinations() -> None:
    scoring = Scoring({"1": 10, "22": 30, "122": 35})

    assert scoring.set_asides("1223") == (("1", 10), ("22", 30), ("122", 40))
    assert scoring.best("1223") == ("122", 40)
    assert scoring.points("2") is None
    assert scoring.set_asides("3456") == ()
    assert scoring.best("3456") == ("", 0)


def test_of_equally_good_set_asides_the_best_is_the_one_with_more_dice() -> None:
    scoring = Scoring({"1": 10, "22": 0, "333": 10})

    assert scoring.best("12233") == ("122", 10)
    assert scoring.best("1333") == ("1333", 20)


@BOTH
def test_a_set_aside_that_holds_given_dice_is_the_smallest(scoring: Scoring, worth: object) -> None:
    assert scoring.completed("133356", "3") == ("333", 300)
    assert scoring.completed("133356", "13") == ("1333", 400)
    assert scoring.completed("133356", "6") == ("", 0)


def test_a_hand_counts_dice_to_throw_and_hot_dice() -> None:
    hand = Hand()

    assert (hand.to_throw, hand.hot) == (6, 0)
    hand = hand.thrown((5, 1, 2, 2, 3, 4)).taken(("15", 150))
    assert (hand.to_throw, hand.points, hand.dice) == (4, 150, "")
    hand = hand.thrown((1, 1, 1, 1)).taken(("1111", 2000))
    assert (hand.to_throw, hand.points, hand.hot) == (6, 2150, 1)
    assert hand.kept == ("15", "1111")


@BOTH
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_the_prospects_of_a_throw_are_those_of_all_throws_counted(
    scoring: Scoring, worth: by_counts.Worth, size: int
) -> None:
    lying: dict[str, int] = {}
    for throw in by_counts.every_throw(size):
        dice = "".join(sorted(throw))
        lying[dice] = lying.get(dice, 0) + 1
    found = {dice: by_counts.document(dice, worth) for dice in lying}

    busts = sum(count for dice, count in lying.items() if found[dice]["bust"])
    points = sum(count * found[dice]["best"]["points"] for dice, count in lying.items())
    expected = (Fraction(busts, 6**size), Fraction(points, 6**size))
    assert setaside.prospect(scoring, size) == expected


def test_six_dice_of_zilch_always_score_those_of_farkle_bust_once_in_32() -> None:
    assert setaside.prospect(ZILCH, 6)[0] == 0
    assert float(setaside.prospect(FARKLE, 6)[0]) == pytest.approx(1 / 32, abs=1e-3)


# -- the greedy ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "points", "move"),
    [
        ("", 0, "roll"),
        ("111234", 0, "111 bank"),
        ("122346", 0, "1 roll"),
        ("123456", 0, "123456 roll"),
        ("223346", 0, "223346 roll"),
        ("155", 200, "155 roll"),
        ("12", 250, "1 bank"),
        ("2223", 50, "222 roll"),
    ],
)
def test_the_greedy_of_zilch_take_what_is_worth_most_one_throw_ahead(
    dice: str, points: int, move: str
) -> None:
    assert setaside.greedy(ZILCH, dice, points, 300) == move


@pytest.mark.parametrize("points", [0, 100, 200, 300, 1000, 5000])
def test_the_greedy_choose_no_less_than_any_other_choice(points: int) -> None:
    def worth(dice: str, move: str) -> Fraction:
        part, action = move.split()
        total = points + (FARKLE.points(part) or 0)
        if action == "bank":
            return Fraction(total)
        bust, mean = setaside.prospect(FARKLE, len(dice) - len(part) or 6)
        return (1 - bust) * total + mean

    for size in range(1, 7):
        for dice in setaside.every_throw(size):
            moves = setaside.moves(FARKLE, dice, 0)
            if moves:
                chosen = setaside.greedy(FARKLE, dice, points, 0)
                assert worth(dice, chosen) == max(worth(dice, move) for move in moves)


def results(game: Game[Any], name: str) -> float:
    """The mean result of a few games."""
    found: list[int] = []
    for number in range(20):
        table = Table(game, 2)
        for _ in steps(table, policy(name), f"{name} {number}"):
            pass
        outcome = table.rules.outcome(table.state)
        assert outcome
        found += [record.value for record in outcome.records]
    return sum(found) / len(found)


def test_the_greedy_of_farkle_score_far_more_than_those_who_play_at_random() -> None:
    assert results(farkle20.GAME, "random") < 5000
    assert results(farkle20.GAME, "greedy") > 7000


def test_the_greedy_of_zilch_beat_those_who_play_at_random() -> None:
    won = 0
    for number in range(40):
        table, greedy = Table(zilch.GAME, 2), number % 2
        ways = [policy("greedy") if seat == greedy else randomly for seat in range(2)]
        for _ in steps(table, lambda t, draw, w=ways: w[t.state.turn](t, draw), str(number)):
            pass
        outcome = table.rules.outcome(table.state)
        assert outcome
        won += greedy in outcome.places[0]

    assert won > 30


# -- words --------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
GAMES: dict[str, Game[Any]] = {"zilch": zilch.GAME, "farkle20": farkle20.GAME}
FOLDERS = (ROOT / "tgbot" / "locales", *(ROOT / "games" / kind / "locales" for kind in GAMES))
WORDS = Words(FOLDERS, bot="dicehall_bot", coin="Knuddel", coins="Knuddels")
CAST = Cast(
    tuple(f"{letter}{'w' * (LONGEST_NAME - 1)}" for letter in LETTERS), tuple(range(20)),
    frozenset(), 60, 0,
)  # fmt: skip
EACH = pytest.mark.parametrize("kind", GAMES)
LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)

LONGEST_TOAST = 200
LONGEST_BOARD = 2000
LONGEST_RULES, LONGEST_SHORT_RULES = 3500, 190
BUTTON_COLUMNS = {1: 34, 2: 22, 3: 13, 4: 8, 5: 6}


def keys_of(kind: str, language: str = "en") -> list[str]:
    return sorted(key for key in WORDS.keys(language) if key.startswith(f"{kind}."))


def placeholders(key: str, language: str) -> set[str]:
    forms = WORDS.template(key, language)
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


@EACH
def test_both_languages_have_the_same_words_and_arguments(kind: str) -> None:
    assert keys_of(kind, "de") == keys_of(kind, "en") != []
    for key in keys_of(kind):
        assert placeholders(key, "de") == placeholders(key, "en"), key


@EACH
@LANGUAGE
def test_rules_and_guide_fit_their_places(kind: str, language: str) -> None:
    (page,) = WORDS.template(f"{kind}.rules", language)
    (short,) = WORDS.template(f"{kind}.rules_short", language)

    assert len(page) < LONGEST_RULES
    assert len(short) <= LONGEST_SHORT_RULES
    assert "<" not in short
    assert WORDS.html(Text(f"{kind}.rules"), language)
    assert len(WORDS.plain(Text(f"{kind}.guide"), language)) <= LONGEST_TOAST


@EACH
@LANGUAGE
def test_a_rules_page_has_every_combination_and_its_points(kind: str, language: str) -> None:
    page = WORDS.html(Text(f"{kind}.rules"), language)
    lines = [re.sub(r"<[^>]*>", "", line) for line in page.splitlines()]
    table = {re.sub("[^1-6]", "", line[:11]): line[11:].split() for line in lines}

    for dice in ("1", "5", "111", "222", "333", "444", "555", "666", "123456"):
        assert table[dice][0] == str(GAMES[kind].score(dice)["best"]["points"])


def toasts(table: Table, seat: int, selection: str) -> list[Text]:
    """What every button and command would say."""
    found, view = [], table.view
    codes = [button.code for row in table.board(seat, selection).buttons for button in row]
    typed = [(name, words) for name in table.game.commands for words in ("", "1", "foo", "6 6")]
    asked = [lambda code=code: view.press(table.state, seat, selection, code) for code in codes]
    asked += [
        lambda name=name, words=words: view.command(table.state, seat, selection, name, words)
        for name, words in typed
    ]
    for ask in asked:
        try:
            action = ask()
        except Refusal as refusal:
            found.append(refusal.text)
        else:
            found += [action.toast] if isinstance(action, Select) else []
            found += [action.text] if isinstance(action, Answer) else []
    return found


def look(table: Table, seat: int, language: str) -> None:
    """Looks at all boards before somebody's move: they can be said, and fit."""
    for selection in ("", "1", "12", "123456"):
        for board in (table.view.board(table.state), table.board(seat, selection)):
            said = "\n".join(WORDS.html(line, language, CAST) for line in board.lines)
            assert len(re.sub(r"<[^>]*>", "", said)) < LONGEST_BOARD
            for row in board.buttons:
                for button in row:
                    label = WORDS.plain(button.label, language)
                    assert len(label) <= BUTTON_COLUMNS[len(row)], label
        for toast in toasts(table, seat, selection):
            assert len(WORDS.plain(toast, language)) <= LONGEST_TOAST


@LANGUAGE
@pytest.mark.parametrize(("kind", "seats"), [("zilch", 4), ("farkle20", 3), ("farkle20", 20)])
def test_boards_toasts_and_old_boards_can_be_said(kind: str, seats: int, language: str) -> None:
    for way in (mixed, policy("greedy")):
        table = Table(GAMES[kind], seats)
        before, mover = table.state, -1
        for number, (seat, _) in enumerate(steps(table, way, "words")):
            if number:
                told = table.view.thrown(before, table.state, mover)
                assert len(WORDS.plain(told, language)) <= LONGEST_TOAST
            if number % 5 == 0:
                look(table, seat, language)
            before, mover = table.state, seat
        assert acting(table.game, table.state) == ()
        look(table, 0, language)
        for scene in range(1, table.rules.phase(table.state).scene):
            for line in table.view.past(table.state, scene):
                assert WORDS.html(line, language, CAST)


@EACH
def test_every_word_is_used(kind: str) -> None:
    names = ("setaside.py", "picking.py", f"{kind}/rules.py", f"{kind}/view.py", f"{kind}/words.py")
    paths = [path for name in names if (path := ROOT / "games" / name).exists()]
    source = "".join(path.read_text("utf-8") for path in paths).replace("{kind}", kind)
    made = rf"{kind}\.(command|reason|list|past|told|last|line|then|feat|badge)\."
    made += rf"|{kind}\.(title|rules|rules_short)$"
    made += rf"|{kind}\.refused\.(nothing|no_score)$"
    unused = [key for key in keys_of(kind) if f'"{key}"' not in source and not re.match(made, key)]

    assert unused == []
