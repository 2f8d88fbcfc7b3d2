"""Best lists: results by value, the earlier first where equal, over periods of the wall clock.

A day, month or year is the operator's, computed from their time zone, so that a clock change makes
one of 23 or 25 hours and never two or none (RULES 1.7).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Literal, get_args

from peewee import SQL, Database, ModelSelect, Query, Select, fn

from economy.models import BestRow, BonusRow
from economy.statements import statement

Period = Literal["day", "week", "month", "year", "all"]
PERIODS: tuple[Period, ...] = get_args(Period)
FOREVER = 2**62
MOST_SORTED = 2000
"""A period with fewer results than this is sorted for its best ones."""


@dataclass(frozen=True, slots=True)
class Best:
    """One line of a list: whose, how much, how, when (unix seconds), and in which group."""

    ref: str
    value: int
    note: str
    at: int
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Bonus:
    """Whose result leads a period of a list, from which day on, until when (unix seconds)."""

    list_key: str
    period: Period
    day: str
    ends: int
    best: Best

    @property
    def key(self) -> str:
        """What its booking is known by, such as `bonus:fifty.over:day:2027-01-14`."""
        return f"bonus:{self.list_key}:{self.period}:{self.day}"


def is_period(name: str) -> Period:
    """`name` as a period. Raises ValueError for anything else."""
    for period in PERIODS:
        if period == name:
            return period
    raise ValueError(f"{name!r} is no period")


def bounds(period: Period, at: float, zone: tzinfo) -> tuple[int, int]:
    """The first second of the period that holds `at`, and the first one after it.

    Weeks begin on Monday; `all` has no bounds.
    """
    if period == "all":
        return 0, FOREVER
    local = datetime.fromtimestamp(at, zone)
    today = datetime(local.year, local.month, local.day)  # noqa: DTZ001 - the wall's own day
    if period == "day":
        start, end = today, today + timedelta(days=1)
    elif period == "week":
        start = today - timedelta(days=today.weekday())
        end = start + timedelta(days=7)
    elif period == "month":
        start = today.replace(day=1)
        end = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    else:
        start = today.replace(month=1, day=1)
        end = start.replace(year=start.year + 1)
    return (
        int(start.replace(tzinfo=zone).timestamp()),
        int(end.replace(tzinfo=zone).timestamp()),
    )


class TopLists:
    """The best lists in one database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def enter(self, list_key: str, best: Best, *, source: str, counted: bool = True) -> None:
        """Writes a result of game `source` into the list `list_key`."""
        _enter.run(
            self.db,
            list_key=list_key,
            ref=best.ref,
            chat=best.chat,
            source=source,
            value=best.value,
            note=best.note,
            at=best.at,
            counted=int(counted),
        )

    def top(
        self,
        list_key: str,
        start: int,
        end: int,
        *,
        limit: int = 10,
        offset: int = 0,
        chat: str | None = None,
    ) -> list[Best]:
        """The results of a period (unix seconds, `end` excluded), best first.

        Those of group `chat`, or the counted ones of all groups. How long it takes does not grow
        with the list: what happened in a short period is sorted; in a long one the best results
        there ever were are gone through until enough of them are from the period.
        """
        if chat is not None:
            return _best_here.all(
                self.db,
                list_key=list_key,
                chat=chat,
                start=start,
                end=end,
                limit=limit,
                offset=offset,
            )
        few = _entered_in.one(self.db, list_key=list_key, start=start, end=end) or 0
        query = _best_by_time if few < MOST_SORTED else _best_by_value
        return query.all(
            self.db, list_key=list_key, start=start, end=end, limit=limit, offset=offset
        )

    def own(self, list_key: str, ref: str) -> Best | None:
        """The best counted result of one person."""
        return _own.one(self.db, list_key=list_key, ref=ref)

    def standing(
        self, most: int, list_key: str, value: int, at: int, start: int, end: int
    ) -> tuple[int, int]:
        """The place from 1 that `value` made at `at` takes among the `most` best of a period.

        Place 0 where it is none of them, and then also by how much the last of them is ahead.
        """
        kept = self.top(list_key, start, end, limit=most)
        ahead = sum((best.value, -best.at) >= (value, -at) for best in kept)
        return (ahead + 1, 0) if ahead < most else (0, kept[-1].value - value)

    def entered(self, list_key: str, ref: str, source: str) -> bool:
        """Whether somebody's result of one game is in the list."""
        return _entered.one(self.db, list_key=list_key, ref=ref, source=source) is not None

    def moved(self, old: str, new: str) -> None:
        """A group has another name from now on."""
        BestRow.update(chat=new).where(BestRow.chat == old).execute(self.db)

    def sign(self, list_key: str, ref: str, note: str) -> None:
        """Whatever somebody has in a list stands there under another name from now on."""
        BestRow.update(note=note).where(BestRow.list_key == list_key, BestRow.ref == ref).execute(
            self.db
        )

    def discount(self, list_key: str, ref: str) -> None:
        """Nothing that somebody has in a list wins a bonus any more."""
        theirs = (BestRow.list_key == list_key, BestRow.ref == ref)
        BestRow.update(counted=0).where(*theirs).execute(self.db)

    # -- bonuses ------------------------------------------------------------------------------

    def unpaid(self, list_key: str, period: Period, now: int, zone: tzinfo) -> Bonus | None:
        """The earliest period with a counted result that had no bonus yet, over or not.

        Where the clock went back, or the time zone changed, a day that had its bonus gets no other.
        """
        since = self._paid_until(list_key, period, now)
        while (at := self._counted_from(list_key, since)) is not None:
            start, end = bounds(period, at, zone)
            day = str(datetime.fromtimestamp(start, zone).date())
            if not self._paid(list_key, period, day):
                best = self.top(list_key, max(start, since), end, limit=1)[0]
                return Bonus(list_key, period, day, end, best)
            since = end
        return None

    def pay(self, bonus: Bonus, coins: int) -> None:
        """Notes that a period has got its bonus, of no coins where none is set."""
        row = {
            "list_key": bonus.list_key,
            "period": bonus.period,
            "day": bonus.day,
            "ends": bonus.ends,
            "ref": bonus.best.ref,
            "value": bonus.best.value,
            "coins": coins,
        }
        once = (BonusRow.list_key, BonusRow.period, BonusRow.day)
        BonusRow.insert(row).on_conflict("NOTHING", conflict_target=once).execute(self.db)

    def _paid_until(self, list_key: str, period: Period, now: int) -> int:
        query = BonusRow.select(fn.MAX(BonusRow.ends)).where(
            BonusRow.list_key == list_key, BonusRow.period == period, BonusRow.ends <= now
        )
        return query.scalar(self.db) or 0

    def _paid(self, list_key: str, period: Period, day: str) -> bool:
        which = (BonusRow.list_key == list_key, BonusRow.period == period, BonusRow.day == day)
        return BonusRow.select().where(*which).exists(self.db)

    def _counted_from(self, list_key: str, since: int) -> int | None:
        query = BestRow.select(fn.MIN(BestRow.at)).where(
            BestRow.list_key == list_key, BestRow.at >= since, BestRow.counted == 1
        )
        at: int | None = query.scalar(self.db)
        return at


# -- statements --------------------------------------------------------------------------------


@statement
def _enter(
    *, list_key: str, ref: str, chat: str, source: str, value: int, note: str, at: int, counted: int
) -> Query:
    return BestRow.insert(
        list_key=list_key,
        ref=ref,
        chat=chat,
        source=source,
        value=value,
        note=note,
        at=at,
        counted=counted,
    )


@statement(row=int)
def _entered_in(*, list_key: str, start: int, end: int) -> Query:
    """How many results a period has, counted no further than they would be sorted."""
    some = BestRow.select(BestRow.id).where(
        BestRow.list_key == list_key, BestRow.at >= start, BestRow.at < end
    )
    return Select([some.limit(MOST_SORTED)], [fn.COUNT(SQL("*"))])


@statement(row=Best)
def _best_by_time(*, list_key: str, start: int, end: int, limit: int, offset: int) -> Query:
    """The best of a period, by the index of times."""
    where = (BestRow.list_key == list_key, BestRow.at >= start, BestRow.at < end)
    # Plus nothing: no index of values is of use for that.
    order = ((BestRow.value + 0).desc(), BestRow.at, BestRow.id)
    return _bests().where(*where, BestRow.counted == 1).order_by(*order).limit(limit).offset(offset)


@statement(row=Best)
def _best_by_value(*, list_key: str, start: int, end: int, limit: int, offset: int) -> Query:
    """The best of a period, by the index of values."""
    where = (BestRow.list_key == list_key, BestRow.at + 0 >= start, BestRow.at + 0 < end)
    order = (BestRow.value.desc(), BestRow.at, BestRow.id)
    return _bests().where(*where, BestRow.counted == 1).order_by(*order).limit(limit).offset(offset)


@statement(row=Best)
def _best_here(*, list_key: str, chat: str, start: int, end: int, limit: int, offset: int) -> Query:
    """The best of a period in one group."""
    where = (BestRow.chat == chat, BestRow.list_key == list_key)
    period = (BestRow.at + 0 >= start, BestRow.at + 0 < end)
    order = (BestRow.value.desc(), BestRow.at, BestRow.id)
    return _bests().where(*where, *period).order_by(*order).limit(limit).offset(offset)


@statement(row=Best)
def _own(*, list_key: str, ref: str) -> Query:
    where = (BestRow.list_key == list_key, BestRow.ref == ref, BestRow.counted == 1)
    return _bests().where(*where).order_by(BestRow.value.desc(), BestRow.at, BestRow.id).limit(1)


@statement
def _entered(*, list_key: str, ref: str, source: str) -> Query:
    return BestRow.select(BestRow.id).where(
        BestRow.list_key == list_key, BestRow.ref == ref, BestRow.source == source
    )


def _bests() -> ModelSelect[BestRow]:
    return BestRow.select(BestRow.ref, BestRow.value, BestRow.note, BestRow.at, BestRow.chat)
