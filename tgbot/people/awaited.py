"""An answer the bot waits for in somebody's private chat: of what kind, for what."""

from __future__ import annotations

from peewee import Database

from economy.statements import Query, statement
from tgbot.models import AwaitedRow


@statement
def _ask(*, user_id: int, kind: str, ref: str, at: int) -> Query:
    return AwaitedRow.insert(user_id=user_id, kind=kind, ref=ref, at=at)


@statement
def _forget(*, user_id: int) -> Query:
    return AwaitedRow.delete().where(AwaitedRow.user_id == user_id)


@statement
def _take(*, user_id: int, kind: str) -> Query:
    return AwaitedRow.delete().where(AwaitedRow.user_id == user_id, AwaitedRow.kind == kind)


@statement(row=str)
def _ref(*, user_id: int, kind: str, since: int) -> Query:
    return AwaitedRow.select(AwaitedRow.ref).where(
        AwaitedRow.user_id == user_id, AwaitedRow.kind == kind, AwaitedRow.at >= since
    )


class Awaited:
    """The answers awaited, one a person. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def ask(self, user_id: int, kind: str, ref: str, now: int) -> None:
        """Waits from now on to be told something of that `kind`, for `ref`, and nothing else."""
        _forget.run(self.db, user_id=user_id)
        _ask.run(self.db, user_id=user_id, kind=kind, ref=ref, at=now)

    def forget(self, user_id: int) -> None:
        """Waits for nothing from somebody any more."""
        _forget.run(self.db, user_id=user_id)

    def take(self, user_id: int, kind: str) -> bool:
        """Waits for nothing of that kind any more; False if it did not."""
        return _take.run(self.db, user_id=user_id, kind=kind) == 1

    def ref(self, user_id: int, kind: str, since: int) -> str | None:
        """For what the bot waits to be told something of that kind, if it began after `since`."""
        return _ref.one(self.db, user_id=user_id, kind=kind, since=since)

    def expire(self, before: int) -> None:
        """Waits no longer for what it began to wait for before that time."""
        AwaitedRow.delete().where(AwaitedRow.at < before).execute(self.db)
