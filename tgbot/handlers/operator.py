"""/operator: the panel, in private and for operators only; for others it is not there."""

from __future__ import annotations

from games.game import Refusal
from tgbot.front import Ask, Front
from tgbot.handlers.common import App, on_command
from tgbot.people import Person
from tgbot.press import Press
from tgbot.show import Done


def register(app: App, front: Front) -> None:
    """The panel."""
    on_command(app, front, ["operator"], panel)


async def panel(front: Front, ask: Ask) -> None:
    """Opens the panel; nobody else is even answered."""
    if ask.who is None or ask.who.user_id not in front.settings.operators or not ask.private:
        return
    await front.do(ask, lambda person, now: front.panel.show(person, "home", now))


async def press_panel(front: Front, ask: Ask, said: Press) -> None:
    """A button of the panel; who may is checked at every press."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.stale")
        return front.panel.show(person, said.code, now, edit=ask.message_id, ref=str(ask.update_id))

    await front.do(ask, act)
