"""Groups and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from peewee import EXCLUDED, Case, Database, Expression

from economy.statements import Query, statement
from games import registry
from games.game import Refusal
from tgbot.models import ChatRow
from tgbot.words import LANGUAGES

HIGHEST_STAKE = 101
PACES = (75, 100, 150, 200)
"""Percent of the time a game gives to play."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What the admins of a group decide; `topics` empty means anywhere."""

    chat_id: int
    title: str
    language: str
    stake: int
    openers: str
    topics: tuple[int, ...]
    free_until: int
    games: tuple[str, ...] = ()
    pace: int = 0
    may_pin: bool | None = None
    """Whether the bot may pin messages; None where nobody has told."""

    def allows(self, kind: str) -> bool:
        """Whether a kind of game may be opened here."""
        return not self.games or kind in self.games


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
        row = _settings.one(self.db, chat_id=chat_id) or ("", "", 0, "anyone", "", 0, "", 0, -1)
        topics = tuple(int(topic) for topic in row[4].split(",") if topic)
        language = row[1] or self.default_language
        games = tuple(row[6].split(",")) if row[6] else ()
        may_pin = None if row[8] < 0 else bool(row[8])
        return ChatSettings(
            chat_id, row[0], language, row[2], row[3], topics, row[5], games, row[7], may_pin
        )

    def language(self, chat_id: int) -> str:
        """The language of a chat's boards."""
        return _language.one(self.db, chat_id=chat_id) or self.default_language

    def set(self, chat_id: int, name: str, value: str, topic: int, now: int) -> None:
        """Changes one setting. Raises `Refusal` for a value it cannot have."""
        chat_id = self.here(chat_id)
        before = self.settings(chat_id)
        column, stored = _setting(name, value, topic, before)
        if column == "stake" and stored == 0 and before.stake:
            self._update(chat_id, free_since=now)
        chosen = ChatRow.select(ChatRow.chosen).where(ChatRow.chat_id == chat_id)
        (names,) = chosen.tuples().first(self.db) or ("",)
        names = ",".join(sorted({*names.split(","), column} - {""}))
        self._update(chat_id, **{column: stored, "chosen": names})

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
        kept = {name: newer[name] for name in chosen}
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


def _setting(name: str, value: str, topic: int, now: ChatSettings) -> tuple[str, object]:
    if name == "stake":
        if not (value.isascii() and value.isdigit() and len(value) <= 3):
            raise Refusal("settings.bad_stake", most=HIGHEST_STAKE)
        if int(value) > HIGHEST_STAKE:
            raise Refusal("settings.bad_stake", most=HIGHEST_STAKE)
        return "stake", int(value)
    if name == "language" and value in LANGUAGES:
        return "language", value
    if name == "openers" and value in ("anyone", "admins"):
        return "openers", value
    if name == "topics" and value == "all":
        return "topics", ""
    if name == "topics" and value == "here":
        return "topics", ",".join(map(str, sorted({*now.topics, topic})))
    if name == "topics" and value == "not_here":
        return "topics", ",".join(str(t) for t in now.topics if t != topic)
    if name == "games" and value in registry():
        return "games", ",".join(_toggled(value, now))
    if name == "pace" and value in map(str, PACES):
        return "pace", int(value)
    raise Refusal("settings.unknown", most=HIGHEST_STAKE)


def _toggled(kind: str, now: ChatSettings) -> list[str]:
    """The games allowed once one more or less is; none listed where all are.

    Raises `Refusal` where none would be left.
    """
    allowed = [other for other in registry() if now.allows(other) != (other == kind)]
    if not allowed:
        raise Refusal("settings.one_game")
    return [] if len(allowed) == len(registry()) else allowed
