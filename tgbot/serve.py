"""Runs the bot in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import signal

from tgbot.app import Dicehall, open_database
from tgbot.config import Settings


def serve(settings: Settings) -> None:
    """Serves by long polling; SIGTERM and SIGINT finish what is under way."""
    db = open_database(settings)
    # The clerk's thread opens its own connection.
    db.close()
    asyncio.run(_until_told(Dicehall(settings, db)))


async def _until_told(bot: Dicehall) -> None:
    serving = asyncio.create_task(bot.run())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serving
