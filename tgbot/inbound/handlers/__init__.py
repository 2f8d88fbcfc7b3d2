"""One file per thing a person does. A handler reads an update, names a use case, and is done.

`register` puts them into an application; none of them waits for Telegram before its use case has
committed, but to ask who is an admin.
"""

from __future__ import annotations

from typing import Any

from telegram.ext import Application, CallbackContext

from tgbot.inbound.handlers import admin, guide, lists, lobby, operator, play, presses, wallet
from tgbot.inbound.handlers.common import on_unknown
from tgbot.inbound.requests import Front


def register(application: Application[Any, Any, Any, Any, Any, Any], front: Front) -> None:
    """Every handler, in the order in which they are asked."""
    presses.register(application, front)
    for part in (operator, play, lobby, wallet, guide, admin, lists):
        part.register(application, front)
    on_unknown(application, front, guide.unknown)

    async def failed(update: object, context: CallbackContext[Any, Any, Any, Any]) -> None:
        await front.failed(update, context.error)

    application.add_error_handler(failed)
