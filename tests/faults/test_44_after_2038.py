"""SURVIVE 44: times have 64 bits in every table, whichever database it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from peewee import BigIntegerField, Database

from economy.database import shut
from economy.ledger import Ledger, mint, wallet
from tests.postgres import database
from tgbot.config import Settings
from tgbot.database import MODELS, open_database

IN_2100 = 4_102_444_800
TIME = re.compile(r"(.*_)?(at|since|until|ends)")
"""What a column that holds a time is called."""


@pytest.fixture
def db(postgres: str) -> Iterator[Database]:
    """A PostgreSQL database with every migration applied."""
    with database(postgres) as url:
        db = open_database(Settings(_env_file=None, database=url))
        yield db
        shut(db)


def test_44_no_column_of_32_bits_holds_a_time(db: Database) -> None:
    rows = db.execute_sql(
        "SELECT table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = 'public' AND table_name NOT LIKE '%%_migrations'"
    ).fetchall()
    times = {(table, column): bits for table, column, bits in rows if TIME.fullmatch(column)}

    assert {("bookings", "at"), ("games", "over_at"), ("bonuses", "ends")} <= times.keys()
    assert {*times.values()} == {"bigint"}


def test_44_the_models_say_the_same_as_the_tables() -> None:
    fields = [field for model in MODELS for field in model._meta.sorted_fields]
    times = [field for field in fields if TIME.fullmatch(field.column_name)]

    assert len(times) > 20
    assert all(isinstance(field, BigIntegerField) for field in times)


def test_44_what_is_booked_in_2100_is_booked_then(db: Database) -> None:
    ledger = Ledger(db)
    with db.atomic():
        ledger.book("gift", "gift", {mint(): -1, wallet(1): 1}, at=IN_2100)

    entries, _ = ledger.history("wallet", "1", limit=1)
    assert entries[0].at == IN_2100
