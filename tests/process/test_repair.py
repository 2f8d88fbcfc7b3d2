"""`dicehall repair` over damaged books: the postings are put in force, the rest is named."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres import database
from tests.process.typed import ANNA, Run
from tgbot import config
from tgbot.lock import alone

BALANCE = "UPDATE accounts SET balance = balance + 7 WHERE kind = 'wallet' AND ref = '11'"
TRIGGERS = ["bookings_no_update", "postings_no_delete"]


def holds(books: Any, user: int = ANNA) -> int:
    query = (
        "SELECT balance FROM accounts WHERE kind = 'wallet' AND ref = '{}' AND currency = 'coins'"
    )
    return int(books.execute(query.format(user)).fetchone()[0])


def sound(dicehall: Run, **settings: str) -> bool:
    return bool(dicehall("audit", "--json", **settings).document["ok"])


def repaired(dicehall: Run, **settings: str) -> dict[str, Any]:
    """The document of a repair after which something is still wrong."""
    said = dicehall("repair", "--json", **settings)
    assert (said.status, said.err) == (1, "")
    return dict(json.loads(said.out))


@pytest.fixture
def moved(dicehall: Run, played: str, postgres: str) -> Iterator[str]:
    """The URL of the same books in a PostgreSQL database."""
    with database(postgres) as url:
        assert dicehall("copy-to", url).status == 0
        yield url


def test_balances_and_triggers_are_put_right_and_the_file_is_kept_as_it_was(
    dicehall: Run, books: sqlite3.Connection, tmp_path: Path
) -> None:
    right, schema = holds(books), "SELECT sql FROM sqlite_master ORDER BY name"
    before = books.execute(schema).fetchall()
    books.execute(BALANCE)
    for trigger in TRIGGERS:
        books.execute(f"DROP TRIGGER {trigger}")
    damaged = list(books.iterdump())

    done = dicehall("repair", "--json").document

    assert done["triggers"] == TRIGGERS
    assert {"account": "wallet 11 coins", "was": right + 7, "now": right} in done["balances"]
    assert (done["ok"], done["problems"]) == (True, [])
    assert holds(books) == right
    assert books.execute(schema).fetchall() == before
    assert Path(done["kept"]).name.startswith("books-damaged-")
    with contextlib.closing(sqlite3.connect(done["kept"])) as kept:
        assert list(kept.iterdump()) == damaged
    assert sound(dicehall)


def test_sound_books_are_left_alone(
    dicehall: Run, books: sqlite3.Connection, tmp_path: Path
) -> None:
    before = list(books.iterdump())

    done = dicehall("repair", "--json").document

    assert done == {"triggers": [], "balances": [], "kept": None, "ok": True, "problems": []}
    assert list(books.iterdump()) == before
    assert not list(tmp_path.glob("*damaged*"))
    assert "All is well" in dicehall("repair").out


def test_a_balance_below_zero_is_put_right(dicehall: Run, books: sqlite3.Connection) -> None:
    right = holds(books)
    books.execute("PRAGMA ignore_check_constraints = 1")
    books.execute("UPDATE accounts SET balance = -4 WHERE kind = 'wallet' AND ref = '11'")

    assert dicehall("repair").status == 0

    assert holds(books) == right


UNMENDABLE = {
    "table loose is not STRICT": "CREATE TABLE loose (amount INTEGER)",
    "table showings is missing": "DROP TABLE showings",
    "booking x has no postings": "INSERT INTO bookings (key, reason, at, memo) "
    "VALUES ('x', 'grant', 1, '')",
}


@pytest.mark.parametrize("problem", UNMENDABLE)
def test_what_cannot_be_mended_is_named_and_the_rest_is_mended(
    dicehall: Run, books: sqlite3.Connection, problem: str
) -> None:
    right = holds(books, 22)
    books.execute("DROP TRIGGER postings_no_delete")
    books.execute(UNMENDABLE[problem])
    books.execute(BALANCE.replace("11", "22"))

    done = repaired(dicehall)

    assert holds(books, 22) == right
    assert done["triggers"] == ["postings_no_delete"]
    assert any(problem in told for told in done["problems"]), done["problems"]
    said = dicehall("repair")
    assert said.status == 1
    assert "dicehall restore puts a backup in its place" in " ".join(said.out.split())


def test_postings_that_lead_below_zero_are_not_made_a_balance(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    books.execute("DROP TRIGGER postings_no_update")
    books.execute("UPDATE postings SET amount = amount - 500 WHERE id = (SELECT id FROM postings "
                  "WHERE booking_id = (SELECT id FROM bookings WHERE key = 'gift:11') "
                  "AND amount > 0)")  # fmt: skip
    books.execute("UPDATE postings SET amount = amount + 500 WHERE id = (SELECT id FROM postings "
                  "WHERE booking_id = (SELECT id FROM bookings WHERE key = 'gift:11') "
                  "AND amount = -10)")  # fmt: skip
    before = books.execute("SELECT id, balance FROM accounts WHERE kind = 'wallet'").fetchall()

    assert any("its postings say -" in problem for problem in repaired(dicehall)["problems"])

    after = books.execute("SELECT id, balance FROM accounts WHERE kind = 'wallet'").fetchall()
    assert after == before


def test_what_a_finished_game_holds_is_a_matter_for_cancel(
    dicehall: Run, books: sqlite3.Connection, played: str
) -> None:
    dicehall("grant", str(ANNA), "3", "--reason", "x", "--key", "k")
    books.execute("DROP TRIGGER postings_no_update")
    books.execute(
        "UPDATE postings SET account_id = (SELECT id FROM accounts WHERE kind = 'escrow') "
        "WHERE id = (SELECT max(id) FROM postings)"
    )

    said = dicehall("repair")
    assert said.status == 1
    assert "dicehall cancel GAME" in said.out
    assert "restore" not in said.out
    assert dicehall("cancel", played, "--reason", "left over").status == 0
    assert sound(dicehall)


def test_it_refuses_while_a_bot_runs(dicehall: Run, books: sqlite3.Connection) -> None:
    books.execute(BALANCE)
    before = list(books.iterdump())

    with alone(config.load()):
        dicehall("repair").refused("DATABASE", "stop it first")

    assert list(books.iterdump()) == before


def test_it_makes_no_database_and_takes_no_ruin(dicehall: Run, tmp_path: Path) -> None:
    dicehall("repair", DATABASE="sqlite:///none.db").refused("DATABASE", "none.db")
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "novel.db").write_text("It was a dark and stormy night. " * 40)
    dicehall("repair", DATABASE="sqlite:///novel.db").refused("DATABASE", "dicehall restore")
    (tmp_path / "empty.db").touch()
    dicehall("repair", DATABASE="sqlite:///empty.db").refused("DATABASE", "dicehall restore")
    assert not list(tmp_path.glob("*damaged*"))


def test_postgresql_is_repaired_once_no_worker_serves_it(dicehall: Run, moved: str) -> None:
    with psycopg.connect(moved, autocommit=True) as books:
        right = holds(books)
        books.execute(BALANCE)
        books.execute("DROP TRIGGER bookings_no_update ON bookings")
        books.execute("ALTER TABLE postings DISABLE TRIGGER postings_no_delete")
        books.execute("INSERT INTO workers (name, until) VALUES ('w', 2000000000)")

        dicehall("repair", DATABASE=moved).refused("DATABASE", "stop it first")
        assert holds(books) == right + 7
        books.execute("DELETE FROM workers")
        done = dicehall("repair", "--json", DATABASE=moved).document

        assert (done["triggers"], done["kept"], done["ok"]) == (TRIGGERS, None, True)
        assert holds(books) == right
        for table, change in (
            ("bookings", "UPDATE bookings SET at = 1"),
            ("postings", "DELETE FROM postings"),
        ):
            with pytest.raises(psycopg.errors.IntegrityError, match=f"{table} are only added to"):
                books.execute(change)
    assert sound(dicehall, DATABASE=moved)


def test_while_a_booking_is_off_nothing_is_repaired(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    books.execute("DROP TRIGGER postings_no_update")
    books.execute("UPDATE postings SET amount = -amount WHERE id = (SELECT max(id) FROM postings)")
    before = list(books.iterdump())

    said = dicehall("repair")

    said.refused("nothing was repaired", "booking settle:", "is off by", "dicehall restore")
    assert list(books.iterdump()) == before
