"""Who gets what of a pot (RULES 1.5, 1.6 and, for shared places, 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SHARES = (50, 30, 20)
"""Percent of a pot for places 1, 2 and 3."""

POINTS_FREE, POINTS_STAKED = 1, 2


def points_in_pot(players: int, stake: int) -> int:
    """The points a game's pot holds: 1 per player, 2 where a stake is played for."""
    return players * (POINTS_STAKED if stake else POINTS_FREE)


def split(pot: int, players: int) -> tuple[int, ...]:
    """The pot in whole units over places 1, 2, 3 (over 1 and 2 with two players)."""
    shares = SHARES[:2] if players == 2 else SHARES
    paid = [pot * share // sum(shares) for share in shares]
    for place in range(pot - sum(paid)):
        paid[place % len(paid)] += 1
    return tuple(paid)


@dataclass(frozen=True)
class Payout:
    """What each seat gets of one pot, and what goes into or comes out of the jackpot."""

    seats: Mapping[int, int] = field(default_factory=dict)
    to_jackpot: int = 0
    from_jackpot: int = 0


def payout(
    pot: int,
    players: int,
    places: Sequence[Sequence[int]],
    *,
    jackpot: int | None = None,
    sweep: bool = False,
) -> Payout:
    """How `pot` is dealt to the seats in `places`, groups from the first place down.

    Seats in one group share the sum of their places evenly; left-over units go one each to those
    who joined earlier (seats are in joining order). `jackpot` is what the game could win of one;
    None where there is no jackpot, and then what nobody holds goes to place 1. With `sweep` the
    first takes the pot and the jackpot. Where nobody is placed and there is no jackpot, nothing is
    paid: the caller gives the pot back.
    """
    if sweep and places:
        return Payout({places[0][0]: pot + (jackpot or 0)}, from_jackpot=jackpot or 0)
    paid: Counter[int] = Counter()
    shares = list(split(pot, players))
    vacant = sum(shares[sum(map(len, places)) :])
    if jackpot is None:
        shares[0] += vacant
    place = 0
    for group in places:
        paid.update(_evenly(sum(shares[place : place + len(group)]), group))
        place += len(group)
    to_jackpot = 0 if jackpot is None else vacant
    return Payout({seat: units for seat, units in paid.items() if units}, to_jackpot)


def _evenly(units: int, seats: Sequence[int]) -> dict[int, int]:
    each, left = divmod(units, len(seats))
    return {seat: each + (order < left) for order, seat in enumerate(sorted(seats))}
