"""`/fifty@otherbot` is ignored, `/FIFTY@thisbot` obeyed."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import thrown
from tgbot.config import Settings
from tgbot.inbound.commands import ADMIN, shown
from tgbot.words import all_words


@pytest.mark.parametrize("command", ["/fifty@otherbot", "/fifty@dicehall", "/fiftyfifty"])
async def test_a_command_for_somebody_else_is_ignored(house: House, command: str) -> None:
    house.telegram.privacy = False
    heard = house.heard()

    house.telegram.say(house.anna, house.group, command)

    await house.breathe()
    assert house.sql("SELECT * FROM games") == []
    assert house.heard() == heard


@pytest.mark.parametrize("command", ["/FIFTY@dicehall_bot", "/Fifty@DICEHALL_BOT"])
async def test_a_command_for_this_bot_is_obeyed_in_any_case(house: House, command: str) -> None:
    house.say(house.anna, command)

    await house.breathe()
    assert house.table().opener == house.anna.id


def names() -> list[str]:
    """Every command that means something to the bot in a group."""
    return sorted({*shown(ADMIN, all_words(Settings.model_construct())), "give"})


@pytest.mark.parametrize("name", names())
async def test_no_command_of_another_bot_is_obeyed(house: House, name: str) -> None:
    house.telegram.privacy = False
    await house.begin(house.anna, house.ben)
    await house.breathe(3)
    heard = house.heard()

    async with house.nothing_written():
        house.say(house.anna, f"/{name}@otherbot 4")
        house.say(house.anna, f"/{name.upper()}@dicehall_bot2 4")

    assert house.heard() == heard


@pytest.mark.parametrize("name", names())
async def test_every_command_is_obeyed_in_capitals(house: House, name: str) -> None:
    await house.begin(house.anna, house.ben)
    await house.breathe(3)
    before = (house.heard(), house.rows())

    house.say(house.anna, f"/{name.upper()}@DICEHALL_BOT")
    await house.breathe(3)

    assert (house.heard(), house.rows()) != before


async def test_moves_typed_in_capitals_for_this_bot_count(house: House) -> None:
    await house.begin(house.anna, house.ben)

    house.say(house.anna, "/D@Dicehall_Bot 4")
    await house.breathe()

    assert thrown(house) == [(0, "4")]
