"""RULES 5: the double-entry ledger, on a real SQLite file and a real PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from peewee import Database, DatabaseError, IntegrityError
from playhouse.migrate import SqliteMigrator
from playhouse.migrate import migrate as alter

from economy import audit
from economy.audit import prove, prove_in_slices
from economy.database import Unreadable, connect, is_sqlite, shut
from economy.ledger import (
    Account,
    Entry,
    KeyConflict,
    Ledger,
    LedgerError,
    Overdrawn,
    Unbalanced,
    escrow,
    fund,
    jackpot,
    mint,
    wallet,
)
from economy.models import CAP, MODELS, AccountRow, BookingRow, PostingRow
from economy.schema import migrate, protect, schema_problems
from tests.economy.kinds import MIGRATIONS, only_postgres, only_sqlite

Rows = Callable[[], dict[str, list[tuple[object, ...]]]]

ANNA, BEN = wallet(1), wallet(2)
GAME = escrow("k3x9")
NOON = 1_767_265_200


@pytest.fixture
def started(ledger: Ledger) -> Ledger:
    """Anna and Ben own 10 Knuddels each, and Anna holds 3 of hers in a game."""
    with ledger.db.atomic():
        ledger.transfer("gift:1", "gift", mint(), ANNA, 10, at=NOON)
        ledger.transfer("gift:2", "gift", mint(), BEN, 10, at=NOON + 1)
        ledger.transfer("join:k3x9:1", "stake", ANNA, GAME, 3, at=NOON + 2)
    return ledger


def balances(ledger: Ledger, *accounts: Account) -> list[int]:
    return [ledger.balance(account) for account in accounts]


# -- bookings -----------------------------------------------------------------------------------


def test_5_every_unit_moves_by_a_booking_whose_postings_add_up_to_zero(
    ledger: Ledger, rows: Rows
) -> None:
    postings = {GAME: -10, ANNA: 5, BEN: 3, jackpot(-100): 2}
    with ledger.db.atomic():
        ledger.transfer("stakes", "stake", mint(), GAME, 10, at=NOON)

        assert ledger.book("settle:k3x9", "won", postings, at=NOON)

    assert balances(ledger, GAME, ANNA, BEN, jackpot(-100), mint()) == [0, 5, 3, 2, -10]
    assert sum(row[-1] for row in rows()["postings"]) == 0
    assert prove(ledger.db).problems == ()


def test_5_an_account_that_was_never_used_holds_nothing(ledger: Ledger, rows: Rows) -> None:
    assert ledger.balance(wallet(404)) == 0
    assert ledger.balances("wallet", "404") == {}
    assert ledger.history("wallet", "404", limit=10) == ([], 0)
    assert rows()["accounts"] == []


def test_5_currencies_are_kept_apart(ledger: Ledger) -> None:
    with ledger.db.atomic():
        ledger.transfer("coins", "gift", mint(), ANNA, 10, at=NOON)
        ledger.transfer("points", "won", mint("fifty"), wallet(1, "fifty"), 4, at=NOON)

    assert ledger.balances("wallet", "1") == {"coins": 10, "fifty": 4}
    assert prove(ledger.db).sums == {"coins": 0, "fifty": 0}
    assert ledger.balance(mint("fifty")) == -4


@pytest.mark.parametrize(
    "account", [ANNA, wallet(1, "fifty"), GAME, jackpot(-100), jackpot(-100, "fifty"), fund()]
)
def test_5_no_account_but_the_mint_falls_below_zero(ledger: Ledger, account: Account) -> None:
    source = mint(account.currency)
    with ledger.db.atomic():
        ledger.transfer("in", "gift", source, account, 7, at=NOON)

    with pytest.raises(Overdrawn), ledger.db.atomic():
        ledger.transfer("out", "gone", account, source, 8, at=NOON)

    assert balances(ledger, account, source) == [7, -7]
    with ledger.db.atomic():
        ledger.transfer("out", "gone", account, source, 7, at=NOON)
    assert balances(ledger, account, source) == [0, 0]


def test_5_an_account_that_was_never_used_can_be_overdrawn_no_more_than_another(
    ledger: Ledger, rows: Rows
) -> None:
    with pytest.raises(Overdrawn), ledger.db.atomic():
        ledger.transfer("out", "gone", ANNA, BEN, 1, at=NOON)

    assert rows() == {"accounts": [], "bookings": [], "postings": []}


@pytest.mark.parametrize(
    "postings",
    [
        {ANNA: -1, BEN: 2},
        {ANNA: 1},
        {},
        {ANNA: 0, BEN: 0},
        {mint(): -1, wallet(1, "fifty"): 1},
        {mint(): -CAP - 1, ANNA: CAP + 1},
    ],
    ids=["off by one", "one-sided", "nothing", "zeros", "across currencies", "beyond the cap"],
)
def test_5_what_does_not_add_up_is_not_booked(
    started: Ledger, rows: Rows, postings: Mapping[Account, int]
) -> None:
    before = rows()

    with pytest.raises(Unbalanced):
        started.book("wrong", "wrong", postings, at=NOON)

    assert rows() == before


@pytest.mark.parametrize("amount", [0, -1, -10])
def test_5_only_whole_amounts_from_one_on_are_moved(
    started: Ledger, rows: Rows, amount: int
) -> None:
    before = rows()

    with pytest.raises(Unbalanced):
        started.transfer("wrong", "given", ANNA, BEN, amount, at=NOON)

    assert rows() == before


def test_5_nobody_moves_anything_to_themselves(started: Ledger, rows: Rows) -> None:
    before = rows()

    with pytest.raises(Unbalanced):
        started.transfer("wrong", "given", ANNA, ANNA, 1, at=NOON)

    assert rows() == before


def test_5_an_account_holds_at_most_the_cap(ledger: Ledger) -> None:
    with ledger.db.atomic():
        ledger.transfer("most", "gift", mint(), ANNA, CAP, at=NOON)

    with pytest.raises(Overdrawn), ledger.db.atomic():
        ledger.transfer("one more", "gift", fund(), ANNA, 1, at=NOON)

    assert ledger.balance(ANNA) == CAP


def test_5_an_overdrawn_booking_leaves_nothing_behind_in_its_callers_transaction(
    started: Ledger, rows: Rows
) -> None:
    db = started.db
    with db.atomic():
        started.transfer("give:1", "given", ANNA, BEN, 2, at=NOON)
        before = rows()
        with pytest.raises(Overdrawn), db.atomic():
            # the escrow is posted before the wallet turns out to be short
            started.book("join", "stake", {GAME: 6, ANNA: -6}, at=NOON)
        assert rows() == before
        started.transfer("give:2", "given", ANNA, BEN, 5, at=NOON)

    assert balances(started, ANNA, BEN, GAME) == [0, 17, 3]
    assert prove(started.db, {"k3x9"}).problems == ()


@only_postgres
def test_5_two_workers_may_open_the_same_account_at_once(ledger: Ledger, url: str) -> None:
    other = Ledger(connect(url))

    def give_ben() -> None:
        with other.db.connection_context(), other.db.atomic():
            other.transfer("b", "gift", mint(), BEN, 5, at=NOON)

    with ThreadPoolExecutor(1) as pool:
        with ledger.db.atomic():
            ledger.transfer("a", "gift", mint(), ANNA, 7, at=NOON)
            giving = pool.submit(give_ben)
            waits = "SELECT 1 FROM pg_locks WHERE NOT granted"
            while not ledger.db.execute_sql(waits).fetchone():
                assert not giving.done()
                time.sleep(0.001)
        giving.result(10)
    shut(other.db)

    assert balances(ledger, ANNA, BEN, mint()) == [7, 5, -12]
    assert prove(ledger.db).problems == ()


def test_5_all_errors_of_the_ledger_are_one_family() -> None:
    assert all(issubclass(error, LedgerError) for error in (Unbalanced, Overdrawn, KeyConflict))


# -- saying it twice ----------------------------------------------------------------------------


def test_5_saying_a_booking_twice_books_it_once(started: Ledger, rows: Rows) -> None:
    before = rows()

    with started.db.atomic():
        again = started.transfer("join:k3x9:1", "stake", ANNA, GAME, 3, at=NOON + 99)

    assert again is False
    assert rows() == before


def test_5_a_booking_is_known_again_also_when_it_could_no_longer_be_paid(
    started: Ledger, rows: Rows
) -> None:
    with started.db.atomic():
        started.transfer("give", "given", ANNA, BEN, 7, at=NOON)
    before = rows()

    with started.db.atomic():
        assert started.transfer("give", "given", ANNA, BEN, 7, at=NOON) is False

    assert rows() == before


def test_5_postings_of_zero_make_no_other_booking(started: Ledger, rows: Rows) -> None:
    before = rows()

    again = started.book("join:k3x9:1", "stake", {BEN: 0, GAME: 3, ANNA: -3}, at=NOON)

    assert again is False
    assert rows() == before


@pytest.mark.parametrize(
    ("reason", "postings"),
    [
        ("given", {ANNA: -3, GAME: 3}),
        ("stake", {ANNA: -4, GAME: 4}),
        ("stake", {BEN: -3, GAME: 3}),
        ("stake", {ANNA: -3, escrow("other"): 3}),
        ("stake", {ANNA: 3, GAME: -3}),
        ("stake", {ANNA: -3, GAME: 2, BEN: 1}),
    ],
    ids=["reason", "amount", "source", "target", "direction", "one more"],
)
def test_5_the_same_key_with_other_content_is_an_error_and_writes_nothing(
    started: Ledger, rows: Rows, reason: str, postings: Mapping[Account, int]
) -> None:
    before = rows()

    with pytest.raises(KeyConflict, match="join:k3x9:1"):
        started.book("join:k3x9:1", reason, postings, at=NOON + 2)

    assert rows() == before


# -- moving an account --------------------------------------------------------------------------


def test_5_a_chat_that_changes_its_id_takes_its_jackpots_along(ledger: Ledger) -> None:
    with ledger.db.atomic():
        ledger.transfer("a", "vacant", mint(), jackpot(-5), 30, at=NOON)
        ledger.transfer("b", "vacant", mint("fifty"), jackpot(-5, "fifty"), 12, at=NOON)
        ledger.transfer("c", "vacant", mint(), jackpot(-1005), 1, at=NOON)

        ledger.rename("jackpot", "-5", "-1005", key="migrate:-5", at=NOON + 9)

    assert ledger.balances("jackpot", "-5") == {}
    assert ledger.balances("jackpot", "-1005") == {"coins": 31, "fifty": 12}
    newest = ledger.history("jackpot", "-1005", limit=1)[0][0]
    assert (newest.reason, newest.key, newest.at) == ("moved", "migrate:-5", NOON + 9)
    assert prove(ledger.db).problems == ()


def test_5_telling_twice_that_a_chat_changed_its_id_moves_nothing_twice(
    ledger: Ledger, rows: Rows
) -> None:
    with ledger.db.atomic():
        ledger.transfer("a", "vacant", mint(), jackpot(-5), 30, at=NOON)
        ledger.rename("jackpot", "-5", "-1005", key="migrate:-5", at=NOON)
    before = rows()

    with ledger.db.atomic():
        ledger.rename("jackpot", "-5", "-1005", key="migrate:-5", at=NOON + 5)

    assert rows() == before


def test_5_a_chat_without_jackpot_changes_its_id_without_a_booking(
    ledger: Ledger, rows: Rows
) -> None:
    ledger.rename("jackpot", "-5", "-1005", key="migrate:-5", at=NOON)

    assert rows()["bookings"] == []


# -- reading ------------------------------------------------------------------------------------


def test_5_a_history_is_read_in_pages_newest_first(ledger: Ledger) -> None:
    with ledger.db.atomic():
        for number in range(5):
            ledger.book(f"k{number}", "gift", {mint(): -1 - number, ANNA: 1 + number}, at=NOON)
        ledger.transfer("p", "won", mint("fifty"), wallet(1, "fifty"), 9, at=NOON + 60)
        ledger.transfer("other", "gift", mint(), BEN, 1, at=NOON + 70)

    def page(limit: int, offset: int) -> tuple[list[str], int]:
        entries, count = ledger.history("wallet", "1", limit=limit, offset=offset)
        return [entry.key for entry in entries], count

    assert page(3, 0) == (["p", "k4", "k3"], 6)
    assert page(3, 3) == (["k2", "k1", "k0"], 6)
    assert page(3, 6) == ([], 6)


def test_5_an_entry_tells_when_why_how_much_and_for_what(ledger: Ledger) -> None:
    with ledger.db.atomic():
        ledger.book("grant:7", "grant", {mint(): -5, ANNA: 5}, at=NOON, memo="by 4711")

    entries, _ = ledger.history("wallet", "1", limit=10)

    assert entries == [Entry(NOON, "grant", 5, "coins", "grant:7", "by 4711")]


def test_5_the_change_of_a_week_counts_from_its_first_second(started: Ledger) -> None:
    assert started.change_since("wallet", "1", NOON) == {"coins": 7}
    assert started.change_since("wallet", "1", NOON + 2) == {"coins": -3}
    assert started.change_since("wallet", "1", NOON + 3) == {}


# -- what the database itself refuses -----------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE bookings SET memo = 'changed'",
        "UPDATE bookings SET at = 0 WHERE id = 1",
        "DELETE FROM bookings",
        "DELETE FROM bookings WHERE id = 1",
        "INSERT INTO bookings (key, reason, at, memo) VALUES ('gift:1', 'y', 0, '') "
        "ON CONFLICT (key) DO UPDATE SET reason = 'y'",
        "UPDATE postings SET amount = 1000 WHERE id = 2",
        "DELETE FROM postings WHERE id = 1",
    ],
)
def test_5_what_is_booked_is_never_changed(started: Ledger, rows: Rows, sql: str) -> None:
    before = rows()

    with pytest.raises(IntegrityError, match="are only added to"):
        started.db.execute_sql(sql)

    assert rows() == before


@only_sqlite
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT OR REPLACE INTO bookings (id, key, reason, at, memo) VALUES (1, 'x', 'y', 0, '')",
        "REPLACE INTO bookings (key, reason, at, memo) VALUES ('gift:1', 'y', 0, '')",
        "INSERT OR REPLACE INTO postings (id, booking_id, account_id, amount) VALUES (1, 1, 1, 5)",
    ],
)
def test_5_what_is_booked_is_never_replaced(started: Ledger, rows: Rows, sql: str) -> None:
    before = rows()

    with pytest.raises(IntegrityError, match="are only added to"):
        started.db.execute_sql(sql)

    assert rows() == before


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO accounts (kind, ref, currency, balance) VALUES ('bank', '', 'coins', 0)",
        "INSERT INTO accounts (kind, ref, currency, balance) VALUES ('wallet', '3', 'coins', -1)",
        "INSERT INTO accounts (kind, ref, currency, balance) VALUES ('wallet', '1', 'coins', 0)",
        "INSERT INTO accounts (kind, ref, currency, balance) VALUES ('wallet', '3', NULL, 0)",
        f"UPDATE accounts SET balance = -{CAP} - 1 WHERE kind = 'mint'",
        f"UPDATE accounts SET balance = {CAP} + 1 WHERE kind = 'wallet' AND ref = '1'",
        "UPDATE accounts SET balance = -1 WHERE kind = 'escrow'",
        "INSERT INTO postings (booking_id, account_id, amount) VALUES (1, 1, 0)",
        f"INSERT INTO postings (booking_id, account_id, amount) VALUES (1, 1, {CAP} + 1)",
        f"INSERT INTO postings (booking_id, account_id, amount) VALUES (1, 1, -{CAP} - 1)",
        "INSERT INTO postings (booking_id, account_id, amount) VALUES (99, 1, 1)",
        "INSERT INTO postings (booking_id, account_id, amount) VALUES (1, 99, 1)",
        "INSERT INTO bookings (key, reason, at, memo) VALUES (NULL, 'r', 0, '')",
        "DELETE FROM accounts WHERE kind = 'mint'",
    ],
)
def test_5_the_schema_refuses_what_cannot_be(started: Ledger, rows: Rows, sql: str) -> None:
    before = rows()

    with pytest.raises(IntegrityError):
        started.db.execute_sql(sql)

    assert rows() == before


@only_sqlite
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE accounts SET balance = 'ten'",
        "UPDATE accounts SET balance = 1.5",
        "INSERT INTO postings (booking_id, account_id, amount) VALUES (1, 1, 'five')",
        "INSERT INTO bookings (key, reason, at, memo) VALUES ('x', 'r', 'noon', '')",
        "INSERT INTO bookings (key, reason, at, memo) VALUES ('x', 'r', 0, x'00')",
    ],
)
def test_5_tables_are_strict(started: Ledger, rows: Rows, sql: str) -> None:
    before = rows()

    with pytest.raises(IntegrityError, match="cannot store"):
        started.db.execute_sql(sql)

    assert rows() == before


@only_sqlite
def test_5_a_booking_that_was_confirmed_survives_a_power_cut(db: Database) -> None:
    full = 2
    assert db.execute_sql("PRAGMA synchronous").fetchone() == (full,)
    assert db.execute_sql("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute_sql("PRAGMA foreign_keys").fetchone() == (1,)
    assert db.execute_sql("PRAGMA recursive_triggers").fetchone() == (1,)


# -- audit --------------------------------------------------------------------------------------


def test_5_a_sound_ledger_has_no_problems(started: Ledger) -> None:
    audit = prove(started.db, {"k3x9"})

    assert (audit.problems, audit.sums) == ((), {"coins": 0})
    assert (audit.bookings, audit.postings) == (3, 6)


def drop_trigger(db: Database, table: str, verb: str) -> None:
    where = "" if is_sqlite(db) else f" ON {table}"
    db.execute_sql(f"DROP TRIGGER {table}_no_{verb}{where}")


def unchecked(db: Database) -> None:
    """Takes the CHECKs off."""
    if is_sqlite(db):
        db.execute_sql("PRAGMA ignore_check_constraints = ON")
        return
    checks = "SELECT conrelid::regclass, conname FROM pg_constraint WHERE contype = 'c'"
    for table, name in db.execute_sql(f"{checks} AND conrelid > 0").fetchall():
        db.execute_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")


def damage(ledger: Ledger, *statements: str) -> tuple[str, ...]:
    """What the audit says after `statements` were executed past all safeguards."""
    db = ledger.db
    for table in ("bookings", "postings"):
        for verb in ("update", "delete"):
            drop_trigger(db, table, verb)
    unchecked(db)
    for statement in statements:
        db.execute_sql(statement)
    protect(db)
    return prove(ledger.db, {"k3x9"}).problems


WALLET = "(SELECT id FROM accounts WHERE kind = 'wallet' AND ref = '1')"
MINT = "(SELECT id FROM accounts WHERE kind = 'mint')"


def test_5_audit_finds_a_balance_that_was_changed(started: Ledger) -> None:
    problems = damage(started, f"UPDATE accounts SET balance = 1000 WHERE id = {WALLET}")

    assert problems == (
        "coins add up to 993, not 0",
        "wallet 1 coins holds 1000, its postings say 7",
    )


def test_5_audit_finds_money_moved_between_balances(started: Ledger) -> None:
    problems = damage(
        started,
        "UPDATE accounts SET balance = balance - 1 WHERE kind = 'wallet' AND ref = '1'",
        "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet' AND ref = '2'",
    )

    assert problems == (
        "wallet 1 coins holds 6, its postings say 7",
        "wallet 2 coins holds 11, its postings say 10",
    )


def test_5_audit_finds_a_posting_that_was_deleted(started: Ledger) -> None:
    problems = damage(started, f"DELETE FROM postings WHERE account_id = {WALLET} AND amount = 10")

    assert problems == (
        "wallet 1 coins holds 7, its postings say -3",
        "booking gift:1 is off by -10 coins",
    )


def test_5_audit_finds_a_booking_whose_postings_were_all_deleted(started: Ledger) -> None:
    problems = damage(
        started,
        "DELETE FROM postings WHERE booking_id = 2",
        "UPDATE accounts SET balance = balance - 10 WHERE kind = 'wallet' AND ref = '2'",
        f"UPDATE accounts SET balance = balance + 10 WHERE id = {MINT}",
    )

    assert problems == ("booking gift:2 has no postings",)


def test_5_audit_finds_a_booking_that_does_not_add_up(started: Ledger) -> None:
    problems = damage(
        started,
        f"UPDATE postings SET amount = 12 WHERE account_id = {WALLET} AND amount = 10",
        f"UPDATE accounts SET balance = balance + 2 WHERE id = {WALLET}",
    )

    assert problems == ("coins add up to 2, not 0", "booking gift:1 is off by 2 coins")


def test_5_audit_finds_bookings_that_only_together_add_up(started: Ledger) -> None:
    problems = damage(
        started,
        "UPDATE postings SET amount = 12 WHERE booking_id = 1 AND amount = 10",
        "UPDATE postings SET amount = 8 WHERE booking_id = 2 AND amount = 10",
        "UPDATE accounts SET balance = balance + 2 WHERE kind = 'wallet' AND ref = '1'",
        "UPDATE accounts SET balance = balance - 2 WHERE kind = 'wallet' AND ref = '2'",
    )

    assert problems == ("booking gift:1 is off by 2 coins", "booking gift:2 is off by -2 coins")


def test_5_audit_finds_an_account_below_zero(started: Ledger) -> None:
    problems = damage(
        started,
        "INSERT INTO bookings (key, reason, at, memo) VALUES ('theft', 'given', 0, '')",
        f"INSERT INTO postings (booking_id, account_id, amount) VALUES (4, {WALLET}, -50)",
        f"INSERT INTO postings (booking_id, account_id, amount) VALUES (4, {MINT}, 50)",
        f"UPDATE accounts SET balance = balance - 50 WHERE id = {WALLET}",
        f"UPDATE accounts SET balance = balance + 50 WHERE id = {MINT}",
    )

    assert problems == ("wallet 1 coins is below zero: -43",)


def test_5_audit_finds_the_escrow_of_a_finished_game_that_is_not_empty(started: Ledger) -> None:
    assert prove(started.db, {"k3x9"}).problems == ()

    assert prove(started.db).problems == ("escrow k3x9 coins of a finished game still holds 3",)
    assert prove(started.db, {"other"}).problems == prove(started.db).problems


@pytest.mark.parametrize("table", ["bookings", "postings"])
@pytest.mark.parametrize("verb", ["update", "delete"])
def test_5_audit_finds_a_missing_trigger(started: Ledger, table: str, verb: str) -> None:
    drop_trigger(started.db, table, verb)

    assert prove(started.db, {"k3x9"}).problems == (f"trigger {table}_no_{verb} is missing",)


@only_postgres
@pytest.mark.parametrize("table", ["postings", "bookings CASCADE", "accounts CASCADE"])
def test_5_what_is_booked_is_not_truncated(started: Ledger, table: str) -> None:
    before = prove(started.db, {"k3x9"})
    with pytest.raises(IntegrityError, match="are only added to"), started.db.atomic():
        started.db.execute_sql(f"TRUNCATE {table}")
    assert prove(started.db, {"k3x9"}) == before


@only_postgres
def test_5_books_made_before_that_was_refused_refuse_it_after_an_upgrade(started: Ledger) -> None:
    for table in ("bookings", "postings"):
        drop_trigger(started.db, table, "truncate")
    started.db.execute_sql("DELETE FROM economy_migrations WHERE name = '0005_no_truncate'")

    assert migrate(started.db, MIGRATIONS, "economy") == ["0005_no_truncate"]

    assert prove(started.db, {"k3x9"}).problems == ()


@only_sqlite
def test_5_audit_finds_a_table_that_is_not_strict(started: Ledger) -> None:
    started.db.execute_sql("CREATE TABLE loose (id INTEGER PRIMARY KEY)")

    assert prove(started.db, {"k3x9"}).problems == ("table loose is not STRICT",)


@only_sqlite
def test_5_audit_finds_what_altering_a_column_silently_lost(started: Ledger) -> None:
    db = started.db
    db.execute_sql("PRAGMA foreign_keys = OFF")

    alter(SqliteMigrator(db).drop_not_null("postings", "amount"))

    assert prove(started.db, {"k3x9"}).problems == (
        "trigger postings_no_update is missing",
        "trigger postings_no_delete is missing",
        "table postings is not STRICT",
    )


# -- opening and migrating ----------------------------------------------------------------------


def schema(db: Database) -> list[tuple[str, ...]]:
    """Tables, constraints and indexes, without what only migrations leave behind."""
    if is_sqlite(db):
        query = (
            "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'index') "
            "AND tbl_name NOT LIKE '%_migrations'"
        )
    else:
        query = (
            "SELECT table_name, column_name, concat_ws(' ', data_type, is_nullable, column_default)"
            " FROM information_schema.columns WHERE table_schema = 'public' "
            "UNION SELECT tablename, indexname, indexdef FROM pg_indexes "
            "WHERE schemaname = 'public' "
            "UNION SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) "
            "FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
        )
    found = [tuple(row) for row in db.execute_sql(query).fetchall()]
    return sorted(row for row in found if not row[0].endswith("_migrations"))


def dump(db: Database) -> list[tuple[str, ...]]:
    return [*schema(db), *((problem,) for problem in schema_problems(db))]


def test_migrating_twice_does_nothing(started: Ledger, rows: Rows) -> None:
    before = dump(started.db), rows()

    assert migrate(started.db, MIGRATIONS, "economy") == []

    assert (dump(started.db), rows()) == before


def test_the_migrated_schema_is_that_of_the_models(
    db: Database, bare: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model in MODELS:
        monkeypatch.setattr(model._meta, "strict_tables", is_sqlite(bare))
    with bare.bind_ctx(MODELS):
        bare.create_tables(MODELS)

    # What a foreign key would lock is seen to by a trigger.
    assert [row for row in schema(bare) if row[1] != "postings_account_id_fkey"] == schema(db)


def test_every_migration_is_run_once_in_order(bare: Database) -> None:
    names = migrate(bare, MIGRATIONS, "economy")

    assert names == sorted(path.stem for path in MIGRATIONS.glob("[0-9]*.py"))
    assert prove(bare).problems == ()


def write_migration(tmp_path: Path, body: str) -> Path:
    folder = tmp_path / "later"
    folder.mkdir()
    (folder / "0001_later.py").write_text(f"def up(migrator, db):\n    {body}\n")
    return folder


def test_after_a_migration_that_dropped_the_triggers_they_stand_again(
    started: Ledger, tmp_path: Path
) -> None:
    where = "" if is_sqlite(started.db) else " ON postings"
    folder = write_migration(tmp_path, f"db.execute_sql('DROP TRIGGER postings_no_delete{where}')")

    assert migrate(started.db, folder, "later") == ["0001_later"]

    with pytest.raises(IntegrityError, match="are only added to"):
        started.db.execute_sql("DELETE FROM postings")


@only_sqlite
def test_a_migration_that_loses_strict_is_refused_and_changes_nothing(
    started: Ledger, tmp_path: Path
) -> None:
    before = dump(started.db)
    folder = write_migration(tmp_path, "db.execute_sql('CREATE TABLE loose (x INTEGER)')")

    with pytest.raises(Unreadable, match="table loose is not STRICT"):
        migrate(started.db, folder, "later")

    assert dump(started.db) == before


def test_a_migration_that_fails_changes_nothing(started: Ledger, tmp_path: Path) -> None:
    before = dump(started.db)
    folder = write_migration(
        tmp_path,
        "db.execute_sql('CREATE TABLE a (x INTEGER)'); db.execute_sql('nonsense')",
    )

    with pytest.raises(DatabaseError, match="nonsense"):
        migrate(started.db, folder, "later")

    assert dump(started.db) == before


def test_a_database_whose_triggers_are_gone_is_not_used(started: Ledger) -> None:
    drop_trigger(started.db, "bookings", "delete")

    with pytest.raises(Unreadable, match="trigger bookings_no_delete is missing"):
        migrate(started.db, MIGRATIONS, "economy")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("sqlite:////no/such/folder/house.db", "there is no folder for /no/such/folder/house.db"),
        ("mysql://localhost/house", "'mysql' is no database this version can open"),
        ("house.db", "'house.db' is no database this version can open"),
        ("", "'' is no database this version can open"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_in_one_line(url: str, why: str) -> None:
    with pytest.raises(Unreadable) as error:
        connect(url)

    assert str(error.value) == why


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and a good many of them\n" * 100)
    before = path.read_bytes()

    with pytest.raises(Unreadable, match="not a database"):
        connect(f"sqlite:///{path}")

    assert path.read_bytes() == before


def test_what_was_committed_is_there_after_reopening(started: Ledger, url: str) -> None:
    shut(started.db)

    again = connect(url)

    assert balances(Ledger(again), ANNA, BEN, GAME) == [7, 10, 3]
    shut(again)


def test_what_was_not_committed_is_gone(started: Ledger, rows: Rows) -> None:
    before = rows()

    with started.db.atomic() as transaction:
        started.transfer("give", "given", ANNA, BEN, 1, at=NOON)
        transaction.rollback()

    assert rows() == before


def test_an_audit_in_slices_says_what_one_in_one_moment_says(
    started: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = started.db
    for n in range(7):
        started.book(f"n{n}", "grant", {mint(): -n - 1, wallet(900 + n): n + 1}, at=n)
    with db.atomic():
        AccountRow.update(balance=AccountRow.balance + 3).where(AccountRow.ref == "902").execute(db)
        BookingRow.insert(key="empty", reason="x", at=1).execute(db)
        crooked = BookingRow.insert(key="crooked", reason="x", at=1).returning(BookingRow.id)
        ((number,),) = crooked.tuples().execute(db)
        account = AccountRow.select(AccountRow.id).where(AccountRow.ref == "905")
        PostingRow.insert(booking=number, account=account, amount=5).execute(db)
    monkeypatch.setattr(audit, "BOOKINGS_AT_ONCE", 2)
    monkeypatch.setattr(audit, "ACCOUNTS_AT_ONCE", 3)
    steps: list[tuple[int, int]] = []

    whole = prove(started.db)
    sliced = prove_in_slices(started.db, list, lambda *it: steps.append(it))

    assert len(whole.problems) == 6
    assert (sorted(sliced.problems), sliced.sums) == (sorted(whole.problems), whole.sums)
    assert (sliced.held, sliced.bookings, sliced.postings) == (
        whole.held, whole.bookings, whole.postings
    )  # fmt: skip
    if is_sqlite(db):
        assert steps == sorted(steps)
        assert steps[-1][0] == steps[-1][1] > 10
