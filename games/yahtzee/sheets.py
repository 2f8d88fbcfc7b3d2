"""Score sheets: all of a game beside each other, or one's own in few words."""

from __future__ import annotations

from collections.abc import Iterable

from games.game import Grid, Name, Sides, Text, text
from games.yahtzee import boxes, rules
from games.yahtzee.boxes import BOXES, LOWER, UPPER, Sheet
from games.yahtzee.rules import State
from games.yahtzee.wording import box_name

OPEN = "·"
"""Stands in a box that is not filled."""


def every(state: State) -> Grid:
    """Every sheet, a column each in the order of the seats, with the sums."""
    players = state.players
    names = ("", *(Name(seat) for seat in range(len(players))))
    filled = [
        (box_name(box), *_cells(player.sheet[at] for player in players))
        for at, box in enumerate(BOXES)
    ]
    bonus = (text("yahtzee.bonus"), *(boxes.upper_bonus(player.sheet) for player in players))
    extra = (text("yahtzee.extra"), *(player.extra for player in players))
    total = (text("yahtzee.total"), *(player.total for player in players))
    return Grid((names, *filled[: len(UPPER)], bonus, *filled[len(UPPER) :], extra, total))


def sheet_of(state: State) -> Sheet:
    """The sheet of whoever's turn it is."""
    assert state.turn is not None
    return state.players[state.turn].sheet


def in_short(state: State, seat: int) -> Text:
    """One's own sheet in few words, for an answer that holds 200 characters."""
    rules.require_seat(state, seat)
    player = state.players[seat]
    shown = [OPEN if value is None else str(value) for value in player.sheet]
    upper = "  ".join(f"{face}: {value}" for face, value in enumerate(shown[: len(UPPER)], 1))
    lower = [
        text("yahtzee.mine.box", box=text(f"yahtzee.short.{box}"), value=value)
        for box, value in zip(LOWER, shown[len(UPPER) :], strict=True)
    ]
    return text(
        "yahtzee.mine",
        upper=upper,
        sum=boxes.upper(player.sheet),
        goal=boxes.UPPER_GOAL,
        first=Sides(tuple(lower[:5])),
        second=Sides(tuple(lower[5:])),
        total=player.total,
    )


def _cells(values: Iterable[int | None]) -> tuple[int | str, ...]:
    return tuple(OPEN if value is None else value for value in values)
