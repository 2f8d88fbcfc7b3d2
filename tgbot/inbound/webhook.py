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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tgbot.config import Hook
from tgbot.http.verify_page import VERIFY
from tgbot.inbound.delivery import AGAIN_S
from tgbot.inbound.intake import Webhook
from tgbot.operator.metrics import Metrics

LARGEST_BODY = 1024 * 1024
SECRET = "X-Telegram-Bot-Api-Secret-Token"


def webhook_app(intake: Webhook, hook: Hook, metrics: Metrics) -> Starlette:
    """Takes Telegram's calls at the webhook's path, and shows people the page at /verify."""
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
            status = 502 if delivery is None else 503
            return Response(status_code=status, headers={"Retry-After": str(AGAIN_S)})
        return JSONResponse(delivery.answer) if delivery.answer else Response()

    app = Starlette(routes=[Route(hook.path, take, methods=["POST"]), VERIFY])
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
