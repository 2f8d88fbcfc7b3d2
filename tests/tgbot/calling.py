"""A bot that Telegram calls: the line between them, and what an operator sees of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import ClientConnectionError

from tests.tgbot.house import House, running_house
from tgbot.app import Dicehall
from tgbot.config import Settings
from tgbot.inbound import webhook as web
from tgbot.inbound.webhook import CATCH_UP_S, Webhook
from tgbot.operator.health import Watch, watch_app
from tgbot.playground import Limits
from tgbot.playground.webhook import WebhookSender

URL = "https://dice.example.org/telegram"
SECRET = "s3cret_-"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
FRESH = 900_000_000
"""The number of an update that never was."""


class Wire:
    """Telegram's line to the bot in the same process; `cut`, nobody is reached."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.cut = False
        self.responses: list[tuple[int, bytes]] = []

    async def __call__(
        self, url: str, body: str, headers: dict[str, str]
    ) -> tuple[int, str, bytes]:
        if self.cut or not self.house.bot:
            raise ClientConnectionError("nobody there")
        answer = await self.post(body, url=url, headers=headers)
        self.house.received.append(json.loads(body))
        self.responses.append((answer.status_code, answer.content))
        return answer.status_code, answer.headers.get("Retry-After", ""), answer.content

    async def post(
        self, body: Any, *, url: str = URL, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        """A call of the webhook, with the right secret unless told otherwise."""
        content = json.dumps(body) if isinstance(body, dict) else body
        async with client(self.app()) as caller:
            headers = {HEADER: SECRET} if headers is None else headers
            return await caller.post(url, content=content, headers=headers)

    def app(self) -> Any:
        """The application behind the webhook's port."""
        bot = bot_of(self.house)
        assert isinstance(bot.intake, Webhook)
        return web.webhook_app(bot.intake)


def client(app: Any) -> httpx.AsyncClient:
    """Somebody who calls one of the bot's applications."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://bot")


def bot_of(house: House) -> Dicehall:
    """The running bot."""
    assert house.bot
    return house.bot


async def look(house: House, path: str) -> httpx.Response:
    """What an operator sees on the other port."""
    async with client(watch_app(Watch(bot_of(house), house.settings))) as caller:
        return await caller.get(path)


async def number(house: House, name: str) -> float:
    """A metric, labels and all; -1 where there is none."""
    lines = (await look(house, "/metrics")).text.splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(f"{name} ")), -1)


def press(house: House, button: str) -> dict[str, Any]:
    """Ben's press of a button of the board, as an update that Telegram has not delivered."""
    board = house.board()
    house.telegram.press(house.ben, board.chat, board.id, button)
    return dict(house.telegram.queue.pending.pop())


@contextlib.asynccontextmanager
async def called_house(folder: Path) -> AsyncIterator[tuple[House, Wire]]:
    houses = running_house(
        folder, Limits(off=True), webhook_url=URL, webhook_secret=SECRET, metrics_port=9443
    )
    async with contextlib.aclosing(houses):
        house = await anext(houses)
        wire = Wire(house)
        sending = asyncio.create_task(WebhookSender(house.telegram, wire).run())
        try:
            await house.breathe(CATCH_UP_S)
            yield house, wire
            with contextlib.suppress(StopAsyncIteration):
                await anext(houses)
        finally:
            sending.cancel()


@pytest.fixture
async def called(tmp_path: Path) -> AsyncIterator[tuple[House, Wire]]:
    """A house whose bot is called by Telegram, and the line between them."""
    async with called_house(tmp_path) as made:
        yield made


Called = tuple[House, Wire]


def hooked(**given: Any) -> Settings:
    """Settings with a webhook."""
    given = {"webhook_url": URL, "webhook_secret": SECRET, **given}
    return Settings(_env_file=None, bot_token="123456789:AAHkd-XyZ_0123456789", **given)
