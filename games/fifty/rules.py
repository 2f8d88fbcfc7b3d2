"""The rules of Fifty! (RULES 1.2 to 1.4, 1.6).

Moves are a pool (`4+4+12`), `late` (the lowest die of somebody who let the time pass), `leave`, and
of the house `deal` (the three limits) and `stechen` (its limit and order).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import groupby, product
from typing import Any

from games.dice import Pool, chains, notation, parse, show
from games.game import HOUSE, NO_DICE, Outcome, Phase, Record, Refusal, Setup, Throw

VERSION = 2

DICE: Pool = (4, 4, 4, 6, 6, 8, 8, 10, 12, 20)
ROUNDS = 3
TARGET = 50
LOWEST_LIMIT, HIGHEST_LIMIT = 5, 40
TURN_S = 25
PAID_PLACES = 3

LIMITS = tuple(
    triple
    for triple in product(range(LOWEST_LIMIT, HIGHEST_LIMIT + 1), repeat=ROUNDS)
    if sum(triple) == TARGET
)
"""The ordered triples the limits are drawn from (RULES 1.3): 666."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """A throw as it lies: the chain of each die, and the limit it was thrown at.

    `sides` are the faces of each die. `late` says that it fell for somebody who let the time pass.
    """

    dice: tuple[tuple[int, ...], ...]
    limit: int
    sides: Pool = ()
    late: bool = False
    sum: int = field(init=False, repr=False, compare=False)
    """The points of the throw."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sum", sum(map(sum, self.dice)))

    @property
    def over(self) -> int:
        """How far it lies over its limit; 0 or less if it does not."""
        return self.sum - self.limit


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: the dice left, the throws so far (one a round), and whether it was left."""

    dice: Pool = DICE
    throws: tuple[Thrown, ...] = ()
    gone: bool = False
    playing: bool = field(init=False, repr=False, compare=False)
    """Neither over a limit nor gone."""
    total: int = field(init=False, repr=False, compare=False)
    """The sum of all throws."""
    bullseyes: int = field(init=False, repr=False, compare=False)
    """How many of them hit their limit."""

    def __post_init__(self) -> None:
        playing = not self.gone and all(thrown.over <= 0 for thrown in self.throws)
        object.__setattr__(self, "playing", playing)
        object.__setattr__(self, "total", sum(thrown.sum for thrown in self.throws))
        bullseyes = sum(thrown.over == 0 for thrown in self.throws)
        object.__setattr__(self, "bullseyes", bullseyes)


@dataclass(frozen=True, slots=True)
class Stechen:
    """A tie-break: its limit, who throws in which order, and what they threw so far.

    `first` is the rev of its first throw.
    """

    limit: int
    order: tuple[int, ...]
    first: int
    throws: dict[int, Thrown] = field(default_factory=dict)

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return next(seat for seat in self.order if seat not in self.throws)


@dataclass(frozen=True)
class State:
    """A game of Fifty!, which reckons who waits and what is a record only once.

    `round` is 0 before the deal, 1 to 3, and 4 when the ranking is being settled. `ranking` holds
    the seats from the top, level ones in one group. `tiebreaks` are the Stechen that are over.
    `thrower` is the seat of the latest throw of a round.
    """

    players: tuple[Player, ...]
    limits: tuple[int, ...] = ()
    round: int = 0
    rev: int = 0
    ranking: tuple[tuple[int, ...], ...] = ()
    stechen: Stechen | None = None
    tiebreaks: tuple[Stechen, ...] = ()
    thrower: int = HOUSE
    guests: tuple[int, ...] = ()

    @property
    def limit(self) -> int:
        """The limit that counts now."""
        return self.stechen.limit if self.stechen else self.limits[min(self.round, ROUNDS) - 1]

    @cached_property
    def waiting(self) -> tuple[int, ...]:
        """The seats that may throw now, in joining order."""
        if self.stechen:
            return (self.stechen.turn,)
        if not 1 <= self.round <= ROUNDS or self.sweeper is not None:
            return ()
        return tuple(
            seat
            for seat, player in enumerate(self.players)
            if player.playing and len(player.throws) < self.round
        )

    @cached_property
    def sweeper(self) -> int | None:
        """The seat that hit all three limits, if there is one (RULES 1.6)."""
        for seat, player in enumerate(self.players):
            if player.bullseyes == ROUNDS and seat not in self.guests:
                return seat
        return None

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The seats that belong to somebody."""
        return tuple(seat for seat in range(len(self.players)) if seat not in self.guests)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """What `records` tells."""
        return tuple(
            Record("over", seat, it.over, f"{show(it.dice)} = {it.sum} > {it.limit}")
            for seat in self.people
            for it in self.players[seat].throws
            if it.over > 0
        )

    def dice(self, seat: int) -> Pool:
        """The dice `seat` can throw now."""
        return DICE if self.stechen else self.players[seat].dice


def start(setup: Setup) -> State:
    """The state before the limits are dealt."""
    return State(tuple(Player() for _ in range(setup.seats)), guests=setup.guests)


def house(state: State) -> str | None:
    """`deal` before the first round, `stechen` while a paid place hangs on a tie."""
    if state.round == 0:
        return "deal"
    if state.round > ROUNDS and not state.stechen and _tie(state):
        return "stechen"
    return None


def admits(state: State) -> bool:
    """Nobody joins a game that runs."""
    return False


def throw(state: State, seat: int, move: str) -> Throw:
    """The dice of `move`. Raises `Refusal` if `seat` cannot make it."""
    if seat == HOUSE:
        return _house_throw(state, move)
    player = state.players[seat]
    if player.gone or outcome(state):
        raise Refusal("fifty.refused.gone")
    if move == "leave":
        return NO_DICE
    if not player.playing:
        raise Refusal("fifty.refused.out")
    if seat not in state.waiting:
        raise Refusal("fifty.refused.stechen" if state.stechen else "fifty.refused.thrown")
    if move == "late" and seat == state.waiting[0]:
        return Throw(state.dice(seat)[:1], open=True)
    return Throw(pool(state, seat, move), open=True)


def pool(state: State, seat: int, words: str) -> Pool:
    """The dice that `words` name out of those `seat` has left (RULES 1.2). Raises `Refusal`."""
    left = state.dice(seat)
    try:
        wanted = parse(words)
    except Refusal as refusal:
        empty = refusal.text.key == "dice.none"
        raise Refusal(
            "fifty.refused.empty" if empty else "fifty.refused.unreadable", left=notation(left)
        ) from refusal
    for die in wanted:
        held = left.count(die)
        if held == 0:
            raise Refusal("fifty.refused.die", die=die, left=notation(left))
        if held < wanted.count(die):
            raise Refusal("fifty.refused.too_many", n=held, die=die, left=notation(left))
    return wanted


def play(state: State, seat: int, move: str, dice: tuple[int, ...]) -> State:
    """The state after `move`. Raises `Refusal` if it is not legal, ValueError for other dice."""
    cast = throw(state, seat, move)
    lie = chains(cast, dice)
    if move == "deal":
        return _settled(replace(state, limits=LIMITS[dice[0] - 1], round=1, rev=1))
    if move == "stechen":
        return replace(state, stechen=_stechen(state, dice), rev=state.rev + 1)
    if move == "leave":
        return _left(state, seat)
    thrown = Thrown(lie, state.limit, cast.sides, move == "late")
    if state.stechen:
        return _thrown_in_stechen(state, state.stechen, seat, thrown)
    player = state.players[seat]
    left = list(player.dice)
    for sides in cast.sides:
        left.remove(sides)
    player = Player(tuple(left), (*player.throws, thrown))
    return _settled(_with(state, seat, player, thrower=seat))


def phase(state: State, seat: int = HOUSE) -> Phase:
    """A round of everybody, or one person's throw in a Stechen; each on a new message."""
    return Phase(state.rev, state.rev, TURN_S, state.waiting)


def expire(state: State, seat: int = HOUSE, *, seen: bool = True) -> tuple[int, str] | None:
    """The lowest die of the first one who is late (RULES 1.3)."""
    if outcome(state) or not state.waiting:
        return None
    return state.waiting[0], "late"


def seated(state: State) -> tuple[int, ...]:
    """The seats neither over a limit nor gone."""
    return tuple(seat for seat, player in enumerate(state.players) if player.playing)


def outcome(state: State) -> Outcome | None:
    """Three bullseyes, a ranking, or everybody out."""
    everybody = state.people
    if state.sweeper is not None:
        others = tuple(seat for seat in everybody if seat != state.sweeper)
        return Outcome("bullseyes", ((state.sweeper,),), others, True, records(state))
    if state.round <= ROUNDS or state.stechen or _tie(state):
        return None
    ranked = {seat for group in state.ranking for seat in group}
    out = tuple(seat for seat in everybody if seat not in ranked)
    reason = "ranked" if ranked else "all_out"
    return Outcome(reason, state.ranking, out, records=records(state))


def legal(state: State, seat: int) -> tuple[str, ...]:
    """Every pool `seat` can throw now."""
    if outcome(state) or seat not in state.waiting:
        return ()
    return _pools(state.dice(seat))


def tally(state: State) -> dict[str, int]:
    """Rounds played, throws over their limit, and bullseyes; a Stechen does not count."""
    throws = [thrown for player in state.players for thrown in player.throws if thrown.dice]
    return {
        "rounds": max(len(player.throws) for player in state.players),
        "busts": sum(thrown.over > 0 for thrown in throws),
        "bullseyes": sum(thrown.over == 0 for thrown in throws),
    }


def standing(state: State, seat: int) -> int:
    """The place `seat` holds now among those playing; 0 for somebody who is out."""
    if state.round > ROUNDS:
        ahead = 0
        for group in state.ranking:
            if seat in group:
                return ahead + 1
            ahead += len(group)
        return 0
    player = state.players[seat]
    if not player.playing:
        return 0
    return 1 + sum(other.playing and other.total > player.total for other in state.players)


def records(state: State) -> tuple[Record, ...]:
    """The throws that went over the limit, by how far (RULES 1.7)."""
    return state.records


# -- inside -----------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _pools(dice: Pool) -> tuple[str, ...]:
    held = Counter(dice)
    counts = product(*(range(number + 1) for number in held.values()))
    pools = (tuple(Counter(dict(zip(held, count, strict=True))).elements()) for count in counts)
    return tuple(notation(found) for found in pools if found)


def _house_throw(state: State, move: str) -> Throw:
    if move == "deal" and state.round == 0:
        return Throw((len(LIMITS),))
    tie = _tie(state)
    if move != "stechen" or not tie or state.stechen:
        raise Refusal("fifty.refused.thrown")
    limits = HIGHEST_LIMIT - LOWEST_LIMIT + 1
    return Throw((limits, *range(len(tie), 1, -1)))


def _stechen(state: State, dice: tuple[int, ...]) -> Stechen:
    order = list(_tie(state))
    for last, swap in zip(range(len(order) - 1, 0, -1), dice[1:], strict=True):
        order[last], order[swap - 1] = order[swap - 1], order[last]
    return Stechen(dice[0] + LOWEST_LIMIT - 1, tuple(order), state.rev + 1)


def _with(state: State, seat: int, player: Player, **changed: Any) -> State:
    players = (*state.players[:seat], player, *state.players[seat + 1 :])
    return replace(state, players=players, **changed)


def _settled(state: State) -> State:
    """The state in the first round in which somebody has to throw, or with its ranking."""
    while state.sweeper is None and 1 <= state.round <= ROUNDS:
        for seat, player in enumerate(state.players):
            if player.playing and not player.dice and len(player.throws) < state.round:
                nothing = Thrown((), state.limit)
                state = _with(state, seat, replace(player, throws=(*player.throws, nothing)))
        left = any(state.players[seat].playing for seat in state.people)
        if state.waiting and left:
            return state
        if state.round < ROUNDS and left:
            state = replace(state, round=state.round + 1, rev=state.rev + 1)
        else:
            state = replace(state, round=ROUNDS + 1, rev=state.rev + 1, ranking=_ranking(state))
    return state


def _ranking(state: State) -> tuple[tuple[int, ...], ...]:
    def total(seat: int) -> int:
        return -state.players[seat].total

    people = (seat for seat in state.people if state.players[seat].playing)
    return tuple(tuple(group) for _, group in groupby(sorted(people, key=total), key=total))


def _tie(state: State) -> tuple[int, ...]:
    """The topmost level group that a paid place hangs on (RULES 1.4)."""
    paid = min(PAID_PLACES, 2 if len(state.people) == 2 else PAID_PLACES)
    place = 1
    for group in state.ranking:
        if len(group) > 1 and place <= paid:
            return group
        place += len(group)
    return ()


def _thrown_in_stechen(state: State, stechen: Stechen, seat: int, thrown: Thrown) -> State:
    stechen = replace(stechen, throws={**stechen.throws, seat: thrown})
    return _stechen_settled(replace(state, stechen=stechen, rev=state.rev + 1), stechen)


def _stechen_settled(state: State, stechen: Stechen) -> State:
    if len(stechen.order) > 1 and len(stechen.throws) < len(stechen.order):
        return state

    def rank(seat: int) -> int:
        thrown = stechen.throws.get(seat)
        return 0 if thrown is None else 1 if thrown.over > 0 else -thrown.sum

    groups = [tuple(g) for _, g in groupby(sorted(stechen.order, key=rank), key=rank)]
    place = next((i for i, group in enumerate(state.ranking) if {*stechen.order} & {*group}), 0)
    ranking = (*state.ranking[:place], *groups, *state.ranking[place + bool(groups) :])
    return replace(state, ranking=ranking, stechen=None, tiebreaks=(*state.tiebreaks, stechen))


def _left(state: State, seat: int) -> State:
    turn = state.stechen.turn if state.stechen else None
    state = _with(state, seat, replace(state.players[seat], gone=True))
    ranking = (tuple(other for other in group if other != seat) for group in state.ranking)
    state = replace(state, ranking=tuple(group for group in ranking if group))
    if not state.stechen or seat not in state.stechen.order:
        return _settled(state)
    stechen = replace(
        state.stechen,
        order=tuple(other for other in state.stechen.order if other != seat),
        throws={other: t for other, t in state.stechen.throws.items() if other != seat},
    )
    rev = state.rev + (turn == seat)
    return _stechen_settled(replace(state, stechen=stechen, rev=rev), stechen)
