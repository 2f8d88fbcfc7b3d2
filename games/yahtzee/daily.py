"""Yahtzee as the daily (RULES 9): which dice a throw gets, what its player sees, how it went."""

from __future__ import annotations

from games.daily import Daily
from games.game import Board, Text, text
from games.yahtzee import boxes, odds, view
from games.yahtzee.boxes import BOXES
from games.yahtzee.keyboard import keys
from games.yahtzee.policy import USUAL
from games.yahtzee.rules import THROWS, State, Turn
from games.yahtzee.wording import box_name, digits, worth

GREAT = 1.3
"""So many times what a box usually brings is more than good."""


def number(state: State, move: str) -> int:
    """Four to a turn: its first, second and third throw, and the box it is scored in."""
    scored = move.startswith("score ")
    return (THROWS + 1) * turn(state) + (THROWS if scored else state.thrown)


def turn(state: State) -> int:
    """How many turns are over."""
    return state.players[0].scored


def board(state: State, seat: int, selection: str) -> Board:
    """How the turn before ended, the dice, the upper boxes, the total; the keys of a turn."""
    player = state.players[0]
    last = [_turn_line(state.turns[-1])] if state.turns and state.turns[-1].box else []
    total = text("yahtzee.alone.total", total=player.total, extra=player.extra)
    if state.turn is None:
        return Board((*last, total))
    head = text("yahtzee.alone.turn", turn=turn(state) + 1, of=len(BOXES), total=player.total)
    dice = (view.dice_line(state), *odds.lines(state, selection))
    lines = (*last, head, *dice, view.upper_line(player.sheet))
    return Board(lines, keys(state, selection))


def levels(state: State) -> tuple[int, ...]:
    """0 for a box crossed out, 1 for less than it usually brings, 2 for more, 3 for much more."""
    scored = (turn for turn in state.turns if turn.box)
    return tuple(sorted(map(_level, scored), reverse=True))


def _turn_line(turn: Turn) -> Text:
    """What a turn brought."""
    brought = turn.value + turn.bonus
    key = "scored" if brought else "crossed"
    if boxes.is_yahtzee(turn.dice) and brought >= boxes.FIVE_EQUAL:
        key = "yahtzee"
    return text(
        f"yahtzee.alone.{key}",
        dice=digits(turn.dice),
        box=box_name(turn.box),
        value=worth(turn.value, turn.bonus),
    )


def _level(turn: Turn) -> int:
    points, usual = turn.value + turn.bonus, USUAL[BOXES.index(turn.box)]
    return 3 if points >= GREAT * usual else 2 if points >= usual else 1 if points else 0


DAILY: Daily[State] = Daily(number, board, turn, levels)
