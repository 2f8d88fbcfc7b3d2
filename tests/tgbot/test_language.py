"""BOARDS: what everybody reads is in the chat's language, what one person reads in theirs.

The group speaks English here, Anna and Ben too; Cem's Telegram is German.
"""

from __future__ import annotations

import pytest

from games import registry
from tests.tgbot.house import House
from tests.tgbot.playing import codes, painted, tap
from tgbot.playground import Message, Person

OPEN = (
    "/start",
    "/help",
    "/play",
    "/rules",
    "/rules zilch",
    "/points",
    "/top",
    "/whois",
    "/verify",
    "/history",
    "/stop",
    "/d ?",
    "/dice 1x6",
    "/give 5",
    "/stop",
    "/blah",
)
"""Commands that a group is answered in the open."""


async def german(house: House, person: Person) -> None:
    """Somebody chooses German."""
    chat = house.private(person)
    await house.ask(person, "/language", chat)
    await house.press(person, "Deutsch", house.telegram.last(chat))
    await house.breathe(2)


async def race(house: House, *players: Person) -> None:
    """A race of Farkle 20 that has begun, between people the bot may write to."""
    for person in players:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.open(*players, kind="farkle20")
    await painted(house)


def own(house: House, person: Person) -> Message:
    """The board in somebody's private chat."""
    messages = house.telegram.messages(house.private(person))
    return next(m for m in reversed(messages) if "guide" in codes(m))


# -- what a group reads ------------------------------------------------------------------------


@pytest.mark.parametrize("command", OPEN)
async def test_a_group_is_answered_in_its_language_whoever_asks(house: House, command: str) -> None:
    english = await house.ask(house.anna, command)
    keys = [b["text"] for row in house.telegram.last(house.group).buttons for b in row]

    asked_by_a_german = await house.ask(house.cem, command)

    for told in (english, asked_by_a_german):
        assert told.replace("Anna", "").replace("Cem", "") == english.replace("Anna", "")
    again = [b["text"] for row in house.telegram.last(house.group).buttons for b in row]
    assert again == keys


async def test_a_german_group_is_answered_in_german(house: House) -> None:
    await house.ask(house.anna, "/settings language de")

    answers = [await house.ask(house.anna, command) for command in ("/rules fifty", "/stop")]

    no_game = house.says("refused.no_game_here", "de", game="/play@dicehall_bot")
    assert answers == [house.says("fifty.rules", "de"), no_game]


async def test_rules_that_a_press_brings_into_the_group_are_in_its_language(house: House) -> None:
    await house.ask(house.anna, "/rules")

    await house.press(house.cem, "🏦 Zilch")
    await house.breathe()

    assert house.telegram.last(house.group).text == house.says("zilch.rules")


async def test_a_list_in_the_group_stays_in_its_language_whoever_turns_its_pages(
    house: House,
) -> None:
    await house.ask(house.anna, "/top")
    panel = house.telegram.last(house.group)

    await house.press(house.cem, house.says("top.week"), panel)
    await house.breathe()

    assert house.says("top.week") in panel.text


async def test_a_group_that_brings_the_bot_back_is_greeted_in_its_own_language(
    house: House,
) -> None:
    group = house.telegram.group("Neu", house.cem, house.anna)
    await house.ask(house.cem, "/settings language en", group)
    house.telegram.kick(group)
    await house.breathe()

    house.telegram.readd(group)
    await house.breathe()

    assert house.telegram.last(group).text == house.says("start.hello_group")


# -- what one person reads ---------------------------------------------------------------------


async def test_a_press_is_answered_in_the_language_of_who_pressed(house: House) -> None:
    await house.begin(house.anna, house.ben)

    toast = await house.press(house.cem, "d4")
    typed_in_the_open = await house.ask(house.cem, "/d 4")

    assert toast == house.says("refused.not_playing", "de")
    assert typed_in_the_open == house.says("refused.not_playing")


@pytest.mark.parametrize("command", ["/help", "/rules fifty", "/points", "/top", "/blah"])
async def test_in_private_everybody_reads_their_own_language(house: House, command: str) -> None:
    english = await house.ask(house.anna, command, house.private(house.anna))

    own_words = await house.ask(house.cem, command, house.private(house.cem))

    assert own_words.replace("Cem", "Anna") != english


# -- boards of one's own -----------------------------------------------------------------------


async def test_the_private_boards_of_a_race_speak_each_players_language(house: House) -> None:
    await race(house, house.anna, house.cem)

    assert "turn 1/20" in own(house, house.anna).text
    assert "Zug 1/20" in own(house, house.cem).text
    assert "🎲 Wirf 6" in [b["text"] for row in own(house, house.cem).buttons for b in row]
    assert "20 turns each" in house.telegram.messages(house.group)[-1].text


async def test_a_private_result_is_in_its_readers_language_and_the_groups_in_its(
    house: House,
) -> None:
    await race(house, house.anna, house.cem)
    for person in (house.anna, house.cem):
        await house.leave(person)
    await painted(house)

    gone = house.says("farkle20.result.left")
    left = house.says("farkle20.result.left", "de")
    private = [house.telegram.last(house.private(p)).text for p in (house.anna, house.cem)]
    assert [gone in private[0], left in private[1]] == [True, True]
    assert house.says("farkle20.reason.nobody") in house.board().text


@pytest.mark.parametrize("when", ["lobby", "race"])
async def test_a_new_language_counts_at_once_on_ones_own_board(house: House, when: str) -> None:
    for person in (house.anna, house.ben):
        house.say(person, "/start", house.private(person))
    await house.open(house.anna, house.ben, kind="farkle20", start=False)
    if when == "lobby":
        await german(house, house.anna)
    await tap(house, house.anna, "start")
    await painted(house)
    if when == "race":
        await german(house, house.anna)
        await painted(house)

    assert "Zug 1/20" in own(house, house.anna).text
    assert "turn 1/20" in own(house, house.ben).text


async def test_a_game_of_ones_own_follows_too(house: House) -> None:
    house.say(house.anna, "/farkle20", house.private(house.anna))
    await house.breathe(2)

    await german(house, house.anna)
    await painted(house)

    assert "Zug 1/20" in own(house, house.anna).text


async def test_a_restart_changes_no_language(house: House) -> None:
    await race(house, house.anna, house.cem)
    await german(house, house.anna)

    await house.away(30)
    await painted(house)

    assert "Zug 1/20" in own(house, house.anna).text
    assert "Zug 1/20" in own(house, house.cem).text


def test_every_game_played_in_private_is_tested_here() -> None:
    assert [kind for kind, game in registry().items() if game.own] == ["farkle20"]
