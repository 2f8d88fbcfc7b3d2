"""A table at which a game is played by lines, as one would write its moves down.

    A: 4+6 = 3 5        seat 0 throws two dice; they show 3 and 5
    B: leave            a move without dice
    house: deal = 333   a move of the house
    late = 2            the move made for whoever let the time pass
    late B              the move made for B, who let the time of their own game pass

Seats are letters, A for seat 0. `Text`s read as their key and arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from games.dice import cast
from games.fairness import Stream
from games.game import HOUSE, Board, Game, Grid, Name, Percent, Refusal, Setup, Sides, Text, Until

LETTERS = "ABCDEFGHIJKLMNOPQRST"

Played = tuple[int, str, tuple[int, ...]]


class Table:
    """A running game and the record of its moves."""

    def __init__(
        self,
        game: Game[Any],
        seats: int,
        options: Mapping[str, Any] | None = None,
        guests: tuple[int, ...] = (),
    ) -> None:
        self.game, self.rules, self.view = game, game.rules, game.view
        self.setup = Setup(seats, options or {}, guests)
        self.state = self.rules.start(self.setup)
        self.record: list[Played] = []

    def play(self, script: str) -> None:
        """Plays every line of `script`; raises `Refusal` for the first that is not legal."""
        for line in filter(None, map(str.strip, script.splitlines())):
            self.move(*self.read(line))

    def read(self, line: str) -> Played:
        """The seat, move and dice that `line` names."""
        words, _, values = (part.strip() for part in line.partition("="))
        dice = tuple(map(int, values.split()))
        if words.partition(" ")[0] == "late":
            seat = LETTERS.index(words[-1]) if words != "late" else HOUSE
            expired = self.rules.expire(self.state, seat)
            assert expired, f"nobody is late in {self.state}"
            return *expired, dice
        who, _, move = (part.strip() for part in words.partition(":"))
        return HOUSE if who == "house" else LETTERS.index(who), move, dice

    def move(self, seat: int, move: str, dice: tuple[int, ...]) -> None:
        """Plays and records one move."""
        self.state = self.rules.play(self.state, seat, move, dice)
        self.record.append((seat, move, dice))

    def chance(self, seat: int, move: str, seed: str) -> None:
        """Plays a move with dice that `seed` and the number of the move fix."""
        stream = Stream(b"tests", seed.encode(), len(self.record))
        self.move(seat, move, cast(self.rules.throw(self.state, seat, move), stream))

    def refuses(self, line: str) -> str:
        """The refusal that `line` meets, after a look that nothing has changed."""
        before = repr(self.state)
        try:
            self.rules.play(self.state, *self.read(line))
        except Refusal as refusal:
            assert repr(self.state) == before
            return show(refusal.text)
        raise AssertionError(f"{line} was accepted")

    @property
    def actors(self) -> str:
        """Who may act now."""
        return letters(acting(self.game, self.state))

    @property
    def places(self) -> str:
        """The final places from the first: `B A=C` where A and C share the second."""
        outcome = self.rules.outcome(self.state)
        assert outcome, "the game is not over"
        return " ".join(letters(group, "=") for group in outcome.places)

    @property
    def out(self) -> str:
        """Who ended without a place."""
        outcome = self.rules.outcome(self.state)
        assert outcome, "the game is not over"
        return letters(outcome.out)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.rules.outcome(self.state) is not None

    @property
    def lines(self) -> list[str]:
        """The lines of the board; once it is over how everybody's result came about."""
        outcome = self.rules.outcome(self.state)
        if outcome is None:
            return [show(line) for line in self.view.board(self.state).lines]
        ranked = (*(seat for group in outcome.places for seat in group), *outcome.out)
        view, state = self.view, self.state
        results = ((letters([s]), view.reached(state, s), view.how(state, s)) for s in ranked)
        return [f"{who} {reached} {show(how)}" for who, reached, how in results]

    @property
    def keys(self) -> list[str]:
        """The rows of buttons of the board, as their codes."""
        return [] if self.over else keys(self.view.board(self.state))

    def board(self, seat: int, selection: str = "") -> Board:
        """The board on which `seat` plays: their own, where everybody has one."""
        if self.game.own:
            return self.game.own(self.state, seat, selection)
        return self.view.board(self.state, selection)


def acting(game: Game[Any], state: Any) -> tuple[int, ...]:
    """The seats that may act now, each in the game of all or in their own."""
    shared = game.rules.phase(state).actors
    private = game.rules.seated(state) if game.own else ()
    return *shared, *(seat for seat in private if game.rules.phase(state, seat).actors)


def letters(seats: Iterable[int], between: str = " ") -> str:
    """Seats as letters."""
    return between.join(LETTERS[seat] for seat in seats)


def keys(board: Board) -> list[str]:
    """The rows of buttons of a board, as their codes."""
    return [" ".join(f"[{button.code}]" for button in row) for row in board.buttons]


def show(value: object) -> str:
    """A text as its key and arguments, `fifty.cleared left='4+4'`; names as letters."""
    match value:
        case Text(key, args):
            return " ".join([key, *(f"{name}={show(arg)}" for name, arg in args.items())])
        case Name(seat):
            return LETTERS[seat]
        case Until():
            return "⏱"
        case Percent(share):
            return f"{100 * share:.2f}%"
        case Sides(texts):
            return "(" + " | ".join(map(show, texts)) + ")"
        case Grid(rows):
            return "[" + " | ".join(" ".join(map(cell, row)) for row in rows) + "]"
        case float():
            return f"{value:.2f}"
        case str():
            return repr(value)
        case tuple():
            return "(" + ", ".join(map(show, value)) + ")"
    return str(value)


def cell(value: object) -> str:
    """A cell of a table: strings bare, texts by the last word of their key, nothing as `_`."""
    if isinstance(value, Text):
        return value.key.rsplit(".", 1)[-1]
    return (value.strip() or "_") if isinstance(value, str) else show(value)
