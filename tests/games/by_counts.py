"""What dice are worth, said a second time: by how often each face lies, without combinations.

Shares nothing with `games.setaside`: there combinations are put together until dice are used up,
here every face is asked on its own what its dice are worth, and six dice once more as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

FACES = "123456"

Worth = Callable[[str], int | None]
"""The points of dice that are all used, at their best; None if one is not."""


def of_a_face(face: int, count: int) -> int | None:
    """`count` dice of one face: as single dice, or as three equal ones that double from four on."""
    single = {1: 100, 5: 50}.get(face)
    ways = [] if single is None else [single * count]
    if count >= 3:
        three = 1000 if face == 1 else 100 * face
        ways.append(three * 2 ** (count - 3))
        if single is not None:
            ways += [three * 2 ** (n - 3) + single * (count - n) for n in range(3, count)]
        if count == 6:
            ways.append(three + three)
    return max(ways, default=None)


def by_faces(dice: str) -> int | None:
    """Dice of every face on their own."""
    points = [of_a_face(int(face), dice.count(face)) for face in {*dice}]
    return sum(points) if points and None not in points else None


def zilch(dice: str) -> int | None:
    """RULES 3."""
    counts = sorted(dice.count(face) for face in {*dice})
    ways = [by_faces(dice)]
    if len(dice) == 6:
        three_pairs = counts in ([2, 2, 2], [2, 4])
        nothing = not {"1", "5"} & {*dice} and max(counts) < 3 and not three_pairs
        if len({*dice}) == 6 or three_pairs:
            ways.append(1500)
        elif nothing:
            ways.append(500)
    return max((points for points in ways if points is not None), default=None)


def farkle(dice: str) -> int | None:
    """RULES 4."""
    return 2000 if len({*dice}) == 6 else by_faces(dice)


def every_throw(size: int) -> Iterator[str]:
    """All throws of so many dice, as they lie."""
    return map("".join, product(FACES, repeat=size))


def subsets(throw: str) -> Iterator[str]:
    """Every choice of dice of a throw, sorted; equal dice are told apart."""
    for taken in product((False, True), repeat=len(throw)):
        if any(taken):
            yield "".join(sorted(die for die, take in zip(throw, taken, strict=True) if take))


def document(throw: str, worth: Worth) -> dict[str, Any]:
    """What `dicehall score` has to say of a throw."""
    found = {dice: worth(dice) for dice in subsets(throw)}
    legal = {dice: points for dice, points in found.items() if points is not None}
    best = max(legal.values(), default=0)
    (dice,) = [dice for dice, points in legal.items() if points == best] or [""]
    return {
        "throw": throw,
        "bust": not legal,
        "best": {"dice": dice, "points": best},
        "set_asides": [
            {"dice": dice, "points": legal[dice]}
            for dice in sorted(legal, key=lambda d: (len(d), d))
        ],
    }
