"""What happens to the machine and the process: time passes, clocks are set, it dies, disks fill."""

from __future__ import annotations

import asyncio

from tgbot.soak.events.common import Event
from tgbot.soak.life import Doom, full
from tgbot.soak.virtual import VirtualLoop
from tgbot.soak.world import World

STALL_S = 1e6
"""How long a call takes while Telegram stalls: longer than anybody waits."""
OUT_WITHIN_S = 10
"""How soon the bot has to end all the same."""


def wait(least: int, most: int) -> Event:
    """An event that lets so many seconds pass."""

    async def event(world: World) -> str:
        seconds = least + world.draw(most - least + 1) - 1
        await world.live(seconds)
        return f"{seconds} s pass"

    return event


async def set_clock(world: World) -> str:
    """The machine's wall clock is set."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.skew = float(world.pick((0, 0, -3600, 3600, -30, 30, 86_400)))
    # The regular look, rare in virtual time, would notice within seconds.
    world.life.bot.painter.spawn(world.life.bot.clock.look())
    return f"the wall clock is {loop.skew} s ahead"


def dies(where: str) -> Event:
    """An event that lets the process die at one of the next commits or calls."""

    async def event(world: World) -> str:
        doom = Doom(where, world.pick(("before", "in", "after")), world.draw(4))
        world.life.doom = doom
        return f"the process will die {doom.how} the {doom.left}. {where}"

    return event


async def restart(world: World) -> str:
    """The operator restarts the bot."""
    await world.restart()
    return "the bot is restarted"


async def stalled_restart(world: World) -> str:
    """The operator restarts the bot while Telegram answers nothing (SURVIVE 45)."""
    faults, clock = world.telegram.faults, asyncio.get_running_loop().time
    before, faults.latency_s, began = faults.latency_s, STALL_S, clock()
    await world.life.stop()
    took = clock() - began
    faults.latency_s = before
    if took > OUT_WITHIN_S:
        world.errors.append(f"it took {took:.0f} s to end while Telegram stalled")
    await world.reborn(1.0)
    return "the bot is restarted while Telegram stalls"


async def clocks_differ(world: World) -> str:
    """The machine's clock runs some seconds beside Telegram's (SURVIVE 35)."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.skew = float(world.pick((-20, -10, -2, 2, 10, 20)))
    return f"the wall clock is {loop.skew} s ahead of Telegram's"


async def disk_full(world: World) -> str:
    """The disk is full for a while."""
    loop, db, seconds = asyncio.get_running_loop(), world.life.clerk.db, float(world.draw(40))
    full(db, world.draw(3) - 1)
    world.excused_until = loop.time() + seconds + 5
    life = world.life
    loop.call_later(seconds, lambda: None if life.dead.is_set() else full(db, None))
    return f"the disk is full for {seconds} s"
