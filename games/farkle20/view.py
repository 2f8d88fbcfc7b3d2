"""What people see of Farkle 20 (BOARDS.md): the race in the group, one's own turns in private."""

from __future__ import annotations

from collections.abc import Sequence

from games import picking
from games.farkle20 import rules
from games.farkle20.rules import NO_MINIMUM, SCORING, TURNS, Player, State
from games.game import Action, Answer, Board, Move, Name, Sides, Text, Until, text
from games.setaside import Hand

KIND = "farkle20"
MOST_IN_FULL, LEADERS = 8, 5
"""Of more players only the first have a line each."""


def board(state: State, selection: str = "") -> Board:
    """Everybody's turn and total, the highest first."""
    return Board((text("farkle20.head.race", ends=Until()), *_standing(state)))


def own(state: State, seat: int, selection: str) -> Board:
    """The turn that `seat` plays; once they are through, their result."""
    player = state.players[seat]
    if not player.playing:
        return Board((_result(player), *([] if state.solo else _standing(state))))
    lines = [*_head(state, player), *picking.lines(KIND, SCORING, player.hand, selection)]
    if any(other.total for other in state.players) and not state.solo:
        lines.append(_race(state, seat))
    return Board(tuple(lines), picking.keys(KIND, SCORING, player.hand, selection, NO_MINIMUM))


def past(state: State, scene: int) -> tuple[Text, ...]:
    """How the race ended; there is one scene only."""
    return (text("farkle20.past"), *_standing(state))


def reveal(state: State, scene: int) -> tuple[tuple[Text, ...], ...]:
    """Nobody waits for anybody's throw in a race."""
    return ()


def reached(state: State, seat: int) -> int:
    """The banked points of `seat`."""
    return state.players[seat].total


def how(state: State, seat: int) -> Text:
    """The best turn and the busts, and where somebody was stopped; for who is out, why."""
    player = state.players[seat]
    if player.gone:
        return text("farkle20.how.gone")
    best, busts = max(player.scores, default=0), player.scores.count(0)
    key = "farkle20.how" if player.finished else "farkle20.how.late"
    if busts:
        key = "farkle20.how.busts" if player.finished else "farkle20.how.late_busts"
    return text(key, best=best, busts=busts, turns=len(player.scores), of=TURNS)


def press(state: State, seat: int, selection: str, code: str) -> Action:
    """`k3` and `t3` choose a die or not; `roll` and `bank` move it, `roll_best` the best dice."""
    if code == "guide":
        return Answer(text("farkle20.guide"))
    hand = _hand(state, seat)
    return _possible(state, seat, picking.press(KIND, SCORING, hand, selection, code))


def command(
    state: State, seat: int, selection: str, name: str, words: str, names: Sequence[str] = ()
) -> Action:
    """`/roll 1 5` and `/bank 1 5`, or without dice for those selected; `/d` shows them again."""
    hand = _hand(state, seat)
    if name in ("d", "dice"):
        return Answer(_dice(state.players[seat]))
    dice = picking.typed(KIND, hand, selection, words)
    return _possible(state, seat, Move(picking.move(dice, name)))


def thrown(before: State, after: State, seat: int) -> Text:
    """What the move brought: the dice, or how the turn or game ended."""
    player, was = after.players[seat], before.players[seat]
    if player.gone:
        return text("farkle20.told.left")
    if player.late:
        return text("farkle20.told.late", total=player.total)
    if player.turn > was.turn:
        return text(f"farkle20.told.{_end(player)}", **_turn(player), then=_then(player))
    best, points = SCORING.best(player.hand.dice)
    return text(
        "farkle20.threw",
        dice=picking.spaced(player.hand.dice),
        best=picking.spaced(best),
        points=points,
    )


def named(state: State, seat: int, move: str) -> Text:
    """A move as people call it."""
    return picking.named(KIND, SCORING, state.players[seat].hand, move)


def situation(state: State, seat: int) -> Text:
    """Which turn of theirs it is, and its dice."""
    player = state.players[seat]
    return picking.situation(KIND, player.hand, player.turn)


def facing(state: State, seat: int) -> tuple[Text, ...]:
    """The dice; nothing else matters."""
    return tuple(picking.lines(KIND, SCORING, state.players[seat].hand, ""))


def meant(state: State, seat: int, selection: str) -> tuple[str, ...]:
    """What a selection could become."""
    return picking.meant(state.players[seat].hand, selection)


# -- inside -----------------------------------------------------------------------------------


def _hand(state: State, seat: int) -> Hand:
    """The open turn of `seat`. Raises `Refusal` for whoever plays no longer."""
    rules.throw(state, seat, "late")
    return state.players[seat].hand


def _possible(state: State, seat: int, action: Action) -> Action:
    """The action. Raises `Refusal` for a move that is not legal."""
    if isinstance(action, Move):
        rules.throw(state, seat, action.move)
    return action


def _head(state: State, player: Player) -> list[Text]:
    key = "farkle20.head.solo" if state.solo else "farkle20.head.own"
    lines = [text(key, turn=player.turn, of=TURNS, total=player.total, ends=Until())]
    if player.last:
        at_once = "_at_once" if _end(player) == "bust" and not player.last.points else ""
        lines.insert(0, text(f"farkle20.last.{_end(player)}{at_once}", **_turn(player)))
    if player.turn == TURNS:
        lines.append(text("farkle20.last_turn", total=player.total))
    return lines


def _end(player: Player) -> str:
    """How the last turn ended; whoever banks has something to bank."""
    return "banked" if player.scores[-1] else "bust"


def _turn(player: Player) -> dict[str, str | int]:
    """The last turn, for a sentence."""
    assert player.last
    return {
        "turn": len(player.scores),
        "points": player.last.points,
        "kept": picking.shown(player.last.kept),
        "dice": picking.spaced(player.last.dice),
        "hot": " " + picking.HOT * player.last.hot if player.last.hot else "",
    }


def _then(player: Player) -> Text:
    """What comes after a turn; turn 20 is announced."""
    key = "done" if player.finished else "last" if player.turn == TURNS else "next"
    return text(f"farkle20.then.{key}", turn=player.turn, total=player.total)


def _result(player: Player) -> Text:
    if player.gone:
        return text("farkle20.result.left")
    return text(
        "farkle20.result.finished" if player.finished else "farkle20.result.late",
        total=player.total,
        turns=len(player.scores),
        busts=player.scores.count(0),
        hot=player.hot,
        best=max(player.scores, default=0),
    )


def _standing(state: State) -> list[Text]:
    """Everybody from the highest total down; of many those behind the first fold."""
    ranked = rules.standing(state)
    gone = tuple(text("name", name=Name(s)) for s, it in enumerate(state.players) if it.gone)
    full = ranked if len(state.players) <= MOST_IN_FULL else ranked[:LEADERS]
    short = tuple(_in_short(state, seat) for seat in ranked[len(full) :])
    return [
        *(_line(state, seat) for seat in full),
        *([text("farkle20.rest", rest=Sides(short))] if short else []),
        *([text("farkle20.gone", names=gone)] if gone else []),
    ]


def _in_short(state: State, seat: int) -> Text:
    """`Emil 1,250 (12)`: the turn in brackets, no more of it once all are played."""
    player = state.players[seat]
    key = "farkle20.line.through" if player.finished or player.late else "farkle20.line.short"
    return text(key, name=Name(seat), total=player.total, turn=player.turn)


def _line(state: State, seat: int) -> Text:
    player = state.players[seat]
    key = "finished" if player.finished else "late" if player.late else "playing"
    turn = min(player.turn, TURNS)
    return text(f"farkle20.line.{key}", name=Name(seat), total=player.total, turn=turn, of=TURNS)


def _race(state: State, seat: int) -> Text:
    ranked = rules.standing(state)
    mine = state.players[seat].total
    place = 1 + sum(state.players[other].total > mine for other in ranked)
    first = state.players[ranked[0]]
    return text(
        "farkle20.race.front" if place == 1 else "farkle20.race",
        place=place,
        of=len(ranked),
        name=Name(ranked[0]),
        total=first.total,
        turn=min(first.turn, TURNS),
    )


def _dice(player: Player) -> Text:
    if not player.hand.dice:
        return text("farkle20.dice_none", turn=player.turn, total=player.total)
    best, points = SCORING.best(player.hand.dice)
    return text(
        "farkle20.dice",
        dice=picking.spaced(player.hand.dice),
        turn=player.hand.points,
        best=picking.spaced(best),
        points=points,
    )
