"""The daily (RULES 9): one game a day, played alone, with the same dice for everyone.

A day is sealed as a game is (see `fairness`), under the id `daily-2026-12-01`. Everybody's attempt
is a game of one seat without a charm. What differs is the number of a move, which dice and proofs
go by: it is not its place but says where in the game it is made, so that whoever comes to the same
throw gets the same dice, whatever they did before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from games.game import Board

S = TypeVar("S")

_ID = re.compile(r"daily-[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True)
class Daily(Generic[S]):
    """What a game has that is the daily, which only one of all can be.

    `number(state, move)` is the number of a move: it grows from one to the next, and is the same
    for everybody at that throw. `board(state, seat, selection)` is what its player sees,
    `turn(state)` how many turns are over. `levels(state)` says of each turn how well it went,
    from 0 to 3, the best first and without a word of dice.
    """

    number: Callable[[S, str], int]
    board: Callable[[S, int, str], Board]
    turn: Callable[[S], int]
    levels: Callable[[S], tuple[int, ...]]


def sealed_as(day: str) -> str:
    """The id under which a day, `2026-12-01`, is sealed."""
    return f"daily-{day}"


def is_daily(game_id: str) -> bool:
    """Whether that is the id of a day."""
    return _ID.fullmatch(game_id) is not None
