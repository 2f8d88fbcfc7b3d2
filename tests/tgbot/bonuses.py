"""How the tests of the bonuses play, and a bot without Telegram whose clock they set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from peewee import Database

from economy.audit import prove
from economy.best_lists import Best
from economy.database import shut
from games import registry
from tests.postgres import empty
from tests.tgbot.house import House
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.bonuses import Bonuses
from tgbot.hall.hall import open_hall
from tgbot.playground import Person
from tgbot.soak.virtual import BEGAN

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
        self.now = int(datetime(*moment, tzinfo=BERLIN).timestamp())
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
        rows = self.bonuses.store.db.execute_sql(
            "SELECT at FROM due WHERE kind = 'period'"
        ).fetchall()
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
        return [row[0] for row in self.bonuses.store.db.execute_sql(query).fetchall()]


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Of a bot with a SQLite file, or as a test says with PostgreSQL."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return Settings(_env_file=None, database=f"sqlite:///{tmp_path}/wall.db")
    made = Settings(_env_file=None, database=request.getfixturevalue("postgres"))
    db = open_database(made)
    empty(db)
    shut(db)
    return made


on_both = pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def wall(settings: Settings) -> Iterator[Wall]:
    db = open_database(settings)
    hall, _ = open_hall(db, settings)
    yield Wall(db, hall.settling.bonuses)
    assert prove(hall.ledger.db).problems == ()
    shut(db)


def days(*dates: str) -> list[str]:
    return [f"bonus:fifty.over:day:{date}" for date in dates]
