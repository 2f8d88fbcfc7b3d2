"""Turning functions over an `Ask` into handlers of python-telegram-bot."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
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

from tgbot.inbound.asks import Ask, ask_of
from tgbot.inbound.front import Front

App = Application[Any, Any, Any, Any, Any, Any]
Handle = Callable[[Front, Ask], Awaitable[None]]
Context = CallbackContext[Any, Any, Any, Any]

NEW = filters.UpdateType.MESSAGE
"""Messages as they are sent: an edited one is no command (SURVIVE 12)."""
OWN = NEW & ~filters.FORWARDED & ~filters.VIA_BOT
"""What somebody wrote: what they pass on may say `/give 100 @thief`, and is another one's word."""


def on_command(
    app: App, front: Front, names: Iterable[str], handle: Handle, *, bang: bool = False
) -> None:
    """Calls `handle` for the commands `names`, also as `/name@thisbot`; with `bang` as `!name`."""

    async def callback(update: Update, context: Context) -> None:
        ask = ask_of(update)
        if ask and front.admits(ask):
            await handle(front, ask)

    names = list(names)
    app.add_handler(CommandHandler(names, callback, filters=OWN))
    if bang:
        on_bang(app, front, names, handle)


def on_bang(app: App, front: Front, names: Iterable[str], handle: Handle) -> None:
    """Calls `handle` for the words `!name`, where the bot can read them (RULES 0)."""
    pattern = rf"^!(?i:{'|'.join(map(re.escape, names))})(?!\w)"

    async def heard(front: Front, ask: Ask) -> None:
        await handle(front, replace(ask, words=re.sub(pattern, "", ask.words, count=1).strip()))

    on_text(app, front, pattern, heard)


def on_unknown(app: App, front: Front, handle: Handle) -> None:
    """Calls `handle` for commands nobody took, if it is this bot that they mean for sure."""

    async def callback(update: Update, context: Context) -> None:
        ask = ask_of(update)
        if ask and meant(front, ask) and front.admits(ask):
            await handle(front, ask)

    app.add_handler(MessageHandler(OWN & filters.COMMAND, callback))


def meant(front: Front, ask: Ask) -> bool:
    """Whether a command names this bot, or is said to it alone."""
    return ask.called == front.username.lower() or (ask.private and not ask.called)


def on_text(app: App, front: Front, pattern: str, handle: Handle) -> None:
    """Calls `handle` for plain messages that match `pattern`."""

    async def callback(update: Update, context: Context) -> None:
        ask = ask_of(update)
        if ask and front.admits(ask):
            await handle(front, ask)

    wanted = OWN & filters.TEXT & ~filters.COMMAND & filters.Regex(pattern)
    handler: BaseHandler[Any, Any, Any] = MessageHandler(wanted, callback)
    app.add_handler(handler)
