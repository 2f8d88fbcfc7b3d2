"""Groups and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.game import Refusal
from tgbot.hall.rows import Store
from tgbot.words import LANGUAGES

HIGHEST_STAKE = 101


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


class Chats:
    """The chats table."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def meet(self, chat_id: int, title: str) -> None:
        """Knows the group from now on; one that was gone is back."""
        self.store.sql(
            "INSERT INTO chats (chat_id, title, language, stake, openers, topics, gone_at, "
            "free_until, free_since, barred, moved_to, last_game_at) "
            "VALUES (?, ?, '', 0, 'anyone', '', 0, 0, 0, 0, 0, 0) "
            "ON CONFLICT (chat_id) DO UPDATE SET title = excluded.title, gone_at = 0 "
            "WHERE chats.title <> excluded.title OR chats.gone_at <> 0",
            (chat_id, title),
        )

    def welcome(self, chat_id: int, title: str, language: str) -> None:
        """Meets a group that added the bot; a new one starts in the language of who did."""
        self.meet(chat_id, title)
        self.store.sql(
            "UPDATE chats SET language = ? WHERE chat_id = ? AND language = ''",
            (language, chat_id),
        )

    def settings(self, chat_id: int) -> ChatSettings:
        """The settings of a chat, the defaults for one never met."""
        row = self.store.sql(
            "SELECT title, language, stake, openers, topics, free_until FROM chats "
            "WHERE chat_id = ?",
            (chat_id,),
        ).fetchone() or ("", "", 0, "anyone", "", 0)
        topics = tuple(int(topic) for topic in row[4].split(",") if topic)
        language = row[1] or self.store.language
        return ChatSettings(chat_id, row[0], language, row[2], row[3], topics, row[5])

    def set(self, chat_id: int, name: str, value: str, topic: int, now: int) -> None:
        """Changes one setting. Raises `Refusal` for a value it cannot have."""
        before = self.settings(chat_id)
        column, stored = _setting(name, value, topic, before)
        if column == "stake" and stored == 0 and before.stake:
            self.store.sql("UPDATE chats SET free_since = ? WHERE chat_id = ?", (now, chat_id))
        self.store.sql(f"UPDATE chats SET {column} = ? WHERE chat_id = ?", (stored, chat_id))

    def gone(self, chat_id: int, now: int, *, free_until: int = 0) -> None:
        """Notes that the bot was removed, and until when the chat plays for points only."""
        self.store.sql(
            "UPDATE chats SET gone_at = ?, "
            "free_until = CASE WHEN free_until > ? THEN free_until ELSE ? END WHERE chat_id = ?",
            (now, free_until, free_until, chat_id),
        )

    def moved(self, old: int, new: int) -> bool:
        """Carries settings over to the new id; False where that has been done."""
        row: Any = self.store.sql("SELECT moved_to FROM chats WHERE chat_id = ?", (old,)).fetchone()
        if row is None or row[0]:
            return False
        self.store.sql("DELETE FROM chats WHERE chat_id = ?", (new,))
        columns = (
            "title, language, stake, openers, topics, gone_at, free_until, free_since, barred, "
            "last_game_at"
        )
        self.store.sql(
            f"INSERT INTO chats (chat_id, moved_to, {columns}) SELECT ?, 0, {columns} "
            "FROM chats WHERE chat_id = ?",
            (new, old),
        )
        self.store.sql("UPDATE chats SET moved_to = ? WHERE chat_id = ?", (new, old))
        self.store.sql(
            "UPDATE due SET ref = ? WHERE kind = 'jackpot' AND ref = ? "
            "AND NOT EXISTS (SELECT 1 FROM due WHERE kind = 'jackpot' AND ref = ?)",
            (str(new), str(old), str(new)),
        )
        return True

    def here(self, chat_id: int) -> int:
        """The id a chat has now: the newer one if it became a supergroup."""
        row = self.store.sql("SELECT moved_to FROM chats WHERE chat_id = ?", (chat_id,)).fetchone()
        return row[0] if row and row[0] else chat_id

    def played(self, chat_id: int, now: int) -> None:
        """Notes when a game ended here last."""
        self.store.sql("UPDATE chats SET last_game_at = ? WHERE chat_id = ?", (now, chat_id))

    def last_game_at(self, chat_id: int) -> int:
        """When a game ended here last; 0 if never."""
        row = self.store.sql(
            "SELECT last_game_at FROM chats WHERE chat_id = ?", (chat_id,)
        ).fetchone()
        return row[0] if row else 0


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
    raise Refusal("settings.unknown", most=HIGHEST_STAKE)
