"""What somebody asks of the bot by a message: who, where, and in which words."""

from __future__ import annotations

from dataclasses import dataclass

from telegram import Message, MessageOriginUser, Update, User
from telegram.constants import ChatType

from tgbot.people.people import Who


@dataclass(frozen=True, slots=True)
class Ask:
    """Something somebody did: a press (`query_id`) or a message.

    `who` is None for senders that are nobody: anonymous admins and channels. `words` is what
    follows a command. `sent_at` is in unix seconds by Telegram's clock (see `Front.sent_at`).
    """

    update_id: int
    who: Who | None
    chat_id: int
    private: bool
    topic: int = 0
    title: str = ""
    message_id: int = 0
    query_id: str = ""
    words: str = ""
    command: bool = False
    called: str = ""
    """The bot that a command names (`/play@bot`), in lower case."""
    sent_at: int = 0
    about: Who | None = None
    """Whom a reply is about; `mentioned` is who is named without having a username."""
    mentioned: Who | None = None
    forwarded: bool = False
    origin: Who | None = None
    """Who wrote what was `forwarded`, where Telegram says so and it was a person."""
    reply_to: int = 0
    """The message it replies to; `to_bot` says that this is one of the bot's."""
    to_bot: bool = False
    channel: bool = False
    """Whether it is a press in a channel, where nobody plays."""

    def key(self, what: str) -> str:
        """The idempotency key of what this brings about: an update's id may come again one day."""
        return f"{what}:{self.update_id}.{self.message_id}"

    @property
    def code(self) -> str:
        """The language of the asker's app."""
        return self.who.code if self.who else ""


def ask_of(update: Update) -> Ask | None:
    """Who asks what where; None for an update that is no message (a press: see `pressed`)."""
    said = update.message
    if not said:
        return None
    sender = said.from_user if not said.sender_chat else None
    replied = said.reply_to_message
    if replied and replied.forum_topic_created:
        replied = None  # in a topic everything replies to its beginning
    about = replied.from_user if replied and not replied.sender_chat else None
    mentioned = next((entity.user for entity in said.entities if entity.user), None)
    return Ask(
        update.update_id,
        who_of(sender) if sender and not sender.is_bot else None,
        said.chat_id,
        said.chat.type == ChatType.PRIVATE,
        topic=_topic(said),
        title=said.chat.title or "",
        message_id=said.message_id,
        words=_words(said),
        command=(said.text or "").startswith("/"),
        called=_command(said).partition("@")[2].lower(),
        sent_at=int(said.date.timestamp()),
        about=who_of(about) if about and not about.is_bot else None,
        mentioned=who_of(mentioned) if mentioned and not mentioned.is_bot else None,
        forwarded=said.forward_origin is not None,
        origin=_origin(said),
        reply_to=replied.message_id if replied else 0,
        to_bot=about is not None and about.id == said.get_bot().id,
    )


def who_of(user: User) -> Who:
    """A Telegram user as the bot knows people."""
    return Who(user.id, user.full_name, user.username or "", user.language_code or "")


def _origin(message: Message) -> Who | None:
    origin = message.forward_origin
    if not isinstance(origin, MessageOriginUser) or origin.sender_user.is_bot:
        return None
    return who_of(origin.sender_user)


def _topic(message: Message) -> int:
    return message.message_thread_id or 0 if message.is_topic_message else 0


def _command(message: Message) -> str:
    """The command a message begins with, as it is written; empty without one."""
    lengths = (e.length for e in message.entities if e.type == "bot_command" and e.offset == 0)
    return (message.text or "")[: next(lengths, 0)]


def _words(message: Message) -> str:
    """What follows the command, or the whole text where there is none."""
    return (message.text or "")[len(_command(message)) :].strip()
