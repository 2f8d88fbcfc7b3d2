"""Hints (RULES 8): what James would do, and what one's own choice is worth, told to who asks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from games.game import Lines, Refusal, Text, text
from games.mind import Unit, best, mind_of, ready
from tgbot.done import Done
from tgbot.hall import worths
from tgbot.hall.refusals import player
from tgbot.hall.table import Table
from tgbot.hall.tables import Tables
from tgbot.people.people import Person

MOST = 3
"""How many hints a person has in a free game of several people."""


def offered(table: Table) -> bool:
    """Whether people may ask now: where nobody can win coins by it, nor a place in a best list.

    Every result of some games is entered into a list, so they have hints in practice alone.
    """
    if table.daily or not table.game.mind or table.status != "running":
        return False
    return table.practice or not (table.pot or _listed(table))


class Hints:
    """Hints of running games."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def ask(self, person: Person, game_id: str, rev: int) -> Done:
        """A hint for somebody who is to act, in phase `rev`. It is worked out afterwards.

        Raises `Refusal` where there is none; only what will be answered is counted.
        """
        table = self.tables.get(game_id)
        sitting = player(table, person)
        if not offered(table):
            raise Refusal("hint.off")
        phase = table.phase(sitting.seat)
        if rev != phase.rev:
            raise Refusal("refused.stale")
        if sitting.seat not in phase.actors:
            raise Refusal("hint.not_your_turn")
        if not ready(table.game):
            raise Refusal("analysis.not_ready", game=table.game.title())
        selection = self.tables.store.selections.picked(game_id, sitting.seat, rev)
        if table.practice:
            return Done(later=partial(told, table, sitting.seat, selection), thinks=True)
        if sitting.hints >= MOST:
            raise Refusal("hint.none_left", n=MOST)
        had = replace(sitting, hints=sitting.hints + 1)
        self.tables.store.seats.set_hints(had.row, had.hints)
        sittings = tuple(had if s.row == had.row else s for s in table.sittings)
        self.tables.save(table.changed(sittings=sittings))
        later = partial(told, table, had.seat, selection, left=MOST - had.hints)
        return Done(soon=(game_id,), later=later, thinks=True)


def told(table: Table, seat: int, selection: str, *, left: int | None = None) -> Done:
    """The best move of `seat`, and what its selection comes to; `left` are the hints it still has.

    It may take a fifth of a second.
    """
    game, mind = table.game, mind_of(table.game)
    values, unit = mind.values(table.state, seat), mind.UNIT
    assert game.named
    better = best(values)
    named = game.named(table.state, seat, better)
    if len(values) == 1:
        lines = [text("hint.only", move=named)]
    else:
        lines = [text("hint.best", move=named, worth=worths.worth(values[better], unit))]
        meant = game.meant(table.state, seat, selection) if game.meant else ()
        for move in filter(values.__contains__, meant):
            mine = game.named(table.state, seat, move)
            lines.append(_yours(mine, named, values[move], values[better], unit))
    if left is not None:
        lines.append(text("hint.left", n=left) if left else text("hint.last"))
    return Done(toast=text("just", it=Lines(tuple(lines))), alert=True)


def _yours(mine: Text, named: Text, worth: float, most: float, unit: Unit) -> Text:
    """What one's own choice is worth beside the best, unless people call both the same."""
    if mine == named:
        return text("hint.yours_too")
    cost = worths.cost(most - worth, unit)
    return text("hint.yours", move=mine, worth=worths.bare(worth, unit), cost=cost)


def _listed(table: Table) -> bool:
    """Whether results of this game are entered into a best list."""
    players = len(table.people)
    return any(it.takes(players, table.stake) for it in table.game.lists)
