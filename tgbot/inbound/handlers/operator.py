"""/operator: the panel, in private and for operators only; for others it is not there."""

from __future__ import annotations

from telegram import Message, Update
from telegram.ext import MessageHandler, filters

from games.game import Refusal, text
from tgbot.done import Done
from tgbot.inbound.asks import Ask, ask_of
from tgbot.inbound.commands import Command
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import guide
from tgbot.inbound.handlers.common import NEW, App, Context, meant
from tgbot.operator.errands import Reply
from tgbot.people.people import Person
from tgbot.press import Press


def register(app: App, front: Front) -> None:
    """What operators forward: that names somebody, whatever it says."""

    async def forwarded(update: Update, context: Context) -> None:
        ask = ask_of(update)
        if ask and front.admits(ask):
            await answer(front, ask)

    wanted = NEW & filters.ChatType.PRIVATE & filters.FORWARDED & _ByOperator(front)
    app.add_handler(MessageHandler(wanted, forwarded))


class _ByOperator(filters.MessageFilter):
    """Messages of operators."""

    def __init__(self, front: Front) -> None:
        super().__init__()
        self.front = front

    def filter(self, message: Message) -> bool:
        """Whether an operator sent it."""
        sender = message.from_user
        return sender is not None and sender.id in self.front.settings.operators


async def panel(front: Front, ask: Ask) -> None:
    """Opens the panel; to anybody else it is a command like any unknown one."""
    if ask.who is None or ask.who.user_id not in front.settings.operators or not ask.private:
        if meant(front, ask):
            await guide.unknown(front, ask)
        return
    await front.do(ask, lambda person, now: front.panel.show(person, "home", now))


async def press_panel(front: Front, ask: Ask, said: Press) -> None:
    """A button of the panel; who may is checked at every press."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.stale")
        return front.panel.show(person, said.code, now, update=ask.update_id, edit=ask.message_id)

    await front.do(ask, act)


async def answer(front: Front, ask: Ask) -> None:
    """What was forwarded to the panel."""
    await front.do(ask, lambda person, now: told(front, ask, person, now) or hint())


def told(front: Front, ask: Ask, person: Person, now: int) -> Done | None:
    """What the panel makes of words in private; None where it waits for none."""
    said = Reply(ask.words, ask.mentioned, ask.origin, forwarded=ask.forwarded)
    return front.panel.answer(person, said, now)


def hint() -> Done:
    """What words are answered with that nobody waits for."""
    return Done(toast=text("help.hint"))


COMMANDS = (Command(("operator",), panel),)

MENUS = {"op": press_panel}
"""What handles the presses on its buttons, by their scope."""
