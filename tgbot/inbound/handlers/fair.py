"""/fair: what all dice of all finished games did, and how anyone can check it (RULES 7)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from games.game import Lines, Text, text
from tgbot import charts
from tgbot.done import Done, Drawing, Say
from tgbot.hall.fair import Die, Fair, fair
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.people.people import Person

MOST_SIDES, MOST_KINDS = 20, 6
"""Told are the kinds that fell most; `dicehall fair` tells of those that order and deal too."""


async def show(front: Front, ask: Ask) -> None:
    """The faces of every kind of die as a chart, and how games ended."""

    def act(person: Person, now: int) -> Done:
        found = fair(front.store.db)
        reply_to = 0 if ask.private else ask.message_id
        words, language = _words(found, front.verify_page), person.language
        said = Say(ask.chat_id, words, language, topic=ask.topic, reply_to=reply_to)
        dice = [(die.sides, die.faces) for die in _told(found)]
        if dice:
            looks = ("fair", *((sides, sum(faces)) for sides, faces in dice))
            said = replace(said, picture=Drawing(looks, partial(charts.faces, dice=dice)))
        return Done(say=(said,))

    await front.do(ask, act)


def _told(found: Fair) -> list[Die]:
    small = (die for die in found.dice if die.sides <= MOST_SIDES)
    most = sorted(small, key=lambda die: -die.thrown)[:MOST_KINDS]
    return sorted(most, key=lambda die: die.sides)


def _words(found: Fair, page: str) -> Text:
    lines = [
        text("fair.die", sides=die.sides, n=die.thrown, chi=round(die.chi_square, 1),
             freedom=die.sides - 1)
        for die in _told(found)
    ]  # fmt: skip
    ends = found.document()["games"]
    why = tuple(text("fair.why", why=text(f"fair.why_{it}"), n=n) for it, n in ends["why"].items())
    over, stopped, off = (ends[name] for name in ("finished", "stopped", "called_off"))
    games = [text("fair.games", finished=over, stopped=stopped, off=off)]
    games += [text("fair.whys", why=why)] if why else []
    how = text("fair.how_page", page=page) if page else text("fair.how")
    lines = lines or [text("fair.none")]
    return text("just", it=Lines((text("fair.title"), *lines, *games, how)))


COMMANDS = (Command(("fair",), show, (PRIVATE, GROUP), 39),)
