"""Down across midnight, a month's end, New Year: each period is paid once."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest

from economy.robin_hood import Plan
from games.game import HOUSE
from tests.tgbot.bonuses import DAY_S, MIDNIGHT_S, gained, keys, over, won
from tests.tgbot.house import House
from tests.tgbot.playing import furnish
from tgbot import app
from tgbot.database import open_database
from tgbot.done import Done
from tgbot.hall.hall import open_hall
from tgbot.hall.table import Table
from tgbot.hall.upkeep import Upkeep
from tgbot.soak.virtual import now


async def test_three_days_down_and_every_period_is_paid_once(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)

    await house.away(3 * DAY_S)
    await house.away(1)
    await house.away(DAY_S)

    assert keys(house) == ["bonus:fifty.over:day:2027-01-15"]
    assert gained(house, house.ben) == 10


async def test_down_over_new_year_and_day_month_and_year_are_paid_in_one_message(
    house: House,
) -> None:
    private = house.private(house.ben)
    house.say(house.ben, "/start", private)
    await over(house, anna=1, ben=3, cem=2)

    await house.away(400 * DAY_S)
    await house.away(1)

    assert gained(house, house.ben) == 1110
    assert sorted(keys(house)) == [
        "bonus:fifty.over:day:2027-01-15",
        "bonus:fifty.over:month:2027-01-01",
        "bonus:fifty.over:year:2027-01-01",
    ]
    lines = house.heard(private)[-1].split("\n")
    throw = "3 1 + 17 = 18 > 15"
    assert lines == [
        won(house, "day", "15 Jan 2027", 10, throw),
        won(house, "month", "Jan 2027", 100, throw),
        won(house, "year", "2027", 1000, throw),
    ]


async def test_down_across_midnight_alone(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.breathe(MIDNIGHT_S - 600)

    await house.away(1200)
    await house.away(60)

    assert keys(house) == ["bonus:fifty.over:day:2027-01-15"]
    assert gained(house, house.ben) == 10


async def test_down_across_the_end_of_a_month(house: House) -> None:
    await house.away(16 * DAY_S)  # the last of January
    await over(house, anna=1, ben=3, cem=2)

    await house.away(3 * DAY_S)
    await house.away(1)

    assert sorted(keys(house)) == [
        "bonus:fifty.over:day:2027-01-31",
        "bonus:fifty.over:month:2027-01-01",
    ]
    assert gained(house, house.ben) == 110


async def test_down_again_and_again_around_midnight(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.away(MIDNIGHT_S - 60)

    for seconds in (20, 20, 20, 1, 1, 1, 5, 20, 60):
        await house.away(seconds)

    assert keys(house) == ["bonus:fifty.over:day:2027-01-15"]


async def test_what_robin_hood_missed_while_down_is_not_made_up_for(house: House) -> None:
    # an operator's week of two rounds a day, three days of it slept through
    await furnish(house)
    db = open_database(house.settings)
    hall, _ = open_hall(db, house.settings)
    with db.atomic():
        hall.settling.robin.schedule(Plan(rounds=2, coins=5), int(now()))
    db.close()

    await house.away(3 * DAY_S)
    await house.breathe(DAY_S)
    await house.away(1)

    a_day = "SELECT count(*) FROM robin_rounds GROUP BY planned_at / 86400 ORDER BY 1 DESC"
    assert house.sql(a_day)[0][0] <= 3  # days of Berlin begin an hour earlier
    assert house.held("fund") == 100


async def test_a_jackpot_that_became_idle_while_down_goes_once(house: House) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.away(100 * DAY_S)
    await house.away(DAY_S)

    assert house.held("fund") == 15
    assert house.jackpot() == 0
    assert house.sql("SELECT count(*) FROM bookings WHERE reason = 'idle_jackpot'") == [(1,)]


async def test_of_very_many_games_the_rest_are_taken_up_while_others_are_played(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.begin(house.anna, house.ben)
    before = game(house)
    monkeypatch.setattr(app, "RESUMED_FIRST", 0)
    monkeypatch.setattr(app, "RESUMED_AT_ONCE", 1)

    await house.away(600)
    await house.breathe(1)

    after = game(house)
    assert after.n == before.n  # nobody was forced: the clock waits until it is taken up
    assert after.showing(HOUSE).due_at >= before.showing(HOUSE).due_at + 600  # with its full time
    await house.score(house.anna, "4+20", 12)
    assert game(house).n > before.n


async def test_games_are_taken_up_with_the_collector_at_rest(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a look through 10 000 games takes 150 ms, and everybody waits for it
    await house.begin(house.anna, house.ben)
    rested = []

    def watched(upkeep: Upkeep, games: Sequence[str], now: int) -> Done:
        rested.append(gc.get_freeze_count() > 0 and gc.get_threshold()[0] > 700)
        return resume_some(upkeep, games, now)

    resume_some = Upkeep.resume_some
    monkeypatch.setattr(Upkeep, "resume_some", watched)
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)

    await house.away(1)

    assert rested == [True]


def game(house: House) -> Table:
    assert house.bot
    return house.bot.hall.store.read(house.table().id)
