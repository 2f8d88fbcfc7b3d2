"""Practice with James in the private chat (RULES 8): the choice of games, and one chosen."""

from __future__ import annotations

from games.game import Refusal, text
from tgbot.done import Done, Say
from tgbot.inbound import menus
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.people.people import Person
from tgbot.press import Press


async def press(front: Front, ask: Ask, said: Press) -> None:
    """A press on one of his buttons outside of games."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.stale")
        if said.code == "ask":
            which = text("james.which")
            say = Say(ask.chat_id, which, person.language, menus.minds(), topic=ask.topic)
            return Done(say=(say,))
        done = front.hall.james.practise(person, said.code, now, ask.topic)
        front.opened(ask, person, now)
        return done

    await front.do(ask, act)


MENUS = {"james": press}
