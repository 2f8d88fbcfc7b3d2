"""`dicehall play`: the playground in this process and the real bot in another, on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path

from tgbot.playground.core import Telegram
from tgbot.playground.server import serve
from tgbot.playground.start import furnish

STOP_S = 10


def play(port: int, *, browser: bool, keep: str) -> None:
    """Serves the page until interrupted. `keep` is a database file that outlives it."""
    telegram = Telegram()
    furnish(telegram)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dicehall-"))
        database = Path(keep).resolve() if keep else Path(folder) / "play.db"

        def ready(address: str) -> None:
            stack.callback(_end, _start_bot(telegram, address, database))
            print(f"Play at {address}  (Ctrl+C ends it)", flush=True)
            if browser and (os.environ.get("DISPLAY") or sys.platform in ("darwin", "win32")):
                webbrowser.open(address)

        serve(telegram, port=port, on_ready=ready)


def _start_bot(telegram: Telegram, address: str, database: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "BOT_TOKEN": telegram.token,
        "BOT_TOKEN_FILE": "",
        "BOT_API": address,
        "PUBLIC_URL": address,
        "DATABASE": f"sqlite:///{database}",
    }
    return subprocess.Popen([sys.executable, "-m", "tgbot", "run"], env=environment)


def _end(bot: subprocess.Popen[bytes]) -> None:
    bot.terminate()
    try:
        bot.wait(STOP_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            bot.kill()
        bot.wait()
