"""All bookings as text: a line a posting (CSV), a line a booking (JSON lines), or one document."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, TextIO

from peewee import Database

from economy.database import sql

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
        rows = sql(
            db,
            "SELECT b.id, b.key, b.reason, b.at, b.memo, a.kind, a.ref, a.currency, p.amount "
            "FROM bookings b JOIN postings p ON p.booking_id = b.id "
            "JOIN accounts a ON a.id = p.account_id "
            "WHERE b.id > ? AND b.id <= (SELECT max(id) FROM (SELECT id FROM bookings "
            "WHERE id > ? ORDER BY id LIMIT ?) AS batch) ORDER BY b.id, p.id",
            (last, last, BATCH),
        ).fetchall()
        if not rows:
            return
        yield from rows
        last = rows[-1][0]


def _bookings(db: Database) -> Iterator[dict[str, Any]]:
    for _, postings in groupby(_postings(db), key=itemgetter(0)):
        rows = [dict(zip(COLUMNS, posting, strict=True)) for posting in postings]
        booking = {name: rows[0][name] for name in COLUMNS[:5]}
        booking["postings"] = [{name: row[name] for name in COLUMNS[5:]} for row in rows]
        yield booking
