"""Opening a game: /fifty and its kin, plain words, and the menu of games."""

from __future__ import annotations

import re
from functools import partial

from games import registry
from games.game import Refusal, text
from tgbot.done import Done, Say
from tgbot.inbound import menus
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, Command
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import bells, pins
from tgbot.inbound.handlers.common import App, on_command, on_text
from tgbot.people.people import Person
from tgbot.press import Press


def register(app: App, front: Front) -> None:
    """One command a game, and its plain words."""
    for kind, game in registry().items():
        on_command(app, front, [kind], partial(open_game, kind=kind), bang=True)
        for phrase in game.phrases:
            on_text(app, front, spoken_phrase(phrase), partial(open_game, kind=kind))


def spoken_phrase(phrase: str) -> str:
    """A pattern that finds plain words anywhere in a sentence, with or without commas between."""
    return r"(?i)\b" + r"(?:\s*,\s*|\s+)".join(map(re.escape, phrase.split())) + r"\b"


async def open_game(front: Front, ask: Ask, *, kind: str, free: bool = False) -> None:
    """Opens a lobby where it was asked for, with `free` without a stake."""

    def act(person: Person, now: int, admin: bool | None) -> Done:
        if ask.private and not registry()[kind].solo:
            whose = (person.user_id, person.language)
            return Done(say=(menus.into_a_group(*whose, front.username, kind),))
        if ask.private:
            done = front.hall.lobby.open_solo(person, kind, now, ask.topic)
        else:
            front.chats.meet(ask.chat_id, ask.title)
            place = (ask.chat_id, ask.topic)
            pressed = bool(ask.query_id)
            done = front.hall.lobby.open(
                person, *place, kind, now, admin=admin, pressed=pressed, free=free
            )
            done = bells.rung(front, ask, done, person)
        front.opened(ask, person, now)
        return done

    await front.do_admin(ask, act)
    if not ask.private:
        front.painter.spawn(pins.ask_once(front, ask.chat_id))


async def press_open(front: Front, ask: Ask, said: Press) -> None:
    """A game chosen from the menu."""
    if said.code not in registry():
        await front.do(ask, stale)
        return
    await open_game(front, ask, kind=said.code)


async def press_free(front: Front, ask: Ask, said: Press) -> None:
    """A game without a stake, for who cannot pay one."""
    if said.code not in registry() or ask.private:
        await front.do(ask, stale)
        return
    await open_game(front, ask, kind=said.code, free=True)


async def play(front: Front, ask: Ask) -> None:
    """The menu of games; in private, how to bring the bot into a group."""

    def act(person: Person, now: int) -> Done:
        if ask.private:
            return Done(say=(menus.into_a_group(person.user_id, person.language, front.username),))
        title = text("menu.title")
        say = Say(ask.chat_id, title, person.language, menus.games(), topic=ask.topic)
        return Done(say=(say,))

    await front.do(ask, act)


def stale(person: Person, now: int) -> Done:
    """A button that means nothing any more."""
    raise Refusal("refused.stale")


COMMANDS = (Command(("play",), play, (GROUP,), 10, bang=True),)

MENUS = {"open": press_open, "free": press_free}
"""What handles the presses on its buttons, by their scope."""
