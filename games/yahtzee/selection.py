"""What one keeps of a throw: a selection in text form, and the move that it becomes.

A selection is the places of the dice to keep, `24`, or `0` for none, and after them which second
keyboard is open. Where nothing was selected yet, the dice kept with the throw before stay kept.
"""

from __future__ import annotations

from collections import Counter

from games.yahtzee import boxes
from games.yahtzee.boxes import Dice
from games.yahtzee.rules import ALL, THROWS, State
from games.yahtzee.sheets import sheet_of

CROSS, ALL_BOXES = "x", "b"
"""Which second keyboard is open; follows the dice of a selection."""


def dice_of(selection: str) -> str:
    """The dice of a selection, without the keyboard that is open."""
    return selection.rstrip(CROSS + ALL_BOXES)


def kept_places(state: State, selection: str) -> tuple[int, ...]:
    """The places of the dice that stay."""
    dice = dice_of(selection)
    return tuple(int(place) for place in dice if place != "0") if dice else state.held


def again(state: State, kept: tuple[int, ...]) -> str:
    """The move that throws all but the dice at these places; empty where all are kept."""
    if not state.thrown:
        return "roll"
    thrown = "".join(str(place) for place in ALL if place not in kept)
    return f"roll {thrown}" if thrown else ""


def plan(state: State) -> tuple[int, ...]:
    """The places of the dice that nearly everyone would keep; empty where that is no question.

    Three or more equal ones; four in a row while a straight is open; two pairs while they have a
    box; else a pair, the higher one.
    """
    if not state.dice or state.thrown == THROWS:
        return ()
    counts = Counter(state.dice)
    still = boxes.open_boxes(sheet_of(state))
    most = max(counts.values())
    wanted: set[int] = set()
    if most >= 3:
        wanted = {face for face, count in counts.items() if count == most}
    elif run := _run(state.dice) if {"short_straight", "long_straight"} & {*still} else ():
        places = {face: place for place, face in enumerate(state.dice, 1) if face in run}
        return tuple(sorted(places.values()))
    elif most == 2:
        pairs = {face for face, count in counts.items() if count == 2}
        wanted = pairs if {"two_pairs", "full_house"} & {*still} else {max(pairs)}
    found = tuple(place for place, face in enumerate(state.dice, 1) if face in wanted)
    return found if len(found) < len(ALL) else ()


def _run(dice: Dice) -> tuple[int, ...]:
    """Four faces in a row, the highest there are; none in a long straight, which is made."""
    runs = [range(low, low + 4) for low in (3, 2, 1)]
    found = next((tuple(run) for run in runs if {*run} <= {*dice}), ())
    return found if len({*dice}) < 5 or boxes.value("long_straight", dice) == 0 else ()
