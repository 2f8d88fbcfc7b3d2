"""Ways to play any registered game by seed, and playing it to its end."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from games.fairness import Stream
from games.game import HOUSE, Refusal
from tests.games.table import Table, acting

MOST_MOVES_A_SEAT = 1000

Choose = Callable[[Table, Stream], tuple[int, str]]
"""Who goes on and how: a seat and its move."""


def randomly(table: Table, draw: Stream) -> tuple[int, str]:
    """Somebody who may act makes any legal move."""
    actors = acting(table.game, table.state)
    seat = actors[draw(len(actors)) - 1]
    moves = table.rules.legal(table.state, seat)
    return seat, moves[draw(len(moves)) - 1]


def lately(table: Table, draw: Stream) -> tuple[int, str]:
    """Nobody acts until the time is over: that of all, or where they have one somebody's own."""
    phases = (HOUSE, *(acting(table.game, table.state) if table.game.own else ()))
    expired = table.rules.expire(table.state, phases[draw(len(phases)) - 1])
    assert expired, f"nobody can end the phase of {table.state}"
    return expired


def mixed(table: Table, draw: Stream) -> tuple[int, str]:
    """People play by this policy or that, are late, and now and then leave."""
    leavers = _leavers(table)
    chance = draw(20)
    if chance == 1 and leavers:
        return leavers[draw(len(leavers)) - 1], "leave"
    if chance < 12:
        return lately(table, draw)
    names = sorted(table.game.policies)
    return policy(names[draw(len(names)) - 1])(table, draw)


def leaving(table: Table, draw: Stream) -> tuple[int, str]:
    """Everybody leaves, in any order."""
    leavers = _leavers(table)
    return leavers[draw(len(leavers)) - 1], "leave"


def _leavers(table: Table) -> list[int]:
    """The seats still in whose last turn is not over."""
    found = []
    for seat in table.rules.seated(table.state):
        with contextlib.suppress(Refusal):
            table.rules.throw(table.state, seat, "leave")
            found.append(seat)
    return found


def policy(name: str) -> Choose:
    """Everybody who may act plays by a policy of the game."""

    def choose(table: Table, draw: Stream) -> tuple[int, str]:
        actors = acting(table.game, table.state)
        seat = actors[draw(len(actors)) - 1]
        return seat, table.game.policies[name](table.state, seat, draw)

    return choose


def steps(table: Table, choose: Choose, seed: str) -> Iterator[tuple[int, str]]:
    """Plays `table` to its end; yields every move before it is made."""
    bound = MOST_MOVES_A_SEAT * table.setup.seats
    while not table.over:
        assert len(table.record) < bound, "the game does not end"
        draw = Stream(b"choices", seed.encode(), len(table.record))
        house = table.rules.house(table.state)
        seat, move = (HOUSE, house) if house else choose(table, draw)
        yield seat, move
        table.chance(seat, move, seed)
