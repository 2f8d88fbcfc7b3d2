"""SURVIVE 43: a past that was changed so that it still adds up is found by the next audit."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from peewee import Database

from economy.audit import prove
from economy.database import connect, is_sqlite, shut
from economy.ledger import Ledger, mint, wallet
from economy.models import BookingRow
from economy.schema import protect
from economy.transactions import settled
from tests.faults.test_42_versions import HISTORIES, at, made, settings
from tests.postgres import database
from tests.process.typed import ANNA, NOW, Run
from tgbot.database import migrate_database, open_database, open_existing
from tgbot.hall.hall import open_hall
from tgbot.operator import actions, digest
from tgbot.operator.copying import copy_to

CHANGES = {
    "a posting and its balance": (
        "UPDATE postings SET amount = amount + 1 WHERE id = (SELECT min(p.id) FROM postings p "
        "JOIN accounts a ON a.id = p.account_id WHERE a.kind = 'wallet' AND a.ref = '11')",
        "UPDATE postings SET amount = amount - 1 WHERE id = (SELECT min(p.id) FROM postings p "
        "JOIN accounts a ON a.id = p.account_id WHERE a.kind = 'mint')",
        "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet' AND ref = '11' "
        "AND currency = 'coins'",
    ),
    "whose two wallets are": (
        "UPDATE accounts SET ref = '-11' WHERE kind = 'wallet' AND ref = '11'",
        "UPDATE accounts SET ref = '11' WHERE kind = 'wallet' AND ref = '12'",
        "UPDATE accounts SET ref = '12' WHERE kind = 'wallet' AND ref = '-11'",
    ),
    "why something was booked": ("UPDATE bookings SET memo = 'owed' WHERE reason = 'gift'",),
    "a seat that is gone": ("DELETE FROM seats WHERE id = 1",),
    "a move": ("UPDATE moves SET dice = '6' WHERE n = 1",),
    "a game that is gone": ("DELETE FROM games WHERE over_at > 0",),
    "what a seat won": ("UPDATE seats SET place = 1 WHERE id = 2",),
}
"""What a tamperer does who knows the books: every other line of the audit stays content."""


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Books in which a game is over and another one runs, after one night."""
    file = at(made(tmp_path, HISTORIES[-1]))
    migrate_database(file)
    with ExitStack() as stack:
        source = open_existing(file)
        stack.callback(shut, source)
        night(source)
        if request.param == "sqlite":
            yield source
            return
        url = stack.enter_context(database(request.getfixturevalue("postgres")))
        target = open_database(settings(url))
        stack.callback(shut, target)
        copy_to(source, target)
        yield target


def night(db: Database, now: int = NOW) -> None:
    """What the nightly audit keeps."""
    for games in digest.newly_finished(db):
        digest.finish(db, games)
    if new := digest.tonight(db, now):
        digest.keep(db, new)


def tampered(db: Database, *changes: str) -> None:
    """Changes the past with the triggers down, and puts them up again."""
    for table in ("bookings", "postings"):
        on = "" if is_sqlite(db) else f" ON {table}"
        db.execute_sql(f"DROP TRIGGER {table}_no_update{on}")
    for change in changes:
        db.execute_sql(change)
    protect(db)


def proved(db: Database) -> list[str]:
    """What an audit finds."""
    return [*prove(db, games(db)).problems, *digest.problems(db)]


def games(db: Database) -> list[str]:
    rows = db.execute_sql("SELECT id FROM games WHERE status IN ('lobby', 'running')")
    return [row[0] for row in rows.fetchall()]


@pytest.mark.parametrize("change", CHANGES)
def test_43_the_next_audit_tells_of(change: str, db: Database) -> None:
    assert proved(db) == []

    tampered(db, *CHANGES[change])

    [problem] = proved(db)
    assert "was changed since: bookings 1 to" in problem


def test_43_only_the_night_that_was_changed_is_told(db: Database) -> None:
    for n in (1, 2):
        Ledger(db).book(f"g{n}", "grant", {mint(): -5, wallet(ANNA): 5}, at=NOW)
        night(db, NOW + n)

    tampered(db, "UPDATE bookings SET memo = 'x' WHERE key = 'g1'")

    [problem] = proved(db)
    ids = db.execute_sql("SELECT id FROM bookings WHERE key = 'g1'").fetchone()[0]
    assert f"bookings {ids} to {ids} " in problem


def test_43_what_is_new_since_the_last_night_is_no_change(db: Database) -> None:
    before = digest.nights(db)
    Ledger(db).book("new", "grant", {mint(): -5, wallet(ANNA): 5}, at=NOW)

    assert proved(db) == []
    night(db, NOW + 1)
    assert [*digest.nights(db)][: len(before)] == before
    assert len(digest.nights(db)) == len(before) + 1
    assert proved(db) == []


def test_43_who_makes_the_nights_anew_has_other_digests(db: Database) -> None:
    [kept] = [night.shown for night in digest.nights(db)]
    assert digest.problems(db, kept) == []

    tampered(db, *CHANGES["a posting and its balance"], "DELETE FROM nights")
    night(db)

    assert proved(db) == []
    [problem] = digest.problems(db, kept)
    assert f"no night of these books has the digest {kept}" in problem


def test_43_after_cancelling_and_erasing_it_still_fits(db: Database) -> None:
    hall, people = open_hall(db, settings("sqlite:///unused.db"))
    with db.atomic():
        for game in games(db):
            actions.cancel(hall, game, "x", now=NOW)
        actions.erase(people, str(ANNA), now=NOW)

    assert proved(db) == []
    night(db)
    assert proved(db) == []


def test_43_a_night_is_read_in_slices_of_which_none_changes_it(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(30):
        Ledger(db).book(f"g{n}", "grant", {mint(): -5, wallet(ANNA): 5}, at=NOW, memo="ü" * n)
    before = digest.tonight(db, NOW)

    monkeypatch.setattr(digest, "SLICE", 7)

    assert digest.tonight(db, NOW) == before


def test_43_a_number_given_before_its_booking_is_committed_is_waited_for(postgres: str) -> None:
    """PostgreSQL: else a night would end above a row that appears later, and call it a change."""
    with database(postgres) as url:
        db, other = open_database(settings(url)), connect(url)
        Ledger(db).book("a", "grant", {mint(): -5, wallet(ANNA): 5}, at=NOW)
        with other.atomic() as slow:
            Ledger(other).book("b", "grant", {mint(): -5, wallet(12): 5}, at=NOW)
            db.execute_sql("SET lock_timeout = '100ms'")
            with pytest.raises(Exception, match="lock timeout"):
                settled(db, BookingRow)
            slow.rollback()
        assert settled(db, BookingRow) == 1
        shut(db)
        shut(other)


def test_43_the_command_line_compares_with_a_digest_that_was_kept(
    dicehall: Run, books: sqlite3.Connection, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/books.db"
    db = open_existing(settings(url))
    night(db)
    [kept] = [night.shown for night in digest.nights(db)]
    shut(db)

    assert dicehall("audit", "--digest", f"{kept[:4]} {kept[4:]}").status == 0
    assert dicehall("audit", "--digest", "0" * 12).status == 1
    dicehall("audit", "--digest", "3f9").refused("--digest")
    books.execute("UPDATE moves SET dice = dice || ',1' WHERE n = 2")
    told = dicehall("audit")
    assert (told.status, told.out.count("wrong:")) == (1, 1)
