"""Minds (RULES 8): what every legal move is worth, and James, who always makes the best one.

A mind is a module of functions over a game's state, as its rules are. A game names the module in
its `Game.mind`; `mind_of` imports it when it is first asked, since minds need numpy. A mind is not
told the secret: it knows the state and the rules, so that whoever has both can ask it again.

What a mind says is worked out, some of it for a fifth of a second: never on an event loop, and
never while others wait for the database.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, Protocol, TypeVar

from games.game import Draw, Game, Policy

S = TypeVar("S", contravariant=True)

Unit = Literal["points", "share"]
"""What a mind counts in: a player's result in points, or their share of the pot from 0 to 1."""

TIE = 1e-4
"""Moves worth this little less than the best are as good as the best (of either unit)."""


class NotReady(Exception):
    """The table of a mind is not there yet; `kind` is its game."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class NoMind(Exception):
    """The game has no mind; `kind` is its name."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Table:
    """The numbers a mind looks up, made once by `solve` and kept in a file by whoever runs it.

    `shape` is their shape; they are 32-bit floats. `check` raises ValueError for numbers that do
    not fit together. Until `use` was called with them, or they were lent (`lend`), the mind is not
    ready.
    """

    def __init__(
        self,
        kind: str,
        version: int,
        shape: tuple[int, ...],
        solve: Callable[[], Any],
        check: Callable[[Any], None],
    ) -> None:
        self.kind, self.shape = kind, shape
        self.name = f"{kind}-{version}"
        self.solve = solve
        self._check = check
        self._numbers: Any = None

    @property
    def ready(self) -> bool:
        """Whether the numbers are there."""
        return self._numbers is not None

    @property
    def numbers(self) -> Any:
        """The numbers, opened now if they were lent. Raises `NotReady` before they are there."""
        if self._numbers is None and self.name in _lent:
            _lent[self.name]()
        if self._numbers is None:
            _lent.pop(self.name, None)
            raise NotReady(self.kind)
        return self._numbers

    def use(self, numbers: Any) -> None:
        """Takes the numbers, which may lie in a file. Raises ValueError unless they are its own."""
        if numbers.shape != self.shape or numbers.dtype.str != "<f4":
            raise ValueError(f"{self.name}: {self.shape} of float32 expected")
        self._check(numbers)
        self._numbers = numbers
        lend(self.name, lambda: None)


_lent: dict[str, Callable[[], object]] = {}
"""What opens a table, by its name."""


def lend(name: str, open_it: Callable[[], object]) -> None:
    """The mind that needs this table is ready from now on: once asked, it has `open_it` call its
    `Table.use`."""
    _lent[name] = open_it


class Mind(Protocol[S]):
    """What a mind module has: a unit, the table it needs or None, and two functions.

    Both functions raise `NotReady` while there is no table. The worth of a move and a result are
    measured alike: a mind that is asked after the last move would answer the result. `POLICIES` are
    further ways to play that its reckoning allows, such as `points`, as others are taken to play.
    """

    UNIT: Unit
    TABLE: Table | None
    POLICIES: Mapping[str, Policy[Any]]

    def values(self, state: S, seat: int) -> dict[str, float]:
        """What the result of `seat` is on average after each legal move, played on perfectly.

        In the order of `Rules.legal`; empty where `seat` cannot move.
        """

    def result(self, state: S, seat: int) -> float:
        """What `seat` has reached in a game that is over."""


@cache
def _module(name: str) -> Any:
    return importlib.import_module(name)


def mind_of(game: Game[Any]) -> Mind[Any]:
    """The mind of a game. Raises `NoMind` for one without."""
    if not game.mind:
        raise NoMind(game.kind)
    found: Mind[Any] = _module(game.mind)
    return found


def ready(game: Game[Any]) -> bool:
    """Whether the game has a mind that can be asked now; to tell that, it is not imported."""
    return bool(game.mind) and (not game.mind_table or game.mind_table in _lent)


def best(values: Mapping[str, float]) -> str:
    """The best move; of those within `TIE` of it the first (RULES 8)."""
    bound = max(values.values()) - TIE
    return next(move for move, worth in values.items() if worth >= bound)


def james(game: Game[Any]) -> Policy[Any]:
    """James as a way to play: the best move. Raises `NoMind`."""
    mind = mind_of(game)

    def choose(state: Any, seat: int, draw: Draw) -> str:
        return best(mind.values(state, seat))

    return choose


def policies(game: Game[Any]) -> dict[str, Policy[Any]]:
    """Every way to play a game: its own, and where it has a mind `james` and those of the mind."""
    if not game.mind:
        return dict(game.policies)
    return {**game.policies, "james": james(game), **mind_of(game).POLICIES}
