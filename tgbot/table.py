"""A game as it stands: its row, its seats, and its state folded from its moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from games import registry
from games.game import Game, Phase

GRACE_S = 60
"""A phase's time runs at latest from this long after it began (RULES 0)."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One person in a game; `row` is their joining's row, `seat` is -1 before the start."""

    row: int
    user_id: int
    name: str
    seat: int
    left_at: int = 0
    place: int = 0
    coins: int = 0
    points: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """An immutable picture of one game; see `models.Game` for the columns.

    `sittings` are those in the lobby, or everybody of a running game in seat order. `n` is the
    number of moves folded into `state`.
    """

    id: str
    kind: str
    version: int
    chat_id: int
    topic: int
    status: str
    stake: int
    options: Mapping[str, Any]
    opener: int
    secret: bytes
    part: bytes
    opened_at: int
    began_at: int
    over_at: int
    shown: int
    due_at: int
    board: int
    painted: int
    scene: int
    message_id: int
    result: Mapping[str, Any]
    language: str
    sittings: tuple[Sitting, ...] = ()
    state: Any = None
    n: int = 0
    jackpot: Mapping[str, int] = field(default_factory=dict)
    invited: tuple[tuple[int, str], ...] = ()

    @property
    def game(self) -> Game[Any]:
        """The registered game it is."""
        return registry()[self.kind]

    @property
    def open(self) -> bool:
        """Whether it still takes moves."""
        return self.status in ("lobby", "running")

    @property
    def phase(self) -> Phase:
        """The running phase; of a lobby phase 0, of a finished game one past the last."""
        if self.status == "lobby":
            return Phase(0, 0, int(self.options["lobby_s"]), ())
        if self.state is None:
            return Phase(0, 1, 0, ())
        phase = self.game.rules.phase(self.state)
        if self.status == "running":
            return phase
        return Phase(phase.rev + 1, phase.scene + 1, 0, ())

    def sitting(self, user_id: int) -> Sitting | None:
        """The person's place at this table, also after leaving a running game."""
        return next((s for s in self.sittings if s.user_id == user_id), None)

    @property
    def pot(self) -> int:
        """The coins played for."""
        return self.stake * len(self.sittings)


def fold(game: Game[Any], state: Any, moves: list[tuple[int, str, str]]) -> Any:
    """The state after recorded moves `(seat, move, dice)`."""
    for seat, move, dice in moves:
        state = game.rules.play(state, seat, move, values(dice))
    return state


def values(dice: str) -> tuple[int, ...]:
    """The recorded values `4,2,6` as numbers."""
    return tuple(int(value) for value in dice.split(",")) if dice else ()
