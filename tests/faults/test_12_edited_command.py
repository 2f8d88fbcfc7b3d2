"""An old command is edited: nothing."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import thrown


async def test_an_edited_message_is_no_command(house: House) -> None:
    said = house.say(house.anna, "/rules")
    await house.breathe()
    heard = house.heard()

    house.telegram.edit(house.anna, house.group, said.id, "/fifty@dicehall_bot")

    await house.breathe()
    assert house.sql("SELECT * FROM games") == []
    assert house.heard() == heard


@pytest.mark.parametrize(
    "new", ["/d 20", "/leave", "/stop", "/give 5 @Ben", "/settings stake 5", "/d +"]
)
async def test_no_command_comes_from_an_edit(house: House, new: str) -> None:
    said = house.say(house.anna, "hello")
    await house.begin(house.anna, house.ben)
    await house.breathe(3)
    heard = house.heard()

    async with house.nothing_written():
        command, _, words = new.partition(" ")
        house.telegram.edit(house.anna, house.group, said.id, f"{command}@dicehall_bot {words}")

    assert house.heard() == heard


async def test_an_edited_sentence_is_no_move(house: House) -> None:
    house.telegram.privacy = False
    await house.open(house.anna, house.ben, kind="zilch")
    await house.breathe(3)
    said = house.say(house.anna, "good luck")
    await house.breathe()

    async with house.nothing_written():
        house.telegram.edit(house.anna, house.group, said.id, "one roll")
        house.telegram.edit(house.anna, house.group, said.id, "James Fifty")
        house.telegram.edit(house.anna, house.group, said.id, "!roll 1")


async def test_a_throw_that_is_edited_afterwards_stays_what_it_was(house: House) -> None:
    await house.begin(house.anna, house.ben)
    said = house.say(house.anna, "/d 4")
    await house.breathe()

    house.telegram.edit(house.anna, house.group, said.id, "/d@dicehall_bot 20")
    await house.breathe()

    assert thrown(house) == [(0, "4")]
