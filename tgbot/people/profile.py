"""The profile: what everybody may know of somebody (RULES 1.8), as a message and as a picture.

Names, results and badges stand in the open; points only from so many on, Knuddels never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        rows = tuple(_columns(tallied) for tallied in found)
        badges = tuple(text(f"{it.kind}.badge.{badge}") for it in found for badge in it.badges)
        shown = [(it.kind, it.games, it.won, it.best, it.average, *it.badges) for it in found]
        draw = partial(charts.card, name=target.name, rows=rows, badges=badges)
        picture = Drawing(("card", target.user_id, target.name, *shown), draw)
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
        if records := sum(tallied.records for tallied in found):
            lines.append(text("whois.records", n=records))
        badges = [text(f"{it.kind}.badge.{badge}") for it in found for badge in it.badges]
        if badges:
            lines.append(text("whois.badges", badges=Sides(tuple(badges))))
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
    well += [text(f"{tallied.kind}.feat.{name}", n=n) for name, n in tallied.feats.items()]
    return [*lines, text("whois.well", well=Sides(tuple(well)))] if well else lines


def _columns(tallied: Tallied) -> tuple[Text | str | int | float, ...]:
    """A row of the picture: the game, played, won, best, average."""
    title = registry()[tallied.kind].title()
    if tallied.best is None:
        return (title, tallied.games, tallied.won, "–", "–")
    return (title, tallied.games, tallied.won, tallied.best, tallied.average)
