"""Runs the bot in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import threading

from economy.database import Ruined, file_problems
from tgbot import log
from tgbot.app import Dicehall
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.inbound.webhook import doors
from tgbot.lock import alone


def serve(settings: Settings, *, webhook: bool = False) -> None:
    """Serves by long polling or webhook; SIGTERM and SIGINT finish what is under way.

    Raises `tgbot.lock.Running` where another bot serves the same SQLite file, and
    `economy.database.Unreadable` for one that cannot be trusted: damage found at night would be
    worse.
    """
    threading.excepthook = log.thread_failed
    with alone(settings):
        db = open_database(settings)
        if damage := file_problems(db):
            raise Ruined(damage[0])
        # The clerk's thread opens its own connection.
        db.close()
        bot = Dicehall(settings, db, webhook=webhook)
        bot.doors = doors(bot, settings)
        _spare_the_collector()
        asyncio.run(_until_told(bot))


def _spare_the_collector() -> None:
    """Keeps it from looking again and again, 70 ms each time, through what the start-up made."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20)


async def _until_told(bot: Dicehall) -> None:
    serving = asyncio.create_task(bot.run())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serving
