"""Finds out whether the past was changed, even so that it still adds up.

Bookings, postings, and the seats and moves of finished games are only added to. Every night a row
keeps a digest (SHA-256) of what came since the night before, chained to that one's; every later
audit makes all digests anew from the rows and compares. That finds who changes a posting together
with its balance. Who makes the nights anew as well is found by an operator who kept the digits of
one (`dicehall audit --digest`).

The rows are read in slices by a connection of their own: booking adds no row for it, nobody waits,
and memory does not grow with the years. A digest is made of names and numbers only, not of how a
database stores them, so a copy in another database has the same ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from peewee import Database, Expression, Field, Select, fn

from economy.database import is_sqlite
from economy.models import AccountRow, BookingRow, PostingRow
from economy.transactions import settled
from tgbot.models import FinishedRow, GameRow, MoveRow, NightRow, SeatRow

SLICE = 1000
SHOWN = 12
"""So many digits of a digest are shown; fewer are easily hit by another one."""
FEWEST = 8

Stream = Callable[[int, int], Select]


class Night(NamedTuple):
    """What one night saw: up to which booking and which finished game, and the digest of it."""

    at: int
    bookings: int
    games: int
    digest: str

    @property
    def shown(self) -> str:
        """The first digits, as an operator keeps them."""
        return self.digest[:SHOWN]


def nights(db: Database) -> list[Night]:
    """Every night, oldest first."""
    columns = (NightRow.at, NightRow.bookings, NightRow.games, NightRow.digest)
    query = NightRow.select(*columns).order_by(NightRow.id)
    return [Night(*row) for row in query.tuples().execute(db)]


def problems(db: Database, kept: str = "") -> list[str]:
    """One sentence a night whose past was changed, and one if no night has the digest `kept`."""
    found, before = [], Night(0, 0, 0, "")
    seen = nights(db)
    for night in seen:
        if (now := _digest(db, before, night.bookings, night.games)) != night.digest:
            day = f"{datetime.fromtimestamp(night.at, UTC):%Y-%m-%d %H:%M} UTC"
            found.append(
                f"what was booked or played before {day} was changed since: bookings "
                f"{before.bookings + 1} to {night.bookings} and the games that had ended were "
                f"{night.shown} then and are {now[:SHOWN]} now"
            )
        before = night
    if kept and not any(night.digest.startswith(kept) for night in seen):
        found.append(f"no night of these books has the digest {kept}: they are not those it is of")
    return found


def tonight(db: Database, at: int) -> Night | None:
    """The night to be kept now, for what came since the last one; None where nothing came.

    Raises `peewee.OperationalError` where somebody has been writing for so long that it cannot be
    told up to where all is written.
    """
    before = [Night(0, 0, 0, ""), *nights(db)][-1]
    bookings = settled(db, BookingRow)
    games = FinishedRow.select(fn.MAX(FinishedRow.id)).scalar(db) or 0
    if (bookings, games) == (before.bookings, before.games):
        return None
    return Night(at, bookings, games, _digest(db, before, bookings, games))


def keep(db: Database, night: Night) -> None:
    """Writes a night's row; audits compare it from now on."""
    NightRow.insert(night._asdict()).execute(db)


def newly_finished(db: Database) -> Iterator[list[str]]:
    """The finished games that no night has seen yet, in slices; reads every game."""
    last = ""
    while True:
        seen = FinishedRow.select().where(FinishedRow.game_id == GameRow.id)
        query = (
            GameRow.select(GameRow.id)
            .where(GameRow.id > last, GameRow.over_at > 0, ~fn.EXISTS(seen))
            .order_by(GameRow.id)
            .limit(SLICE)
        )
        games = [row[0] for row in query.tuples().execute(db)]
        if not games:
            return
        yield games
        last = games[-1]


def finish(db: Database, games: list[str]) -> None:
    """Numbers games as finished; the next night's digest includes them."""
    rows = [{"game_id": game} for game in games]
    FinishedRow.insert_many(rows).on_conflict_ignore().execute(db)


# -- what is digested ----------------------------------------------------------------------------


def _digest(db: Database, before: Night, bookings: int, games: int) -> str:
    whole = hashlib.sha256(before.digest.encode())
    for stream in (_bookings, _postings):
        whole.update(_read(db, stream, before.bookings, bookings))
    for stream in (_games, _seats, _moves):
        whole.update(_read(db, stream, before.games, games))
    return whole.hexdigest()


def _read(db: Database, stream: Stream, after: int, last: int) -> bytes:
    """The digest of a stream's lines, wherever its slices begin and end."""
    join = fn.GROUP_CONCAT if is_sqlite(db) else fn.STRING_AGG
    digest = hashlib.sha256()
    for first in range(after, last, SLICE):
        lines = stream(first, min(first + SLICE, last))
        ((text,),) = Select([lines], [join(lines.c.line, "")]).tuples().execute(db)
        digest.update((text or "").encode())
    return digest.digest()


def _bookings(after: int, last: int) -> Select:
    it = BookingRow
    lines = it.select(_line(it.id, it.key, it.reason, it.at, it.memo))
    return lines.where(it.id > after, it.id <= last).order_by(it.id)


def _postings(after: int, last: int) -> Select:
    it, to = PostingRow, AccountRow
    lines = it.select(_line(it.id, it.booking, to.kind, to.ref, to.currency, it.amount)).join(to)
    return lines.where(it.booking > after, it.booking <= last).order_by(it.booking, it.id)


def _games(after: int, last: int) -> Select:
    it = GameRow
    return _finished(it, it.id, it.kind, it.version, it.status, it.stake, at=it.id)(after, last)


def _seats(after: int, last: int) -> Select:
    it = SeatRow
    fields = (it.id, it.game_id, it.user_id, it.seat, it.joined_at, it.left_at, it.place)
    return _finished(it, *fields, it.coins, it.points, at=it.game_id, order=it.id)(after, last)


def _moves(after: int, last: int) -> Select:
    it = MoveRow
    fields = (it.game_id, it.n, it.seat, it.move, it.dice, it.at)
    return _finished(it, *fields, at=it.game_id, order=it.n)(after, last)


def _finished(model: Any, *fields: Field, at: Field, order: Field | None = None) -> Stream:
    """The rows that belong to finished games, in the order in which the nights saw these."""

    def stream(after: int, last: int) -> Select:
        lines: Select = model.select(_line(*fields)).join(
            FinishedRow, on=(FinishedRow.game_id == at)
        )
        ordered = (FinishedRow.id,) if order is None else (FinishedRow.id, order)
        return lines.where(FinishedRow.id > after, FinishedRow.id <= last).order_by(*ordered)

    return stream


def _line(*fields: Field) -> Expression:
    """A line of text of some columns. Text is told with its length, so that no two rows are one."""
    line: Any = None
    for field in fields:
        text = field.cast("TEXT")
        told: Any = text if field.field_type in _NUMBERS else _long(field)
        line = told if line is None else line.concat(" ").concat(told)
    whole: Expression = line.concat("\n").alias("line")
    return whole


def _long(field: Field) -> Expression:
    return fn.LENGTH(field).cast("TEXT").concat(":").concat(field)


_NUMBERS = ("INT", "BIGINT", "AUTO")
