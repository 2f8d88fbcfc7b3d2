"""The webhook's side of HTTP: each call of Telegram brings one update.

A call is answered once what it brings has been committed: with 200, also if the update failed by
its own fault, and with 503 where there was no database, so that Telegram repeats it. While this
process takes none, at its start and its end, the answer is 502, upon which a proxy asks another
worker. The answer to a press rides in the response.
"""

from __future__ import annotations

import hmac
import json
from typing import Any

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from tgbot.config import Hook
from tgbot.http.verify_page import VERIFY
from tgbot.inbound.delivery import AGAIN_S
from tgbot.inbound.intake import Webhook
from tgbot.operator.metrics import Metrics

LARGEST_BODY = 1024 * 1024
SECRET = b"x-telegram-bot-api-secret-token"
_JSON = (b"content-type", b"application/json")
_LATER = (b"retry-after", str(AGAIN_S).encode())

Headers = list[tuple[bytes, bytes]]


def webhook_app(intake: Webhook, hook: Hook, metrics: Metrics) -> ASGIApp:
    """Takes Telegram's calls at the webhook's path, and shows people the page at /verify.

    The calls pass Starlette by, which would take as long as all else that is done for one.
    """
    calls, pages = _Calls(intake, hook, metrics), Starlette(routes=[VERIFY])
    pages.router.redirect_slashes = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        called = scope["type"] == "http" and scope["path"] == hook.path
        await (calls if called else pages)(scope, receive, send)

    return app


class _Calls:
    """What is behind the webhook's path."""

    def __init__(self, intake: Webhook, hook: Hook, metrics: Metrics) -> None:
        self.intake = intake
        self.secret = hook.secret.encode()
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, headers, body = await self._take(scope, receive)
        if status != 200:
            self.metrics.webhook_refused.labels(str(status)).inc()
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
