"""Every command: what it is called, who handles it, and where it is shown.

The files of `handlers/` declare theirs as `COMMANDS`; nothing else lists them. A command of a game
is shown once the game's locale files have words for it: `zilch.command.bank`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from telegram import Update

from games import registry
from games.game import Text, text
from tgbot.inbound import handlers
from tgbot.inbound.asks import Ask, ask_of
from tgbot.inbound.front import Front
from tgbot.inbound.handlers.common import App, Context, Handle, on_command
from tgbot.words import FALLBACK, Words

PRIVATE, GROUP, ADMIN = "private", "group", "admin"
"""Where a command is shown: in private chats, in groups, to the admins of a group alone."""
GAMES_RANK = 15
"""Where the games stand among the other commands, and theirs behind them."""


@dataclass(frozen=True)
class Command:
    """A command and its other `names`; shown in `places`, those of the lowest `rank` first.

    With `bang` it is understood as `!name` as well.

    What it does is told by the words `command.` and its first name.
    """

    names: tuple[str, ...]
    handle: Handle
    places: tuple[str, ...] = ()
    rank: int = 50
    bang: bool = False

    @property
    def name(self) -> str:
        """The name it is shown by."""
        return self.names[0]


@cache
def modules() -> tuple[Any, ...]:
    """The files of `handlers/`, in alphabetical order."""
    names = sorted(found.name for found in pkgutil.iter_modules(handlers.__path__))
    return tuple(importlib.import_module(f"{handlers.__name__}.{name}") for name in names)


def commands() -> tuple[Command, ...]:
    """All of them but those of games."""
    return tuple(it for module in modules() for it in getattr(module, "COMMANDS", ()))


def deep_links() -> dict[str, Callable[[Front, Ask, str], Awaitable[None]]]:
    """What follows `t.me/bot?start=…`, by how it begins; it is told how it goes on."""
    found: dict[str, Callable[[Front, Ask, str], Awaitable[None]]] = {}
    for module in modules():
        found |= getattr(module, "DEEP_LINKS", {})
    return found


def shown(place: str, words: Words) -> dict[str, Text]:
    """The commands that menus and /help show in a place, in their order, and what each does."""
    known = words.keys(FALLBACK)
    found = [
        (it.rank, it.name, text(f"command.{it.name}"))
        for it in commands()
        if place in it.places or (place == ADMIN and GROUP in it.places)
    ]
    for kind, game in registry().items():
        if place != PRIVATE or game.solo:
            found.append((GAMES_RANK, kind, text("command.game", game=game.title())))
    if place != PRIVATE:
        for name in {name for game in registry().values() for name in game.commands}:
            its = [kind for kind in registry() if f"{kind}.command.{name}" in known]
            if its:
                titles = tuple(registry()[kind].title() for kind in its)
                about = text(f"{its[0]}.command.{name}")
                found.append(
                    (GAMES_RANK + 1, name, text("command.in_game", games=titles, about=about))
                )
    found.sort(key=lambda each: each[:2])
    return {name: about for _, name, about in found}


def register(application: App, front: Front) -> None:
    """Puts every handler into an application, in the order in which they are asked."""
    for it in commands():
        on_command(application, front, it.names, it.handle, bang=it.bang)
    for name in ("register", "register_last"):
        for module in modules():
            if join := getattr(module, name, None):
                join(application, front)

    async def failed(update: object, context: Context) -> None:
        ask = ask_of(update) if isinstance(update, Update) else None
        await front.failed(ask, context.error)

    application.add_error_handler(failed)
