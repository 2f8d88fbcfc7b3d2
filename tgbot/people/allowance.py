"""The allowance: so many Knuddels a day for who has less than the stake (RULES 5), by default none.

It is minted when a game of theirs ends, once a day of the operator's calendar, and braked as giving
is: it begins so many days after one's first finished game. It is told privately.
"""

from __future__ import annotations

from collections.abc import Iterable

from peewee import Database

from economy.best_lists import bounds
from economy.ledger import COINS, Ledger, mint, wallet
from economy.models import BookingRow
from games.game import text
from tgbot.config import Settings
from tgbot.people.amounts import amount
from tgbot.people.giving import DAY_S, first_finished
from tgbot.people.notices import Notices


class Allowance:
    """Books allowances. Runs inside the caller's transaction."""

    def __init__(self, db: Database, ledger: Ledger, settings: Settings) -> None:
        self.db = db
        self.ledger = ledger
        self.settings = settings

    def pay(self, people: Iterable[int], stake: int, now: int) -> None:
        """Pays those of `people`, who have just finished a game, that cannot pay `stake`.

        Only where the setting *allowance* is above 0.
        """
        if not stake:
            return
        for user_id in people:
            if self.ledger.balance(wallet(user_id)) < stake and self._due(user_id, now):
                self._pay(user_id, now)

    def _due(self, user_id: int, now: int) -> bool:
        first = first_finished(self.db, user_id)
        since = now if first is None else first
        key = self._key(user_id, now)
        had = BookingRow.select().where(BookingRow.key == key).exists(self.db)
        return not had and since + self.settings.give_after_days * DAY_S <= now

    def _pay(self, user_id: int, now: int) -> None:
        coins = self.settings.allowance
        postings = {mint(): -coins, wallet(user_id): coins}
        self.ledger.book(self._key(user_id, now), "allowance", postings, at=now)
        got = text("allowance.got", coins=amount(coins, COINS))
        Notices(self.db).add(user_id, got, now)

    def _key(self, user_id: int, now: int) -> str:
        return f"allowance:{user_id}:{bounds('day', now, self.settings.zone)[0]}"
