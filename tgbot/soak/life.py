"""One life of the bot: its wire to Telegram, its books on disk, and how it dies.

A death leaves what `kill -9` or a power cut leaves: the files of the database as they are at that
instant, the write-ahead log perhaps torn in the middle of a commit that nobody was told of.
"""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientConnectionError
from peewee import Database, SqliteDatabase
from starlette.types import ASGIApp, Message

from games.game import Draw
from tgbot.app import Dicehall
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.sqlite_clerk import SqliteClerk
from tgbot.inbound.webhook import Webhook, webhook_app
from tgbot.playground.core import Telegram
from tgbot.playground.inprocess import InProcessRequest
from tgbot.playground.webhook import WebhookSender
from tgbot.soak.virtual import PATIENCE_S, VirtualLoop, now

FILES = ("", "-wal")
"""What is left of a database when nobody closes it: the file and its write-ahead log."""

Remains = dict[str, bytes]


class OrderlyLoop(VirtualLoop):
    """A virtual loop that waits for its threads, so that nothing depends on their speed."""

    def __init__(self, began: float) -> None:
        super().__init__(began)
        self._pool = ThreadPoolExecutor(1, "soak")

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        """The future of `func`, which has run in a thread before this returns."""
        future = self.create_future()
        try:
            future.set_result(self._pool.submit(func, *args).result())
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        """Ends the thread too."""
        self._pool.shutdown()
        super().close()


@dataclass
class Doom:
    """Where a life ends: at the `left`-th `commit` or `call` from now, `before`, `in` or `after`.

    `in` a commit the log is torn; `in` a call is after its effect, before its answer.
    """

    where: str
    how: str
    left: int


class Life:
    """The bot from a start to its end, on the files of `settings`.

    It polls, or is called where the settings name a webhook.
    """

    def __init__(self, telegram: Telegram, settings: Settings, draw: Draw) -> None:
        self.settings = settings
        self.draw = draw
        self.dead = asyncio.Event()
        self.doom: Doom | None = None
        self.remains: Remains = {}
        self.path = Path(settings.database.removeprefix("sqlite:///"))
        db = open_database(settings)
        self.clerk = SoleClerk(db, self)
        wire = Wire(telegram, self)
        self.bot = Dicehall(
            settings, db, request=wire, poll_request=wire, now=now, clerk=self.clerk,
            webhook=bool(settings.webhook_url),
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        self._running = loop.create_task(self.bot.run())
        if isinstance(self.bot.intake, Webhook):
            self.bot.intake.watch_s = PATIENCE_S
            # It ends with this life; what was under way by then is delivered again.
            self._calling = loop.create_task(WebhookSender(telegram, Hotline(self)).run())

    @property
    def failed(self) -> BaseException | None:
        """What ended the bot although nobody killed it."""
        if not self._running.done() or self._running.cancelled():
            return None
        return self._running.exception() or RuntimeError("the bot ended by itself")

    def strikes(self, where: str) -> str:
        """How this life ends at this very commit or call; empty where it goes on."""
        doom = self.doom
        if doom is None or doom.where != where:
            return ""
        doom.left -= 1
        return "" if doom.left else doom.how

    def files(self) -> Remains:
        """The database as it lies on disk now."""
        paths = {suffix: Path(f"{self.path}{suffix}") for suffix in FILES}
        return {suffix: path.read_bytes() for suffix, path in paths.items() if path.exists()}

    def die(self, remains: Remains | None = None) -> None:
        """Kills the bot: what it does from now on reaches neither its database nor Telegram."""
        if not self.dead.is_set():
            self.remains = self.files() if remains is None else remains
            self.dead.set()

    async def stop(self) -> None:
        """Stops the bot as SIGTERM does, and then kills it."""
        self._running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._running
        self.die()

    async def bury(self) -> None:
        """Cancels every task that a dead bot has left."""
        for _ in range(100):
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            if not tasks:
                break
            for task in sorted(tasks, key=lambda task: (len(task.get_name()), task.get_name())):
                task.cancel()
            await asyncio.sleep(0)
        self.clerk.db.close()


class SoleClerk(SqliteClerk):
    """A clerk without a thread: use cases run on the event loop, in groups as they come in."""

    def __init__(self, db: Database, life: Life) -> None:
        super().__init__(db)
        self.life = life
        self._called = False

    def start(self) -> None:
        """Results come back to the running event loop."""
        self._loop = asyncio.get_running_loop()

    async def stop(self) -> None:
        """Finishes what was handed in."""
        while self.outstanding and not self.life.dead.is_set():
            self._turn()
        self.db.close()

    def run(self, work: Any, lane: int = 0) -> asyncio.Future[Any]:
        """As `Clerk.run`; once the bot is dead nothing is done."""
        future = super().run(work, lane)
        if self.life.dead.is_set():
            future.cancel()
        elif not self._called:
            self._called = True
            asyncio.get_running_loop().call_soon(self._turn)
        return future

    def _turn(self) -> None:
        self._called = False
        if self.life.dead.is_set() or not self.outstanding:
            return
        group = [self._jobs.get_nowait()]
        assert group[0]
        how = self.life.strikes("commit")
        if how == "before":
            self.life.die()
            return
        before = self.life.files() if how else {}
        self._together(group)  # type: ignore[arg-type]
        if how:
            after = self.life.files()
            self.life.die(torn(before, after, self.life.draw) if how == "in" else after)
            return
        self._tell(group)  # type: ignore[arg-type]
        if self.outstanding:
            self._called = True
            asyncio.get_running_loop().call_soon(self._turn)


class Wire(InProcessRequest):
    """The bot's way to Telegram, cut when it dies: what it asks then reaches nobody."""

    def __init__(self, telegram: Telegram, life: Life) -> None:
        super().__init__(telegram)
        self.life = life

    async def do_request(self, *args: Any, **more: Any) -> tuple[int, bytes]:
        """Calls the playground, as `InProcessRequest`."""
        how = "" if self.life.dead.is_set() else self.life.strikes("call")
        if how == "before":
            self.life.die()
        if self.life.dead.is_set():
            raise asyncio.CancelledError
        answer = await super().do_request(*args, **more)
        if how == "in":
            self.life.die()
        if self.life.dead.is_set():
            raise asyncio.CancelledError
        if how == "after":
            asyncio.get_running_loop().call_soon(self.life.die)
        return answer


class Hotline:
    """Telegram's way to the bot, by calls of its webhook; the dead do not answer."""

    def __init__(self, life: Life) -> None:
        self.life = life
        bot = life.bot
        assert isinstance(bot.intake, Webhook)
        self.app = webhook_app(bot.intake)

    async def __call__(
        self, url: str, body: str, headers: dict[str, str]
    ) -> tuple[int, str, bytes]:
        """As `tgbot.playground.webhook.Post`."""
        how = "" if self.life.dead.is_set() else self.life.strikes("call")
        if how == "before":
            self.life.die()
        self._alive()
        answer = await asked(self.app, urlsplit(url).path, body, headers)
        if how == "in":
            self.life.die()
        self._alive()
        if how == "after":
            asyncio.get_running_loop().call_soon(self.life.die)
        return answer

    def _alive(self) -> None:
        if self.life.dead.is_set():
            raise ClientConnectionError("nobody is there")


async def asked(
    app: ASGIApp, path: str, body: str, headers: dict[str, str]
) -> tuple[int, str, bytes]:
    """What an application answers to a POST: status, Retry-After and the body."""
    sent: list[Message] = []
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "https",
        "path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": None, "server": None,
    }  # fmt: skip

    async def receive() -> Message:
        return {"type": "http.request", "body": body.encode(), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    later = dict(sent[0]["headers"]).get(b"retry-after", b"").decode()
    return sent[0]["status"], later, b"".join(part.get("body", b"") for part in sent[1:])


def torn(before: Remains, after: Remains, draw: Draw) -> Remains:
    """What a power cut in the middle of a commit leaves: the log written up to some byte."""
    old, new = before.get("-wal", b""), after.get("-wal", b"")
    cut = draw(len(new) + 1) - 1
    return {**before, "-wal": new[:cut] + old[cut:]}


def write(remains: Remains, path: Path) -> None:
    """Puts what a death left where the next life begins."""
    for suffix, content in remains.items():
        Path(f"{path}{suffix}").write_bytes(content)


def full(db: Database, room: int | None) -> None:
    """Lets the database grow by `room` pages at most; None: as it likes."""
    assert isinstance(db, SqliteDatabase)
    pages = db.execute_sql("PRAGMA page_count").fetchone()[0] + room if room is not None else 2**30
    db.execute_sql(f"PRAGMA max_page_count = {pages}")
