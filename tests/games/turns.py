"""Games in which dice are set aside, by lines: those of `tests.games.table`, and whole turns.

A banks 1111    A throws four ones and dice of no use, sets the ones aside and banks
A fails         A throws a one and dice of no use, sets it aside, and the next throw brings nothing
"""

from __future__ import annotations

from collections.abc import Callable

from games.game import Action, Answer, Board, Move, Refusal, Select
from tests.games.table import LETTERS, Table, show

USELESS = "22334"


class Turns(Table):
    """A game in which `script` has been played."""

    def play(self, script: str) -> None:
        for line in filter(None, map(str.strip, script.splitlines())):
            letter, _, rest = line.partition(" ")
            if rest.startswith("banks "):
                self.banks(letter, rest.removeprefix("banks "))
            elif rest == "fails":
                self.fails(letter)
            else:
                self.move(*self.read(line))

    def banks(self, letter: str, dice: str) -> None:
        """A turn of one throw."""
        self.throws(letter, dice + USELESS[: 6 - len(dice)])
        self.move(LETTERS.index(letter), f"{dice} bank", ())

    def fails(self, letter: str) -> None:
        """A turn that brings nothing: a zilch, a bust."""
        self.throws(letter, "1" + USELESS)
        self.move(LETTERS.index(letter), "1 roll", tuple(map(int, USELESS)))

    def throws(self, letter: str, dice: str) -> None:
        """The first throw of a turn."""
        self.move(LETTERS.index(letter), "roll", tuple(map(int, dice)))

    def told(self, line: str) -> str:
        """Plays a line; answers what its player is told."""
        before = self.state
        self.play(line)
        return show(self.view.thrown(before, self.state, self.record[-1][0]))

    def pressed(self, letter: str, *codes: str) -> str:
        """What presses one after the other come to, each on the selection before."""
        selection, found = "", ""
        for code in codes:
            found = self.meant(lambda s=selection, c=code: self._press(letter, s, c))
            if found.startswith("selects "):
                selection = found.split("'")[1]
        return found

    def typed(self, letter: str, line: str, selection: str = "") -> str:
        """What `/roll 1 5` comes to."""
        name, _, words = line.removeprefix("/").partition(" ")
        seat = LETTERS.index(letter)
        return self.meant(lambda: self.view.command(self.state, seat, selection, name, words))

    def seen(self, letter: str, selection: str = "") -> Board:
        """The board on which somebody plays."""
        return self.board(LETTERS.index(letter), selection)

    def _press(self, letter: str, selection: str, code: str) -> Action:
        return self.view.press(self.state, LETTERS.index(letter), selection, code)

    def meant(self, act: Callable[[], Action | None]) -> str:
        """An action, its absence or a refusal as text; nothing changes by it."""
        before = repr(self.state)
        try:
            action: Action | Refusal | None = act()
        except Refusal as refusal:
            action = refusal
        assert repr(self.state) == before
        match action:
            case Move(move):
                return f"moves {move}"
            case Select(selection, toast, shown):
                assert shown
                return f"selects {selection!r}: {show(toast)}"
            case Answer(text):
                return f"answers {show(text)}"
            case Refusal(text=text):
                return f"refused: {show(text)}"
        return "nothing"
