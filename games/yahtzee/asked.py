"""A decision of Yahtzee in people's words, for who is told what its moves are worth (RULES 8)."""

from __future__ import annotations

from games.game import Text, text
from games.yahtzee import boxes, sheets
from games.yahtzee.rules import ALL, THROWS, State
from games.yahtzee.selection import again, dice_of, kept_places
from games.yahtzee.view import dice_line
from games.yahtzee.wording import box_name, digits


def named(state: State, seat: int, move: str) -> Text:
    """A move as people call it: the box scored or crossed out, or the dice that stay."""
    action, _, about = move.partition(" ")
    if action == "score":
        extra = boxes.bonus(state.players[seat].sheet, state.dice)
        if boxes.value(about, state.dice) + extra:
            return box_name(about)
        return text("yahtzee.named.cross", box=box_name(about))
    kept = tuple(
        face for place, face in zip(ALL, state.dice, strict=False) if str(place) not in about
    )
    if not state.dice:
        return text("yahtzee.named.roll")
    return text("yahtzee.named.keep", dice=digits(kept)) if kept else text("yahtzee.named.all")


def situation(state: State, seat: int) -> Text:
    """Whose which turn it is, and the dice that lie."""
    turn = state.players[seat].scored + 1
    return text("yahtzee.situation", turn=turn, dice=digits(state.dice) or "–")


def facing(state: State, seat: int) -> tuple[Text, ...]:
    """The dice and the throws left, and one's own sheet."""
    return dice_line(state), sheets.in_short(state, seat)


def meant(state: State, seat: int, selection: str) -> tuple[str, ...]:
    """The throw of the dice that are not kept; none where all are, or where there is none left, or
    where nothing was chosen yet."""
    if state.thrown == THROWS or (state.thrown and not (dice_of(selection) or state.held)):
        return ()
    throw = again(state, kept_places(state, selection))
    return (throw,) if throw else ()
