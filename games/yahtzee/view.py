"""What people see of Yahtzee (BOARDS.md) and how their presses become moves.

A selection is the places of the dice to keep, `24`, or `0` for none. Where nothing was selected
yet, the dice kept with the throw before stay kept.
"""

from __future__ import annotations

import re
from itertools import chain

from games.game import (
    Action,
    Board,
    Button,
    Grid,
    Move,
    Name,
    Refusal,
    Select,
    Text,
    Until,
    text,
)
from games.yahtzee import boxes, rules
from games.yahtzee.boxes import BOXES, LOWER, UPPER, Dice, Sheet
from games.yahtzee.commands import command as command
from games.yahtzee.rules import ALL, THROWS, Player, State, Turn
from games.yahtzee.wording import box_name, digits, faces, moved, worth

KEYS_IN_A_ROW = 2
OPEN = "·"
TURN = ">"

_TOGGLE = re.compile(r"([kt])([1-5])", re.ASCII)


def board(state: State, selection: str = "") -> Board:
    """The sheets and the dice of the one whose turn it is; once it is over, the final sheets."""
    sheets = text("yahtzee.sheets", grid=_sheets(state))
    if state.turn is None:
        ranked = [*chain(*rules.ranking(state))]
        gone = [seat for seat in range(len(state.players)) if seat not in ranked]
        return Board((*(_standing(state, seat) for seat in ranked + gone), sheets))
    head = text("yahtzee.head", name=Name(state.turn), round=state.round, ends=Until())
    standings = [_standing(state, seat) for seat in range(len(state.players))]
    upper = _upper(state.players[state.turn].sheet)
    lines = (head, *standings, sheets, upper, _dice_line(state))
    return Board(lines, _keys(state, _kept(state, selection)))


def past(state: State, scene: int) -> tuple[Text, ...]:
    """What a turn brought."""
    if scene > len(state.turns):
        return (text("yahtzee.past.open"),)
    turn = state.turns[scene - 1]
    if not turn.box:
        return (text("yahtzee.past.left", name=Name(turn.seat)),)
    key = "yahtzee.past.out" if turn.out else "yahtzee.past.late" if turn.late else None
    return (
        text(
            key or "yahtzee.past.scored",
            name=Name(turn.seat),
            value=worth(turn.value, turn.bonus),
            box=box_name(turn.box),
            dice=digits(turn.dice),
        ),
    )


def press(state: State, seat: int, selection: str, code: str) -> Action:
    """`k3` keeps die 3, `t3` throws it, `roll` throws those not kept, a box's name scores it."""
    rules.require_turn(state, seat)
    kept = _kept(state, selection)
    if code == "roll":
        return Move(_roll(state, seat, kept))
    if code in BOXES:
        return moved(state, seat, f"score {code}")
    toggle = _TOGGLE.fullmatch(code)
    if not toggle:
        raise Refusal("refused.stale")
    rules.throw(state, seat, "roll 0")
    place = int(toggle[2])
    kept = tuple(sorted({*kept, place} if toggle[1] == "k" else {*kept} - {place}))
    return Select("".join(map(str, kept)) or "0", _selected(state, kept), shown=True)


def thrown(before: State, after: State, seat: int) -> Text:
    """What the move brought: the dice as they lie now, or the points and the new total."""
    if len(after.players) > len(before.players):
        return text("yahtzee.joined")
    if after.players[seat].gone and len(after.turns) == len(before.turns):
        return text("yahtzee.left")
    if len(after.turns) == len(before.turns):
        left = THROWS - after.thrown
        key = "yahtzee.threw" if left else "yahtzee.threw_last"
        return text(key, dice=digits(after.dice), faces=faces(after.dice), n=left)
    turn = after.turns[-1]
    if not turn.box:
        return text("yahtzee.left")
    return _scored(turn, after.players[seat])


# -- inside -----------------------------------------------------------------------------------


def _scored(turn: Turn, player: Player) -> Text:
    how = "out" if turn.out else "late" if turn.late else "scored"
    return text(
        f"yahtzee.{how}",
        box=box_name(turn.box),
        value=worth(turn.value, turn.bonus),
        dice=digits(turn.dice),
        total=player.total,
    )


def _kept(state: State, selection: str) -> tuple[int, ...]:
    if not selection:
        return state.held
    return tuple(int(place) for place in selection if place != "0")


def _roll(state: State, seat: int, kept: tuple[int, ...]) -> str:
    if not state.thrown:
        return "roll"
    rules.throw(state, seat, "roll 0")
    again = "".join(str(place) for place in ALL if place not in kept)
    if not again:
        raise Refusal("yahtzee.refused.all_kept")
    return f"roll {again}"


def _selected(state: State, kept: tuple[int, ...]) -> Text:
    if len(kept) == len(ALL):
        return text("yahtzee.selected_all", kept=digits(state.dice))
    shown = digits(tuple(state.dice[place - 1] for place in kept)) or "–"
    return text("yahtzee.selected", kept=shown, n=len(ALL) - len(kept))


def _standing(state: State, seat: int) -> Text:
    player, name = state.players[seat], Name(seat)
    if player.gone:
        out = player.late == rules.MOST_LATE
        return text("yahtzee.line.out" if out else "yahtzee.line.gone", name=name)
    key = "yahtzee.line.turn" if seat == state.turn else "yahtzee.line.player"
    extra = f" (+{player.extra})" if player.extra else ""
    return text(key, number=seat + 1, name=name, total=player.total, extra=extra)


def _sheets(state: State) -> Grid:
    """Everybody still in, a row each: the upper boxes with sum and bonus, below it the others."""
    still = rules.seated(state)
    number = {seat: f"{TURN if seat == state.turn else ' '}{seat + 1}" for seat in still}
    sheet = {seat: state.players[seat].sheet for seat in still}
    upper = [
        (number[seat], *_cells(sheet[seat][: len(UPPER)]), boxes.upper(sheet[seat]),
         _bonus_cell(sheet[seat]), "")
        for seat in still
    ]  # fmt: skip
    lower = [(number[seat], *_cells(sheet[seat][len(UPPER) :])) for seat in still]
    heads = tuple(text(f"yahtzee.short.{box}") for box in LOWER)
    top = ("", "1", "2", "3", "4", "5", "6", "Σ", f"+{boxes.UPPER_BONUS}", "")
    return Grid((top, *upper, ("",) * len(top), ("", *heads), *lower))


def _cells(sheet: Sheet) -> tuple[int | str, ...]:
    return tuple(OPEN if value is None else value for value in sheet)


def _bonus_cell(sheet: Sheet) -> int | str:
    return boxes.upper_bonus(sheet) or (OPEN if _reachable(sheet) else 0)


def _reachable(sheet: Sheet) -> bool:
    """Whether the open upper boxes can still bring the bonus."""
    most = sum(
        face * boxes.DICE if value is None else value
        for face, value in enumerate(sheet[: len(UPPER)], 1)
    )
    return most >= boxes.UPPER_GOAL


def _upper(sheet: Sheet) -> Text:
    have, goal = boxes.upper(sheet), boxes.UPPER_GOAL
    if have >= goal:
        return text("yahtzee.upper.won", have=have)
    key = "yahtzee.upper.open" if _reachable(sheet) else "yahtzee.upper.lost"
    return text(key, have=have, goal=goal, missing=goal - have)


def _dice_line(state: State) -> Text:
    if not state.dice:
        return text("yahtzee.dice.none")
    key = "yahtzee.dice.last" if state.thrown == THROWS else "yahtzee.dice.thrown"
    return text(key, thrown=state.thrown, dice=digits(state.dice), faces=faces(state.dice))


def _keys(state: State, kept: tuple[int, ...]) -> tuple[tuple[Button, ...], ...]:
    """Dice and throw, then the open boxes: those that would score 0 now come last."""
    assert state.turn is not None
    left = THROWS - state.thrown
    roll = Button(text("yahtzee.key.roll", n=len(ALL) - len(kept), left=left), "roll", "success")
    if not state.thrown:
        return ((roll,),)
    sheet = state.players[state.turn].sheet
    extra = boxes.bonus(sheet, state.dice)
    keys = [
        _box_key(box, boxes.value(box, state.dice), extra)
        for box in sorted(boxes.open_boxes(sheet), key=lambda b: not boxes.value(b, state.dice))
    ]
    rows = [tuple(keys[i : i + KEYS_IN_A_ROW]) for i in range(0, len(keys), KEYS_IN_A_ROW)]
    if not left:
        return tuple(rows)
    throw = [(roll,)] if len(kept) < len(ALL) else []
    return (_dice_keys(state.dice, kept), *throw, *rows)


def _dice_keys(dice: Dice, kept: tuple[int, ...]) -> tuple[Button, ...]:
    return tuple(
        Button(text("yahtzee.key.kept", place=place, face=faces((face,))), f"t{place}", "primary")
        if place in kept
        else Button(text("yahtzee.key.die", place=place, face=faces((face,))), f"k{place}")
        for place, face in enumerate(dice, 1)
    )


def _box_key(box: str, value: int, extra: int) -> Button:
    key = "yahtzee.key.box" if value + extra else "yahtzee.key.zero"
    return Button(text(key, box=box_name(box), value=worth(value, extra)), box)
