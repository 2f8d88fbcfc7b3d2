"""RULES 6: planned in secret, drawn when due, given once, never made from nothing."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from peewee import Database

from economy.audit import prove
from economy.ledger import COINS, Ledger, escrow, fund, mint
from economy.robin_hood import MOST_REDRAWS, WAIT_S, Plan, RobinHood, WrongPlan

BERLIN = ZoneInfo("Europe/Berlin")
MORNING = int(datetime(2027, 1, 15, 6, tzinfo=BERLIN).timestamp())
MIDNIGHT = int(datetime(2027, 1, 15, tzinfo=BERLIN).timestamp())
HOUR = 3600


@pytest.fixture
def ledger(db: Database) -> Ledger:
    return Ledger(db)


@pytest.fixture
def robin(db: Database, ledger: Ledger) -> RobinHood:
    """With 100 coins in the fund; every draw takes the first there is."""
    ledger.transfer("topup", "fund", mint(), fund(), 100, at=0)
    return RobinHood(db, ledger, draw=lambda n: 1)


def test_6_a_day_gets_its_rounds_within_its_hours(db: Database, ledger: Ledger) -> None:
    drawn = iter((1, 3600, 7200))
    robin = RobinHood(db, ledger, draw=lambda n: next(drawn))
    robin.set_plan(Plan(3, 5, 10, 12))

    rounds = robin.draw_day(MORNING, BERLIN)

    ten = MIDNIGHT + 10 * HOUR
    assert [it.due_at for it in rounds] == [ten, ten + 3599, ten + 7199]
    assert {it.status for it in rounds} == {"planned"}


def test_6_planning_the_day_anew_keeps_what_was_drawn_and_drops_the_rest(robin: RobinHood) -> None:
    robin.set_plan(Plan(2, 5, 10, 12))
    first, _ = robin.draw_day(MORNING, BERLIN)
    robin.fire(first.id, first.due_at, ["a"], MIDNIGHT)

    again = robin.draw_day(first.due_at + 60, BERLIN)

    assert len(again) == 1
    assert len(robin.rounds(MIDNIGHT)) == 2
    assert all(it.due_at > first.due_at + 60 for it in again)


@pytest.mark.parametrize(
    "plan",
    [
        Plan(1, 5, 12, 12),
        Plan(1, 5, 22, 10),
        Plan(1, 5, -1, 10),
        Plan(1, 5, 10, 25),
        Plan(1000, 5, 10, 12),
        Plan(1, 0, 10, 12),
        Plan(-1, 5, 10, 12),
    ],
)
def test_a_schedule_that_cannot_be_is_refused_and_the_old_one_stays(
    robin: RobinHood, plan: Plan
) -> None:
    robin.set_plan(Plan(2, 5, 10, 12))

    with pytest.raises(WrongPlan):
        robin.set_plan(plan)

    assert robin.plan() == Plan(2, 5, 10, 12)


def test_6_a_due_round_goes_to_the_next_free_game_of_the_drawn_place(
    robin: RobinHood, ledger: Ledger
) -> None:
    it = robin.add(MORNING, 30)

    assert robin.fire(it.id, MORNING, ["a", "b"], MIDNIGHT).place == "a"
    assert robin.attach("b", "game-b", MORNING + 60) == 0
    assert robin.attach("a", "game-a", MORNING + 60) == 30

    assert ledger.balance(escrow("game-a")) == 30
    assert ledger.balance(fund()) == 70
    assert robin.attach("a", "game-2", MORNING + 120) == 0


def test_6_after_six_hours_it_is_drawn_again_at_most_three_times_each_elsewhere(
    robin: RobinHood,
) -> None:
    it = robin.add(MORNING, 30)
    now, places = MORNING, []

    for _ in range(1 + MOST_REDRAWS):
        it = robin.fire(it.id, now, list("abcdef"), MIDNIGHT)
        places.append(it.place)
        assert robin.fire(it.id, now + WAIT_S - 1, list("abcdef"), MIDNIGHT) == it
        now += WAIT_S
    ended = robin.fire(it.id, now, list("abcdef"), MIDNIGHT)

    assert places == ["a", "b", "c", "d"]
    assert ended.status == "failed"
    assert robin.attach("d", "late", now) == 0


def test_6_one_a_day_per_place(robin: RobinHood) -> None:
    first, second = robin.add(MORNING, 5), robin.add(MORNING, 5)

    robin.fire(first.id, MORNING, ["a"], MIDNIGHT)
    robin.attach("a", "game", MORNING)
    robin.settled("game")

    assert robin.fire(second.id, MORNING + 1, ["a"], MIDNIGHT).place == ""
    tomorrow = MIDNIGHT + 24 * HOUR
    third = robin.add(tomorrow, 5)
    assert robin.fire(third.id, tomorrow, ["a"], tomorrow).place == "a"


def test_6_a_fund_that_is_short_gives_what_it_has(robin: RobinHood, ledger: Ledger) -> None:
    it = robin.add(MORNING, 500)
    robin.fire(it.id, MORNING, ["a"], MIDNIGHT)

    assert robin.attach("a", "game", MORNING) == 100
    assert ledger.balance(fund()) == 0

    empty = robin.add(MORNING, 5)
    robin.fire(empty.id, MORNING, ["b"], MIDNIGHT)
    assert robin.attach("b", "other", MORNING) == 0


def test_6_a_stopped_round_is_drawn_again_elsewhere(robin: RobinHood) -> None:
    it = robin.add(MORNING, 30)
    robin.fire(it.id, MORNING, ["a", "b"], MIDNIGHT)
    robin.attach("a", "game", MORNING)

    stopped = robin.stopped("game", MORNING + 60)

    assert stopped is not None
    assert (stopped.status, stopped.due_at, stopped.given) == ("planned", MORNING + 60, 0)
    assert robin.fire(it.id, MORNING + 60, ["a", "b"], MIDNIGHT).place == "b"


def test_a_paused_plan_gives_nothing_and_a_cancelled_round_neither(robin: RobinHood) -> None:
    waits, cancelled, skipped = (robin.add(MORNING, 5) for _ in range(3))
    robin.fire(waits.id, MORNING, ["a"], MIDNIGHT)
    robin.cancel(cancelled.id)
    robin.set_plan(Plan(1, 5, 10, 12, paused=True))

    assert robin.attach("a", "game", MORNING + 1) == 0
    assert robin.fire(skipped.id, MORNING + 1, ["b"], MIDNIGHT).status == "skipped"
    assert robin.draw_day(MORNING, BERLIN) == []
    with pytest.raises(LookupError):
        robin.cancel(cancelled.id)


def test_6_the_levy_is_rounded_down(robin: RobinHood) -> None:
    assert [robin.levy(15, percent) for percent in (0, 5, 10, 100)] == [0, 0, 1, 15]


def test_the_books_stay_right(robin: RobinHood, ledger: Ledger) -> None:
    it = robin.add(MORNING, 30)
    robin.fire(it.id, MORNING, ["a"], MIDNIGHT)
    robin.attach("a", "game", MORNING)

    assert prove(ledger.db, {"game"}).problems == ()
    assert prove(ledger.db, {"game"}).sums == {COINS: 0}
