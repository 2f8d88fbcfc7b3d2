"""The playground's Telegram: one object that people act on and a bot calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Any

from tgbot.playground import api, inline, membership, speech
from tgbot.playground.errors import OddAnswer, Refusal
from tgbot.playground.limits import Limits
from tgbot.playground.model import Call, Chat, Json, Message, Person, Toast
from tgbot.playground.world import FIRST_PERSON_ID, World

# One answer body per shape is enough; nobody changes it.
_NO_METHOD = Refusal(404, "Not Found: method not found")


class Telegram(World):
    """A strict Telegram in memory. The bot's side is `call`, all else is the people's side.

    `now` gives seconds since 1970 and is asked for dates, flood limits and the age of presses;
    waiting goes by the event loop's own clock. `limits=None` means Telegram's limits. `faults`
    breaks things on purpose, `log` remembers the calls. People's methods raise LookupError for
    what is not there and ValueError for what cannot be done.
    """

    def __init__(
        self,
        *,
        now: Callable[[], float] = time.time,
        token: str = "1000001:PLAYGROUND",
        username: str = "dicehall_bot",
        name: str = "Dicehall",
        limits: Limits | None = None,
    ) -> None:
        bot = Person(int(token.partition(":")[0]), name, username=username, is_bot=True)
        super().__init__(now, token, bot, limits)

    # ---- the bot's side

    async def call(self, method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """One Bot API call: (HTTP status, response body).

        `params` are decoded (numbers, lists, objects; files as Upload). Never raises for bad
        input; raises TimeoutError, ConnectionError or OddAnswer only if `faults` loses the call or
        its answer.
        """
        at = self.now()
        name = api.method_name(method)
        struck = self.faults.count.total()
        try:
            if name is None:
                raise _NO_METHOD
            if name == "getUpdates":
                result = await self._get_updates(params)
            else:
                if self.faults.latency_s > 0:
                    await asyncio.sleep(self.faults.latency_s)
                self.faults.before(name, params)
                result = api.METHODS[name](self, params)
                self.faults.after(name)
        except Refusal as refusal:
            why = (refusal.status, refusal.description)
            self.log.append(Call(at, name or method, params, *why))
            return refusal.status, refusal.answer()
        except (TimeoutError, ConnectionError, OddAnswer):
            self.log.append(Call(at, name or method, params, 0))
            raise
        finally:
            if self.faults.count.total() != struck:
                self.emit_faults()
        self.log.append(Call(at, name, params, 200))
        return 200, {"ok": True, "result": result}

    async def _get_updates(self, params: Json) -> list[Json]:
        self.faults.before("getUpdates", params)
        updates = await api.get_updates(self, params)
        # The answer travels; what happens meanwhile is for the next poll.
        if self.faults.latency_s > 0:
            await asyncio.sleep(self.faults.latency_s)
        self.faults.after("getUpdates")
        return updates

    # ---- people and chats

    def person(
        self,
        first_name: str,
        *,
        last_name: str | None = None,
        username: str | None = None,
        language_code: str = "en",
    ) -> Person:
        """A new user, who has not written to the bot yet."""
        person = Person(
            FIRST_PERSON_ID + len(self.people), first_name, last_name, username, language_code
        )
        self.add_person(person)
        return person

    def group(
        self, title: str, *people: Person, forum: bool = False, supergroup: bool = True
    ) -> Chat:
        """A new group; the first of the people creates it and adds the bot."""
        return membership.found_group(self, title, list(people), forum=forum, big=supergroup)

    def private(self, person: Person) -> Chat:
        """The person's chat with the bot; the bot may write there once the person wrote."""
        return self.chats[person.id]

    def join(self, chat: Chat, person: Person) -> None:
        """The person joins the group."""
        membership.join(self, chat, person)

    def leave(self, chat: Chat, person: Person) -> None:
        """The person leaves the group."""
        membership.leave(self, chat, person)

    def promote(
        self,
        chat: Chat,
        person: Person,
        status: str = "administrator",
        *,
        lacks: Iterable[str] = (),
    ) -> None:
        """Makes a member (or the bot) `administrator`, `member` or `creator`, or a member
        `restricted`; the bot may lack rights as an administrator."""
        membership.promote(self, chat, person, status, lacks)

    def language(self, person: Person, language_code: str) -> None:
        """The person's Telegram speaks another language from now on."""
        person.language_code = language_code
        self.emit_people()

    def kick(self, chat: Chat) -> None:
        """The bot is thrown out of the group; its calls answer 403."""
        membership.kick(self, chat)

    def readd(self, chat: Chat) -> None:
        """The bot is added to the group again."""
        membership.group_only(chat)
        membership.add_bot(self, chat, membership.creator(self, chat))

    def block(self, person: Person) -> None:
        """The person blocks the bot; its calls to the private chat answer 403."""
        membership.set_blocked(self, person, True)

    def unblock(self, person: Person) -> None:
        """The person unblocks the bot."""
        membership.set_blocked(self, person, False)

    def migrate(self, chat: Chat) -> Chat:
        """The group becomes a supergroup; returns it. The old id answers 400 with the new one."""
        return membership.migrate(self, chat)

    def topic(self, chat: Chat, name: str) -> int:
        """Opens a topic in a forum; returns its id."""
        return membership.open_topic(self, chat, name)

    def close_topics(self, chat: Chat) -> None:
        """Switches topics off; sends to one answer 400 `message thread not found`."""
        membership.close_topics(self, chat)

    # ---- writing and pressing

    def say(
        self,
        person: Person,
        chat: Chat,
        text: str,
        *,
        reply_to: int | None = None,
        topic: int | None = None,
        anonymous: bool = False,
        as_channel: bool = False,
        forwarded: bool | Person = False,
        date: float | None = None,
    ) -> Message:
        """The person writes; the bot hears of it as privacy mode allows (see `speech.hears`).

        `anonymous`: as an anonymous administrator; `as_channel`: as their channel; `forwarded`:
        what somebody wrote, who hides unless named; `date`: seconds since 1970, to write in the
        past.
        """
        return speech.say(
            self,
            person,
            chat,
            text,
            reply_to=reply_to,
            topic=topic,
            anonymous=anonymous,
            as_channel=as_channel,
            forwarded=forwarded,
            date=date,
        )

    def type_at(self, person: Person, chat: Chat, words: str = "") -> str:
        """The person types the bot's name and words in a chat; returns the inline query's id."""
        return inline.ask(self, person, chat, words)

    def choose(
        self, person: Person, chat: Chat, query_id: str, result_id: str, *, topic: int | None = None
    ) -> Message:
        """The person sends what the bot offered. Raises LookupError for what it did not."""
        return inline.choose(self, person, chat, query_id, result_id, topic)

    def start_in(self, person: Person, chat: Chat, word: str) -> Message:
        """The person follows `t.me/bot?startgroup=word` into a group, which adds the bot."""
        if chat.bot_status in ("left", "kicked"):
            membership.group_only(chat)
            membership.add_bot(self, chat, person)
        return self.say(person, chat, f"/start@{self.bot.username} {word}".strip())

    def edit(self, person: Person, chat: Chat, message_id: int, text: str) -> None:
        """The person changes their message: an edited_message update."""
        speech.edit(self, person, chat, message_id, text)

    def press(self, person: Person, chat: Chat, message_id: int, button: str) -> str:
        """The person presses a button on that message; returns the callback query's id.

        `button` is its data, its text, or a beginning that only one text has. The message may be
        deleted meanwhile. Raises LookupError with the buttons there are.
        """
        membership.require_member(chat, person)
        message = chat.messages.get(message_id)
        if message is None:
            raise LookupError(f"There is no message {message_id} in this chat.")
        return speech.press(self, person, chat, message_id, speech.find_button(message, button))

    def press_data(self, person: Person, chat: Chat, message_id: int, data: str) -> str:
        """A forged press: any data on any message id, by anybody."""
        return speech.press(self, person, chat, message_id, data)

    def delete(self, chat: Chat, message_id: int) -> None:
        """Somebody deletes the message; the bot is not told."""
        self.remove(speech.visible(chat, message_id))

    # ---- what people see

    def messages(self, chat: Chat) -> list[Message]:
        """What is in the chat, oldest first, service messages too, without deleted ones."""
        return [message for message in chat.messages.values() if not message.deleted]

    def last(self, chat: Chat, *, buttons: bool | None = None) -> Message:
        """The bot's newest message in the chat, if asked for only one with (without) buttons."""
        for message in reversed(chat.messages.values()):
            if message.sender is not self.bot or message.deleted or message.service is not None:
                continue
            if buttons is None or bool(message.buttons) == buttons:
                return message
        with_ = {None: "", True: " with buttons", False: " without buttons"}[buttons]
        raise LookupError(f"The bot has no message{with_} in this chat.")

    def toast(self, query_id: str) -> Toast | None:
        """The answer to a press, None while there is none; KeyError for an unknown press."""
        return self.queries[query_id].toast

    def toasts(self, person: Person) -> list[Toast]:
        """All answers the person saw (those with a text or a url), oldest first."""
        return list(self.shown.get(person.id, ()))
