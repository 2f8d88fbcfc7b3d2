"""The ledger on PostgreSQL: the same promises, kept by another database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from peewee import Database, IntegrityError

from economy.db import connect, migrate, schema_problems
from economy.ledger import KeyConflict, Ledger, Overdrawn, fund, mint, wallet
from economy.robin_hood import RobinHood
from tests.economy.conftest import MIGRATIONS
from tests.economy.test_ledger_machine import House
from tests.postgres import empty, postgres

__all__ = ["postgres"]


@pytest.fixture
def db(postgres: str) -> Iterator[Database]:
    db = connect(postgres)
    migrate(db, MIGRATIONS, "economy")
    empty(db)
    yield db
    db.close()


def test_migrating_twice_changes_nothing_and_the_schema_is_sound(db: Database) -> None:
    assert migrate(db, MIGRATIONS, "economy") == []
    assert schema_problems(db) == []


def test_5_saying_a_booking_twice_books_it_once(db: Database, ledger: Ledger) -> None:
    postings = {mint(): -10, wallet(1): 10}
    with db.atomic():
        assert ledger.book("a", "gift", postings, at=1) is True
        assert ledger.book("a", "gift", postings, at=2) is False
        with pytest.raises(KeyConflict):
            ledger.book("a", "gift", {mint(): -11, wallet(1): 11}, at=2)

    assert ledger.balance(wallet(1)) == 10


def test_5_no_wallet_falls_below_zero_and_a_failed_booking_leaves_nothing(
    db: Database, ledger: Ledger
) -> None:
    with db.atomic():
        ledger.book("a", "gift", {mint(): -10, wallet(1): 10}, at=1)

    with pytest.raises(Overdrawn), db.atomic():
        ledger.transfer("b", "give", wallet(1), wallet(2), 11, at=2)

    assert ledger.balance(wallet(1)) == 10
    assert ledger.audit().bookings == 1


@pytest.mark.parametrize("change", ["UPDATE {} SET id = id + 1", "DELETE FROM {}"])
@pytest.mark.parametrize("table", ["bookings", "postings"])
def test_what_is_booked_is_never_changed(
    db: Database, ledger: Ledger, table: str, change: str
) -> None:
    with db.atomic():
        ledger.book("a", "gift", {mint(): -10, wallet(1): 10}, at=1)

    with pytest.raises(IntegrityError), db.atomic():
        db.execute_sql(change.format(table))


def test_the_audit_sees_a_trigger_that_is_gone(db: Database, ledger: Ledger) -> None:
    with db.atomic() as transaction:
        db.execute_sql("DROP TRIGGER postings_no_delete ON postings")
        assert "trigger postings_no_delete is missing" in ledger.audit().problems
        transaction.rollback()


def test_6_a_round_is_given_from_the_fund(db: Database, ledger: Ledger) -> None:
    robin = RobinHood(db, ledger, draw=lambda n: 1)
    with db.atomic():
        ledger.book("f", "fund", {mint(): -50, fund(): 50}, at=1)
        it = robin.add(100, 30)
        robin.fire(it.id, 100, ["a"], 0)
        assert robin.attach("a", "game", 101) == 30

    assert ledger.audit({"game"}).problems == ()


def test_5_the_ledger_agrees_with_a_dictionary_whatever_people_do(
    db: Database, migrated: Path
) -> None:
    class OnPostgres(House):
        def __init__(self) -> None:
            super().__init__()
            self.db.close()
            self.db = db
            self.ledger = Ledger(db)

        def teardown(self) -> None:
            empty(db)

    OnPostgres.template = migrated
    run_state_machine_as_test(
        OnPostgres, settings=settings(max_examples=10, stateful_step_count=25)
    )
