"""Updates in by webhook: each call of Telegram brings one.

A call is answered once what it brings has been committed: with 200, also if the update failed by
its own fault, and with 503 where there was no database, so that Telegram repeats it. While this
process takes none, at its start and its end, the answer is 502, upon which a proxy asks another
worker. The answer to a press rides in the response.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import structlog
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send
from telegram import Bot, WebhookInfo
from telegram.error import BadRequest, Forbidden

from tgbot.config import Hook, WrongSetting
from tgbot.http.client import REFUSALS, persistently
from tgbot.http.verify_page import VERIFY
from tgbot.inbound.delivery import AGAIN_S, Delivery
from tgbot.inbound.intake import ALLOWED, Body, Handle, HandlePress, Intake
from tgbot.operator.metrics import Metrics

LARGEST_BODY = 1024 * 1024
SECRET = b"x-telegram-bot-api-secret-token"
_JSON = (b"content-type", b"application/json")
_LATER = (b"retry-after", str(AGAIN_S).encode())

MOST_CALLS = 100
"""Webhook calls at a time, the most Telegram makes."""
MOST_AGAIN = 1000
"""So many calls that could not be written are known: another worker may have had them since."""
CATCH_UP_S = 10
"""How long updates that waited for the webhook may take to come in."""
LOOK_S = 0.3
WATCH_S = 20
"""How often Telegram is asked whether it can deliver."""

Headers = list[tuple[bytes, bytes]]

log = structlog.get_logger(__name__)


class Webhook(Intake):
    """Updates that Telegram brings, each as a call that is answered once it is handled.

    Telegram repeats what was not answered with 200, so what another worker or an earlier life of
    this one has applied comes again; it is known by its number in the database.
    """

    by = "webhook"
    rides = True

    def __init__(
        self,
        bot: Bot,
        handle: Handle,
        press: HandlePress,
        hook: Hook,
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(bot, handle, press, metrics)
        self.hook = hook
        self.watch_s: float = WATCH_S
        self._open = False
        self._ours = False
        self._failed_at: datetime | None = None
        self._asking = asyncio.Lock()

    @property
    def flowing(self) -> bool:
        """Whether Telegram knows this webhook."""
        return self._open and self._ours

    async def run(self) -> None:
        """Has Telegram call until cancelled. Raises `WrongSetting` for what it will not call."""
        self._open = True
        try:
            try:
                await self._set(refusals=REFUSALS)
            except (BadRequest, Forbidden) as error:
                raise WrongSetting(f"WEBHOOK_URL: Telegram does not take it ({error})") from None
            await self._catch_up()
            while True:
                await asyncio.sleep(self.watch_s)
                await self._ask()
        finally:
            self._open = False

    async def settled(self) -> None:
        """Waits until all that came in by now has been handled, what Telegram could not deliver so
        far included (for a while)."""
        await self._ask()
        await super().settled()

    async def take(self, number: int, body: Body) -> Delivery | None:
        """Handles the update in the body of a call, whose number is `number`, and waits for it.

        None where none is taken now; the answer is to be that Telegram should try again. One that
        is in hand already is not handled twice.
        """
        known = self._at_work.get(number)
        if known is not None:
            return await asyncio.shield(known)
        if not self._open:
            return None
        handled = self._at_work[number] = asyncio.get_running_loop().create_future()
        try:
            delivery = await self._one(number, body)
        except BaseException:
            handled.cancel()
            raise
        handled.set_result(delivery)
        if len(self._again) > MOST_AGAIN:
            del self._again[next(iter(self._again))]
        return delivery

    async def _set(self, *, refusals: int = 0) -> None:
        setting = partial(
            self.bot.set_webhook,
            self.hook.url,
            secret_token=self.hook.secret,
            allowed_updates=ALLOWED,
            max_connections=MOST_CALLS,
            drop_pending_updates=False,
        )
        await persistently(setting, self.caught_up.clear, refusals=refusals)
        self._ours = True
        log.info("Telegram calls", host=urlsplit(self.hook.url).hostname)

    async def _catch_up(self) -> None:
        """Lets come in what waited at Telegram (RULES 0), for a while."""
        for _ in range(int(CATCH_UP_S / LOOK_S)):
            info = await self._look()
            self._failed_at = info.last_error_date
            if not info.pending_update_count:
                break
            await asyncio.sleep(LOOK_S)
        self.caught_up.set()

    async def _look(self) -> WebhookInfo:
        info = await persistently(self.bot.get_webhook_info, self.caught_up.clear)
        self.metrics.waiting.set(info.pending_update_count)
        self._ours = info.url == self.hook.url
        return info

    async def _ask(self) -> None:
        """Asks Telegram whether it still calls, here, and can."""
        async with self._asking:
            ours, info = self._ours, await self._look()
            if not info.url:
                log.warning("somebody deleted the webhook; it is set again")
                await self._set()
            elif ours and not self._ours:
                log.error("Telegram calls another webhook", host=urlsplit(info.url).hostname)
            if info.pending_update_count and info.last_error_date != self._failed_at:
                log.warning(
                    "Telegram could not deliver",
                    error=info.last_error_message,
                    waiting=info.pending_update_count,
                )
                self.caught_up.clear()
            if not self.caught_up.is_set():
                await self._catch_up()


def webhook_app(intake: Webhook) -> ASGIApp:
    """Takes Telegram's calls at the webhook's path, and shows people the page at /verify.

    The calls pass Starlette by, which would take as long as all else that is done for one.
    """
    calls, pages = _Calls(intake), Starlette(routes=[VERIFY])
    pages.router.redirect_slashes = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        called = scope["type"] == "http" and scope["path"] == intake.hook.path
        await (calls if called else pages)(scope, receive, send)

    return app


# -- the side of HTTP -------------------------------------------------------------------------


class _Calls:
    """What is behind the webhook's path."""

    def __init__(self, intake: Webhook) -> None:
        self.intake = intake
        self.secret = intake.hook.secret.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, headers, body = await self._take(scope, receive)
        if status != 200:
            self.intake.metrics.webhook_refused.labels(str(status)).inc()
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _take(self, scope: Scope, receive: Receive) -> tuple[int, Headers, bytes]:
        """Status, headers and body of the answer to a call."""
        if scope["method"] != "POST":
            return 405, [(b"allow", b"POST")], b""
        headers = dict(scope["headers"])
        if not hmac.compare_digest(headers.get(SECRET, b""), self.secret):
            return 403, [], b""
        raw = await _body(headers.get(b"content-length", b""), receive)
        if isinstance(raw, int):
            return raw, [], b""
        number, body = _update(raw)
        if not number:
            return 400, [], b""
        delivery = await self.intake.take(number, body)
        if delivery is None or delivery.to_repeat:
            # By itself Telegram would wait ever longer.
            return 502 if delivery is None else 503, [_LATER], b""
        if delivery.answer:
            return 200, [_JSON], json.dumps(delivery.answer).encode()
        return 200, [], b""


async def _body(declared: bytes, receive: Receive) -> bytes | int:
    """The whole body, or the status that refuses it."""
    if len(declared) > 9 or (declared.isdigit() and int(declared) > LARGEST_BODY):
        return 413
    raw, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return 400
        raw, more = raw + message.get("body", b""), message.get("more_body", False)
        if len(raw) > LARGEST_BODY:
            return 413
    return raw


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
