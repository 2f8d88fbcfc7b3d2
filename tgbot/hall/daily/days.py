"""The days of the daily: their seals, and when by the operator's wall clock they begin and end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from peewee import Database

from economy.statements import Query, statement
from games import registry
from games.daily import sealed_as
from games.game import Game
from tgbot.config import WrongSetting
from tgbot.hall.chance import Chance
from tgbot.hall.sealing import Sealing
from tgbot.models import DayRow

AHEAD = 7
"""So many days are sealed before they begin."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day; see `models.DayRow` for the columns."""

    day: str
    kind: str
    version: int
    nonce: bytes
    seal: str
    sealed_at: int
    secret: bytes
    best: int

    @property
    def date(self) -> date:
        """It as a date."""
        return date.fromisoformat(self.day)

    @property
    def over(self) -> bool:
        """Whether nobody plays it any more, and its secret is out."""
        return bool(self.secret)


class Days:
    """The table of days. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database, sealing: Sealing, chance: Chance, zone: tzinfo) -> None:
        self.db = db
        self.sealing = sealing
        self.chance = chance
        self.zone = zone

    def today(self, now: float) -> str:
        """The day it is on the operator's wall."""
        return datetime.fromtimestamp(now, self.zone).date().isoformat()

    def starts(self, day: str, hour: int = 0) -> int:
        """When the clock on the wall says that `hour` of a day, in unix seconds."""
        wall = datetime.combine(date.fromisoformat(day), time(hour))
        return int(wall.replace(tzinfo=self.zone).timestamp())

    def ends(self, day: str) -> int:
        """The first second that is not the day's any more."""
        return self.starts(later(day))

    def sealed(self, day: str, now: int) -> tuple[Day, bool]:
        """A day that is not over, sealed now if it was not, and with it those that follow.

        True beside one whose seal did not fit any more, because of other rules or another dice
        key: it is sealed anew, and what was played of it is void. What is over stays as it is, also
        for a clock that was set back.
        """
        found = self.find(day)
        if found and (found.over or self._stands(found)):
            return found, False
        for n in range(AHEAD + 1):
            if n == 0 or self.find(later(day, n)) is None:
                self._seal(later(day, n), now, anew=bool(found) and n == 0)
        again = self.find(day)
        assert again
        return again, found is not None

    def find(self, day: str) -> Day | None:
        """A day that was sealed."""
        return find_day(self.db, day)

    def reveal(self, day: Day) -> bool:
        """It is over: its secret is written down, for all to see. False where the dice key it was
        made from is another one by now."""
        secret = self.sealing.made(*_sealed(day))
        if secret:
            _reveal.run(self.db, day=day.day, secret=secret)
        return bool(secret)

    def note_best(self, day: str, total: int) -> None:
        """Writes down what James made of its dice."""
        DayRow.update(best=total).where(DayRow.day == day).execute(self.db)

    def _stands(self, day: Day) -> bool:
        """Whether it can be played: by the rules there are, with the dice key there is."""
        if (day.kind, day.version) != (daily_game().kind, daily_game().rules.VERSION):
            return False
        try:
            return self.sealing.made(*_sealed(day)) is not None
        except WrongSetting:
            return True  # a tool without the key

    def _seal(self, day: str, now: int, *, anew: bool) -> None:
        game, nonce = daily_game(), self.chance.token_bytes(32)
        version = game.rules.VERSION
        row: dict[str, Any] = {
            "kind": game.kind,
            "version": version,
            "nonce": nonce,
            "seal": self.sealing.seal(sealed_as(day), game.kind, version, nonce),
            "sealed_at": now,
        }
        if anew:
            DayRow.update(row).where(DayRow.day == day).execute(self.db)
        else:
            new = DayRow.insert(row, day=day)
            new.on_conflict("NOTHING", conflict_target=[DayRow.day]).execute(self.db)


def find_day(db: Database, day: str) -> Day | None:
    """A day that was sealed."""
    return _day.one(db, day=day)


def daily_game() -> Game[Any]:
    """The game that is the daily."""
    return next(game for game in registry().values() if game.daily)


def later(day: str, days: int = 1) -> str:
    """The day so many after that one."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _sealed(day: Day) -> tuple[str, str, int, bytes, str]:
    return sealed_as(day.day), day.kind, day.version, day.nonce, day.seal


def _read(
    day: str,
    kind: str,
    version: int,
    nonce: bytes,
    seal: str,
    sealed_at: int,
    secret: bytes,
    best: int,
) -> Day:
    return Day(day, kind, version, bytes(nonce), seal, sealed_at, bytes(secret), best)


@statement(row=_read)
def _day(*, day: str) -> Query:
    return DayRow.select(
        DayRow.day,
        DayRow.kind,
        DayRow.version,
        DayRow.nonce,
        DayRow.seal,
        DayRow.sealed_at,
        DayRow.secret,
        DayRow.best,
    ).where(DayRow.day == day)


@statement
def _reveal(*, day: str, secret: bytes) -> Query:
    return DayRow.update(secret=secret).where(DayRow.day == day)
