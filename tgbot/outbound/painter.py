"""Messages out: the newest board of each game, answers, notes; within Telegram's limits.

Each chat has a desk with a queue and a budget of its own, so that no chat waits for another. A
board that changes again before it could be sent is simply drawn anew: what lay between is never
sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from peewee import PeeweeException
from telegram import Bot
from telegram.error import BadRequest, ChatMigrated, Forbidden, NetworkError, RetryAfter

from games.game import text
from tgbot.done import Done, Drawing, Say
from tgbot.hall.clerk import Clerk
from tgbot.hall.later import Later
from tgbot.hall.old_boards import OldBoard, OldBoards
from tgbot.hall.pins import Pins
from tgbot.hall.tables import Tables
from tgbot.hall.upkeep import Upkeep
from tgbot.http.client import retry_after_s
from tgbot.log import Rarely
from tgbot.outbound import calls
from tgbot.outbound.budget import Budget, SharedBudget, Urgency
from tgbot.outbound.claims import LOOK_EVERY_S, Claims
from tgbot.outbound.delivery import Delivery
from tgbot.outbound.desk import Desk, Step, is_fresh
from tgbot.outbound.latest import Latest
from tgbot.outbound.pictures import Pictures
from tgbot.words import Words

MOST_A_SECOND = 28
"""Sends and edits in all chats together."""
MOST_WAITING = 30
"""Notes that wait in one chat."""
MOST_WAITING_IN_ALL = 2000
"""Notes that wait in all chats: what comes later would be read by nobody any more, and each of them
takes room."""
TELL_EVERY_S = 60.0
MOST_DESKS = 1000
"""Beyond so many desks those of chats that nothing was sent to lately are forgotten."""
FOLLOW_S = 3.0
"""How long a group's board may wait to show what somebody has merely selected."""
RETRY_S = 2.0
LONGEST_RETRY_S = 60.0

log = structlog.get_logger(__name__)


class Painter:
    """Shows what use cases want to be seen. Lives on the event loop.

    `away` says whether Telegram is out of reach for everybody.
    """

    def __init__(
        self,
        *,
        bot: Bot,
        tables: Tables,
        upkeep: Upkeep,
        clerk: Clerk,
        later: Later,
        words: Words,
        now: Callable[[], float],
        claims: Claims | None = None,
        away: Callable[[], bool] = lambda: False,
    ) -> None:
        self.tables = tables
        self.upkeep = upkeep
        self.clerk = clerk
        self.later = later
        self.now = now
        self.claims = claims
        self.old_boards = OldBoards(tables.store.db)
        self.pins = Pins(tables.store.db)
        self.latest = Latest()
        self.shared_budget = SharedBudget(self._share)
        self._delivery = Delivery(
            bot=bot,
            tables=tables,
            upkeep=upkeep,
            clerk=clerk,
            words=words,
            shared_budget=self.shared_budget,
            now=now,
            away=away,
        )
        self._pictures = Pictures(words)
        self._stopped = False
        self._waiting = 0
        """Notes that wait, in all chats."""
        self._errors, self._outages, self._drops = Rarely(), Rarely(), Rarely(TELL_EVERY_S)
        self._forget_at = MOST_DESKS
        self._desks: dict[int, Desk] = {}
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
        for chat_id in done.pins:
            self.spawn(self.pin(chat_id))
        if done.later:
            self.spawn(self._finish(done))

    async def _finish(self, done: Done) -> None:
        self.show(await self.later.finish(done))

    def paint(self, game_id: str, *, soon: bool = False) -> None:
        """Boards of a game are out of date.

        One that only shows a selection may follow `soon` in a group, where edits are few: with the
        next move, or after `FOLLOW_S`.
        """
        table = self.tables.seen.get(game_id)
        for showing in table.showings if table else ():
            if showing.behind:
                wait_s = FOLLOW_S if soon and showing.chat_id < 0 else 0.0
                at = asyncio.get_running_loop().time() + wait_s
                self._desk(showing.chat_id).order_board((game_id, showing.seat), at)

    def take_up(self, games: Iterable[str], old_boards: Iterable[OldBoard]) -> None:
        """Paints boards of an earlier life, which may have sent some and not lived to note it, and
        tidies the old boards that life left over."""
        for game_id in games:
            if table := self.tables.seen.get(game_id):
                for showing in table.showings:
                    if showing.behind and is_fresh(table, showing):
                        doubtful = self._desk(showing.chat_id).doubtful
                        doubtful[game_id, showing.seat] = showing.message_id
                self.paint(game_id)
        for old_board in old_boards:
            self.tidy(*old_board)

    async def pin(self, chat_id: int) -> None:
        """Pins and unpins in a chat what is to be, by its rows."""
        to_do = await self.clerk.run(partial(self.pins.to_do, chat_id))
        if to_do:
            self._desk(chat_id).pins |= to_do

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
        self._desk(say.chat_id).notes.append(say)
        self._waiting += 1

    def _dropped(self, say: Say) -> None:
        """Tells of it now and then: a line for each would be a flood of its own."""
        more = self._drops.take(asyncio.get_running_loop().time())
        if more is not None:
            log.warning("notes are dropped, too many are waiting", chat=say.chat_id, more=more)

    def tidy(self, chat_id: int, message_id: int, body: str = "") -> None:
        """Takes the keyboard off an old board when there is room, and leaves it saying `body`.

        Without one it says what it says, or what it was ordered to say before.
        """
        self._desk(chat_id).order_tidying(message_id, body)

    async def tidy_unless_board(self, chat_id: int, message_id: int) -> None:
        """Tidies a message of the bot's that shows no game."""
        if not await self._delivery.board_messages(chat_id, message_id, message_id):
            await self.clerk.run(partial(self.old_boards.add, chat_id, message_id, ""))
            self.tidy(chat_id, message_id)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs `work` beside everything else, unless this has ended; what it raises is logged."""
        if self._stopped:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def backlog(self) -> int:
        """How many boards and notes are waiting."""
        return sum(len(desk.boards) + len(desk.notes) for desk in self._desks.values())

    def ends_a_scene(self) -> bool:
        """Whether some group is shown how a scene ended, before the board of the next one comes."""
        return any(desk.ends_a_scene() for desk in self._desks.values())

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

    # -- other workers ------------------------------------------------------------------------

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
            old_boards = await self.clerk.run(partial(self.old_boards.all, chat_id))
            games = [game_id for game_id, _ in self._desk(chat_id).boards]
            self.take_up(games, old_boards)
            await self.pin(chat_id)

    async def _may_paint(self, desk: Desk) -> bool:
        """Whether no other worker paints in this chat; from now on none does."""
        if not self.claims:
            return True
        if not await self.claims.mine(desk.chat_id):
            desk.boards.clear()  # the other one will see what changed
            return False
        await self._inherit(desk.chat_id)
        return True

    def _share(self) -> int:
        return self.claims.share(MOST_A_SECOND) if self.claims else MOST_A_SECOND

    # -- desks --------------------------------------------------------------------------------

    def _desk(self, chat_id: int) -> Desk:
        """The desk of a chat, at which somebody is about to look for something new."""
        desk = self._desks.get(chat_id)
        if desk is None:
            self._forget_idle()
            desk = Desk(chat_id, Budget(group=chat_id < 0), self.tables.seen, self.latest)
            self._desks[chat_id] = desk
        desk.news.set()
        if desk.task is None:
            desk.task = asyncio.get_running_loop().create_task(self._serve(desk))
            self._tasks.add(desk.task)
            desk.task.add_done_callback(self._finished)
        return desk

    def _forget_idle(self) -> None:
        """Chats to which nothing was sent lately cost nothing."""
        if len(self._desks) < self._forget_at:
            return
        now = asyncio.get_running_loop().time()
        self._desks = {
            chat_id: desk
            for chat_id, desk in self._desks.items()
            if desk.task or not desk.budget.idle(now)
        }
        self._forget_at = max(MOST_DESKS, 2 * len(self._desks))

    async def _serve(self, desk: Desk) -> None:
        """Takes one step after the other, as the budgets allow, until there is none left."""
        loop = asyncio.get_running_loop()
        try:
            while (step := desk.next_step(loop.time())) is not None:
                desk.news.clear()
                now = loop.time()
                wait = max(desk.budget.wait(step.urgency, now), step.at - now)
                if wait > 0:
                    desk.admitted = False
                    if desk.budget.held(now):
                        await self._delivery.hidden([*desk.boards])
                    # Something more urgent may come while we wait.
                    await desk.wait_for_news(min(wait, desk.looks_again_at(now) - now))
                    continue
                if step.board and not await self._may_paint(desk):
                    continue
                if not desk.admitted:
                    desk.admitted = True
                    if await self.shared_budget.admission():
                        continue  # something more urgent may have come
                if step.urgency is Urgency.NOTE:
                    desk.budget.note(loop.time())
                await self._attempt(desk, step)
        finally:
            desk.task, desk.admitted = None, False
            if desk.budget.idle(loop.time()):
                self._desks.pop(desk.chat_id, None)

    async def _attempt(self, desk: Desk, step: Step) -> None:
        """Takes a step; heeds what Telegram says of the chat if it will not have it."""
        loop = asyncio.get_running_loop()
        try:
            await self._take(desk, step)
            desk.failures = 0
        except RetryAfter as error:
            wait = retry_after_s(error)
            log.warning("Telegram asks to wait", chat=desk.chat_id, seconds=wait)
            desk.budget.hold(loop.time() + wait + 0.5)
        except ChatMigrated as error:
            await self._moved(desk, error.new_chat_id)
        except Forbidden:
            await self._gone(desk)
        except BadRequest as error:
            if calls.no_chat(error):
                await self._gone(desk)
            else:
                log.error("Telegram refused a message", chat=desk.chat_id, error=str(error))
        except NetworkError as error:
            wait, more = self._hold_back(desk), self._outages.take(loop.time())
            if more is not None:
                why = {"chat": desk.chat_id, "error": str(error)}
                log.warning("Telegram is out of reach", **why, wait=wait, more=more)
        except Exception as error:
            about, now = "a chat could not be served", loop.time()
            self._errors.error(log, about, error, now, chat=desk.chat_id)
            self._hold_back(desk)

    async def _take(self, desk: Desk, step: Step) -> None:
        if step.board:
            await self._delivery.board(desk, *step.board)
        elif step.pin:
            message_id, on = step.pin
            await self._delivery.pin(desk, message_id, on=on)
        elif step.urgency is Urgency.NOTE:
            await self._note(desk)
        else:
            await self._delivery.tidy(desk)

    async def _note(self, desk: Desk) -> None:
        say = desk.notes.pop(0)
        self._waiting -= 1
        try:
            await self._delivery.note(desk, say)
        except (RetryAfter, NetworkError) as error:
            # An answer missing is better than one twice.
            if not isinstance(error, BadRequest) and not calls.may_have_arrived(error):
                desk.notes.insert(0, say)
                self._waiting += 1
            raise

    def _hold_back(self, desk: Desk) -> float:
        """Leaves a chat alone after a failure, longer each time; for how many seconds."""
        desk.failures += 1
        wait = min(RETRY_S * 2.0 ** (desk.failures - 1), LONGEST_RETRY_S)
        desk.budget.hold(asyncio.get_running_loop().time() + wait)
        return wait

    async def _moved(self, desk: Desk, chat_id: int) -> None:
        """The chat is another one from now on, which gets what was still to be shown here."""
        migrate = partial(self.upkeep.migrate, desk.chat_id, chat_id, int(self.now()))
        done = await self.clerk.run(migrate)
        left = [replace(say, chat_id=chat_id, edit=0) for say in desk.clear()]
        self._desk(chat_id).notes.extend(left)
        self.show(done)

    async def _gone(self, desk: Desk) -> None:
        """Nobody is there to write to any more."""
        chat_id, now = desk.chat_id, int(self.now())
        self._waiting -= len(desk.clear())
        log.info("a chat is gone", chat=chat_id)
        if chat_id > 0:
            await self.clerk.run(lambda: self.upkeep.person_gone(chat_id))
        else:
            self.show(await self.clerk.run(lambda: self.upkeep.chat_gone(chat_id, now)))

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            now = asyncio.get_running_loop().time()
            self._errors.error(log, "a background task failed", error, now)
