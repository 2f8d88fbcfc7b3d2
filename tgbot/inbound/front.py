"""The way from what somebody asks to a use case, and from what came of it to an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import structlog
from telegram import Bot

from economy.transactions import undoable
from games.game import Refusal, text
from tgbot.config import Settings
from tgbot.done import NOTHING, Done, Say
from tgbot.hall.analyses import Analyses
from tgbot.hall.best_lists import Lists
from tgbot.hall.clerk import Clerk
from tgbot.hall.hall import Hall
from tgbot.hall.later import Later
from tgbot.hall.refusals import AdminsOnly
from tgbot.hall.seen_updates import first_time
from tgbot.hall.store import Store
from tgbot.hall.upkeep import Upkeep
from tgbot.inbound.answers import Answers
from tgbot.inbound.asks import Ask
from tgbot.inbound.delivery import Delivery, current
from tgbot.inbound.doubtful_boards import Doubts
from tgbot.inbound.limits import Limits
from tgbot.inbound.members import Members
from tgbot.inbound.telegram_time import Dates
from tgbot.inbound.toasts import Toasts
from tgbot.log import Rarely
from tgbot.operator.panel import Panel
from tgbot.outbound.painter import Painter
from tgbot.people.chats import Chats
from tgbot.people.people import People, Person, Who
from tgbot.words import Words, spoken

log = structlog.get_logger(__name__)


Act = Callable[[Person, int], Done]
AdminAct = Callable[[Person, int, bool | None], Done]


@dataclass(kw_only=True)
class Front:
    """The parts a handler works with."""

    bot: Bot
    settings: Settings
    clerk: Clerk
    later: Later
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
    answers: Answers = field(init=False)
    members: Members = field(init=False)
    doubts: Doubts = field(init=False)

    def __post_init__(self) -> None:
        self.limits = Limits(self.settings)
        self.answers = Answers(
            Toasts(self.bot, self.words, self.painter),
            self.painter,
            self.limits,
            self.settings,
            self.clerk,
            self.chats,
            self.now,
        )
        self.members = Members(self.bot, self.clerk, self.chats)
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
            self.answers.refuse(ask, Refusal("refused.too_fast"), spoken(ask.code))
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

    async def do_admin(
        self, ask: Ask, act: AdminAct, ahead: Callable[[], None] | None = None
    ) -> None:
        """As `do`, for a use case that may need to know whether the person is an admin.

        `ahead` asks the database for what is going to be needed.
        """
        if ask.who is None:
            await self.answers.nobody(ask)
            return
        try:
            done, language = await self._run(ask, ask.who, act, None, ahead)
        except AdminsOnly:
            admin = await self.members.is_admin(ask)
            act = act if admin is not None else _untold
            done, language = await self._run(ask, ask.who, act, admin)
        if isinstance(done, Refusal):
            self.answers.refuse(ask, done, language)
        else:
            self.answers.deliver(ask, done, language)
            if done.later:
                self.painter.spawn(self._finish(ask, done, language))

    async def _finish(self, ask: Ask, done: Done, language: str) -> None:
        """Does what takes its time and shows what came of it; a press may still wait for that."""
        try:
            result = await self.later.finish(done)
        except Exception as error:
            await self.failed(ask, error)
            return
        if ask.query_id and done.unanswered:
            said = (result.toast, done.language or language)
            self.answers.toasts.answer(ask.query_id, *said, alert=result.alert)
        self.answers.show(ask, result)

    async def _run(
        self,
        ask: Ask,
        who: Who,
        act: AdminAct,
        admin: bool | None,
        ahead: Callable[[], None] | None = None,
    ) -> tuple[Done | Refusal, str]:
        now = int(self.now())

        def use_case() -> tuple[Done | Refusal, str]:
            language = spoken(who.code)
            if not first_time(self.store.db, ask.update_id, now):
                return NOTHING, language
            if ahead:
                ahead()
            try:
                with undoable(self.store.db):
                    person = self.people.meet(who, now, private=ask.private)
                    language = self._read(ask, person.language)
                    return self._where_asked(ask, act(person, now, admin)), language
            except Refusal as refusal:
                # Nothing but the note stays: delivered again, it must not be granted.
                self.hall.tables.undone()
                return refusal, language

        return await self.clerk.run(use_case, ask.chat_id)

    def _read(self, ask: Ask, own: str) -> str:
        """The language of an answer: of what a whole group reads the group's, else one's own."""
        alone = ask.private or ask.query_id
        return own if alone else self.chats.language(ask.chat_id)

    def _where_asked(self, ask: Ask, done: Done) -> Done:
        """What is said where it was asked, at once and later: in its thread, in a group in the
        group's language."""
        if not done.say and not done.later:
            return done
        here = "" if ask.private else self.chats.language(ask.chat_id)

        def said(say: Say) -> Say:
            if say.chat_id != ask.chat_id:
                return say
            return replace(say, topic=say.topic or ask.topic, language=here or say.language)

        def placed(it: Done) -> Done:
            return replace(it, say=tuple(map(said, it.say)))

        work = done.later
        return replace(placed(done), later=(lambda: placed(work())) if work else None)

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
            self.answers.toasts.answer(ask.query_id, text("refused.broken"), language, alert=True)

    def _later(self, ask: Ask, delivery: Delivery) -> None:
        """Tells who has waited for long that nothing is lost: a chat's commands now and then."""
        if not delivery.overdue:
            return
        language = spoken(ask.code)
        if ask.query_id:
            self.answers.toasts.answer(ask.query_id, text("refused.later"), language, alert=True)
        elif ask.command and self.limits.later.take(ask.chat_id, self.now()):
            self.answers.reply(ask, text("refused.later"), language)
        delivery.told = True


def _untold(person: Person, now: int, admin: bool | None) -> Done:
    """What only admins may do, where Telegram does not tell who is one."""
    raise Refusal("refused.admins_untold", alert=True)
