"""The buttons under a board of Yahtzee (BOARDS): the plan, the dice, boxes, and what opens more."""

from __future__ import annotations

from games.game import Button, text
from games.yahtzee import boxes
from games.yahtzee.boxes import BOXES, Dice
from games.yahtzee.policy import above
from games.yahtzee.rules import ALL, THROWS, State
from games.yahtzee.selection import ALL_BOXES, CROSS, kept_places, plan
from games.yahtzee.sheets import sheet_of
from games.yahtzee.wording import digits

SHOWN_BOXES = 3
"""How many boxes stand on the board itself, the best ones; the others open in its place."""
KEYS_IN_A_ROW = 3


def keys(state: State, selection: str) -> tuple[tuple[Button, ...], ...]:
    """The plan, the dice, the best boxes, and what opens in their place."""
    kept = kept_places(state, selection)
    if not state.thrown:
        return ((Button(text("yahtzee.key.roll", n=len(ALL) - len(kept)), "roll", "success"),),)
    menu = selection[-1:] if selection[-1:] in (CROSS, ALL_BOXES) else ""
    scoring, crossing = _boxes(state)
    if menu or not (scoring or state.thrown < THROWS):
        shown = scoring if menu == ALL_BOXES else crossing
        rows = _rows(state, [_box_key(state, box) for box in shown])
        return (*rows, (_opens("back"),)) if menu else rows
    best = sorted(_best(state, scoring), key=BOXES.index)
    opens = [
        *([_opens("boxes")] if len(scoring) > len(best) else []),
        Button(text("yahtzee.key.sheet"), "sheet"),
        *([_opens("cross")] if crossing else []),
    ]
    found = [*_rows(state, [_box_key(state, box) for box in best]), tuple(opens)]
    if state.thrown < THROWS:
        throws = _throw_keys(state, kept)
        found = [*([throws] if throws else []), _dice_keys(state.dice, kept), *found]
    return tuple(row for row in found if row)


def _throw_keys(state: State, kept: tuple[int, ...]) -> tuple[Button, ...]:
    """What is kept and thrown by one press: one's own choice, the plan, or all five."""
    planned = plan(state)
    keys = []
    if kept and len(kept) < len(ALL):
        keys.append(_keep_key(state, kept, "roll"))
    if planned and planned != kept:
        keys.append(_keep_key(state, planned, "plan"))
    if not kept:
        keys.append(Button(text("yahtzee.key.all"), "roll"))
    elif len(keys) < 2:
        keys.append(Button(text("yahtzee.key.all"), "all"))
    return tuple(keys)


def _keep_key(state: State, places: tuple[int, ...], code: str) -> Button:
    shown = digits(tuple(state.dice[place - 1] for place in places))
    label = text("yahtzee.key.keep", dice=shown, number=len(ALL) - len(places))
    return Button(label, code, "success")


def _dice_keys(dice: Dice, kept: tuple[int, ...]) -> tuple[Button, ...]:
    return tuple(
        Button(text("yahtzee.key.kept", face=face), f"t{place}", "primary")
        if place in kept
        else Button(text("yahtzee.key.die", face=face), f"k{place}")
        for place, face in enumerate(dice, 1)
    )


def _boxes(state: State) -> tuple[list[str], list[str]]:
    """The open boxes that would bring something now, and those that would be crossed out."""
    sheet = sheet_of(state)
    extra = boxes.bonus(sheet, state.dice)
    still = boxes.open_boxes(sheet)
    scoring = [box for box in still if boxes.value(box, state.dice) + extra]
    return scoring, [box for box in still if box not in scoring]


def _best(state: State, scoring: list[str]) -> list[str]:
    """The boxes that bring most beyond what they usually do."""
    points = boxes.values(state.dice)

    def lead(box: str) -> float:
        return above(BOXES.index(box), points[BOXES.index(box)])

    return sorted(scoring, key=lead, reverse=True)[:SHOWN_BOXES]


def _box_key(state: State, box: str) -> Button:
    value = boxes.value(box, state.dice)
    extra = boxes.bonus(sheet_of(state), state.dice)
    key = "yahtzee.key.box" if value + extra else "yahtzee.key.zero"
    return Button(text(key, box=text(f"yahtzee.key.{box}"), value=value + extra), box)


def _rows(state: State, buttons: list[Button]) -> tuple[tuple[Button, ...], ...]:
    """Boxes in rows; values of three digits need more room."""
    wide = boxes.bonus(sheet_of(state), state.dice)
    size = KEYS_IN_A_ROW - 1 if wide else KEYS_IN_A_ROW
    return tuple(tuple(buttons[i : i + size]) for i in range(0, len(buttons), size))


def _opens(code: str) -> Button:
    return Button(text(f"yahtzee.key.{code}"), code)
