"""The 15 boxes of a Yahtzee sheet and what a throw scores in them (RULES 2)."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from games.game import Refusal

Dice = tuple[int, ...]
Sheet = tuple[int | None, ...]
"""One value for each of `BOXES`, None where the box is still open."""

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = (
    "one_pair",
    "two_pairs",
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "short_straight",
    "long_straight",
    "yahtzee",
    "chance",
)
BOXES = UPPER + LOWER
EMPTY: Sheet = (None,) * len(BOXES)
YAHTZEE = BOXES.index("yahtzee")

DICE = 5
FULL_HOUSE, SHORT_STRAIGHT, LONG_STRAIGHT, FIVE_EQUAL = 25, 30, 40, 50
UPPER_GOAL, UPPER_BONUS = 63, 35
YAHTZEE_BONUS = 100

_THROW = re.compile(r"[1-6]{5}", re.ASCII)


def values(dice: Dice) -> tuple[int, ...]:
    """What five dice score in each of `BOXES`, in its order."""
    return _values(tuple(sorted(dice)))


def value(box: str, dice: Dice) -> int:
    """What five dice score in one box."""
    return values(dice)[BOXES.index(box)]


def is_yahtzee(dice: Dice) -> bool:
    """Whether all five dice are equal."""
    return len(dice) == DICE and len({*dice}) == 1


def bonus(sheet: Sheet, dice: Dice) -> int:
    """The 100 for a Yahtzee after one that scored 50, whichever box it is scored in; else 0."""
    return YAHTZEE_BONUS if is_yahtzee(dice) and sheet[YAHTZEE] == FIVE_EQUAL else 0


def open_boxes(sheet: Sheet) -> tuple[str, ...]:
    """The boxes not scored yet."""
    return tuple(box for box, scored in zip(BOXES, sheet, strict=True) if scored is None)


def best(sheet: Sheet, dice: Dice) -> str:
    """The open box with the highest value for five dice; of equal ones the first in the table."""
    return max(open_boxes(sheet), key=lambda box: value(box, dice))


def upper(sheet: Sheet) -> int:
    """The sum of the upper boxes, without the bonus."""
    return sum(scored or 0 for scored in sheet[: len(UPPER)])


def upper_bonus(sheet: Sheet) -> int:
    """The 35 for upper boxes that bring at least 63; else 0."""
    return UPPER_BONUS if upper(sheet) >= UPPER_GOAL else 0


def score(throw: str) -> dict[str, Any]:
    """The throw and its value in every box. Raises `Refusal` unless it is five digits 1 to 6."""
    if not _THROW.fullmatch(throw):
        raise Refusal("yahtzee.refused.throw", throw=throw[:20])
    dice = tuple(map(int, throw))
    return {"throw": throw, "boxes": dict(zip(BOXES, values(dice), strict=True))}


@lru_cache(maxsize=252)
def _values(dice: Dice) -> tuple[int, ...]:
    counts = Counter(dice)
    most = sorted(counts.values(), reverse=True)
    total, run = sum(dice), _longest_run(dice)
    pairs = sum(count // 2 for count in most)
    lower = (
        total * (most[0] >= 2),
        total * (pairs >= 2),
        total * (most[0] >= 3),
        total * (most[0] >= 4),
        FULL_HOUSE * (most == [3, 2]),
        SHORT_STRAIGHT * (run >= 4),
        LONG_STRAIGHT * (run == 5),
        FIVE_EQUAL * (most[0] == 5),
        total,
    )
    return (*(face * counts[face] for face in range(1, 7)), *lower)


def _longest_run(dice: Dice) -> int:
    longest = run = 0
    for face in range(1, 7):
        run = run + 1 if face in dice else 0
        longest = max(longest, run)
    return longest
