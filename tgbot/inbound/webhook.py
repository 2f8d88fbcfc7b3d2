"""The bot's side of HTTP: Telegram's webhook calls, and /healthz and /metrics on another port.

A call of the webhook is answered once what it brings has been committed: with 200, also if the
update failed by its own fault, and with 503 where there was no database, so that Telegram repeats
it. The answer to a press rides in the response.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import structlog
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tgbot import facts
from tgbot.app import Dicehall
from tgbot.config import Hook, Settings
from tgbot.http_server import Door
from tgbot.inbound.delivery import AGAIN_S
from tgbot.inbound.intake import Webhook
from tgbot.operator.backup import newest
from tgbot.operator.metrics import Live, Metrics, reader

METRICS_PORT = 9443
LARGEST_BODY = 1024 * 1024
ANSWER_S = 1.0
"""How long the database may take to show that it is there."""
SECRET = "X-Telegram-Bot-Api-Secret-Token"

T = TypeVar("T")

log = structlog.get_logger(__name__)


def doors(bot: Dicehall, settings: Settings) -> list[tuple[str, Door]]:
    """What the bot opens: each port with the name of its setting, the webhook's first."""
    opened = []
    if isinstance(bot.intake, Webhook):
        app = webhook_app(bot.intake, bot.intake.hook, bot.metrics)
        opened.append(("WEBHOOK", Door(app, settings.webhook_host, settings.webhook_port)))
    port = settings.metrics_port or (METRICS_PORT if opened else None)
    if port:
        app = watch_app(Watch(bot, settings))
        opened.append(("METRICS", Door(app, settings.metrics_host, port)))
    return opened


# -- the webhook ------------------------------------------------------------------------------


def webhook_app(intake: Webhook, hook: Hook, metrics: Metrics) -> Starlette:
    """Takes Telegram's calls at the webhook's path."""
    secret = hook.secret.encode()

    async def take(request: Request) -> Response:
        response = await _take(request)
        if response.status_code != 200:
            metrics.webhook_refused.labels(str(response.status_code)).inc()
        return response

    async def _take(request: Request) -> Response:
        said = request.headers.get(SECRET, "").encode("latin-1")
        if not hmac.compare_digest(said, secret):
            return Response(status_code=403)
        try:
            raw = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if raw is None:
            return Response(status_code=413)
        number, body = _update(raw)
        if not number:
            return Response(status_code=400)
        delivery = await intake.take(number, body)
        if delivery is None or delivery.to_repeat:
            # By itself Telegram would wait ever longer.
            return Response(status_code=503, headers={"Retry-After": str(AGAIN_S)})
        return JSONResponse(delivery.answer) if delivery.answer else Response()

    app = Starlette(routes=[Route(hook.path, take, methods=["POST"])])
    app.router.redirect_slashes = False
    return app


async def _body(request: Request) -> bytes | None:
    """The whole body; None if it is too large."""
    declared = request.headers.get("content-length", "")
    if len(declared) > 9 or (declared.isdecimal() and int(declared) > LARGEST_BODY):
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def _update(raw: bytes) -> tuple[int, dict[str, Any]]:
    """An update's number and the update; 0 for what is none."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return 0, {}
    number = body.get("update_id") if isinstance(body, dict) else None
    if type(number) is not int or not 0 < number < 2**63:
        return 0, {}
    return number, body


# -- health and metrics -----------------------------------------------------------------------


class Watch:
    """Looks at a running bot from outside."""

    def __init__(self, bot: Dicehall, settings: Settings) -> None:
        self.bot = bot
        self._read = reader(bot.hall.store, settings.database, partial(newest, settings))
        self._asked: dict[str, asyncio.Future[Any]] = {}

    async def health(self) -> dict[str, Any]:
        """Whether all is well (`ok`), and what is not."""
        store, intake = self.bot.hall.store, self.bot.intake
        there = await self._ask("ping", lambda: bool(store.sql("SELECT 1").fetchone()))
        return {
            "ok": bool(there) and intake.flowing,
            "database": bool(there),
            "updates": intake.flowing,
            "by": "webhook" if isinstance(intake, Webhook) else "polling",
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
    """/healthz and /metrics."""

    async def health(request: Request) -> Response:
        found = await watch.health()
        return JSONResponse(found, 200 if found["ok"] else 503)

    async def metrics(request: Request) -> Response:
        return Response(await watch.metrics(), media_type=CONTENT_TYPE_LATEST)

    return Starlette(routes=[Route("/healthz", health), Route("/metrics", metrics)])
