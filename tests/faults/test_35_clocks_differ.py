"""The host's clock differs from Telegram's: Telegram's dates are compared with each other."""

from __future__ import annotations

import asyncio

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import thrown
from tgbot.soak.virtual import true_now

CLOCKS = pytest.mark.parametrize("ahead_s", [10, -10, 0, 45])
ROUND_S = 25


async def begin(house: House, ahead_s: float) -> None:
    """A game in its first round on a host whose clock is ahead of Telegram's."""
    house.telegram.now = true_now
    asyncio.get_running_loop().skew = ahead_s
    await house.begin(house.anna, house.ben)


@CLOCKS
async def test_a_throw_typed_in_its_round_counts(house: House, ahead_s: float) -> None:
    await begin(house, ahead_s)
    await house.breathe(3)

    await house.typed(house.anna, "20")

    assert thrown(house) == [(0, "20")]


@CLOCKS
async def test_a_throw_typed_before_its_round_is_too_early(house: House, ahead_s: float) -> None:
    await begin(house, ahead_s)
    await house.breathe(ROUND_S - 4)
    typed = true_now()
    await house.breathe(7)
    first = len(thrown(house))

    house.say(house.anna, "/d 20", date=typed)
    await house.breathe(3)

    assert first == len(thrown(house)) == 2
    assert house.says("refused.too_early") in house.heard()
