"""What people see of Zilch (BOARDS.md), and how presses, commands and sentences become moves."""

from __future__ import annotations

from collections.abc import Sequence

from games import picking
from games.game import (
    HOUSE,
    Action,
    Answer,
    Board,
    Move,
    Name,
    Refusal,
    Sides,
    Text,
    Until,
    text,
)
from games.setaside import holds
from games.zilch import rules, words
from games.zilch.rules import SCORING, State, Turn

KIND = "zilch"
MISS = "❌"
BANKED = ("banked", "late_banked")


def board(state: State, selection: str = "") -> Board:
    """How the turn before ended, the dice of whoever acts, and all banks."""
    lines = [_turn_line(state, len(state.turns))] if state.turns else []
    lines.append(text("zilch.head", name=Name(state.turn), ends=Until(), goal=rules.GOAL))
    if state.closer is not None:
        lines.append(_last_round(state))
    lines += picking.lines(KIND, SCORING, state.hand, selection)
    lines += _too_little(state, selection)
    lines.append(_banks(state))
    keys = picking.keys(KIND, SCORING, state.hand, selection, rules.LEAST_BANKED)
    return Board(tuple(lines), keys)


def past(state: State, scene: int) -> tuple[Text, ...]:
    """How a turn went."""
    if scene <= len(state.turns):
        return (_turn_line(state, scene),)
    if state.turn == HOUSE and state.queue:
        return (text("zilch.past.open", name=Name(state.queue[0])),)
    return ()


def reveal(state: State, scene: int) -> tuple[tuple[Text, ...], ...]:
    """No turn is shown step by step."""
    return ()


def reached(state: State, seat: int) -> int:
    """The bank of `seat`."""
    return state.players[seat].bank


def how(state: State, seat: int) -> Text:
    """The best turn and how many were zilches; for who is out, why."""
    turns = [turn for turn in state.turns if turn.seat == seat]
    if state.players[seat].gone:
        out = bool(turns) and turns[-1].end == "out"
        return text("zilch.how.out" if out else "zilch.how.gone")
    best = max((t.hand.points for t in turns if t.end in BANKED), default=0)
    missed = sum(turn.end in ("zilch", "penalty") for turn in turns)
    key = "zilch.how.missed" if missed else "zilch.how"
    return text(key, best=best, missed=missed)


def press(state: State, seat: int, selection: str, code: str) -> Action:
    """`k3` and `t3` choose a die or not; `roll` and `bank` move it, `roll_best` the best dice."""
    if code == "guide":
        return Answer(text("zilch.guide"))
    _must_have_the_turn(state, seat)
    return _possible(state, seat, picking.press(KIND, SCORING, state.hand, selection, code))


def command(
    state: State, seat: int, selection: str, name: str, said: str, names: Sequence[str] = ()
) -> Action:
    """`/roll 1 5` and `/bank ones` with dice or words, or for what is selected; `/d` shows all."""
    if name in ("d", "dice"):
        return Answer(_dice(state))
    _must_have_the_turn(state, seat)
    understood = words.understood(f"{said} {name}", state.hand.dice)
    dice = understood.dice if understood else ""
    dice = dice or picking.typed(KIND, state.hand, selection, said)
    return _possible(state, seat, Move(picking.move(dice, name)))


def hear(state: State, seat: int, selection: str, sentence: str) -> Action | None:
    """What a sentence means (RULES 3); None from somebody else, or without any of the words.

    Its dice take the place of the selection, which counts where it names none.
    """
    if seat != state.turn:
        return None
    said = words.understood(sentence, state.hand.dice)
    if said is None:
        return None
    if said.dice and not state.hand.dice:
        raise Refusal("zilch.refused.throw_first")
    if not holds(state.hand.dice, said.dice):
        lying = picking.spaced(state.hand.dice)
        raise Refusal("zilch.refused.dice", dice=picking.spaced(said.dice), lying=lying)
    if not said.action:
        return picking.select(KIND, SCORING, state.hand, said.dice)
    dice = said.dice or picking.chosen(state.hand, selection)
    return _possible(state, seat, Move(picking.move(dice, said.action)))


def thrown(before: State, after: State, seat: int) -> Text:
    """What the move brought: the dice, or how the turn ended."""
    if len(after.turns) > len(before.turns):
        return _told(after, after.turns[-1], last_round=after.closer != before.closer)
    if after.players[seat].gone:
        return text("zilch.told.left")
    best, points = SCORING.best(after.hand.dice)
    return text(
        "zilch.threw",
        dice=picking.spaced(after.hand.dice),
        best=picking.spaced(best),
        points=points,
    )


def named(state: State, seat: int, move: str) -> Text:
    """A move as people call it."""
    return picking.named(KIND, SCORING, state.hand, move)


def situation(state: State, seat: int) -> Text:
    """Which turn of theirs it is, and its dice."""
    turn = sum(turn.seat == seat for turn in state.turns) + 1
    return picking.situation(KIND, state.hand, turn)


def facing(state: State, seat: int) -> tuple[Text, ...]:
    """The dice, and all banks."""
    return (*picking.lines(KIND, SCORING, state.hand, ""), _banks(state))


def meant(state: State, seat: int, selection: str) -> tuple[str, ...]:
    """What a selection could become."""
    return picking.meant(state.hand, selection)


# -- inside -----------------------------------------------------------------------------------


def _must_have_the_turn(state: State, seat: int) -> None:
    """Raises `Refusal` for whoever may not act now."""
    rules.throw(state, seat, "late")


def _possible(state: State, seat: int, action: Action) -> Action:
    """The action. Raises `Refusal` for a move that is not legal."""
    if isinstance(action, Move):
        rules.throw(state, seat, action.move)
    return action


def _banks(state: State) -> Text:
    """All banks in one line, with the zilches in a row."""
    return text(
        "zilch.banks", banks=Sides(tuple(_bank(state, s) for s in range(len(state.players))))
    )


def _bank(state: State, seat: int) -> Text:
    player = state.players[seat]
    if player.gone:
        return text("zilch.line.gone", name=Name(seat))
    key = "zilch.line.acting" if seat == state.turn else "zilch.line.waiting"
    if state.closer is not None and seat not in state.queue:
        key = "zilch.line.through"
    marks = f" {MISS * player.zilches}" if player.zilches else ""
    return text(key, name=Name(seat), bank=player.bank, marks=marks)


def _too_little(state: State, selection: str) -> list[Text]:
    """Why what is chosen, or the best where nothing is, cannot be banked yet."""
    if not state.hand.dice:
        return []
    chosen = picking.chosen(state.hand, selection) or SCORING.best(state.hand.dice)[0]
    points = SCORING.points(chosen)
    if points is None or state.hand.points + points >= rules.LEAST_BANKED:
        return []
    return [text("zilch.too_little", least=rules.LEAST_BANKED)]


def _last_round(state: State) -> Text:
    leader = max(rules.seated(state), key=lambda seat: state.players[seat].bank)
    bank = state.players[leader].bank
    return text("zilch.last_round", name=Name(leader), bank=bank)


def _turn_line(state: State, number: int) -> Text:
    """How the turn of that number (from 1 on) ended, with its dice."""
    turn = state.turns[number - 1]
    key = f"zilch.past.{turn.end}"
    if turn.end == "zilch" and not turn.hand.points:
        key = "zilch.past.zilch_at_once"
    line = text(
        key,
        name=Name(turn.seat),
        points=turn.hand.points,
        kept=picking.shown(turn.hand.kept),
        dice=picking.spaced(turn.hand.dice),
        bank=turn.bank,
        penalty=rules.PENALTY,
        hot=" " + picking.HOT * turn.hand.hot if turn.hand.hot else "",
    )
    return text("zilch.past.leads", line=line) if _took_the_lead(state, number) else line


def _took_the_lead(state: State, number: int) -> bool:
    """Whether the turn of that number put its player in front of everybody for the first time."""
    banks = [0] * len(state.players)
    for turn in state.turns[: number - 1]:
        banks[turn.seat] = turn.bank
    turn = state.turns[number - 1]
    others = max(bank for seat, bank in enumerate(banks) if seat != turn.seat)
    return 0 < others < turn.bank and banks[turn.seat] <= others


def _told(after: State, turn: Turn, *, last_round: bool) -> Text:
    key = "zilch.told.last_round" if last_round else f"zilch.told.{turn.end}"
    return text(
        key,
        points=turn.hand.points,
        dice=picking.spaced(turn.hand.dice),
        bank=turn.bank,
        marks=MISS * after.players[turn.seat].zilches,
    )


def _dice(state: State) -> Text:
    if not state.hand.dice:
        return text("zilch.dice_none")
    best, points = SCORING.best(state.hand.dice)
    return text(
        "zilch.dice",
        dice=picking.spaced(state.hand.dice),
        turn=state.hand.points,
        best=picking.spaced(best),
        points=points,
    )
