"""/healthz and /metrics: what somebody who looks from outside is told of a running bot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

import structlog
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from economy.database import answers
from tgbot import facts
from tgbot.config import Settings
from tgbot.hall.clerk import Clerk
from tgbot.hall.clock import Clock
from tgbot.hall.hall import Hall
from tgbot.http.verify_page import VERIFY
from tgbot.operator.backup import newest
from tgbot.operator.metrics import Live, Metrics, reader
from tgbot.outbound.painter import Painter

METRICS_PORT = 9443
ANSWER_S = 1.0
"""How long the database may take to show that it is there."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Inflow(Protocol):
    """Where updates come in: by `polling` or by `webhook`."""

    by: str

    @property
    def flowing(self) -> bool:
        """Whether updates come in, as far as one can tell."""


class Watched(Protocol):
    """What is looked at of a running bot."""

    hall: Hall
    clerk: Clerk
    clock: Clock
    painter: Painter
    metrics: Metrics
    now: Callable[[], float]

    @property
    def intake(self) -> Inflow:
        """Where its updates come in."""


class Watch:
    """Looks at a running bot from outside."""

    def __init__(self, bot: Watched, settings: Settings) -> None:
        self.bot = bot
        self._read = reader(bot.hall.store, settings.database, partial(newest, settings))
        self._asked: dict[str, asyncio.Future[Any]] = {}

    async def health(self) -> dict[str, Any]:
        """Whether all is well (`ok`), and what is not."""
        store, intake = self.bot.hall.store, self.bot.intake
        there = await self._ask("ping", lambda: answers(store.db))
        return {
            "ok": bool(there) and intake.flowing,
            "database": bool(there),
            "updates": intake.flowing,
            "by": intake.by,
            "version": facts.version(),
        }

    async def metrics(self) -> bytes:
        """Everything for Prometheus."""
        bot, clerk = self.bot, self.bot.clerk
        now = int(bot.now())
        numbers = await self._ask("numbers", lambda: self._read(now))
        live = Live(
            numbers,
            counters={
                "commits": ("Transactions that were committed.", clerk.commits),
                "jobs": ("Use cases in them; several share one on SQLite.", clerk.jobs),
                "due_failures": ("Due rows that could not be fired.", bot.clock.failures),
            },
            gauges={
                "jobs_waiting": ("Use cases that wait for the database.", clerk.outstanding),
                "painter_backlog": ("Boards and notes to be sent.", bot.painter.backlog()),
                "updates_flowing": ("Whether updates come in.", bot.intake.flowing),
            },
        )
        return bot.metrics.text(live)

    async def _ask(self, name: str, work: Callable[[], T]) -> T | None:
        """What the database answers within a second. A slow one is not asked anew meanwhile."""
        asked = self._asked.get(name)
        if asked is None or asked.done():
            asked = self._asked[name] = self.bot.clerk.run(work)
            asked.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            return await asyncio.wait_for(asyncio.shield(asked), ANSWER_S)
        except Exception as error:
            log.warning("the database does not answer", error=type(error).__name__)
            return None


def watch_app(watch: Watch) -> Starlette:
    """/healthz and /metrics, and the page at /verify."""

    async def health(request: Request) -> Response:
        found = await watch.health()
        return JSONResponse(found, 200 if found["ok"] else 503)

    async def metrics(request: Request) -> Response:
        return Response(await watch.metrics(), media_type=CONTENT_TYPE_LATEST)

    return Starlette(routes=[Route("/healthz", health), Route("/metrics", metrics), VERIFY])
