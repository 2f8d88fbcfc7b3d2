"""What the next throw makes likely (BOARDS): odds where dice are kept."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from games.game import Percent, Sides, Text, text
from games.yahtzee import boxes
from games.yahtzee.boxes import BOXES, DICE, Dice
from games.yahtzee.keeps import FACES
from games.yahtzee.rules import THROWS, State
from games.yahtzee.selection import kept_places, plan
from games.yahtzee.sheets import sheet_of

HOPED_FOR = BOXES[BOXES.index("three_of_a_kind") : BOXES.index("chance")]
"""Boxes that a throw either makes or not."""
MATTERS, MOST = 0.02, 2
"""Odds below this are none to play for; the best two fit on a line."""


def lines(state: State, selection: str) -> list[Text]:
    """What the dice that are kept, or would be by the plan, make likely; while throws are left."""
    if not state.dice or state.thrown == THROWS:
        return []
    found = odds(state, kept_places(state, selection) or plan(state))
    return [found] if found else []


def odds(state: State, places: tuple[int, ...]) -> Text | None:
    """How likely the next throw makes an open box where the dice at these places are kept, the best
    two of those not sure yet; None where no dice are, or nothing is worth telling."""
    if not places:
        return None
    kept = tuple(state.dice[place - 1] for place in places)
    still = {*boxes.open_boxes(sheet_of(state))}
    chances = zip(HOPED_FOR, _chances(tuple(sorted(kept))), strict=True)
    hopes = [(box, chance) for box, chance in chances if box in still and MATTERS <= chance < 1]
    if not hopes:
        return None
    likely = sorted(hopes, key=lambda hope: -hope[1])[:MOST]
    told = [
        text("yahtzee.odds.box", box=text(f"yahtzee.key.{box}"), chance=Percent(chance))
        for box, chance in likely
    ]
    return text("yahtzee.odds", number=DICE - len(kept), odds=Sides(tuple(told)))


@lru_cache(maxsize=256)
def _chances(kept: Dice) -> tuple[float, ...]:
    """For each of `HOPED_FOR`: how likely the dice not kept make it."""
    throws = [(*kept, *thrown) for thrown in product(FACES, repeat=DICE - len(kept))]
    columns = [BOXES.index(box) for box in HOPED_FOR]
    made = [boxes.values(throw) for throw in throws]
    return tuple(sum(values[at] > 0 for values in made) / len(throws) for at in columns)
