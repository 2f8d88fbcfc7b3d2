"""Bonuses for who leads a best list when its day, month or year ends (RULES 1.7).

A row is due only while there is something to pay. It fires on the operator's wall clock, pays every
period that has ended since, however long nobody looked, and moves on to the next end.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, tzinfo
from typing import Any

from economy.best_lists import Bonus, Period, TopLists, bounds
from economy.ledger import COINS, Ledger, mint, wallet
from games import registry
from games.best_list import BestList
from games.game import Game, Text, text
from tgbot.config import Settings
from tgbot.done import Done
from tgbot.hall.store import Store
from tgbot.people.amounts import amount
from tgbot.people.notices import Notices
from tgbot.words import When

SKELETONS: dict[Period, str] = {"day": "yMMMd", "month": "yMMM", "year": "y"}
"""The periods that win something, and what of a day names one."""
LAG_S = 2
"""Games that ended in a period's last second are settled by then, in every process."""


class Bonuses:
    """Pays the leaders. Every public method is a use case, as in `hall.py`."""

    def __init__(self, store: Store, ledger: Ledger, bests: TopLists, settings: Settings) -> None:
        self.store = store
        self.ledger = ledger
        self.bests = bests
        self.notices = Notices(store.db)
        self.settings = settings

    def counted(self, game: Game[Any], best: BestList, now: int) -> None:
        """A result was entered that may win: the row is due when the first period ends."""
        if not best.bonus:
            return
        zone = self._zone(best)
        end = min(bounds(period, now, zone)[1] for period in _periods(best)) + LAG_S
        board = best.key(game.kind)
        due = self.store.due.when("period", board)
        if due is None or due > end:
            self.store.due.set("period", board, end)

    def close(self, board: str, now: int) -> Done:
        """Pays a list's leaders of every period that has ended, each once."""
        due, winners = 0, dict[int, None]()
        for game, best in _lists():
            if best.key(game.kind) == board:
                due, winners = self._close(game, best, now)
        self.store.due.set("period", board, due)
        return Done(say=tuple(say for user in winners for say in self.notices.message(user)))

    def tell(self, ref: str, now: int) -> Done:
        """Tells people what they are still to be told."""
        self.store.due.set("notices", ref, 0)
        return Done(say=self.notices.messages())

    def catch_up(self, now: int) -> Done:
        """After a start: pays what was missed, and tells what could not be told."""
        for game, best in _lists():
            self.close(best.key(game.kind), now)
        return Done(say=self.notices.messages())

    def _close(self, game: Game[Any], best: BestList, now: int) -> tuple[int, dict[int, None]]:
        """When to look again (0: never), and who has won something."""
        due, winners = list[int](), dict[int, None]()
        for period in _periods(best):
            while bonus := self.bests.unpaid(best.key(game.kind), period, now, self._zone(best)):
                if bonus.ends + LAG_S > now:
                    due.append(bonus.ends + LAG_S)
                    break
                self._pay(game, best, bonus, now)
                winners[int(bonus.best.ref)] = None
        return min(due, default=0), winners

    def _pay(self, game: Game[Any], best: BestList, bonus: Bonus, now: int) -> None:
        coins, winner = self._coins(bonus.period), int(bonus.best.ref)
        if coins:
            postings = {mint(): -coins, wallet(winner): coins}
            if self.ledger.book(bonus.key, "bonus", postings, at=now):
                self.notices.add(winner, _won(game, best, bonus, coins), now)
        self.bests.pay(bonus, coins)

    def _coins(self, period: Period) -> int:
        return int(getattr(self.settings, f"bonus_{period}"))

    def _zone(self, best: BestList) -> tzinfo:
        return UTC if best.utc else self.settings.zone


def _lists() -> Iterator[tuple[Game[Any], BestList]]:
    for game in registry().values():
        for best in game.lists:
            if best.bonus:
                yield game, best


def _periods(best: BestList) -> tuple[Period, ...]:
    return tuple(period for period in SKELETONS if period in best.periods)


def _won(game: Game[Any], best: BestList, bonus: Bonus, coins: int) -> Text:
    title = f"{game.kind}.list.{best.name}"
    return text(
        f"bonus.{bonus.period}",
        list=text(title),
        period=When(date.fromisoformat(bonus.day), SKELETONS[bonus.period]),
        value=text(f"{title}.value", n=bonus.best.value, note=bonus.best.note),
        coins=amount(coins, COINS),
    )
