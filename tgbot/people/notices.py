"""What people are told without having asked: sent where they can be written to.

A notice is a row until it is told: by a private message that arrived, or by the next /points.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from games.game import Lines, Text, text
from tgbot.done import Say
from tgbot.hall.rows import Store

MOST_TOGETHER = 20


@dataclass(frozen=True, slots=True)
class Whose:
    """The name of somebody as it is when the notice is told; nobody's name lies in a row."""

    user_id: int


class Notices:
    """The notices table. Every method runs inside the caller's transaction."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(self, user_id: int, body: Text, now: int) -> None:
        """Notes something to tell; its arguments are numbers, strings, texts and `Whose`."""
        self.store.sql(
            "INSERT INTO notices (user_id, body, at) VALUES (?, ?, ?)",
            (user_id, json.dumps(_plain(body), ensure_ascii=False), now),
        )

    def message(self, user_id: int) -> tuple[Say, ...]:
        """One message with all that somebody is to be told; none where they cannot be written to.

        Its `receipt` is what `told` wants once it has arrived.
        """
        row = self.store.sql(
            "SELECT CASE WHEN language <> '' THEN language ELSE spoken END FROM people "
            "WHERE user_id = ? AND reachable = 1",
            (user_id,),
        ).fetchone()
        bodies, receipt = self.waiting(user_id)
        if not row or not bodies:
            return ()
        return (Say(user_id, text("just", it=Lines(bodies)), row[0], receipt=receipt),)

    def messages(self) -> tuple[Say, ...]:
        """The messages to everybody, as after a start."""
        rows = self.store.sql("SELECT DISTINCT user_id FROM notices ORDER BY user_id").fetchall()
        return tuple(say for (user_id,) in rows for say in self.message(user_id))

    def waiting(self, user_id: int, most: int = MOST_TOGETHER) -> tuple[tuple[Text, ...], int]:
        """What somebody is to be told, oldest first, and the receipt for it."""
        rows = self.store.sql(
            "SELECT id, body FROM notices WHERE user_id = ? ORDER BY id LIMIT ?",
            (user_id, most),
        ).fetchall()
        bodies = tuple(self._read(json.loads(row[1])) for row in rows)
        return bodies, rows[-1][0] if rows else 0

    def told(self, user_id: int, receipt: int) -> None:
        """They know all up to `receipt`."""
        self.store.sql("DELETE FROM notices WHERE user_id = ? AND id <= ?", (user_id, receipt))

    def _read(self, it: Any) -> Any:
        match it:
            case {"person": user_id}:
                return self.store.name(user_id)
            case {"key": key, "args": args}:
                return Text(key, {name: self._read(value) for name, value in args.items()})
        return it


def _plain(it: Any) -> Any:
    match it:
        case Whose(user_id):
            return {"person": user_id}
        case Text(key, args):
            return {"key": key, "args": {name: _plain(value) for name, value in args.items()}}
    return it
