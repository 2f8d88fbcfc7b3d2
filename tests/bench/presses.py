"""Presses on the playground, in its own process, so that they cost no HTTP; and their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from tgbot.playground import Chat, Person, Telegram


class Presses:
    """The presses of one run: each waits for its answer. Times are in seconds."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram
        self.latencies: list[float] = []
        self._began = 0.0
        self._ended = 0.0
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def press(self, person: Person, chat: Chat, message_id: int, data: str) -> None:
        """Presses and waits for the answer."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[None] = loop.create_future()
        pressed = loop.time()
        self._began = self._began or pressed
        self._waiting[self.telegram.press_data(person, chat, message_id, data)] = answered
        await answered
        self._ended = loop.time()
        self.latencies.append(self._ended - pressed)

    async def run(self, seconds: float, *people: Coroutine[Any, Any, None]) -> None:
        """Lets people press for a while; what is unanswered then does not count."""
        unsubscribe = self.telegram.subscribe(self._answered)
        tasks = [asyncio.create_task(person) for person in people]
        try:
            done, _ = await asyncio.wait(tasks, timeout=seconds, return_when="FIRST_EXCEPTION")
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            unsubscribe()

    def _answered(self, event: dict[str, Any]) -> None:
        if event["type"] != "toast":
            return
        answered = self._waiting.pop(event["query_id"], None)
        if answered and not answered.done():
            answered.set_result(None)

    @property
    def a_second(self) -> float:
        """Presses answered a second, from the first press to the last answer."""
        return len(self.latencies) / (self._ended - self._began)

    def percentile_ms(self, percent: float) -> float:
        """How long `percent` of the presses waited at most."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
