"""The bots that are measured, each with the crowd at its buttons; they are pressed in turn."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from tests import postgres
from tests.bench import players, process
from tests.bench.players import SEATS, Players
from tests.bench.presses import Load, Presses
from tests.bench.process import Bot
from tests.process.ports import free_port
from tgbot.config import Settings
from tgbot.playground import Chat, Limits, Person, Telegram
from tgbot.playground.server import running

TABLES = 25
"""Games played at the same time; as many people press the plain button."""
GROUPS = 240
"""More than play at a time: Telegram lets 20 boards a minute into one."""
LATENCIES_MS = (0, 50)
CALM = "calm"
CALM_A_SECOND = 50.0
"""Two presses a second at each table, as people play: boards follow them, and none is left out."""
WELCOME_GIFT = 10_000
"""Nobody is to run out of coins."""
LOBBY_S, LOBBY_WAIT_S, PACE = 600, 3600, 1000
"""While others are measured nobody presses, and nobody's time is to run out."""
BARE, CONCURRENT = "python-telegram-bot", "python-telegram-bot, concurrent"
POLLING, WEBHOOK = "dicehall", "dicehall, webhook"
POSTGRES, WORKERS = "dicehall, PostgreSQL", "dicehall, PostgreSQL, 2 workers"
BOARDS = ("sendMessage", "editMessageText")

Setting = int | str
"""What a bot is measured in: a latency in ms, as fast as it can and at half of that; or `CALM`."""


@dataclass(frozen=True)
class Used:
    """What a bot has used and done: processor time in seconds, boards."""

    bot_s: float = 0.0
    """Children included."""
    database_s: float = 0.0
    """The database server's, where there is one."""
    boards: int = 0

    def more(self, before: Used, after: Used) -> Used:
        """This, and what was used between two moments."""
        return Used(
            self.bot_s + after.bot_s - before.bot_s,
            self.database_s + after.database_s - before.database_s,
            self.boards + after.boards - before.boards,
        )


@dataclass
class Run:
    """What one bot did in one setting: pressed as fast as it answers, and at a given pace."""

    full: Load = field(default_factory=Load)
    paced: Load = field(default_factory=Load)
    used: Used = Used()
    our_s: float = 0.0
    """The playground's processor time. All of it while this bot's people pressed."""

    @property
    def presses(self) -> int:
        """All of them."""
        return len(self.full.latencies) + len(self.paced.latencies)

    @property
    def cpu_us(self) -> float:
        """A press's share of the bot's processor time."""
        return 1e6 * self.used.bot_s / self.presses

    @property
    def database_us(self) -> float:
        """A press's share of the database server's."""
        return 1e6 * self.used.database_s / self.presses

    @property
    def our_us(self) -> float:
        """A press's share of the playground's."""
        return 1e6 * self.our_s / self.presses

    @property
    def boards_a_second(self) -> float:
        """Boards for every second of pressing."""
        return self.used.boards / (self.full.seconds + self.paced.seconds)


@dataclass
class Opponent:
    """A bot with the crowd that presses its buttons."""

    name: str
    telegram: Telegram
    presses: Presses
    bots: list[Bot]
    """Its processes: one, or several workers."""
    settings: tuple[Setting, ...] = (*LATENCIES_MS, CALM)
    database: Bot | None = None
    runs: dict[Setting, Run] = field(default_factory=dict)
    played: str = ""

    def used(self) -> Used:
        """Everything so far."""
        return Used(
            sum(bot.cpu_s() for bot in self.bots),
            self.database.cpu_s() if self.database else 0.0,
            sum(call.method in BOARDS for call in self.telegram.log),
        )

    @property
    def peak_mb(self) -> float:
        """The most memory one of its processes ever held."""
        return max(bot.peak_mb for bot in self.bots)

    async def spell(self, run: Run, seconds: float, a_second: float) -> None:
        """Lets people press for a while, at a pace or (0) as fast as they are answered."""
        busy, before = time.process_time(), self.used()
        await self.presses.spell(run.paced if a_second else run.full, seconds, a_second)
        run.our_s += time.process_time() - busy
        run.used = run.used.more(before, self.used())


@contextlib.asynccontextmanager
async def bare(name: str, how: str) -> AsyncIterator[Opponent]:
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
async def dicehall(
    name: str,
    database: str,
    *,
    webhook: bool = False,
    workers: int = 1,
    groups: int = GROUPS,
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
        "LOBBY_S": str(LOBBY_S),
        "LOBBY_WAIT_S": str(LOBBY_WAIT_S),
        "LOBBY_MOST_S": str(LOBBY_WAIT_S),
        "PACE": str(PACE),
        "WELCOME_GIFT": str(WELCOME_GIFT),
        "PRESSES_A_SECOND": "1000",  # these people press as fast as they are answered
        "LOBBIES_AN_HOUR": "1000000",
        "WEBHOOK_URL": f"http://127.0.0.1:{ports[0]}/telegram",
        "WEBHOOK_SECRET": "secret",
    }
    settings = Settings(
        bot_token=SecretStr(telegram.token),
        database=database,
        lobby_s=LOBBY_S,
        lobby_wait_s=LOBBY_WAIT_S,
        pace=PACE,
        welcome_gift=WELCOME_GIFT,
    )
    crowd = players.open_lobbies(telegram, settings, groups)
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
        await players.painted(crowd)
        people, waiting = Players(presses, database), deque(crowd)
        presses.begin(*(people.play(waiting) for _ in range(min(TABLES, groups))))
        opponent = Opponent(name, telegram, presses, bots)
        yield opponent
        await presses.end()
        await stack.aclose()
        opponent.played = people.check()


@contextlib.asynccontextmanager
async def on_postgres(name: str, workers: int, groups: int = GROUPS) -> AsyncIterator[Opponent]:
    """The same with PostgreSQL, at no latency; all of it that is measured is processor time."""
    with postgres.server() as server:
        on_it = dicehall(name, server.url, webhook=True, workers=workers, groups=groups)
        async with on_it as opponent:
            opponent.settings, opponent.database = (0,), Bot(server.pid)
            yield opponent


def everybody(folder: Path, groups: int = GROUPS) -> list[AbstractAsyncContextManager[Opponent]]:
    """All that are measured; their files are in `folder`, PostgreSQL's in memory."""
    polling, webhook = (f"sqlite:///{folder / name}.db" for name in ("polling", "webhook"))
    return [
        bare(BARE, "as-it-comes"),
        bare(CONCURRENT, "concurrent"),
        dicehall(POLLING, polling, groups=groups),
        dicehall(WEBHOOK, webhook, webhook=True, groups=groups),
        *(
            on_postgres(name, workers, groups)
            for name, workers in ((POSTGRES, 1), (WORKERS, 2))
            if postgres.pgserver
        ),
    ]


async def contest(
    those: Iterable[AbstractAsyncContextManager[Opponent]], seconds: float, rounds: int
) -> list[Opponent]:
    """Bots side by side, of which one is pressed at a time, in turn, for so many rounds.

    Each is pressed for `seconds` at every latency and load, and twice as long calmly.
    """
    async with contextlib.AsyncExitStack() as stack:
        opponents = await asyncio.gather(*map(stack.enter_async_context, those))
        for setting in (*LATENCIES_MS, CALM):
            pressed = [each for each in opponents if setting in each.settings]
            for each in pressed:
                each.telegram.faults.latency_s = 0 if setting == CALM else int(setting) / 1000
            if setting == CALM:  # boards follow after seconds, so in one go
                await _measure(pressed, setting, [2 * seconds], (_calm,))
            else:
                await _measure(pressed, setting, [seconds / rounds] * rounds, (_full, _half))
    return opponents


async def _measure(
    pressed: Sequence[Opponent],
    setting: Setting,
    spells_s: Sequence[float],
    paces: Iterable[Callable[[Run], float]],
) -> None:
    for pace in paces:
        for seconds in spells_s:
            for each in pressed:
                run = each.runs.setdefault(setting, Run())
                await each.spell(run, seconds, pace(run))


def _full(run: Run) -> float:
    return 0.0


def _half(run: Run) -> float:
    return run.full.a_second / 2


def _calm(run: Run) -> float:
    return CALM_A_SECOND


async def _press_for_ever(presses: Presses, person: Person, chat: Chat, message: int) -> None:
    while True:
        await presses.press(person, chat, message, "press")


async def _plain_button(telegram: Telegram, chat: Chat) -> int:
    keyboard = {"inline_keyboard": [[{"text": "Press", "callback_data": "press"}]]}
    message = {"chat_id": chat.id, "text": "Press", "reply_markup": keyboard}
    _, answer = await telegram.call("sendMessage", message)
    return int(answer["result"]["message_id"])
