"""The real `dicehall run`, killed at chosen moments, and the playground that it serves."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from economy.database import File
from tests.process import forked
from tests.process.forked import Forked
from tgbot.config import Settings
from tgbot.hall.sealing import Sealing
from tgbot.hall.store import Store
from tgbot.playground import Limits, Telegram
from tgbot.playground.server import running

ROOT = Path(__file__).parent.parent.parent
WITHIN_S = 20.0
"""How long anything may take, two starts of the process included."""
GIFT = 100

T = TypeVar("T")


@dataclass(frozen=True)
class Moment:
    """When the process is killed: as a call of `method` comes, which is then lost, or `after` it
    had its effect, `delay_s` later. `stage` is what the people are about."""

    method: str
    after: bool = False
    delay_s: float = 0.0
    stage: str = ""
    only: str = ""
    """`confirms`: a getUpdates that confirms something; `brings`: one that hands something out;
    `bares`: an edit that takes the buttons away."""

    def __str__(self) -> str:
        when = "after" if self.after else "before"
        delay = f" + {self.delay_s * 1000:.0f} ms" if self.delay_s else ""
        only = f" that {self.only}" if self.only else ""
        stage = f" ({self.stage})" if self.stage else ""
        return f"{when} {self.method}{only}{delay}{stage}"


def handed(delay_ms: float, stage: str = "") -> Moment:
    """So long after updates were handed out."""
    return Moment("getUpdates", True, delay_ms / 1000, stage, "brings")


def unconfirmed(stage: str = "") -> Moment:
    """When everything handed out is handled and nothing of it is confirmed."""
    return Moment("getUpdates", stage=stage, only="confirms")


class Watched(Telegram):
    """A Telegram without flood limits that kills whom it serves when the moment has come."""

    def __init__(self) -> None:
        super().__init__(limits=Limits(off=True))
        self.moment: Moment | None = None
        self.stages: dict[int, str] = {}
        """What people are about, by chat."""
        self.life = 0
        self.kill: Callable[[], None] = lambda: None
        self.handed_out: set[int] = set()
        self.polled = asyncio.Event()
        """Set once this life of the process asked for updates: it has resumed."""

    async def call(self, method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        life = self.life
        if self._has_come(method, params, None):
            self._strike(life)
            raise TimeoutError("the caller is dead")
        if method in ("getUpdates", "setWebhook"):
            self.polled.set()
        status, answer = await super().call(method, params)
        if life == self.life and method == "getUpdates" and status == 200:
            self.handed_out.update(update["update_id"] for update in answer["result"])
        if life == self.life and self._has_come(method, params, answer):
            self._strike(life)
        return status, answer

    def _has_come(self, method: str, params: dict[str, Any], answer: Any) -> bool:
        moment = self.moment
        if moment is None or moment.method != method or moment.after != (answer is not None):
            return False
        chat = params.get("chat_id")
        stages = [self.stages.get(int(chat))] if chat else self.stages.values()
        if moment.stage and moment.stage not in stages:
            return False
        if moment.only == "confirms":
            first = self.queue.pending[0]["update_id"] if self.queue.pending else None
            return first is not None and first < int(params.get("offset") or 0)
        if moment.only == "bares":
            return not params.get("reply_markup")
        return moment.only != "brings" or bool(answer["result"])

    def _strike(self, life: int) -> None:
        moment, self.moment = self.moment, None
        assert moment
        if moment.delay_s:
            loop = asyncio.get_running_loop()
            loop.call_later(moment.delay_s, lambda: life == self.life and self.kill())
        else:
            self.kill()


@dataclass
class Mortal:
    """The process that serves `telegram` at `address` with the database in `folder`."""

    telegram: Watched
    address: str
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    command_line: tuple[str, ...] = ("run",)
    under: tuple[str, ...] = ()
    """What is put before every command, such as what confines it."""
    deaths: list[str] = field(default_factory=list)
    patience_s: float = WITHIN_S
    began_at: float = 0.0
    _process: asyncio.subprocess.Process | Forked | None = None

    @property
    def database(self) -> Path:
        return self.folder / "dicehall.db"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "MIND_FOLDER": os.environ.get("MIND_FOLDER", "minds"),
            "BOT_TOKEN": self.telegram.token,
            "PRESSES_A_SECOND": "1000",  # these people have fast hands
            "BOT_API": self.address,
            "DATABASE": f"sqlite:///{self.database}",
            "WELCOME_GIFT": str(GIFT),
            **self.settings,
        }

    # -- life and death -----------------------------------------------------------------------

    async def start(self) -> None:
        """Starts the process; it serves a little later."""
        self.telegram.life += 1
        self.telegram.polled = asyncio.Event()
        self.telegram.kill = lambda: self.signal(signal.SIGKILL)
        self.began_at = time.time()
        if not self.under:
            self.log.touch()
            self._process = forked.dicehall(
                self.command_line, self.environment, self.folder, self.log
            )
            return
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.under, sys.executable, "-m", "tgbot", *self.command_line,
                env=self.environment, cwd=self.folder,
                stdout=asyncio.subprocess.DEVNULL, stderr=log,
            )  # fmt: skip

    def signal(self, number: int) -> None:
        """Sends a signal to the process, which may be dead."""
        assert self._process
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def ended(self, within_s: float = WITHIN_S) -> int:
        """Waits for the end of the process; its exit status."""
        assert self._process
        try:
            return await asyncio.wait_for(self._process.wait(), within_s)
        except TimeoutError:
            raise AssertionError(self.story(f"the process did not end in {within_s} s")) from None

    async def end(self) -> None:
        """Ends the process as an operator does, or by force."""
        if self._process and self._process.returncode is None:
            self.signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(self._process.wait(), 10)
            except TimeoutError:
                self.signal(signal.SIGKILL)
                await self._process.wait()

    async def serving(self) -> None:
        """Waits until a living process has resumed and asks for updates."""
        deadline = time.monotonic() + self.patience_s
        while not self.telegram.polled.is_set() or self.dead:
            if time.monotonic() > deadline:
                raise AssertionError(self.story("the process never asked for updates"))
            await asyncio.sleep(0.005)

    @property
    def dead(self) -> bool:
        return self._process is None or self._process.returncode is not None

    # -- looking ------------------------------------------------------------------------------

    async def eventually(
        self, what: str, check: Callable[[], T | None], within_s: float | None = None
    ) -> T:
        """The first truthy answer of `check`, which looks at the database of a living process."""
        within_s = within_s or self.patience_s
        deadline = time.monotonic() + within_s
        while True:
            await self.serving()
            answer = check()
            if answer:
                return answer
            if time.monotonic() > deadline:
                raise AssertionError(self.story(f"not within {within_s:.0f} s: {what}"))
            await asyncio.sleep(0.01)

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        with self.opened() as db:
            return list(db.execute_sql(query, values).fetchall())

    @contextlib.contextmanager
    def opened(self, path: Path | None = None) -> Any:
        """The database file, one moment of it."""
        db = File(str(path or self.database), timeout=10)
        db.connect()
        try:
            db.execute_sql("BEGIN")
            yield db
        finally:
            db.execute_sql("ROLLBACK")
            db.close()

    def store(self, db: File) -> Store:
        return Store(db, "en")

    @property
    def sealing(self) -> Sealing:
        """Makes the secrets of its games."""
        settings = Settings(_env_file=None, bot_token=self.telegram.token)
        return Sealing(settings.dice_key)

    def remains(self) -> Path:
        """A copy of what the dead process left on disk; the original is its successor's to mend."""
        grave = self.folder / f"grave{len(self.deaths)}"
        grave.mkdir()
        for suffix in ("", "-wal"):
            left = Path(f"{self.database}{suffix}")
            if left.exists():
                shutil.copy(left, grave / left.name)
        return grave / self.database.name

    async def command(self, *words: str) -> tuple[int, str, str]:
        """A command of `dicehall` beside the bot: exit status, stdout, stderr."""
        process = await asyncio.create_subprocess_exec(
            *self.under, sys.executable, "-m", "tgbot", *words,
            env=self.environment, cwd=self.folder,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = await asyncio.wait_for(process.communicate(), self.patience_s)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    def story(self, what: str) -> str:
        """What went wrong, and everything that may tell why."""
        log = self.log.read_text(errors="replace").splitlines()[-25:] if self.log.exists() else []
        deaths = [f"  {number}. {death}" for number, death in enumerate(self.deaths, 1)]
        waiting = f"waiting for: {self.telegram.moment}, people are {self.telegram.stages}"
        calls = [
            f"  {call.at - self.began_at:7.3f} {call.method} {call.status} {str(call.params)[:150]}"
            for call in list(self.telegram.log)[-25:]
        ]
        return "\n".join(
            [what, "killed:", *deaths, waiting, "calls since the start:", *calls, "log:", *log]
        )


@contextlib.asynccontextmanager
async def mortal(folder: Path, **settings: str) -> AsyncIterator[Mortal]:
    """A process that is not started yet, and its playground over HTTP."""
    telegram = Watched()
    async with running(telegram, port=0) as address:
        process = Mortal(telegram, address, folder, settings)
        try:
            yield process
        finally:
            telegram.moment = None
            await process.end()
