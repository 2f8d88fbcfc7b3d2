"""Robin Hood: rounds that put Knuddels of the fund into the pots of free games (RULES 6).

A round is planned at a secret time, drawn for a secret place when that time has come, and given to
the next free game that starts there. Places are names the caller gives (chats); who may be drawn,
and what a game is, the caller says too. Every draw comes from `draw(n)`, a number from 1 to n.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from math import erfc, exp, pi, sqrt
from typing import Any

from peewee import Database, Expression

from economy.ledger import COINS, Ledger, escrow, fund
from economy.models import RobinPlanRow, RobinRoundRow

Draw = Callable[[int], int]

WAIT_S = 6 * 3600
"""How long a drawn place has to start a free game."""
MOST_REDRAWS = 3
MOST_AN_HOUR = 12
"""More rounds than this do not fit into an hour of the plan."""
MOST_COINS = 10**6


class WrongPlan(Exception):
    """A schedule that cannot be; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The schedule: so many rounds a day, each of so many coins, from one full hour to another."""

    rounds: int = 0
    coins: int = 0
    first_hour: int = 10
    last_hour: int = 22
    paused: bool = False

    def check(self) -> None:
        """Raises `WrongPlan` for a schedule that cannot be."""
        if not 0 <= self.first_hour < 24 or not 0 < self.last_hour <= 24:
            raise WrongPlan("hours go from 0 to 24")
        hours = self.last_hour - self.first_hour
        if hours <= 0:
            raise WrongPlan("the first hour comes before the last one, such as 10 and 22")
        if not 0 <= self.rounds <= hours * MOST_AN_HOUR:
            raise WrongPlan(f"0 to {hours * MOST_AN_HOUR} rounds fit into {hours} hours")
        if self.rounds and not 1 <= self.coins <= MOST_COINS:
            raise WrongPlan(f"a round gives 1 to {MOST_COINS} coins")

    @property
    def cost(self) -> int:
        """What a day of it takes from the fund at most."""
        return self.rounds * self.coins


@dataclass(frozen=True, slots=True)
class Round:
    """One round; `due_at` is when it is drawn next, `tried` the places it was drawn for.

    Status: planned, waiting (for a game in `place`), attached (to `game`), given, or ended without:
    cancelled, skipped (while paused), failed.
    """

    id: int
    status: str
    coins: int
    planned_at: int
    due_at: int
    place: str = ""
    game: str = ""
    tried: tuple[str, ...] = ()
    given: int = 0


_Row = RobinRoundRow
_COLUMNS = (
    _Row.id,
    _Row.status,
    _Row.coins,
    _Row.planned_at,
    _Row.due_at,
    _Row.place,
    _Row.game,
    _Row.tried,
    _Row.given,
)


class RobinHood:
    """Plan, rounds and fund in one database. Runs inside the caller's transaction."""

    def __init__(
        self,
        db: Database,
        ledger: Ledger,
        *,
        draw: Draw | None = None,
        wait_s: int = WAIT_S,
        redraws: int = MOST_REDRAWS,
    ) -> None:
        self.db = db
        self.ledger = ledger
        self.wait_s = wait_s
        self.redraws = redraws
        self.draw: Draw = draw or (lambda n: secrets.randbelow(n) + 1)

    # -- plan ---------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The schedule in force."""
        it = RobinPlanRow.select().first(self.db)
        if it is None:
            return Plan()
        return Plan(it.rounds, it.coins, it.first_hour, it.last_hour, bool(it.paused))

    def set_plan(self, plan: Plan) -> None:
        """Changes the schedule. Raises `WrongPlan`."""
        plan.check()
        RobinPlanRow.delete().execute(self.db)
        RobinPlanRow.insert(
            id=1,
            rounds=plan.rounds,
            coins=plan.coins,
            first_hour=plan.first_hour,
            last_hour=plan.last_hour,
            paused=int(plan.paused),
        ).execute(self.db)

    def moved(self, old: str, new: str) -> None:
        """A place has another name from now on."""
        _Row.update(place=new).where(_Row.place == old).execute(self.db)

    def draw_day(self, now: int, zone: tzinfo) -> list[Round]:
        """Plans what is left of today anew: its rounds not drawn yet go, secret new times come."""
        today = datetime.fromtimestamp(now, zone).replace(hour=0, minute=0, second=0, microsecond=0)
        start, end = int(today.timestamp()), int((today + timedelta(days=1)).timestamp())
        of_today = (_Row.ordered == 0, _Row.planned_at >= start, _Row.planned_at < end)
        undrawn = (_Row.status == "planned", _Row.tried == "")
        _Row.delete().where(*of_today, *undrawn).execute(self.db)
        drawn = _Row.select().where(*of_today).count(self.db)
        plan = self.plan()
        first = max(now + 1, int(today.replace(hour=plan.first_hour).timestamp()))
        last = start + _seconds(today, plan.last_hour)
        if last <= first or plan.paused:
            return []
        times = sorted(first + self.draw(last - first) - 1 for _ in range(plan.rounds - drawn))
        return [self.add(at, plan.coins, ordered=False) for at in times]

    def add(self, at: int, coins: int, *, ordered: bool = True) -> Round:
        """Plans one round at a time; `ordered` by hand rather than by the schedule."""
        new = _Row.insert(
            status="planned", coins=coins, planned_at=at, due_at=at, ordered=int(ordered)
        )
        ((number,),) = new.returning(_Row.id).tuples().execute(self.db)
        return self.round(number)

    # -- rounds -------------------------------------------------------------------------------

    def round(self, number: int) -> Round:
        """A round by its number. Raises LookupError."""
        rows = self._rounds(_Row.id == number)
        if not rows:
            raise LookupError(f"there is no round {number}")
        return rows[0]

    def rounds(self, since: int) -> list[Round]:
        """The rounds planned from `since` on, earliest first."""
        open_still = _Row.status.in_(("planned", "waiting"))
        return self._rounds((_Row.planned_at >= since) | open_still)

    def past(self, limit: int, offset: int = 0) -> list[Round]:
        """The rounds that are over, or in a game, newest first."""
        over = _Row.status.not_in(("planned", "waiting"))
        query = _Row.select(*_COLUMNS).where(over).order_by(_Row.due_at.desc(), _Row.id.desc())
        page = query.limit(limit).offset(offset)
        return [_round(*row) for row in page.tuples().execute(self.db)]

    def fire(self, number: int, now: int, eligible: Collection[str], day_start: int) -> Round:
        """Draws a due round for a place, or draws it again where nothing started in time.

        `eligible` are the places that may be drawn; those that had a round since `day_start`
        cannot. Answers the round with the time it is due next.
        """
        it = self.round(number)
        if it.status not in ("planned", "waiting") or it.due_at > now:
            return it
        if self.plan().paused:
            return self._save(it, status="skipped")
        if len(it.tried) > self.redraws:
            return self._save(it, status="failed", place="")
        waiting = _Row.select(_Row.place).where(_Row.status == "waiting", _Row.id != number)
        had_one = _Row.select(_Row.place).where(
            _Row.due_at >= day_start, _Row.status.in_(("attached", "given"))
        )
        had = {place for (place,) in (waiting | had_one).tuples().execute(self.db)}
        places = sorted(set(eligible) - had - set(it.tried))
        place = places[self.draw(len(places)) - 1] if places else ""
        tried = (*it.tried, place)
        return self._save(it, status="waiting", place=place, tried=tried, due_at=now + self.wait_s)

    def attach(self, place: str, game: str, now: int) -> int:
        """Gives the round that waits in a place to a free game that starts there.

        Moves its coins, or what the fund has, into the game's escrow; answers how many.
        """
        waiting = self._rounds(
            (_Row.status == "waiting") & (_Row.place == place) & (_Row.due_at > now)
        )
        if not waiting or self.plan().paused:
            return 0
        it = waiting[0]
        coins = min(it.coins, self.ledger.balance(fund()))
        if not coins:
            return 0
        self.ledger.transfer(
            f"robin:{it.id}:{game}", "robin_hood", fund(), escrow(game), coins, at=now
        )
        self._save(it, status="attached", game=game, given=coins, due_at=now)
        return coins

    def settled(self, game: str) -> None:
        """The game that has a round is over."""
        given = _Row.update(status="given")
        given.where(_Row.game == game, _Row.status == "attached").execute(self.db)

    def stopped(self, game: str, now: int) -> Round | None:
        """The game that had a round was stopped: it is drawn again elsewhere, at once.

        The caller returns the coins of the escrow to the fund.
        """
        found = self._rounds((_Row.game == game) & (_Row.status == "attached"))
        if not found:
            return None
        return self._save(found[0], status="planned", game="", place="", given=0, due_at=now)

    def cancel(self, number: int) -> Round:
        """Cancels a round that no game has yet. Raises LookupError for any other."""
        it = self.round(number)
        if it.status not in ("planned", "waiting"):
            raise LookupError(f"round {number} is {it.status}")
        return self._save(it, status="cancelled", place="")

    # -- fund ---------------------------------------------------------------------------------

    def levy(self, stakes: int, percent: int) -> int:
        """What staked pots pay into the fund: so many percent of the stakes, rounded down."""
        return stakes * percent // 100

    def held(self) -> int:
        """The coins in the fund."""
        return self.ledger.balance(fund(COINS))

    # -- inside -------------------------------------------------------------------------------

    def _rounds(self, where: Expression) -> list[Round]:
        query = _Row.select(*_COLUMNS).where(where).order_by(_Row.planned_at, _Row.id)
        return [_round(*row) for row in query.tuples().execute(self.db)]

    def _save(self, it: Round, **changes: Any) -> Round:
        fields = {name: getattr(it, name) for name in Round.__dataclass_fields__}
        new = Round(**{**fields, **changes})
        # A try that found nobody is kept as a dash, so that it counts.
        tried = " ".join(place or "-" for place in new.tried)
        row = _Row.update(
            status=new.status,
            due_at=new.due_at,
            place=new.place,
            game=new.game,
            tried=tried,
            given=new.given,
        )
        row.where(_Row.id == new.id).execute(self.db)
        return new


def _round(
    number: int,
    status: str,
    coins: int,
    planned_at: int,
    due_at: int,
    place: str,
    game: str,
    tried: str,
    given: int,
) -> Round:
    tries = tuple(tried.split())
    return Round(number, status, coins, planned_at, due_at, place, game, tries, given)


def _seconds(midnight: datetime, hour: int) -> int:
    """Seconds from a day's midnight to one of its full hours on the wall clock (24: the next)."""
    at = midnight + timedelta(days=1) if hour == 24 else midnight.replace(hour=hour)
    return int(at.timestamp() - midnight.timestamp())


def chi_square_p(counts: Collection[int], expected: Collection[float]) -> float:
    """The p-value of a chi-square test of counts against what is expected of each."""
    pairs = list(zip(counts, expected, strict=True))
    x = sum((count - mean) ** 2 / mean for count, mean in pairs) / 2
    return _upper_gamma(len(pairs) - 1, x)


def _upper_gamma(degrees: int, x: float) -> float:
    """Q(degrees/2, x) by its closed form for whole degrees of freedom."""
    if degrees % 2 == 0:
        term, total = exp(-x), 0.0
        for i in range(degrees // 2):
            total += term
            term *= x / (i + 1)
        return min(total, 1.0)
    term, total = exp(-x) * sqrt(x) / (sqrt(pi) / 2) if x else 0.0, erfc(sqrt(x))
    for i in range(degrees // 2):
        total += term
        term *= x / (i + 1.5)
    return min(total, 1.0)
