"""How a chat is shown something: the calls of each step, and what is noted once they are through.

What Telegram refuses for the whole chat (it asks to wait, has moved, is gone, or is out of reach)
is raised, as `TelegramError`, for the painter to heed; what concerns one message is seen to here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from peewee import PeeweeException
from telegram import Bot
from telegram.error import BadRequest, NetworkError, RetryAfter

from tgbot.done import Say
from tgbot.hall.clerk import Clerk
from tgbot.hall.old_boards import OldBoards
from tgbot.hall.pins import Pins
from tgbot.hall.table import HIDDEN_S, Showing, Table
from tgbot.hall.tables import Tables
from tgbot.hall.upkeep import Upkeep
from tgbot.outbound import boards, calls, markup
from tgbot.outbound.boards import BoardMessage
from tgbot.outbound.budget import SharedBudget, Urgency
from tgbot.outbound.desk import REFUSED_S, BoardKey, Desk
from tgbot.outbound.markup import Keyboard
from tgbot.words import Cast, Words

REVEAL_STEP_S = 1.2
"""How long each step of a throw that decides is seen."""
MOST_REVEAL_WAIT_S = 3.0
"""Steps that would have to wait longer for the chat's budget are left out."""
SCENES_TO_COME = 2
"""So many more boards find room behind how a scene of a game that goes on has ended."""
MOST_GHOSTS = 8
"""How many messages after the last board that is known, and before the next one, may be one that
was sent without anybody knowing."""

log = structlog.get_logger(__name__)


class Delivery:
    """Sends and edits for the desks, and notes what has arrived. Lives on the event loop.

    `away` says whether Telegram is out of reach for everybody.
    """

    def __init__(
        self,
        *,
        bot: Bot,
        tables: Tables,
        upkeep: Upkeep,
        clerk: Clerk,
        words: Words,
        shared_budget: SharedBudget,
        now: Callable[[], float],
        away: Callable[[], bool],
    ) -> None:
        self.bot = bot
        self.tables = tables
        self.upkeep = upkeep
        self.clerk = clerk
        self.words = words
        self.shared_budget = shared_budget
        self.now = now
        self.away = away
        self.old_boards = OldBoards(tables.store.db)
        self.pins = Pins(tables.store.db)
        self._questions: dict[tuple[str, int], set[int]] = {}
        """Messages with keys that ask something about a game that runs, by game and chat."""

    # -- boards -------------------------------------------------------------------------------

    async def board(self, desk: Desk, table: Table, showing: Showing) -> None:
        """Shows a board as it stands: in its message, or in a new one for a new scene.

        One that cannot be drawn is given up.
        """
        try:
            message = boards.message(table, showing.seat, self.words, self.now())
        except Exception:
            log.exception("a board could not be drawn", game=table.id)
            await self.clerk.run(partial(self.upkeep.given_up, table.id, showing.seat))
            return
        try:
            await self._paint(desk, table, showing, message)
        except BadRequest as error:
            if calls.no_chat(error):
                raise
            await self._refused(desk, table, showing, error)

    async def _paint(
        self, desk: Desk, table: Table, showing: Showing, message: BoardMessage
    ) -> None:
        key = (table.id, showing.seat)
        showing, left = desk.unnoted.get(key, (showing, {}))
        message_id = showing.message_id
        fresh = message_id == 0 or message.scene != showing.scene or key in desk.lost
        if not fresh and not await self._edit(desk, message_id, message.html, message.keyboard):
            desk.lost.add(key)  # sent when there is room for one more call
            return
        if fresh:
            # What was begun once before, perhaps by a life that is over, is shown without delay.
            again = key in desk.unnoted or key in desk.lost or key in desk.doubtful
            ended = False
            if showing.message_id and not again:
                ended = await self._show_the_end(desk, table, showing)
                # Else a send that is refused would begin it anew, and be refused for it every time.
                desk.lost.add(key)
                await asyncio.sleep(desk.budget.breath(asyncio.get_running_loop().time()))
            message_id, ghosts = await self._send_board(desk, table, showing, message)
            desk.lost.discard(key)
            left |= dict.fromkeys(ghosts, "")
            if showing.message_id and not ended:
                left[showing.message_id] = boards.past(table, showing.seat, self.words) or ""
        noted = (message.revision, message.scene, message_id, message.rev, message.ends, left)
        desk.unnoted[key] = replace(showing, message_id=message_id, scene=message.scene), left
        noting = partial(self.upkeep.shown, table.id, showing.seat, *noted)
        await self.clerk.run(noting, desk.chat_id)
        del desk.unnoted[key]
        desk.refused.pop(key, None)
        desk.resting.pop(key, None)
        for old, body in left.items():
            desk.order_tidying(old, body)
        if not table.open:
            for question in self._questions.pop((table.id, desk.chat_id), ()):
                desk.order_tidying(question)
        if "pins" in table.options and (fresh or not table.open):
            await self.order_pins(desk)

    async def order_pins(self, desk: Desk) -> None:
        """Orders what is to be pinned and unpinned in a chat, by its rows."""
        desk.pins |= await self.clerk.run(partial(self.pins.to_do, desk.chat_id))

    async def _show_the_end(self, desk: Desk, table: Table, showing: Showing) -> bool:
        """Shows on the board of a scene the throw that ended it, before what came of it; whether
        that board says all it is left to say.

        A throw worth the wait is shown step by step, or at once where the chat's budget has no room
        for all steps. It is a matter of show: what Telegram does not take, is left out.
        """
        loop = asyncio.get_running_loop()
        steps = boards.ending(table, showing.seat, self.words)
        spare = SCENES_TO_COME if table.open else 0
        if desk.budget.wait(Urgency.ENDING, loop.time(), len(steps) + spare) > MOST_REVEAL_WAIT_S:
            steps = steps[-1:]
        for step in steps:
            wait = desk.budget.wait(Urgency.ENDING, loop.time(), 1 + spare)
            if wait > MOST_REVEAL_WAIT_S:
                return False
            await asyncio.sleep(wait)
            try:
                if not await self._edit(desk, showing.message_id, step, None):
                    return False
            except NetworkError:
                return False
            if len(steps) > 1:
                await asyncio.sleep(REVEAL_STEP_S)
        return bool(steps)

    async def _send_board(
        self, desk: Desk, table: Table, showing: Showing, message: BoardMessage
    ) -> tuple[int, set[int]]:
        """The message a board has become, and those that may be the same without being known."""
        key = (table.id, showing.seat)
        last = desk.doubtful.get(key, max(showing.message_id, desk.newest))
        try:
            message_id = await self._send(desk, message.html, message.keyboard, topic=showing.topic)
        except NetworkError as error:
            if calls.may_have_arrived(error):
                desk.doubtful[key] = last
            raise
        if key not in desk.doubtful:
            return message_id, set()
        # A send without an answer may have arrived; its keyboard must not stay.
        since = desk.doubtful.pop(key)
        near = {*range(max(since + 1, message_id - MOST_GHOSTS), message_id)}
        if since:
            near |= {*range(since + 1, min(since + 1 + MOST_GHOSTS, message_id))}
        return message_id, near - await self.board_messages(desk.chat_id, since, message_id)

    async def _refused(self, desk: Desk, table: Table, showing: Showing, error: BadRequest) -> None:
        """A board cannot be shown here, for whatever reason: it is tried again, till the game is
        called off (RULES 0), or for as long where it is over."""
        key, now = (table.id, showing.seat), asyncio.get_running_loop().time()
        since = desk.refused.setdefault(key, now)
        log.warning("Telegram refused a board", game=table.id, error=str(error))
        if not table.open and now - since >= HIDDEN_S:
            del desk.refused[key]
            await self.clerk.run(partial(self.upkeep.given_up, *key))
            if showing.message_id:
                desk.order_tidying(showing.message_id, "")
            return
        desk.resting[key] = now + REFUSED_S
        await self.hidden([key])

    async def hidden(self, keys: Iterable[BoardKey]) -> None:
        """Boards that could not be shown: that is noted once, and not while Telegram is away."""
        away = self.away()
        for game_id, seat in keys:
            table = self.tables.seen.get(game_id)
            if table and table.open and bool(table.showing(seat).hidden_at) == away:
                now = 0 if away else int(self.now())
                with contextlib.suppress(PeeweeException):  # which is told of elsewhere
                    await self.clerk.run(partial(self.upkeep.hidden, game_id, seat, now))

    async def board_messages(self, chat_id: int, first: int, last: int) -> set[int]:
        """Which of the messages `first` to `last` of a chat are boards now, of whatever game."""
        look = partial(self.tables.store.boards.messages, chat_id, first, last)
        return await self.clerk.run(look)

    async def pin(self, desk: Desk, message_id: int, *, on: bool) -> None:
        """Pins a message without a sound, or unpins it; what the bot may not pin is let be."""
        self._spend(desk)
        try:
            await calls.pin(self.bot, desk.chat_id, message_id, on=on)
        except BadRequest as error:
            log.info("Telegram refused a pin", chat=desk.chat_id, error=str(error))
            may = not calls.no_rights(error)
            note = partial(self.upkeep.not_pinned, desk.chat_id, message_id, on=on, may=may)
            await self.clerk.run(note)
        else:
            if not on:
                await self.clerk.run(partial(self.pins.unpinned, desk.chat_id, message_id))
        desk.pins.pop(message_id, None)

    # -- everything else ----------------------------------------------------------------------

    async def note(self, desk: Desk, say: Say) -> None:
        """Sends a message, or edits the one it takes the place of, if that is none of a game's."""
        longest = markup.LONGEST_CAPTION if say.picture or say.file else markup.LONGEST
        lines = self.words.html(say.text, say.language, Cast(names=say.names)).split("\n")
        body = markup.fitting(lines, longest)
        keys = markup.keyboard(say.keys, self.words, say.language)
        edit = say.edit
        if edit and await self.board_messages(say.chat_id, edit, edit):
            edit = 0  # a forged press may name any message; a board shows its game and nothing else
        if not edit or not await self._edit(desk, edit, body, keys):
            png = say.picture if isinstance(say.picture, bytes) else b""
            where = {"topic": say.topic, "reply_to": say.reply_to}
            edit = await self._send(desk, body, keys, picture=png, file=say.file, **where)
        if say.asks_of:
            self._asked(desk, say, edit)
        if say.receipt:
            await self.clerk.run(partial(self.upkeep.told, say.chat_id, say.receipt))

    def _asked(self, desk: Desk, say: Say, message_id: int) -> None:
        """A question about a game hangs there, or has its answer: then it has no keys any more."""
        table, key = self.tables.seen.get(say.asks_of), (say.asks_of, desk.chat_id)
        if not say.keys:
            self._questions.get(key, set()).discard(message_id)
        elif table and table.open:
            self._questions.setdefault(key, set()).add(message_id)
        else:
            desk.order_tidying(message_id)

    async def tidy(self, desk: Desk) -> None:
        """Takes the keyboard off the first old board in line; it is left saying what it is to."""
        message_id, body = desk.take_tidying()
        try:
            if not body or not await self._edit(desk, message_id, body, None):
                self._spend(desk)
                await calls.bare(self.bot, desk.chat_id, message_id)
        except BadRequest as error:
            if calls.may_pass(error) and desk.tidies_later(message_id, body):
                return
            # Else it is deleted, somebody else's, or bare already.
        except (RetryAfter, NetworkError):
            desk.tidy.setdefault(message_id, body)
            raise
        desk.untidied.pop(message_id, None)
        await self.clerk.run(partial(self.old_boards.clear, desk.chat_id, message_id))

    # -- calls --------------------------------------------------------------------------------

    async def _send(
        self,
        desk: Desk,
        body: str,
        keys: Keyboard | None,
        *,
        topic: int = 0,
        reply_to: int = 0,
        picture: bytes = b"",
        file: tuple[str, bytes] | None = None,
    ) -> int:
        self._spend(desk)
        more: dict[str, Any] = {"reply_to": reply_to, "picture": picture, "file": file}
        try:
            message_id = await calls.send(self.bot, desk.chat_id, body, keys, topic=topic, **more)
        except BadRequest as error:
            if not topic or calls.no_chat(error):
                raise
            # It may be only the topic that takes nothing any more, for whatever reason.
            message_id = await self._send(desk, body, keys, **more)
            await self.clerk.run(partial(self.upkeep.topic_gone, desk.chat_id, topic))
        desk.newest = message_id
        desk.latest.saw(desk.chat_id, message_id)
        return message_id

    async def _edit(self, desk: Desk, message_id: int, body: str, keys: Keyboard | None) -> bool:
        self._spend(desk)
        return await calls.edit(self.bot, desk.chat_id, message_id, body, keys)

    def _spend(self, desk: Desk) -> None:
        now = asyncio.get_running_loop().time()
        desk.budget.spend(now)
        if not desk.admitted:
            self.shared_budget.spend(now)
        desk.admitted = False
