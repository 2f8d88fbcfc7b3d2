"""Small pieces of what people see: dice, boxes and what they are worth."""

from __future__ import annotations

from games.game import Move, Text, text
from games.yahtzee import rules
from games.yahtzee.boxes import Dice
from games.yahtzee.rules import State

FACES = "⚀⚁⚂⚃⚄⚅"


def digits(dice: Dice) -> str:
    """Dice as digits, `3 3 5 2 6`."""
    return " ".join(map(str, dice))


def faces(dice: Dice) -> str:
    """Dice as faces."""
    return " ".join(FACES[face - 1] for face in dice)


def box_name(box: str) -> Text:
    """The name of a box."""
    return text(f"yahtzee.box.{box}")


def worth(value: int, extra: int) -> str:
    """The value of a box, with the Yahtzee bonus beside it: `18+100`."""
    return f"{value}+{extra}" if extra else str(value)


def moved(state: State, seat: int, move: str) -> Move:
    """The move, once the rules accept it. Raises `Refusal`."""
    rules.throw(state, seat, move)
    return Move(move)
