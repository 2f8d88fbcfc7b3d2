"""What throws of Fifty! are worth (RULES 8.2)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from games import dice
from games.dice import Pool, chance
from games.fifty import mind, points_mind, rules
from games.fifty.rules import DICE, LIMITS, Player, State, Stechen, Thrown
from games.game import Setup


def player(left: Pool, *sums: int, limits: tuple[int, ...], gone: bool = False) -> Player:
    """Somebody with these dice left who threw these sums."""
    throws = tuple(Thrown(((total,),), limit) for total, limit in zip(sums, limits, strict=False))
    return Player(left, throws, gone)


SEEN = (17, 17, 16)
ME = player((4, 4, 6, 8, 20), 12, 10, limits=SEEN)


def third_round(*others: Player) -> State:
    return State((ME, *others), SEEN, 3, 3)


def done(*sums: int) -> Player:
    return player((), *sums, limits=SEEN)


@pytest.mark.parametrize(
    ("move", "share"),
    [("4+4+6", 0.3518590856), ("4+4+8", 0.3509765625), ("4+6+8", 0.3444299769)],
)
def test_8_the_last_throw_against_known_sums(move: str, share: float) -> None:
    values = mind.values(third_round(done(15, 10, 5), done(10, 10, 8)), 0)

    assert values[move] == pytest.approx(share, abs=1e-9)
    assert max(values, key=values.__getitem__) == "4+4+6"
    assert tuple(values) == rules.legal(third_round(), 0)


def test_8_alone_in_the_game_the_lowest_die_is_best() -> None:
    values = mind.values(third_round(done(15, 18), done(10, 10, 17)), 0)

    assert values["4"] == pytest.approx(0.498047, abs=1e-6)
    assert max(values, key=values.__getitem__) == "4"


def test_8_every_set_of_dice_has_the_chances_of_its_sums() -> None:
    for pool in ((4,), (4, 4, 6), (6, 8, 12, 20), DICE):
        exact = [float(share) for share in dice.chances(pool, 40)]

        found = points_mind.throw_chances()[points_mind.number(pool)]
        assert found == pytest.approx(exact, abs=1e-15)
    assert len(points_mind.throw_chances()) == 288


def test_8_another_who_still_throws_is_counted_with_every_sum() -> None:
    # B has 24 and a d4 for a limit of 16; C is done at 28
    waiting = player((4,), 14, 10, limits=SEEN)
    values = mind.values(third_round(waiting, done(10, 10, 8)), 0)

    def share(total: int) -> Fraction:
        brings = sum(
            (chance((4,), their) * rank(total, [24 + their, 28]) for their in range(1, 17)),
            Fraction(0),
        )
        return brings + dice.chance_over((4,), 16) * rank(total, [28])

    exact = sum((chance((4, 8), mine) * share(22 + mine) for mine in range(2, 17)), Fraction(0))
    assert values["4+8"] == pytest.approx(float(exact), abs=1e-12)


def rank(total: int, others: list[int]) -> Fraction:
    """The share of a total among three who joined; level ones share their places."""
    paid = [Fraction(5, 10), Fraction(3, 10), Fraction(2, 10)]
    above = sum(other > total for other in others)
    level = sum(other == total for other in others)
    return sum(paid[above : above + level + 1], Fraction(0)) / (level + 1)


def test_8_the_rounds_to_come_count_with_the_best_throw_for_every_limit() -> None:
    # two dice for three rounds: both at once, or one after the other and nothing in the last round
    other = player((), 20, limits=(21,))
    state = State((Player((4, 6)), other, Player(gone=True)), (21, 14, 15), 1, 1)

    def final(total: int) -> Fraction:
        return rank(total, [20])

    def one_more(die: int, total: int) -> Fraction:
        seconds = [limits[1] for limits in LIMITS if limits[0] == 21]
        return Fraction(
            sum(
                chance((die,), brought) * final(total + brought)
                for limit in seconds
                for brought in range(1, limit + 1)
            ),
            len(seconds),
        )

    values = mind.values(state, 0)

    for die, left in ((4, 6), (6, 4)):
        exact = sum(chance((die,), n) * one_more(left, n) for n in range(1, 22))
        assert values[str(die)] == pytest.approx(float(exact), abs=1e-12)
    both = sum(chance((4, 6), n) * final(n) for n in range(2, 22))
    assert values["4+6"] == pytest.approx(float(both), abs=1e-12)


def test_8_only_limits_that_were_shown_are_known() -> None:
    states = [rules.start(Setup(4)) for _ in range(2)]
    for at, limits in enumerate([(17, 5, 28), (17, 28, 5)]):
        states[at] = rules.play(states[at], -1, "deal", (LIMITS.index(limits) + 1,))

    assert mind.values(states[0], 0) == mind.values(states[1], 3)


def test_8_those_who_play_for_points_throw_what_brings_the_highest_sum() -> None:
    # third round, 22 so far: every throw counted with what it brings and what it risks
    worths = points_mind.third_for_points(16).worths(slice(None), 0, 35)
    had = points_mind.number((4, 4, 6, 8, 20))
    best = max(
        sum((22 + n) * chance(dice.parse(move), n) for n in range(1, 17))
        for move in rules.legal(third_round(), 0)
    )

    assert worths[had, 22] == pytest.approx(float(best), abs=1e-12)


def test_8_three_bullseyes_take_the_whole_pot() -> None:
    me = player((4,), 17, 17, limits=SEEN)
    values = mind.values(State((me, done(15, 10, 5)), SEEN, 3, 3), 0)

    sixteen = chance((4,), 16)
    below = sum(chance((4,), n) for n in range(1, 16))
    assert values == {"4": pytest.approx(float(sixteen + below * Fraction(5, 8)), abs=1e-12)}


def test_8_in_a_stechen_the_closest_to_its_limit_is_worth_the_place() -> None:
    # A and B are level for places 1 and 2 of four; B has thrown 9 of 10
    players = tuple(Player() for _ in range(4))
    stechen = Stechen(10, (1, 0), 9, {1: Thrown(((9,),), 10)})
    state = State(players, SEEN, 4, 10, ((0, 1), (2,), (3,)), stechen)

    values = mind.values(state, 0)

    ten, nine = chance((4, 8), 10), chance((4, 8), 9)
    exact = Fraction(3, 10) + Fraction(2, 10) * ten + Fraction(1, 10) * nine
    assert values["4+8"] == pytest.approx(float(exact), abs=1e-12)
    assert tuple(values) == rules.legal(state, 0)


def test_8_shares_of_many_who_are_level_are_even() -> None:
    # three others of whom each is level or ahead with even chances: all eight cases
    chances = np.array([0.0, 0.5, 0.5])
    shares = mind.shares_mind.expected((0.5, 0.3, 0.2), [mind.against(chances)] * 3)

    cases = []
    for ahead in (sum(case) for case in product((0, 1), repeat=3)):
        paid = (0.5, 0.3, 0.2, 0.0)[ahead:]
        cases.append(sum(paid) / len(paid))
    assert shares[1] == pytest.approx(sum(cases) / 8, abs=1e-12)
    assert shares[0] == pytest.approx(0.0)
