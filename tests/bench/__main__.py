"""Runs all measurements and prints a table and, as the last line, one JSON object."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench import bookings, players, process, years
from tests.bench.bookings import CALLERS, Round
from tests.bench.players import SEATS, Players
from tests.bench.presses import Presses
from tests.bench.process import Bot
from tgbot import log
from tgbot.config import Settings
from tgbot.playground import Chat, Limits, Person, Telegram
from tgbot.playground.server import running

TABLES = 25
"""Games played at the same time; as many people press the plain button."""
LOBBIES = 240
LATENCIES_MS = (0, 50)
BARE, DICEHALL = "bare python-telegram-bot", "dicehall"


@dataclass
class Run:
    """One line of the table; `bot_ms` and `our_ms` are the processor time of a press."""

    name: str
    latency_ms: int
    presses: Presses
    bot: Bot
    bot_ms: float
    our_ms: float
    played: str = ""


async def bare(latency_ms: int, seconds: float) -> Run:
    """A crowd at one plain button of the bare bot."""
    telegram = Telegram(limits=Limits(off=True))
    presses = Presses(telegram)
    async with (
        running(telegram, port=0) as address,
        process.running(telegram, "tests.bench.bare", address, telegram.token, stop_s=0.5) as bot,
    ):
        people = [telegram.person(f"Person {each}") for each in range(TABLES * SEATS)]
        chat = telegram.group("Group", *people)
        message = await _plain_button(telegram, chat)
        telegram.faults.latency_s = latency_ms / 1000
        crowd = [_press_for_ever(presses, person, chat, message) for person in people]
        return await _run(BARE, latency_ms, presses, bot, seconds, crowd)


async def dicehall(latency_ms: int, seconds: float, folder: Path) -> Run:
    """A crowd that plays whole games on dicehall."""
    telegram = Telegram(limits=Limits(off=True))
    presses = Presses(telegram)
    path = folder / f"dicehall-{latency_ms}.db"
    environment = {
        "BOT_TOKEN": telegram.token,
        "BOT_TOKEN_FILE": "",
        "DATABASE": f"sqlite:///{path}",
        "LOG_JSON": "true",
        "LOG_LEVEL": "info",
        "LOBBY_S": "600",
        "PRESSES_A_SECOND": "1000",  # these people press as fast as they are answered
    }
    settings = Settings(database=environment["DATABASE"], lobby_s=600)
    lobbies = players.open_lobbies(telegram, settings, LOBBIES)
    async with running(telegram, port=0) as address:
        environment["BOT_API"] = address
        async with process.running(telegram, "tgbot", "run", environment=environment) as bot:
            await players.painted(lobbies)
            telegram.faults.latency_s = latency_ms / 1000
            crowd, left = Players(presses, path), iter(lobbies)
            tables = [crowd.play(left) for _ in range(TABLES)]
            run = await _run(DICEHALL, latency_ms, presses, bot, seconds, tables)
    run.played = crowd.check()
    return run


async def _run(
    name: str,
    latency_ms: int,
    presses: Presses,
    bot: Bot,
    seconds: float,
    crowd: list[Coroutine[Any, Any, None]],
) -> Run:
    bot_s, our_s = bot.cpu_s(), time.process_time()
    await presses.run(seconds, *crowd)
    bot_s, our_s = bot.cpu_s() - bot_s, time.process_time() - our_s
    each_ms = 1000 / len(presses.latencies)
    return Run(name, latency_ms, presses, bot, bot_s * each_ms, our_s * each_ms)


async def _press_for_ever(presses: Presses, person: Person, chat: Chat, message: int) -> None:
    while True:
        await presses.press(person, chat, message, "press")


async def _plain_button(telegram: Telegram, chat: Chat) -> int:
    keyboard = {"inline_keyboard": [[{"text": "Press", "callback_data": "press"}]]}
    message = {"chat_id": chat.id, "text": "Press", "reply_markup": keyboard}
    _, answer = await telegram.call("sendMessage", message)
    return int(answer["result"]["message_id"])


# -- what is printed --------------------------------------------------------------------------


def document(runs: list[Run], rounds: list[Round]) -> dict[str, float]:
    """The figures by name."""
    rate = {(run.name, run.latency_ms): run.presses.a_second for run in runs}
    ours = [run for run in runs if run.name == DICEHALL]
    presses = sum(len(run.presses.latencies) for run in ours)
    return {
        **{
            f"presses_ratio_{ms}ms": round(rate[DICEHALL, ms] / rate[BARE, ms], 2)
            for ms in LATENCIES_MS
        },
        **{
            f"ledger_ratio_{n}": round(median(each.ledger[n] / each.plain for each in rounds), 2)
            for n in CALLERS
        },
        "p99_ms_50ms": round(ours[-1].presses.percentile_ms(99), 1),
        "peak_mb": round(max(run.bot.peak_mb for run in ours), 1),
        "commits_per_press": round(sum(run.bot.commits for run in ours) / presses, 4),
    }


def show(runs: list[Run], rounds: list[Round]) -> None:
    """The tables."""
    console = Console(width=110, highlight=False)
    titles = ("presses", "a second", "p50 ms", "p99 ms", "CPU ms", "playground", "MB")
    grid = Table("bot", "latency", *titles, title="Presses", title_justify="left")
    for run in runs:
        took = run.presses
        numbers = (
            f"{len(took.latencies)}",
            f"{took.a_second:.1f}",
            f"{took.percentile_ms(50):.0f}",
            f"{took.percentile_ms(99):.0f}",
            f"{run.bot_ms:.2f}",
            f"{run.our_ms:.2f}",
            f"{run.bot.peak_mb:.0f}",
        )
        grid.add_row(run.name, f"{run.latency_ms} ms", *numbers)
    console.print(grid)
    console.print(
        f"{TABLES * SEATS} people press again as soon as they are answered. "
        "CPU is a press's share of processor time."
    )
    for run in runs:
        if run.played:
            console.print(f"{run.name}, {run.latency_ms} ms: {run.played}.")
    grid = Table(
        "ledger",
        "bookings a second",
        title=f"Bookings (medians of {len(rounds)} rounds)",
        title_justify="left",
    )
    grid.add_row("plain sqlite3, one commit each", f"{median(each.plain for each in rounds):.0f}")
    for n in CALLERS:
        callers = "1 caller" if n == 1 else f"{n} callers"
        grid.add_row(f"dicehall, {callers}", f"{median(each.ledger[n] for each in rounds):.0f}")
    console.print(grid)


def main() -> None:
    """Measures everything; `--seconds` is the length of each of the four runs of presses."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="length of each run of presses")
    parser.add_argument("--years", action="store_true", help="how long things take after ten years")
    parser.add_argument("--postings", type=int, default=years.SIZES[-1], help="so many (--years)")
    typed = parser.parse_args()
    seconds = typed.seconds
    log.setup("warning")
    if typed.years:
        with tempfile.TemporaryDirectory(prefix="dicehall-years-") as name:
            sizes = (years.SIZES[0], typed.postings)
            years.show([years.measure(Path(name), size) for size in sizes])
        return
    runs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="dicehall-bench-") as name:
        folder = Path(name)
        for latency_ms in LATENCIES_MS:
            runs.append(asyncio.run(bare(latency_ms, seconds)))
            runs.append(asyncio.run(dicehall(latency_ms, seconds, folder)))
        rounds = bookings.measure(folder / "ledger.db")
    show(runs, rounds)
    print(json.dumps(document(runs, rounds)))


if __name__ == "__main__":
    main()
