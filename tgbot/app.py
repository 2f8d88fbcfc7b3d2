"""Puts the parts together: one bot, its database, its hall, its clock."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import structlog
from peewee import Database, PeeweeException
from telegram import Bot, BotCommand, Update
from telegram import BotCommandScopeAllChatAdministrators as Admins
from telegram import BotCommandScopeAllGroupChats as Groups
from telegram import BotCommandScopeAllPrivateChats as Private
from telegram.error import TelegramError
from telegram.ext import Application, ExtBot
from telegram.request import BaseRequest

from economy.database import Ruined, connect, file_problems, is_sqlite, left_open, shut, time_of
from tgbot import log as logs
from tgbot.config import Settings, WrongSetting
from tgbot.database import open_database
from tgbot.done import Done
from tgbot.hall.best_lists import Lists
from tgbot.hall.clerk import Clerk
from tgbot.hall.clock import Clock, Fire
from tgbot.hall.daily.reckoning import Reckoning
from tgbot.hall.hall import open_hall
from tgbot.hall.later import Later
from tgbot.hall.minds import keep_ready
from tgbot.hall.postgres_clerk import PostgresClerk, groups_at_once
from tgbot.hall.sqlite_clerk import SqliteClerk
from tgbot.hall.upkeep import Upkeep
from tgbot.http.client import REFUSALS, AiohttpRequest, CheckedRequest, persistently
from tgbot.http.server import WebServer
from tgbot.inbound import commands
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import presses
from tgbot.inbound.intake import Intake
from tgbot.inbound.polling import Polling
from tgbot.inbound.telegram_time import Dates
from tgbot.inbound.webhook import Webhook, webhook_app
from tgbot.lock import alone
from tgbot.operator.health import METRICS_PORT, Watch, watch_app
from tgbot.operator.metrics import Metrics
from tgbot.operator.nightly import Nightly
from tgbot.operator.panel import Panel
from tgbot.outbound.claims import LEASE_S, RENEW_S, Claims
from tgbot.outbound.painter import Painter
from tgbot.words import FALLBACK, LANGUAGES, all_words

LAST_CALLS_S = 3
"""How long calls that came in before the end may take."""
RESUMED_FIRST = 500
"""So many games are taken up before updates come in; the rest meanwhile."""
RESUMED_AT_ONCE = 25
"""So many in one transaction, for which everybody waits."""

log = structlog.get_logger(__name__)


class Dicehall:
    """One running bot. `request` and `poll_request` carry its calls to the Bot API.

    `web_servers` are what it listens on while it runs, each with the setting that names its port.
    """

    def __init__(
        self,
        settings: Settings,
        db: Database,
        *,
        request: BaseRequest | None = None,
        poll_request: BaseRequest | None = None,
        webhook: bool = False,
        now: Callable[[], float] = time.time,
        clerk: Clerk | None = None,
    ) -> None:
        self.web_servers: list[tuple[str, WebServer]] = []
        self.metrics = Metrics()
        self.dates = Dates(now)
        polls = CheckedRequest(poll_request or AiohttpRequest(connections=2), self.metrics.called)
        bot: ExtBot[Any] = ExtBot(
            settings.token(),
            base_url=f"{settings.bot_api}/bot",
            base_file_url=f"{settings.bot_api}/file/bot",
            request=CheckedRequest(
                request or AiohttpRequest(), self.metrics.called, self.dates.told
            ),
            get_updates_request=polls,
        )
        self.bot: Bot = bot
        self.now = now
        self.clerk = clerk or clerk_for(db)
        self.later = Later(self.clerk, now)
        self.hall, people = open_hall(db, settings)
        self.upkeep = Upkeep(self.hall)
        self.clerk.on_timed.append(self.metrics.commit_seconds.observe)
        self.clerk.on_commit.append(self.hall.tables.committed)
        self.clerk.on_rollback.append(self.hall.tables.rolled_back)
        self.clerk.on_begin.append(self.hall.tables.begin)
        self.clerk.on_undone.append(self.hall.tables.undone)
        self.words = all_words(settings)
        self.claims: Claims | None = None
        if not is_sqlite(db):
            by_database = partial(_ahead_of, db, now)
            self.claims = Claims(self.hall.tables, self.clerk, now, by_database)
        self.painter = Painter(
            bot=bot,
            tables=self.hall.tables,
            upkeep=self.upkeep,
            clerk=self.clerk,
            later=self.later,
            words=self.words,
            now=now,
            claims=self.claims,
            away=lambda: not self.intake.caught_up.is_set(),
        )
        self.front = Front(
            bot=bot,
            settings=settings,
            clerk=self.clerk,
            later=self.later,
            people=people,
            hall=self.hall,
            upkeep=self.upkeep,
            lists=Lists(self.hall.tables, self.hall.settling.bests, settings),
            panel=Panel(self.hall, people, settings),
            painter=self.painter,
            words=self.words,
            now=now,
        )
        self.front.verify_page = settings.verify_page(webhook=webhook)
        self.application = Application.builder().bot(bot).updater(None).job_queue(None).build()
        commands.register(self.application, self.front)
        handle, press = self._handle, presses.handler(self.front)
        self.intake: Intake = (
            Webhook(bot, handle, press, settings.hook(), self.metrics)
            if webhook
            else Polling(bot, handle, press, polls, self.metrics)
        )
        self.front.dates = self.dates
        self.front.catching_up = lambda: not self.intake.caught_up.is_set()
        self.nightly = Nightly(self.hall.store, self.clerk, self.painter, settings, now)
        self.clock = Clock(
            self.hall.store,
            self.clerk,
            self._due(),
            now=now,
            quiet=self.intake.settled,
            show=self.painter.show,
            resume=self.upkeep.resume,
        )
        self._resumed = asyncio.Event()

    def _due(self) -> dict[str, Fire]:
        """What a due row of each kind sets off."""
        return {
            "audit": self.nightly.fire,
            "daily": self.hall.dailies.close,
            "daily_james": Reckoning(self.hall.dailies).fire,
            "daily_morning": self.hall.dailies.tell,
            "game": self.hall.expiry.expire,
            "james": self.hall.james.call,
            "robin": self.hall.settling.robin.fire,
            "robin_day": self.hall.settling.robin.fire_day,
            "period": self.hall.settling.bonuses.close,
            "notices": self.hall.settling.bonuses.tell,
            "jackpot": lambda ref, at: self.upkeep.idle_jackpot(int(ref), at),
        }

    async def _handle(self, update: Update) -> None:
        """All that is no press; what it tells of a chat is known before it is answered."""
        if said := update.message:
            self.painter.latest.saw(said.chat_id, said.message_id)
        await self.application.process_update(update)

    async def run(self) -> None:
        """Serves until cancelled; then finishes what is under way."""
        self.clerk.start()
        self.clock.heed()
        try:
            await self._open_web_servers()
            await self._connect()
            spare_the_collector()
            games = await self._resume()
            await self.nightly.arm()
            self.painter.show(await self.clerk.run(self._catch_up))
            self.painter.spawn(self._introduce())
            await self._serve(games)
        finally:
            await self._close()

    async def _resume(self) -> int:
        """Takes up the games that run, unless other workers have them in hand; how many they are.

        Of very many the rest are taken up while others are played already. Their boards can be
        pressed; the clock waits.
        """
        if self.claims:
            others = await self.claims.beat()
            self.painter.spawn(self._beat(self.claims, doubtful=others))
            self.painter.spawn(self.painter.watch())
            if others:
                self._resumed.set()
                return 0
        games = await self.clerk.run(self.upkeep.to_resume)
        first, rest = games[:RESUMED_FIRST], games[RESUMED_FIRST:]
        await self._take_over(first)
        if rest:
            self.painter.spawn(self._take_over(rest, at_last=self._all_resumed))
        else:
            self._all_resumed()
        return len(games)

    def _all_resumed(self) -> None:
        gc.freeze()
        self._resumed.set()

    async def _take_over(
        self, games: Sequence[str], at_last: Callable[[], None] = lambda: None
    ) -> None:
        """Takes games up; paints them, and the old boards that have a keyboard to lose."""
        for first in range(0, len(games), RESUMED_AT_ONCE):
            some = games[first : first + RESUMED_AT_ONCE]
            resume = partial(self.upkeep.resume_some, some, int(self.now()))
            self.painter.take_up((await self.clerk.run(resume)).games, ())
        self.painter.take_up((), await self.clerk.run(self.upkeep.old_boards.all))
        for chat_id in await self.clerk.run(self.painter.pins.chats):
            self.painter.spawn(self.painter.pin(chat_id))
        at_last()

    def _catch_up(self) -> Done:
        now = int(self.now())
        self.hall.dailies.begin(now)
        return self.hall.settling.bonuses.catch_up(now)

    async def _beat(self, claims: Claims, *, doubtful: bool) -> None:
        """Tells that this worker lives. It is doubtful whether others do until they are heard of
        again: what seemed to be one may have been an earlier life of this one."""
        began = self.now()
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                others = await claims.beat()
                if doubtful and not others:
                    await self._take_over(await self.clerk.run(self.upkeep.to_resume))
                doubtful = doubtful and others and self.now() < began + LEASE_S + RENEW_S
            except PeeweeException as error:
                log.warning("the database cannot be told that we live", error=str(error))

    async def _serve(self, games: int) -> None:
        polling = asyncio.create_task(self.intake.run())
        starting = asyncio.create_task(self._caught_up())
        try:
            await asyncio.wait((polling, starting), return_when=asyncio.FIRST_COMPLETED)
            if not polling.done():
                self.clock.start()
                log.info("open", bot=self.bot.username, games=games)
            await polling
        finally:
            polling.cancel()
            starting.cancel()

    async def _caught_up(self) -> None:
        """Waits until every game is taken up and the updates of the meantime have come in."""
        await self._resumed.wait()
        await self.intake.caught_up.wait()

    async def _connect(self) -> None:
        """Signs in, for as long as it takes. Raises `InvalidToken` for a token that is none."""
        await persistently(self.application.initialize, refusals=REFUSALS)
        self.words.names["bot"] = self.bot.username

    async def _open_web_servers(self) -> None:
        for name, server in self.web_servers:
            try:
                await server.open()
            except OSError as error:
                where = f"{server.host}:{server.port}"
                raise WrongSetting(
                    f"{name}_PORT: {where} cannot be used ({error.strerror}); choose another"
                ) from None

    async def _close(self) -> None:
        self.clock.stop()
        for _, server in self.web_servers:
            await server.close(LAST_CALLS_S)
        await self.intake.finish()
        await self.painter.stop()
        self.later.close()
        await self._leave_the_chats()
        await self.application.shutdown()
        await self.bot.shutdown()  # which an application that never signed in leaves open
        await self.clerk.stop()

    async def _leave_the_chats(self) -> None:
        """Leaves the chats to the other workers, which would wait for a sign of life else."""
        if self.claims:
            try:
                await self.claims.leave()
            except PeeweeException as error:
                log.warning("the other workers cannot be told", error=str(error))

    async def _introduce(self) -> None:
        """Tells Telegram the commands for its menus, in every language."""
        scopes = {"private": Private(), "group": Groups(), "admin": Admins()}
        try:
            for language in (None, *LANGUAGES):
                for place, scope in scopes.items():
                    menu = [
                        BotCommand(name, self.words.plain(about, language or FALLBACK))
                        for name, about in commands.shown(place, self.words).items()
                    ]
                    await self.bot.set_my_commands(menu, scope, language)
        except TelegramError as error:
            log.warning("the command menus could not be set", error=str(error))


def serve(settings: Settings, *, webhook: bool = False) -> None:
    """Serves by long polling or webhook; SIGTERM and SIGINT finish what is under way.

    Raises `tgbot.lock.Running` where another bot serves the same SQLite file, and
    `economy.database.Unreadable` for one that cannot be trusted. A file that was closed is
    looked through at night, one that was not at once.
    """
    threading.excepthook = logs.thread_failed
    with alone(settings):
        if left_open(settings.database):
            _refuse_damage(settings.database)
        db = open_database(settings)
        db.close()  # the clerk's thread opens its own connection
        bot = Dicehall(settings, db, webhook=webhook)
        bot.web_servers = web_servers(bot, settings)
        asyncio.run(_until_told(bot, settings))


def _refuse_damage(url: str) -> None:
    db = connect(url, read_only=True)
    try:
        if damage := file_problems(db):
            raise Ruined(damage[0])
    finally:
        shut(db)


def clerk_for(db: Database) -> Clerk:
    """The clerk a database wants."""
    return SqliteClerk(db) if is_sqlite(db) else PostgresClerk(db, groups_at_once(db))


def spare_the_collector() -> None:
    """Keeps it from looking again and again through what the start made, 15 ms each time.

    Done before games are taken up, it does not look at them either: 150 ms for 10 000.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20)


async def _until_told(bot: Dicehall, settings: Settings) -> None:
    serving = asyncio.create_task(bot.run())
    thinking = asyncio.create_task(keep_ready(settings.minds))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, serving.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await serving
    finally:
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)


def web_servers(bot: Dicehall, settings: Settings) -> list[tuple[str, WebServer]]:
    """What the bot opens: each port with the name of its setting, the webhook's first."""
    opened = []
    if isinstance(bot.intake, Webhook):
        app = webhook_app(bot.intake)
        opened.append(("WEBHOOK", WebServer(app, settings.webhook_host, settings.webhook_port)))
    port = settings.metrics_port or (METRICS_PORT if opened else None)
    if port:
        app = watch_app(Watch(bot, settings))
        opened.append(("METRICS", WebServer(app, settings.metrics_host, port)))
    return opened


def _ahead_of(db: Database, now: Callable[[], float]) -> float:
    """How far the database's clock, which all workers share, is ahead of this one's."""
    return time_of(db) - now()
