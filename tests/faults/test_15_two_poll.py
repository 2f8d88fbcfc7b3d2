"""Two processes poll with one token: one settles, the other says so and waits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import play_on, thrown
from tgbot.app import Dicehall
from tgbot.database import open_database
from tgbot.inbound.polling import CONFLICT_WAIT_S
from tgbot.playground.inprocess import InProcessRequest
from tgbot.soak.virtual import now

WAITS = "another process polls with this token; waiting"


@contextlib.asynccontextmanager
async def second(house: House) -> AsyncIterator[Dicehall]:
    """Another bot with the same token and the same database."""
    assert house.bot
    request = InProcessRequest(house.telegram)
    db = open_database(house.settings)
    bot = Dicehall(house.settings, db, request=request, poll_request=request, now=now)
    bot.hall.chance.stream = house.bot.hall.chance.stream
    asyncio.get_running_loop().busy.append(lambda: not task.done() and bot.clerk.outstanding)
    house.excused.add("refusals")
    task = asyncio.create_task(bot.run())
    await house.breathe(3)
    try:
        yield bot
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_one_waits_and_says_so_and_the_game_settles_once(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    async with second(house):
        await house.score(house.anna, POOLS[0], 12)
        await house.score(house.ben, POOLS[0], 11)
        await play_on(house, house.anna, house.ben)
        await house.breathe(40)

    assert WAITS in house.log.said("WARNING")
    assert house.log.said("ERROR") == []
    assert len(thrown(house)) == 6
    assert house.table().status == "over"
    assert (house.coins(house.anna), house.coins(house.ben)) == (12, 8)
    assert house.sql("SELECT count(*) FROM bookings WHERE key LIKE 'settle:%'") == [(1,)]


async def test_a_deadline_that_both_see_fires_once(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    async with second(house):
        await house.breathe(30)

        assert thrown(house) == [(0, "late"), (1, "late")]


async def test_once_the_other_is_gone_the_one_that_waited_serves(house: House) -> None:
    async with second(house):
        await house.breathe(CONFLICT_WAIT_S)
    await house.breathe(2 * CONFLICT_WAIT_S)

    await house.ask(house.anna, "/fifty")

    assert house.table().opener == house.anna.id
