"""Presses on the playground, in its own process, so that they cost no HTTP; and their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from tgbot.playground import Chat, Person, Telegram

LOST_AFTER_S = 10


@dataclass
class Load:
    """What became of presses: seconds from each one's turn to its answer, and seconds in all."""

    latencies: list[float] = field(default_factory=list)
    seconds: float = 0.0
    lost: int = 0
    """Presses without an answer: it failed on its way, and the board tells."""

    @property
    def a_second(self) -> float:
        """Presses answered a second, from the first press to the last answer."""
        return len(self.latencies) / self.seconds

    def percentile_ms(self, percent: float) -> float:
        """How long `percent` of the presses waited at most."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


class Presses:
    """A crowd's presses, each of which waits for its answer; between two spells nobody presses."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram
        self._waiting: dict[str, asyncio.Future[bool]] = {}
        self._load = Load()
        self._turn = self._until = self._pause = self._answered_at = 0.0
        self._begin = asyncio.Event()
        self._crowd: list[asyncio.Task[None]] = []
        telegram.subscribe(self._answered)

    async def press(self, person: Person, chat: Chat, message_id: int, data: str) -> bool:
        """Presses when it is one's turn, and waits for the answer; whether there was one."""
        turn = await self._next_turn()
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[bool] = loop.create_future()
        self._waiting[self.telegram.press_data(person, chat, message_id, data)] = answered
        if not await answered:
            return False
        self._answered_at = loop.time()
        self._load.latencies.append(self._answered_at - turn)
        return True

    def begin(self, *people: Coroutine[Any, Any, None]) -> None:
        """Has these people press whenever they are let."""
        self._crowd += [asyncio.create_task(person) for person in people]

    async def spell(self, load: Load, seconds: float, a_second: float = 0.0) -> None:
        """Lets people press for a while and waits for the last answer.

        Each presses as soon as it was answered; or, with `a_second`, so many presses come in turn,
        whether those before are answered or not, and what one waits counts from its turn on.
        Raises what went wrong with one of them, and RuntimeError where no press was answered.
        """
        clock = asyncio.get_running_loop().time
        self._load, began = load, clock()
        self._turn, self._until = began, began + seconds
        self._pause = 1 / a_second if a_second else 0.0
        begin, self._begin = self._begin, asyncio.Event()
        begin.set()
        await asyncio.sleep(seconds)
        while self._waiting:
            await asyncio.wait([*self._waiting.values()], timeout=0.1)
            if clock() - max(self._answered_at, self._until) > LOST_AFTER_S:
                self._give_up(load)
        for person in self._crowd:
            if person.done():
                person.result()
        if self._answered_at < began:
            raise RuntimeError("no press was answered")
        load.seconds += self._answered_at - began

    def _give_up(self, load: Load) -> None:
        load.lost += len(self._waiting)
        for waiting in self._waiting.values():
            waiting.set_result(False)
        self._waiting.clear()

    async def end(self) -> None:
        """Sends everybody home."""
        for person in self._crowd:
            person.cancel()
        await asyncio.gather(*self._crowd, return_exceptions=True)

    async def _next_turn(self) -> float:
        clock = asyncio.get_running_loop().time
        while (turn := self._turn if self._pause else clock()) >= self._until:
            await self._begin.wait()
        self._turn = turn + self._pause
        await asyncio.sleep(max(0.0, turn - clock()))
        return turn

    def _answered(self, event: dict[str, Any]) -> None:
        if event["type"] != "toast":
            return
        answered = self._waiting.pop(event["query_id"], None)
        if answered and not answered.done():
            answered.set_result(True)
