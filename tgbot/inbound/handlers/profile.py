"""/whois: what somebody has done so far, and the same as a picture."""

from __future__ import annotations

from dataclasses import replace

from games.game import Refusal
from tgbot.done import Done
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.people.people import Person
from tgbot.people.profile import Profiles
from tgbot.press import Press, number


async def whois(front: Front, ask: Ask) -> None:
    """A profile: of whom is replied to, of the one named, else one's own."""

    def act(person: Person, now: int) -> Done:
        target = _meant(front, ask, person)
        bests = front.lists.own(target)
        said = Profiles(front.people).profile(target, person, bests, ask.chat_id)
        return Done(say=(replace(said, reply_to=0 if ask.private else ask.message_id),))

    await front.do(ask, act)


async def press_card(front: Front, ask: Ask, said: Press) -> None:
    """The picture of a profile."""

    def act(person: Person, now: int) -> Done:
        target = front.people.shown_in(person, ask.chat_id, number(said.code) or 0)
        if target is None:
            raise Refusal("refused.stale")
        card = Profiles(front.people).card(target, person, ask.chat_id)
        return Done(say=(replace(card, reply_to=ask.message_id),))

    await front.do(ask, act)


def _meant(front: Front, ask: Ask, person: Person) -> Person:
    """Whose profile is asked for. Raises `Refusal` for nobody, and for several of one name."""
    if ask.about:
        target = front.people.known(ask.about.user_id)
    elif ask.words:
        found = front.people.seen_from(person, ask.chat_id, ask.words)
        if len(found) > 1:
            raise Refusal("refused.many_people", name=found[0].name)
        target = found[0] if found else None
    else:
        return person
    if target is None:
        raise Refusal("refused.unknown_person")
    return target


COMMANDS = (Command(("whois",), whois, (PRIVATE, GROUP), 33),)

MENUS = {"whois": press_card}
"""What handles the presses on its buttons, by their scope."""
