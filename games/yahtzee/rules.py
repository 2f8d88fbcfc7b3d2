"""The rules of Yahtzee (RULES 2).

Moves are `roll` (all five dice, the first throw of a turn), `roll 135` (dice 1, 3 and 5 again),
`roll 0` (none; the throw is spent), `score full_house`, `leave`, `join` of the next free seat, and
`late`: what happens to somebody who let the time pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations, groupby

from games.dice import chains
from games.game import HOUSE, NO_DICE, Outcome, Phase, Record, Refusal, Setup, Throw, deserted, text
from games.yahtzee import boxes
from games.yahtzee.boxes import BOXES, DICE, EMPTY, Dice, Sheet

VERSION = 2

MOST_SEATS = 8
THROWS = 3
TURN_S = 60
MOST_LATE = 3
FORCED = ("late", "unseen")
"""What is made for somebody who let the time pass, or was not shown that it ran."""
ALL = tuple(range(1, DICE + 1))

_AGAIN = {
    "roll " + ("".join(map(str, places)) or "0"): places
    for count in range(DICE + 1)
    for places in combinations(ALL, count)
}
"""The moves of a second or third throw, and the dice each throws again."""
_SCORES = {f"score {box}": box for box in BOXES}


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: its sheet, how many bonuses of 100 it holds, how many turns in a row were late."""

    sheet: Sheet = EMPTY
    bonuses: int = 0
    late: int = 0
    gone: bool = False

    @property
    def scored(self) -> int:
        """How many boxes are filled."""
        return sum(value is not None for value in self.sheet)

    @property
    def extra(self) -> int:
        """The points of its Yahtzee bonuses."""
        return self.bonuses * boxes.YAHTZEE_BONUS

    @property
    def total(self) -> int:
        """Everything: boxes, upper bonus and Yahtzee bonuses."""
        filled = sum(value or 0 for value in self.sheet)
        return filled + boxes.upper_bonus(self.sheet) + self.extra


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that is over: the dice as they lay and the box they were scored in.

    `box` is empty for somebody who left in their own turn. `out` says that it was the last of too
    many late ones.
    """

    seat: int
    dice: Dice
    box: str = ""
    value: int = 0
    bonus: int = 0
    late: bool = False
    out: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """A game of Yahtzee.

    `turn` is the seat that throws, None once the game is over; `dice` lie before it (none before
    its first throw), `thrown` times; `held` are the places of those it kept with the last throw.
    """

    players: tuple[Player, ...]
    turn: int | None = 0
    dice: Dice = ()
    thrown: int = 0
    held: tuple[int, ...] = ()
    turns: tuple[Turn, ...] = ()
    rev: int = 1
    guests: tuple[int, ...] = ()

    @property
    def round(self) -> int:
        """The running round, from 1 to 15; of a finished game the last one."""
        playing = [player.scored for player in self.players if not player.gone]
        return min(len(BOXES), min(playing) + 1)


def start(setup: Setup) -> State:
    """The state before the first throw."""
    return State(tuple(Player() for _ in range(setup.seats)), guests=setup.guests)


def house(state: State) -> str | None:
    """The house has nothing to do."""
    return None


def admits(state: State) -> bool:
    """Until everybody who is in has finished their first turn, while there is a seat."""
    return (
        state.turn is not None
        and len(state.players) < MOST_SEATS
        and any(not player.gone and not player.scored for player in state.players)
    )


def throw(state: State, seat: int, move: str) -> Throw:
    """The dice of `move`. Raises `Refusal` if `seat` cannot make it."""
    if move == "join":
        if seat != len(state.players) or not admits(state):
            raise Refusal("yahtzee.refused.join")
        return NO_DICE
    require_seat(state, seat)
    if move == "leave":
        player = state.players[seat]
        if player.scored == len(BOXES):  # their last turn is over: result and rank stay (RULES 0)
            raise Refusal("yahtzee.refused.through", total=player.total)
        return NO_DICE
    require_turn(state, seat)
    if move in FORCED:
        return NO_DICE if state.dice else _dice(ALL)
    if move in _SCORES:
        return _score_throw(state, _SCORES[move])
    return _dice(_places(state, move))


def play(state: State, seat: int, move: str, dice: tuple[int, ...]) -> State:
    """The state after `move`. Raises `Refusal` if it is not legal, ValueError for other dice."""
    chains(throw(state, seat, move), dice)
    if move == "join":
        return replace(state, players=(*state.players, Player()))
    if move == "leave":
        return _left(state, seat)
    if move in FORCED:
        lie = state.dice or dice
        best = boxes.best(_sheet(state), lie)
        return _scored(replace(state, dice=lie), seat, best, forced=move)
    if move in _SCORES:
        return _scored(state, seat, _SCORES[move])
    return _thrown(state, _places(state, move), dice)


def phase(state: State, seat: int = HOUSE) -> Phase:
    """One person's throw or choice; every turn is a new scene."""
    actors = () if state.turn is None else (state.turn,)
    return Phase(state.rev, len(state.turns) + 1, TURN_S, actors)


def expire(state: State, seat: int = HOUSE, *, seen: bool = True) -> tuple[int, str] | None:
    """`late` of the one whose turn it is, `unseen` where nobody was shown that it is."""
    return None if state.turn is None else (state.turn, "late" if seen else "unseen")


def seated(state: State) -> tuple[int, ...]:
    """The seats neither gone nor taken out."""
    return tuple(seat for seat, player in enumerate(state.players) if not player.gone)


def outcome(state: State) -> Outcome | None:
    """A ranking by total, or whoever is left.

    Recorded are the totals of full sheets: whoever was left alone early has not played to the end.
    """
    if state.turn is not None:
        return None
    people = [seat for seat in range(len(state.players)) if seat not in state.guests]
    out = tuple(seat for seat in people if state.players[seat].gone)
    places = ranking(state)
    if not places:
        reason = "nobody"
    elif len(out) == len(people) - 1 > 0:
        reason = "last"
    else:
        reason = "tied" if len(places[0]) > 1 else "ranked"
    records = tuple(
        Record("total", seat, state.players[seat].total)
        for group in places
        for seat in group
        if state.players[seat].scored == len(BOXES)
    )
    return Outcome(reason, places, out, records=records)


def legal(state: State, seat: int) -> tuple[str, ...]:
    """Every box and every throw `seat` can choose now.

    Boxes come first: who is as well off throwing no die again had better score (RULES 8).
    """
    if seat != state.turn:
        return ()
    if not state.thrown:
        return ("roll",)
    scores = tuple(f"score {box}" for box in boxes.open_boxes(_sheet(state)))
    return (*scores, *_AGAIN) if state.thrown < THROWS else scores


def tally(state: State) -> dict[str, int]:
    """Turns scored and those scored late, Yahtzees in them, and bonuses of both kinds."""
    scored = [turn for turn in state.turns if turn.box]
    return {
        "turns": len(scored),
        "late_turns": sum(turn.late for turn in scored),
        "yahtzees": sum(boxes.is_yahtzee(turn.dice) for turn in scored),
        "yahtzee_bonuses": sum(player.bonuses for player in state.players),
        "upper_bonuses": sum(boxes.upper_bonus(player.sheet) > 0 for player in state.players),
    }


def require_seat(state: State, seat: int) -> None:
    """Raises `Refusal` unless the game runs and `seat` is in it."""
    if state.turn is None:
        raise Refusal("yahtzee.refused.over")
    if not 0 <= seat < len(state.players) or state.players[seat].gone:
        raise Refusal("yahtzee.refused.gone")


def require_turn(state: State, seat: int) -> None:
    """Raises `Refusal` unless it is the turn of `seat`."""
    require_seat(state, seat)
    if seat != state.turn:
        raise Refusal("yahtzee.refused.turn", n=_ahead(state, seat))


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """The people still in by their total, highest first; level ones in one group."""

    def lowness(seat: int) -> int:
        return -state.players[seat].total

    ranked = sorted((seat for seat in seated(state) if seat not in state.guests), key=lowness)
    return tuple(tuple(group) for _, group in groupby(ranked, key=lowness))


def new_leader(state: State) -> int | None:
    """The seat that leads since the round that has just ended; None in mid-round or as before.

    Sheets are compared only where everybody has scored as often.
    """
    seats = seated(state)
    scored = {state.players[seat].scored for seat in seats}
    if len(scored) != 1 or len(state.turns) < 2 * len(seats):
        return None
    leader = _leader({seat: state.players[seat].total for seat in seats})
    before = _leader({seat: _total_before(state, seat) for seat in seats})
    return leader if leader != before else None


# -- inside -----------------------------------------------------------------------------------


def _leader(totals: dict[int, int]) -> int | None:
    """The seat with the highest total; None where several have it."""
    most = max(totals.values())
    first = [seat for seat, total in totals.items() if total == most]
    return first[0] if len(first) == 1 else None


def _total_before(state: State, seat: int) -> int:
    """What `seat` had before the last turn it scored."""
    player = state.players[seat]
    turn = next(turn for turn in reversed(state.turns) if turn.seat == seat and turn.box)
    at = BOXES.index(turn.box)
    sheet = (*player.sheet[:at], None, *player.sheet[at + 1 :])
    return Player(sheet, player.bonuses - (turn.bonus > 0)).total


def _dice(places: Iterable[int]) -> Throw:
    return Throw(tuple(6 for _ in places))


def _sheet(state: State) -> Sheet:
    assert state.turn is not None
    return state.players[state.turn].sheet


def _places(state: State, move: str) -> tuple[int, ...]:
    """The places of the dice that `move` throws. Raises `Refusal` if it is no throw now."""
    if not state.thrown:
        if move != "roll":
            raise Refusal("yahtzee.refused.first")
        return ALL
    if move not in _AGAIN:
        raise Refusal("yahtzee.refused.unreadable")
    if state.thrown == THROWS:
        sheet = _sheet(state)
        box = boxes.best(sheet, state.dice)
        value = boxes.value(box, state.dice)
        raise Refusal("yahtzee.refused.no_throw", box=text(f"yahtzee.box.{box}"), value=value)
    return _AGAIN[move]


def _score_throw(state: State, box: str) -> Throw:
    if not state.dice:
        raise Refusal("yahtzee.refused.first")
    sheet = _sheet(state)
    still = boxes.open_boxes(sheet)
    if box not in still:
        raise Refusal(
            "yahtzee.refused.used_box",
            box=text(f"yahtzee.box.{box}"),
            value=sheet[BOXES.index(box)],
            left=tuple(text(f"yahtzee.box.{other}") for other in still),
        )
    return NO_DICE


def _ahead(state: State, seat: int) -> int:
    """How many turns come before that of `seat`, the running one included."""
    assert state.turn is not None
    seats = len(state.players)
    between = (seat - state.turn) % seats
    ahead = ((state.turn + step) % seats for step in range(between))
    return sum(not state.players[other].gone for other in ahead)


def _with(state: State, seat: int, player: Player) -> State:
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def _thrown(state: State, places: tuple[int, ...], dice: Dice) -> State:
    lie = list(state.dice) or [0] * DICE
    for place, face in zip(places, dice, strict=True):
        lie[place - 1] = face
    held = tuple(place for place in ALL if place not in places)
    return replace(state, dice=tuple(lie), thrown=state.thrown + 1, held=held, rev=state.rev + 1)


def _scored(state: State, seat: int, box: str, *, forced: str = "") -> State:
    """The state after `seat` scored its dice; the third late turn in a row takes it out, and one
    that was `unseen` does not count."""
    player, at = state.players[seat], BOXES.index(box)
    value = boxes.value(box, state.dice)
    bonus = boxes.bonus(player.sheet, state.dice)
    late = forced in FORCED
    in_a_row = player.late + (forced == "late") if late else 0
    out = in_a_row == MOST_LATE
    scored = Player(
        (*player.sheet[:at], value, *player.sheet[at + 1 :]),
        player.bonuses + (bonus > 0),
        in_a_row,
        out,
    )
    turn = Turn(seat, state.dice, box, value, bonus, late, out)
    return _next(_with(state, seat, scored), turn)


def _left(state: State, seat: int) -> State:
    after = _with(state, seat, replace(state.players[seat], gone=True))
    if seat == state.turn:
        return _next(after, Turn(seat, state.dice))
    if _deserted(after):
        return replace(after, turn=None, rev=state.rev + 1)
    return after


def _next(state: State, over: Turn) -> State:
    """The next in the order throws, if there are two in the game and boxes to score."""
    seats = len(state.players)
    order = [(over.seat + step) % seats for step in range(1, seats + 1)]
    still = [seat for seat in order if not state.players[seat].gone]
    done = _deserted(state) or state.players[still[0]].scored == len(BOXES)
    return State(
        state.players,
        None if done else still[0],
        turns=(*state.turns, over),
        rev=state.rev + 1,
        guests=state.guests,
    )


def _deserted(state: State) -> bool:
    return deserted(seated(state), len(state.players), state.guests)
