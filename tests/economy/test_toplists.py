"""RULES 1.7 and 2: best lists and their bonuses, as the database has them."""

from __future__ import annotations

from datetime import UTC

import pytest
from peewee import Database

from economy import best_lists
from economy.best_lists import FOREVER, Best, TopLists

NOON = 1_800_014_400
DAY = 24 * 3600


@pytest.fixture
def bests(db: Database) -> TopLists:
    """A list in which Anna leads before Ben, who has the same and came later, and Cem is behind."""
    lists = TopLists(db)
    for source, (ref, value, at) in enumerate(
        [("cem", 7, NOON), ("ben", 9, NOON + 2), ("anna", 9, NOON + 1), ("ben", 3, NOON + 3)]
    ):
        place = "red" if ref == "cem" else "blue"
        lists.enter("over", Best(ref, value, "", at, place), source=f"game{source}")
    return lists


def refs(found: list[Best]) -> list[str]:
    return [best.ref for best in found]


def test_1_7_the_best_come_first_and_of_equal_ones_the_earlier(bests: TopLists) -> None:
    assert refs(bests.top("over", 0, FOREVER)) == ["anna", "ben", "cem", "ben"]
    assert refs(bests.top("over", 0, FOREVER, limit=2, offset=1)) == ["ben", "cem"]
    assert refs(bests.top("over", NOON + 2, NOON + 3)) == ["ben"]
    assert bests.top("under", 0, FOREVER) == []


def test_1_7_what_does_not_count_is_shown_in_its_own_group_only(bests: TopLists) -> None:
    bests.enter("over", Best("dora", 99, "", NOON, "red"), source="duel", counted=False)

    assert refs(bests.top("over", 0, FOREVER, limit=1)) == ["anna"]
    assert refs(bests.top("over", 0, FOREVER, chat="red")) == ["dora", "cem"]
    assert bests.own("over", "dora") is None


def test_1_7_a_long_list_says_the_same_as_a_short_one(
    bests: TopLists, monkeypatch: pytest.MonkeyPatch
) -> None:
    bests.enter("over", Best("dora", 99, "", NOON + 1, "red"), source="duel", counted=False)
    periods = [(0, FOREVER), (NOON + 1, NOON + 3), (NOON, NOON + 2), (NOON + 4, FOREVER)]
    short = [bests.top("over", *period, limit=2) for period in periods]

    monkeypatch.setattr(best_lists, "MOST_SORTED", 0)

    assert [bests.top("over", *period, limit=2) for period in periods] == short
    assert list(map(refs, short)) == [["anna", "ben"], ["anna", "ben"], ["anna", "cem"], []]


def test_a_persons_own_best_and_who_is_among_the_best(bests: TopLists) -> None:
    own = bests.own("over", "ben")

    assert own == Best("ben", 9, "", NOON + 2, "blue")

    def standing(most: int, value: int, at: int) -> tuple[int, int]:
        return bests.standing(most, "over", value, at, 0, FOREVER)

    assert standing(2, 9, NOON + 1) == (2, 0)  # before Ben's, behind Anna's
    assert standing(2, 9, NOON + 2) == (0, 0)  # as late as Ben's
    assert standing(2, 7, NOON - 1) == (0, 2)
    assert standing(5, 1, NOON)[0] > 2
    assert bests.entered("over", "cem", "game0")
    assert not bests.entered("over", "cem", "game1")


def test_1_7_a_period_is_unpaid_until_its_bonus_is_noted_and_never_again(bests: TopLists) -> None:
    bests.enter("over", Best("cem", 1, "", NOON + DAY), source="next day")
    first = bests.unpaid("over", "day", NOON + 2 * DAY, UTC)
    assert first is not None

    bests.pay(first, 10)
    bests.pay(first, 10)
    second = bests.unpaid("over", "day", NOON + 2 * DAY, UTC)
    assert second is not None
    bests.pay(second, 10)

    assert (first.day, first.best.ref) == ("2027-01-15", "anna")
    assert (second.day, second.best.ref) == ("2027-01-16", "cem")
    assert bests.unpaid("over", "day", NOON + 2 * DAY, UTC) is None
    assert bests.unpaid("over", "month", NOON + 2 * DAY, UTC) is not None
