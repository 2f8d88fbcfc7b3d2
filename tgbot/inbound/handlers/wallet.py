"""What somebody owns: /points, /history, /give. What one has never stands in the open."""

from __future__ import annotations

import re

from games.game import Refusal, text
from tgbot.done import Done, Say, key
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.people.giving import Giving
from tgbot.people.people import Person
from tgbot.press import Press


async def points(front: Front, ask: Ask) -> None:
    """In private the numbers; in a group a button that shows each person their own."""

    def act(person: Person, now: int) -> Done:
        if ask.private:
            return front.people.points(person, now)
        keys = ((key(text("points.button"), "points", "show"),),)
        ask_them = text("points.in_group")
        say = Say(
            ask.chat_id, ask_them, person.language, keys, topic=ask.topic, reply_to=ask.message_id
        )
        return Done(say=(say,))

    await front.do(ask, act)


async def press_points(front: Front, ask: Ask, said: Press) -> None:
    """Shows the presser their own numbers, and nobody else."""
    await front.do(ask, front.people.points if ask.private else front.people.glance)


async def press_chart(front: Front, ask: Ask, said: Press) -> None:
    """A picture of what the presser held over time."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.stale")
        return front.people.chart(person, now)

    await front.do(ask, act)


async def history(front: Front, ask: Ask) -> None:
    """The asker's bookings, in private."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.private_only", bot=front.username)
        return front.people.history(person, 0)

    await front.do(ask, act)


async def press_history(front: Front, ask: Ask, said: Press) -> None:
    """Another page of the asker's bookings."""
    page = int(said.code) if re.fullmatch(r"[0-9]{1,6}", said.code, re.ASCII) else 0
    if not ask.private:
        await points(front, ask)
        return
    await front.do(ask, lambda person, now: front.people.history(person, page, ask.message_id))


async def give(front: Front, ask: Ask) -> None:
    """`/give 5 @name`, or `/give 5` in reply to somebody; once for each update."""

    def act(person: Person, now: int) -> Done:
        if not front.limits.gives.take(person.user_id, now, ask.update_id):
            raise Refusal("give.too_often", n=front.settings.gives_a_minute)
        named = len(ask.words.split()) > 1  # which counts for more than whom it replies to
        if ask.reply_to and not ask.about and not named:
            raise Refusal("give.bot")
        about = ask.mentioned or (None if named else ask.about)
        giving = Giving(front.people)
        gift = giving.read(person, ask.chat_id, ask.words, about, ask.key("give"))
        done = giving.give(gift, now, private=ask.private)
        assert done.toast
        reply_to = 0 if ask.private else ask.message_id
        told = Say(ask.chat_id, done.toast, person.language, topic=ask.topic, reply_to=reply_to)
        return Done(say=(told, *done.say))

    await front.do(ask, act)


COMMANDS = (
    Command(("points", "knuddels"), points, (PRIVATE, GROUP), 30),
    Command(("history",), history, (PRIVATE,), 31),
    Command(("give",), give, (PRIVATE, GROUP), 32),
)

MENUS = {"points": press_points, "history": press_history, "chart": press_chart}
"""What handles the presses on its buttons, by their scope."""
