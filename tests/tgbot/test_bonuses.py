"""RULES 1.7: who leads when a day, month or year ends gets Knuddels, each bonus exactly once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from peewee import Database

from economy.toplists import Best
from games import registry
from tests.postgres import empty
from tests.tgbot.conftest import House
from tests.virtual_time import BEGAN
from tgbot.app import open_database, open_hall
from tgbot.bonuses import LAG_S, Bonuses
from tgbot.config import Settings
from tgbot.playground import Person

DAY_S = 24 * 3600
MIDNIGHT_S = 15 * 3600
"""From the beginning of a test (09:00 in Berlin) to the end of its day."""
BERLIN = ZoneInfo("Europe/Berlin")


async def over(house: House, **by: int) -> None:
    """A staked game in which each of the named goes so far over the limit (0: not at all)."""
    people = {name: getattr(house, name) for name in by}
    await house.stake(1)
    await house.breathe(60)
    safe = {house.anna: (9, 9, 9), house.ben: (8, 8, 8), house.cem: (7, 7, 7)}
    await house.game(
        {people[name]: (15 + far,) if far else safe[people[name]] for name, far in by.items()}
    )


def gained(house: House, person: Person) -> int:
    """What a person got in bonuses."""
    rows = house.sql(
        "SELECT coalesce(sum(p.amount), 0) FROM postings p JOIN accounts a ON a.id = p.account_id "
        "JOIN bookings b ON b.id = p.booking_id WHERE b.reason = 'bonus' AND a.kind = 'wallet' "
        "AND a.ref = ?",
        str(person.id),
    )
    return int(rows[0][0])


def keys(house: House) -> list[str]:
    """The keys of all bonuses booked."""
    return [row[0] for row in house.sql("SELECT key FROM bookings WHERE reason = 'bonus'")]


def won(house: House, period: str, shown: str, coins: int, over: str, language: str = "en") -> str:
    """What the winner is told."""
    n, note = over.split(" ", 1)
    unit = "Knuddel" if coins == 1 else "Knuddels"
    return house.says(
        f"bonus.{period}",
        language,
        list=house.says("fifty.list.over", language),
        period=shown,
        value=house.says("fifty.list.over.value", language, n=int(n), note=note),
        coins=f"{coins:,} {unit}",
    )


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


async def test_1_7_the_winner_is_told_in_private_and_in_their_language(house: House) -> None:
    private = house.private(house.cem)
    house.say(house.cem, "/start", private)
    await over(house, anna=1, ben=0, cem=3)
    heard = house.heard()

    await house.away(MIDNIGHT_S)

    note = house.heard(private)[-1]
    assert note == won(house, "day", "15.01.2027", 10, "3 1 + 17 = 18 > 15", "de")
    assert house.heard() == heard
    assert house.sql("SELECT * FROM notices") == []


async def test_who_cannot_be_written_to_is_told_at_the_next_points(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.away(MIDNIGHT_S)
    private = house.private(house.ben)

    first = await house.ask(house.ben, "/points", private)
    second = await house.ask(house.ben, "/points", private)

    told = won(house, "day", "15.01.2027", 10, "3 1 + 17 = 18 > 15")
    assert first.startswith(told)
    assert "👛 Ben" in first
    assert second == first.removeprefix(told).strip()


async def test_the_button_in_a_group_tells_it_to_the_winner_alone_and_once(house: House) -> None:
    await over(house, anna=1, ben=3, cem=2)
    await house.away(MIDNIGHT_S)
    await house.ask(house.anna, "/points")
    told = won(house, "day", "15.01.2027", 10, "3 1 + 17 = 18 > 15")

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


# -- downtime ---------------------------------------------------------------------------------


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
        won(house, "day", "15.01.2027", 10, throw),
        won(house, "month", "01/2027", 100, throw),
        won(house, "year", "2027", 1000, throw),
    ]


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
    assert Settings(_env_file=None).counted_games == 20  # type: ignore[call-arg]


# -- the wall clock ---------------------------------------------------------------------------


@dataclass
class Wall:
    """The best list of a bot without Telegram, and a clock that goes as a test says."""

    db: Database
    bonuses: Bonuses
    now: int = int(BEGAN)
    paid: list[tuple[int, str]] = field(default_factory=list)
    """When each bonus was booked, and its key."""

    def at(self, *moment: int) -> Wall:
        """Sets the clock, whatever lies between, to a time of Berlin's wall."""
        self.now = int(datetime(*moment, tzinfo=BERLIN).timestamp())  # type: ignore[arg-type]
        return self

    def enter(self, far: int = 1, who: int = 7) -> None:
        """A counted throw over the limit, now."""
        game = registry()["fifty"]
        best = Best(str(who), far, f"{far}", self.now, "-1")
        with self.db.atomic():
            self.bonuses.bests.enter("fifty.over", best, source="g")
            self.bonuses.counted(game, game.lists[0], self.now)

    def due(self) -> int:
        """When the row is due; 0 where there is none."""
        rows = self.bonuses.store.sql("SELECT at FROM due WHERE kind = 'period'").fetchall()
        assert len(rows) <= 1
        return rows[0][0] if rows else 0

    def live(self, until: int) -> None:
        """Time passes; whatever becomes due is fired then."""
        while 0 < (due := self.due()) <= until:
            self.now = max(self.now, due)
            self.fire()
            assert self.due() == 0 or self.due() > self.now
        self.now = until

    def fire(self) -> None:
        """The due row fires."""
        before = set(self.booked())
        with self.db.atomic():
            self.bonuses.close("fifty.over", self.now)
        self.paid += [(self.now, key) for key in self.booked() if key not in before]

    def booked(self) -> list[str]:
        """The keys of all bonuses booked."""
        query = "SELECT key FROM bookings WHERE reason = 'bonus' ORDER BY id"
        return [row[0] for row in self.bonuses.store.sql(query).fetchall()]


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Of a bot with a SQLite file, or as a test says with PostgreSQL."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return Settings(_env_file=None, database=f"sqlite:///{tmp_path}/wall.db")  # type: ignore[call-arg]
    made = Settings(_env_file=None, database=request.getfixturevalue("postgres"))  # type: ignore[call-arg]
    db = open_database(made)
    empty(db)
    db.close()
    return made


on_both = pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def wall(settings: Settings) -> Iterator[Wall]:
    db = open_database(settings)
    hall, _ = open_hall(db, settings)
    yield Wall(db, hall.settling.bonuses)
    assert hall.ledger.audit().problems == ()
    db.close()


def days(*dates: str) -> list[str]:
    return [f"bonus:fifty.over:day:{date}" for date in dates]


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
    wall.bonuses.store.set_due("period", "fifty.gone", wall.now)

    wall.bonuses.close("fifty.gone", wall.now)

    assert wall.due() == 0


@on_both
def test_two_processes_pay_once(wall: Wall, settings: Settings) -> None:
    for n in range(5):
        wall.at(2027, 12, 27 + n, 12).enter(who=n)
    now = wall.at(2028, 1, 1, 0, 1).now
    start = threading.Barrier(2)
    failed: list[BaseException] = []

    def process() -> None:
        db = open_database(settings)
        hall, _ = open_hall(db, settings)
        start.wait()
        try:
            with db.atomic():
                hall.settling.bonuses.catch_up(now)
        except BaseException as error:
            failed.append(error)
        db.close()

    threads = [threading.Thread(target=process) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    kinds = Counter(key.split(":")[2] for key in wall.booked())
    assert kinds == {"day": 5, "month": 1, "year": 1}
