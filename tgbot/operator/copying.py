"""Moving a database to another one: every row, audited on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from peewee import Database

from economy.database import is_sqlite, snapshot, sql
from economy.ledger import Audit, Ledger
from economy.models import MODELS as ECONOMY
from tgbot import facts
from tgbot.hall.rows import Store
from tgbot.models import MODELS as HALL

AT_ONCE = 500
MODELS = (*ECONOMY, *HALL)


class NotCopied(Exception):
    """The copy was not made; the target is as it was."""


@dataclass(frozen=True)
class Copied:
    """How many rows of each table were copied, and what the audit says on both sides."""

    rows: dict[str, int]
    source: Audit
    target: Audit


def copy_to(source: Database, target: Database) -> Copied:
    """Copies every row of `source` into the empty, migrated `target`, in one transaction.

    Raises `NotCopied` where the target holds something, or an audit finds anything. That migrating
    noted the version in the target does not count; what the source says of it is copied.
    """
    with snapshot(source), target.atomic():
        before = _audit(source)
        if before.problems:
            raise NotCopied(f"the source fails its audit: {before.problems[0]}")
        facts.note(target, facts.VERSION, "")
        rows = {}
        for model in MODELS:
            rows[model._meta.table_name] = _copy(model, source, target)
        after = _audit(target)
        if after.problems or (after.sums, after.held) != (before.sums, before.held):
            raise NotCopied("the copy does not add up to what was copied")
    return Copied(rows, before, after)


def _audit(db: Database) -> Audit:
    return Ledger(db).audit(Store(db, "en").open_games())


def _copy(model: type, source: Database, target: Database) -> int:
    meta = model._meta  # type: ignore[attr-defined]
    table, columns = meta.table_name, [field.column_name for field in meta.sorted_fields]
    if sql(target, f"SELECT 1 FROM {table} LIMIT 1").fetchone():
        raise NotCopied(f"the target is not empty: {table} has rows")
    names = ", ".join(columns)
    marks = "(" + ", ".join("?" * len(columns)) + ")"
    count = 0
    cursor = sql(source, f"SELECT {names} FROM {table}")
    while batch := cursor.fetchmany(AT_ONCE):
        values = [value for row in batch for value in row]
        many = ", ".join([marks] * len(batch))
        sql(target, f"INSERT INTO {table} ({names}) VALUES {many}", values)
        count += len(batch)
    if not is_sqlite(target) and meta.primary_key and meta.primary_key.name == "id" and count:
        _go_on_counting(meta, target)
    return count


def _go_on_counting(meta: object, target: Database) -> None:
    """New rows get numbers after the highest copied one."""
    table = meta.table_name  # type: ignore[attr-defined]
    row = sql(target, f"SELECT pg_get_serial_sequence('{table}', 'id')").fetchone()
    if row and row[0]:
        sql(target, f"SELECT setval('{row[0]}', (SELECT max(id) FROM {table}))")
