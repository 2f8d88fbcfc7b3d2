"""Fifty! by lines: those of `tests.games.table`, and the house's moves as a person says them.

deal 14 17 19       the three limits
stechen 12: B A     its limit, and who throws in which order
"""

from __future__ import annotations

from games import registry
from games.fifty.rules import LIMITS, LOWEST_LIMIT
from games.game import HOUSE
from tests.games.table import LETTERS, Played, Table, letters

ALL_DICE = "4+4+4+6+6+8+8+10+12+20"


class Fifty(Table):
    """A game of Fifty! in which `script` has been played."""

    def __init__(self, seats: int, script: str = ""):
        super().__init__(registry()["fifty"], seats)
        self.play(script)

    def read(self, line: str) -> Played:
        words = line.replace(":", " ").split()
        if words[0] == "deal":
            limits = tuple(map(int, words[1:]))
            return HOUSE, "deal", (LIMITS.index(limits) + 1,)
        if words[0] == "stechen":
            wanted = [LETTERS.index(letter) for letter in words[2:]]
            tied = next(
                group for group in self.state.ranking if len(group) > 1 and {*group} == {*wanted}
            )
            return HOUSE, "stechen", (int(words[1]) - LOWEST_LIMIT + 1, *swaps(tied, wanted))
        return super().read(line)

    @property
    def ranking(self) -> str:
        """The ranking as it stands, `A B=C`."""
        return " ".join(letters(group, "=") for group in self.state.ranking)

    def total(self, letter: str) -> int:
        """The sum of somebody's throws."""
        return self.state.players[LETTERS.index(letter)].total

    def left(self, letter: str) -> str:
        """Somebody's dice left."""
        return "+".join(map(str, self.state.dice(LETTERS.index(letter))))


def swaps(tied: tuple[int, ...], wanted: list[int]) -> list[int]:
    """The dice of the house that bring `tied` into the order `wanted`."""
    order, dice = list(tied), []
    for last in range(len(order) - 1, 0, -1):
        at = order.index(wanted[last])
        order[last], order[at] = order[at], order[last]
        dice.append(at + 1)
    return dice


def scored(*totals: int) -> Fifty:
    """A game after its three rounds, in which A, B, … have these totals (3 to 21, 0: out).

    The limits were 10, 20 and 20, and nobody hit one.
    """
    game = Fifty(len(totals), "deal 10 20 20")
    for letter, total in zip(LETTERS, totals, strict=False):
        game.play(f"{letter}: 4 = 1" if total else f"{letter}: 12 = 11")
    for letter, total in zip(LETTERS, totals, strict=False):
        if total:
            game.play(f"{letter}: 6 = 1")
    for letter, total in zip(LETTERS, totals, strict=False):
        if total:
            game.play(f"{letter}: 20 = {total - 2}")
    return game
