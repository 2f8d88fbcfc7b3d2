"""What every move of Yahtzee is worth (RULES 8): the total one reaches on average, exactly.

What others do changes nothing for one's own total, so a sheet alone is a game. What its further
points are worth depends on which boxes are open, on the sum of the upper ones and on whether
Yahtzee stands at 50. Sums of which it is sure that they reach the bonus, or that they never will,
are one. The table has a row for every set of open lower boxes and the three states of Yahtzee, and
a column for every set of open upper boxes and their sum. A sheet is solved from those with one box
more filled; a turn from its end, over the 462 sets of dice one can hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games import mind
from games.game import Policy
from games.yahtzee import boxes, rules
from games.yahtzee.boxes import BOXES, DICE, UPPER, UPPER_GOAL, Dice, Sheet
from games.yahtzee.keeps import AT, FACES, GROWN, KEEPS, THROWN
from games.yahtzee.rules import THROWS, State

Floats = NDArray[np.float64]
Numbers = NDArray[Any]

UNIT: mind.Unit = "points"
POLICIES: Mapping[str, Policy[State]] = {}

_UPPER = range(len(UPPER))
_OTHERS = tuple(box for box in range(len(UPPER), len(BOXES)) if box != boxes.YAHTZEE)
"""The lower boxes without Yahtzee."""
_OPEN, _CROSSED, _FIFTY = range(3)
"""The states of the box Yahtzee."""
_CHECKED, _AT_ONCE, _NEAR = 97, 100, 1e-3
"""Every so many rows of a table are recomputed, of as many columns at most, and how near to that
they must lie."""


# -- sheets -------------------------------------------------------------------------------------


def _row(others: int, yahtzee: int) -> int:
    """The row of a set of open lower boxes, as bits over `_OTHERS`, and the state of Yahtzee."""
    return 3 * others + yahtzee


ROWS = 3 << len(_OTHERS)


class _Column(NamedTuple):
    """The open upper boxes as bits, and a sum that stands for all with the same worth."""

    still: int
    total: int


def _columns() -> tuple[tuple[_Column, ...], dict[_Column, int]]:
    """All columns, those with fewer open boxes first, and the number of each set and sum."""
    found: list[_Column] = []
    numbers: dict[_Column, int] = {}
    for still in sorted(range(1 << len(UPPER)), key=lambda bits: (bits.bit_count(), bits)):
        sums = {0}
        for box in _UPPER:
            if not still >> box & 1:
                sums = {total + (box + 1) * count for total in sums for count in range(DICE + 1)}
        most = sum(DICE * (box + 1) for box in _UPPER if still >> box & 1)
        merged: dict[object, int] = {}
        for total in sorted(sums):
            made, hopeless = total >= UPPER_GOAL, total + most < UPPER_GOAL
            key = "made" if made else "hopeless" if hopeless else total
            if key not in merged:
                merged[key] = len(found)
                found.append(_Column(still, total))
            numbers[_Column(still, total)] = merged[key]
    return tuple(found), numbers


_COLUMNS, _COLUMN_AT = _columns()


def _groups() -> tuple[slice, ...]:
    """The columns by how many upper boxes are open, from none to all six."""
    sizes = [column.still.bit_count() for column in _COLUMNS]
    return tuple(
        slice(sizes.index(size), sizes.index(size) + sizes.count(size))
        for size in range(len(UPPER) + 1)
    )


_GROUPS = _groups()


def _filled() -> tuple[NDArray[np.int16], Floats]:
    """By upper box, how many of its face, and column: the column after, and the points it brings.

    A box that is not open brings minus infinity.
    """
    after = np.zeros((len(UPPER), DICE + 1, len(_COLUMNS)), np.int16)
    points = np.full(after.shape, -np.inf)
    for column, (still, total) in enumerate(_COLUMNS):
        for box in (box for box in _UPPER if still >> box & 1):
            for count in range(DICE + 1):
                more = (box + 1) * count
                crossed = total < UPPER_GOAL <= total + more
                after[box, count, column] = _COLUMN_AT[_Column(still ^ 1 << box, total + more)]
                points[box, count, column] = more + boxes.UPPER_BONUS * crossed
    return after, points


_AFTER, _BRINGS = _filled()


def _place(sheet: Sheet) -> tuple[int, int]:
    """The row and the column of a sheet."""
    others = sum(1 << at for at, box in enumerate(_OTHERS) if sheet[box] is None)
    scored = sheet[boxes.YAHTZEE]
    yahtzee = _OPEN if scored is None else _FIFTY if scored else _CROSSED
    still = sum(1 << box for box in _UPPER if sheet[box] is None)
    return _row(others, yahtzee), _COLUMN_AT[_Column(still, boxes.upper(sheet))]


# -- dice ---------------------------------------------------------------------------------------

_POINTS = np.array([boxes.values(dice) for dice in THROWN], np.float64)
_COUNTS = np.array([[dice.count(face) for face in FACES] for dice in THROWN])
_TOTAL = _COUNTS @ np.array(FACES, np.float64)
_FIVES = np.array([AT[(face,) * DICE] for face in FACES])
_CHANCE = (
    np.array([factorial(DICE) / prod(map(factorial, Counter(dice).values())) for dice in THROWN])
    / len(FACES) ** DICE
)

_BY_SUM = tuple(
    box for box in _OTHERS if ((_POINTS[:, box] == _TOTAL) | (_POINTS[:, box] == 0)).all()
)
"""The lower boxes that score the sum of all dice, or nothing; the others score a fixed value."""


def _patterns() -> tuple[Numbers, NDArray[np.intp]]:
    """What dice can do in the lower boxes, each pattern once, and which one every throw is.

    A pattern has for each box 1 where it scores the sum, else the fixed points.
    """
    lower = _POINTS[:, len(UPPER) :].copy()
    for box in _BY_SUM:
        lower[:, box - len(UPPER)] = _POINTS[:, box] > 0
    patterns, which = np.unique(lower, axis=0, return_inverse=True)
    return patterns, which.reshape(-1)


_PATTERNS, _PATTERN = _patterns()


def _levels() -> list[tuple[slice, NDArray[np.intp]]]:
    """`HELD` by size, four dice first: which of `KEEPS`, and what one die more makes of them."""
    sizes = [len(kept) for kept in KEEPS]
    levels = []
    for size in range(DICE - 1, -1, -1):
        begin, count = sizes.index(size), sizes.count(size)
        grown = GROWN[begin - len(THROWN) : begin - len(THROWN) + count]
        levels.append((slice(begin, begin + count), np.array(grown)))
    return levels


_LEVELS = _levels()


def _fewer() -> list[tuple[slice, NDArray[np.intp]]]:
    """Sets by size, one die first: which of `KEEPS`, and what is left with one die less."""
    sizes = [len(kept) for kept in KEEPS]
    levels = []
    for size in range(1, DICE + 1):
        begin, count = sizes.index(size), sizes.count(size)
        less = [
            [AT[kept[:at] + kept[at + 1 :]] for at in range(size)]
            for kept in KEEPS[begin : begin + count]
        ]
        levels.append((slice(begin, begin + count), np.array(less)))
    return levels


_FEWER = _fewer()


def _means(worths: Floats) -> Floats:
    """The mean over all throws that complete each of `KEEPS` (462, n), from that of `THROWN`."""
    found = np.empty((len(KEEPS), worths.shape[1]))
    found[: len(THROWN)] = worths
    for level, grown in _LEVELS:
        total = found[grown[:, 0]]
        for face in range(1, len(FACES)):
            total += found[grown[:, face]]
        np.divide(total, len(FACES), out=found[level])
    return found


def _bests(means: Floats) -> Floats:
    """The best set to keep of every five dice (252, n), from what each of `KEEPS` is worth."""
    found = means.copy()
    for level, less in _FEWER:
        best = found[level]
        for at in range(less.shape[1]):
            np.maximum(best, found[less[:, at]], out=best)
    return found[: len(THROWN)]


# -- turns --------------------------------------------------------------------------------------


def _last(table: Floats, row: int, columns: slice) -> Floats:
    """What every five dice are worth (252, n) when they must be scored."""
    others, yahtzee = divmod(row, 3)
    now = columns.stop - columns.start
    summed = np.full((len(_PATTERNS), now), -np.inf)
    fixed = summed.copy()
    for at, box in enumerate(_OTHERS):
        if others >> at & 1:
            after = table[_row(others ^ 1 << at, yahtzee), columns]
            points = _PATTERNS[:, box - len(UPPER)]
            if box in _BY_SUM:
                scores = points > 0
                summed[scores] = np.maximum(summed[scores], after)
                fixed[~scores] = np.maximum(fixed[~scores], after)
            else:
                np.maximum(fixed, points[:, None] + after, out=fixed)
    if yahtzee == _OPEN:
        points = _PATTERNS[:, boxes.YAHTZEE - len(UPPER)]
        crossed, fifty = (table[_row(others, to), columns] for to in (_CROSSED, _FIFTY))
        worth = points[:, None] + np.where(points[:, None] > 0, fifty, crossed)
        np.maximum(fixed, worth, out=fixed)
    worths = summed[_PATTERN]
    worths += _TOTAL[:, None]
    np.maximum(worths, fixed[_PATTERN], out=worths)
    for box in _UPPER:
        brings = _BRINGS[box, :, columns]
        if np.isfinite(brings[0]).any():
            scored = table[row][_AFTER[box, :, columns]] + brings
            np.maximum(worths, scored[_COUNTS[:, box]], out=worths)
    if yahtzee == _FIFTY:
        worths[_FIVES] += boxes.YAHTZEE_BONUS
    return worths


class _Turn(NamedTuple):
    """A turn of `n` sheets: what each of `KEEPS` is worth (462, n) with one and with two throws to
    come, and the turn before its first throw (n)."""

    one: Floats
    two: Floats
    start: Floats


def _turn(table: Floats, row: int, columns: slice) -> _Turn:
    one = _means(_last(table, row, columns))
    two = _means(_bests(one))
    return _Turn(one, two, _CHANCE @ _bests(two))


# -- the table ----------------------------------------------------------------------------------


def solve() -> NDArray[np.float32]:
    """The worth of every sheet before a turn: the further points it brings on average.

    Some twenty seconds of one processor, worked out in 64 bits and rounded once at the end.
    """
    table = np.zeros((ROWS, len(_COLUMNS)))
    for row in sorted(range(ROWS), key=_still):
        solve_row(table, row)
    return table.astype(np.float32)


def solve_row(table: Floats, row: int) -> None:
    """Works out one row of the table from those with one lower box more filled."""
    for columns in _GROUPS[_still(row) == 0 :]:
        table[row, columns] = _turn(table, row, columns).start


def _still(row: int) -> int:
    """How many lower boxes are open in a row."""
    others, yahtzee = divmod(row, 3)
    return others.bit_count() + (yahtzee == _OPEN)


def _check(table: Numbers) -> None:
    """Raises ValueError unless rows from the whole table follow from the others."""
    _cached.cache_clear()  # of an earlier table
    if not all(np.isfinite(row).all() for row in table):
        raise ValueError("numbers that are none")
    for row in range(_row(0, _OPEN), ROWS, _CHECKED):
        for group in _GROUPS[:1] + _GROUPS[-2:] if _still(row) else _GROUPS[-1:]:
            columns = slice(group.start, min(group.stop, group.start + _AT_ONCE))
            worths = _turn(table, row, columns).start
            if np.abs(worths - table[row, columns]).max() > _NEAR:
                raise ValueError(f"row {row} does not follow from the others")


TABLE: mind.Table | None = mind.Table(
    "yahtzee", rules.VERSION, (ROWS, len(_COLUMNS)), solve, _check
)


# -- what moves are worth -----------------------------------------------------------------------


def values(state: State, seat: int) -> dict[str, float]:
    """The total on average after each legal move of `seat`."""
    moves = rules.legal(state, seat)
    if not moves:
        return {}
    player = state.players[seat]
    if not state.dice:
        return {"roll": player.total + float(_cached(*_place(player.sheet)).start[0])}
    scores = _scores(player.sheet, state.dice)
    again = _again(player.sheet, state.dice, state.thrown)
    return {
        move: player.total + (scores[what] if do == "score" else again(what))
        for move in moves
        for do, _, what in [move.partition(" ")]
    }


def result(state: State, seat: int) -> float:
    """The total of `seat`."""
    return float(state.players[seat].total)


def worth(sheet: Sheet) -> float:
    """The further points that a sheet brings on average, before a turn."""
    return float(_numbers()[_place(sheet)])


def _numbers() -> Numbers:
    assert TABLE
    numbers: Numbers = TABLE.numbers
    return numbers


@lru_cache(maxsize=128)
def _cached(row: int, column: int) -> _Turn:
    return _turn(_numbers(), row, slice(column, column + 1))


def _scores(sheet: Sheet, dice: Dice) -> dict[str, float]:
    """For every open box: the further points on average once the dice are scored in it."""
    bonus, before = boxes.bonus(sheet, dice), boxes.upper_bonus(sheet)
    found = {}
    for at, (box, value) in enumerate(zip(BOXES, boxes.values(dice), strict=True)):
        if sheet[at] is None:
            after = (*sheet[:at], value, *sheet[at + 1 :])
            found[box] = value + bonus + boxes.upper_bonus(after) - before + worth(after)
    return found


def _again(sheet: Sheet, dice: Dice, thrown: int) -> Callable[[str], float]:
    """What it brings on average to throw the dice at these places again."""
    turn = _cached(*_place(sheet))
    means = turn.one if thrown == THROWS - 1 else turn.two

    def worth_of(places: str) -> float:
        kept = sorted(face for at, face in enumerate(dice, 1) if str(at) not in places)
        return float(means[AT[tuple(kept)], 0])

    return worth_of
