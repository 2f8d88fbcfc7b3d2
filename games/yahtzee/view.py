"""What people see of Yahtzee (BOARDS.md) and how their presses become moves.

A selection is the places of the dice to keep, `24`, or `0` for none, and after them which second
keyboard is open. Where nothing was selected yet, the dice kept with the throw before stay kept.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

from games.game import (
    Action,
    Answer,
    Board,
    Button,
    Move,
    Name,
    Refusal,
    Select,
    Sides,
    Text,
    Until,
    text,
)
from games.yahtzee import boxes, odds, rules, sheets
from games.yahtzee.boxes import BOXES, UPPER, Dice, Sheet
from games.yahtzee.commands import command as command
from games.yahtzee.policy import above
from games.yahtzee.rules import ALL, THROWS, Player, State, Turn
from games.yahtzee.wording import box_name, digits, faces, moved, worth

SHOWN_BOXES = 3
"""How many boxes stand on the board itself, the best ones; the others open in its place."""
KEYS_IN_A_ROW = 3
CROSS, ALL_BOXES = "x", "b"
"""Which second keyboard is open; follows the dice of a selection."""

_TOGGLE = re.compile(r"([kt])([1-5])", re.ASCII)


def board(state: State, selection: str = "") -> Board:
    """How the turn before ended, whose turn it is, their dice, and how everybody stands."""
    assert state.turn is not None, "the game is over"
    story = [_story(state)] if state.turns else []
    head = text("yahtzee.head", name=Name(state.turn), round=state.round, ends=Until())
    standing = text("yahtzee.standing", players=Sides(tuple(_standing(state))))
    upper = upper_line(state.players[state.turn].sheet)
    hopes = odds_lines(state, selection)
    return Board(
        (*story, head, dice_line(state), *hopes, upper, standing), turn_keys(state, selection)
    )


def past(state: State, scene: int) -> tuple[Text, ...]:
    """What a turn brought."""
    if scene > len(state.turns):
        return (text("yahtzee.past.open"),)
    return (_turn_line(state.turns[scene - 1]),)


def reveal(state: State, scene: int) -> tuple[tuple[Text, ...], ...]:
    """No turn is shown step by step."""
    return ()


def reached(state: State, seat: int) -> int:
    """The total of `seat`."""
    return state.players[seat].total


def how(state: State, seat: int) -> Text:
    """The upper boxes with their bonus, and the Yahtzees; for who is out, why."""
    player = state.players[seat]
    if player.gone:
        return text("yahtzee.how.out" if player.late == rules.MOST_LATE else "yahtzee.how.gone")
    upper, bonus = boxes.upper(player.sheet), boxes.upper_bonus(player.sheet)
    won = text("yahtzee.how.bonus" if bonus else "yahtzee.how.upper", upper=upper, bonus=bonus)
    count = player.bonuses + (player.sheet[boxes.YAHTZEE] == boxes.FIVE_EQUAL)
    return text("yahtzee.how.yahtzees", upper=won, n=count) if count else won


def press(state: State, seat: int, selection: str, code: str) -> Action:
    """`k3` keeps die 3, `t3` throws it, `roll` throws those not kept, a box's name scores it.

    `plan` keeps what nearly everyone would and throws the others, `all` throws all five. `cross`
    and `boxes` open a second keyboard, `back` closes it; `sheet` shows one's own sheet.
    """
    if code == "sheet":
        return Answer(sheets.in_short(state, seat), alert=True)
    rules.require_turn(state, seat)
    kept = _kept(state, selection)
    if code == "roll":
        return Move(_roll(state, seat, kept))
    if code == "all":
        return Move(_roll(state, seat, ()))
    if code == "plan":
        return Move(_roll(state, seat, plan(state)))
    if code in BOXES:
        return moved(state, seat, f"score {code}")
    if code in ("cross", "boxes", "back") and state.dice:
        menu = {"cross": CROSS, "boxes": ALL_BOXES}.get(code, "")
        return Select(dice_of(selection) + menu, text(f"yahtzee.menu.{code}"), at_once=True)
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
        if boxes.is_yahtzee(after.dice):
            key = "yahtzee.threw_yahtzee"
        return text(key, dice=digits(after.dice), faces=faces(after.dice), n=left)
    turn = after.turns[-1]
    if not turn.box:
        return text("yahtzee.left")
    return _scored(turn, after.players[seat])


# -- inside -----------------------------------------------------------------------------------


def _scored(turn: Turn, player: Player) -> Text:
    how = "out" if turn.out else "late" if turn.late else "scored"
    if how == "scored" and not turn.value + turn.bonus:
        how = "crossed"
    return text(
        f"yahtzee.{how}",
        box=box_name(turn.box),
        value=worth(turn.value, turn.bonus),
        dice=digits(turn.dice),
        total=player.total,
    )


def dice_of(selection: str) -> str:
    """The dice of a selection, without the keyboard that is open."""
    return selection.rstrip(CROSS + ALL_BOXES)


def _kept(state: State, selection: str) -> tuple[int, ...]:
    dice = dice_of(selection)
    return tuple(int(place) for place in dice if place != "0") if dice else state.held


def again(state: State, selection: str) -> str:
    """The move that throws what a selection does not keep; empty where it keeps all."""
    return _again(state, _kept(state, selection))


def _again(state: State, kept: tuple[int, ...]) -> str:
    if not state.thrown:
        return "roll"
    thrown = "".join(str(place) for place in ALL if place not in kept)
    return f"roll {thrown}" if thrown else ""


def _roll(state: State, seat: int, kept: tuple[int, ...]) -> str:
    if state.thrown:
        rules.throw(state, seat, "roll 0")
    move = _again(state, kept)
    if not move:
        raise Refusal("yahtzee.refused.all_kept")
    return move


def _selected(state: State, kept: tuple[int, ...]) -> Text:
    if len(kept) == len(ALL):
        return text("yahtzee.selected_all", kept=digits(state.dice))
    shown = digits(tuple(state.dice[place - 1] for place in kept)) or "–"
    selected = text("yahtzee.selected", kept=shown, n=len(ALL) - len(kept))
    likely = _odds_of(state, kept)
    return text("yahtzee.selected_odds", selected=selected, odds=likely) if likely else selected


def _standing(state: State) -> list[Text]:
    """Everybody still in from the highest total down, then who is not."""
    ranked = [*chain(*rules.ranking(state))]
    gone = [seat for seat in range(len(state.players)) if seat not in ranked]
    return [_line(state, seat) for seat in ranked + gone]


def _line(state: State, seat: int) -> Text:
    player, name = state.players[seat], Name(seat)
    if player.gone:
        out = player.late == rules.MOST_LATE
        return text("yahtzee.line.out" if out else "yahtzee.line.gone", name=name)
    key = "yahtzee.line.turn" if seat == state.turn else "yahtzee.line.player"
    return text(key, name=name, total=player.total)


def _story(state: State) -> Text:
    """How the turn before this one ended, and whom it put in front."""
    line = _turn_line(state.turns[-1])
    leader = rules.new_leader(state)
    return line if leader is None else text("yahtzee.past.leads", line=line, name=Name(leader))


def _turn_line(turn: Turn) -> Text:
    """How a turn ended, with its dice; a Yahtzee is no line like another."""
    key = "scored" if turn.value + turn.bonus else "crossed"
    if boxes.is_yahtzee(turn.dice) and turn.value + turn.bonus >= boxes.FIVE_EQUAL:
        key = "yahtzee" if turn.box == "yahtzee" else "yahtzee_again"
    if turn.late:
        key = "late"
    if turn.out:
        key = "out"
    return text(
        f"yahtzee.past.{key if turn.box else 'left'}",
        name=Name(turn.seat),
        value=worth(turn.value, turn.bonus),
        box=box_name(turn.box) if turn.box else "",
        dice=digits(turn.dice),
    )


def _reachable(sheet: Sheet) -> bool:
    """Whether the open upper boxes can still bring the bonus."""
    most = sum(
        face * boxes.DICE if value is None else value
        for face, value in enumerate(sheet[: len(UPPER)], 1)
    )
    return most >= boxes.UPPER_GOAL


def upper_line(sheet: Sheet) -> Text:
    """The upper boxes, and how far the bonus is."""
    have, goal = boxes.upper(sheet), boxes.UPPER_GOAL
    if have >= goal:
        return text("yahtzee.upper.won", have=have)
    key = "yahtzee.upper.open" if _reachable(sheet) else "yahtzee.upper.lost"
    return text(key, have=have, goal=goal, missing=goal - have)


def dice_line(state: State) -> Text:
    """The dice as they lie, and the throws left."""
    if not state.dice:
        return text("yahtzee.dice.none")
    left = THROWS - state.thrown
    key = "yahtzee.dice.thrown" if left else "yahtzee.dice.last"
    if boxes.is_yahtzee(state.dice):
        key = "yahtzee.dice.yahtzee"
    return text(key, dice=digits(state.dice), n=left)


def odds_lines(state: State, selection: str) -> list[Text]:
    """What the dice that are kept, or would be by the plan, make likely; while throws are left."""
    if not state.dice or state.thrown == THROWS:
        return []
    found = _odds_of(state, _kept(state, selection) or plan(state))
    return [found] if found else []


def _odds_of(state: State, places: tuple[int, ...]) -> Text | None:
    kept = tuple(state.dice[place - 1] for place in places)
    return odds.odds(_sheet_of(state), kept) if kept else None


def plan(state: State) -> tuple[int, ...]:
    """The places of the dice that nearly everyone would keep; empty where that is no question.

    Three or more equal ones; four in a row while a straight is open; two pairs while they have a
    box; else a pair, the higher one.
    """
    if not state.dice or state.thrown == THROWS:
        return ()
    counts = Counter(state.dice)
    still = boxes.open_boxes(_sheet_of(state))
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


def _sheet_of(state: State) -> Sheet:
    assert state.turn is not None
    return state.players[state.turn].sheet


def turn_keys(state: State, selection: str) -> tuple[tuple[Button, ...], ...]:
    """The plan, the dice, the best boxes, and what opens in their place."""
    kept = _kept(state, selection)
    roll = Button(text("yahtzee.key.roll", n=len(ALL) - len(kept)), "roll", "success")
    if not state.thrown:
        return ((roll,),)
    menu = selection[-1:] if selection[-1:] in (CROSS, ALL_BOXES) else ""
    scoring, crossing = _boxes(state)
    if menu or not (scoring or state.thrown < THROWS):
        keys = [_box_key(state, box) for box in (scoring if menu == ALL_BOXES else crossing)]
        rows = _rows(state, keys)
        return (*rows, (_opens("back"),)) if menu else rows
    best = sorted(_best(state, scoring), key=BOXES.index)
    opens = [
        *([_opens("boxes")] if len(scoring) > len(best) else []),
        Button(text("yahtzee.key.sheet"), "sheet"),
        *([_opens("cross")] if crossing else []),
    ]
    found = [*_rows(state, [_box_key(state, box) for box in best]), tuple(opens)]
    if state.thrown < THROWS:
        throws = _throw_keys(state, kept, roll)
        found = [*([throws] if throws else []), _dice_keys(state.dice, kept), *found]
    return tuple(row for row in found if row)


def _throw_keys(state: State, kept: tuple[int, ...], roll: Button) -> tuple[Button, ...]:
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
    sheet = _sheet_of(state)
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
    extra = boxes.bonus(_sheet_of(state), state.dice)
    key = "yahtzee.key.box" if value + extra else "yahtzee.key.zero"
    return Button(text(key, box=text(f"yahtzee.key.{box}"), value=value + extra), box)


def _rows(state: State, keys: list[Button]) -> tuple[tuple[Button, ...], ...]:
    """Boxes in rows; values of three digits need more room."""
    wide = boxes.bonus(_sheet_of(state), state.dice)
    size = KEYS_IN_A_ROW - 1 if wide else KEYS_IN_A_ROW
    return tuple(tuple(keys[i : i + size]) for i in range(0, len(keys), size))


def _opens(code: str) -> Button:
    return Button(text(f"yahtzee.key.{code}"), code)
