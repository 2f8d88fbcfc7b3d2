"""An anonymous admin or a channel: no wallet, and a way to go on."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import give


@pytest.mark.parametrize("how", ["anonymous", "as_channel"])
async def test_a_fake_sender_has_no_wallet_and_is_shown_a_way_to_go_on(
    house: House, how: str
) -> None:
    house.say(house.anna, "/fifty", **{how: True})
    await house.breathe()
    answer = house.telegram.last(house.group)

    toast = await house.press(house.anna, "🎲 Fifty!", answer)

    assert answer.text == house.says("refused.nobody")
    assert toast == house.says("lobby.opened_in")
    assert house.sql("SELECT user_id FROM people") == [(house.anna.id,)]
    assert house.coins(house.anna) == 10


async def test_a_fake_sender_is_answered_in_the_language_of_the_group(house: House) -> None:
    await house.ask(house.anna, "/settings language de")

    answer = await house.ask(house.anna, "/fifty", anonymous=True)

    assert answer == house.says("refused.nobody", "de")


async def test_an_anonymous_admin_plays_by_pressing(house: House) -> None:
    house.say(house.anna, "/fifty", anonymous=True)
    await house.breathe()
    await house.press(house.anna, "🎲 Fifty!")
    await house.breathe()

    await house.press(house.anna, "✅")

    assert house.table().people == [house.anna]


@pytest.mark.parametrize("how", ["anonymous", "as_channel"])
@pytest.mark.parametrize(
    "said", ["/d +", "/leave", "/stop", "/give 5", "/points", "/settings stake 5"]
)
async def test_a_fake_sender_does_nothing_in_anybodys_name(
    house: House, how: str, said: str
) -> None:
    await house.begin(house.anna, house.ben, stake=5)

    async with house.nothing_written():
        house.say(house.anna, said, **{how: True})

    await house.breathe()
    assert house.says("refused.nobody") in house.heard()


@pytest.mark.parametrize("said", ["James Fifty", "one five roll", "!roll 1"])
async def test_a_fake_sender_is_nobody_in_plain_words_too(house: House, said: str) -> None:
    house.telegram.privacy = False
    await house.open(house.anna, house.ben, kind="zilch")

    async with house.nothing_written():
        house.say(house.anna, said, anonymous=True)

    assert {row[0] for row in house.sql("SELECT user_id FROM people")} == {
        house.anna.id,
        house.ben.id,
    }


async def test_a_gift_to_a_fake_sender_goes_nowhere(house: House) -> None:
    house.settings.give_after_days = 0
    await house.ask(house.ben, "/start", house.private(house.ben))
    said = house.say(house.anna, "hello all", anonymous=True)
    await give(house, house.ben, 50)

    answer = await house.ask(house.ben, "/give 5", reply_to=said.id)

    assert answer == house.says("give.bot")
    assert house.coins(house.ben) == 60
