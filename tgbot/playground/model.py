"""People, chats and messages, and the JSON that the Bot API makes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Json = dict[str, Any]
Row = list[Json]


@dataclass(slots=True, eq=False)
class Person:
    """A user, or the bot itself. `blocked`: has blocked the bot; `started`: wrote to it once."""

    id: int
    first_name: str
    last_name: str | None = None
    username: str | None = None
    language_code: str = "en"
    is_bot: bool = False
    blocked: bool = False
    started: bool = False

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}" if self.last_name else self.first_name

    def user(self) -> Json:
        """The Bot API's User."""
        body: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        if self.last_name:
            body["last_name"] = self.last_name
        if self.username:
            body["username"] = self.username
        if not self.is_bot and self.language_code:
            body["language_code"] = self.language_code
        return body


@dataclass(slots=True, eq=False)
class Chat:
    """A group, a supergroup (maybe a forum) or one person's private chat with the bot.

    `members` maps people's ids to their status; `topics` maps the ids of open topics to names;
    `last_writer` is the id of who wrote the newest message that is no service message. `bot_lacks`
    are the rights that the bot does not have as an administrator; `pinned` are ids of messages,
    `restricted` of people who may not do everything there, also once they have left.
    """

    id: int
    type: str
    title: str = ""
    person: Person | None = None
    is_forum: bool = False
    members: dict[int, str] = field(default_factory=dict)
    bot_status: str = "member"
    bot_lacks: frozenset[str] = frozenset()
    topics: dict[int, str] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    last_message_id: int = 0
    last_writer: int = 0
    migrated_to: int | None = None
    pinned: list[int] = field(default_factory=list)
    restricted: set[int] = field(default_factory=set)

    @property
    def is_group(self) -> bool:
        """True for groups and supergroups."""
        return self.type in ("group", "supergroup")

    def json(self) -> Json:
        """The Bot API's Chat."""
        body: Json = {"id": self.id, "type": self.type}
        if self.person is None:
            body["title"] = self.title
        else:
            body |= {
                key: value
                for key, value in self.person.user().items()
                if key in ("first_name", "last_name", "username")
            }
        if self.is_forum:
            body["is_forum"] = True
        return body


@dataclass(slots=True, eq=False)
class Photo:
    """An uploaded picture, kept in memory. `id` is the file id."""

    id: str
    data: bytes
    mime: str
    width: int
    height: int

    def json(self) -> list[Json]:
        """The Bot API's list of PhotoSize, with the one size there is."""
        return [
            {
                "file_id": self.id,
                "file_unique_id": f"u{self.id}",
                "width": self.width,
                "height": self.height,
                "file_size": len(self.data),
            }
        ]


@dataclass(slots=True, eq=False)
class Document:
    """An uploaded file of any kind, kept in memory. `id` is the file id."""

    id: str
    data: bytes
    mime: str
    name: str

    def json(self) -> Json:
        """The Bot API's Document."""
        return {
            "file_id": self.id,
            "file_unique_id": f"u{self.id}",
            "file_name": self.name,
            "mime_type": self.mime,
            "file_size": len(self.data),
        }


class Upload(NamedTuple):
    """A file that came with a call."""

    filename: str
    data: bytes
    mime: str


@dataclass(slots=True, eq=False)
class Message:
    """One message as people see it.

    `text` is plain (the caption of a photo or document), `html` what was sent, `entities` have
    UTF-16 offsets, `buttons` are rows of dicts, `date` and `edit_date` seconds since 1970. A
    service message has its words in `service` and its Bot API fields in `payload`.
    """

    id: int
    chat: Chat
    sender: Person | None
    date: int
    text: str = ""
    html: str = ""
    entities: list[Json] = field(default_factory=list)
    buttons: list[Row] = field(default_factory=list)
    edit_date: int | None = None
    topic: int | None = None
    photo: Photo | None = None
    document: Document | None = None
    reply_to: Message | None = None
    sender_chat: Json | None = None
    via_bot: Person | None = None
    forwarded: Json | None = None
    service: str | None = None
    payload: Json = field(default_factory=dict)
    deleted: bool = False

    @property
    def edited(self) -> bool:
        """True once it was edited."""
        return self.edit_date is not None

    def json(self, *, with_reply: bool = True) -> Json:
        """The Bot API's Message; what it replies to is included one level deep."""
        body: Json = {"message_id": self.id, "date": self.date, "chat": self.chat.json()}
        if self.sender is not None:
            body["from"] = self.sender.user()
        if self.sender_chat is not None:
            body["sender_chat"] = self.sender_chat
        if self.topic is not None:
            body["message_thread_id"] = self.topic
            body["is_topic_message"] = True
        if self.via_bot is not None:
            body["via_bot"] = self.via_bot.user()
        if self.forwarded is not None:
            body["forward_origin"] = self.forwarded
        if self.reply_to is not None and with_reply:
            body["reply_to_message"] = self.reply_to.json(with_reply=False)
        if self.edit_date is not None:
            body["edit_date"] = self.edit_date
        self._content(body)
        if self.buttons:
            body["reply_markup"] = {"inline_keyboard": self.buttons}
        return body

    def _content(self, body: Json) -> None:
        if self.service is not None:
            body |= self.payload
            return
        words = "caption" if self.photo or self.document else "text"
        if self.photo is not None:
            body["photo"] = self.photo.json()
        if self.document is not None:
            body["document"] = self.document.json()
        if self.text:
            body[words] = self.text
        if self.entities:
            body["entities" if words == "text" else "caption_entities"] = self.entities


class Toast(NamedTuple):
    """The answer to a press: text (may be empty), whether it is an alert, url, and when."""

    text: str
    alert: bool
    url: str | None
    at: float


@dataclass(slots=True, eq=False)
class Query:
    """A press that waits for its answer."""

    id: str
    person: Person
    at: float
    toast: Toast | None = None


@dataclass(slots=True, eq=False)
class InlineQuery:
    """What somebody typed behind the bot's name, and what it offered by id (None: nothing yet)."""

    id: str
    person: Person
    words: str
    at: float
    results: dict[str, Json] | None = None


class Call(NamedTuple):
    """One Bot API call as logged: when it came, its status (0: lost in a timeout), why refused."""

    at: float
    method: str
    params: Json
    status: int
    reason: str = ""


@dataclass(slots=True, eq=False)
class Webhook:
    """Where updates go instead of getUpdates."""

    url: str
    secret_token: str
    max_connections: int
    last_error: str | None = None
    last_error_date: int = 0
