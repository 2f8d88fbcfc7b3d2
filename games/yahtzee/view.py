"""What people see of Yahtzee (BOARDS.md) and how their presses become moves."""

from __future__ import annotations

import re
from itertools import chain

from games.game import (
    Action,
    Answer,
    Board,
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
from games.yahtzee.boxes import BOXES, UPPER, Sheet
from games.yahtzee.commands import command as command
from games.yahtzee.keyboard import keys
from games.yahtzee.rules import ALL, THROWS, Player, State, Turn
from games.yahtzee.selection import ALL_BOXES, CROSS, again, dice_of, kept_places, plan
from games.yahtzee.wording import box_name, digits, faces, moved, worth

_TOGGLE = re.compile(r"([kt])([1-5])", re.ASCII)


def board(state: State, selection: str = "") -> Board:
    """How the turn before ended, whose turn it is, their dice, and how everybody stands."""
    assert state.turn is not None, "the game is over"
    story = [_story(state)] if state.turns else []
    head = text("yahtzee.head", name=Name(state.turn), round=state.round, ends=Until())
    standing = text("yahtzee.standing", players=Sides(tuple(_standing(state))))
    upper = upper_line(state.players[state.turn].sheet)
    hopes = odds.lines(state, selection)
    lines = (*story, head, dice_line(state), *hopes, upper, standing)
    return Board(lines, keys(state, selection))


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
    kept = kept_places(state, selection)
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


def _roll(state: State, seat: int, kept: tuple[int, ...]) -> str:
    if state.thrown:
        rules.throw(state, seat, "roll 0")
    move = again(state, kept)
    if not move:
        raise Refusal("yahtzee.refused.all_kept")
    return move


def _selected(state: State, kept: tuple[int, ...]) -> Text:
    if len(kept) == len(ALL):
        return text("yahtzee.selected_all", kept=digits(state.dice))
    shown = digits(tuple(state.dice[place - 1] for place in kept)) or "–"
    selected = text("yahtzee.selected", kept=shown, n=len(ALL) - len(kept))
    likely = odds.odds(state, kept)
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
