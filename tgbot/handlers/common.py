"""Turning functions over an `Ask` into handlers of python-telegram-bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from telegram import Update
from telegram.ext import (
    Application,
    BaseHandler,
    CallbackContext,
    CommandHandler,
    MessageHandler,
    filters,
)

from tgbot.front import Ask, Front, ask_of

App = Application[Any, Any, Any, Any, Any, Any]
Handle = Callable[[Front, Ask], Awaitable[None]]
Context = CallbackContext[Any, Any, Any, Any]

NEW = filters.UpdateType.MESSAGE
"""Messages as they are sent: an edited one is no command (SURVIVE 12)."""


def on_command(app: App, front: Front, names: Iterable[str], handle: Handle) -> None:
    """Calls `handle` for the commands `names`, also as `/name@thisbot`."""

    async def callback(update: Update, context: Context) -> None:
        ask = ask_of(update)
        if ask and front.admits(ask):
            await handle(front, ask)

    app.add_handler(CommandHandler(list(names), callback, filters=NEW))


def on_text(app: App, front: Front, pattern: str, handle: Handle) -> None:
    """Calls `handle` for plain messages that match `pattern`."""

    async def callback(update: Update, context: Context) -> None:
        ask = ask_of(update)
        if ask and front.admits(ask):
            await handle(front, ask)

    wanted = NEW & filters.TEXT & ~filters.COMMAND & filters.Regex(pattern)
    handler: BaseHandler[Any, Any, Any] = MessageHandler(wanted, callback)
    app.add_handler(handler)
