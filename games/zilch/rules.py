"""The rules of Zilch (RULES 3).

Moves are `roll`, after a throw the dice to set aside with what to do then (`15 roll`, `111 bank`),
`leave`, and `late`, made for whoever let the time pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, groupby
from typing import Any

from games.dice import chains
from games.game import HOUSE, NO_DICE, Outcome, Phase, Record, Refusal, Setup, Throw, deserted
from games.setaside import (
    DICE,
    FACES,
    NEW_HAND,
    Hand,
    Scoring,
    every_throw,
    moves,
    read,
    singles_and_sets,
)

VERSION = 2

GOAL = 10_000
LEAST_BANKED = 300
ZILCHES_IN_A_ROW, PENALTY = 3, 500
LATE_IN_A_ROW = 3
FORCED = ("late", "unseen")
"""What ends the turn of somebody who let the time pass, or was not shown that it ran."""
TURN_S = 60

SINGLES = {"1": 100, "5": 50}
THREES = {"1": 1000, "2": 200, "3": 300, "4": 400, "5": 500, "6": 600}
ALL_SIX = 1500
STRAIGHT = "123456"
THREE_PAIRS = tuple(
    "".join(face * 2 for face in pairs)
    for pairs in combinations_with_replacement(FACES, 3)
    if len({*pairs}) > 1
)
"""Six dice in three pairs, four equal ones and a pair included; six equal are none."""

SIX_FOR_NOTHING = 500

_SCORING_DICE = {
    **singles_and_sets(SINGLES, THREES),
    **dict.fromkeys((STRAIGHT, *THREE_PAIRS), ALL_SIX),
}
_AS_THEY_SCORE = Scoring(_SCORING_DICE)
BLANKS = tuple(throw for throw in every_throw(DICE) if not _AS_THEY_SCORE.set_asides(throw))
"""Six dice in which nothing scores."""

SCORING = Scoring({**_SCORING_DICE, **dict.fromkeys(BLANKS, SIX_FOR_NOTHING)})


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: banked points, zilches in a row, late turns in a row, and whether they are out."""

    bank: int = 0
    zilches: int = 0
    late: int = 0
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that is over: whose, its hand as it ended, and how.

    `banked`, `zilch`, `penalty` (the third zilch in a row), `late_banked`, `late`, `out` (late for
    the third time in a row) or `left`. `bank` is what its player had afterwards.
    """

    seat: int
    end: str
    hand: Hand
    bank: int


@dataclass(frozen=True, slots=True)
class State:
    """A game of Zilch.

    `queue` holds the seats that still have turns, the one who acts first; in the last round nobody
    comes back into it. `closer` is the seat that began the last round.
    """

    players: tuple[Player, ...]
    queue: tuple[int, ...]
    hand: Hand = NEW_HAND
    turns: tuple[Turn, ...] = ()
    closer: int | None = None
    rev: int = 1
    guests: tuple[int, ...] = ()

    @property
    def turn(self) -> int:
        """The seat whose turn it is; the house's when the game is over."""
        return HOUSE if _over(self) else self.queue[0]


def start(setup: Setup) -> State:
    """The state before the first throw of seat 0."""
    players = tuple(Player() for _ in range(setup.seats))
    return State(players, tuple(range(setup.seats)), guests=setup.guests)


def house(state: State) -> str | None:
    """The house does nothing."""
    return None


def admits(state: State) -> bool:
    """Nobody joins a game that runs."""
    return False


def throw(state: State, seat: int, move: str) -> Throw:
    """The dice of `move`. Raises `Refusal` if `seat` cannot make it."""
    if _over(state) or (seat != HOUSE and state.players[seat].gone):
        raise Refusal("zilch.refused.gone")
    if seat != HOUSE and move == "leave":
        if seat not in state.queue:  # their last turn is over: result and rank stay (RULES 0)
            raise Refusal("zilch.refused.through", bank=state.players[seat].bank)
        return NO_DICE
    if seat != state.turn:
        raise Refusal("zilch.refused.turn")
    if move in FORCED:
        return NO_DICE
    found, action = read("zilch", SCORING, state.hand, move)
    after = state.hand.taken(found)
    if action == "roll":
        return Throw((len(FACES),) * after.to_throw)
    if after.points < LEAST_BANKED:
        raise Refusal("zilch.refused.too_little", least=LEAST_BANKED, points=after.points)
    return NO_DICE


def play(state: State, seat: int, move: str, dice: tuple[int, ...]) -> State:
    """The state after `move`. Raises `Refusal` if it is not legal, ValueError for other dice."""
    chains(throw(state, seat, move), dice)
    if move == "leave":
        return _left(state, seat)
    if move in FORCED:
        return _late(state, counts=move == "late")
    found, action = read("zilch", SCORING, state.hand, move)
    hand = state.hand.taken(found)
    if action == "bank":
        return _banked(replace(state, hand=hand))
    state = replace(state, hand=hand.thrown(dice))
    if SCORING.set_asides(state.hand.dice):
        return replace(state, rev=state.rev + 1)
    return _zilch(state)


def phase(state: State, seat: int = HOUSE) -> Phase:
    """One person's throw or choice; each turn on a new message."""
    actors = () if _over(state) else (state.turn,)
    return Phase(state.rev, len(state.turns) + 1, TURN_S, actors)


def expire(state: State, seat: int = HOUSE, *, seen: bool = True) -> tuple[int, str] | None:
    """The turn of whoever is late, or was shown nothing, is ended for them."""
    return None if _over(state) else (state.turn, "late" if seen else "unseen")


def seated(state: State) -> tuple[int, ...]:
    """The seats neither gone nor taken out."""
    return tuple(seat for seat, player in enumerate(state.players) if not player.gone)


def outcome(state: State) -> Outcome | None:
    """The highest bank after the last round, or only one player left."""
    if not _over(state):
        return None

    def bank(seat: int) -> int:
        return -state.players[seat].bank

    people = [seat for seat in range(len(state.players)) if seat not in state.guests]
    ranked = sorted((seat for seat in people if not state.players[seat].gone), key=bank)
    places = tuple(tuple(group) for _, group in groupby(ranked, key=bank))
    out = tuple(seat for seat in people if state.players[seat].gone)
    if not places:
        reason = "nobody"
    elif len(ranked) == 1 < len(people):
        reason = "alone"
    else:
        reason = "level" if len(places[0]) > 1 else "ranked"
    records = tuple(Record("total", seat, state.players[seat].bank) for seat in ranked)
    return Outcome(reason, places, out, records=records)


def legal(state: State, seat: int) -> tuple[str, ...]:
    """Everything `seat` can set aside now, to throw on or to bank."""
    if seat != state.turn:
        return ()
    return moves(SCORING, state.hand.dice, max(0, LEAST_BANKED - state.hand.points))


def tally(state: State) -> dict[str, int]:
    """Turns, and among them zilches, penalties for three in a row, and hot dice."""
    ends = [turn.end for turn in state.turns]
    return {
        "turns": len(ends),
        "zilches": ends.count("zilch") + ends.count("penalty"),
        "penalties": ends.count("penalty"),
        "hot_dice": sum(turn.hand.hot for turn in state.turns),
    }


def score(dice: str) -> dict[str, Any]:
    """The document of `dicehall score zilch`. Raises `Refusal` for what is no throw."""
    if not 1 <= len(dice) <= DICE or {*dice} - {*FACES}:
        raise Refusal("zilch.refused.no_throw", dice=dice[:20])
    return SCORING.document(dice)


# -- inside -----------------------------------------------------------------------------------


def _over(state: State) -> bool:
    return not state.queue or deserted(seated(state), len(state.players), state.guests)


def _banked(state: State) -> State:
    return _ended(state, "banked", Player(state.players[state.turn].bank + state.hand.points))


def _zilch(state: State) -> State:
    player = state.players[state.turn]
    if player.zilches + 1 < ZILCHES_IN_A_ROW:
        return _ended(state, "zilch", Player(player.bank, player.zilches + 1))
    return _ended(state, "penalty", Player(player.bank - PENALTY))


def _late(state: State, *, counts: bool) -> State:
    """What was set aside is banked if it may be; the third time in a row that `counts` is the
    last."""
    player = state.players[state.turn]
    late, end = player.late + counts, "late"
    if state.hand.points >= LEAST_BANKED:
        player, end = Player(player.bank + state.hand.points), "late_banked"
    gone = counts and late == LATE_IN_A_ROW
    return _ended(state, "out" if gone else end, replace(player, late=late, gone=gone))


def _left(state: State, seat: int) -> State:
    player = replace(state.players[seat], gone=True)
    if seat == state.turn:
        return _ended(state, "left", player)
    queue = tuple(other for other in state.queue if other != seat)
    state = replace(_with(state, seat, player), queue=queue)
    return replace(state, rev=state.rev + 1) if _over(state) else state


def _ended(state: State, end: str, player: Player) -> State:
    """The turn is over and leaves its player as `player`; the next one begins."""
    seat = state.turn
    turn = Turn(seat, end, state.hand, player.bank)
    closer = state.closer
    if closer is None and player.bank >= GOAL:
        closer = seat
    again = () if player.gone or closer is not None else (seat,)
    return replace(
        _with(state, seat, player),
        queue=(*state.queue[1:], *again),
        hand=NEW_HAND,
        turns=(*state.turns, turn),
        closer=closer,
        rev=state.rev + 1,
    )


def _with(state: State, seat: int, player: Player) -> State:
    players = (*state.players[:seat], player, *state.players[seat + 1 :])
    return replace(state, players=players)
