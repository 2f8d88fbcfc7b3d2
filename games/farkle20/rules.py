"""The rules of Farkle 20 Limited (RULES 4).

Everybody plays their own twenty turns, whatever the others do. Moves are `roll`, after a throw the
dice to set aside with what to do then (`15 roll`, `111 bank`), `leave`, and `late`, made for
whoever let the time pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from games.dice import chains
from games.game import HOUSE, NO_DICE, Outcome, Phase, Record, Refusal, Setup, Throw
from games.setaside import DICE, FACES, NEW_HAND, Hand, Scoring, moves, read, singles_and_sets

VERSION = 2

TURNS = 20
RACE_S, IDLE_S, SOLO_S = 30 * 60, 10 * 60, 24 * 3600
NO_MINIMUM = 0

SINGLES = {"1": 100, "5": 50}
THREES = {"1": 1000, "2": 200, "3": 300, "4": 400, "5": 500, "6": 600}
STRAIGHT = {"123456": 2000}

SCORING = Scoring({**singles_and_sets(SINGLES, THREES), **STRAIGHT})


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: what each turn so far brought, the open turn, and how the last one ended.

    `hot` counts the hot dice of the turns that are over. `late`: finished as they stood. `rev`
    grows with every move they make while they play.
    """

    scores: tuple[int, ...] = ()
    hand: Hand = NEW_HAND
    last: Hand | None = None
    hot: int = 0
    late: bool = False
    gone: bool = False
    rev: int = 1

    @property
    def total(self) -> int:
        """The banked points."""
        return sum(self.scores)

    @property
    def turn(self) -> int:
        """The number of the open turn, 1 to 20; 21 after the last."""
        return len(self.scores) + 1

    @property
    def finished(self) -> bool:
        """Whether all twenty turns are over."""
        return len(self.scores) == TURNS

    @property
    def playing(self) -> bool:
        """Whether they still have a turn to play."""
        return not (self.finished or self.late or self.gone)


@dataclass(frozen=True, slots=True)
class State:
    """A race, or the game of one. `finished` are the seats whose turn 20 is over, in that order."""

    players: tuple[Player, ...]
    finished: tuple[int, ...] = ()
    guests: tuple[int, ...] = ()

    @property
    def solo(self) -> bool:
        """Whether somebody plays alone."""
        return len(self.players) == 1

    @property
    def over(self) -> bool:
        """Whether everybody is through, or only a guest is left."""
        people = (seat for seat in range(len(self.players)) if seat not in self.guests)
        gone = all(self.players[seat].gone for seat in people)
        return gone or not any(player.playing for player in self.players)


def start(setup: Setup) -> State:
    """The state before anybody has thrown."""
    return State(tuple(Player() for _ in range(setup.seats)), guests=setup.guests)


def house(state: State) -> str | None:
    """The house does nothing."""
    return None


def admits(state: State) -> bool:
    """Nobody joins a race that runs."""
    return False


def throw(state: State, seat: int, move: str) -> Throw:
    """The dice of `move`. Raises `Refusal` if `seat` cannot make it."""
    if seat == HOUSE or state.over or state.players[seat].gone:
        raise Refusal("farkle20.refused.gone")
    player = state.players[seat]
    if not player.playing:  # who is through keeps result and rank, whatever they do (RULES 0)
        raise Refusal("farkle20.refused.through", total=player.total)
    if move in ("leave", "late"):
        return NO_DICE
    found, action = read("farkle20", SCORING, player.hand, move)
    if action == "bank":
        return NO_DICE
    return Throw((len(FACES),) * player.hand.taken(found).to_throw)


def play(state: State, seat: int, move: str, dice: tuple[int, ...]) -> State:
    """The state after `move`. Raises `Refusal` if it is not legal, ValueError for other dice."""
    chains(throw(state, seat, move), dice)
    player = state.players[seat]
    player = replace(player, rev=player.rev + player.playing)
    if move == "leave":
        return _with(state, seat, replace(player, gone=True))
    if move == "late":
        return _with(state, seat, replace(player, late=True))
    found, action = read("farkle20", SCORING, player.hand, move)
    hand = player.hand.taken(found)
    if action == "bank":
        return _turn_over(state, seat, player, hand, hand.points)
    hand = hand.thrown(dice)
    if SCORING.set_asides(hand.dice):
        return _with(state, seat, replace(player, hand=hand))
    return _turn_over(state, seat, player, hand, 0)


def phase(state: State, seat: int = HOUSE) -> Phase:
    """The race of everybody, which changes only when it is over; or the game of one `seat`."""
    if seat == HOUSE:
        return Phase(1 + state.over, 1, SOLO_S if state.solo else RACE_S, ())
    player = state.players[seat]
    actors = (seat,) if player.playing else ()
    return Phase(player.rev, 1, SOLO_S if state.solo else IDLE_S, actors)


def expire(state: State, seat: int = HOUSE, *, seen: bool = True) -> tuple[int, str] | None:
    """Whoever still plays is finished as they stand; the open turn is lost."""
    seats = range(len(state.players)) if seat == HOUSE else (seat,)
    return next(((late, "late") for late in seats if state.players[late].playing), None)


def seated(state: State) -> tuple[int, ...]:
    """The seats that nobody left, also those that are through."""
    return tuple(seat for seat, player in enumerate(state.players) if not player.gone)


def outcome(state: State) -> Outcome | None:
    """The ranking by banked totals once everybody is through."""
    if not state.over:
        return None
    ranked = [seat for seat in standing(state) if seat not in state.guests]
    groups = groupby(ranked, key=lambda seat: state.players[seat].total)
    places = tuple(tuple(group) for _, group in groups)
    gone = (seat for seat, player in enumerate(state.players) if player.gone)
    out = tuple(seat for seat in gone if seat not in state.guests)
    return Outcome(_reason(state, places), places, out, records=_records(state))


def legal(state: State, seat: int) -> tuple[str, ...]:
    """Everything `seat` can set aside now, to throw on or to bank."""
    player = state.players[seat]
    return moves(SCORING, player.hand.dice, NO_MINIMUM) if player.playing else ()


def tally(state: State) -> dict[str, int]:
    """Turns that are over, busts among them, and hot dice."""
    scores = [score for player in state.players for score in player.scores]
    return {
        "turns": len(scores),
        "busts": scores.count(0),
        "hot_dice": sum(player.hot for player in state.players),
    }


def standing(state: State) -> tuple[int, ...]:
    """The seats nobody left, from the highest banked total down."""
    return tuple(sorted(seated(state), key=lambda seat: -state.players[seat].total))


def score(dice: str) -> dict[str, Any]:
    """The document of `dicehall score farkle20`. Raises `Refusal` for what is no throw."""
    if not 1 <= len(dice) <= DICE or {*dice} - {*FACES}:
        raise Refusal("farkle20.refused.no_throw", dice=dice[:20])
    return SCORING.document(dice)


# -- inside -----------------------------------------------------------------------------------


def _turn_over(state: State, seat: int, player: Player, hand: Hand, points: int) -> State:
    player = replace(
        player,
        scores=(*player.scores, points),
        hand=NEW_HAND,
        last=hand,
        hot=player.hot + hand.hot,
    )
    finished = (*state.finished, seat) if player.finished else state.finished
    return replace(_with(state, seat, player), finished=finished)


def _with(state: State, seat: int, player: Player) -> State:
    players = (*state.players[:seat], player, *state.players[seat + 1 :])
    return replace(state, players=players)


def _reason(state: State, places: tuple[tuple[int, ...], ...]) -> str:
    if not places:
        return "nobody"
    if state.solo:
        return "solo"
    return "level" if len(places[0]) > 1 else "ranked"


def _records(state: State) -> tuple[Record, ...]:
    """The totals of twenty turns, in the order in which turn 20 ended."""
    people = (seat for seat in state.finished if seat not in state.guests)
    return tuple(Record("world", seat, state.players[seat].total) for seat in people)
