"""What the dice and one's choices did to a player (RULES 8): start + dice − choices = result.

The worth of a game to a seat changes twice with each decision: by what was chosen, which costs what
the move is worth less than the best, and by what follows until the next decision, the dice and the
others. Added up that is the way from what the first decision was worth to the result, exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.checking import Step
from games.game import HOUSE, Game
from games.mind import TIE, Mind, Unit, best, mind_of
from games.proof import Moved

Recorded = tuple[int, str, tuple[int, ...]]
"""A move as it was made: seat, move, dice."""

WORST = 3
"""How many decisions a player is told of."""
FINE: dict[Unit, float] = {"points": 0.5, "share": 0.005}
"""Below which loss a decision gets no mark."""
MARKS: dict[Unit, tuple[tuple[float, str], ...]] = {
    "points": ((2.0, "?!"), (8.0, "?")),
    "share": ((0.02, "?!"), (0.05, "?")),
}
"""Up to which loss it gets which mark; beyond the last it is a `??`."""


def mark(loss: float, unit: Unit) -> str:
    """The mark of a decision that cost so much; empty for a fine one."""
    if loss < FINE[unit]:
        return ""
    return next((sign for upto, sign in MARKS[unit] if loss <= upto), "??")


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice somebody had: move `n` of the game, what they did and what was better.

    `expected` is what the game was worth before it, with the best move; `worth` afterwards. `state`
    is the one it was made in, `values` what each move was worth there.
    """

    n: int
    move: str
    better: str
    expected: float
    worth: float
    state: Any
    values: Mapping[str, float]

    @property
    def loss(self) -> float:
        """What it cost."""
        return self.expected - self.worth

    @property
    def like_james(self) -> bool:
        """Whether it was as good as the best."""
        return self.loss <= TIE


@dataclass(frozen=True, slots=True)
class Sheet:
    """A player's game: `start + dice - choices = result`, in `unit`.

    `path` is what the game was worth before and after every move of theirs, also those that were no
    choice; `decisions` are the others.
    """

    seat: int
    unit: Unit
    path: tuple[tuple[float, float], ...]
    result: float
    decisions: tuple[Decision, ...]

    @property
    def start(self) -> float:
        """What the game was worth before their first move."""
        return self.path[0][0]

    @property
    def choices(self) -> float:
        """What choices cost."""
        return sum(before - after for before, after in self.path)

    @property
    def dice(self) -> float:
        """What the dice, and the others, brought between their moves and after the last."""
        befores = [before for before, _ in self.path[1:]] + [self.result]
        return sum(then - after for then, (_, after) in zip(befores, self.path, strict=True))

    @property
    def like_james(self) -> int:
        """How many decisions were as good as the best."""
        return sum(decision.like_james for decision in self.decisions)

    @property
    def worst(self) -> tuple[Decision, ...]:
        """The decisions that cost most, the worst first; none that was as good as the best."""
        costly = (decision for decision in self.decisions if not decision.like_james)
        return tuple(sorted(costly, key=lambda decision: -decision.loss)[:WORST])


def net_luck(sheets: Iterable[Sheet], seat: int) -> float:
    """How much more the dice brought `seat` than the others on average."""
    brought = {sheet.seat: sheet.dice for sheet in sheets}
    mine = brought.pop(seat)
    return mine - sum(brought.values()) / len(brought) if brought else mine


def analyse(game: Game[Any], state: Any, moves: Iterable[Recorded]) -> tuple[Sheet, ...]:
    """The sheet of every player who made a decision and did not leave, in seat order.

    `state` is the first one of a finished game, `moves` are all it took. Raises `NoMind`, and
    `NotReady` while the mind's table is not there. It takes as long as all its decisions together.
    """
    mind = mind_of(game)
    books: dict[int, _Book] = {}
    for n, (seat, move, dice) in enumerate(moves):
        for part in _parts(game, state, seat, move, dice):
            if part[0] == "leave":
                books.pop(seat, None)
            elif seat != HOUSE:
                _note(mind, game, books, state, n, seat, part[0])
            state = game.rules.play(state, seat, *part)
    return tuple(
        books[seat].sheet(seat, mind.UNIT, mind.result(state, seat)) for seat in sorted(books)
    )


def decision_at(game: Game[Any], state: Any, moves: Iterable[Recorded], at: int) -> Decision:
    """The choice that somebody had with move `at`, as `analyse` finds it, of one made late without
    its cost. Raises LookupError for a move that was no choice, and what `analyse` raises."""
    mind = mind_of(game)
    for n, (seat, move, dice) in enumerate(moves):
        for part in _parts(game, state, seat, move, dice):
            values = mind.values(state, seat) if n == at and seat != HOUSE else {}
            if len(values) > 1:
                most = max(values.values())
                worth = values.get(part[0], most)
                return Decision(n, part[0], best(values), most, worth, state, values)
            state = game.rules.play(state, seat, *part)
    raise LookupError(f"move {at} was no choice")


def unlike_james(game: Game[Any], steps: Iterable[Step], seats: Collection[int]) -> tuple[int, ...]:
    """The numbers of moves that James, who had these seats, would not have made.

    A move within twice the width of a tie of the best is his, as he writes it; moves made for
    somebody late are nobody's, and he never leaves. Raises `NoMind`, and `NotReady` while the
    mind's table is not there.
    """
    mind = mind_of(game)
    found = []
    for before, moved, _ in steps:
        values = mind.values(before, moved.seat) if moved.seat in seats else {}
        if not values or _forced(game, before, moved):
            continue
        worth = values.get(moved.move)
        if worth is None or worth < max(values.values()) - 2 * TIE:
            found.append(moved.n)
    return tuple(found)


def _forced(game: Game[Any], state: Any, moved: Moved) -> bool:
    """Whether a move is one that is made for somebody late."""
    made = (game.rules.expire(state, moved.seat, seen=seen) for seen in (True, False))
    return moved.move in (it[1] for it in made if it)


def _note(
    mind: Mind[Any],
    game: Game[Any],
    books: dict[int, _Book],
    state: Any,
    n: int,
    seat: int,
    move: str,
) -> None:
    values = mind.values(state, seat)
    if values:
        worth = values.get(move, values.get(_chosen(game, state, seat, move)))
        books.setdefault(seat, _Book()).note(n, state, move, values, worth)


def _chosen(game: Game[Any], state: Any, seat: int, move: str) -> str:
    """The legal move that throws the same dice as one made for somebody late; empty without."""
    rules = game.rules
    thrown = rules.throw(state, seat, move)
    alike = (it for it in rules.legal(state, seat) if rules.throw(state, seat, it) == thrown)
    return next(alike, "") if thrown.sides else ""


def _parts(
    game: Game[Any], state: Any, seat: int, move: str, dice: tuple[int, ...]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A move; one made for somebody late that also threw dice for them as the two that it is."""
    rules = game.rules
    if dice and seat != HOUSE:
        legal = rules.legal(state, seat)
        only = legal[0] if len(legal) == 1 else ""
        if only and move not in legal and rules.throw(state, seat, only).sides:
            yield only, dice
            dice = ()
    yield move, dice


class _Book:
    """The moves of a seat so far."""

    def __init__(self) -> None:
        self._path: list[tuple[float, float]] = []
        self._decisions: list[Decision] = []
        self._late: Decision | None = None

    def note(
        self, n: int, state: Any, move: str, values: dict[str, float], worth: float | None
    ) -> None:
        """Notes a move that was made in `state`, where `values` had been possible.

        `worth` is None of a move for somebody late that nobody could have chosen.
        """
        expected, better = max(values.values()), best(values)
        self._settle(expected)
        if worth is None:  # it costs whatever it comes to
            self._late = Decision(n, move, better, expected, expected, state, values)
            return
        self._path.append((expected, worth))
        if len(values) > 1 or move not in values:
            self._decisions.append(Decision(n, move, better, expected, worth, state, values))

    def sheet(self, seat: int, unit: Unit, result: float) -> Sheet:
        """The sheet, once all is over."""
        self._settle(result)
        return Sheet(seat, unit, tuple(self._path), result, tuple(self._decisions))

    def _settle(self, worth: float) -> None:
        if self._late:
            self._decisions.append(replace(self._late, worth=worth))
            self._path.append((self._late.expected, worth))
            self._late = None
