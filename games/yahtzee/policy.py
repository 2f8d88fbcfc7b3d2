"""How a sensible person plays Yahtzee: every turn for itself, with what a box is usually worth.

A throw is worth what its best open box scores above that box's usual score. Within a turn the dice
kept are those with the highest mean worth, counted exactly over all throws that can follow.
"""

from __future__ import annotations

from functools import lru_cache

from games.game import Draw
from games.yahtzee import boxes
from games.yahtzee.boxes import BOXES, DICE, UPPER, Dice, Sheet
from games.yahtzee.keeps import AT, FACES, GROWN, HELD, KEEPS, PARTS, THROWN
from games.yahtzee.rules import THROWS, State

USUAL = (2.1, 5.3, 8.6, 12.2, 15.7, 19.2, 21.0, 19.0, 17.0, 12.0, 18.0, 24.0, 25.0, 14.0, 20.0)
"""What each box may be expected to bring, in the order of `BOXES`; found by playing."""
UPPER_WEIGHT = 1 + boxes.UPPER_BONUS / boxes.UPPER_GOAL
"""A point in an upper box is also a step towards the bonus."""
_NEVER = [-1000.0] * len(THROWN)


def greedy(state: State, seat: int, draw: Draw) -> str:
    """The throw or box with the highest mean worth for this turn; of equal throws the smallest."""
    if not state.dice:
        return "roll"
    sheet, at = state.players[seat].sheet, AT[tuple(sorted(state.dice))]
    worths = _turn(*_known(sheet))
    if state.thrown < THROWS:
        means = worths[THROWS - state.thrown - 1]
        kept = KEEPS[max(PARTS[at], key=means.__getitem__)]
        if len(kept) < DICE:
            return f"roll {_again(state.dice, kept)}"
    points = boxes.values(state.dice)
    still = (number for number, value in enumerate(sheet) if value is None)
    return f"score {BOXES[max(still, key=lambda box: above(box, points[box]))]}"


def _known(sheet: Sheet) -> tuple[tuple[int, ...], bool]:
    """The open boxes, and whether another Yahtzee brings its bonus."""
    still = tuple(number for number, value in enumerate(sheet) if value is None)
    return still, sheet[boxes.YAHTZEE] == boxes.FIVE_EQUAL


def above(box: int, points: int) -> float:
    """How far `points` in the box of that number lie above what it usually brings."""
    return points * (UPPER_WEIGHT if box < len(UPPER) else 1) - USUAL[box]


@lru_cache(maxsize=4096)
def _turn(still: tuple[int, ...], rich: bool) -> tuple[list[float], list[float]]:
    """The mean worth of each of `KEEPS` with one throw left, and with two."""
    columns = _worths()
    last = list(map(max, *(columns[box] for box in still), _NEVER))
    if rich:
        for face in FACES:
            last[AT[(face,) * DICE]] += boxes.YAHTZEE_BONUS
    one = _means(last)
    two = _means([max(map(one.__getitem__, parts)) for parts in PARTS])
    return one, two


def _means(worths: list[float]) -> list[float]:
    """The mean over all throws that complete each of `KEEPS`; `worths` is that of five dice."""
    found = worths + [0.0] * len(HELD)
    for at, grown in enumerate(GROWN, len(THROWN)):
        a, b, c, d, e, f = grown
        found[at] = (found[a] + found[b] + found[c] + found[d] + found[e] + found[f]) / 6
    return found


@lru_cache(maxsize=1)
def _worths() -> tuple[list[float], ...]:
    """For each box: how far every five dice score above what it usually brings."""
    points = [boxes.values(dice) for dice in THROWN]
    return tuple([above(box, values[box]) for values in points] for box in range(len(BOXES)))


def _again(dice: Dice, kept: Dice) -> str:
    """The places of the dice that are not among those kept."""
    left, places = list(kept), []
    for place, face in enumerate(dice, 1):
        if face in left:
            left.remove(face)
        else:
            places.append(str(place))
    return "".join(places)
