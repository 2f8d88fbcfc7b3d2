"""Where Robin Hood meets the games: which chats he may come to, and which game gets a round.

Nothing a player can do tells them whether or when he comes (RULES 6): no answer, no timing and no
log of theirs depends on a round before the lobby has closed.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from datetime import datetime, timedelta, tzinfo

from peewee import Query

from economy.best_lists import bounds
from economy.robin_hood import Plan, RobinHood, Round, WrongPlan
from economy.statements import statement
from tgbot.config import Settings
from tgbot.done import Done
from tgbot.hall.store import Store
from tgbot.hall.table import PRACTICE, Table
from tgbot.models import ChatRow, GameRow, SeatRow

DAY_S = 24 * 3600
NOW_COINS = 25
"""What a round gives that is ordered before there is a plan."""
MOMENTS = ("%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M")
FARTHEST_S = 366 * DAY_S


class Robin:
    """Robin Hood's use cases; each runs on the clerk's thread inside a transaction."""

    def __init__(self, store: Store, robin_hood: RobinHood, settings: Settings) -> None:
        self.store = store
        self.robin_hood = robin_hood
        self.settings = settings

    # -- games --------------------------------------------------------------------------------

    def attach(self, table: Table, now: int) -> int:
        """The coins a game gets as its lobby closes: those of a round that waits for it, or 0."""
        if table.stake or table.alone or len(table.people) < self.settings.robin_players:
            return 0
        if self.store.chats.barred(table.chat_id):
            return 0
        coins = self.robin_hood.attach(str(table.chat_id), table.id, now)
        if coins:
            self._forget_due(table)
        return coins

    def _forget_due(self, table: Table) -> None:
        for it in self.robin_hood.rounds(0):
            if it.game == table.id:
                self.store.due.set("robin", str(it.id), 0)

    def levy(self, table: Table) -> int:
        """What a staked game pays into the fund, on its stakes only."""
        return self.robin_hood.levy(table.pot - table.robin, self.settings.levy)

    def settled(self, game_id: str) -> None:
        """A game that had a round is over."""
        self.robin_hood.settled(game_id)

    def stopped(self, game_id: str, now: int) -> None:
        """A game that had a round was stopped: the round is drawn again elsewhere."""
        it = self.robin_hood.stopped(game_id, now)
        if it:
            self.store.due.set("robin", str(it.id), it.due_at)

    # -- time ---------------------------------------------------------------------------------

    def fire_day(self, ref: str, now: int) -> Done:
        """A day begins: its rounds get their secret times, and the next day its row."""
        for it in self.robin_hood.draw_day(now, self.settings.zone):
            self.store.due.set("robin", str(it.id), it.due_at)
        self.store.due.set("robin_day", "", bounds("day", now, self.settings.zone)[1])
        return Done()

    def fire(self, ref: str, now: int) -> Done:
        """A round is due: it is drawn for a chat, or drawn again."""
        try:
            it = self.robin_hood.round(int(ref))
        except LookupError:  # its day was planned anew
            self.store.due.set("robin", ref, 0)
            return Done()
        day_start = bounds("day", now, self.settings.zone)[0]
        it = self.robin_hood.fire(it.id, now, self.eligible(now), day_start)
        open_still = it.status in ("planned", "waiting")
        self.store.due.set("robin", ref, it.due_at if open_still else 0)
        return Done()

    def eligible(self, now: int) -> list[str]:
        """The chats that may be drawn: free for a week, and played in by five of their own."""
        people = self.people(now)
        return [str(chat) for chat, n in sorted(people.items()) if n >= self.settings.robin_people]

    def people(self, now: int) -> dict[int, int]:
        """The chats that have been free for long enough, and how many people have played there.

        Each person counts only for the chat they played most in; where level, for one of them.
        """
        since = now - self.settings.robin_free_days * DAY_S
        played: dict[int, Counter[int]] = defaultdict(Counter)
        for chat_id, user_id in _free_players.all(self.store.db, since=since):
            played[user_id][chat_id] += 1
        homes = Counter(max(sorted(counts), key=counts.__getitem__) for counts in played.values())
        db = self.store.db
        free = (it for it in homes if _is_free.one(db, chat_id=it, since=since))
        return {chat: homes[chat] for chat in free}

    # -- operators ----------------------------------------------------------------------------

    def schedule(self, plan: Plan, now: int) -> str:
        """Changes the plan from now on; answers a warning, or nothing. Raises `WrongPlan`."""
        self.robin_hood.set_plan(plan)
        self.fire_day("", now)
        held = self.robin_hood.held()
        if plan.cost > held:
            return f"the fund holds {held}, a day of this plan takes {plan.cost}"
        return ""

    def order(self, at: int, coins: int) -> Round:
        """Plans one round by hand. Raises `WrongPlan`."""
        Plan(1, coins).check()
        it = self.robin_hood.add(at, coins)
        self.store.due.set("robin", str(it.id), it.due_at)
        return it

    def cancel(self, number: int) -> Round:
        """Cancels a round that no game has yet. Raises `WrongPlan` for any other."""
        try:
            it = self.robin_hood.cancel(number)
        except LookupError as error:
            raise WrongPlan(str(error)) from None
        self.store.due.set("robin", str(number), 0)
        return it

    def shares(self, it: Round) -> list[tuple[int, int]]:
        """Who got what of a round: user ids and coins, the most first."""
        query = (
            SeatRow.select(SeatRow.user_id, SeatRow.coins)
            .where(SeatRow.game_id == it.game, SeatRow.coins > 0)
            .order_by(SeatRow.coins.desc(), SeatRow.place, SeatRow.id)
        )
        return list(query.tuples().execute(self.store.db))

    def bar(self, chat_id: int, barred: bool) -> bool:
        """Keeps Robin Hood out of a chat, or lets him in; False for a chat never met."""
        return self.store.chats.bar(chat_id, barred)


def moment(typed: str, now: int, zone: tzinfo) -> int | None:
    """A time to come within a year, in unix seconds, as typed by the wall clock in `zone`.

    `18:30` is the next one there is. None for anything else, or an hour the clock leaves out.
    """
    typed = " ".join(typed.split())
    for form in MOMENTS if typed.isascii() else ():
        with contextlib.suppress(ValueError):
            wall = datetime.strptime(typed, form).replace(tzinfo=zone)
            break
    else:
        return None
    if form == MOMENTS[0]:
        wall = datetime.combine(datetime.fromtimestamp(now, zone), wall.time(), zone)
        if wall.timestamp() <= now:
            wall += timedelta(days=1)
    at = int(wall.timestamp())
    if not now <= at <= now + FARTHEST_S:
        return None
    return at if datetime.fromtimestamp(at, zone) == wall else None


@statement
def _free_players(*, since: int) -> Query:
    """Chat and person, once for each free game they finished there."""
    # Plus nothing, and nothing grouped: either would have SQLite go by chats through all games.
    free = (GameRow.status == "over", GameRow.stake == 0, GameRow.chat_id + 0 < 0)
    several = GameRow.james < PRACTICE
    return (
        GameRow.select(GameRow.chat_id, SeatRow.user_id)
        .join(SeatRow, on=SeatRow.game_id == GameRow.id)
        .where(*free, several, GameRow.over_at >= since, SeatRow.seat >= 0, SeatRow.left_at == 0)
    )


@statement
def _is_free(*, chat_id: int, since: int) -> Query:
    """A row where Robin Hood may come to a chat whose stake has been 0 since a time."""
    there = (ChatRow.barred == 0, ChatRow.gone_at == 0, ChatRow.moved_to == 0)
    free = (ChatRow.stake == 0, ChatRow.free_since <= since)
    return ChatRow.select(ChatRow.chat_id).where(ChatRow.chat_id == chat_id, *free, *there)
