"""The ledger against a dictionary: whatever people do, in whatever order, both agree (RULES 5)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from economy.audit import prove
from economy.database import connect, shut
from economy.ledger import (
    Account,
    KeyConflict,
    Ledger,
    Overdrawn,
    escrow,
    fund,
    jackpot,
    mint,
    wallet,
)
from economy.pots import payout, points_in_pot
from tests.economy.kinds import Urls

PEOPLE = st.sampled_from([1, 2, 3, 4])
AMOUNTS = st.integers(1, 50)
CHAT = -100
POINTS = "fifty"


class House(RuleBasedStateMachine):
    """People are given Knuddels, give them on, join games and win them; `model` keeps count."""

    games = Bundle("games")
    new: Urls

    def __init__(self) -> None:
        super().__init__()
        self.db = connect(self.new())
        self.ledger = Ledger(self.db)
        self.model: Counter[Account] = Counter()
        self.said: dict[str, tuple[str, dict[Account, int]]] = {}
        self.stakes: dict[str, dict[int, int]] = {}
        self.opened = 0

    def teardown(self) -> None:
        shut(self.db)

    def book(self, reason: str, postings: dict[Account, int]) -> bool:
        """Books under a new key; True if the ledger took it, as the model says it must."""
        key = f"{reason}:{len(self.said)}"
        short = [a for a, n in postings.items() if a.kind != "mint" and self.model[a] + n < 0]
        with self.db.atomic():
            if short:
                with pytest.raises(Overdrawn), self.db.atomic():
                    self.ledger.book(key, reason, postings, at=len(self.said))
                return False
            assert self.ledger.book(key, reason, postings, at=len(self.said)) is True
        self.said[key] = reason, postings
        self.model.update(postings)
        return True

    # -- what people do ---------------------------------------------------------------------

    @initialize()
    def everybody_starts_with_something(self) -> None:
        for person in (1, 2, 3):
            self.book("gift", {mint(): -10, wallet(person): 10})

    @rule(person=PEOPLE, amount=AMOUNTS)
    def grant(self, person: int, amount: int) -> None:
        assert self.book("grant", {mint(): -amount, wallet(person): amount})

    @rule(giver=PEOPLE, taker=PEOPLE, amount=AMOUNTS)
    def give(self, giver: int, taker: int, amount: int) -> None:
        if giver != taker:
            self.book("given", {wallet(giver): -amount, wallet(taker): amount})

    @rule(giver=PEOPLE, more=st.integers(1, 10))
    def give_more_than_one_has(self, giver: int, more: int) -> None:
        amount = self.model[wallet(giver)] + more
        assert not self.book("given", {wallet(giver): -amount, fund(): amount})

    @rule(target=games)
    def open_a_game(self) -> str:
        self.opened += 1
        game = f"game{self.opened}"
        self.stakes[game] = {}
        return game

    @rule(game=games, person=PEOPLE, stake=AMOUNTS)
    def join(self, game: str, person: int, stake: int) -> None:
        if person not in self.stakes[game]:
            hold = {wallet(person): -stake, escrow(game): stake}
            if self.book("stake", hold):
                self.stakes[game][person] = stake

    @rule(game=consumes(games), places=st.permutations(range(4)), ranked=st.integers(0, 4))
    def settle(self, game: str, places: list[int], ranked: int) -> None:
        stakes = self.stakes.pop(game)
        people = list(stakes)
        groups = [(seat,) for seat in places[:ranked] if seat < len(people)]
        postings: Counter[Account] = Counter()
        pots = {"coins": sum(stakes.values()), POINTS: points_in_pot(len(people), 1)}
        for currency, pot in pots.items():
            paid = payout(pot, len(people), groups, jackpot=self.model[jackpot(CHAT, currency)])
            source = escrow(game) if currency == "coins" else mint(POINTS)
            postings[source] -= pot
            postings[jackpot(CHAT, currency)] += paid.to_jackpot
            for seat, units in paid.seats.items():
                postings[wallet(people[seat], currency)] += units
        if people:
            assert self.book("won", dict(postings))
        assert self.ledger.balance(escrow(game)) == 0

    @rule(game=consumes(games))
    def refund(self, game: str) -> None:
        stakes = self.stakes.pop(game)
        if stakes:
            back = {wallet(person): stake for person, stake in stakes.items()}
            assert self.book("refund", {escrow(game): -sum(stakes.values()), **back})

    # -- saying things again ----------------------------------------------------------------

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def say_it_again(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.said)))
        reason, postings = self.said[key]
        with self.db.atomic():
            assert self.ledger.book(key, reason, postings, at=999) is False

    @precondition(lambda self: self.said)
    @rule(data=st.data(), other=st.sampled_from(["amount", "reason", "target", "direction"]))
    def say_something_else_under_the_same_key(self, data: st.DataObject, other: str) -> None:
        key = data.draw(st.sampled_from(sorted(self.said)))
        reason, postings = self.said[key]
        changed = {
            "amount": {account: 2 * amount for account, amount in postings.items()},
            "reason": postings,
            "target": {**postings, mint("x"): -1, fund("x"): 1},
            "direction": {account: -amount for account, amount in postings.items()},
        }[other]
        with self.db.atomic(), pytest.raises(KeyConflict):
            self.ledger.book(key, "else" if other == "reason" else reason, changed, at=999)

    # -- what always holds ------------------------------------------------------------------

    @invariant()
    def balances_are_those_of_the_model(self) -> None:
        rows = self.db.execute_sql("SELECT kind, ref, currency FROM accounts").fetchall()
        held = {Account(*row): self.ledger.balance(Account(*row)) for row in rows}
        assert {account: amount for account, amount in held.items() if amount} == {
            account: amount for account, amount in self.model.items() if amount
        }

    @invariant()
    def the_audit_is_clean_and_every_currency_adds_up_to_zero(self) -> None:
        audit = prove(self.ledger.db, self.stakes)
        assert not any(audit.sums.values())
        assert audit.problems == ()
        assert audit.bookings == len(self.said)


def test_5_the_ledger_and_a_dictionary_agree(new: Urls, kind: str) -> None:
    House.new = staticmethod(new)
    courses = {"sqlite": 60, "postgres": 15}[kind]

    run_state_machine_as_test(
        House, settings=settings(max_examples=courses, stateful_step_count=30)
    )
