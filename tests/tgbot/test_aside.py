"""Answers that have no room of their own in a group are gathered; none is lost (SURVIVE 26)."""

from __future__ import annotations

from pathlib import Path

from tests.tgbot.house import House, running_house
from tests.tgbot.playing import give
from tgbot.playground import Limits


async def test_money_that_moved_and_refusals_are_told_after_five_answers_a_minute(
    tmp_path: Path,
) -> None:
    limits = Limits(off=True)
    async for house in running_house(tmp_path, limits, answers_a_minute=30, give_after_days=0):
        await told(house)


async def told(house: House) -> None:
    await house.ask(house.ben, "/points")
    await give(house, house.anna, 50)
    for _ in range(5):
        await house.ask(house.anna, "/dice w6")

    house.say(house.anna, "/give 12", reply_to=house.say(house.ben, "hello").id)
    house.say(house.anna, "/give 0", reply_to=house.say(house.ben, "hello").id)
    await house.breathe(20)

    last = house.heard()[-1]
    gift = house.says("give.public", giver="Anna", taker="Ben", coins="12 Knuddels")
    assert house.coins(house.ben) == 22
    assert f"Anna: {gift}" in last
    assert house.says("give.amount") in last
