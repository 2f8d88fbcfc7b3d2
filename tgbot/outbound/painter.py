"""Messages out: the newest board of each game, answers, notes; within Telegram's limits.

Each chat has a desk of its own with a budget of its own, so that no chat waits for another. A board
that changes again before it could be sent is simply drawn anew: what lay between is never sent.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog
from peewee import PeeweeException
from telegram import Bot, InlineKeyboardMarkup
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    NetworkError,
    RetryAfter,
)

from games.game import text
from tgbot.done import Done, Drawing, Say
from tgbot.hall.cache import Tables
from tgbot.hall.clerk import AnyClerk
from tgbot.hall.old_boards import OldBoard, OldBoards
from tgbot.hall.table import HIDDEN_S, Showing, Table
from tgbot.hall.upkeep import Upkeep
from tgbot.http.client import retry_after_s
from tgbot.log import Rarely
from tgbot.outbound import boards, calls, markup
from tgbot.outbound.boards import BoardMessage
from tgbot.outbound.budget import Budget, SharedBudget, Urgency
from tgbot.outbound.claims import LOOK_EVERY_S, Claims
from tgbot.outbound.pictures import Pictures
from tgbot.words import Cast, Words

MOST_A_SECOND = 28
"""Sends and edits in all chats together."""
MOST_WAITING = 30
"""Notes that wait in one chat."""
MOST_WAITING_IN_ALL = 2000
"""Notes that wait in all chats: what comes later would be read by nobody any more, and each of them
takes room."""
TELL_EVERY_S = 60.0
TIDY_DESKS = 1000
FOLLOW_S = 3.0
"""How long a group's board may wait to show what somebody has merely selected."""
REVEAL_STEP_S = 1.2
"""How long each step of a throw that decides is seen."""
MOST_REVEAL_WAIT_S = 3.0
"""A step that would have to wait longer for the chat's budget is left out."""
RETRY_S = 2.0
REFUSED_S = 20.0
"""When a board that was refused is tried again."""
MOST_GHOSTS = 8
"""How many messages after the last board that is known, and before the next one, may be one that
was sent without anybody knowing."""

log = structlog.get_logger(__name__)


Place = tuple[str, int]
"""A board: its game and the seat it belongs to."""
Step = tuple[Urgency, Callable[[], Coroutine[Any, Any, None]], float]
"""What a chat is shown next, and from when on."""


@dataclass
class _Desk:
    """What one chat is still to be shown."""

    chat_id: int
    budget: Budget
    boards: dict[Place, float] = field(default_factory=dict)
    """Boards that are out of date, and from when on they may follow (the loop's clock)."""
    notes: deque[Say] = field(default_factory=deque)
    tidy: dict[int, str] = field(default_factory=dict)
    """Old boards that lose their keyboard, and what they are left to say (empty: as it is)."""
    doubtful: dict[Place, int] = field(default_factory=dict)
    """Boards with a send that may have arrived unseen, and the last message id known before it."""
    unnoted: dict[Place, tuple[Showing, dict[int, str]]] = field(default_factory=dict)
    """Boards as they hang here, with what they left to tidy, until the database knows of it."""
    newest: int = 0
    """The last message sent here, as far as this desk knows: a later one may be a board unseen."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    refused: dict[Place, float] = field(default_factory=dict)
    """Boards that Telegram does not take here, and since when."""
    resting: set[Place] = field(default_factory=set)
    """Those that were refused a moment ago."""
    lost: set[Place] = field(default_factory=set)
    """Those whose message cannot be edited any more: the next call sends them anew."""
    failures: int = 0
    admitted: bool = False
    """Whether one of the sends that all chats share is kept for it."""


class Painter:
    """Shows what use cases want to be seen. Lives on the event loop."""

    def __init__(
        self,
        bot: Bot,
        tables: Tables,
        upkeep: Upkeep,
        clerk: AnyClerk,
        words: Words,
        now: Callable[[], float],
        claims: Claims | None = None,
        away: Callable[[], bool] = lambda: False,
    ) -> None:
        self.bot = bot
        self.tables = tables
        self.upkeep = upkeep
        self.clerk = clerk
        self.words = words
        self.now = now
        self.claims = claims
        self.away = away
        """Whether Telegram is out of reach for everybody."""
        self.leftovers = OldBoards(tables.store.db)
        self._pictures = Pictures(words)
        self._stopped = False
        self._waiting = 0
        """Notes that wait, in all chats."""
        self._tell_at = 0.0
        self._lines = Rarely()
        self._tidy_at = TIDY_DESKS
        self._desks: dict[int, _Desk] = {}
        self.shared_budget = SharedBudget(self._share)
        self._tasks: set[asyncio.Task[Any]] = set()

    # -- orders -------------------------------------------------------------------------------

    def show(self, done: Done) -> None:
        """Everything a use case wants to be seen but the toast."""
        for game_id in done.games:
            self.paint(game_id)
        for game_id in done.soon:
            self.paint(game_id, soon=True)
        for say in done.say:
            self.say(say)
        if done.later:
            self.spawn(self._later(done.later))

    def paint(self, game_id: str, *, soon: bool = False) -> None:
        """Boards of a game are out of date.

        One that only shows a selection may follow `soon` in a group, where edits are few: with the
        next move, or after `FOLLOW_S`.
        """
        table = self.tables.seen.get(game_id)
        for showing in table.showings if table else ():
            if showing.behind:
                place, orders = (game_id, showing.seat), self._order(showing.chat_id).boards
                wait_s = FOLLOW_S if soon and showing.chat_id < 0 else 0.0
                at = asyncio.get_running_loop().time() + wait_s
                orders[place] = min(at, orders.get(place, at))

    def take_up(self, games: Iterable[str], leftovers: Iterable[OldBoard]) -> None:
        """Paints boards of an earlier life, which may have sent some and not lived to note it, and
        tidies what that life left over (chat, message, body)."""
        for game_id in games:
            if table := self.tables.seen.get(game_id):
                for showing in table.showings:
                    if showing.behind and _fresh(table, showing):
                        place = (game_id, showing.seat)
                        self._order(showing.chat_id).doubtful[place] = showing.message_id
                self.paint(game_id)
        for leftover in leftovers:
            self.tidy(*leftover)

    def say(self, say: Say) -> None:
        """Sends or edits a message as soon as its chat has room; its picture is drawn first."""
        if isinstance(say.picture, Drawing):
            self.spawn(self._drawn(say, say.picture))
            return
        known = self._desks.get(say.chat_id)
        full = self._waiting >= MOST_WAITING_IN_ALL
        if full or (known and len(known.notes) >= MOST_WAITING):
            self._dropped(say)
            return
        self._order(say.chat_id).notes.append(say)
        self._waiting += 1

    def _dropped(self, say: Say) -> None:
        """Tells of it now and then: a line for each would be a flood of its own."""
        now = asyncio.get_running_loop().time()
        if now >= self._tell_at:
            self._tell_at = now + TELL_EVERY_S
            log.warning("notes are dropped, too many are waiting", chat=say.chat_id)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs `work` beside everything else, unless this has ended; what it raises is logged."""
        if self._stopped:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def tidy(self, chat_id: int, message_id: int, body: str = "") -> None:
        """Takes the keyboard off an old message when there is room, and leaves it saying `body`.

        Without one it says what it says, or what it was ordered to say before.
        """
        orders = self._order(chat_id).tidy
        orders[message_id] = body or orders.get(message_id, "")

    def backlog(self) -> int:
        """How many boards and notes are waiting."""
        return sum(len(desk.boards) + len(desk.notes) for desk in self._desks.values())

    async def stop(self) -> None:
        """Ends all work; boards left behind are painted at the next start."""
        self._stopped = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _drawn(self, say: Say, drawing: Drawing) -> None:
        png = await self._pictures.png(drawing, say.language)
        body = say.text if png else text("refused.broken")
        self.say(replace(say, text=body, picture=png))

    async def _later(self, work: Callable[[], Done]) -> None:
        self.show(await asyncio.to_thread(work))

    async def watch(self) -> None:
        """Paints what other workers changed and nobody paints, until cancelled."""
        assert self.claims
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                games, abandoned = await self.claims.look()
                for game_id in games:
                    self.paint(game_id)
                for chat_id in abandoned:
                    if await self.claims.mine(chat_id):
                        await self._inherit(chat_id)
            except PeeweeException as error:
                log.warning("the boards of others cannot be seen", error=str(error))

    async def _inherit(self, chat_id: int) -> None:
        """Takes up what a worker that died has not lived to do in a chat."""
        assert self.claims
        if chat_id in self.claims.inherited:
            self.claims.inherited.discard(chat_id)
            leftovers = await self.clerk.run(partial(self.leftovers.all, chat_id))
            games = [game_id for game_id, _ in self._order(chat_id).boards]
            self.take_up(games, leftovers)

    # -- desks --------------------------------------------------------------------------------

    def _order(self, chat_id: int) -> _Desk:
        desk = self._desks.get(chat_id)
        if desk is None:
            self._forget_idle()
            desk = self._desks[chat_id] = _Desk(chat_id, Budget(group=chat_id < 0))
        desk.news.set()
        if desk.task is None:
            desk.task = asyncio.get_running_loop().create_task(self._serve(desk))
            self._tasks.add(desk.task)
            desk.task.add_done_callback(self._finished)
        return desk

    def _forget_idle(self) -> None:
        """Chats to which nothing was sent lately cost nothing."""
        if len(self._desks) < self._tidy_at:
            return
        now = asyncio.get_running_loop().time()
        self._desks = {
            chat_id: desk
            for chat_id, desk in self._desks.items()
            if desk.task or not desk.budget.idle(now)
        }
        self._tidy_at = max(TIDY_DESKS, 2 * len(self._desks))

    def _taken(self, desk: _Desk) -> Say:
        self._waiting -= 1
        return desk.notes.popleft()

    async def _serve(self, desk: _Desk) -> None:
        loop = asyncio.get_running_loop()
        try:
            while (step := self._next(desk)) is not None:
                urgency, work, at = step
                desk.news.clear()
                wait = max(desk.budget.wait(urgency, loop.time()), at - loop.time())
                if wait > 0:
                    desk.admitted = False
                    if desk.budget.held(loop.time()):
                        await self._hidden([*desk.boards])
                    # Something more urgent may come while we wait.
                    await _first(desk.news.wait(), wait)
                    continue
                painting = urgency in (Urgency.SCENE, Urgency.EDIT)
                if painting and self.claims:
                    if not await self.claims.mine(desk.chat_id):
                        desk.boards.clear()  # another worker paints here, and will see it
                        continue
                    await self._inherit(desk.chat_id)
                if not desk.admitted:
                    desk.admitted = True
                    if await self.shared_budget.admission():
                        continue  # something more urgent may have come
                if urgency is Urgency.NOTE:
                    desk.budget.note(loop.time())
                await self._attempt(desk, work)
        finally:
            desk.task, desk.admitted = None, False
            if desk.budget.idle(loop.time()):
                self._desks.pop(desk.chat_id, None)

    def _share(self) -> int:
        return self.claims.share(MOST_A_SECOND) if self.claims else MOST_A_SECOND

    def _next(self, desk: _Desk) -> Step | None:
        """The most urgent thing this chat is to be shown."""
        edit: tuple[Table, Showing] | None = None
        at = 0.0
        for place in desk.resting & desk.boards.keys():
            del desk.boards[place]
        for place, order_at in list(desk.boards.items()):
            table = self.tables.seen.get(place[0])
            showing = table.showing(place[1]) if table else None
            if not table or not showing or not showing.behind or showing.chat_id != desk.chat_id:
                del desk.boards[place]
            elif place in desk.lost or _fresh(table, showing):
                return Urgency.SCENE, partial(self._board, desk, table, showing), 0.0
            elif edit is None or order_at < at:
                edit, at = (table, showing), order_at
        now = asyncio.get_running_loop().time()
        if desk.notes and not (edit and desk.budget.talked_out(now)):
            return Urgency.NOTE, lambda: self._note(desk, self._taken(desk)), 0.0
        if edit and (at <= now or not desk.tidy):
            return Urgency.EDIT, partial(self._board, desk, *edit), at
        if desk.tidy:
            return Urgency.TIDY, partial(self._strip, desk, next(iter(desk.tidy))), 0.0
        return None

    async def _attempt(self, desk: _Desk, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        loop = asyncio.get_running_loop()
        try:
            await work()
            desk.failures = 0
        except RetryAfter as error:
            wait = retry_after_s(error)
            log.warning("Telegram asks to wait", chat=desk.chat_id, seconds=wait)
            desk.budget.hold(loop.time() + wait + 0.5)
        except ChatMigrated as error:
            old, new, now = desk.chat_id, error.new_chat_id, int(self.now())
            done = await self.clerk.run(partial(self.upkeep.migrate, old, new, now))
            self._move(desk, new)
            self.show(done)
        except Forbidden:
            await self._gone(desk)
        except BadRequest as error:
            if calls.no_chat(error):
                await self._gone(desk)
            else:
                log.error("Telegram refused a message", chat=desk.chat_id, error=str(error))
        except NetworkError as error:
            desk.failures += 1
            wait = min(RETRY_S * 2 ** (desk.failures - 1), 60)
            log.warning("Telegram is out of reach", chat=desk.chat_id, error=str(error), wait=wait)
            desk.budget.hold(loop.time() + wait)
        except Exception as error:
            desk.failures += 1
            self._lines.error(
                log, "a chat could not be served", error, loop.time(), chat=desk.chat_id
            )
            desk.budget.hold(loop.time() + min(RETRY_S * 2 ** (desk.failures - 1), 60))

    def _move(self, desk: _Desk, chat_id: int) -> None:
        target = self._order(chat_id)
        target.notes.extend(replace(say, chat_id=chat_id, edit=0) for say in desk.notes)
        desk.notes.clear()
        desk.boards.clear()
        desk.tidy.clear()

    async def _gone(self, desk: _Desk) -> None:
        chat_id, now = desk.chat_id, int(self.now())
        desk.boards.clear()
        self._waiting -= len(desk.notes)
        desk.notes.clear()
        desk.tidy.clear()
        log.info("a chat is gone", chat=chat_id)
        if chat_id > 0:
            await self.clerk.run(lambda: self.upkeep.person_gone(chat_id))
        else:
            self.show(await self.clerk.run(lambda: self.upkeep.chat_gone(chat_id, now)))

    # -- calls --------------------------------------------------------------------------------

    async def _board(self, desk: _Desk, table: Table, showing: Showing) -> None:
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

    async def _refused(
        self, desk: _Desk, table: Table, showing: Showing, error: BadRequest
    ) -> None:
        """A board cannot be shown here, for whatever reason: it is tried again, till the game is
        called off (RULES 0), or for as long where it is over."""
        place, clock = (table.id, showing.seat), asyncio.get_running_loop().time
        since = desk.refused.setdefault(place, clock())
        log.warning("Telegram refused a board", game=table.id, error=str(error))
        desk.boards.pop(place, None)
        if not table.open and clock() - since >= HIDDEN_S:
            del desk.refused[place]
            await self.clerk.run(partial(self.upkeep.given_up, *place))
            return
        await self._hidden([place])
        if place not in desk.resting:
            desk.resting.add(place)
            self.spawn(self._again(desk, place))

    async def _again(self, desk: _Desk, place: Place) -> None:
        await asyncio.sleep(REFUSED_S)
        desk.resting.discard(place)
        self.paint(place[0])

    async def _hidden(self, places: Iterable[Place]) -> None:
        """Boards that could not be shown: that is noted once, and not while Telegram is away."""
        away = self.away()
        for game_id, seat in places:
            table = self.tables.seen.get(game_id)
            if table and table.open and bool(table.showing(seat).hidden_at) == away:
                now = 0 if away else int(self.now())
                with contextlib.suppress(PeeweeException):  # which is told of elsewhere
                    await self.clerk.run(partial(self.upkeep.hidden, game_id, seat, now))

    async def _paint(
        self, desk: _Desk, table: Table, showing: Showing, message: BoardMessage
    ) -> None:
        place = (table.id, showing.seat)
        showing, left = desk.unnoted.get(place, (showing, {}))
        message_id = showing.message_id
        fresh = message_id == 0 or message.scene != showing.scene or place in desk.lost
        if not fresh and not await self._edit(
            desk.chat_id, message_id, message.html, message.keyboard
        ):
            desk.lost.add(place)  # sent when there is room for one more call
            return
        if fresh:
            ended = False
            if showing.message_id and place not in desk.unnoted and place not in desk.lost:
                ended = await self._show_the_end(desk, table, showing)
            message_id, ghosts = await self._send_board(desk, table, showing, message)
            desk.lost.discard(place)
            left |= dict.fromkeys(ghosts, "")
            if showing.message_id and not ended:
                left[showing.message_id] = boards.past(table, showing.seat, self.words) or ""
        noted = (message.revision, message.scene, message_id, message.rev, message.ends, left)
        desk.unnoted[place] = replace(showing, message_id=message_id, scene=message.scene), left
        noting = partial(self.upkeep.shown, table.id, showing.seat, *noted)
        await self.clerk.run(noting, desk.chat_id)
        del desk.unnoted[place]
        desk.refused.pop(place, None)
        for old, body in left.items():
            self.tidy(desk.chat_id, old, body)

    async def _show_the_end(self, desk: _Desk, table: Table, showing: Showing) -> bool:
        """Shows on the board of a scene the throw that ended it, before what came of it; whether
        that board says all it is left to say.

        A throw worth the wait is shown step by step. It is a matter of show: what the chat's budget
        has no room for, or Telegram does not take, is left out.
        """
        loop = asyncio.get_running_loop()
        steps = boards.ending(table, showing.seat, self.words)
        for step in steps:
            wait = desk.budget.wait(Urgency.EDIT, loop.time())
            if wait > MOST_REVEAL_WAIT_S:
                return False
            await asyncio.sleep(wait)
            try:
                await self._edit(desk.chat_id, showing.message_id, step, None)
            except NetworkError:
                return False
            if len(steps) > 1:
                await asyncio.sleep(REVEAL_STEP_S)
        return bool(steps)

    async def _send_board(
        self, desk: _Desk, table: Table, showing: Showing, message: BoardMessage
    ) -> tuple[int, set[int]]:
        """The message a board has become, and those that may be the same without being known."""
        place = (table.id, showing.seat)
        last = desk.doubtful.get(place, max(showing.message_id, desk.newest))
        try:
            message_id = await self._send(
                desk.chat_id, message.html, message.keyboard, topic=showing.topic
            )
        except NetworkError as error:
            if calls.may_have_arrived(error):
                desk.doubtful[place] = last
            raise
        if place not in desk.doubtful:
            return message_id, set()
        # A send without an answer may have arrived; its keyboard must not stay.
        since = desk.doubtful.pop(place)
        near = {*range(max(since + 1, message_id - MOST_GHOSTS), message_id)}
        if since:
            near |= {*range(since + 1, min(since + 1 + MOST_GHOSTS, message_id))}
        return message_id, near - await self._board_messages(desk.chat_id, since, message_id)

    async def _note(self, desk: _Desk, say: Say) -> None:
        cast = Cast(names=say.names)
        longest = markup.LONGEST_CAPTION if say.picture or say.file else markup.LONGEST
        body = markup.fitting(self.words.html(say.text, say.language, cast).split("\n"), longest)
        keys = markup.keyboard(say.keys, self.words, say.language)
        edit = say.edit
        if edit and await self._board_messages(say.chat_id, edit, edit):
            edit = 0  # a forged press may name any message; a board shows its game and nothing else
        try:
            if not edit or not await self._edit(say.chat_id, edit, body, keys):
                where = {"topic": say.topic, "reply_to": say.reply_to}
                await self._send(say.chat_id, body, keys, picture=_png(say), file=say.file, **where)
            if say.receipt:
                await self.clerk.run(partial(self.upkeep.told, say.chat_id, say.receipt))
        except (RetryAfter, NetworkError) as error:
            # An answer missing is better than one twice.
            if not isinstance(error, BadRequest) and not calls.may_have_arrived(error):
                desk.notes.appendleft(say)
                self._waiting += 1
            raise

    async def _send(
        self,
        chat_id: int,
        body: str,
        keys: InlineKeyboardMarkup | None,
        *,
        topic: int = 0,
        reply_to: int = 0,
        picture: bytes = b"",
        file: tuple[str, bytes] | None = None,
    ) -> int:
        self._spend(chat_id)
        more: dict[str, Any] = {"reply_to": reply_to, "picture": picture, "file": file}
        try:
            message_id = await calls.send(self.bot, chat_id, body, keys, topic=topic, **more)
        except BadRequest as error:
            if not topic or calls.no_chat(error):
                raise
            # It may be only the topic that takes nothing any more, for whatever reason.
            message_id = await self._send(chat_id, body, keys, **more)
            await self.clerk.run(partial(self.upkeep.topic_gone, chat_id, topic))
        self._desks[chat_id].newest = message_id
        return message_id

    async def _edit(
        self, chat_id: int, message_id: int, body: str, keys: InlineKeyboardMarkup | None
    ) -> bool:
        self._spend(chat_id)
        return await calls.edit(self.bot, chat_id, message_id, body, keys)

    async def _strip(self, desk: _Desk, message_id: int) -> None:
        body = desk.tidy.pop(message_id)
        try:
            if body:
                await self._edit(desk.chat_id, message_id, body, None)
            else:
                self._spend(desk.chat_id)
                await self.bot.edit_message_reply_markup(desk.chat_id, message_id)
        except BadRequest:
            pass  # deleted, somebody else's, or bare already
        except (RetryAfter, NetworkError):
            desk.tidy.setdefault(message_id, body)
            raise
        await self.clerk.run(partial(self.leftovers.clear, desk.chat_id, message_id))

    async def tidy_unless_board(self, chat_id: int, message_id: int) -> None:
        """Tidies a message of the bot's that shows no game."""
        if not await self._board_messages(chat_id, message_id, message_id):
            await self.clerk.run(partial(self.leftovers.add, chat_id, message_id, ""))
            self.tidy(chat_id, message_id)

    async def _board_messages(self, chat_id: int, first: int, last: int) -> set[int]:
        look = partial(self.tables.store.boards.messages, chat_id, first, last)
        return await self.clerk.run(look)

    def _spend(self, chat_id: int) -> None:
        now, desk = asyncio.get_running_loop().time(), self._desks[chat_id]
        desk.budget.spend(now)
        if not desk.admitted:
            self.shared_budget.spend(now)
        desk.admitted = False

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            now = asyncio.get_running_loop().time()
            self._lines.error(log, "a background task failed", error, now)


async def _first(event: Coroutine[Any, Any, Any], timeout_s: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event, timeout_s)


def _fresh(table: Table, showing: Showing) -> bool:
    """Whether the board becomes a new message."""
    return not showing.message_id or table.phase(showing.seat).scene != showing.scene


def _png(say: Say) -> bytes:
    return say.picture if isinstance(say.picture, bytes) else b""
