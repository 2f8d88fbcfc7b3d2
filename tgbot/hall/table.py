"""A game as it stands: its row, its seats, its boards, and its state folded from its moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from economy.ledger import COINS
from games import registry
from games.daily import sealed_as
from games.fairness import earlier_seal
from games.game import HOUSE, Board, Game, Phase, Setup

GRACE_S = 60
"""A phase's time runs at latest from this long after it began (RULES 0)."""
HIDDEN_S = 600
"""A game that cannot be shown for so long is called off (RULES 0)."""

EMPTY = "empty"
"""Why a lobby was called off in which nobody sat."""
LONGEST_MARK = 12

JAMES = 0
"""The user id in a seat that belongs to nobody."""
ALONG, PRACTICE = 1, 2
"""What `Table.james` says: he plays along, or one person practises with him."""

Recorded = tuple[int, str, str]
"""A move as it is stored: seat, move, dice (`4,2,6`)."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One person in a game; `row` is their joining's row, `seat` is -1 before the start.

    James has no row, and the user id `JAMES`.

    `language` is the one they read, for a board of their own. `late` is 1 for who came into the
    running game, and whose `charm` is shown but not mixed in (RULES 7); `ready` is 1 once they
    would start; `hints` are those they had.
    """

    row: int
    user_id: int
    name: str
    seat: int
    left_at: int = 0
    place: int = 0
    coins: int = 0
    points: int = 0
    language: str = ""
    charm: int = 0
    late: int = 0
    username: str = ""
    ready: int = 0
    hints: int = 0

    @property
    def full_name(self) -> str:
        """The name with what tells it from others of the same name."""
        if self.user_id == JAMES:
            return self.name
        mark = self.username[:LONGEST_MARK] or f"#{self.user_id % 10000:04d}"
        return f"{self.name} ({mark})"


@dataclass(frozen=True, slots=True)
class Showing:
    """One board of a game and the clock of its phase; see `models.ShowingRow` for the columns."""

    seat: int
    chat_id: int
    topic: int = 0
    revision: int = 1
    painted: int = 0
    scene: int = -1
    message_id: int = 0
    began_at: int = 0
    shown: int = 0
    due_at: int = 0
    hidden_at: int = 0

    @property
    def called_off_at(self) -> int:
        """When its game is called off, unless a board is shown before; 0: it can be shown."""
        return self.hidden_at + HIDDEN_S if self.hidden_at else 0

    @property
    def fires_at(self) -> int:
        """When the clock has something to do about it; 0: never."""
        return min(filter(None, (self.due_at, self.called_off_at)), default=0)

    @property
    def behind(self) -> bool:
        """Whether the message does not show the newest board."""
        return self.painted < self.revision


@dataclass(frozen=True)
class Table:
    """An immutable picture of one game; see `models.GameRow` for the columns.

    `sittings` are those in the lobby, or everybody of a running game in seat order, James among
    them; what is counted and paid are its `people`. `showings` are its boards, the one for
    everybody first. `n` is the number of moves folded into `state`; `selections` are those its
    boards show; `robin` the coins Robin Hood put into the pot.
    """

    id: str
    kind: str
    version: int
    chat_id: int
    topic: int
    status: str
    stake: int
    robin: int
    options: Mapping[str, Any]
    opener: int
    secret: bytes
    nonce: bytes
    seal: str
    part: bytes
    opened_at: int
    over_at: int
    stamp: int
    result: Mapping[str, Any]
    language: str
    showings: tuple[Showing, ...] = ()
    sittings: tuple[Sitting, ...] = ()
    state: Any = None
    n: int = 0
    selections: Mapping[int, str] = field(default_factory=dict)
    jackpot: Mapping[str, int] = field(default_factory=dict)
    invited: tuple[tuple[int, str], ...] = ()
    james: int = 0

    def changed(self, **fields: Any) -> Table:
        """This picture with other values in these fields.

        Every move copies it a few times, which `dataclasses.replace` takes ten times as long for.
        """
        assert fields.keys() <= self.__dict__.keys(), fields.keys() - self.__dict__.keys()
        copy = object.__new__(Table)
        copy.__dict__.update(self.__dict__, **fields)
        return copy

    @property
    def game(self) -> Game[Any]:
        """The registered game it is."""
        return registry()[self.kind]

    @property
    def daily(self) -> str:
        """The day that it is somebody's attempt at, `2026-12-01`; empty for any other game."""
        return str(self.options.get("daily", ""))

    @property
    def own(self) -> Callable[[Any, int, str], Board] | None:
        """The board of one seat; None where there is only one for everybody."""
        daily = self.game.daily if self.daily else None
        return daily.board if daily else self.game.own

    @property
    def open(self) -> bool:
        """Whether it still takes moves."""
        return self.status in ("lobby", "running")

    @property
    def people(self) -> tuple[Sitting, ...]:
        """Who sits there but James, who counts for nobody (RULES 8)."""
        return tuple(sitting for sitting in self.sittings if sitting.user_id != JAMES)

    @property
    def guests(self) -> tuple[int, ...]:
        """The seats of a running game that belong to nobody."""
        return tuple(sitting.seat for sitting in self.sittings if sitting.user_id == JAMES)

    @property
    def awaits_james(self) -> bool:
        """Whether he has a move to make."""
        if not self.james or self.status != "running":
            return False
        return any(seat in self.phase(seat).actors for seat in self.guests)

    @property
    def practice(self) -> bool:
        """Whether one person plays with James: for no points, no stake and no list (RULES 8)."""
        return self.james == PRACTICE

    @property
    def enough(self) -> bool:
        """Whether as many sit there as it takes to start."""
        return len(self.people) >= self.game.seats[0]

    @property
    def may_practise(self) -> bool:
        """Whether the one person who sits in a lobby could play with James (RULES 8)."""
        return bool(self.game.mind) and len(self.people) == 1 and self.game.seats[0] == 2

    @property
    def can_start(self) -> bool:
        """Whether enough sit there, or one person and James."""
        return self.enough or (bool(self.james) and self.may_practise)

    @property
    def admits(self) -> bool:
        """Whether somebody may still join the running game."""
        running = self.status == "running" and not (self.practice or self.daily)
        return running and self.game.rules.admits(self.state)

    @property
    def winnable(self) -> dict[str, int]:
        """What of its chat's jackpot this game could win, by currency (RULES 1.6)."""
        won = {self.kind: self.jackpot.get(self.kind, 0)}
        if self.stake:
            stakes = int(self.options.get("jackpot_stakes", 0))
            won[COINS] = min(self.jackpot.get(COINS, 0), stakes * self.stake)
        return {currency: units for currency, units in won.items() if units}

    @property
    def alone(self) -> bool:
        """Whether one person plays, if with James: for themselves, and nothing is won."""
        return self.solo or self.practice

    @property
    def for_jackpot(self) -> bool:
        """Whether as many sit there as it takes to win it (RULES 1.6)."""
        return len(self.people) >= int(self.options.get("jackpot_players", 0))

    @property
    def solo(self) -> bool:
        """Whether somebody plays it alone in their private chat."""
        return self.chat_id > 0

    @property
    def earlier(self) -> bool:
        """Whether it was sealed before there were charms (see `games.fairness`)."""
        return not self.nonce

    @property
    def sealed_as(self) -> str:
        """The id that its seal binds: its own, or that of the day (RULES 9)."""
        return sealed_as(self.daily) if self.daily else self.id

    @property
    def sealed(self) -> str:
        """The seal people were shown."""
        return self.seal or earlier_seal(self.secret, self.id, self.version)

    @property
    def behind(self) -> bool:
        """Whether any of its messages does not show the newest board."""
        return any(showing.behind for showing in self.showings)

    @property
    def pot(self) -> int:
        """The coins played for."""
        return self.stake * len(self.people) + self.robin

    def phase(self, seat: int = HOUSE) -> Phase:
        """The running phase of a board; of a lobby phase 0, of a finished game one past the last.

        `seat` is whose board; of games that are not played in private all share one phase.
        """
        if self.status == "lobby":
            wait = self.options["lobby_s"] if self.enough else self.options["wait_s"]
            return Phase(0, 0, int(wait), ())
        if self.state is None:
            # Where nobody came nobody is told: the lobby's board itself says so.
            return Phase(0, int(self.result.get("why") != EMPTY), 0, ())
        private = seat != HOUSE and self.own is not None
        phase = self.game.rules.phase(self.state, seat if private else HOUSE)
        if self.daily:
            phase = replace(phase, scene=1)
        if self.status == "running":
            pace = self.options.get("pace", 100)
            if pace != 100:
                phase = Phase(phase.rev, phase.scene, phase.time_s * pace // 100, phase.actors)
            return phase
        scene = phase.scene if private else phase.scene + 1
        return Phase(phase.rev + 1, scene, 0, ())

    def runs_until(self, seat: int, began: int) -> int:
        """When a board's phase ends that has begun: a daily's with its day."""
        return int(self.options["ends"]) if self.daily else began + self.phase(seat).time_s

    @property
    def names(self) -> list[str]:
        """How the players are called at this table, in the order of `sittings`: those who share a
        name are told apart by their usernames, else by the end of their ids."""
        shared = Counter(sitting.name.casefold() for sitting in self.sittings)
        return [s.name if shared[s.name.casefold()] == 1 else s.full_name for s in self.sittings]

    def sitting(self, user_id: int) -> Sitting | None:
        """How a person sits there, also after leaving the running game; None for who never did."""
        return next((s for s in self.sittings if s.user_id == user_id), None)

    def showing(self, seat: int) -> Showing:
        """The board of `seat`; the one for everybody where it has none of its own."""
        return next((s for s in self.showings if s.seat == seat), self.showings[0])

    def spoken(self, seat: int) -> str:
        """The language of a board: one's own speaks one's own, any other that of the chat."""
        return (self.sittings[seat].language if seat != HOUSE else "") or self.language

    def with_showing(self, changed: Showing) -> Table:
        """This picture with one board replaced."""
        kept = tuple(changed if s.seat == changed.seat else s for s in self.showings)
        return self.changed(showings=kept)


def with_james(people: Sequence[Sitting]) -> tuple[Sitting, ...]:
    """Everybody of a game he plays in: James sits behind those of the start."""
    seat = sum(not sitting.late for sitting in people)
    return (*people[:seat], Sitting(0, JAMES, "🎩 James", seat), *people[seat:])


def fold(game: Game[Any], state: Any, moves: Sequence[Recorded]) -> Any:
    """The state after recorded moves."""
    for seat, move, dice in moves:
        state = game.rules.play(state, seat, move, values(dice))
    return state


def first_state(table: Table, moves: Sequence[Recorded]) -> Any:
    """The state before the first move; who joined by a move did not sit there yet."""
    late = sum(move == "join" for _, move, _ in moves)
    seats = len(table.sittings) - late
    return table.game.rules.start(Setup(seats, table.options, table.guests))


def values(dice: str) -> tuple[int, ...]:
    """The recorded values `4,2,6` as numbers."""
    return tuple(int(value) for value in dice.split(",")) if dice else ()
