"""Every set of dice one can hold in a turn of Yahtzee, and what a throw makes of it."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

from games.yahtzee.boxes import DICE, Dice

FACES = range(1, 7)

KEEPS: tuple[Dice, ...] = tuple(
    kept for size in range(DICE, -1, -1) for kept in combinations_with_replacement(FACES, size)
)
"""Every set of dice one can hold, sorted, five dice first: 462."""
AT = {kept: number for number, kept in enumerate(KEEPS)}
"""The number of each of `KEEPS`."""
THROWN = tuple(kept for kept in KEEPS if len(kept) == DICE)
"""Those of five dice: 252."""
HELD = KEEPS[len(THROWN) :]
"""Those of fewer."""
GROWN = tuple(tuple(AT[tuple(sorted((*kept, face)))] for face in FACES) for kept in HELD)
"""For every one of `HELD`: what one die more makes of it, by its face."""
PARTS = tuple(
    tuple(sorted({AT[part] for size in range(DICE + 1) for part in combinations(dice, size)}))
    for dice in THROWN
)
"""For every five dice: the sets that can be kept of them."""
