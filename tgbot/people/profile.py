"""The profile: what everybody may know of somebody (RULES 1.8), as a message and as a picture.

Names, results and badges stand in the open; points only from so many on, Knuddels never.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from economy.ledger import wallet
from games import registry
from games.game import Lines, Sides, Text, text
from tgbot import charts
from tgbot.done import Drawing, Key, Say, key
from tgbot.people.amounts import amount
from tgbot.people.people import People, Person
from tgbot.people.tallies import Tallied, Tallies

Bests = Mapping[tuple[str, int], Text]
"""Somebody's best result of each list, by the kind of game and its value."""


class Profiles:
    """What is told of people; reads tallies and balances."""

    def __init__(self, people: People) -> None:
        self.tallies = Tallies(people.db)
        self.ledger = people.ledger
        self.points_from = max(1, people.settings.profile_points)

    def profile(self, target: Person, asker: Person, bests: Bests, chat_id: int) -> Say:
        """The message that answers `asker`; with a button for the picture once there is a game."""
        found = self._tallied(target)
        body = text("whois.title", name=target.name, lines=self._lines(target, asker, found, bests))
        keys: tuple[tuple[Key, ...], ...] = ()
        if found:
            keys = ((key(text("whois.card"), "whois", str(target.user_id)),),)
        return Say(chat_id, body, asker.language, keys)

    def card(self, target: Person, asker: Person, chat_id: int) -> Say:
        """The picture of the profile."""
        found = self._tallied(target)
        rows = tuple(row for tallied in found for row in _rows(tallied))
        honours = (*_records(found), *_badges(found))
        draw = partial(charts.card, name=target.name, rows=rows, badges=honours)
        picture = Drawing(("card", target.user_id, target.name, repr(rows), repr(honours)), draw)
        caption = text("whois.caption", name=target.name)
        return Say(chat_id, caption, asker.language, picture=picture)

    def _tallied(self, target: Person) -> list[Tallied]:
        return self.tallies.of(target.user_id, registry())

    def _lines(
        self, target: Person, asker: Person, found: Sequence[Tallied], bests: Bests
    ) -> Lines:
        lines = [line for tallied in found for line in _game(tallied)] or [text("whois.none")]
        known = {(tallied.kind, tallied.best) for tallied in found}
        lines += [line for of, line in bests.items() if of not in known]
        lines += _records(found)
        if badges := _badges(found):
            lines.append(text("whois.badges", badges=Sides(badges)))
        ahead, behind = self.tallies.between(asker.user_id, target.user_id)
        if ahead or behind:
            against = {"name": target.name, "asker": asker.name}
            lines.append(text("whois.against", ahead=ahead, behind=behind, **against))
        for kind in registry():
            held = self.ledger.balance(wallet(target.user_id, kind))
            if held >= self.points_from:
                lines.append(amount(held, kind))
        return Lines(tuple(lines))


def _game(tallied: Tallied) -> list[Text]:
    """What somebody has done in one kind of game: how often, and how well."""
    game = registry()[tallied.kind]
    parts = [text("whois.games", n=tallied.games), text("whois.wins", n=tallied.won)]
    counted = Sides(tuple(parts))
    lines = [text("whois.game", icon=game.icon, game=game.title(), counted=counted)]
    well = []
    if tallied.best is not None:
        well.append(text("whois.best", best=tallied.best, average=tallied.average))
    well += _feats(tallied)
    return [*lines, text("whois.well", well=Sides(tuple(well)))] if well else lines


def _feats(tallied: Tallied) -> tuple[Text, ...]:
    return tuple(text(f"{tallied.kind}.feat.{name}", n=n) for name, n in tallied.feats.items())


def _records(found: Sequence[Tallied]) -> tuple[Text, ...]:
    records = sum(tallied.records for tallied in found)
    return (text("whois.records", n=records),) if records else ()


def _badges(found: Sequence[Tallied]) -> tuple[Text, ...]:
    return tuple(text(f"{it.kind}.badge.{badge}") for it in found for badge in it.badges)


def _rows(tallied: Tallied) -> Iterator[tuple[Text | str | int | float, ...]]:
    """Rows of the picture: the game, played, won, best, average; what else it remembers."""
    title = registry()[tallied.kind].title()
    well = ("–", "–") if tallied.best is None else (tallied.best, tallied.average)
    yield (title, tallied.games, tallied.won, *well)
    if feats := _feats(tallied):
        yield (text("whois.well", well=Sides(feats)),)
