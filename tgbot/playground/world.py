"""Everything the playground knows, and the few ways in which it changes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from typing import Any

from tgbot.playground import page
from tgbot.playground.faults import Faults
from tgbot.playground.limits import Flood, Limits
from tgbot.playground.model import (
    Call,
    Chat,
    Document,
    InlineQuery,
    Json,
    Message,
    Person,
    Photo,
    Query,
    Toast,
    Upload,
    Webhook,
)
from tgbot.playground.updates import UpdateQueue

FIRST_PERSON_ID = 2_000_001
FIRST_GROUP_ID = -4_000_001
# Supergroups and channels are -100 followed by ten digits.
FIRST_SUPERGROUP_ID = -1_002_000_000_001
FIRST_QUERY_ID = 4_300_000_000_000_000_001
_KEPT_QUERIES = 100_000
_KEPT_PHOTOS = 1_000
_KEPT_TOASTS = 10_000

Subscriber = Callable[[Json], None]

GROUP_ANONYMOUS_BOT = Person(1087968824, "Group", username="GroupAnonymousBot", is_bot=True)
CHANNEL_BOT = Person(136817688, "Channel", username="Channel_Bot", is_bot=True)


class World:
    """People, chats, messages, presses, the bot's profile, and the queue of its updates.

    `privacy` is the bot's privacy mode (on by default, as at Telegram): see `hears`.
    """

    def __init__(
        self, now: Callable[[], float], token: str, bot: Person, limits: Limits | None
    ) -> None:
        self.now = now
        self.token = token
        self.bot = bot
        self.privacy = True
        self.faults = Faults()
        self.flood = Flood(limits or Limits())
        self.log: deque[Call] = deque(maxlen=100_000)
        self.queue = UpdateQueue(lambda: self.faults)
        self.people: dict[int, Person] = {}
        self.chats: dict[int, Chat] = {}
        self.photos: dict[str, Photo] = {}
        self.documents: dict[str, Document] = {}
        self.queries: dict[str, Query] = {}
        self.inline: dict[str, InlineQuery] = {}
        self.shown: dict[int, deque[Toast]] = {}
        self.webhook: Webhook | None = None
        self.workers: tuple[str, ...] = ()
        """What a load balancer at the webhook's address passes the calls on to, such as
        `http://127.0.0.1:8443`; empty where there is none."""
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.profile: dict[tuple[str, str], str] = {}
        self.options: Callable[[Json], Json] | None = None
        """Changes how the bot is run and answers how that is, where whoever serves runs it too."""
        self._subscribers: list[Subscriber] = []
        self._groups = 0
        self._queries = 0
        self._photos = 0

    # ---- making things

    def add_person(self, person: Person) -> None:
        """Adds a person and their private chat."""
        self.people[person.id] = person
        chat = Chat(person.id, "private", person=person, members={person.id: "member"})
        self.chats[person.id] = chat
        self.emit_people()
        self.emit_chat(chat)

    def new_group(self, title: str, *, supergroup: bool, forum: bool) -> Chat:
        """A new chat without members, not yet told to anybody."""
        first = FIRST_SUPERGROUP_ID if supergroup else FIRST_GROUP_ID
        chat = Chat(
            first - self._groups,
            "supergroup" if supergroup else "group",
            title,
            is_forum=forum,
            bot_status="left",
        )
        self._groups += 1
        self.chats[chat.id] = chat
        return chat

    def new_query(self, person: Person) -> Query:
        """A press that waits for its answer; only the newest are remembered."""
        query = Query(str(FIRST_QUERY_ID + self._queries), person, self.now())
        self._queries += 1
        self.queries[query.id] = query
        if len(self.queries) > _KEPT_QUERIES:
            del self.queries[next(iter(self.queries))]
        return query

    def new_inline(self, person: Person, words: str) -> InlineQuery:
        """Words typed behind the bot's name; only the newest are remembered."""
        query = InlineQuery(str(FIRST_QUERY_ID + self._queries), person, words, self.now())
        self._queries += 1
        self.inline[query.id] = query
        if len(self.inline) > _KEPT_PHOTOS:
            del self.inline[next(iter(self.inline))]
        return query

    def show(self, query: Query, toast: Toast) -> None:
        """A press is answered; people see answers that have a text or open something."""
        query.toast = toast
        person_id = query.person.id
        if toast.text or toast.url:
            self.shown.setdefault(person_id, deque(maxlen=_KEPT_TOASTS)).append(toast)
        event = {"type": "toast", "person_id": person_id, "query_id": query.id}
        self.emit(event | {"text": toast.text, "alert": toast.alert, "url": toast.url})

    def new_photo(self, data: bytes, mime: str, size: tuple[int, int]) -> Photo:
        """Keeps an uploaded picture; only the newest are remembered."""
        self._photos += 1
        photo = Photo(f"photo{self._photos}", data, mime, *size)
        self.photos[photo.id] = photo
        if len(self.photos) > _KEPT_PHOTOS:
            del self.photos[next(iter(self.photos))]
        return photo

    def new_document(self, upload: Upload) -> Document:
        """Keeps an uploaded file; only the newest are remembered."""
        self._photos += 1
        document = Document(f"file{self._photos}", upload.data, upload.mime, upload.filename)
        self.documents[document.id] = document
        if len(self.documents) > _KEPT_PHOTOS:
            del self.documents[next(iter(self.documents))]
        return document

    def post(self, chat: Chat, sender: Person | None, **fields: Any) -> Message:
        """Puts a new message (fields of Message) into the chat where people see it."""
        chat.last_message_id += 1
        date = fields.pop("date", None)
        message = Message(
            chat.last_message_id, chat, sender, int(self.now() if date is None else date), **fields
        )
        chat.messages[message.id] = message
        if message.service is None and sender is not None:
            chat.last_writer = sender.id
        self.emit_message("message", message)
        return message

    def remove(self, message: Message) -> None:
        """Nobody sees the message any more."""
        message.deleted = True
        if message.id in message.chat.pinned:
            message.chat.pinned.remove(message.id)
        self.emit({"type": "deleted", "chat_id": message.chat.id, "message_id": message.id})

    # ---- telling the bot

    def announce(self, chat: Chat, sender: Person, service: str, **payload: Any) -> Message:
        """A service message with these Bot API fields, seen by people and bot."""
        message = self.post(chat, sender, service=service, payload=payload)
        if chat.bot_status not in ("left", "kicked"):
            self.queue.push("message", message.json())
        return message

    def bot_becomes(
        self, chat: Chat, status: str, by: Person, lacks: frozenset[str] = frozenset()
    ) -> None:
        """The bot's membership in a chat changes: a my_chat_member update."""
        old, chat.bot_status = chat.bot_status, status
        body = {
            "chat": chat.json(),
            "from": by.user(),
            "date": int(self.now()),
            "old_chat_member": member_json(self.bot, old, chat.bot_lacks),
            "new_chat_member": member_json(self.bot, status, lacks),
        }
        chat.bot_lacks = lacks
        self.queue.push("my_chat_member", body)
        self.emit_chat(chat)

    # ---- telling the people's screens

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with every event dict from now on; returns what ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def emit(self, event: Json) -> None:
        """Sends one event to all subscribers."""
        for callback in tuple(self._subscribers):
            callback(event)

    def emit_message(self, kind: str, message: Message) -> None:
        """`message` or `edited`, with the message as the page shows it."""
        if self._subscribers:
            shown = page.message_json(message)
            self.emit({"type": kind, "chat_id": message.chat.id, "message": shown})

    def emit_inline(self, query: InlineQuery) -> None:
        """What the bot offers to somebody who typed its name."""
        shown = ("id", "title", "description")
        results = [{name: each[name] for name in shown} for each in (query.results or {}).values()]
        event = {"type": "inline", "person_id": query.person.id, "query_id": query.id}
        self.emit(event | {"results": results})

    def emit_people(self) -> None:
        """All people, after one of them changed."""
        if self._subscribers:
            people = [page.person_json(person) for person in self.people.values()]
            self.emit({"type": "people", "people": people})

    def emit_faults(self) -> None:
        """The switches, after they were set or one has struck."""
        if self._subscribers:
            self.emit({"type": "faults", "faults": self.faults.as_json()})

    def menus(self) -> list[Json]:
        """The bot's commands for every scope and language; the page chooses as Telegram does."""
        return [
            {"scope": json.loads(scope)["type"], "language": language, "commands": commands}
            for (scope, language), commands in self.commands.items()
        ]

    def emit_menus(self) -> None:
        """The menus, after the bot changed one."""
        if self._subscribers:
            self.emit({"type": "menus", "menus": self.menus()})

    def emit_chat(self, chat: Chat) -> None:
        """A chat without its messages, after it changed."""
        if self._subscribers:
            self.emit({"type": "chat", "chat": page.chat_json(chat)})


_ADMIN_RIGHTS = dict.fromkeys(
    (
        "can_manage_chat",
        "can_delete_messages",
        "can_manage_video_chats",
        "can_restrict_members",
        "can_promote_members",
        "can_change_info",
        "can_invite_users",
        "can_post_stories",
        "can_edit_stories",
        "can_delete_stories",
        "can_pin_messages",
        "can_manage_topics",
    ),
    True,
)


_PERMISSIONS = (
    "can_change_info", "can_invite_users", "can_pin_messages", "can_manage_topics",
    "can_send_messages", "can_send_audios", "can_send_documents", "can_send_photos",
    "can_send_videos", "can_send_video_notes", "can_send_voice_notes", "can_send_polls",
    "can_send_other_messages", "can_add_web_page_previews", "can_edit_tag",
    "can_react_to_messages",
)  # fmt: skip


def member_json(
    person: Person, status: str, lacks: frozenset[str] = frozenset(), *, is_member: bool = True
) -> Json:
    """The Bot API's ChatMember of that status; an administrator has all rights but some. Who is
    `restricted` may only write, and need not be there."""
    body: Json = {"user": person.user(), "status": status}
    if status == "creator":
        body["is_anonymous"] = False
    elif status == "administrator":
        body |= (
            _ADMIN_RIGHTS
            | dict.fromkeys(lacks, False)
            | {"is_anonymous": False, "can_be_edited": False}
        )
    elif status == "restricted":
        body |= dict.fromkeys(_PERMISSIONS, False) | {"can_send_messages": True}
        body |= {"is_member": is_member, "until_date": 0}
    elif status == "kicked":
        body["until_date"] = 0
    return body
