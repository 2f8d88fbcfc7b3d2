"""Dice (RULES 1.2, 1.9): notation, open throws as recorded values, and exact chances.

The chances are compared with two independent oracles: icepool, and adding up every throw by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import dice
from games.fifty.rules import DICE
from games.game import Refusal, Throw

POOLS = [(4,), (6,), (2,), (20,), (4, 4), (4, 4, 12), (6, 8, 10), (2, 3), (4, 4, 6, 8, 12), DICE]
SIDES = st.integers(min_value=2, max_value=20)


# -- notation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "pool"),
    [
        ("4+4+6+8+12", (4, 4, 6, 8, 12)),
        ("2w4+w6+w8+w12", (4, 4, 6, 8, 12)),
        ("2d4+d6+d8+d12", (4, 4, 6, 8, 12)),
        ("2W4+D6+1w8+w12", (4, 4, 6, 8, 12)),
        ("  2 w 4+ W6 +8+\tw12 ", (4, 4, 6, 8, 12)),
        ("12+8+6+4+4", (4, 4, 6, 8, 12)),
        ("20", (20,)),
        ("w2", (2,)),
        ("d1000", (1000,)),
        ("04+012", (4, 12)),
        ("50w6", (6,) * 50),
    ],
)
def test_1_2_the_ways_to_write_a_pool(written: str, pool: tuple[int, ...]) -> None:
    assert dice.parse(written) == pool


@pytest.mark.parametrize("written", ["", " ", "\t\n"])
def test_1_2_no_dice_at_all_are_refused(written: str) -> None:
    with pytest.raises(Refusal) as refused:
        dice.parse(written)

    assert refused.value.text.key == "dice.none"


UNREADABLE = [
    *("four", "4+", "+4", "4++4", "4 4", "4,4", "4-4", "-4", "4+-4", "--4", "4.0", "1e1", "4_0"),
    *("w", "2w", "ww4", "2x4", "w-4", "-2w4", "2w4w6", "0x4", "12345", "4;DROP", "?", "4 = 3"),
    *("١", "１２", "４", "２w4", "2w٤", "४", "4＋4", "²", "Ⅳ", "2ᴡ4", "ｗ4", "4\x00", "4\u200b"),
]


@pytest.mark.parametrize("written", UNREADABLE)
def test_1_2_only_plain_digits_plus_and_w_or_d_are_read(written: str) -> None:
    with pytest.raises(Refusal) as refused:
        dice.parse(written)

    assert refused.value.text.key == "dice.unreadable"


def test_1_2_what_could_not_be_read_is_quoted_but_cut() -> None:
    with pytest.raises(Refusal) as refused:
        dice.parse(f"4 + {'x' * 5000} + 6")

    assert refused.value.text.args["term"] == "x" * 20


@pytest.mark.parametrize("written", ["0", "1", "w1", "2w0", "1001", "w9999", "4+1"])
def test_1_2_a_die_has_2_to_1000_faces(written: str) -> None:
    with pytest.raises(Refusal) as refused:
        dice.parse(written)

    assert refused.value.text.key in ("dice.unknown_die", "dice.no_sides")


@pytest.mark.parametrize("written", ["51w6", "0w6", "9999w6", "+".join(["6"] * 51), "49w4+2w6"])
def test_1_9_a_pool_has_1_to_50_dice(written: str) -> None:
    with pytest.raises(Refusal) as refused:
        dice.parse(written)

    assert refused.value.text.key in ("dice.too_many", "dice.none_at_all")


@given(st.lists(st.integers(min_value=2, max_value=1000), min_size=1, max_size=50))
def test_1_2_a_pool_reads_back_as_it_was_written(sides: list[int]) -> None:
    pool = dice.parse(dice.notation(sides))

    assert pool == tuple(sorted(sides))
    assert dice.parse(dice.notation(pool)) == pool


@given(st.text(alphabet="0123456789wdWD+ -_٤４.x", max_size=12))
def test_1_2_a_text_is_read_or_refused(written: str) -> None:
    try:
        pool = dice.parse(written)
    except Refusal:
        return
    assert 1 <= len(pool) <= 50
    assert all(2 <= sides <= 1000 for sides in pool)


# -- throws as recorded values ------------------------------------------------------------------


def scripted(*values: int):
    """A draw that yields `values`, and no more."""
    rest = iter(values)
    return lambda sides: next(rest)


def test_1_2_an_open_die_is_drawn_again_as_long_as_it_shows_its_highest_face() -> None:
    throw = Throw((6, 8), open=True)

    values = dice.cast(throw, scripted(6, 6, 3, 5))

    assert values == (6, 6, 3, 5)
    assert dice.chains(throw, values) == ((6, 6, 3), (5,))


def test_1_9_a_plain_die_is_drawn_once() -> None:
    throw = Throw((6, 8, 6))

    values = dice.cast(throw, scripted(6, 8, 6, 1))

    assert values == (6, 8, 6)
    assert dice.chains(throw, values) == ((6,), (8,), (6,))


def test_1_2_every_draw_is_of_the_die_it_belongs_to() -> None:
    asked = []

    def draw(sides: int) -> int:
        asked.append(sides)
        return sides if len(asked) in (1, 3) else 1

    dice.cast(Throw((4, 20, 12), open=True), draw)

    assert asked == [4, 4, 20, 20, 12]


@given(st.lists(SIDES, min_size=1, max_size=10), st.booleans(), st.data())
def test_1_2_recorded_values_tell_the_chain_of_every_die(
    sides: list[int], is_open: bool, data: st.DataObject
) -> None:
    throw = Throw(tuple(sides), open=is_open)
    values = dice.cast(throw, lambda faces: data.draw(st.integers(min_value=1, max_value=faces)))

    chains = dice.chains(throw, values)

    assert sum(chains, ()) == values
    assert len(chains) == len(sides)
    for chain, faces in zip(chains, sides, strict=True):
        assert all(value == faces for value in chain[:-1])
        assert chain[-1] != faces or not is_open


@pytest.mark.parametrize(
    ("throw", "values"),
    [
        (Throw((6,)), ()),
        (Throw((6,)), (0,)),
        (Throw((6,)), (-1,)),
        (Throw((6,)), (7,)),
        (Throw((6,)), (6, 3)),
        (Throw((6, 4)), (3, 5)),
        (Throw((6,), open=True), (6,)),
        (Throw((6,), open=True), (6, 6)),
        (Throw((6,), open=True), (5, 6)),
        (Throw((6, 4), open=True), (6, 3)),
        (Throw((6, 4), open=True), (3, 4, 1, 1)),
        (Throw(), (1,)),
    ],
)
def test_1_2_values_that_are_no_record_of_the_throw_are_refused(
    throw: Throw, values: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="throw of"):
        dice.chains(throw, values)


def test_1_2_a_throw_is_shown_as_its_chains() -> None:
    assert dice.show([(6, 6, 3), (5,)]) == "6>6>3 + 5"


# -- chances ------------------------------------------------------------------------------------


def open_throws(pool: tuple[int, ...], most: int) -> Iterator[tuple[int, Fraction]]:
    """Every sum up to `most` a pool can make, die by die and chain by chain, with its chance."""

    def die(sides: int) -> list[tuple[int, Fraction]]:
        return [
            (again * sides + face, Fraction(1, sides ** (again + 1)))
            for again in range(most // sides + 1)
            for face in range(1, sides)
        ]

    for faces in product(*map(die, pool)):
        chance = Fraction(1)
        for _, share in faces:
            chance *= share
        yield sum(value for value, _ in faces), chance


def exploding(pool: tuple[int, ...], depth: int) -> icepool.Die[int]:
    """The open pool in icepool, cut after `depth` throws again: exact below `depth` times 2."""
    throws = [icepool.d(sides).explode(depth=depth) for sides in pool]
    total = throws[0]
    for throw in throws[1:]:
        total += throw
    return total


@pytest.mark.parametrize("pool", POOLS, ids=dice.notation)
def test_the_chance_of_every_sum_is_that_of_icepool(pool: tuple[int, ...]) -> None:
    depth = 60 // min(pool) + 1
    oracle = exploding(pool, depth)

    for total in range(61):
        assert dice.chance(pool, total) == oracle.probability("==", total)
        assert dice.chance_over(pool, total) == oracle.probability(">", total)


@pytest.mark.parametrize("pool", [(4,), (6,), (4, 4), (2, 3), (4, 4, 12)], ids=dice.notation)
def test_the_chance_of_every_sum_is_that_of_all_throws_added_up(pool: tuple[int, ...]) -> None:
    most = 30
    sums = dict.fromkeys(range(most + 1), Fraction(0))
    for total, chance in open_throws(pool, most):
        if total <= most:
            sums[total] += chance

    assert {total: dice.chance(pool, total) for total in sums} == sums
    assert dice.chance_over(pool, most) == 1 - sum(sums.values())


@pytest.mark.parametrize("pool", [(2,), (4,), (6,), (20,), (2, 3), (4, 4, 12)], ids=dice.notation)
def test_mean_and_variance_are_those_of_the_chances(pool: tuple[int, ...]) -> None:
    most = max(120, 10 * max(pool))
    chances = [float(dice.chance(pool, total)) for total in range(most + 1)]
    mean = sum(total * chance for total, chance in enumerate(chances))
    square = sum(total**2 * chance for total, chance in enumerate(chances))

    assert sum(chances) == pytest.approx(1, abs=1e-9)
    assert float(dice.mean(pool)) == pytest.approx(mean, abs=1e-6)
    assert float(dice.variance(pool)) == pytest.approx(square - mean**2, abs=1e-4)


@pytest.mark.parametrize("pool", POOLS, ids=dice.notation)
def test_mean_and_variance_are_those_of_icepool(pool: tuple[int, ...]) -> None:
    dice_of_it = [icepool.d(sides).explode(depth=40) for sides in pool]

    assert float(dice.mean(pool)) == pytest.approx(float(sum(die.mean() for die in dice_of_it)))
    assert float(dice.variance(pool)) == pytest.approx(
        float(sum(die.variance() for die in dice_of_it))
    )


def test_two_d4_and_a_d12_come_to_13_76_on_average() -> None:
    assert dice.mean((4, 4, 12)) == Fraction(454, 33)
    assert float(dice.mean((4, 4, 12))) == pytest.approx(13.757575757)
    assert dice.chance((4, 4, 12), 3) == Fraction(1, 192)


def test_an_open_die_never_shows_a_multiple_of_its_faces() -> None:
    assert [dice.chance((6,), total) for total in (0, 6, 12, 60)] == [0, 0, 0, 0]
    assert dice.chance((6,), 5) == Fraction(1, 6)
    assert dice.chance((6,), 13) == Fraction(1, 216)


def test_chances_do_not_depend_on_the_order_of_the_dice() -> None:
    assert dice.chance((12, 4, 4), 17) == dice.chance((4, 4, 12), 17)
    assert dice.chance_over((12, 4, 4), 17) == dice.chance_over((4, 12, 4), 17)


def test_chances_reach_beyond_the_table() -> None:
    assert dice.chance((20,), 61) == Fraction(1, 20**4)
    assert dice.chance((20,), 60) == 0
    assert dice.chance_over((20,), 79) == Fraction(1, 20**4)
    assert dice.chance_over((20,), 80) == dice.chance_over((20,), 79)


def test_a_sum_below_zero_is_impossible_and_any_throw_is_over_it() -> None:
    assert dice.chance((6,), -1) == 0
    assert dice.chance_over((6,), -1) == 1
    assert dice.chance_over((6,), 0) == 1
    assert dice.chance((), 0) == 1
