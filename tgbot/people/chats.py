"""Groups and their settings."""

from __future__ import annotations

import json
from typing import Any

from peewee import EXCLUDED, Case, Database, Expression

from economy.statements import Query, statement
from tgbot.models import ChatRow
from tgbot.people.chat_settings import COLUMNS, ChatSettings, setting


class Chats:
    """The chats table."""

    def __init__(self, db: Database, default_language: str) -> None:
        self.db = db
        self.default_language = default_language

    def meet(self, chat_id: int, title: str) -> None:
        """Knows the group from now on; one that was gone is back."""
        _meet.run(self.db, chat_id=chat_id, title=title)

    def welcome(self, chat_id: int, title: str, language: str) -> None:
        """Meets a group that added the bot; a new one starts in the language of who did."""
        self.meet(chat_id, title)
        self._update(chat_id, ChatRow.language == "", language=language)

    def settings(self, chat_id: int) -> ChatSettings:
        """The settings of a chat, the defaults for one never met."""
        chat_id = self.here(chat_id)
        row = _settings.one(self.db, chat_id=chat_id) or ("", "", 0, "anyone", "", 0, "", 0, -1, "")
        topics = tuple(int(topic) for topic in row[4].split(",") if topic)
        language = row[1] or self.default_language
        games = tuple(row[6].split(",")) if row[6] else ()
        may_pin = None if row[8] < 0 else bool(row[8])
        return ChatSettings(
            chat_id,
            row[0],
            language,
            row[2],
            row[3],
            topics,
            row[5],
            games,
            row[7],
            may_pin,
            json.loads(row[9] or "{}"),
        )

    def language(self, chat_id: int) -> str:
        """The language of a chat's boards."""
        return _language.one(self.db, chat_id=chat_id) or self.default_language

    def set(self, chat_id: int, name: str, value: str, topic: int, now: int) -> None:
        """Changes one setting. Raises `Refusal` for a value it cannot have."""
        chat_id = self.here(chat_id)
        before = self.settings(chat_id)
        stored = setting(name).stored(value, before, topic)
        if name == "stake" and stored == 0 and before.stake:
            self._update(chat_id, free_since=now)
        chosen = ChatRow.select(ChatRow.chosen).where(ChatRow.chat_id == chat_id)
        (names,) = chosen.tuples().first(self.db) or ("",)
        names = ",".join(sorted({*names.split(","), name} - {""}))
        more = {"more": json.dumps({**before.more, name: stored})}
        self._update(chat_id, **({name: stored} if name in COLUMNS else more), chosen=names)

    def gone(self, chat_id: int, now: int, *, free_until: int = 0) -> None:
        """Notes that the bot was removed, and until when the chat plays for points only."""
        later = Case(None, [(ChatRow.free_until > free_until, ChatRow.free_until)], free_until)
        self._update(chat_id, gone_at=now, free_until=later)

    def moved(self, old: int, new: int) -> bool:
        """Carries settings over to the new id; False where that has been done.

        What was set there already, before anybody told that the two are one chat, is newer.
        """
        row, newer = self._row(old), self._row(new) or {}
        if row is None or row["moved_to"]:
            return False
        chosen = set(filter(None, newer.get("chosen", "").split(",")))
        if "stake" in chosen:
            chosen.add("free_since")
        kept = {name: newer[name] for name in chosen if name in newer}
        kept["more"] = _joined(row["more"], newer.get("more", ""), chosen)
        latest = {
            name: max(row[name], newer.get(name, 0))
            for name in ("free_until", "last_game_at", "barred")
        }
        ChatRow.delete().where(ChatRow.chat_id == new).execute(self.db)
        ChatRow.insert({**row, **latest, **kept, "chat_id": new, "moved_to": 0}).execute(self.db)
        self._update(old, moved_to=new)
        return True

    def _row(self, chat_id: int) -> dict[str, Any] | None:
        found: dict[str, Any] | None = (
            ChatRow.select().where(ChatRow.chat_id == chat_id).dicts().first(self.db)
        )
        return found

    def here(self, chat_id: int) -> int:
        """The id a chat has now: the newer one if it became a supergroup."""
        return _moved_to.one(self.db, chat_id=chat_id) or chat_id

    def pinning(self, chat_id: int, *, may: bool) -> None:
        """Notes whether the bot may pin messages in a chat."""
        self._update(self.here(chat_id), ChatRow.pins != int(may), pins=int(may))

    def bar(self, chat_id: int, barred: bool) -> bool:
        """Keeps Robin Hood out of a chat, or lets him in; False for a chat never met."""
        which = ChatRow.update(barred=int(barred)).where(ChatRow.chat_id == chat_id)
        return bool(which.execute(self.db))

    def barred(self, chat_id: int) -> bool:
        """Whether Robin Hood is kept out of a chat, be it since a round was drawn for it."""
        return bool(_barred.one(self.db, chat_id=chat_id))

    def played(self, chat_id: int, now: int) -> None:
        """Notes when a game ended here last."""
        _played.run(self.db, chat_id=chat_id, at=now)

    def last_game_at(self, chat_id: int) -> int:
        """When a game ended here last; 0 if never."""
        return _last_game_at.one(self.db, chat_id=chat_id) or 0

    def _update(self, chat_id: int, *where: Expression, **columns: object) -> None:
        query = ChatRow.update(columns).where(ChatRow.chat_id == chat_id, *where)
        query.execute(self.db)


def _joined(older: str, newer: str, chosen: set[str]) -> str:
    """The settings without a column of a chat that had two ids: under the newer one `chosen`."""
    changed = {name: it for name, it in json.loads(newer or "{}").items() if name in chosen}
    both = {**json.loads(older or "{}"), **changed}
    return json.dumps(both) if both else ""


@statement
def _meet(*, chat_id: int, title: str) -> Query:
    return ChatRow.insert(chat_id=chat_id, title=title).on_conflict(
        conflict_target=[ChatRow.chat_id],
        update={ChatRow.title: EXCLUDED.title, ChatRow.gone_at: 0},
        where=(ChatRow.title != EXCLUDED.title) | (ChatRow.gone_at != 0),
    )


@statement
def _settings(*, chat_id: int) -> Query:
    return ChatRow.select(
        ChatRow.title,
        ChatRow.language,
        ChatRow.stake,
        ChatRow.openers,
        ChatRow.topics,
        ChatRow.free_until,
        ChatRow.games,
        ChatRow.pace,
        ChatRow.pins,
        ChatRow.more,
    ).where(ChatRow.chat_id == chat_id)


@statement(row=str)
def _language(*, chat_id: int) -> Query:
    return ChatRow.select(ChatRow.language).where(ChatRow.chat_id == chat_id)


@statement(row=int)
def _barred(*, chat_id: int) -> Query:
    return ChatRow.select(ChatRow.barred).where(ChatRow.chat_id == chat_id)


@statement(row=int)
def _moved_to(*, chat_id: int) -> Query:
    return ChatRow.select(ChatRow.moved_to).where(ChatRow.chat_id == chat_id)


@statement
def _played(*, chat_id: int, at: int) -> Query:
    return ChatRow.update(last_game_at=at).where(ChatRow.chat_id == chat_id)


@statement(row=int)
def _last_game_at(*, chat_id: int) -> Query:
    return ChatRow.select(ChatRow.last_game_at).where(ChatRow.chat_id == chat_id)
