"""Moving a database to another one: every row, audited on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from peewee import Database, Model

from economy.audit import Audit, prove
from economy.database import is_sqlite
from economy.schema import count_on
from economy.transactions import snapshot, unhurried
from tgbot import facts
from tgbot.database import MODELS
from tgbot.hall.store import Store

AT_ONCE = 500


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
        unhurried(target)
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
    return prove(db, Store(db, "en").open_games())


def _copy(model: type[Model], source: Database, target: Database) -> int:
    meta = model._meta
    if model.select().exists(target):
        raise NotCopied(f"the target is not empty: {meta.table_name} has rows")
    # As they are: a field might take a value for another one's.
    columns = [field.column for field in meta.sorted_fields]
    rows = iter(meta.table.select(*columns).tuples().bind(source).iterator())
    count = 0
    while batch := list(islice(rows, AT_ONCE)):
        meta.table.insert(batch, columns=columns).execute(target)
        count += len(batch)
    if not is_sqlite(target) and meta.primary_key and meta.primary_key.name == "id" and count:
        count_on(target, meta.table_name)
    return count
