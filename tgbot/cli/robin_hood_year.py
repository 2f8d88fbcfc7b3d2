"""`dicehall simulate robin-hood`: years of rounds on a virtual clock, through the real ledger.

Twelve free chats play all day long; the rounds' times and chats are drawn from the seed and tested
for evenness, each with a chi-square test.
"""

from __future__ import annotations

import heapq
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from economy.audit import prove
from economy.ledger import COINS, Ledger, escrow, fund, mint, wallet
from economy.robin_hood import Plan, RobinHood, chi_square_p
from games.fairness import Stream
from tgbot.cli.common import temporary
from tgbot.config import Settings

CHATS = tuple(str(-1000 - n) for n in range(12))
PLAN = Plan(rounds=4, coins=25, first_hour=8, last_hour=24)
BEGAN = 1_767_222_000  # 1 January 2026, 00:00 in Berlin
GAP_S = 5400
"""A chat starts its next game within this many seconds."""


def robin_year(days: int, seed: int) -> dict[str, Any]:
    """Plays `days` days; answers the document of `dicehall simulate robin-hood`."""
    with temporary() as (settings, db), db.atomic():
        return _Year(RobinHood(db, Ledger(db), draw=_draw(seed)), settings, seed).run(days)


def _draw(seed: int) -> Stream:
    return Stream(str(seed).encode(), b"robin", 0)


class _Year:
    def __init__(self, robin_hood: RobinHood, settings: Settings, seed: int) -> None:
        self.robin_hood = robin_hood
        self.ledger = robin_hood.ledger
        self.zone = settings.zone
        self.gap = Stream(str(seed).encode(), b"games", 0)
        self.planned = 0
        self.events: list[tuple[int, str, str]] = []

    def run(self, days: int) -> dict[str, Any]:
        self.robin_hood.set_plan(PLAN)
        before = PLAN.cost * days
        self.ledger.transfer("topup", "fund", mint(), fund(), before, at=BEGAN)
        midnight = datetime.fromtimestamp(BEGAN, self.zone)
        end = int((midnight + timedelta(days=days)).timestamp())
        for day in range(days):
            at = int((midnight + timedelta(days=day)).timestamp())
            heapq.heappush(self.events, (at, "day", ""))
        for chat in CHATS:
            heapq.heappush(self.events, (BEGAN + self.gap(GAP_S), "game", chat))
        while self.events and self.events[0][0] < end:
            at, kind, ref = heapq.heappop(self.events)
            getattr(self, f"_{kind}")(at, ref)
        return self._document(days, before)

    def _day(self, at: int, ref: str) -> None:
        rounds = self.robin_hood.draw_day(at, self.zone)
        self.planned += len(rounds)
        for it in rounds:
            heapq.heappush(self.events, (it.due_at, "due", str(it.id)))

    def _due(self, at: int, ref: str) -> None:
        midnight = datetime.fromtimestamp(at, self.zone).replace(hour=0, minute=0, second=0)
        it = self.robin_hood.fire(int(ref), at, CHATS, int(midnight.timestamp()))
        if it.status == "waiting":
            heapq.heappush(self.events, (it.due_at, "due", ref))

    def _game(self, at: int, chat: str) -> None:
        game = f"{chat}:{at}"
        coins = self.robin_hood.attach(chat, game, at)
        if coins:
            self.ledger.transfer(f"end:{game}", "game", escrow(game), wallet(1), coins, at=at)
            self.robin_hood.settled(game)
        heapq.heappush(self.events, (at + self.gap(GAP_S), "game", chat))

    def _document(self, days: int, before: int) -> dict[str, Any]:
        given = [it for it in self.robin_hood.rounds(0) if it.status == "given"]
        hours = Counter(datetime.fromtimestamp(it.planned_at, self.zone).hour for it in given)
        chats = Counter(it.place for it in given)
        window = range(PLAN.first_hour, PLAN.last_hour)
        by_hour = [hours[hour] for hour in window]
        by_chat = [chats[chat] for chat in CHATS]
        audit = prove(self.ledger.db)
        return {
            "days": days,
            "rounds_planned": self.planned,
            "rounds_given": len(given),
            "coins_given": sum(it.given for it in given),
            "fund_before": before,
            "fund_after": self.robin_hood.held(),
            "ledger_sum": {COINS: audit.sums[COINS]},
            "hours": {str(hour): hours[hour] for hour in window},
            "chats": {chat: chats[chat] for chat in CHATS},
            "hours_p": chi_square_p(by_hour, [len(given) / len(by_hour)] * len(by_hour)),
            "chats_p": chi_square_p(by_chat, [len(given) / len(by_chat)] * len(by_chat)),
            "problems": list(audit.problems),
        }
