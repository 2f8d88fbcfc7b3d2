"""Updates that were applied are noted, so that one delivered twice is applied once."""

from __future__ import annotations

from peewee import EXCLUDED, Database

from economy.statements import Query, statement
from tgbot.models import UpdateRow

UPDATES_KEPT_S = 3 * 24 * 3600
"""Telegram delivers an update again for a day, and gives an id anew after a week at least."""


@statement
def _note(*, update_id: int, at: int, lately: int) -> Query:
    return UpdateRow.insert(update_id=update_id, at=at).on_conflict(
        conflict_target=[UpdateRow.update_id],
        update={UpdateRow.at: EXCLUDED.at},
        where=UpdateRow.at < lately,
    )


def first_time(db: Database, update_id: int, now: int) -> bool:
    """Notes the update; False if it was applied before.

    What was noted long ago is another one: after a quiet week Telegram may begin with any id.
    """
    return _note.likely(db, 1, update_id=update_id, at=now, lately=now - UPDATES_KEPT_S) == 1


def forget_updates(db: Database, now: int) -> None:
    """Drops notes of updates older than Telegram would deliver again."""
    UpdateRow.delete().where(UpdateRow.at < now - UPDATES_KEPT_S).execute(db)
