"""What is in circulation, where it is, and how it got there."""

from __future__ import annotations

from datetime import UTC

import pytest

from economy.ledger import Ledger, escrow, mint, wallet
from economy.supply import BY_GAMES, Owner, supply
from economy.tracks import Places, Track, newest, places, rank, tracks

NOON = 1_800_014_400
DAY = 24 * 3600


@pytest.fixture
def books(ledger: Ledger) -> Ledger:
    """Yesterday Anna got 10 and Ben 30; today Anna won the 5 that Ben had staked."""
    with ledger.db.atomic():
        ledger.transfer("a", "gift", mint(), wallet(1), 10, at=NOON - DAY)
        ledger.transfer("b", "gift", mint(), wallet(2), 30, at=NOON - DAY + 1)
        ledger.transfer("c", "stake", wallet(2), escrow("game"), 5, at=NOON)
        ledger.book("d", BY_GAMES, {escrow("game"): -5, wallet(1): 5}, at=NOON + 1)
    return ledger


def test_the_supply_is_what_the_mint_gave_and_where_it_is_now(books: Ledger) -> None:
    told = supply(books.db, NOON + 2, UTC, days=2, richest=1)

    assert told.circulation == {"coins": 40}
    assert told.held["coins"] == {"wallet": 40, "escrow": 0, "jackpot": 0, "fund": 0}
    assert [(day.new, day.gone, day.paid) for day in told.days["coins"]] == [(40, 0, 0), (0, 0, 5)]
    assert told.richest == [Owner("2", 25, 25 / 40)]


def test_a_track_is_what_was_held_after_each_booking(books: Ledger) -> None:
    assert tracks(books.db, "wallet", "1")["coins"] == Track((NOON - DAY, NOON + 1), (10, 15))
    assert tracks(books.db, "wallet", "3") == {}
    assert newest(books.db, "wallet", "1") > newest(books.db, "wallet", "2") > 0
    assert newest(books.db, "wallet", "3") == 0
    assert rank(books.db, "coins", 15) == (2, 2)


def test_where_everything_was_at_the_end_of_each_day(books: Ledger) -> None:
    midnight = NOON - 12 * 3600
    held = {"wallet": (40, 40), "escrow": (0, 0), "jackpot": (0, 0), "fund": (0, 0)}

    assert places(books.db, NOON + 2, UTC, days=2) == Places((midnight, NOON + 2), held)
