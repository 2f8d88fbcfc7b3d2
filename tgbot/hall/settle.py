"""The end of a game: its pot and points are dealt, the jackpot fed or won, results written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from economy import pots
from economy.best_lists import TopLists
from economy.ledger import COINS, Account, escrow, fund, jackpot, mint, wallet
from economy.pots import Payout
from games.feats import Feats
from games.game import Outcome, Record, text
from tgbot.config import Settings, WrongSetting
from tgbot.done import Say
from tgbot.hall.bonuses import Bonuses
from tgbot.hall.daily.attempts import Attempts
from tgbot.hall.fair import counted
from tgbot.hall.records import Records
from tgbot.hall.robin_hood import Robin
from tgbot.hall.sealing import Sealing
from tgbot.hall.table import Sitting, Table
from tgbot.hall.tables import Tables
from tgbot.people.allowance import Allowance
from tgbot.people.notices import Notices
from tgbot.people.tallies import Played, Tallies


class Settling:
    """Turns an outcome into bookings; every Knuddel of the escrow finds its owner (RULES 1.5)."""

    def __init__(
        self,
        tables: Tables,
        bests: TopLists,
        robin: Robin,
        sealing: Sealing,
        settings: Settings,
    ) -> None:
        self.store = tables.store
        self.ledger = tables.ledger
        self.chats = tables.store.chats
        self.tables = tables
        self.bests = bests
        self.robin = robin
        self.sealing = sealing
        self.allowance = Allowance(self.store.db, self.ledger, settings)
        self.attempts = Attempts(self.store.db)
        self.tellers: list[Callable[[Table], tuple[Say, ...]]] = []
        """What others have to tell of a game that is over."""
        self.bonuses = Bonuses(self.store, self.ledger, bests, settings)
        self.records = Records(self.store, bests, self.bonuses, settings)
        self.tallies = Tallies(self.store.db)
        self.settings = settings

    def call_off(
        self, table: Table, now: int, status: str = "off", why: str = "", memo: str = ""
    ) -> Table:
        """Ends a game without a result: every stake returns, also of those out or gone.

        `why` is a reason its board knows; the `memo`, who asked for what reason, stays in the row.
        """
        if table.pot:
            back = {wallet(s.user_id): table.stake for s in table.people if table.stake}
            back |= {escrow(table.id): -table.pot, fund(): table.robin}
            self.ledger.book(f"refund:{table.id}", "refund", back, at=now, memo=memo)
        if table.robin:
            self.robin.stopped(table.id, now)
        self.store.selections.forget(table.id)
        counted(self.store, table, status, why)
        said = {"why": why, "memo": memo}
        result = {name: value for name, value in said.items() if value}
        if table.daily:
            self.attempts.ended(table)
        secret = self._revealed(table)
        table = table.changed(status=status, secret=secret, over_at=now, result=result)
        return self.tables.save(table)

    def give_back(self, table: Table, sitting: Sitting, now: int) -> None:
        """The stake of somebody in a lobby returns."""
        if table.stake:
            accounts = (escrow(table.id), wallet(sitting.user_id))
            self.ledger.transfer(f"return:{sitting.row}", "refund", *accounts, table.stake, at=now)

    def without_key(self, table: Table, now: int) -> Table:
        """Calls off a game whose seal no longer fits the dice key (RULES 7).

        Its opener and the operators are told why, as soon as this is committed.
        """
        game = text("just", it=table.game.title())
        for user_id, key in (
            (table.opener, "sealed.lost_opener"),
            *((operator, "sealed.lost_operator") for operator in self.settings.operators),
        ):
            self.bonuses.notices.add(user_id, text(key, game=game, id=table.id), now)
        self.store.due.set("notices", "", now)
        return self.call_off(table, now, "void", "key")

    def _revealed(self, table: Table) -> bytes:
        """The secret to write down; empty where it is lost, or not to be had by this tool.

        That of a daily is everybody's until the day is over.
        """
        if table.daily:
            return b""
        try:
            return self.sealing.secret(table) or b""
        except WrongSetting:
            return b""  # who verifies the game with the key at hand makes it

    def settle(self, table: Table, outcome: Outcome, now: int) -> Table:
        """The finished table; books its pot in one booking."""
        # What goes back to everybody is a refund, and pays no levy (RULES 6).
        levy = 0 if _unclaimed(table, outcome) else self.robin.levy(table)
        coins, points = self._payouts(table, outcome, levy)
        self._book(table, coins, points, levy, now)
        if table.robin:
            self.robin.settled(table.id)
        places = _places(outcome)
        sittings = tuple(
            replace(
                sitting,
                place=places.get(sitting.seat, 0),
                coins=coins.seats.get(sitting.seat, 0),
                points=points.seats.get(sitting.seat, 0),
            )
            for sitting in table.sittings
        )
        self.store.seats.set_results(it for it in sittings if it.seat not in table.guests)
        counted(self.store, table, "over", "")
        if self.settings.allowance and not table.alone:
            still = [sitting.user_id for sitting in table.people if not sitting.left_at]
            stake = table.stake or self.chats.settings(table.chat_id).stake
            self.allowance.pay(still, stake, now)
        if table.daily:
            self.attempts.ended(table)
        compared, records = self.records.enter(table, outcome, now)
        badges = self._tally(table, sittings, records, now)
        self.store.selections.forget(table.id)
        self.chats.played(table.chat_id, now)
        if table.game.jackpot and not table.solo:
            idle_s = self.settings.jackpot_idle_days * 24 * 3600
            self.store.due.set("jackpot", str(table.chat_id), now + idle_s)
        result: dict[str, Any] = {
            "reason": outcome.reason,
            "to": {COINS: coins.to_jackpot, "points": points.to_jackpot},
            "from": {COINS: coins.from_jackpot, "points": points.from_jackpot},
        }
        if compared:
            result["compared"] = {seat: rows for seat, (_, rows) in compared.items()}
            result["signable"] = {
                seat: result for seat, (result, rows) in compared.items() if any(r[1] for r in rows)
            }
        if levy:
            result["levy"] = levy
        if records:
            result["records"] = [(it.seat, it.board, it.value) for it in records]
        if badges:
            result["badges"] = badges
        table = table.changed(
            status="over",
            secret=self._revealed(table),
            over_at=now,
            sittings=sittings,
            result=result,
        )
        return self.tables.with_jackpot(table)

    def news(self, table: Table) -> tuple[Say, ...]:
        """What a game that is over has brought people beside its pot."""
        if table.open:
            return ()
        told = tuple(say for tell in self.tellers for say in tell(table))
        if not self.settings.allowance:
            return told
        notices = Notices(self.store.db)
        mine = tuple(say for s in table.people for say in notices.message(s.user_id))
        return (*told, *mine)

    def _payouts(self, table: Table, outcome: Outcome, levy: int) -> tuple[Payout, Payout]:
        players = len(table.people)
        if table.alone:
            return Payout(), Payout()
        if _unclaimed(table, outcome):
            stakes = {sitting.seat: table.stake for sitting in table.people if table.stake}
            return Payout(stakes, to_jackpot=table.robin), Payout()
        pools: dict[str, int | None] = {COINS: None, table.kind: None}
        if table.game.jackpot:
            enough = players >= self._jackpot_players(table)
            held = self.ledger.balances("jackpot", str(table.chat_id)) if enough else {}
            pools = {currency: held.get(currency, 0) for currency in pools}
            most = int(table.options.get("jackpot_stakes", self.settings.jackpot_stakes))
            pools[COINS] = min(pools[COINS] or 0, most * table.stake)
        coins, points = (
            pots.payout(pot, players, outcome.places, jackpot=pools[currency], sweep=outcome.sweep)
            for currency, pot in (
                (COINS, table.pot - levy),
                (table.kind, pots.points_in_pot(players, table.stake)),
            )
        )
        return coins, points

    def _jackpot_players(self, table: Table) -> int:
        return int(table.options.get("jackpot_players", self.settings.jackpot_players))

    def _book(self, table: Table, coins: Payout, points: Payout, levy: int, now: int) -> None:
        postings: Counter[Account] = Counter()
        if table.pot:
            postings[escrow(table.id)] -= table.pot
        for currency, payout in ((COINS, coins), (table.kind, points)):
            for seat, units in payout.seats.items():
                postings[wallet(table.sittings[seat].user_id, currency)] += units
            pool = jackpot(table.chat_id, currency)
            if currency == COINS and table.robin:
                pool = fund()  # a share nobody can claim goes back (RULES 6)
            postings[pool] += payout.to_jackpot - payout.from_jackpot
            if currency != COINS:
                made = sum(payout.seats.values()) + payout.to_jackpot - payout.from_jackpot
                postings[mint(currency)] -= made
        if levy:
            postings[fund()] += levy
        booked = {account: units for account, units in postings.items() if units}
        if booked:
            self.ledger.book(f"settle:{table.id}", "game", booked, at=now, memo=table.id)

    def _tally(
        self, table: Table, sittings: Sequence[Sitting], records: Sequence[Record], now: int
    ) -> list[tuple[int, str]]:
        """Counts the game for everybody in it; answers the badges it earned, by seat.

        A practice counts for nothing (RULES 8), a daily for its own streak and rankings alone.
        """
        if table.practice or table.daily:
            return []
        feats = table.game.feats or (lambda state, seat: Feats())
        held = Counter(record.seat for record in records)
        played = [
            Played(
                sitting.user_id,
                sitting.place,
                Feats() if sitting.left_at else feats(table.state, sitting.seat),
                held[sitting.seat],
                bool(sitting.left_at),
            )
            for sitting in sittings
            if sitting.seat not in table.guests
        ]
        earned = self.tallies.count(table.kind, played, now)
        return [(s.seat, badge) for s in sittings for badge in earned.get(s.user_id, ())]


def _unclaimed(table: Table, outcome: Outcome) -> bool:
    """Whether nobody holds a place and no jackpot takes the pot: every stake returns."""
    return not outcome.places and not table.game.jackpot


def _places(outcome: Outcome) -> dict[int, int]:
    places: dict[int, int] = {}
    place = 1
    for group in outcome.places:
        places.update(dict.fromkeys(group, place))
        place += len(group)
    return places
