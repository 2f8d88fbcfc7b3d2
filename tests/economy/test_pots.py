"""RULES 1.5 and 1.6, and for shared places 2: who gets what of a pot."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from economy.pots import Payout, payout, points_in_pot, split

# -- whole units --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pot", "paid"),
    [
        (3, (2, 1, 0)),
        (4, (3, 1, 0)),
        (5, (3, 1, 1)),
        (8, (5, 2, 1)),
        (10, (5, 3, 2)),
        (101, (51, 30, 20)),
        (0, (0, 0, 0)),
        (1, (1, 0, 0)),
        (2, (2, 0, 0)),
        (6, (4, 1, 1)),
        (7, (4, 2, 1)),
        (9, (5, 3, 1)),
        (100, (50, 30, 20)),
    ],
)
def test_1_5_a_pot_is_split_50_30_20_in_whole_units(pot: int, paid: tuple[int, ...]) -> None:
    assert split(pot, 3) == paid
    assert split(pot, 20) == paid


@pytest.mark.parametrize(
    ("pot", "paid"),
    [
        (4, (3, 1)),
        (20, (13, 7)),
        (0, (0, 0)),
        (1, (1, 0)),
        (2, (2, 0)),
        (8, (5, 3)),
        (202, (127, 75)),
    ],
)
def test_1_5_with_two_players_a_pot_is_split_5_to_3(pot: int, paid: tuple[int, ...]) -> None:
    assert split(pot, 2) == paid


@given(pot=st.integers(min_value=0, max_value=10**12), players=st.integers(2, 20))
def test_1_5_a_share_is_rounded_down_and_what_is_left_is_dealt_from_place_1(
    pot: int, players: int
) -> None:
    percent = (50, 30) if players == 2 else (50, 30, 20)
    exact = [Fraction(pot * share, sum(percent)) for share in percent]

    paid = split(pot, players)

    extra = [got - share.__floor__() for got, share in zip(paid, exact, strict=True)]
    assert sum(paid) == pot
    assert {*extra} <= {0, 1}
    assert extra == sorted(extra, reverse=True)


@pytest.mark.parametrize(
    ("players", "stake", "points"), [(2, 0, 2), (2, 1, 4), (3, 0, 3), (5, 101, 10), (20, 0, 20)]
)
def test_1_5_one_point_per_player_and_two_where_there_is_a_stake(
    players: int, stake: int, points: int
) -> None:
    assert points_in_pot(players, stake) == points


# -- places -------------------------------------------------------------------------------------


def test_1_5_places_one_to_three_are_paid() -> None:
    paid = payout(10, 5, [(3,), (0,), (4,), (1,), (2,)], jackpot=0)

    assert paid == Payout({3: 5, 0: 3, 4: 2})


def test_1_5_with_two_players_two_places_are_paid() -> None:
    assert payout(20, 2, [(1,), (0,)], jackpot=0) == Payout({1: 13, 0: 7})
    assert payout(20, 2, [(1,), (0,)]) == Payout({1: 13, 0: 7})


def test_1_5_somebody_whose_share_is_nothing_is_not_paid() -> None:
    assert payout(3, 3, [(0,), (1,), (2,)]) == Payout({0: 2, 1: 1})


@pytest.mark.parametrize(
    ("places", "seats", "to_jackpot"),
    [
        ([(2,), (0,)], {2: 5, 0: 3}, 2),
        ([(2,)], {2: 5}, 5),
        ([], {}, 10),
    ],
)
def test_1_5_in_fifty_a_place_that_nobody_holds_goes_to_the_jackpot(
    places: list[tuple[int, ...]], seats: dict[int, int], to_jackpot: int
) -> None:
    assert payout(10, 5, places, jackpot=70) == Payout(seats, to_jackpot=to_jackpot)


@pytest.mark.parametrize(
    ("places", "seats"),
    [
        ([(2,), (0,)], {2: 7, 0: 3}),
        ([(2,)], {2: 10}),
    ],
)
def test_1_5_in_other_games_a_place_that_nobody_holds_goes_to_place_1(
    places: list[tuple[int, ...]], seats: dict[int, int]
) -> None:
    assert payout(10, 5, places) == Payout(seats)


def test_1_5_with_two_players_second_place_can_be_vacant_too() -> None:
    assert payout(20, 2, [(1,)], jackpot=0) == Payout({1: 13}, to_jackpot=7)
    assert payout(20, 2, [(1,)]) == Payout({1: 20})


def test_1_5_how_many_joined_counts_not_how_many_are_left() -> None:
    assert payout(8, 3, [(1,), (0,)], jackpot=0) == Payout({1: 5, 0: 2}, to_jackpot=1)
    assert payout(8, 2, [(1,), (0,)], jackpot=0) == Payout({1: 5, 0: 3})


def test_1_5_without_places_and_jackpot_nothing_is_paid() -> None:
    assert payout(10, 3, []) == Payout()


# -- ties ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pot", "places", "seats"),
    [
        (100, [(0, 1), (2,)], {0: 40, 1: 40, 2: 20}),
        (100, [(0,), (1, 2)], {0: 50, 1: 25, 2: 25}),
        (100, [(0, 1, 2)], {0: 34, 1: 33, 2: 33}),
        (100, [(0,), (1,), (2, 3)], {0: 50, 1: 30, 2: 10, 3: 10}),
        (100, [(0,), (1, 2, 3)], {0: 50, 1: 17, 2: 17, 3: 16}),
        (100, [(0, 1, 2, 3), (4,)], {0: 25, 1: 25, 2: 25, 3: 25}),
        (100, [(0,), (1,), (2,), (3, 4)], {0: 50, 1: 30, 2: 20}),
    ],
)
def test_2_tied_players_share_the_sum_of_their_places_evenly(
    pot: int, places: list[tuple[int, ...]], seats: dict[int, int]
) -> None:
    assert payout(pot, 5, places) == Payout(seats)


def test_2_units_left_over_in_a_tie_go_to_who_joined_earlier() -> None:
    assert payout(101, 4, [(3, 1, 0)]) == Payout({0: 34, 1: 34, 3: 33})
    assert payout(5, 5, [(4,), (3, 2)]) == Payout({4: 3, 2: 1, 3: 1})
    assert payout(4, 5, [(4,), (3, 2)]) == Payout({4: 3, 2: 1})


def test_2_who_shares_place_1_shares_what_nobody_holds_as_evenly() -> None:
    # 23 is 12, 7 and 4; both first places and the vacant third together are 23
    assert payout(23, 5, [(4, 1)]) == Payout({1: 12, 4: 11})
    # 9 is 5, 3, 1: eight and a vacant one, dealt as nine
    assert payout(9, 3, [(2, 0)]) == Payout({0: 5, 2: 4})
    # 5 is 3, 1, 1: four and a vacant one; not both odd units to the earlier
    assert payout(7, 3, [(2, 0)]) == Payout({0: 4, 2: 3})


def test_2_with_two_players_who_tie_each_gets_half() -> None:
    assert payout(21, 2, [(1, 0)]) == Payout({0: 11, 1: 10})


# -- jackpot ------------------------------------------------------------------------------------


def test_1_6_all_out_the_whole_pot_goes_to_the_jackpot() -> None:
    assert payout(37, 6, [], jackpot=500) == Payout(to_jackpot=37)


def test_1_6_three_bullseyes_take_the_pot_and_the_jackpot() -> None:
    paid = payout(10, 5, [(3,)], jackpot=340, sweep=True)

    assert paid == Payout({3: 350}, from_jackpot=340)


def test_1_6_three_bullseyes_take_the_whole_pot_also_where_there_is_no_jackpot_to_win() -> None:
    assert payout(20, 2, [(1,)], jackpot=0, sweep=True) == Payout({1: 20})
    assert payout(20, 2, [(1,)], sweep=True) == Payout({1: 20})


# -- every unit is paid exactly once ------------------------------------------------------------


@st.composite
def results(draw: st.DrawFn) -> tuple[int, int, list[tuple[int, ...]]]:
    """A pot, a number of players, and places for some of them."""
    players = draw(st.integers(2, 20))
    ranked = draw(st.permutations(range(players)))[: draw(st.integers(0, players))]
    places: list[tuple[int, ...]] = []
    while ranked:
        size = draw(st.integers(1, min(4, len(ranked))))
        places.append(tuple(ranked[:size]))
        ranked = ranked[size:]
    return draw(st.integers(0, 5000)), players, places


@given(results(), st.none() | st.integers(0, 10**6), st.booleans())
def test_1_5_every_unit_of_the_pot_is_paid_exactly_once(
    result: tuple[int, int, list[tuple[int, ...]]], jackpot: int | None, sweep: bool
) -> None:
    pot, players, places = result

    paid = payout(pot, players, places, jackpot=jackpot, sweep=sweep)

    incoming = pot + paid.from_jackpot
    outgoing = sum(paid.seats.values()) + paid.to_jackpot
    nobody = jackpot is None and not places
    assert outgoing == (0 if nobody else incoming)
    assert all(units > 0 for units in paid.seats.values())
    assert paid.to_jackpot >= 0
    assert {*paid.seats} <= {seat for group in places for seat in group}
    assert paid.from_jackpot == (jackpot or 0 if sweep and places else 0)


@given(results(), st.none() | st.just(0))
def test_2_in_a_tie_nobody_gets_more_than_one_unit_more_than_another(
    result: tuple[int, int, list[tuple[int, ...]]], jackpot: int | None
) -> None:
    pot, players, places = result

    seats = payout(pot, players, places, jackpot=jackpot).seats

    for group in places:
        in_joining_order = [seats.get(seat, 0) for seat in sorted(group)]
        assert in_joining_order == sorted(in_joining_order, reverse=True)
        assert in_joining_order[0] - in_joining_order[-1] <= 1


@given(results(), st.none() | st.just(0))
def test_1_5_a_better_place_is_never_paid_less(
    result: tuple[int, int, list[tuple[int, ...]]], jackpot: int | None
) -> None:
    pot, players, places = result

    seats = payout(pot, players, places, jackpot=jackpot).seats

    lowest = [min(seats.get(seat, 0) for seat in group) for group in places]
    highest = [max(seats.get(seat, 0) for seat in group) for group in places]
    # between two ties the odd units may make a difference of one
    assert all(better + 1 >= worse for better, worse in zip(lowest, highest[1:], strict=False))
