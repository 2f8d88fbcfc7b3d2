"""Yahtzee by lines: those of `tests.games.table`, and whole turns.

A 33366 full_house      A throws 3 3 3 6 6 at once and scores them
A 33366                 A throws them and goes on
"""

from __future__ import annotations

from collections.abc import Sequence

from games import registry
from games.game import Action, Move, Refusal
from games.yahtzee.boxes import BOXES, open_boxes
from games.yahtzee.rules import Player
from tests.games.table import LETTERS, Table, letters, show

JUNK = "11246"
"""A throw that scores little: one pair at best."""


class Yahtzee(Table):
    """A game of Yahtzee in which `script` has been played."""

    def __init__(self, seats: int, script: str = ""):
        super().__init__(registry()["yahtzee"], seats)
        self.play(script)

    def play(self, script: str) -> None:
        for line in filter(None, map(str.strip, script.splitlines())):
            words = line.split()
            if len(words[0]) == 1 and words[0] in LETTERS:
                self.turn(*words)
            else:
                self.move(*self.read(line))

    def turn(self, letter: str, dice: str, box: str = "") -> None:
        """The first throw of a turn, and its box where one is named."""
        seat = LETTERS.index(letter)
        self.move(seat, "roll", tuple(map(int, dice)))
        if box:
            self.move(seat, f"score {box}", ())

    def turns(self, count: int) -> str:
        """Whoever is next takes their first open box, so often; answers who that was."""
        order = ""
        for _ in range(count):
            order += (letter := self.actors)
            if not self.dice:
                self.turn(letter, JUNK)
            self.move(LETTERS.index(letter), f"score {self.open(letter)[0]}", ())
        return order

    def open(self, letter: str) -> tuple[str, ...]:
        """The boxes somebody can still score."""
        return open_boxes(self.player(letter).sheet)

    def rounds(self, boxes: Sequence[str], dice: str = JUNK) -> None:
        """Everybody who is in scores the same throw in each of `boxes`, a round for each."""
        for box in boxes:
            for _ in self.rules.seated(self.state):
                self.turn(self.actors, dice, box)

    def player(self, letter: str) -> Player:
        """What somebody has."""
        return self.state.players[LETTERS.index(letter)]

    def value(self, letter: str, box: str) -> int | None:
        """What somebody scored in a box."""
        return self.player(letter).sheet[BOXES.index(box)]

    @property
    def seated(self) -> str:
        """Who is still in."""
        return letters(self.rules.seated(self.state))

    @property
    def dice(self) -> str:
        """The dice on the table."""
        return "".join(map(str, self.state.dice))

    def says(self, letter: str, line: str, names: Sequence[str] = ()) -> Action:
        """What the typed `/command words` of somebody means."""
        name, _, words = line.removeprefix("/").partition(" ")
        return self.view.command(self.state, LETTERS.index(letter), "", name, words, names)

    def does(self, letter: str, line: str) -> str:
        """The move that a typed command means."""
        action = self.says(letter, line)
        assert isinstance(action, Move), action
        return action.move

    def told(self, letter: str, line: str, names: Sequence[str] = ()) -> str:
        """The refusal that a typed command meets."""
        try:
            action = self.says(letter, line, names)
        except Refusal as refusal:
            return show(refusal.text)
        raise AssertionError(f"{line} means {action}")

    def pressed(self, letter: str, code: str, selection: str = "") -> Action:
        """What a button means for somebody."""
        return self.view.press(self.state, LETTERS.index(letter), selection, code)


def finished(*totals: Sequence[str]) -> Yahtzee:
    """A game in which A, B, … scored these throws in the boxes from the first to the last."""
    game = Yahtzee(len(totals))
    for number, box in enumerate(BOXES):
        for letter, throws in zip(LETTERS, totals, strict=False):
            game.turn(letter, throws[number] if number < len(throws) else JUNK, box)
    return game
