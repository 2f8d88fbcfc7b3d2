"""Buttons: what their data says decides who handles the press."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from games.game import Refusal
from tgbot import press
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import modules
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import play
from tgbot.inbound.pressed import Pressed
from tgbot.press import Press
from tgbot.words import spoken

Handle = Callable[[Front, Ask, Press], Awaitable[None]]


async def lost(front: Front, ask: Ask, data: str | None) -> None:
    """A press on a message that is deleted or too old to be read; a game's board comes anew."""
    front.answers.refuse(ask, Refusal("refused.stale"), spoken(ask.code))
    said = press.decode(data)
    if said and said.scope in front.hall.tables.seen:
        again = partial(front.upkeep.lost, said.scope, ask.chat_id, ask.message_id)
        front.painter.show(await front.clerk.run(again))


def handler(front: Front) -> Callable[[Pressed], Awaitable[None]]:
    """Takes every press: what handles it is a menu by its scope; any other scope is a game's id."""
    menus: dict[str, Handle] = {}
    for module in modules():
        menus |= getattr(module, "MENUS", {})

    async def handle(pressed: Pressed) -> None:
        ask = pressed.ask
        if not front.admits(ask):
            return
        if not pressed.readable:
            await lost(front, ask, pressed.data)
            return
        said = press.decode(pressed.data)
        if ask.channel:
            refusal = Refusal("refused.channel", bot=front.username)
            front.answers.refuse(ask, refusal, spoken(ask.code))
            return
        if said is None:
            front.answers.refuse(ask, Refusal("refused.stale"), spoken(ask.code))
            return
        await menus.get(said.scope, play.press_game)(front, ask, said)

    async def handled(pressed: Pressed) -> None:
        try:
            await handle(pressed)
        except Exception as error:
            await front.failed(pressed.ask, error)

    return handled
