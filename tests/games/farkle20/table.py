"""Farkle 20 by lines: those of `tests.games.turns`."""

from __future__ import annotations

from games import registry
from games.farkle20.rules import Player
from tests.games.table import LETTERS, keys, show
from tests.games.turns import Turns


class Farkle(Turns):
    """A race, or with one seat a game alone, in which `script` has been played."""

    def __init__(self, seats: int = 2, script: str = ""):
        super().__init__(registry()["farkle20"], seats)
        self.play(script)

    def turns(self, letter: str, count: int, dice: str = "1") -> None:
        """So many turns of one throw that bank these dice."""
        for _ in range(count):
            self.banks(letter, dice)

    def player(self, letter: str) -> Player:
        """How somebody stands."""
        player: Player = self.state.players[LETTERS.index(letter)]
        return player

    def total(self, letter: str) -> int:
        """Somebody's banked points."""
        return self.player(letter).total

    def own(self, letter: str, selection: str = "") -> list[str]:
        """The lines of somebody's own board."""
        return [show(line) for line in self.seen(letter, selection).lines]

    def own_keys(self, letter: str, selection: str = "") -> list[str]:
        """The rows of buttons of somebody's own board, as their codes."""
        return keys(self.seen(letter, selection))
