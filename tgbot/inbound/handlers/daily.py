"""/daily: one game a day with the same dice for everyone (RULES 9)."""

from __future__ import annotations

import re

from games.game import Refusal
from tgbot.done import Done
from tgbot.hall.daily.pages import BY_LOSS, BY_TOTAL, SCOPE
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.people.people import Person
from tgbot.press import Press

DEEP_LINK = "daily"
"""What `t.me/bot?start=…` says to come here."""

_OF_DAY = re.compile(r"([a-z]+) ([0-9]{4}-[0-9]{2}-[0-9]{2})", re.ASCII)


async def daily(front: Front, ask: Ask) -> None:
    """In private one's own attempt; in a group how its people stand, and the way there."""

    def act(person: Person, now: int) -> Done:
        dailies = front.hall.dailies
        if ask.private:
            return dailies.open(person, now, ask.topic)
        _seen(front, ask, person)
        return dailies.ranking(person, ask.chat_id, dailies.today(now), BY_TOTAL, topic=ask.topic)

    await front.do(ask, act)


async def press(front: Front, ask: Ask, said: Press) -> None:
    """A button: `open` leads to one's own attempt, the others name a day."""

    def act(person: Person, now: int) -> Done:
        dailies = front.hall.dailies
        if not ask.private:
            _seen(front, ask, person)
        if said.code == "open":
            return dailies.open(person, now, ask.topic) if ask.private else Done(start=DEEP_LINK)
        if said.code == "top":
            return dailies.ranking(
                person,
                ask.chat_id,
                dailies.today(now),
                BY_TOTAL,
                edit=ask.message_id,
                topic=ask.topic,
            )
        found = _OF_DAY.fullmatch(said.code)
        if not found:
            raise Refusal("refused.stale")
        return _of_day(front, ask, person, found[1], found[2])

    await front.do(ask, act)


def _of_day(front: Front, ask: Ask, person: Person, what: str, day: str) -> Done:
    dailies, edit = front.hall.dailies, ask.message_id
    if what in (BY_TOTAL, BY_LOSS):
        return dailies.ranking(person, ask.chat_id, day, what, edit=edit, topic=ask.topic)
    if not ask.private:
        raise Refusal("refused.stale")
    match what:
        case "day":
            return dailies.show(person, day, edit=edit)
        case "share":
            return dailies.share(person, day, front.username)
        case "bell":
            return dailies.ring(person, day, edit=edit)
    raise Refusal("refused.stale")


def _seen(front: Front, ask: Ask, person: Person) -> None:
    """Who asks in a group stands in its ranking from now on."""
    chat_id = front.chats.here(ask.chat_id)
    front.chats.meet(chat_id, ask.title)
    front.hall.dailies.attempts.seen(person.user_id, chat_id)


async def follow(front: Front, ask: Ask, rest: str) -> None:
    """The deep link that leads from a group or a card to one's own attempt."""
    await daily(front, ask)


COMMANDS = (Command(("daily",), daily, (PRIVATE, GROUP), 14),)

DEEP_LINKS = {DEEP_LINK: follow}
MENUS = {SCOPE: press}
"""What handles the presses on its buttons, by their scope."""
