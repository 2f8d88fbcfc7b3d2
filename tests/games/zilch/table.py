"""Zilch by lines: those of `tests.games.turns`."""

from __future__ import annotations

from games import registry
from games.zilch.view import hear
from tests.games.table import LETTERS
from tests.games.turns import Turns


class Zilch(Turns):
    """A game of Zilch in which `script` has been played."""

    def __init__(self, seats: int = 2, script: str = ""):
        super().__init__(registry()["zilch"], seats)
        self.play(script)

    def bank(self, letter: str) -> int:
        """Somebody's banked points."""
        return self.state.players[LETTERS.index(letter)].bank

    def zilches(self, letter: str) -> int:
        """Somebody's zilches in a row."""
        return self.state.players[LETTERS.index(letter)].zilches

    def says(self, letter: str, sentence: str, selection: str = "") -> str:
        """What a sentence comes to."""
        seat = LETTERS.index(letter)
        return self.meant(lambda: hear(self.state, seat, selection, sentence))
