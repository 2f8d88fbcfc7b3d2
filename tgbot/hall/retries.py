"""One's worst decisions once more (RULES 8): asked as a question, then told what was best.

Nothing is noted of it: the buttons say which decision of which game they are about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from games.analysis import Decision
from games.game import Lines, Text, text
from games.mind import mind_of
from tgbot.done import Key, Row, key
from tgbot.hall import worths
from tgbot.hall.table import Table

MOST_CHOICES = 5
"""How many moves a question offers, a row each."""


@dataclass(frozen=True, slots=True)
class Retry:
    """The `nth` of the worst decisions of a seat."""

    table: Table
    seat: int
    decision: Decision
    nth: int

    def question(self) -> tuple[Text, tuple[Row, ...]]:
        """What there was to see, and moves to choose from."""
        lines = (*self._situation(), text("retry.question"))
        moves = [*self.decision.values]
        rows = tuple((self._key(move, moves.index(move)),) for move in self._offered())
        return text("just", it=Lines(lines)), rows

    def answer(self, chosen: int, *, more: bool) -> tuple[Text, tuple[Row, ...]]:
        """What is best, and what the move with this number among the legal ones costs instead."""
        decision, unit = self.decision, mind_of(self.table.game).UNIT
        moves = [*decision.values]
        move = moves[min(chosen, len(moves) - 1)]
        loss = decision.expected - decision.values[move]
        worth = worths.worth(decision.expected, unit)
        if worths.told(loss, unit):
            said = [
                text("retry.wrong", move=self._named(move), cost=worths.cost(loss, unit)),
                text("retry.best", move=self._named(decision.better), worth=worth),
            ]
        else:
            said = [text("retry.right", move=self._named(move), worth=worth)]
        if decision.move != move and decision.move in decision.values:
            cost = worths.cost(decision.loss, unit)
            said.append(text("retry.then", move=self._named(decision.move), cost=cost))
        rows = ((self._leads(text("retry.next"), str(self.nth + 1)),),) if more else ()
        return text("just", it=Lines((*self._situation(), *said))), rows

    def _situation(self) -> Iterator[Text]:
        game, state = self.table.game, self.decision.state
        assert game.situation
        yield text("retry.title", where=game.situation(state, self.seat))
        yield from game.facing(state, self.seat) if game.facing else ()

    def _offered(self) -> list[str]:
        """The best move, the one that was made, and others that are worth less but much, in an
        order that tells nothing; of moves that people call the same the first."""
        decision, unit = self.decision, mind_of(self.table.game).UNIT
        values = decision.values
        others = (move for move in values if worths.told(decision.expected - values[move], unit))
        wanted = [decision.better, decision.move, *sorted(others, key=lambda it: -values[it])]
        chosen: dict[str, str] = {}
        for move in wanted:
            if move in values and len(chosen) < MOST_CHOICES:
                chosen.setdefault(repr(self._named(move)), move)
        return sorted(chosen.values(), key=[*values].index)

    def _named(self, move: str) -> Text:
        game = self.table.game
        assert game.named
        return game.named(self.decision.state, self.seat, move)

    def _key(self, move: str, number: int) -> Key:
        return self._leads(self._named(move), f"{self.nth} {number}")

    def _leads(self, label: Text, where: str) -> Key:
        return key(label, "retry", f"{self.table.id} {where}")
