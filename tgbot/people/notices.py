"""What people are told without having asked: sent where they can be written to.

A notice is a row until it is told: by a private message that arrived, or by the next /points.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

from peewee import Database

from economy.statements import Query, statement
from games.game import Lines, Text, text
from tgbot.done import Say
from tgbot.models import NoticeRow, PersonRow
from tgbot.people.names import language_read, shown_name
from tgbot.words import When

MOST_TOGETHER = 20


@dataclass(frozen=True, slots=True)
class NameOf:
    """The name of somebody as it is when the notice is told; nobody's name lies in a row."""

    user_id: int


class Notices:
    """The notices table. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def add(self, user_id: int, body: Text, now: int) -> None:
        """Notes something to tell; its arguments are numbers, strings, texts, `NameOf` and days."""
        said = json.dumps(_plain(body), ensure_ascii=False)
        _add.run(self.db, user_id=user_id, body=said, at=now)

    def message(self, user_id: int) -> tuple[Say, ...]:
        """One message with all that somebody is to be told; none where they cannot be written to.

        Its `receipt` is what `told` wants once it has arrived.
        """
        bodies, receipt = self.waiting(user_id)
        language = _reads.one(self.db, user_id=user_id) if bodies else None
        if language is None:
            return ()
        return (Say(user_id, text("just", it=Lines(bodies)), language, receipt=receipt),)

    def messages(self) -> tuple[Say, ...]:
        """The messages to everybody, as after a start."""
        whose = NoticeRow.select(NoticeRow.user_id).distinct().order_by(NoticeRow.user_id)
        rows = whose.tuples().execute(self.db)
        return tuple(say for (user_id,) in rows for say in self.message(user_id))

    def waiting(self, user_id: int, most: int = MOST_TOGETHER) -> tuple[tuple[Text, ...], int]:
        """What somebody is to be told, oldest first, and the receipt for it."""
        rows = _waiting.all(self.db, user_id=user_id, most=most)
        bodies = tuple(self._read(json.loads(row[1])) for row in rows)
        return bodies, rows[-1][0] if rows else 0

    def told(self, user_id: int, receipt: int) -> None:
        """Deletes somebody's notices up to the id `receipt`: the message with them has arrived."""
        theirs = (NoticeRow.user_id == user_id, NoticeRow.id <= receipt)
        NoticeRow.delete().where(*theirs).execute(self.db)

    def forget(self, user_id: int) -> None:
        """Nothing is to be told to somebody any more."""
        NoticeRow.delete().where(NoticeRow.user_id == user_id).execute(self.db)

    def _read(self, it: Any) -> Any:
        match it:
            case {"person": user_id}:
                return shown_name(self.db, user_id)
            case {"day": day, "skeleton": skeleton}:
                return When(date.fromisoformat(day), skeleton)
            case {"key": key, "args": args}:
                return Text(key, {name: self._read(value) for name, value in args.items()})
        return it


def _plain(it: Any) -> Any:
    match it:
        case NameOf(user_id):
            return {"person": user_id}
        case When(day, skeleton):
            return {"day": day.isoformat(), "skeleton": skeleton}
        case Text(key, args):
            return {"key": key, "args": {name: _plain(value) for name, value in args.items()}}
    return it


# -- statements ---------------------------------------------------------------------------------


@statement
def _add(*, user_id: int, body: str, at: int) -> Query:
    return NoticeRow.insert(user_id=user_id, body=body, at=at)


@statement
def _waiting(*, user_id: int, most: int) -> Query:
    theirs = NoticeRow.select(NoticeRow.id, NoticeRow.body).where(NoticeRow.user_id == user_id)
    return theirs.order_by(NoticeRow.id).limit(most)


@statement(row=str)
def _reads(*, user_id: int) -> Query:
    """The language of somebody who can be written to."""
    return PersonRow.select(language_read()).where(
        PersonRow.user_id == user_id, PersonRow.reachable == 1
    )
