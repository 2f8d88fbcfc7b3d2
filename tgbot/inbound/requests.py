"""Between Telegram's updates and the use cases: who asks, where, and how they are answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import structlog
from peewee import PeeweeException
from telegram import (
    Bot,
    ChatMember,
    ChatMemberRestricted,
    Message,
    MessageOriginUser,
    Update,
    User,
)
from telegram.constants import ChatMemberStatus, ChatType
from telegram.error import ChatMigrated, TelegramError

from economy.database import passing, undoable
from games.game import Lines, Refusal, Text, text
from tgbot.config import Settings
from tgbot.done import NOTHING, Done, Row, Say
from tgbot.hall.analyses import Analyses
from tgbot.hall.best_lists import Lists
from tgbot.hall.clerk import AnyClerk
from tgbot.hall.hall import Hall
from tgbot.hall.once import first_time
from tgbot.hall.refusals import AdminsOnly, Poor
from tgbot.hall.store import Store
from tgbot.hall.upkeep import Upkeep
from tgbot.inbound import menus
from tgbot.inbound.dates import Dates
from tgbot.inbound.delivery import Delivery, current
from tgbot.inbound.doubts import Doubts
from tgbot.inbound.limits import Limits
from tgbot.inbound.toasts import Toasts
from tgbot.log import Rarely
from tgbot.operator.panel import Panel
from tgbot.outbound.painter import Painter
from tgbot.people.chats import Chats
from tgbot.people.people import People, Person, Who
from tgbot.words import Words, clean_name, spoken

ADMIN_CHECK_S = 3
GATHER_S = 12
"""How long answers are gathered that have no room of their own in a group."""
MOST_GATHERED = 20
ATTEMPTS = 15
"""So often, `PAUSE_S` apart, a database that is away is asked for what somebody wants to read."""
PAUSE_S = 2.0

log = structlog.get_logger(__name__)


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


Act = Callable[[Person, int], Done]
AdminAct = Callable[[Person, int, bool | None], Done]


@dataclass(kw_only=True)
class Front:
    """The parts a handler works with."""

    bot: Bot
    settings: Settings
    clerk: AnyClerk
    people: People
    hall: Hall
    upkeep: Upkeep
    lists: Lists
    panel: Panel
    painter: Painter
    words: Words
    now: Callable[[], float] = time.time
    catching_up: Callable[[], bool] = lambda: False
    """Whether what waited at Telegram is still coming in, all of it at once."""
    verify_page: str = ""
    """The address of the page on which people check proofs; empty where there is none."""
    dates: Dates = field(default_factory=lambda: Dates(time.time))
    errors: int = 0
    """Updates that failed since the start."""
    analyses: Analyses = field(default_factory=Analyses)
    limits: Limits = field(init=False)
    waiting: Rarely = field(default_factory=Rarely)
    """Says now and then that updates wait for a database."""
    _gathered: dict[tuple[int, int], list[Text]] = field(default_factory=dict)
    """Answers that wait for one message, by chat and topic."""
    toasts: Toasts = field(init=False)
    doubts: Doubts = field(init=False)

    def __post_init__(self) -> None:
        self.limits = Limits(self.settings)
        self.toasts = Toasts(self.bot, self.words, self.painter)
        self.doubts = Doubts(self.painter, self.now)

    @property
    def store(self) -> Store:
        """The rows of the games."""
        return self.hall.store

    @property
    def chats(self) -> Chats:
        """The chats and their settings."""
        return self.hall.chats

    @property
    def username(self) -> str:
        """The bot's @name, without the @."""
        return self.bot.username

    def admits(self, ask: Ask) -> bool:
        """Whether somebody may do one more thing now, before it costs any work (SURVIVE 26).

        Who presses too fast is told so, now and then; a command is not answered.
        """
        self.dates.look()
        who, now = ask.who.user_id if ask.who else ask.chat_id, self.now()
        delivery = current.get()
        again = self.catching_up() or (delivery is not None and delivery.repeated)
        if again or self.limits.presses.take(who, now):
            return True
        if ask.query_id and self.limits.told.take(who, now):
            self.refuse(ask, Refusal("refused.too_fast"), spoken(ask.code))
        return False

    def sent_at(self, ask: Ask) -> int:
        """When a message was sent, in unix seconds by this machine's clock."""
        return self.dates.here(ask.sent_at)

    def opened(self, ask: Ask, person: Person, now: int) -> None:
        """Counts a game opened. Raises `Refusal` for one too many, which is undone by that."""
        if not self.limits.lobbies.take(person.user_id, now, ask.update_id):
            raise Refusal("refused.many_games", n=self.settings.lobbies_an_hour)

    async def do(self, ask: Ask, act: Act) -> None:
        """Runs a use case for somebody and shows what came of it."""
        await self.do_admin(ask, lambda person, now, admin: act(person, now))

    async def do_admin(self, ask: Ask, act: AdminAct) -> None:
        """As `do`, for a use case that may need to know whether the person is an admin."""
        if ask.who is None:
            await self.nobody(ask)
            return
        try:
            done, language = await self._run(ask, ask.who, act, None)
        except AdminsOnly:
            admin = await self.is_admin(ask)
            act = act if admin is not None else _untold
            done, language = await self._run(ask, ask.who, act, admin)
        if isinstance(done, Refusal):
            self.refuse(ask, done, language)
        else:
            self.deliver(ask, done, language)

    async def _run(
        self, ask: Ask, who: Who, act: AdminAct, admin: bool | None
    ) -> tuple[Done | Refusal, str]:
        now = int(self.now())

        def use_case() -> tuple[Done | Refusal, str]:
            language = spoken(who.code)
            if not first_time(self.store.db, ask.update_id, now):
                return NOTHING, language
            try:
                with undoable(self.store.db):
                    person = self.people.meet(who, now, private=ask.private)
                    language = self._read(ask, person.language)
                    return self._open(ask, act(person, now, admin)), language
            except Refusal as refusal:
                # Nothing but the note stays: delivered again, it must not be granted.
                self.hall.tables.undone()
                return refusal, language

        return await self.clerk.run(use_case, ask.chat_id)

    def _read(self, ask: Ask, own: str) -> str:
        """The language of an answer: of what a whole group reads the group's, else one's own."""
        alone = ask.private or ask.query_id
        return own if alone else self.chats.language(ask.chat_id)

    def _open(self, ask: Ask, done: Done) -> Done:
        """What is said where it was asked: in its thread, in a group in the group's language."""
        if not done.say:
            return done
        here = "" if ask.private else self.chats.language(ask.chat_id)

        def said(say: Say) -> Say:
            if say.chat_id != ask.chat_id:
                return say
            return replace(say, topic=say.topic or ask.topic, language=here or say.language)

        return replace(done, say=tuple(map(said, done.say)))

    def deliver(self, ask: Ask, done: Done, language: str) -> None:
        """Shows what came of a use case: toasts to presses, sentences to typed commands."""
        language = done.language or language
        answers = bool(done.toast or done.start or not done.later)
        if ask.query_id and answers:
            self.toasts.answer(
                ask.query_id, done.toast, language, alert=done.alert, start=done.start
            )
        elif done.toast and not (done.games or done.soon or done.say):
            self.reply(ask, done.toast, language)
        self._show(ask, done)
        if done.later:
            self.painter.spawn(self._finish(ask, done.later, language, answered=answers))

    async def _finish(
        self, ask: Ask, work: Callable[[], Done], language: str, *, answered: bool
    ) -> None:
        """Does what takes its time and shows what came of it; a press may still wait for that."""
        try:
            done = await _worked(work)
        except Exception as error:
            await self.failed(ask, error)
            return
        if ask.query_id and not answered:
            self.toasts.answer(ask.query_id, done.toast, language, alert=done.alert)
        self._show(ask, done)

    def _show(self, ask: Ask, done: Done) -> None:
        """Shows boards and messages; what the chat has no room for is gathered."""
        said = []
        for say in done.say:
            if say.chat_id != ask.chat_id or self._answers(ask, say.edit):
                said.append(say)
            else:
                self._gather(ask, say.text, say.language)
        self.painter.show(replace(done, say=tuple(said), later=None))

    def refuse(self, ask: Ask, refusal: Refusal, language: str) -> None:
        """Tells why something is not possible."""
        if ask.query_id:
            self.toasts.answer(ask.query_id, refusal.text, language, alert=refusal.alert)
            if isinstance(refusal, Poor) and not ask.private:
                self._show_way(ask, refusal)
        elif isinstance(refusal, Poor):
            said = refusal.text if ask.private else refusal.open
            keys = menus.alone() if ask.private else menus.free(refusal.kind)
            self.reply(ask, said, language, keys)
        else:
            self.reply(ask, refusal.text, language)

    def _show_way(self, ask: Ask, poor: Poor) -> None:
        """Shows a chat now and then how to play without Knuddels; not who lacks them."""
        if self.limits.ways.take(ask.chat_id, self.now()):
            self.painter.spawn(self._tell_way(ask, poor))

    async def _tell_way(self, ask: Ask, poor: Poor) -> None:
        language = await self.clerk.run(lambda: self.chats.language(ask.chat_id))
        keys = menus.free(poor.kind)
        self.painter.say(Say(ask.chat_id, text("broke.way"), language, keys, topic=ask.topic))

    def reply(self, ask: Ask, body: Text, language: str, keys: tuple[Row, ...] = ()) -> None:
        """Answers a message, in a group as a reply to it."""
        if not self._answers(ask):
            self._gather(ask, body, language)
            return
        reply_to = 0 if ask.private else ask.message_id
        say = Say(ask.chat_id, body, language, keys, topic=ask.topic, reply_to=reply_to)
        self.painter.say(say)

    def _gather(self, ask: Ask, body: Text, language: str) -> None:
        """What has no room of its own in a group is told in one message with others."""
        if ask.private or ask.who is None:
            return
        place = (ask.chat_id, ask.topic)
        if place not in self._gathered and not self.limits.asides.take(ask.who.user_id, self.now()):
            return  # somebody who floods many chats; whoever waits in one message is told
        waiting = self._gathered.setdefault(place, [])
        if not waiting:
            self.painter.spawn(self._tell_gathered(place, language))
        if len(waiting) < MOST_GATHERED:
            waiting.append(
                text("aside.line", name=clean_name(ask.who.name, ask.who.user_id), it=body)
            )

    async def _tell_gathered(self, place: tuple[int, int], language: str) -> None:
        await asyncio.sleep(GATHER_S)
        lines = Lines(tuple(self._gathered.pop(place)))
        chat_id, topic = place
        self.painter.say(Say(chat_id, text("aside", lines=lines), language, topic=topic))

    def _answers(self, ask: Ask, edit: int = 0) -> bool:
        """Whether somebody gets one more message for an answer: a chat has few to spare.

        One that changes in place, `edit`, is as if it were said in private.
        """
        who, now = ask.who.user_id if ask.who else ask.chat_id, self.now()
        if who in self.settings.operators:
            return True
        if not (ask.private or edit or self.limits.aloud.take(who, now)):
            return False
        return self.limits.answers.take(who, now)

    async def nobody(self, ask: Ask) -> None:
        """An anonymous admin or a channel: no wallet, but a button works."""
        language = await self.clerk.run(lambda: self.chats.language(ask.chat_id))
        self.reply(ask, text("refused.nobody"), language, menus.games())

    async def is_member(self, user_id: int, chat_id: int) -> bool | None:
        """Whether somebody is in a group; None where Telegram does not tell."""
        member = await self._member(chat_id, user_id)
        return None if member is None else there(member)

    async def is_admin(self, ask: Ask) -> bool | None:
        """Whether Telegram says that the asker is an admin here; None where it does not say.

        In private nobody is: what is asked for there concerns the game of another chat. One that
        became a supergroup is asked about by its new id.
        """
        if ask.private or ask.who is None:
            return False
        member = await self._member(ask.chat_id, ask.who.user_id)
        if member is None:
            return None
        return member.status in (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)

    async def _member(self, chat_id: int, user_id: int) -> ChatMember | None:
        """Somebody in a group, by its present id; None where Telegram does not tell."""
        chat_id = await self.clerk.run(partial(self.chats.here, chat_id))
        asking = partial(self.bot.get_chat_member, read_timeout=ADMIN_CHECK_S)
        try:
            try:
                return await asking(chat_id, user_id)
            except ChatMigrated as error:
                return await asking(error.new_chat_id, user_id)
        except TelegramError as error:
            log.warning("who somebody is cannot be told", chat=chat_id, error=str(error))
            return None

    async def failed(self, ask: Ask | None, error: Exception | None) -> None:
        """Something broke: it is logged and counted, and the person told that nothing is lost.

        What will be delivered again is logged once and without its traceback, of many that wait
        only one in a while; who waits for it is told.
        """
        self.errors += 1
        delivery = current.get()
        again = delivery is not None and delivery.failed(error)
        if again and delivery:
            left_out = None if delivery.repeated else self.waiting.take(self.now())
            if left_out is not None:
                log.error("an update has to wait", error=str(error), more=left_out)
        else:
            log.error("an update failed", exc_info=error, chat=ask.chat_id if ask else None)
        if ask and delivery and again:
            self._later(ask, delivery)
        elif ask and ask.query_id:
            language = spoken(ask.code)
            self.toasts.answer(ask.query_id, text("refused.broken"), language, alert=True)

    def _later(self, ask: Ask, delivery: Delivery) -> None:
        """Tells who has waited for long that nothing is lost: a chat's commands now and then."""
        if not delivery.overdue:
            return
        language = spoken(ask.code)
        if ask.query_id:
            self.toasts.answer(ask.query_id, text("refused.later"), language, alert=True)
        elif ask.command and self.limits.later.take(ask.chat_id, self.now()):
            self.reply(ask, text("refused.later"), language)
        delivery.told = True


async def _worked(work: Callable[[], Done]) -> Done:
    """What `work` answers, in a thread; a database that is away for a moment is asked again."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await asyncio.to_thread(work)
        except PeeweeException as error:
            if not passing(error):
                raise
        await asyncio.sleep(PAUSE_S)
    return await asyncio.to_thread(work)


def there(member: ChatMember) -> bool:
    """Whether somebody is in a chat now; who is restricted may have left it."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status not in (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED)


def _untold(person: Person, now: int, admin: bool | None) -> Done:
    """What only admins may do, where Telegram does not tell who is one."""
    raise Refusal("refused.admins_untold", alert=True)


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
