"""Tallies: what each person has done, counted in the transaction that ends a game.

So a profile is a matter of a few rows, however many games there were. A game played alone counts as
played, and is no win.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from peewee import EXCLUDED, Case, Database, Node

from economy.statements import Query, statement
from games.feats import Feats
from tgbot.models import TallyRow

GAMES, WON, RECORDS = "games", "won", "records"
RESULTS, TOTAL, BEST = "results", "total", "best"
"""How many results there were, what they add up to, and the best one."""
FEAT, BADGE, AHEAD = "feat ", "badge ", "ahead "
"""What the other names begin with: a game's own word, or the id of somebody left behind."""
EVERY_KIND = ""

Tally = tuple[int, str, str, int]
"""Whose, of which kind of game, what, and how much."""


@dataclass(frozen=True, slots=True)
class Played:
    """What one person did in a game that is over; `place` is 0 for who has none.

    `feats` is what the game itself remembers of them, `records` how many of a day they made. Of who
    `left` nothing counts but that they were left behind.
    """

    user_id: int
    place: int
    feats: Feats
    records: int = 0
    left: bool = False


@dataclass(frozen=True, slots=True)
class Tallied:
    """What one person has done in one kind of game so far; `best` is None without a result."""

    kind: str
    games: int
    won: int
    records: int
    best: int | None
    average: float
    feats: Mapping[str, int]
    badges: tuple[str, ...]


class Tallies:
    """The tallies table. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def count(self, kind: str, players: Sequence[Played], now: int) -> dict[int, tuple[str, ...]]:
        """Counts a finished game; answers the badges that people have earned with it."""
        # Sorted, so that two games that end at once wait for each other only in one way.
        _add.many(self.db, sorted(_sums(kind, players)))
        _lift.many(self.db, sorted(_bests(kind, players)))
        earned: dict[int, tuple[str, ...]] = {}
        for user_id, badge in sorted(_badges(players)):
            if _enter.run(self.db, user_id=user_id, kind=kind, name=BADGE + badge, value=now):
                earned[user_id] = (*earned.get(user_id, ()), badge)
        return earned

    def of(self, user_id: int, kinds: Iterable[str]) -> list[Tallied]:
        """What somebody has done in the kinds of games that they have played."""
        found = ((kind, dict(_tallies.all(self.db, user_id=user_id, kind=kind))) for kind in kinds)
        return [_read(kind, tallies) for kind, tallies in found if tallies]

    def between(self, user_id: int, other: int) -> tuple[int, int]:
        """How often the first came in ahead of the other, and the other ahead of them."""
        pairs = ((user_id, other), (other, user_id))
        ahead, behind = (
            _tally.one(self.db, user_id=one, kind=EVERY_KIND, name=f"{AHEAD}{two}") or 0
            for one, two in pairs
        )
        return ahead, behind

    def forget(self, user_id: int) -> None:
        """Nothing is counted of somebody any more, nor by others against them."""
        against = TallyRow.name == f"{AHEAD}{user_id}"
        TallyRow.delete().where((TallyRow.user_id == user_id) | against).execute(self.db)


def _sums(kind: str, players: Sequence[Played]) -> Iterator[Tally]:
    for player in players:
        who, result = player.user_id, player.feats.result
        if player.left:
            continue
        yield who, kind, GAMES, 1
        if player.place == 1 and len(players) > 1:
            yield who, kind, WON, 1
        if player.records:
            yield who, kind, RECORDS, player.records
        if result is not None:
            yield who, kind, RESULTS, 1
            yield who, kind, TOTAL, result
        yield from ((who, kind, FEAT + name, n) for name, n in player.feats.sums.items() if n)
        for other in players:
            if player.place and (not other.place or player.place < other.place):
                yield who, EVERY_KIND, f"{AHEAD}{other.user_id}", 1


def _bests(kind: str, players: Sequence[Played]) -> Iterator[Tally]:
    for player in players:
        if player.feats.result is not None:
            yield player.user_id, kind, BEST, player.feats.result
        for name, n in player.feats.bests.items():
            if n:
                yield player.user_id, kind, FEAT + name, n


def _badges(players: Sequence[Played]) -> Iterator[tuple[int, str]]:
    for player in players:
        yield from ((player.user_id, badge) for badge in player.feats.badges)


def _read(kind: str, tallies: Mapping[str, int]) -> Tallied:
    results = tallies.get(RESULTS, 0)
    return Tallied(
        kind,
        tallies.get(GAMES, 0),
        tallies.get(WON, 0),
        tallies.get(RECORDS, 0),
        tallies.get(BEST),
        tallies.get(TOTAL, 0) / results if results else 0.0,
        {n.removeprefix(FEAT): value for n, value in tallies.items() if n.startswith(FEAT)},
        tuple(n.removeprefix(BADGE) for n in tallies if n.startswith(BADGE)),
    )


# -- statements ---------------------------------------------------------------------------------

_ONE = (TallyRow.user_id, TallyRow.kind, TallyRow.name)


@statement
def _add(*, user_id: int, kind: str, name: str, value: int) -> Query:
    return _written(user_id, kind, name, value, TallyRow.value + EXCLUDED.value)


@statement
def _lift(*, user_id: int, kind: str, name: str, value: int) -> Query:
    """Keeps the higher value."""
    higher = Case(None, [(TallyRow.value < EXCLUDED.value, EXCLUDED.value)], TallyRow.value)
    return _written(user_id, kind, name, value, higher)


@statement
def _enter(*, user_id: int, kind: str, name: str, value: int) -> Query:
    """Writes what nobody has twice; nothing where it is there."""
    row = TallyRow.insert(user_id=user_id, kind=kind, name=name, value=value)
    return row.on_conflict("NOTHING", conflict_target=_ONE)


def _written(user_id: int, kind: str, name: str, value: int, there: Node) -> Query:
    """A new tally, or `there` in place of its value."""
    row = TallyRow.insert(user_id=user_id, kind=kind, name=name, value=value)
    return row.on_conflict(conflict_target=_ONE, update={TallyRow.value: there})


@statement
def _tallies(*, user_id: int, kind: str) -> Query:
    return (
        TallyRow.select(TallyRow.name, TallyRow.value)
        .where(TallyRow.user_id == user_id, TallyRow.kind == kind)
        .order_by(TallyRow.name)
    )


@statement(row=int)
def _tally(*, user_id: int, kind: str, name: str) -> Query:
    return TallyRow.select(TallyRow.value).where(
        TallyRow.user_id == user_id, TallyRow.kind == kind, TallyRow.name == name
    )
