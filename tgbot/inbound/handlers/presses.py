"""Buttons: what their data says decides who handles the press."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from telegram import Update
from telegram.ext import CallbackQueryHandler

from games.game import Refusal
from tgbot import press
from tgbot.inbound.commands import modules
from tgbot.inbound.handlers import play
from tgbot.inbound.handlers.common import App, Context
from tgbot.inbound.requests import Ask, Front, ask_of
from tgbot.press import Press
from tgbot.words import spoken

Handle = Callable[[Front, Ask, Press], Awaitable[None]]


async def lost(front: Front, ask: Ask, data: str | None) -> None:
    """A press on a message that is deleted or too old to be read; a game's board comes anew."""
    front.refuse(ask, Refusal("refused.stale"), spoken(ask.code))
    said = press.decode(data)
    if said and said.scope in front.hall.tables.seen:
        again = partial(front.upkeep.lost, said.scope, ask.chat_id, ask.message_id)
        front.painter.show(await front.clerk.run(again))


def register(app: App, front: Front) -> None:
    """Takes every press: what handles it is a menu by its scope; any other scope is a game's id."""
    menus: dict[str, Handle] = {}
    for module in modules():
        menus |= getattr(module, "MENUS", {})

    async def callback(update: Update, context: Context) -> None:
        ask, query = ask_of(update), update.callback_query
        assert ask
        assert query
        if not front.admits(ask):
            return
        if not (query.message and query.message.is_accessible):
            await lost(front, ask, query.data)
            return
        said = press.decode(query.data)
        if ask.channel:
            front.refuse(ask, Refusal("refused.channel", bot=front.username), spoken(ask.code))
            return
        if said is None:
            front.refuse(ask, Refusal("refused.stale"), spoken(ask.code))
            return
        await menus.get(said.scope, play.press_game)(front, ask, said)

    app.add_handler(CallbackQueryHandler(callback))
