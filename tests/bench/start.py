"""How long a bot takes to start among many running games, and what they cost of its memory."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench import process, years
from tgbot.playground import Limits, Telegram
from tgbot.playground.model import Chat
from tgbot.playground.server import running

OPEN_WITHIN_S = 120


@dataclass(frozen=True)
class Start:
    """A start of the process among so many running games."""

    games: int
    polls_s: float
    """Until it asks for updates for the first time."""
    open_s: float
    """Until it has taken up every game."""
    peak_mb: float
    """The most memory it held until then."""


async def measure(database: Path, games: int) -> Start:
    """Starts a bot with a database of `years`; or a new one, with no games."""
    telegram = Telegram(token=years.TOKEN, limits=Limits(off=True))
    for number in range(games):
        group = Chat(years.group(number), "group", f"Group {number}")
        telegram.chats[group.id] = group
    environment = {
        "BOT_TOKEN": telegram.token,
        "BOT_TOKEN_FILE": "",
        "DATABASE": f"sqlite:///{database}",
        "LOG_JSON": "true",
    }
    async with running(telegram, port=0) as address:
        environment["BOT_API"] = address
        began = time.time()
        async with process.running(telegram, "tgbot", "run", environment=environment) as bot:
            for _ in range(OPEN_WITHIN_S * 10):
                if bot.says("open"):
                    break
                await asyncio.sleep(0.1)
            else:
                raise RuntimeError("the bot did not take up its games")
            opened = time.time()
            polled = next(call.at for call in telegram.log if call.method == "getUpdates")
    return Start(games, polled - began, opened - began, bot.peak_mb)
