"""What moves of Yahtzee are worth (RULES 8.2), against enumeration and values worked out apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.mind import NotReady, Table, best
from games.yahtzee import boxes, mind, rules
from games.yahtzee.boxes import BOXES, LOWER, Sheet
from games.yahtzee.rules import Player, State

ONE_BOX = {
    "ones": 2.1064814815,
    "one_pair": 22.9742466929,
    "two_pairs": 15.7251933795,
    "three_of_a_kind": 15.1946612930,
    "four_of_a_kind": 5.6112634277,
    "full_house": 9.0720719630,
    "short_straight": 18.4632693871,
    "long_straight": 10.4438006694,
    "yahtzee": 2.3014321263,
    "chance": 23.3333333333,
}


def sheet(still: set[str], scored: Mapping[str, int] | None = None) -> Sheet:
    """A sheet on which `still` are open; the others have scored so much, or nothing."""
    return tuple(None if box in still else (scored or {}).get(box, 0) for box in BOXES)


@pytest.fixture(scope="module")
def endings() -> Any:
    """The rows of the table with at most one lower box open, and of Yahtzee and chance."""
    rows = [mind._place(sheet({box}))[0] for box in LOWER]
    closed = [mind._place(sheet({"ones"}, {"yahtzee": fifty}))[0] for fifty in (0, 50)]
    rich = [mind._place(sheet({box}, {"yahtzee": 50}))[0] for box in LOWER if box != "yahtzee"]
    table = np.zeros((mind.ROWS, 1873))
    for row in (*closed, *rows, *rich, mind._place(sheet({"yahtzee", "chance"}))[0]):
        mind.solve_row(table, row)
    return table


@pytest.fixture
def near_the_end(endings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mind that knows those rows only."""
    table = Table("yahtzee", 0, endings.shape, mind.solve, lambda numbers: None)
    table.use(endings.astype(np.float32))
    mind._cached.cache_clear()
    monkeypatch.setattr(mind, "TABLE", table)


@pytest.mark.parametrize(
    ("left", "worth"),
    [
        *((sheet({box}), worth) for box, worth in ONE_BOX.items()),
        (sheet({"yahtzee", "chance"}), 27.3375584420),
        (sheet({"sixes"}, {"fives": 25, "fours": 20}), 25.0586388181),
        (sheet({"sixes"}, {"fives": 15, "fours": 16, "threes": 9, "twos": 4, "ones": 1}),
         25.0586388181),
        (sheet({"chance"}, {"yahtzee": 50}), 25.6118206942),
    ],
)  # fmt: skip
def test_8_what_the_last_boxes_are_worth(endings: Any, left: Sheet, worth: float) -> None:
    assert endings[mind._place(left)] == pytest.approx(worth, abs=1e-9)


def test_8_the_table_has_a_row_for_the_lower_boxes_and_a_column_for_the_upper_sums() -> None:
    assert mind.TABLE
    assert mind.TABLE.shape == (768, 1873)
    assert 4 * 768 * 1873 == 5_753_856


def playing(left: Sheet, dice: tuple[int, ...] = (), thrown: int = 0) -> State:
    """The last turns of somebody who plays on with this sheet, while another waits."""
    return State((Player(left), Player(left)), 0, dice, thrown)


def enumerated(state: State, move: str) -> float:
    """What a move brings on average where one box is left: every throw, by the rules alone."""
    throw = rules.throw(state, 0, move)
    totals = []
    for dice in product(range(1, 7), repeat=len(throw.sides)):
        after = rules.play(state, 0, move, dice)
        if after.turn == 0:
            (score,) = (m for m in rules.legal(after, 0) if m.startswith("score"))
            after = rules.play(after, 0, score, ())
        totals.append(after.players[0].total)
    return sum(totals) / len(totals)


@pytest.mark.usefixtures("near_the_end")
@pytest.mark.parametrize(
    ("left", "dice"),
    [
        (sheet({"chance"}, {"yahtzee": 50, "sixes": 24}), (6, 6, 6, 2, 6)),
        (sheet({"threes"}, {"sixes": 30, "fives": 20, "twos": 4}), (3, 1, 3, 5, 3)),
        (sheet({"full_house"}, {"chance": 9}), (2, 2, 5, 5, 1)),
    ],
)
def test_8_the_last_throw_is_worth_what_counting_all_throws_says(
    left: Sheet, dice: tuple[int, ...]
) -> None:
    state = playing(left, dice, 2)

    values = mind.values(state, 0)

    assert tuple(values) == rules.legal(state, 0)
    for move in ("roll 0", "roll 4", "roll 25", "roll 135", f"score {boxes.open_boxes(left)[0]}"):
        assert values[move] == pytest.approx(enumerated(state, move), abs=1e-4)


@pytest.mark.usefixtures("near_the_end")
@pytest.mark.parametrize(
    ("thrown", "move"), [(0, "roll"), (1, "roll 2345"), (1, "roll 0"), (2, "roll 345")]
)
def test_8_a_move_is_worth_the_mean_of_what_can_follow(thrown: int, move: str) -> None:
    left = sheet({"yahtzee", "chance"}, {"fours": 12})
    state = playing(left, (4, 4, 4, 4, 1) if thrown else (), thrown)
    sides = rules.throw(state, 0, move).sides

    follow: Counter[tuple[int, ...]] = Counter(
        tuple(sorted(dice)) for dice in product(range(1, 7), repeat=len(sides))
    )
    mean = sum(
        ways * max(mind.values(rules.play(state, 0, move, dice), 0).values())
        for dice, ways in follow.items()
    )

    assert mind.values(state, 0)[move] == pytest.approx(mean / 6 ** len(sides), abs=1e-4)


@pytest.mark.usefixtures("near_the_end")
def test_8_every_further_yahtzee_is_a_hundred_more_and_the_box_itself_is_not() -> None:
    left = sheet({"chance"}, {"yahtzee": 50})

    assert mind.values(playing(left, (1,) * 5, 3), 0) == {"score chance": 50 + 5 + 100}
    assert mind.values(playing(sheet({"yahtzee"}), (1,) * 5, 3), 0) == {"score yahtzee": 50}


def test_8_without_its_table_the_mind_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mind, "TABLE", Table("yahtzee", 1, (768, 1873), mind.solve, print))
    mind._cached.cache_clear()

    with pytest.raises(NotReady):
        mind.values(playing(boxes.EMPTY), 0)
    with pytest.raises(NotReady):
        mind.values(playing(boxes.EMPTY, (1, 2, 3, 4, 5), 1), 0)


# -- the whole table ----------------------------------------------------------------------------


@pytest.mark.usefixtures("tables")
def test_8_an_empty_sheet_is_worth_316() -> None:
    assert mind.worth(boxes.EMPTY) == pytest.approx(316.2849, abs=1e-4)
    assert mind.values(playing(boxes.EMPTY), 0) == {
        "roll": pytest.approx(mind.worth(boxes.EMPTY), abs=1e-4)
    }


@pytest.mark.usefixtures("tables")
def test_8_the_whole_table_is_the_same_as_its_end(endings: Any) -> None:
    assert mind.TABLE
    row, column = mind._place(sheet({"yahtzee", "chance"}))

    assert (mind.TABLE.numbers[row] == endings[row].astype(np.float32)).all()
    assert mind.TABLE.numbers[row, column] > 0


@pytest.mark.parametrize("harm", ["shape", "type", "no number", "another game's"])
def test_8_a_table_that_is_not_its_own_is_not_taken(harm: str, tables: Path) -> None:
    assert mind.TABLE
    numbers = np.array(mind.TABLE.numbers)
    if harm == "no number":
        numbers[5, 5] = np.nan
    wrong = {
        "shape": numbers[:, :-1],
        "type": numbers.astype(np.float64),
        "another game's": numbers + np.linspace(0, 9, numbers.shape[1], dtype=np.float32),
    }.get(harm, numbers)

    with pytest.raises(ValueError, match=r"yahtzee-|numbers|follow"):
        mind.TABLE.use(wrong)


@pytest.mark.usefixtures("tables")
def test_8_five_equal_are_scored_rather_than_none_of_them_thrown_again() -> None:
    values = mind.values(playing(boxes.EMPTY, (6, 6, 6, 6, 6), 1), 0)

    assert values["roll 0"] == pytest.approx(values["score yahtzee"], abs=1e-4)
    assert best(values) == "score yahtzee"
