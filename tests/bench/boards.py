"""What a board costs: making it of its game, and python-telegram-bot's call without the network."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from telegram import Bot
from telegram.request import BaseRequest

from games import registry
from games.game import HOUSE
from tests.games import table
from tests.games.ways import policy, steps
from tgbot.config import Settings
from tgbot.hall.table import Showing, Sitting, Table
from tgbot.http.client import CheckedRequest
from tgbot.outbound import calls
from tgbot.outbound.boards import message
from tgbot.words import all_words

PLAYED = (("fifty", 10), ("yahtzee", 8))
"""Games and their players."""
PAINTED = 300
NOW = 1_800_000_000
CHAT = -1001


@dataclass(frozen=True)
class Painted:
    """A board's processor time in µs: made, and handed to Telegram."""

    name: str
    players: int
    made_us: float
    sent_us: float

    @property
    def us(self) -> float:
        """All of it."""
        return self.made_us + self.sent_us


class _Answers(BaseRequest):
    """A Telegram to which every edit is fine."""

    def __init__(self) -> None:
        message = {"message_id": 1, "date": NOW, "chat": {"id": CHAT, "type": "supergroup"}}
        self._answer = json.dumps({"ok": True, "result": message}).encode()

    @property
    def read_timeout(self) -> float | None:
        return None

    async def initialize(self) -> None:
        """There is nothing to open."""

    async def shutdown(self) -> None:
        """There is nothing to close."""

    async def do_request(self, url: str, method: str, *args: Any, **more: Any) -> tuple[int, bytes]:
        """The answer to any edit."""
        return 200, self._answer


def measure() -> list[Painted]:
    """Every game's board at all stages of one game."""
    return [asyncio.run(_painted(kind, players)) for kind, players in PLAYED]


async def _painted(kind: str, players: int) -> Painted:
    words = all_words(Settings())
    tables = list(islice(cycle(_played(kind, players)), PAINTED))
    for each in tables:
        message(each, HOUSE, words, NOW)
    began = time.process_time()
    messages = [message(each, HOUSE, words, NOW) for each in tables]
    made = time.process_time() - began
    request = CheckedRequest(_Answers(), lambda method, outcome: None)
    bot = Bot("1:A", request=request, get_updates_request=_Answers())
    began = time.process_time()
    for shown in messages:
        await calls.edit(bot, CHAT, 1, shown.html, shown.keyboard)
    sent = time.process_time() - began
    return Painted(kind, players, 1e6 * made / PAINTED, 1e6 * sent / PAINTED)


def _played(kind: str, players: int) -> list[Table]:
    """The pictures of a game after each of its moves but the last one."""
    game = registry()[kind]
    played = table.Table(game, players)
    sittings = tuple(Sitting(n, 100 + n, f"Person {n}", n) for n in range(players))
    return [
        Table(
            id="game",
            kind=kind,
            version=game.rules.VERSION,
            chat_id=CHAT,
            topic=0,
            status="running",
            stake=2,
            robin=0,
            options={},
            opener=100,
            secret=b"secret",
            nonce=b"nonce",
            seal="",
            part=b"",
            opened_at=NOW,
            over_at=0,
            stamp=0,
            result={},
            language="de",
            showings=(Showing(HOUSE, CHAT, message_id=1, shown=1, due_at=NOW + 20),),
            sittings=sittings,
            state=played.state,
        )
        for seat, _ in steps(played, policy("greedy"), "boards")
        if seat != HOUSE
    ]
