"""Yahtzee in German and English: every word there is, and tables that fit a phone."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from games.game import HOUSE, Answer, Refusal, text
from games.yahtzee.boxes import BOXES, LOWER
from games.yahtzee.sheets import in_short
from tests.games.ways import mixed, policy, steps
from tests.games.yahtzee.table import JUNK, LETTERS, Yahtzee
from tgbot.people.names import LONGEST_NAME
from tgbot.words import LANGUAGES, Cast, Words

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "tgbot" / "locales", ROOT / "games" / "yahtzee" / "locales")
WORDS = Words(FOLDERS, bot="dicehall_bot", coin="Knuddel", coins="Knuddels")
KEYS = sorted(key for key in WORDS.keys("en") if key.startswith("yahtzee."))
NAMES = tuple(f"{letter}{'w' * (LONGEST_NAME - 1)}" for letter in LETTERS[:8])
CAST = Cast(NAMES, tuple(range(8)), frozenset(), 60, 0)

WAYS = ("box", "short")
PHONE_COLUMNS = 34
BUTTON_COLUMNS = 22
LONGEST_TOAST = 200
LONGEST_RULES = 3500
LONGEST_SHORT_RULES = 190


def visible(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


def placeholders(key: str, language: str) -> set[str]:
    forms = WORDS.template(key, language)
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def test_both_languages_have_the_same_words_and_arguments() -> None:
    assert [key for key in WORDS.keys("de") if key.startswith("yahtzee.")]
    assert WORDS.keys("de") == WORDS.keys("en")
    for key in KEYS:
        assert placeholders(key, "de") == placeholders(key, "en"), key


def test_every_word_is_used() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "games" / "yahtzee").glob("*.py"))
    made = (
        r"yahtzee\.(box|short|reason)\.|yahtzee\.(title|rules|rules_short|scored|crossed|late|out)$"
    )
    made += r"|yahtzee\.(command|show|list|key|menu|past|alone|feat|badge|record)\."
    unused = [key for key in KEYS if f'"{key}"' not in source and not re.match(made, key)]

    assert unused == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_fit_their_places(language: str) -> None:
    (page,) = WORDS.template("yahtzee.rules", language)
    (short,) = WORDS.template("yahtzee.rules_short", language)

    assert len(page) < LONGEST_RULES
    assert len(short) <= LONGEST_SHORT_RULES
    assert "<" not in short


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", [2, 5, 8])
def test_boards_toasts_and_old_boards_can_be_said(language: str, seats: int) -> None:
    for way in (mixed, policy("greedy")):
        game = Yahtzee(seats)
        before, mover = game.state, HOUSE
        for seat, _ in steps(game, way, "words"):
            if mover != HOUSE:
                toast = game.view.thrown(before, game.state, mover)
                assert len(WORDS.plain(toast, language)) <= LONGEST_TOAST
            board = game.view.board(game.state)
            said = visible("\n".join(WORDS.html(line, language, CAST) for line in board.lines))
            assert len(said) < 2000
            for row in board.buttons:
                for button in row:
                    assert len(WORDS.plain(button.label, language)) <= BUTTON_COLUMNS
            before, mover = game.state, seat
        for scene in range(1, game.rules.phase(game.state).scene):
            for line in game.view.past(game.state, scene):
                assert WORDS.html(line, language, CAST)


def widest(table: str) -> int:
    found = re.search(r"<pre>(.*?)</pre>", table, re.DOTALL)
    assert found
    return max(len(line) for line in found[1].replace("&gt;", ">").splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_largest_tables_fit_a_phone(language: str) -> None:
    full = {"one_pair": "66665", "two_pairs": "66655", "three_of_a_kind": "66665"}
    full |= {"four_of_a_kind": "66665", "full_house": "66655", "short_straight": "12345"}
    full |= {"long_straight": "12345", "yahtzee": "66666", "chance": "66666"}
    full |= dict(zip(BOXES, ("11111", "22222", "33333", "44444", "55555", "66666"), strict=False))
    game = Yahtzee(8)
    for box in sorted(BOXES, key=lambda box: box != "yahtzee"):
        for letter in LETTERS[:8]:
            if not game.over:
                game.turn(letter, full[box], box)

    tables = [WORDS.html(game.says("A", "/sheet", NAMES).text, language, CAST)]

    assert all(widest(table) <= PHONE_COLUMNS for table in tables)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_typed_is_answered_in_words(language: str) -> None:
    lines = ["", "0", "1", "11", "999", "foo", "s", "sixes", "w", "?", "x" * 500, "<b>", "{n}"]
    games = [Yahtzee(3), Yahtzee(3, "A 31552"), Yahtzee(3, f"A {JUNK} sixes\nB 31552")]
    games.append(Yahtzee(2, "A: leave"))
    for game in games:
        for name in game.game.commands:
            for words in lines:
                for letter in "AB":
                    try:
                        text = game.says(letter, f"/{name} {words}", NAMES[:3]).text
                    except Refusal as refusal:
                        text = refusal.text
                    except AttributeError:
                        continue
                    assert WORDS.html(text, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sheet_and_rules_explain_the_short_names_of_the_boxes(language: str) -> None:
    game = Yahtzee(2)
    short_sheet = WORDS.plain(in_short(game.state, 0), language)
    asked = game.says("A", "/sheet", NAMES)
    assert isinstance(asked, Answer)
    sheet = visible(WORDS.html(asked.text, language, CAST))
    rules = visible(WORDS.html(text("yahtzee.rules"), language))

    assert len(short_sheet) <= LONGEST_TOAST
    for box in LOWER:
        name, short = (WORDS.plain(text(f"yahtzee.{how}.{box}"), language) for how in WAYS)
        assert re.search(rf"\b{short}\b", short_sheet), short
        assert re.search(rf"^{name} +{short} +·$", sheet, re.MULTILINE), short
        assert f"{name} ({short})" in rules
