"""How people are answered: by toasts where they pressed, by messages where they wrote.

A group has few messages to spare (SURVIVE 26): an answer that has no room of its own there is told
together with others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from games.game import Lines, Refusal, Text, text
from tgbot.config import Settings
from tgbot.done import Done, Row, Say
from tgbot.hall.clerk import Clerk
from tgbot.hall.refusals import Poor
from tgbot.inbound import menus
from tgbot.inbound.asks import Ask
from tgbot.inbound.limits import Limits
from tgbot.inbound.toasts import Toasts
from tgbot.outbound.painter import Painter
from tgbot.people.chats import Chats
from tgbot.people.names import clean_name

GATHER_S = 12
"""How long answers are gathered that have no room of their own in a group."""
MOST_GATHERED = 20


class Answers:
    """Shows what came of use cases. Lives on the event loop."""

    def __init__(
        self,
        toasts: Toasts,
        painter: Painter,
        limits: Limits,
        settings: Settings,
        clerk: Clerk,
        chats: Chats,
        now: Callable[[], float],
    ) -> None:
        self.toasts = toasts
        self.painter = painter
        self.limits = limits
        self.settings = settings
        self.clerk = clerk
        self.chats = chats
        self.now = now
        self._gathered: dict[tuple[int, int], list[Text]] = {}
        """Answers that wait for one message, by chat and topic."""

    def deliver(self, ask: Ask, done: Done, language: str) -> None:
        """Shows what came of a use case: toasts to presses, sentences to typed commands."""
        language = done.language or language
        if ask.query_id:
            if not done.unanswered:
                self.toasts.answer(
                    ask.query_id, done.toast, language, alert=done.alert, start=done.start
                )
        elif done.toast and not (done.games or done.soon or done.say):
            self.reply(ask, done.toast, language)
        self.show(ask, done)

    def show(self, ask: Ask, done: Done) -> None:
        """Shows boards and messages; what the chat has no room for is gathered."""
        if not done.say and not done.later:
            self.painter.show(done)
            return
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

    async def nobody(self, ask: Ask) -> None:
        """An anonymous admin or a channel: no wallet, but a button works."""
        language = await self.clerk.run(lambda: self.chats.language(ask.chat_id))
        self.reply(ask, text("refused.nobody"), language, menus.games())

    def _gather(self, ask: Ask, body: Text, language: str) -> None:
        """What has no room of its own in a group is told in one message with others."""
        if ask.private or ask.who is None:
            return
        thread = (ask.chat_id, ask.topic)
        if thread not in self._gathered and not self.limits.asides.take(
            ask.who.user_id, self.now()
        ):
            return  # somebody who floods many chats; whoever waits in one message is told
        waiting = self._gathered.setdefault(thread, [])
        if not waiting:
            self.painter.spawn(self._tell_gathered(thread, language))
        if len(waiting) < MOST_GATHERED:
            waiting.append(
                text("aside.line", name=clean_name(ask.who.name, ask.who.user_id), it=body)
            )

    async def _tell_gathered(self, thread: tuple[int, int], language: str) -> None:
        await asyncio.sleep(GATHER_S)
        lines = Lines(tuple(self._gathered.pop(thread)))
        chat_id, topic = thread
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
