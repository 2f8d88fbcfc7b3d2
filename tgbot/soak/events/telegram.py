"""What goes wrong at Telegram or on the way there."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial

from tgbot.playground.errors import OddAnswer
from tgbot.playground.faults import Faults
from tgbot.soak.events.common import Event, named
from tgbot.soak.world import UNSHOWN, UNTOLD, World

LATE_S = 20.0
LONG_WAIT_S = 900
NEVER_ENDING = 10**6
BRINGING = "getUpdates,getWebhookInfo,setWebhook"
"""The calls by which updates come."""
FINAL = (
    (401, "Unauthorized"),
    (404, "Not Found"),
    (403, "Forbidden"),
    (400, "Bad Request: bad webhook"),
)
"""Answers that look like the last word."""
REFUSED = tuple(f"Bad Request: {words}" for words in UNSHOWN)


def strike(name: str, most: int = 3) -> Event:
    """An event that lets so many calls or updates of Telegram's go wrong."""

    async def event(world: World) -> str:
        number = world.draw(most)
        setattr(world.telegram.faults, f"{name}_next", number)
        return f"Telegram: the next {number} {name}"

    return event


async def slow(world: World) -> str:
    """For a while updates come late, or every call takes long."""
    faults, loop = world.telegram.faults, asyncio.get_running_loop()
    what = world.pick(("late_updates_s", "latency_s"))
    setattr(faults, what, float(world.draw(8)))
    loop.call_later(LATE_S, setattr, faults, what, 0.0)
    return f"Telegram: {what} = {getattr(faults, what)} for {LATE_S} s"


async def long_wait(world: World) -> str:
    """One chat must wait for a quarter of an hour (SURVIVE 32)."""
    chat, faults = world.pick(world.chats), world.telegram.faults
    faults.flood_chat, faults.flood_next, faults.flood_retry_after = chat.id, 1, LONG_WAIT_S
    loop = asyncio.get_running_loop()
    ordinary = partial(_set, faults, flood_chat=None, flood_next=0, flood_retry_after=5)
    loop.call_later(LATE_S, ordinary)
    return f"Telegram: the next call about {named(chat)} must wait {LONG_WAIT_S} s"


async def refuse(world: World) -> str:
    """For a while nothing can be shown in a chat, in whatever words (SURVIVE 31)."""
    chat, faults = world.pick(world.chats), world.telegram.faults
    faults.refuse_chat, faults.refuse_next = chat.id, NEVER_ENDING
    faults.refuse_reason, seconds = world.pick(REFUSED), world.pick((5, 60, 1000))
    faults.refuse_status = 400
    faults.only = "sendMessage,editMessageText"
    world.away.add(chat.id)
    loop = asyncio.get_running_loop()
    loop.call_later(seconds, partial(_set, faults, refuse_chat=None, refuse_next=0, only=None))
    return f"Telegram: nothing can be shown in {named(chat)} for {seconds} s"


async def looks_final(world: World) -> str:
    """What brings updates is refused some times as if for ever (SURVIVE 30)."""
    status, reason = world.pick(FINAL)
    number = _refused(world, world.draw(4), only=BRINGING, status=status, reason=reason)
    return f"Telegram: the next {number} calls that bring updates are answered {status}"


async def untold(world: World) -> str:
    """For a while Telegram does not tell who is an admin, or a member (SURVIVE 34)."""
    _refused(world, NEVER_ENDING, only="getChatMember", reason=f"Bad Request: {UNTOLD}")
    return f"Telegram: who is who is not told for {LATE_S} s"


def _refused(world: World, number: int, *, only: str, reason: str, status: int = 400) -> int:
    faults = world.telegram.faults
    _set(faults, refuse_chat=None, refuse_next=number, only=only)
    _set(faults, refuse_status=status, refuse_reason=reason)
    ordinary = partial(_set, faults, refuse_next=0, refuse_status=400, only=None)
    asyncio.get_running_loop().call_later(LATE_S, ordinary)
    return number


def _set(faults: Faults, **values: object) -> None:
    for name, value in values.items():
        setattr(faults, name, value)


async def rival(world: World) -> str:
    """Another process polls with the same token for a moment (409); it confirms nothing."""
    with contextlib.suppress(TimeoutError, ConnectionError, OddAnswer):
        await world.telegram.call("getUpdates", {"timeout": 0})
    return "another process polls"
