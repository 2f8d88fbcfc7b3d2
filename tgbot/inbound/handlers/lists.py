"""The best lists: /top, and the name under which a result goes into one."""

from __future__ import annotations

from tgbot.done import Done
from tgbot.hall.best_lists import SIGNATURE, SIGNATURE_S
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import operator, play
from tgbot.inbound.handlers.common import App, on_text
from tgbot.people.people import Person
from tgbot.press import Press


async def top(front: Front, ask: Ask) -> None:
    """The first list, with buttons to the others."""
    await front.do(
        ask,
        lambda person, now: front.lists.panel(person, ask.chat_id, "", now, topic=ask.topic),
    )


async def press_top(front: Front, ask: Ask, said: Press) -> None:
    """Another list, period or page, in place of the one shown; `first` opens the first one."""

    def act(person: Person, now: int) -> Done:
        code, edit = ("", 0) if said.code == "first" else (said.code, ask.message_id)
        return front.lists.panel(person, ask.chat_id, code, now, topic=ask.topic, edit=edit)

    await front.do(ask, act)


async def words(front: Front, ask: Ask) -> None:
    """Plain words: in private perhaps an answer the bot waits for, in a group a game's."""
    if not ask.private:
        await play.sentence(front, ask)
        return

    def act(person: Person, now: int) -> Done:
        game_id = front.lists.awaited.ref(person.user_id, SIGNATURE, now - SIGNATURE_S)
        if game_id is None:
            return operator.told(front, ask, person, now) or operator.hint()
        return front.lists.sign(person, front.hall.tables.get(game_id), ask.words, now)

    await front.do(ask, act)


COMMANDS = (Command(("top",), top, (PRIVATE, GROUP), 34),)

MENUS = {"top": press_top}
"""What handles the presses on its buttons, by their scope."""


def register_last(app: App, front: Front) -> None:
    """Plain words that nobody else took."""
    on_text(app, front, r"", words)
