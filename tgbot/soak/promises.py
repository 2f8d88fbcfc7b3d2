"""What must hold after every step of a soak, and once all faults are over."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator

from economy.ledger import COINS
from games.game import HOUSE
from tgbot.hall.daily.dailies import MORNING_HOUR
from tgbot.hall.daily.days import later
from tgbot.hall.table import Showing, Table
from tgbot.hall.verify import verification
from tgbot.operator import digest
from tgbot.outbound import boards
from tgbot.playground import Message, Person
from tgbot.playground.model import Call
from tgbot.press import decode
from tgbot.soak import rows
from tgbot.soak.events.telegram import BRINGING
from tgbot.soak.updates import Updates
from tgbot.soak.virtual import now
from tgbot.soak.world import CHANNEL, NEAR, RICH, UNSHOWN, UNTOLD, World

LATE_S = 30
"""How late a due row may be once all is quiet."""
MOST_TASKS = 20
"""More than there are at rest, however many chats there were."""
RINGS = "bell:0:join "
EXPECTED = (
    *map(str.lower, UNSHOWN),
    "is not modified",
    "message to edit not found",
    "message can't be edited",
    "message thread not found",
    "query is too old",
    "too many requests",
    "bad gateway",
    "conflict",
    "bot was blocked",
    "bot was kicked",
    "bot is not a member",
    "bot can't initiate conversation",
    "upgraded to a supergroup",
    "not enough rights to manage pinned",
    "pin not found",
    "chat not found",
    UNTOLD,
)
"""What Telegram may refuse a bot that does nothing wrong."""
AFTERWARDS = {"again", "verify", "sheets", "analysis", "sign", "name", "rules", "stop", "quit",
              "practise"}  # fmt: skip
"""What the buttons of a finished game may still say; `quit` is of a question, and refused then."""


_NUMBERS = re.compile(r"(?<!\w)(?:[0-9]{1,3}(?:[.,\u00a0\u202f][0-9]{3})+|[0-9]{7,})(?!\w)")


class Watch:
    """Looks at a world; remembers what it has looked at already."""

    def __init__(self, world: World, updates: Updates) -> None:
        self.world = world
        self.updates = updates
        self._calls = 0
        self._errors = 0
        self._version = (-1, -1)
        self._read: dict[int, int] = {}
        """Up to which message each chat was looked at."""
        self._told: Counter[tuple[int, str]] = Counter()
        """What bells have said to whom, by the button that takes a seat."""

    def broken(self) -> list[str]:
        """The promises broken at this moment."""
        return [
            *self._bot(),
            *self._calls_made(),
            *self._rung(),
            *self.updates.lost(),
            *self._rows(),
            *self._painted(),
        ]

    def broken_at_rest(self) -> list[str]:
        """The promises broken although nothing goes wrong any more."""
        return [
            *self.broken(),
            *self.updates.lost(at_rest=True),
            *self._at_rest(),
            *self._pins(),
            *self._dailies(),
            *self._idle(),
            *self._fair(),
            *digest.problems(self.world.life.clerk.db),
            *self._buttons(),
        ]

    # -- the bot and Telegram -----------------------------------------------------------------

    def _bot(self) -> Iterator[str]:
        if failed := self.world.life.failed:
            yield f"the bot ended: {failed!r}"
        new, self._errors = self.world.errors[self._errors :], len(self.world.errors)
        yield from (f"logged: {error}" for error in new)

    def _calls_made(self) -> Iterator[str]:
        log = self.world.telegram.log
        new = [log[n] for n in range(self._calls, len(log))]
        self._calls = len(log)
        for call in new:
            if call.status not in (0, 200):
                yield from self._refused(call)
            if call.params.get("chat_id") == CHANNEL["id"]:
                yield f"a channel is written to: {call.method} {call.params}"
            if call.method in ("sendMessage", "editMessageText", "sendPhoto"):
                yield from self._where(call)
                chat = self.world.telegram.chats.get(int(call.params.get("chat_id") or 0))
                said = str(call.params.get("text") or call.params.get("caption"))
                yield from self._private(said, chat.person if chat else None)
            elif call.method == "answerCallbackQuery":
                query = self.world.telegram.queries.get(str(call.params["callback_query_id"]))
                said = str(call.params.get("text") or "")
                yield from self._private(said, query.person if query else None)

    def _where(self, call: Call) -> Iterator[str]:
        """Boards of a game come to its chat, and to the private ones of those who play."""
        chat_id, keys = int(call.params.get("chat_id") or 0), call.params.get("reply_markup") or {}
        said = [decode(k.get("callback_data")) for r in keys.get("inline_keyboard", ()) for k in r]
        for game in sorted({it.scope for it in said if it}):
            homes = {
                home
                for (home,) in self.world.sql(
                    "SELECT chat_id FROM games WHERE id = ?1 UNION "
                    "SELECT user_id FROM seats WHERE game_id = ?1", game
                )
            }  # fmt: skip
            chat = self.world.telegram.chats.get(chat_id)
            if homes and chat_id not in homes and not (chat and chat.migrated_to in homes):
                yield f"a board of {game} comes to {chat_id}, not to {sorted(homes)}: {call.params}"

    def _rung(self) -> Iterator[str]:
        """A bell tells nobody twice of the same game."""
        for chat in self.world.telegram.chats.values():
            known, self._read[chat.id] = self._read.get(chat.id, 0), chat.last_message_id
            for n in range(known + 1, chat.last_message_id + 1):
                for row in chat.messages[n].buttons if chat.person else ():
                    told = [str(k.get("callback_data")) for k in row]
                    self._told.update((chat.id, data) for data in told if RINGS in data)
        for (chat_id, data), n in self._told.items():
            if n > 1:
                yield f"the bell of {chat_id} has rung {n} times: {data}"

    def _refused(self, call: Call) -> Iterator[str]:
        if call.method == "editMessageReplyMarkup" or call.method in BRINGING:
            return  # an old board may be gone, another process may poll, an answer look final
        if not any(expected in call.reason.lower() for expected in EXPECTED):
            yield f"Telegram refused {call.method} {call.params}: {call.reason}"

    def _private(self, said: str, reader: Person | None) -> Iterator[str]:
        """Numbers in a text that are somebody else's (each owner has a range of their own)."""
        if reader is self.world.operator:
            return
        for digits in _NUMBERS.findall(said):
            number = int(re.sub(r"[^0-9]", "", digits))
            for n, person in enumerate(self.world.people):
                if n % 2 and abs(number - (n + 1) * RICH) < NEAR and reader is not person:
                    yield f"what {self.world.name(person)} owns is shown to others: {said!r}"

    def _rows(self) -> Iterator[str]:
        # Cheap to ask: nothing was committed, so nothing has changed.
        version = (self.world.lives, self.world.life.clerk.commits)
        if version == self._version or self.world.life.dead.is_set():
            return
        self._version = version
        yield from rows.broken(self.world)

    # -- boards -------------------------------------------------------------------------------

    def _painted(self) -> Iterator[str]:
        if self.world.life.dead.is_set():
            return
        store = self.world.life.bot.hall.store
        due = self.world.sql("SELECT ref FROM due WHERE kind = 'game' AND at <= ?", int(now()))
        for table in self.world.tables:
            if (table.id,) in due:
                continue  # the command line has changed it, which the next look will see
            if store.stamp(table.id) != table.stamp:
                yield f"the picture of {table.id} is not the one that is committed"
            table = table.changed(selections=store.selections.of(table))
            for showing in table.showings:
                message = self._message(showing)
                if message and showing.message_id and not showing.behind:
                    yield from self._differs(table, showing, message)

    def _message(self, showing: Showing) -> Message | None:
        chat = self.world.telegram.chats.get(showing.chat_id)
        message = chat.messages.get(showing.message_id) if chat else None
        if message is None or message.deleted or showing.chat_id in self.world.away:
            return None
        return message

    def _differs(self, table: Table, showing: Showing, message: Message) -> Iterator[str]:
        if message.chat.topics and showing.topic not in (0, message.topic):
            yield f"the board of {table.id} is in thread {message.topic}, not {showing.topic}"
        newest = boards.message(table, showing.seat, self.world.life.bot.words, now())
        rows = newest.keyboard["inline_keyboard"] if newest.keyboard else []
        keys = [[k.get("callback_data") for k in row] for row in rows]
        offered = [[k.get("callback_data") for k in row] for row in message.buttons]
        if offered != keys:
            yield f"the board of {table.id} offers {offered}, not {keys}"
        if any(sitting.user_id in self.world.renamed for sitting in table.sittings):
            return
        wanted, there = _words(newest.html), _words(message.html)
        if showing.seat != HOUSE and table.open:
            # Below the first line is how the others stood at one's own last press.
            wanted, there = (said.partition("\n")[0] for said in (wanted, there))
        if wanted != there:
            yield f"the board of {table.id} says {message.html!r}, not {newest.html!r}"

    # -- at rest ------------------------------------------------------------------------------

    def _at_rest(self) -> Iterator[str]:
        for game, kind, status in self.world.sql(
            "SELECT id, kind, status FROM games WHERE status IN ('lobby', 'running')"
        ):
            yield f"{kind} {game} is still in state {status}"
        for kind, ref, at in self.world.sql("SELECT kind, ref, at FROM due"):
            if at < now() - LATE_S:
                yield f"{kind} {ref} was due {now() - at:.0f} s ago"
        for game, seat in self.world.sql(
            "SELECT game_id, seat FROM showings WHERE painted < board"
        ):
            yield f"a board of {game} (seat {seat}) is not painted"
        if backlog := self.world.life.bot.painter.backlog():
            yield f"{backlog} messages still wait"
        if waiting := len(self.world.telegram.queue.pending):
            yield f"{waiting} updates still wait"
        if rows := self.world.sql("PRAGMA integrity_check")[0][0] != "ok":
            yield f"the file is damaged: {rows}"
        for account, n in self.world.sql(
            "SELECT ref, balance FROM accounts WHERE kind = 'escrow' AND balance <> 0"
        ):
            yield f"the escrow of {account} still holds {n} {COINS}"

    def _pins(self) -> Iterator[str]:
        """Nothing stays pinned where the bot may unpin it: no lobby is open any more."""
        for chat in self.world.chats:
            if chat.pinned and not chat.migrated_to and self.world.may_pin(chat.id):
                yield f"{chat.pinned} of {chat.title!r} are still pinned"

    def _dailies(self) -> Iterator[str]:
        """A day that is over is shown to be, and whoever wanted to know how it ended was told."""
        days = self.world.life.bot.hall.dailies.days
        for day, secret, done, bell in self.world.sql(
            "SELECT a.day, d.secret, a.done, a.bell FROM attempts a JOIN days d ON d.day = a.day"
        ):
            if days.ends(day) + LATE_S < now() and (not secret or not done):
                yield f"the daily of {day} is over, and an attempt or its secret says otherwise"
            if days.starts(later(day), MORNING_HOUR) + LATE_S < now() and bell:
                yield f"it is the morning after {day}, and somebody waits to be told"

    def _idle(self) -> Iterator[str]:
        """Chats in which nothing happens cost nothing (SURVIVE 39)."""
        if (tasks := len(asyncio.all_tasks())) > MOST_TASKS:
            yield f"{tasks} tasks are left although nothing is to be done"

    def _fair(self) -> Iterator[str]:
        hall = self.world.life.bot.hall
        for (game,) in self.world.sql("SELECT id FROM games WHERE status = 'over'"):
            found = verification(hall.store, hall.sealing, hall.store.read(game, None))
            if found.wrong:
                yield f"throws {found.wrong} of {game} cannot be recomputed"

    def _buttons(self) -> Iterator[str]:
        """No finished game offers a move, and none shows its result twice."""
        games = {game for (game,) in self.world.sql("SELECT id FROM games")}
        for chat in self.world.telegram.chats.values():
            if chat.bot_status in ("left", "kicked") or chat.migrated_to or (
                chat.person and chat.person.blocked
            ):  # fmt: skip
                continue
            results: dict[str, int] = {}
            for message in self.world.boards(chat):
                said = [decode(k.get("callback_data")) for row in message.buttons for k in row]
                for it in said:
                    if it and it.scope in games and it.code.split()[0] not in AFTERWARDS:
                        yield f"message {message.id} of {chat.title!r} still offers {it}"
                        break
                if any(it and it.scope == "daily" for it in said):
                    continue  # where an attempt stands is shown as often as somebody asks
                if verifies := next((it for it in said if it and it.code == "verify"), None):
                    results[verifies.scope] = results.get(verifies.scope, 0) + 1
            yield from (f"{game} shows {n} results" for game, n in results.items() if n > 1)


def _words(markup: str) -> str:
    """A board's words without what tells the time: its end is noted a moment after it was sent."""
    return re.sub(r"<tg-time[^>]*>[^<]*</tg-time>", "", markup)
