"""Choosing dice to set aside: what people see of a `Hand`, and what their presses and words choose.

A selection is the positions of the chosen dice, `135`; their buttons carry the wanted state, `k3`
to choose the third die and `t3` to throw it again. Every sentence is in the words of a game: its
`kind` and the keys used here.
"""

from __future__ import annotations

import re

from games.game import Action, Button, Move, Percent, Refusal, Select, Text, text
from games.setaside import Hand, Scoring, SetAside, prospect

HOT = "🔥"
"""Marks each time all six dice were set aside."""
MOST_IN_A_ROW, HALF = 5, 3

_TOGGLE = re.compile(r"([kt])([1-6])")
_DICE = re.compile(r"[1-6][1-6 ,+]*")

Row = tuple[Button, ...]


def spaced(dice: str) -> str:
    """The dice as `1 5`."""
    return " ".join(dice)


def shown(kept: tuple[str, ...]) -> str:
    """What was set aside throw by throw, `1 1 1 · 5`."""
    return " · ".join(map(spaced, kept))


def chosen(hand: Hand, selection: str) -> str:
    """The dice at the positions of a selection."""
    return "".join(die for place, die in enumerate(hand.dice, 1) if str(place) in selection)


def positions(hand: Hand, dice: str) -> str:
    """The selection of `dice`, all of which lie: of equal ones the first."""
    wanted, places = list(dice), ""
    for place, die in enumerate(hand.dice, 1):
        if die in wanted:
            wanted.remove(die)
            places += str(place)
    return places


# -- the board --------------------------------------------------------------------------------


def lines(kind: str, scoring: Scoring, hand: Hand, selection: str) -> list[Text]:
    """The dice with the turn so far, and what is chosen of them."""
    if not hand.dice:
        return [text(f"{kind}.ready")]
    dice = spaced(hand.dice)
    found = [text(f"{kind}.lying", dice=dice)]
    if hand.kept:
        found = [text(f"{kind}.lying_on", dice=dice, points=hand.points, kept=shown(hand.kept))]
    if chosen_dice := chosen(hand, selection):
        found.append(choice(kind, scoring, hand, chosen_dice))
    return found


def keys(kind: str, scoring: Scoring, hand: Hand, selection: str, minimum: int) -> tuple[Row, ...]:
    """The plan nearly everyone means, the dice one by one, and what may be done with the choice.

    The plan is one press: the best dice are set aside and the others thrown. A turn below `minimum`
    points gets no button to bank it. What dice score is told before the first throw.
    """
    if not hand.dice:
        return ((_roll(kind, hand), Button(text(f"{kind}.key.guide"), "guide")),)
    best = scoring.best(hand.dice)
    dice = [_toggle(kind, hand, selection, place) for place in range(1, len(hand.dice) + 1)]
    act = _actions(kind, scoring, hand, chosen(hand, selection), minimum)
    return ((_plan(kind, scoring, hand, best),), *_rows(dice), act)


def _plan(kind: str, scoring: Scoring, hand: Hand, best: SetAside) -> Button:
    dice, points = best
    number = hand.taken(best).to_throw
    args = {"dice": dice, "points": points, "number": number}
    risk = bust_chance(scoring, number)
    key = f"{kind}.key.plan" if risk else f"{kind}.key.plan_sure"
    return Button(text(key, **args, risk=Percent(risk)), "roll_best", "success")


def _rows(dice: list[Button]) -> tuple[Row, ...]:
    if len(dice) <= MOST_IN_A_ROW:
        return (tuple(dice),)
    return tuple(tuple(dice[i : i + HALF]) for i in range(0, len(dice), HALF))


def _actions(kind: str, scoring: Scoring, hand: Hand, dice: str, minimum: int) -> Row:
    """Throwing and banking what is chosen; with nothing chosen, banking the best."""
    points = scoring.points(dice)
    if dice and points is None:
        return (Button(text(f"{kind}.key.roll_open"), "roll"),)
    after = hand.taken((dice, points or 0) if dice else scoring.best(hand.dice))
    roll = _roll(kind, after) if dice else Button(text(f"{kind}.key.roll_open"), "roll")
    if after.points < minimum:
        return (roll,)
    code = "bank" if dice else "bank_best"
    return (roll, Button(text(f"{kind}.key.bank", points=after.points), code, "primary"))


def _roll(kind: str, hand: Hand) -> Button:
    return Button(text(f"{kind}.key.roll", number=hand.to_throw), "roll", "success")


def bust_chance(scoring: Scoring, number: int) -> float:
    """How likely a throw of so many dice is one in which nothing scores, from 0 to 1."""
    return float(prospect(scoring, number)[0])


def _toggle(kind: str, hand: Hand, selection: str, place: int) -> Button:
    die = hand.dice[place - 1]
    if str(place) in selection:
        return Button(text(f"{kind}.key.kept", die=die), f"t{place}", "primary")
    return Button(text(f"{kind}.key.die", die=die), f"k{place}")


# -- presses and words ------------------------------------------------------------------------


def press(kind: str, scoring: Scoring, hand: Hand, selection: str, code: str) -> Action:
    """What a button does. Raises `Refusal` for a die that scores in no way, and unknown codes."""
    if code in ("roll", "bank"):
        return Move(move(chosen(hand, selection), code))
    if code in ("roll_best", "bank_best") and hand.dice:
        return Move(move(scoring.best(hand.dice)[0], code.removesuffix("_best")))
    match = _TOGGLE.fullmatch(code)
    if not match or int(match[2]) > len(hand.dice):
        raise Refusal("refused.stale")
    place = match[2]
    if match[1] == "t":
        return _selected(kind, scoring, hand, selection.replace(place, ""))
    die = hand.dice[int(place) - 1]
    if not scoring.completed(hand.dice, die)[0]:
        best, points = scoring.best(hand.dice)
        raise Refusal(f"{kind}.refused.no_score", dice=die, best=spaced(best), points=points)
    return _selected(kind, scoring, hand, "".join(sorted({*selection, place})))


def select(kind: str, scoring: Scoring, hand: Hand, dice: str) -> Select:
    """Chooses these dice, all of which lie."""
    return _selected(kind, scoring, hand, positions(hand, dice))


def typed(kind: str, hand: Hand, selection: str, words: str) -> str:
    """The dice that the words of `/roll 1 5` name; without words those selected.

    Raises `Refusal` for what are no dice.
    """
    if not words.strip():
        return chosen(hand, selection)
    if not _DICE.fullmatch(words.strip()):
        raise Refusal(f"{kind}.refused.unreadable")
    return "".join(sorted(filter(str.isdigit, words)))


def move(dice: str, action: str) -> str:
    """The move that sets `dice` aside and rolls or banks."""
    return f"{dice} {action}" if dice else action


def named(kind: str, scoring: Scoring, hand: Hand, move: str) -> Text:
    """A move as people call it: the dice set aside with how many are thrown, or what is banked."""
    dice, _, action = move.rpartition(" ")
    after = hand.taken((dice, scoring.points(dice) or 0))
    if action == "bank":
        return text(f"{kind}.named.bank", dice=spaced(dice), points=after.points)
    if not dice:
        return text(f"{kind}.named.roll")
    return text(f"{kind}.named.on", dice=spaced(dice), number=after.to_throw)


def situation(kind: str, hand: Hand, turn: int) -> Text:
    """Which turn it is, the dice that lie, and what the turn has brought so far."""
    key = f"{kind}.situation_on" if hand.points else f"{kind}.situation"
    return text(key, turn=turn, dice=spaced(hand.dice) or "–", points=hand.points)


def meant(hand: Hand, selection: str) -> tuple[str, ...]:
    """What chosen dice could become: set aside to throw on, or to bank."""
    if not hand.dice:
        return ("roll",)
    dice = chosen(hand, selection)
    return (move(dice, "roll"), move(dice, "bank")) if dice else ()


def choice(kind: str, scoring: Scoring, hand: Hand, dice: str) -> Text:
    """What chosen dice bring, or what they lack."""
    points = scoring.points(dice)
    if points is None:
        best, worth = scoring.completed(hand.dice, dice)
        return text(f"{kind}.not_yet", dice=spaced(dice), best=spaced(best), points=worth)
    after = hand.taken((dice, points))
    risk = bust_chance(scoring, after.to_throw)
    args = {"dice": spaced(dice), "points": points, "total": after.points}
    if not risk:
        return text(f"{kind}.chosen", **args)
    odds = {"number": after.to_throw, "risk": Percent(risk)}
    return text(f"{kind}.chosen_odds", **args, **odds)


def _selected(kind: str, scoring: Scoring, hand: Hand, selection: str) -> Select:
    dice = chosen(hand, selection)
    toast = choice(kind, scoring, hand, dice) if dice else text(f"{kind}.none_chosen")
    return Select(selection, toast, shown=True)
