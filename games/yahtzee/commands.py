"""The typed commands of Yahtzee (RULES 2): what people write becomes a move or an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.game import HOUSE, Action, Answer, Grid, Refusal, Text, text
from games.yahtzee import boxes, rules
from games.yahtzee.boxes import BOXES, LOWER, UPPER, Sheet
from games.yahtzee.names import find
from games.yahtzee.rules import ALL, THROWS, State
from games.yahtzee.wording import box_name, digits, faces, moved, worth

COMMANDS = frozenset({"roll", "r", "keep", "k", "dice", "d", "score", "sheet"})

LONGEST_WORD = 20
_SPACING = re.compile(r"[\s,;+]+")
_PLACES = "".join(map(str, ALL))
_DIGITS = "0123456789"


def command(
    state: State, seat: int, selection: str, name: str, words: str, names: Sequence[str] = ()
) -> Action:
    """`/roll 135`, `/keep 24`, `/dice`, `/score full house`, `/sheet anna` (RULES 2)."""
    words = words.strip()
    match name:
        case "roll" | "r":
            return _roll(state, seat, name, words)
        case "keep" | "k":
            return _keep(state, seat, name, words)
        case "dice" | "d":
            return Answer(_dice(state, seat, words, names))
        case "score":
            return _score(state, seat, words)
        case "sheet":
            return Answer(_sheet(state, _whose(seat, words, names), names))
    raise Refusal("refused.stale")


def looked_at(state: State, name: str, words: str, names: Sequence[str]) -> Text | None:
    """What an onlooker reads who types `/sheet anna` or `/dice`; None for what is for players.

    Raises `Refusal` for no player's name.
    """
    match name:
        case "sheet":
            if not words.strip():
                raise Refusal("yahtzee.refused.whose", names=tuple(names))
            return _sheet(state, _whose(HOUSE, words.strip(), names), names)
        case "dice" | "d":
            return _dice(state, HOUSE, words.strip(), names)
    return None


# -- throwing ---------------------------------------------------------------------------------


def _roll(state: State, seat: int, name: str, words: str) -> Action:
    rules.require_turn(state, seat)
    again = _read(name, words)
    return moved(state, seat, f"roll {again or '0'}" if state.thrown else "roll")


def _keep(state: State, seat: int, name: str, words: str) -> Action:
    rules.require_turn(state, seat)
    kept = _read(name, words)
    again = "".join(place for place in _PLACES if place not in kept)
    return moved(state, seat, f"roll {again or '0'}" if state.thrown else "roll")


def _read(name: str, words: str) -> str:
    """The places that `1 3,5` names, `135`; `0` and nothing name none. Raises `Refusal`."""
    named = _SPACING.sub("", words)
    if named == "0":
        return ""
    for place in named:
        if place not in _DIGITS:
            raise Refusal("yahtzee.refused.unreadable")
        if place not in _PLACES:
            raise Refusal("yahtzee.refused.no_die", die=place, command=name)
    places = "".join(sorted({*named}))
    if len(places) < len(named):
        twice = next(place for place in places if named.count(place) > 1)
        raise Refusal("yahtzee.refused.twice", die=twice, works=f"/{name} {places}")
    return places


def _dice(state: State, seat: int, words: str, names: Sequence[str]) -> Text:
    if words not in ("", "?"):
        raise Refusal("yahtzee.refused.dice")
    if state.turn is None:
        raise Refusal("yahtzee.refused.over")
    whose = "mine" if seat == state.turn else "other"
    name = _called(state.turn, names)
    if not state.dice:
        return text(f"yahtzee.show.{whose}_none", name=name)
    left = THROWS - state.thrown
    key = f"yahtzee.show.{whose}" if left else f"yahtzee.show.{whose}_last"
    return text(key, name=name, dice=digits(state.dice), faces=faces(state.dice), n=left)


# -- scoring ----------------------------------------------------------------------------------


def _score(state: State, seat: int, words: str) -> Action:
    if not words:
        rules.require_seat(state, seat)
        return Answer(_scores(state, seat))
    rules.require_turn(state, seat)
    found = find(words)
    if not found:
        left = _open(state.players[seat].sheet)
        raise Refusal("yahtzee.refused.no_box", word=words[:LONGEST_WORD], left=left)
    if len(found) > 1:
        meant = tuple(map(box_name, found))
        raise Refusal("yahtzee.refused.many_boxes", word=words[:LONGEST_WORD], boxes=meant)
    return moved(state, seat, f"score {found[0]}")


def _scores(state: State, seat: int) -> Text:
    """The open boxes of `seat`, with their values if its dice lie there."""
    sheet = state.players[seat].sheet
    if seat != state.turn or not state.dice:
        return text("yahtzee.scores.later", boxes=_open(sheet) or "–")
    extra = boxes.bonus(sheet, state.dice)
    rows = tuple(
        (box_name(box), worth(boxes.value(box, state.dice), extra))
        for box in boxes.open_boxes(sheet)
    )
    return text("yahtzee.scores.now", dice=digits(state.dice), grid=Grid(rows))


def _open(sheet: Sheet) -> tuple[Text, ...]:
    return tuple(map(box_name, boxes.open_boxes(sheet)))


# -- sheets -----------------------------------------------------------------------------------


def _whose(seat: int, words: str, names: Sequence[str]) -> int:
    """The seat whose name is `words` or alone begins with it, or that has this number."""
    if not words:
        return seat
    wanted = words.casefold()
    called = [name.casefold() for name in names]
    found = [seat for seat, name in enumerate(called) if name == wanted] or [
        seat for seat, name in enumerate(called) if name.startswith(wanted)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        meant = tuple(names[seat] for seat in found)
        raise Refusal("yahtzee.refused.many_names", word=words[:LONGEST_WORD], names=meant)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    if words in numbers:
        return numbers.index(words)
    raise Refusal("yahtzee.refused.no_name", word=words[:LONGEST_WORD], names=tuple(names))


def _sheet(state: State, seat: int, names: Sequence[str]) -> Text:
    player = state.players[seat]
    rows = (
        *(_row(player.sheet, box) for box in UPPER),
        (text("yahtzee.sum"), "Σ", f"{boxes.upper(player.sheet)}/{boxes.UPPER_GOAL}"),
        (text("yahtzee.bonus"), f"+{boxes.UPPER_BONUS}", boxes.upper_bonus(player.sheet)),
        ("", "", ""),
        *(_row(player.sheet, box) for box in LOWER),
        (text("yahtzee.extra"), "", player.extra),
        (text("yahtzee.total"), "", player.total),
    )
    return text("yahtzee.sheet", name=_called(seat, names), total=player.total, grid=Grid(rows))


def _row(sheet: Sheet, box: str) -> tuple[Text | int | str, ...]:
    """A box, what the table on the board calls it, and its value."""
    value = sheet[BOXES.index(box)]
    short = text(f"yahtzee.short.{box}") if box in LOWER else str(UPPER.index(box) + 1)
    return box_name(box), short, "·" if value is None else value


def _called(seat: int, names: Sequence[str]) -> str:
    return names[seat] if seat < len(names) else f"#{seat + 1}"
