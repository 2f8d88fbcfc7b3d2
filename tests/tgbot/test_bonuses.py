"""RULES 1.7: who leads when a day, month or year ends gets Knuddels, each bonus exactly once."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

from peewee import Database, OperationalError

from economy.database import shut
from games import registry
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
    won,
)
from tests.tgbot.house import House
from tests.tgbot.playing import Beside
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.bonuses import LAG_S
from tgbot.hall.hall import Hall, open_hall
from tgbot.operator import actions

__all__ = ["settings", "wall"]


# -- a day ------------------------------------------------------------------------------------


async def test_1_7_who_leads_when_the_day_ends_gets_10_knuddels(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)

    await house.away(MIDNIGHT_S - 600)
    before = gained(house, house.ben)
    await house.breathe(600)

    assert before == 0
    assert [gained(house, p) for p in (house.anna, house.ben, house.cem)] == [0, 10, 0]
    assert keys(house) == ["bonus:fifty.over:day:2027-01-15"]


async def test_1_7_where_equal_the_earlier_throw_stands(house: House) -> None:
    await over(house, anna=2, ben=1, cem=0)
    await over(house, anna=0, ben=2, cem=1)

    await house.away(MIDNIGHT_S)

    assert (gained(house, house.anna), gained(house, house.ben)) == (10, 0)


async def test_1_7_a_bonus_goes_to_nobody_who_was_erased(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    with Beside(house) as (_, people):
        actions.erase(people, str(house.ben.id))

    await house.away(MIDNIGHT_S)

    assert [gained(house, p) for p in (house.anna, house.ben, house.cem)] == [0, 0, 10]


async def test_1_7_the_winner_is_told_in_private_and_in_their_language(house: House) -> None:
    private = house.private(house.cem)
    house.say(house.cem, "/start", private)
    await over(house, anna=1, ben=0, cem=3)
    heard = len(house.heard())

    await house.away(MIDNIGHT_S)

    note = house.heard(private)[-1]
    assert note == won(house, "day", "15. Jan. 2027", 10, "3 1 + 17 = 18 > 15", "de")
    assert len(house.heard()) == heard
    assert house.sql("SELECT * FROM notices") == []


async def test_who_cannot_be_written_to_is_told_at_the_next_points(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.away(MIDNIGHT_S)
    private = house.private(house.ben)

    first = await house.ask(house.ben, "/points", private)
    second = await house.ask(house.ben, "/points", private)

    told = won(house, "day", "15 Jan 2027", 10, "3 1 + 17 = 18 > 15")
    assert first.startswith(told)
    assert "👛 Ben" in first
    assert second == first.removeprefix(told).strip()


async def test_the_button_in_a_group_tells_it_to_the_winner_alone_and_once(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.away(MIDNIGHT_S)
    await house.ask(house.anna, "/points")
    told = won(house, "day", "15 Jan 2027", 10, "3 1 + 17 = 18 > 15")

    toasts = [await house.press(p, "👛") for p in (house.anna, house.ben, house.ben)]

    assert [told in toast for toast in toasts] == [False, True, False]
    assert "Knuddels (" in toasts[1]
    assert not any(told in said for said in house.heard())


async def test_a_winner_who_blocked_the_bot_is_told_when_they_are_back(house: House) -> None:
    house.excused.add("refusals")
    private = house.private(house.ben)
    house.say(house.ben, "/start", private)
    await over(house, anna=1, ben=3, cem=2)
    house.telegram.faults.late_updates_s = MIDNIGHT_S
    house.telegram.block(house.ben)  # and the bot finds out by a refused message

    await house.away(MIDNIGHT_S)
    house.telegram.faults.late_updates_s = 0
    house.telegram.unblock(house.ben)
    answer = await house.ask(house.ben, "/points", private)

    assert gained(house, house.ben) == 10
    assert answer.startswith("🏅")


async def test_a_note_that_may_have_been_lost_is_told_again(house: House) -> None:
    private = house.private(house.ben)
    house.say(house.ben, "/start", private)
    await over(house, anna=1, ben=3, cem=2)
    await house.away(MIDNIGHT_S - 600)
    house.telegram.faults.timeout_before_next = 1

    await house.breathe(600)
    answer = await house.ask(house.ben, "/points", private)

    assert answer.startswith("🏅")
    assert gained(house, house.ben) == 10


async def test_an_empty_list_pays_nothing(house: House) -> None:
    await over(house, anna=0, ben=0, cem=0)

    await house.away(40 * DAY_S)

    assert keys(house) == []
    assert house.sql("SELECT * FROM due WHERE kind = 'period'") == []


# -- farming ----------------------------------------------------------------------------------


async def test_a_farmer_with_two_accounts_wins_nothing(house: House) -> None:
    await over(house, anna=9, ben=0)  # alone with a second account: two players do not count
    await over(house, anna=1, ben=2, cem=0)

    await house.away(MIDNIGHT_S)

    assert (gained(house, house.anna), gained(house, house.ben)) == (0, 10)


async def test_a_farmer_wins_nothing_in_free_games(house: House) -> None:
    await house.game({house.anna: (30,), house.ben: (9, 9, 9), house.cem: (9, 9, 9)})

    await house.away(MIDNIGHT_S)

    assert keys(house) == []


async def test_a_farmer_cannot_play_on_until_the_best_throw_is_theirs(house: House) -> None:
    house.settings.counted_games = 3
    for _ in range(2):
        await over(house, anna=1, ben=0, cem=0)
    await over(house, anna=1, ben=2, cem=0)

    await over(house, anna=12, ben=0, cem=0)  # the fourth game of the day
    await house.away(MIDNIGHT_S)

    assert (gained(house, house.anna), gained(house, house.ben)) == (0, 10)


async def test_the_games_of_yesterday_are_not_those_of_today(house: House) -> None:
    house.settings.counted_games = 1
    await over(house, anna=1, ben=0, cem=0)
    await house.away(DAY_S)

    await over(house, anna=2, ben=0, cem=0)
    await house.away(DAY_S)

    assert keys(house) == [f"bonus:fifty.over:day:2027-01-{day}" for day in (15, 16)]


def test_twenty_staked_games_a_day_count_and_three_players_make_one() -> None:
    (best,) = (best for best in registry()["fifty"].lists if best.bonus)

    assert (best.fewest, best.a_day, best.staked) == (3, 20, True)
    assert Settings(_env_file=None).counted_games == 20


# -- the wall clock ---------------------------------------------------------------------------


def test_a_year_of_days_pays_each_day_month_and_year_once(wall: Wall) -> None:
    first = datetime(2027, 1, 1, 12, tzinfo=BERLIN)
    for n in range(366):
        wall.live(int((first + timedelta(days=n)).timestamp()))
        wall.enter(far=1 + n % 7)
    wall.live(wall.now + 400 * DAY_S)

    kinds = Counter(key.split(":")[2] for key in wall.booked())
    assert kinds == {"day": 366, "month": 13, "year": 2}
    assert len(set(wall.booked())) == len(wall.booked())
    held = wall.bonuses.ledger.balances("wallet", "7")
    assert held == {"coins": 366 * 10 + 13 * 100 + 2 * 1000}
    for at, key in wall.paid:
        local = datetime.fromtimestamp(at - LAG_S, BERLIN)
        assert (local.hour, local.minute, local.second) == (0, 0, 0), key


def test_a_result_while_yesterdays_bonus_is_late_does_not_put_it_off(wall: Wall) -> None:
    wall.at(2027, 5, 3, 12).enter()
    due = wall.due()

    wall.at(2027, 5, 4, 0, 0, 1).enter()

    assert wall.due() == due


def test_games_that_end_in_the_last_second_still_count(wall: Wall) -> None:
    wall.at(2027, 5, 3, 12).enter(who=1)
    wall.at(2027, 5, 4).now -= 1
    last = wall.now
    wall.now = last + 1
    wall.fire()
    early = wall.booked()
    wall.now = last  # settled by another process whose second is this one
    wall.enter(far=2, who=2)
    wall.live(last + 10)

    assert early == []
    assert wall.booked() == days("2027-05-03")
    assert wall.bonuses.ledger.balances("wallet", "2") == {"coins": 10}


def test_another_time_zone_pays_no_date_and_no_throw_twice(wall: Wall) -> None:
    wall.at(2027, 5, 3, 23).enter(who=1)
    wall.live(wall.at(2027, 5, 4, 1).now)

    wall.bonuses.settings.timezone = "America/New_York"  # where it is still the third
    wall.enter(far=9, who=2)
    wall.fire()
    wall.live(wall.now + 3 * DAY_S)

    found = [key for key in wall.booked() if ":day:" in key]
    assert found == days("2027-05-03")


def test_a_bonus_of_nothing_is_no_booking_and_is_not_made_up_for_later(wall: Wall) -> None:
    wall.bonuses.settings.bonus_day = 0
    wall.at(2027, 5, 3, 12).enter()
    wall.live(wall.now + DAY_S)

    wall.bonuses.settings.bonus_day = 10
    wall.enter()
    wall.live(wall.now + DAY_S)

    assert [key for key in wall.booked() if ":day:" in key] == days("2027-05-04")


def test_utc_lists_end_their_days_at_utc(wall: Wall) -> None:
    game = registry()["fifty"]
    best = game.lists[0]
    object.__setattr__(best, "utc", True)
    try:
        wall.at(2027, 5, 3, 12).enter()
        assert datetime.fromtimestamp(wall.due() - LAG_S, UTC).hour == 0
    finally:
        object.__setattr__(best, "utc", False)


def test_a_list_that_is_no_more_leaves_no_row_behind(wall: Wall) -> None:
    wall.bonuses.store.due.set("period", "fifty.gone", wall.now)

    wall.bonuses.close("fifty.gone", wall.now)

    assert wall.due() == 0


@on_both
def test_two_processes_pay_once(wall: Wall, settings: Settings) -> None:
    for n in range(5):
        wall.at(2027, 12, 27 + n, 12).enter(who=n)
    now = wall.at(2028, 1, 1, 0, 1).now
    start = threading.Barrier(2)
    failed: list[BaseException] = []

    def catch_up(db: Database, hall: Hall) -> bool:
        try:
            with db.atomic():
                hall.settling.bonuses.catch_up(now)
        except OperationalError as error:
            if "lock timeout" in str(error):  # a use case is done again then
                return False
            raise
        return True

    def process() -> None:
        db = open_database(settings)
        hall, _ = open_hall(db, settings)
        start.wait()
        try:
            while not catch_up(db, hall):
                pass
        except BaseException as error:
            failed.append(error)
        shut(db)

    threads = [threading.Thread(target=process) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    kinds = Counter(key.split(":")[2] for key in wall.booked())
    assert kinds == {"day": 5, "month": 1, "year": 1}
