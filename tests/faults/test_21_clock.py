"""The clock jumps back, or daylight saving begins or ends at the rollover: paid once."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from tests.tgbot.bonuses import (
    BERLIN,
    DAY_S,
    MIDNIGHT_S,
    Wall,
    days,
    gained,
    keys,
    on_both,
    over,
    settings,
    wall,
)
from tests.tgbot.house import House
from tests.tgbot.playing import furnish, order
from tgbot.hall.bonuses import LAG_S
from tgbot.soak.virtual import PATIENCE_S, now, true_now

__all__ = ["settings", "wall"]


@on_both
def test_a_clock_that_jumps_back_over_midnight_pays_no_day_twice(wall: Wall) -> None:
    wall.at(2027, 5, 3, 23, 50).enter(who=1)
    wall.live(wall.at(2027, 5, 4, 0, 10).now)
    wall.enter(who=2)

    wall.at(2027, 5, 3, 23, 20).enter(far=9, who=3)
    wall.fire()
    wall.live(wall.at(2027, 5, 4, 23, 0).now)
    once = wall.booked()
    wall.live(wall.at(2027, 5, 5, 1, 0).now)

    assert once == days("2027-05-03")
    assert wall.booked() == days("2027-05-03", "2027-05-04")
    assert wall.bonuses.ledger.balances("wallet", "2") == {"coins": 10}
    assert wall.bonuses.ledger.balances("wallet", "3") == {}


@pytest.mark.parametrize(
    ("month", "day", "hours"), [(3, 28, 23), (10, 31, 25)], ids=["begins", "ends"]
)
def test_a_day_of_23_or_25_hours_is_one_day(wall: Wall, month: int, day: int, hours: int) -> None:
    wall.at(2027, month, day)
    start = wall.now
    for hour in range(hours + 24):
        wall.live(start + hour * 3600 + 1800)
        wall.enter(far=hour + 1, who=hour)
    wall.live(start + 4 * DAY_S)

    shown = [(at - start - LAG_S, key) for at, key in wall.paid if ":day:" in key]
    next_day = datetime(2027, month, day) + timedelta(days=1)  # noqa: DTZ001 - the wall's own
    both = days(f"2027-{month:02}-{day:02}", str(next_day.date()))
    assert shown == list(zip((hours * 3600, (hours + 24) * 3600), both, strict=True))
    leader = wall.bonuses.ledger.balances("wallet", str(hours - 1))["coins"]
    assert leader == (10 if month == 3 else 110)  # the last of October ends a month besides


def test_a_clock_set_years_ahead_by_mistake_keeps_no_later_bonus_back(wall: Wall) -> None:
    wall.at(2027, 5, 3, 12).enter(who=1)
    wall.live(wall.at(2040, 1, 1, 12).now)
    wall.enter(who=2)
    wall.live(wall.at(2040, 1, 3, 12).now)

    wall.at(2027, 5, 3, 13).enter(far=5, who=3)
    wall.live(wall.at(2027, 5, 4, 13).now)
    wall.enter(who=3)
    wall.live(wall.at(2027, 5, 5, 13).now)

    found = [key for key in wall.booked() if ":day:" in key]
    assert found == days("2027-05-03", "2040-01-01", "2027-05-04")


def jump(seconds: int) -> None:
    """Somebody sets the machine's clock."""
    asyncio.get_running_loop().skew += seconds


async def until(house: House, *moment: int) -> None:
    """The bot runs on until Berlin's wall clock shows this."""
    at = datetime(*moment, tzinfo=BERLIN).timestamp()
    await house.breathe(at - now())


async def test_a_bot_whose_clock_jumps_back_over_midnight_pays_once(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.breathe(MIDNIGHT_S + 60)
    before = keys(house)

    for seconds in (-3600, 30, -7200, 3 * 3600):
        jump(seconds)
        await house.look()
        await house.breathe(1800)
    await house.away(3600)

    assert before == keys(house) == days("2027-01-15")
    assert gained(house, house.ben) == 10


@pytest.mark.parametrize(
    ("day", "before"), [((2027, 3, 28), (2027, 3, 27)), ((2027, 10, 31), (2027, 10, 30))]
)
async def test_a_bot_that_lives_through_the_change_of_clocks_pays_each_day_once(
    house: House, day: tuple[int, ...], before: tuple[int, ...]
) -> None:
    await house.away((datetime(*before, 20, tzinfo=BERLIN).timestamp()) - now())
    await over(house, anna=0, ben=3, cem=0)
    await until(house, *day, 1, 50)
    await over(house, anna=1, ben=0, cem=0)
    await until(house, *day, 23, 30)
    running = keys(house)
    await house.breathe(3600 + DAY_S)

    dates = [f"{year}-{month:02}-{number:02}" for year, month, number in (before, day)]
    assert running == days(dates[0])
    assert [key for key in keys(house) if ":day:" in key] == days(*dates)
    assert len(set(keys(house))) == len(keys(house))


async def test_a_round_of_robin_hood_comes_once_though_the_clock_jumps_back(house: House) -> None:
    house.telegram.now = true_now  # which nobody sets
    people = await furnish(house)
    await order(house)
    jump(-7200)
    await house.look()

    await house.game({person: (2, 3, 9 - n) for n, person in enumerate(people)})
    await house.breathe(60)  # the chat has room for a board again
    jump(-7200)
    await house.look()
    await house.game({person: (2, 3, 9 - n) for n, person in enumerate(people)})

    assert house.sql("SELECT status, given FROM robin_rounds") == [("given", 30)]
    assert house.held("fund") == 70


@pytest.mark.parametrize("seconds", [-DAY_S, DAY_S, -3600, 3600])
async def test_a_phase_gets_its_full_time_when_the_clock_is_set(house: House, seconds: int) -> None:
    await house.begin(house.anna, house.ben)
    await house.breathe(20)

    jump(seconds)
    await house.look()
    await house.breathe(20)
    waiting = house.board().text
    await house.breathe(20)

    assert "Round 1 of 3" in waiting
    assert "Round 2 of 3" in house.board().text


async def test_a_game_goes_on_by_itself_though_the_clock_went_back_a_day(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)

    jump(-DAY_S)
    await house.breathe(PATIENCE_S + 60)

    assert "Round 3 of 3" in house.board().text


async def test_a_lobby_ends_once_though_the_clock_jumps(house: House) -> None:
    await house.stake(5)
    await house.open(house.anna, start=False)
    jump(40)
    await house.look()
    jump(-60)
    await house.look()
    await house.breathe(120)

    assert house.table().status == "off"
    assert house.coins(house.anna) == 10
    assert house.sql("SELECT count(*) FROM bookings WHERE reason = 'refund'") == [(1,)]


async def test_a_due_date_that_no_calendar_has_keeps_nothing_from_firing(house: House) -> None:
    house.sql("UPDATE due SET at = 317000000000 RETURNING at")  # in the year 12015
    await house.look()
    await house.open(house.anna, start=False)
    lobby = house.table().id
    house.sql("UPDATE due SET at = 317000000000 WHERE ref = ? RETURNING at", lobby)
    await house.look()
    assert house.table().status == "lobby"

    # A restart gives every phase its time again.
    await house.stop()
    await house.start()
    await house.breathe(120)

    assert house.table().status == "off"
