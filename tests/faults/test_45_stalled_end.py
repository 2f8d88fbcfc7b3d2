"""SIGTERM while Telegram stalls: out within ten seconds, and nothing that was done is lost."""

from __future__ import annotations

import asyncio

from tests.tgbot.calling import Called, called
from tests.tgbot.house import House

__all__ = ["called"]

OUT_WITHIN_S = 10
FOR_EVER_S = 10**6


async def stopped_in(house: House) -> float:
    """How many seconds it takes the bot to end while Telegram answers nothing."""
    house.telegram.faults.latency_s = FOR_EVER_S
    for person in (house.anna, house.ben, house.cem):
        house.telegram.press(person, house.group, house.board().id, "▶️")
        house.say(person, "/play")
    clock = asyncio.get_running_loop().time
    await house.breathe(1)
    began = clock()
    await house.stop()
    return clock() - began


async def test_polling_is_over_in_time(house: House) -> None:
    await house.ask(house.ben, "/fifty")

    assert await stopped_in(house) <= OUT_WITHIN_S


async def test_a_webhook_is_over_in_time(called: Called) -> None:
    house, _ = called
    await house.ask(house.ben, "/fifty")

    assert await stopped_in(house) <= OUT_WITHIN_S
