"""All bookings as text: a line a posting (CSV), a line a booking (JSON lines), or one document."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, TextIO

from peewee import Database, ModelSelect, Select, fn

from economy.models import AccountRow, BookingRow, PostingRow

FORMATS = ("csv", "jsonl")
BATCH = 2000
COLUMNS = ("booking", "key", "reason", "at", "memo", "kind", "ref", "currency", "amount")


def write(db: Database, form: str, out: TextIO) -> None:
    """Writes every booking with its postings, oldest first, as `csv`, `jsonl` or one `json`."""
    if form == "csv":
        table = csv.writer(out, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(_postings(db))
        return
    lines = (json.dumps(booking, ensure_ascii=False) for booking in _bookings(db))
    if form == "jsonl":
        out.writelines(f"{line}\n" for line in lines)
        return
    out.write('{"bookings": [')
    out.writelines(f", {line}" if number else line for number, line in enumerate(lines))
    out.write("]}\n")


def _postings(db: Database) -> Iterator[tuple[Any, ...]]:
    """The rows of `COLUMNS`; read in batches, so that years of them need no memory."""
    last = 0
    while True:
        rows = list(_batch(last).tuples().execute(db))
        if not rows:
            return
        yield from rows
        last = rows[-1][0]


def _batch(last: int) -> ModelSelect[BookingRow]:
    """The postings of the bookings that come after number `last`."""
    numbers = BookingRow.select(BookingRow.id.alias("id")).where(BookingRow.id > last)
    batch = numbers.order_by(BookingRow.id).limit(BATCH).alias("batch")
    until = Select([batch], [fn.MAX(batch.c.id)])
    return (
        BookingRow.select(
            BookingRow.id,
            BookingRow.key,
            BookingRow.reason,
            BookingRow.at,
            BookingRow.memo,
            AccountRow.kind,
            AccountRow.ref,
            AccountRow.currency,
            PostingRow.amount,
        )
        .join(PostingRow)
        .join(AccountRow)
        .where(BookingRow.id > last, BookingRow.id <= until)
        .order_by(BookingRow.id, PostingRow.id)
    )


def _bookings(db: Database) -> Iterator[dict[str, Any]]:
    for _, postings in groupby(_postings(db), key=itemgetter(0)):
        rows = [dict(zip(COLUMNS, posting, strict=True)) for posting in postings]
        booking = {name: rows[0][name] for name in COLUMNS[:5]}
        booking["postings"] = [{name: row[name] for name in COLUMNS[5:]} for row in rows]
        yield booking
