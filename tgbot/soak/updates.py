"""What became of every update: applied, answered with words, none of the bot's, or still waiting.

Telegram forgets an update once it is confirmed, so at that very moment the bot must have noted in
its database that it was applied or refused, or it owes the person words. Which updates it must
answer at all is said here anew, and not asked of the bot.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from tgbot.inbound.limits import BURST_S
from tgbot.playground.model import Json
from tgbot.soak.world import World

WITHIN_S = 120.0
"""How long words may take that are owed: a chat that must wait and calls that are lost included."""
WORDS = ("sendMessage", "sendPhoto", "editMessageText")
ANSWERS = {"answerCallbackQuery": "callback_query_id", "answerInlineQuery": "inline_query_id"}
"""What answers a press or what was typed behind the bot's name, and what names it there."""


@dataclass(frozen=True)
class Owed:
    """An update that is confirmed and not noted: by when words must be sent, and in which life."""

    update: Json
    by: float
    life: int


class Updates:
    """Looks at every update as Telegram forgets it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.became: Counter[str] = Counter()
        """What became of how many: noted, answered, ignored, died."""
        self.owed: list[Owed] = []
        self._busy: defaultdict[int, deque[float]] = defaultdict(deque)
        """When somebody's presses and commands were confirmed lately."""
        self._calls = 0
        self._answers: set[str] = set()
        """The queries that were answered, and when something was last said in a chat."""
        self._spoke_at: dict[str, float] = {}
        world.telegram.queue.on_confirmed = self._confirmed

    def _confirmed(self, update: Json) -> None:
        now = asyncio.get_running_loop().time()
        number = update["update_id"]
        asked = for_the_bot(update, self.world.telegram.bot.username or "")
        excused = self._too_fast(update, now) or now < self.world.excused_until
        if self.world.sql("SELECT 1 FROM updates WHERE update_id = ?", number):
            self.became["noted"] += 1
        elif excused or not asked:
            self.became["ignored"] += 1
        else:
            self.owed.append(Owed(update, now + WITHIN_S, self.world.lives))

    def lost(self, *, at_rest: bool = False) -> Iterator[str]:
        """The updates that are neither noted nor answered although it is time."""
        self._read_calls()
        owed, self.owed = self.owed, []
        clock = asyncio.get_running_loop().time()
        for it in owed:
            if self._answered(it.update):
                self.became["answered"] += 1
            elif it.life != self.world.lives or self.world.life.dead.is_set():
                self.became["died"] += 1  # before it could say what needed no note
            elif at_rest or clock >= it.by:
                yield f"an update is lost, nobody has noted or answered it: {it.update}"
            else:
                self.owed.append(it)

    def _read_calls(self) -> None:
        log = self.world.telegram.log
        for n in range(self._calls, len(log)):
            call = log[n]
            if call.method in ANSWERS:
                self._answers.add(str(call.params.get(ANSWERS[call.method])))
            elif call.method in WORDS:
                self._spoke_at[str(call.params.get("chat_id"))] = call.at
        self._calls = len(log)

    def _answered(self, update: Json) -> bool:
        """Whether words were sent for an update, whatever became of them on their way."""
        if query := update.get("callback_query") or update.get("inline_query"):
            return str(query["id"]) in self._answers
        message = update.get("message") or update["my_chat_member"]
        return self._spoke_at.get(str(message["chat"]["id"]), 0.0) >= float(message["date"])

    def _too_fast(self, update: Json, now: float) -> bool:
        """Whether somebody is about to do more than the bot has to hear (SURVIVE 26)."""
        message: Json = next((it for kind, it in update.items() if kind != "update_id"), {})
        lately = self._busy[int(message.get("from", {}).get("id", 0))]
        lately.append(now)
        while lately[0] < now - BURST_S:
            lately.popleft()
        return len(lately) > self.world.settings.presses_a_second * BURST_S // 2


def for_the_bot(update: Json, username: str) -> bool:
    """Whether it is a press, words behind the bot's name, an invitation of its own, news of its
    place in a chat, or somebody's command to the bot of that name."""
    if "message" not in update:
        return True
    message = update["message"]
    text, private = str(message.get("text", "")), message["chat"]["type"] == "private"
    if "sender_chat" in message or "forward_origin" in message:
        return False
    if message.get("via_bot", {}).get("username") == username:
        return True
    if not text.startswith("/"):
        return False
    _, _, called = text.split()[0].partition("@")
    return called == username if called else private
