"""Words: every sentence in both languages, whole, valid, short enough, and never a raw key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from games import registry
from games.game import text
from tests.tgbot.house import House
from tests.tgbot.playing import tap
from tgbot.config import Settings
from tgbot.inbound.commands import ADMIN, GROUP, PRIVATE, shown
from tgbot.inbound.toasts import LONGEST_TOAST
from tgbot.playground import Message
from tgbot.playground.markup import parse
from tgbot.words import LANGUAGES, all_words

ROOT = Path(__file__).parent.parent.parent
SAYING = ("text", "Text", "Refusal")
"""What makes a sentence of a key."""
WORDS = all_words(Settings(_env_file=None))
KEYS = sorted(WORDS.keys("en"))
LONG = {
    "left": "4+4+4+6+6+8+8+10+12+20",
    "pool": "4+4+4+6+6+8+8+10+12+20",
    "name": "A name of 24 characters!",
    "stake": "101 Knuddels",
    "held": "1,000,000 Knuddels",
    "missing": "101 Knuddels",
    "throw": "4>4>4>4>3 + 20>20>20>19 = 98",
    "throws": "40 + 40 + 40",
    "seal": "f" * 64,
    "term": "x" * 20,
}
"""Arguments as long as they get; any other is a number of four digits."""


# -- what the code says ------------------------------------------------------------------------


@cache
def trees() -> tuple[tuple[str, ast.Module], ...]:
    """The modules that speak, by their path."""
    paths = sorted(path for part in ("games", "tgbot") for path in (ROOT / part).rglob("*.py"))
    return tuple(
        (str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8")))
        for path in paths
        if "playground" not in path.parts
    )


def sayings() -> Iterator[tuple[str, ast.Call, ast.expr]]:
    """Every call that makes a sentence: where, the call, and each key it may be given."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in SAYING:
                for key in choices(node.args[0]):
                    yield f"{path}:{node.lineno}", node, key


def choices(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions a conditional one may become."""
    if isinstance(node, ast.IfExp):
        yield from choices(node.body)
        yield from choices(node.orelse)
    else:
        yield node


def pattern(node: ast.JoinedStr) -> str:
    """A regular expression for what an f-string may become."""
    parts = [
        re.escape(part.value) if isinstance(part, ast.Constant) else r"[a-z0-9_.]+"
        for part in node.values
    ]
    return "".join(parts)


def said_literally() -> set[str]:
    """Every string in the code that could be a key, and ends of keys that are put together."""
    return {
        node.value
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def said_in_parts() -> list[str]:
    """Patterns of the keys that f-strings with a fixed part make."""
    found = [
        pattern(node)
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
    ]
    return [form for form in found if re.search(r"[a-z]", form.replace(r"[a-z0-9_.]+", ""))]


def placeholders(template: str) -> set[str]:
    """The names in braces."""
    return set(re.findall(r"{(\w+)}", template))


def tags(template: str) -> list[str]:
    """The HTML tags, sorted."""
    return sorted(re.findall(r"</?[a-z-]+", template))


def filled(template: str, values: dict[str, Any]) -> str:
    """A template with something in every place."""
    names = {name: values.get(name, 1234) for name in placeholders(template)}
    return template.format_map(names)


# -- the files ---------------------------------------------------------------------------------


def test_every_key_is_in_both_languages() -> None:
    assert WORDS.keys("de") ^ WORDS.keys("en") == frozenset()


@pytest.mark.parametrize("what", [placeholders, tags])
def test_both_languages_have_the_same_placeholders_and_tags(what: Any) -> None:
    def shapes(key: str, language: str) -> list[list[str]]:
        # a page of rules may stress other words in another language
        once = set if key.endswith(".rules") else list
        return [sorted(once(what(form))) for form in WORDS.template(key, language)]

    different = [key for key in KEYS if shapes(key, "de") != shapes(key, "en")]

    assert different == []


def test_no_sentence_is_empty_or_left_untranslated() -> None:
    forms = [form for key in KEYS for lang in LANGUAGES for form in WORDS.template(key, lang)]
    same = {
        key: WORDS.template(key, "en")
        for key in KEYS
        if WORDS.template(key, "de") == WORDS.template(key, "en")
    }

    assert all(form.strip() for form in forms)
    words = {key: re.sub(r"<[^>]*>", "", form) for key, (form, *_) in same.items()}
    assert [key for key, form in words.items() if re.search(r"[a-z]{3} [a-z]{3}", form)] == []


def test_every_sentence_is_html_that_telegram_takes() -> None:
    for key in KEYS:
        for language in LANGUAGES:
            for form in WORDS.template(key, language):
                shown, _ = parse(filled(form, {}), {})
                assert shown.strip(), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_choose_their_form(language: str) -> None:
    shown = [WORDS.plain(text("coins", n=n), language) for n in (0, 1, 2)]

    assert shown == ["0 Knuddels", "1 Knuddel", "2 Knuddels"]


@pytest.mark.parametrize("key", ["fair.die", "verify.right", "verify.right_short"])
def test_one_throw_is_told_as_one(key: str) -> None:
    for language in LANGUAGES:
        one, more = WORDS.template(key, language)
        assert "{n}" in more
        assert "{n}" not in one


def test_numbers_are_written_as_people_of_the_language_do() -> None:
    shown = [WORDS.plain(text("just", it=12345.67), language) for language in ("de", "en")]

    assert shown == ["12.345,7", "12,345.7"]


# -- the code ----------------------------------------------------------------------------------


def test_every_key_in_the_code_exists() -> None:
    missing = {
        where: key.value
        for where, _, key in sayings()
        if isinstance(key, ast.Constant) and key.value not in KEYS
    }

    assert missing == {}


def test_every_family_of_keys_in_the_code_exists() -> None:
    missing = {
        where: pattern(key)
        for where, _, key in sayings()
        if isinstance(key, ast.JoinedStr)
        and not any(re.fullmatch(pattern(key), known) for known in KEYS)
    }

    assert missing == {}


def test_every_key_is_used() -> None:
    literal, parts = said_literally(), said_in_parts()
    unused = [
        key
        for key in KEYS
        if key not in literal and not any(re.fullmatch(form, key) for form in parts)
    ]

    assert unused == []


def test_every_sentence_gets_the_arguments_it_shows() -> None:
    missing = {}
    for where, call, key in sayings():
        given = {keyword.arg for keyword in call.keywords}
        if not isinstance(key, ast.Constant) or key.value not in KEYS or None in given:
            continue
        if len([*choices(call.args[0])]) > 1:
            continue  # sentences that share their arguments
        for language in LANGUAGES:
            for form in WORDS.template(key.value, language):
                lacking = placeholders(form) - given - {*WORDS.names} - {"bot"}
                if lacking:
                    missing[where] = (key.value, lacking)

    assert missing == {}


@pytest.mark.parametrize(
    ("family", "members"),
    [
        ("top.{}", ("day", "month", "year")),
        ("settings.openers_{}", ("anyone", "admins")),
        ("settings.topics_{}", ("all", "here", "not_here")),
        ("stop.why_{}", ("gone", "rules", "operator")),
        ("verify.{}", ("right_short", "wrong_short")),
        ("{}.title", tuple(registry())),
        ("{}.rules", tuple(registry())),
        ("{}.rules_short", tuple(registry())),
    ],
)
def test_every_member_of_a_family_exists(family: str, members: tuple[str, ...]) -> None:
    assert [m for m in members if family.format(m) not in KEYS] == []


def test_every_reason_of_a_booking_has_words() -> None:
    reasons = {
        call.args[1].value
        for _, tree in trees()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") in ("book", "transfer")
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
    }

    assert {"gift", "stake", "refund", "game", "grant"} <= reasons
    unnamed = {reason for reason in reasons if f"reason.{reason}" not in KEYS}
    assert unnamed <= NEVER_IN_A_WALLET


NEVER_IN_A_WALLET = {"fund"}
"""Reasons of bookings that no history shows."""


def test_every_reason_a_game_ends_for_has_words() -> None:
    for kind in registry():
        source = (ROOT / "games" / kind / "rules.py").read_text("utf-8")
        reasons = {
            word for word in re.findall(r'"([a-z_]+)"', source) if f"{kind}.reason.{word}" in KEYS
        }

        known = {key for key in KEYS if key.startswith(f"{kind}.reason.")}
        assert {f"{kind}.reason.{reason}" for reason in reasons} == known
        assert known


def test_every_command_in_the_menus_has_words() -> None:
    for place in (PRIVATE, GROUP, ADMIN):
        for name, about in shown(place, WORDS).items():
            for language in LANGUAGES:
                assert 1 <= len(WORDS.plain(about, language)) <= 256, name


def test_the_commands_of_games_stand_in_the_help_by_themselves() -> None:
    told = {name: WORDS.plain(about, "en") for name, about in shown(GROUP, WORDS).items()}

    assert told["bank"] == "Farkle 20, Zilch: bank the points"
    assert told["d"].startswith("Fifty!: ")
    assert "k" not in told  # short for /keep, and without words of its own
    assert not told.keys() & shown(PRIVATE, WORDS).keys() & {"bank", "roll"}


# -- lengths -----------------------------------------------------------------------------------


def toasts() -> set[str]:
    """The keys that answer presses: refusals, and what is said to be a toast."""
    keys = {
        key.value
        for _, call, key in sayings()
        if isinstance(key, ast.Constant)
        and getattr(call.func, "id", getattr(call.func, "attr", "")) == "Refusal"
    }
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "toast":
                keys |= {
                    inner.value
                    for inner in ast.walk(node.value)
                    if isinstance(inner, ast.Constant) and inner.value in KEYS
                }
    return keys | {key for key in KEYS if ".refused." in key or ".threw." in key or "_short" in key}


def test_toasts_fit_into_200_characters() -> None:
    assert len(toasts()) > 50
    too_long = {
        (key, language): len(shown)
        for key in toasts() & {*KEYS}
        for language in LANGUAGES
        for form in WORDS.template(key, language)
        if "{lines}" not in form
        and len(shown := re.sub(r"</?[a-z][^<>]*>", "", filled(form, LONG))) > LONGEST_TOAST
        and not key.startswith("verify.right")
    }

    assert {key for key in too_long if key[0] not in NEVER_TOASTS} == set()


NEVER_TOASTS = ("verify.right", "verify.wrong", "verify.open", "settings.unknown_long")
"""Said to be toasts in the code, but typed commands alone answer with them."""


def labels() -> set[str]:
    """The keys of buttons."""
    return {
        inner.value
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and node.args
        and getattr(node.func, "id", "") in ("key", "Key", "Button")
        for inner in ast.walk(node.args[0])
        if isinstance(inner, ast.Constant) and inner.value in KEYS
    }


def test_buttons_say_an_emoji_plus_a_few_words() -> None:
    long = [
        key
        for key in labels()
        for language in LANGUAGES
        if len(WORDS.template(key, language)[0]) > 28
    ]

    assert len(labels()) > 15
    assert long == []


# -- shown -------------------------------------------------------------------------------------


def seen(house: House) -> list[str]:
    """Everything people saw: messages, buttons, toasts, the command menus."""
    telegram = house.telegram
    messages: list[Message] = [
        m for chat in telegram.chats.values() for m in telegram.messages(chat)
    ]
    said = [m.text for m in messages if m.sender is telegram.bot]
    said += [button["text"] for m in messages for row in m.buttons for button in row]
    said += [toast.text for person in telegram.people.values() for toast in telegram.toasts(person)]
    said += [
        str(call.params.get("text")) for call in telegram.log if call.method.startswith("edit")
    ]
    return said + [c["description"] for menu in telegram.commands.values() for c in menu]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_raw_key_is_ever_shown(house: House, language: str) -> None:
    for person in (house.anna, house.ben, house.cem):
        house.telegram.language(person, language)
    await house.ask(house.anna, f"/settings language {language}")
    await house.stake(2)
    for name in ("start", "help", "points", "history", "whois", "language", "privacy", "rules"):
        await house.ask(house.anna, f"/{name}", house.private(house.anna))
    await house.game({house.anna: (12, 12, 12), house.ben: (12, 12, 12), house.cem: (16,)})
    for person in (house.anna, house.ben):
        await tap(house, person, "+6")
    house.rolls += [3]
    await tap(house, house.ben, "clear", "+20", "throw")
    await house.breathe(3)
    house.rolls += [2]
    await tap(house, house.anna, "clear", "+20", "throw")
    await house.breathe(3)
    await house.press(house.anna, "🔎")
    for command in ("/d ?", "/d 4", "/stop", "/verify", "/help", "/whois", "/points", "/dice x"):
        await house.ask(house.cem, command)
    await house.breathe(61)
    await house.ask(house.cem, "/points")
    await house.press(house.cem, "👛")

    said = seen(house)

    assert house.table().status == "over"
    assert len(said) > 60
    assert [s for s in said if re.search(r"\b[a-z_]+(\.[a-z_]+)+\b", s.replace("t.me", ""))] == []
    assert [s for s in said if "{" in s or "}" in s] == []
    assert len([s for s in said if s in KEYS and "." in s]) == 0


async def test_toasts_of_a_game_are_never_cut(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    for die in ("d4", "d4", "d4", "d6", "d6", "d8", "d8", "d10", "d12", "d20"):
        await house.press(house.cem, die)
    await house.press(house.cem, "d20")
    await house.press(house.ben, "🎲")

    lengths = [len(toast.text) for toast in house.telegram.toasts(house.cem)]

    assert max(lengths) < LONGEST_TOAST


def test_the_rules_tell_how_many_players_a_jackpot_takes_as_it_is_set() -> None:
    words = all_words(Settings(_env_file=None, jackpot_players=5))

    assert "it takes 5 players" in words.plain(text("fifty.rules"), "en")
