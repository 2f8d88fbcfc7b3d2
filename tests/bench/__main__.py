"""Runs all measurements and prints tables and, as the last line, one JSON object."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from pydantic import SecretStr
from rich.console import Console
from rich.table import Table

from tests import minds, postgres
from tests.bench import boards, bookings, pace, players, process, years
from tests.bench.boards import Painted
from tests.bench.bookings import CALLERS, Round
from tests.bench.players import SEATS, Players
from tests.bench.presses import Load, Presses
from tests.bench.process import Bot
from tests.process.ports import free_port
from tgbot import log
from tgbot.config import Settings
from tgbot.playground import Chat, Limits, Person, Telegram
from tgbot.playground.server import running

TABLES = 25
"""Games played at the same time; as many people press the plain button."""
LOBBIES = 240
LATENCIES_MS = (0, 50)
PACE = 1000
"""While others are measured nobody presses, and nobody's time is to run out."""
BARE, CONCURRENT = "bare", "bare, concurrent"
POLLING, WEBHOOK = "dicehall", "dicehall, webhook"
POSTGRES, WORKERS = "dicehall, PostgreSQL", "dicehall, PostgreSQL, 2 workers"
BOARDS = ("sendMessage", "editMessageText")


@dataclass
class Run:
    """What one bot did at one latency: as fast as it could, and at half of that."""

    full: Load = field(default_factory=Load)
    half: Load = field(default_factory=Load)
    bot_s: float = 0.0
    """Processor time, of everything from the first press on: boards too."""
    our_s: float = 0.0
    """The playground's own, while this bot's people pressed."""
    boards: int = 0
    database_s: float = 0.0
    """Processor time of the database's server, where there is one."""

    @property
    def presses(self) -> int:
        """All of them."""
        return len(self.full.latencies) + len(self.half.latencies)

    @property
    def cpu_us(self) -> float:
        """A press's share of the bot's processor time."""
        return 1e6 * self.bot_s / self.presses

    @property
    def database_us(self) -> float:
        """A press's share of the database server's."""
        return 1e6 * self.database_s / self.presses if self.presses else 0.0

    @property
    def our_us(self) -> float:
        """A press's share of the playground's."""
        return 1e6 * self.our_s / self.presses


@dataclass
class Opponent:
    """A bot with the crowd that presses its buttons."""

    name: str
    telegram: Telegram
    presses: Presses
    bots: list[Bot]
    """Its processes: one, or several workers."""
    latencies_ms: tuple[int, ...] = LATENCIES_MS
    database: Bot | None = None
    runs: dict[int, Run] = field(default_factory=dict)
    played: str = ""

    def cpu_s(self) -> float:
        """Processor time used so far."""
        return sum(bot.cpu_s() for bot in self.bots)

    def database_s(self) -> float:
        """Processor time that the database's server has used so far."""
        return self.database.cpu_s() if self.database else 0.0

    @property
    def peak_mb(self) -> float:
        """The most memory one of its processes ever held."""
        return max(bot.peak_mb for bot in self.bots)

    async def spell(self, run: Run, seconds: float, *, half: bool) -> None:
        """Lets people press for a while."""
        busy = time.process_time()
        if half:
            await self.presses.spell(run.half, seconds, run.full.a_second / 2)
        else:
            await self.presses.spell(run.full, seconds)
        run.our_s += time.process_time() - busy

    def painted(self) -> int:
        """The messages it has sent and changed so far."""
        return sum(call.method in BOARDS for call in self.telegram.log)


@contextlib.asynccontextmanager
async def _bare(name: str, how: str) -> AsyncIterator[Opponent]:
    """A crowd at one plain button of a bare bot."""
    telegram = Telegram(limits=Limits(off=True))
    presses = Presses(telegram)
    command = ("tests.bench.bare", telegram.token, how)
    async with (
        running(telegram, port=0) as address,
        process.running(telegram, command[0], address, *command[1:], stop_s=0.5) as bot,
    ):
        people = [telegram.person(f"Person {each}") for each in range(TABLES * SEATS)]
        chat = telegram.group("Group", *people)
        message = await _plain_button(telegram, chat)
        presses.begin(*(_press_for_ever(presses, person, chat, message) for person in people))
        yield Opponent(name, telegram, presses, [bot])
        await presses.end()


@contextlib.asynccontextmanager
async def _dicehall(
    name: str,
    database: str,
    *,
    webhook: bool = False,
    workers: int = 1,
    latencies_ms: tuple[int, ...] = LATENCIES_MS,
) -> AsyncIterator[Opponent]:
    """A crowd that plays whole games on dicehall; on several workers behind a load balancer."""
    telegram = Telegram(limits=Limits(off=True))
    presses = Presses(telegram)
    ports = [str(free_port()) for _ in range(workers)]
    environment = {
        "BOT_TOKEN": telegram.token,
        "BOT_TOKEN_FILE": "",
        "DATABASE": database,
        "LOG_JSON": "true",
        "LOG_LEVEL": "info",
        "LOBBY_S": "600",
        "PRESSES_A_SECOND": "1000",  # these people press as fast as they are answered
        "WEBHOOK_URL": f"http://127.0.0.1:{ports[0]}/telegram",
        "WEBHOOK_SECRET": "secret",
    }
    settings = Settings(
        bot_token=SecretStr(telegram.token), database=database, lobby_s=600, pace=PACE
    )
    lobbies = players.open_lobbies(telegram, settings, LOBBIES)
    command = ("tgbot", "run", *["--webhook"] * webhook)
    if workers > 1:
        telegram.workers = tuple(f"http://127.0.0.1:{port}" for port in ports)
    async with running(telegram, port=0) as address, contextlib.AsyncExitStack() as stack:
        environment["BOT_API"] = address
        bots = []
        for port in ports:
            own = {"WEBHOOK_PORT": port, "METRICS_PORT": str(free_port())}
            bot = process.running(telegram, *command, environment=environment | own)
            bots.append(await stack.enter_async_context(bot))
        await players.painted(lobbies)
        crowd, left = Players(presses, database), iter(lobbies)
        presses.begin(*(crowd.play(left) for _ in range(TABLES)))
        opponent = Opponent(name, telegram, presses, bots, latencies_ms)
        yield opponent
        await presses.end()
        await stack.aclose()
        opponent.played = crowd.check()


@contextlib.asynccontextmanager
async def _on_postgres(name: str, workers: int) -> AsyncIterator[Opponent]:
    """The same with PostgreSQL, at no latency; all of it that is measured is processor time."""
    with postgres.server() as server:
        on_it = _dicehall(name, server.url, webhook=True, workers=workers, latencies_ms=(0,))
        async with on_it as opponent:
            opponent.database = Bot(server.pid)
            yield opponent


def _on_sqlite(folder: Path) -> list[AbstractAsyncContextManager[Opponent]]:
    return [
        _bare(BARE, "as-it-comes"),
        _bare(CONCURRENT, "concurrent"),
        _dicehall(POLLING, f"sqlite:///{folder / 'polling.db'}"),
        _dicehall(WEBHOOK, f"sqlite:///{folder / 'webhook.db'}", webhook=True),
    ]


async def contest(
    those: Iterable[AbstractAsyncContextManager[Opponent]], seconds: float, rounds: int
) -> list[Opponent]:
    """Bots side by side, of which one is pressed at a time, in turn, for so many rounds."""
    async with contextlib.AsyncExitStack() as stack:
        opponents = [await stack.enter_async_context(each) for each in those]
        for latency_ms in LATENCIES_MS:
            pressed = [each for each in opponents if latency_ms in each.latencies_ms]
            for each in pressed:
                each.telegram.faults.latency_s = latency_ms / 1000
                each.runs[latency_ms] = Run()
            began = [(each.cpu_s(), each.database_s(), each.painted()) for each in pressed]
            for half in (False, True):
                for _ in range(rounds):
                    for each in pressed:
                        await each.spell(each.runs[latency_ms], seconds / rounds, half=half)
            for each, (busy_s, database_s, painted) in zip(pressed, began, strict=True):
                run = each.runs[latency_ms]
                run.bot_s, run.database_s = each.cpu_s() - busy_s, each.database_s() - database_s
                run.boards = each.painted() - painted
    return opponents


async def _press_for_ever(presses: Presses, person: Person, chat: Chat, message: int) -> None:
    while True:
        await presses.press(person, chat, message, "press")


async def _plain_button(telegram: Telegram, chat: Chat) -> int:
    keyboard = {"inline_keyboard": [[{"text": "Press", "callback_data": "press"}]]}
    message = {"chat_id": chat.id, "text": "Press", "reply_markup": keyboard}
    _, answer = await telegram.call("sendMessage", message)
    return int(answer["result"]["message_id"])


# -- what is printed --------------------------------------------------------------------------


def document(
    opponents: list[Opponent], rounds: list[Round], painted: list[Painted]
) -> dict[str, float]:
    """The figures by name.

    Ratios are how many times better dicehall is than the bare bot as it comes, of the ledger how
    many times as fast as plain sqlite3 with a commit each.
    """
    runs = {each.name: each.runs for each in opponents}
    bare, ours, webhook = (runs[name] for name in (BARE, POLLING, WEBHOOK))
    house = next(each for each in opponents if each.name == POLLING)
    paces = [round_.ledger for round_ in rounds]
    return {
        **{
            f"presses_ratio_{ms}ms": round(ours[ms].full.a_second / bare[ms].full.a_second, 2)
            for ms in LATENCIES_MS
        },
        **{
            f"ledger_ratio_{n}": round(
                median(each.ledger[n].a_second / each.plain.a_second for each in rounds), 2
            )
            for n in CALLERS
        },
        "p99_ms_50ms": round(ours[50].half.percentile_ms(99), 1),
        "peak_mb": round(max(each.peak_mb for each in opponents), 1),
        "commits_per_press": round(
            house.bots[0].commits / sum(run.presses for run in ours.values()), 4
        ),
        "cpu_us_press": round(ours[0].cpu_us),
        "cpu_ratio_0ms": round(bare[0].cpu_us / ours[0].cpu_us, 2),
        "cpu_ratio_webhook": round(bare[0].cpu_us / webhook[0].cpu_us, 2),
        **(
            {"cpu_ratio_postgres": round(runs[POSTGRES][0].cpu_us / webhook[0].cpu_us, 2)}
            if POSTGRES in runs
            else {}
        ),
        "board_us": round(painted[0].us),
        "booking_us_1": round(median(pace[CALLERS[0]].cpu_us for pace in paces), 1),
        "booking_us_256": round(median(pace[CALLERS[-1]].cpu_us for pace in paces), 1),
        "booking_us_raw": round(median(each.together.cpu_us for each in rounds), 1),
    }


def show(opponents: list[Opponent], rounds: list[Round], painted: list[Painted]) -> None:
    """The tables."""
    console = Console(width=110, highlight=False)
    titles = (
        "presses/s",
        "CPU µs",
        "database µs",
        "p50 ms",
        "p99 ms",
        "boards/s",
        "playground µs",
        "MB",
    )
    grid = Table("bot", "latency", *titles, title="Presses", title_justify="left")
    for latency_ms in LATENCIES_MS:
        for each in opponents:
            if latency_ms not in each.runs:
                continue
            run = each.runs[latency_ms]
            numbers = (
                f"{run.full.a_second:.1f}",
                f"{run.cpu_us:.0f}",
                f"{run.database_us:.0f}" if each.database else "",
                f"{run.half.percentile_ms(50):.0f}",
                f"{run.half.percentile_ms(99):.0f}",
                f"{run.boards / (run.full.seconds + run.half.seconds):.1f}",
                f"{run.our_us:.0f}",
                f"{each.peak_mb:.0f}",
            )
            grid.add_row(each.name, f"{latency_ms} ms", *numbers)
    console.print(grid)
    console.print(
        f"Presses a second: {TABLES * SEATS} people press again as soon as they are answered. "
        "p50 and p99: half as many come in turn, answered or not. "
        "CPU is a press's share of processor time, boards and children included."
    )
    for each in opponents:
        if lost := sum(run.full.lost + run.half.lost for run in each.runs.values()):
            console.print(f"{each.name}: {lost} presses were never answered.")
        if each.played:
            console.print(f"{each.name}: {each.played}.")
    grid = Table("board", "players", "made µs", "sent µs", title="Boards", title_justify="left")
    for board in painted:
        us = f"{board.made_us:.0f}", f"{board.sent_us:.0f}"
        grid.add_row(board.name, str(board.players), *us)
    console.print(grid)
    console.print("Processor time; sent without the network.")
    titles = ("bookings/s", "CPU µs")
    title = f"Bookings (medians of {len(rounds)} rounds)"
    grid = Table("ledger", *titles, title=title, title_justify="left")
    speeds = {
        "plain sqlite3, one commit each": [each.plain for each in rounds],
        "plain sqlite3, one transaction": [each.together for each in rounds],
        **{
            f"dicehall, {'1 caller' if n == 1 else f'{n} callers'}": [r.ledger[n] for r in rounds]
            for n in CALLERS
        },
    }
    for name, measured in speeds.items():
        a_second = median(each.a_second for each in measured)
        grid.add_row(name, f"{a_second:.0f}", f"{median(p.cpu_us for p in measured):.1f}")
    console.print(grid)


def _ready_minds() -> None:
    """No bot is to work out tables while it is measured: they are those of the tests."""
    os.environ["MIND_FOLDER"] = str(minds.kept())


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=6, help="each bot is pressed, at each latency and load"
    )
    parser.add_argument("--rounds", type=int, default=3, help="in so many turns")
    parser.add_argument("--pace", action="store_true", help="what games at human pace are like")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL too, after the others")
    parser.add_argument("--years", action="store_true", help="how long things take after ten years")
    parser.add_argument("--postings", type=int, default=years.SIZES[-1], help="so many (--years)")
    typed = parser.parse_args()
    log.setup("warning")
    if typed.pace:
        for played in pace.measure():
            print(played.line())
        return
    if typed.years:
        with tempfile.TemporaryDirectory(prefix="dicehall-years-") as name:
            sizes = (years.SIZES[0], typed.postings)
            years.show([years.measure(Path(name), size) for size in sizes])
        return
    _ready_minds()
    with tempfile.TemporaryDirectory(prefix="dicehall-bench-") as name:
        folder = Path(name)
        opponents = asyncio.run(contest(_on_sqlite(folder), typed.seconds, typed.rounds))
        if typed.postgres:
            for name, workers in ((POSTGRES, 1), (WORKERS, 2)):
                those = [_on_postgres(name, workers)]
                opponents += asyncio.run(contest(those, typed.seconds, typed.rounds))
        rounds = bookings.measure(folder / "ledger.db")
    painted = boards.measure()
    show(opponents, rounds, painted)
    print(json.dumps(document(opponents, rounds, painted)))


if __name__ == "__main__":
    main()
