"""The button of a hint (RULES 8): the press is answered once the hint is worked out."""

from __future__ import annotations

from games.game import Refusal
from tgbot.done import Done
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.people.people import Person
from tgbot.press import Press


async def hint(front: Front, ask: Ask, said: Press) -> None:
    """Somebody wants to know what James would do in this phase of their game."""

    def act(person: Person, now: int) -> Done:
        if not front.limits.hints.take(person.user_id, now, ask.update_id):
            raise Refusal("refused.too_fast")
        return front.hall.hints.ask(person, said.scope, said.rev)

    await front.do(ask, act)
