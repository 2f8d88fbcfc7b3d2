"""What must happen at a time: each due date is a row, and the clock fires it."""

from __future__ import annotations

from peewee import EXCLUDED, ColumnBase, Database, fn

from economy.statements import Query, statement
from tgbot.models import DueRow


def _is(kind: str, ref: str) -> ColumnBase:
    return (DueRow.kind == kind) & (DueRow.ref == ref)


@statement
def _set_due(*, kind: str, ref: str, at: int) -> Query:
    return DueRow.insert(kind=kind, ref=ref, at=at).on_conflict(
        conflict_target=[DueRow.kind, DueRow.ref], update={DueRow.at: EXCLUDED.at}
    )


@statement
def _undue(*, kind: str, ref: str) -> Query:
    return DueRow.delete().where(_is(kind, ref))


@statement(row=int)
def _due_at(*, kind: str, ref: str) -> Query:
    return DueRow.select(DueRow.at).where(_is(kind, ref))


@statement
def _due(*, now: int, limit: int) -> Query:
    which = DueRow.select(DueRow.kind, DueRow.ref, DueRow.at).where(DueRow.at <= now)
    return which.order_by(DueRow.at).limit(limit)


@statement
def _still_due(*, kind: str, ref: str, now: int) -> Query:
    return DueRow.select(DueRow.at).where(_is(kind, ref), DueRow.at <= now)


@statement(lock="skip")
def _still_due_alone(*, kind: str, ref: str, now: int) -> Query:
    return DueRow.select(DueRow.at).where(_is(kind, ref), DueRow.at <= now)


@statement
def _next_due() -> Query:
    return DueRow.select(fn.MIN(DueRow.at))


class DueDates:
    """The table of due dates. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.nearest = 0
        """The earliest due date set since this was last 0."""

    def set(self, kind: str, ref: str, at: int) -> None:
        """Puts a due date down, or moves it; `at` 0 takes it away."""
        if not at:
            _undue.later(self.db, kind=kind, ref=ref)
            return
        self.nearest = min(self.nearest or at, at)
        _set_due.later(self.db, kind=kind, ref=ref, at=at)

    def when(self, kind: str, ref: str) -> int | None:
        """When something is due; None where it is not."""
        return _due_at.one(self.db, kind=kind, ref=ref)

    def at(self, now: int, limit: int = 200) -> list[tuple[str, str, int]]:
        """What is due, of what kind, for what, since when; longest first."""
        return _due.all(self.db, now=now, limit=limit)

    def still(self, kind: str, ref: str, now: int) -> bool:
        """Whether it is due, and nobody else is about it. A game's own lock sees to that."""
        query = _still_due if kind in ("game", "james") else _still_due_alone
        return query.one(self.db, kind=kind, ref=ref, now=now) is not None

    def next(self) -> int | None:
        """When the next thing is due."""
        row = _next_due.one(self.db)
        return row[0] if row else None

    def rename(self, kind: str, old: str, new: str) -> None:
        """What was due for `old` is due for `new`, unless something is due for that already."""
        if self.when(kind, new) is None:
            DueRow.update(ref=new).where(_is(kind, old)).execute(self.db)
