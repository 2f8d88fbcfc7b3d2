"""`dicehall play`: the playground in this process and the real bot in another, on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import webbrowser
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from tgbot.playground.core import Telegram
from tgbot.playground.model import Json
from tgbot.playground.server import serve
from tgbot.playground.start import furnish

STOP_S = 10


MOST_UPDATES_A_SECOND = 10
"""On average, as many people on one page never make."""
SLOW_PACE = 400
"""Percent of the time that games give to play, with slow clocks."""


@dataclass
class Bot:
    """The real bot in a process of its own, and how it is run.

    `slow` gives four times as long to play; `operator` makes the first person its operator.
    """

    telegram: Telegram
    address: str
    database: Path
    slow: bool = False
    operator: bool = False
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, or starts it anew with what has changed."""
        self.end()
        environment = {
            **os.environ,
            "BOT_TOKEN": self.telegram.token,
            "BOT_TOKEN_FILE": "",
            "BOT_API": self.address,
            "DATABASE": f"sqlite:///{self.database}",
        }
        if self.slow:
            environment["PACE"] = str(SLOW_PACE)
        if self.operator:
            environment["OPERATORS"] = str(next(iter(self.telegram.people)))
        command = [sys.executable, "-m", "tgbot", "run"]
        self._process = subprocess.Popen(command, env=environment)

    def end(self) -> None:
        """Ends it; what it was about to do is done at the next start."""
        if self._process:
            _end(self._process)
            self._process = None

    def options(self, body: Json) -> Json:
        """Changes how it is run where `body` says so; answers how that is.

        Raises ValueError for what is neither true nor false.
        """
        wanted = {name: body[name] for name in ("slow", "operator") if name in body}
        if any(not isinstance(value, bool) for value in wanted.values()):
            raise ValueError("slow and operator must be true or false.")
        if wanted:
            self.slow = wanted.get("slow", self.slow)
            self.operator = wanted.get("operator", self.operator)
            self.start()
        return {"slow": self.slow, "operator": self.operator}


def play(
    port: int, *, browser: bool, keep: str, slow: bool = False, operator: bool = False
) -> None:
    """Serves the page until interrupted. `keep` is a database file that outlives it."""
    telegram = furnished(time.time())
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dicehall-"))
        database = Path(keep).resolve() if keep else Path(folder) / "play.db"

        def ready(address: str) -> None:
            bot = Bot(telegram, address, database, slow, operator)
            stack.callback(bot.end)
            bot.start()
            telegram.options = bot.options
            print(f"Play at {address}  (Ctrl+C ends it)", flush=True)
            if browser and (os.environ.get("DISPLAY") or sys.platform in ("darwin", "win32")):
                webbrowser.open(address)

        serve(telegram, port=port, on_ready=ready)


def furnished(now: float) -> Telegram:
    """The world at `now` (unix seconds), with people and a group in it.

    A database that is kept remembers the updates of the runs before; those of this one come later.
    """
    telegram = Telegram()
    telegram.queue.go_on_from(int(now * MOST_UPDATES_A_SECOND))
    furnish(telegram)
    return telegram


def _end(bot: subprocess.Popen[bytes]) -> None:
    bot.terminate()
    try:
        bot.wait(STOP_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            bot.kill()
        bot.wait()
