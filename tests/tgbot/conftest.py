"""The real bot on the playground, in virtual time, with a real SQLite file."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from economy.ledger import Audit, Ledger
from tests.virtual_time import VirtualDatetime, VirtualLoop, now
from tgbot.app import Dicehall, open_database
from tgbot.config import Settings
from tgbot.log import setup
from tgbot.playground import Chat, Limits, Message, Person, Telegram
from tgbot.playground.inprocess import InProcessRequest

BREATH_S = 1.2
"""Longer than the gap the painter keeps between two messages in a chat."""


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("real_time"):
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualLoop}


@pytest.fixture(autouse=True)
def _virtual_apscheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apscheduler.schedulers.base.datetime", VirtualDatetime)
    monkeypatch.setattr("apscheduler.triggers.interval.datetime", VirtualDatetime)


@dataclass
class House:
    """A group of Anna (its creator), Ben and Cem, and the bot that serves it.

    `rolls` are the dice to come, first to last; once they are used up, every die shows 1.
    """

    telegram: Telegram
    settings: Settings
    anna: Person
    ben: Person
    cem: Person
    group: Chat
    rolls: list[int] = field(default_factory=list)
    bot: Dicehall | None = None
    _running: asyncio.Task[None] | None = None

    # -- the bot ------------------------------------------------------------------------------

    async def start(self) -> None:
        """Starts the bot and lets it catch up."""
        request = InProcessRequest(self.telegram)
        bot = self.bot = Dicehall(
            self.settings,
            open_database(self.settings),
            request=request,
            poll_request=request,
            now=now,
        )
        bot.hall.stream = lambda secret, part, move: self._draw
        asyncio.get_running_loop().busy.append(lambda: bot.clerk.outstanding)  # type: ignore[attr-defined]
        self._running = asyncio.create_task(bot.run())
        await self.breathe(3)

    def _draw(self, sides: int) -> int:
        value = self.rolls.pop(0) if self.rolls else 1
        assert 1 <= value <= sides, f"the script says {value} for a die of {sides}"
        return value

    async def stop(self) -> None:
        """Stops the bot as a signal would."""
        if self._running:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
            self._running = None

    async def breathe(self, seconds: float = BREATH_S) -> None:
        """Lets time pass."""
        await asyncio.sleep(seconds)

    def audit(self) -> Audit:
        """The audit of the database file, read beside the running bot."""
        db = open_database(self.settings)
        try:
            held = [
                row[0]
                for row in db.execute_sql(
                    "SELECT id FROM games WHERE status IN ('lobby', 'running')"
                )
            ]
            return Ledger(db).audit(held)
        finally:
            db.close()

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the database file."""
        db = open_database(self.settings)
        try:
            return list(db.execute_sql(query, values).fetchall())
        finally:
            db.close()

    def coins(self, person: Person) -> int:
        """What a person owns."""
        rows = self.sql(
            "SELECT balance FROM accounts WHERE kind = 'wallet' AND ref = ? AND currency = 'coins'",
            str(person.id),
        )
        return rows[0][0] if rows else 0

    # -- people -------------------------------------------------------------------------------

    def say(self, person: Person, text: str, chat: Chat | None = None, **more: Any) -> Message:
        """Somebody writes; a command in the group is addressed to the bot."""
        chat = chat or self.group
        if text.startswith("/") and chat.type != "private" and "@" not in text:
            command, _, words = text.partition(" ")
            text = f"{command}@{self.telegram.bot.username} {words}".strip()
        return self.telegram.say(person, chat, text, **more)

    async def press(self, person: Person, button: str, message: Message | None = None) -> str:
        """Presses a button of the newest board; answers the toast."""
        board = message or self.board()
        query = self.telegram.press(person, board.chat, board.id, button)
        await self.breathe(0.05)
        toast = self.telegram.toast(query)
        return (toast.text or "") if toast else ""

    async def ask(self, person: Person, text: str, chat: Chat | None = None, **more: Any) -> str:
        """Writes something and reads the bot's newest message after it."""
        self.say(person, text, chat, **more)
        await self.breathe()
        return str(self.telegram.last(chat or self.group).text)

    def private(self, person: Person) -> Chat:
        """A person's private chat with the bot."""
        return self.telegram.private(person)

    def board(self) -> Message:
        """The newest message of the bot with buttons in the group."""
        return self.telegram.last(self.group, buttons=True)

    async def stake(self, coins: int) -> None:
        """Anna sets the group's stake."""
        self.say(self.anna, f"/settings stake {coins}")
        await self.breathe()

    async def open(self, *players: Person, kind: str = "fifty", start: bool = True) -> None:
        """Anna opens a game, the players join, Anna starts it."""
        self.say(self.anna, f"/{kind}")
        await self.breathe()
        for player in players:
            await self.press(player, "✅")
        await self.breathe()
        if start:
            await self.press(self.anna, "▶️")
            await self.breathe(2)

    async def throw(self, person: Person, pool: str) -> str:
        """Picks dice by their buttons and throws them; answers the toast."""
        for die in pool.split("+"):
            await self.press(person, f"W{die}")
        return await self.press(person, "🎲")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A running house without flood limits, in English."""
    async for made in _house(tmp_path, Limits(off=True)):
        yield made


@pytest.fixture
async def strict_house(tmp_path: Path) -> AsyncIterator[House]:
    """A running house with Telegram's own limits."""
    async for made in _house(tmp_path, Limits()):
        yield made


async def _house(folder: Path, limits: Limits) -> AsyncIterator[House]:
    setup("warning")
    telegram = Telegram(now=now, limits=limits)
    anna = telegram.person("Anna", language_code="en")
    ben = telegram.person("Ben", language_code="en")
    cem = telegram.person("Cem", language_code="de")
    group = telegram.group("Round", anna, ben, cem)
    settings = Settings(
        _env_file=None,  # type: ignore[call-arg]
        bot_token=telegram.token,  # type: ignore[arg-type]
        database=f"sqlite:///{folder}/dicehall.db",
    )
    house = House(telegram, settings, anna, ben, cem, group)
    await house.start()
    try:
        yield house
    finally:
        await house.stop()


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without any setting of the machine the tests run on."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    yield
