"""The real bot on the playground, in virtual time, with a real SQLite file: what tests play in."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from economy import database
from economy.audit import Audit, prove
from games.fairness import secret_of
from games.fifty.rules import LIMITS
from games.game import text
from tgbot.app import Dicehall
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.log import setup
from tgbot.playground import Chat, Limits, Message, Person, Telegram
from tgbot.playground.inprocess import InProcessRequest
from tgbot.playground.model import Call
from tgbot.soak.virtual import now
from tgbot.soak.world import empty_database

BREATH_S = 1.2
"""Longer than the gap the painter keeps between two messages in a chat."""
LONGEST_END_S = 6
"""How long the end of a scene may take to be shown."""
POOLS = ("4+20", "4+12", "4+10")
"""What `House.game` throws in each round: two dice that can show any sum from 2 on."""


class Memory(logging.Handler):
    """Keeps what was logged: `(level, event)`."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []
        self.traced: list[str] = []
        """The events told with a traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        said = record.msg if isinstance(record.msg, dict) else {"event": record.getMessage()}
        self.lines.append((record.levelname, str(said["event"])))
        if record.exc_info or said.get("exc_info"):
            self.traced.append(str(said["event"]))

    def said(self, level: str) -> list[str]:
        """The events of that level."""
        return [event for name, event in self.lines if name == level]


@dataclass(frozen=True)
class Table:
    """A game as its rows say: who opened it when, who sits there, when its time is over."""

    id: str
    status: str
    opener: int
    stake: int
    opened_at: int
    people: list[Person]
    due_at: int


@dataclass
class House:
    """A group of Anna (its creator), Ben and Cem, and the bot that serves it.

    `rolls` are the dice to come, first to last; once they are used up, every die shows 1. When a
    test is over the books must be clean, nothing may have been logged as an error, and Telegram may
    have refused nothing; a test that breaks something on purpose is `excused` from `errors` or
    `refusals`.
    """

    telegram: Telegram
    settings: Settings
    anna: Person
    ben: Person
    cem: Person
    group: Chat
    log: Memory
    rolls: list[int] = field(default_factory=list)
    excused: set[str] = field(default_factory=set)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """The bot's calls that Telegram refused, with its reasons."""
    received: list[dict[str, Any]] = field(default_factory=list)
    """The updates that were handed out to the bot."""
    bot: Dicehall | None = None
    _drawn: list[int] = field(default_factory=list)
    """Dice of the transaction under way: done again, it draws the same ones."""
    _running: asyncio.Task[None] | None = None

    # -- the bot ------------------------------------------------------------------------------

    async def start(self) -> None:
        """Starts the bot and lets it catch up."""
        request = InProcessRequest(self.telegram)
        bot = self.bot = Dicehall(
            self.settings,
            open_database(self.settings),
            request=request,
            poll_request=request,
            webhook=bool(self.settings.webhook_url),
            now=now,
        )
        bot.hall.chance.stream = lambda secret, part, move: self._draw
        bot.clerk.on_commit.append(self._drawn.clear)
        bot.clerk.on_rollback.append(self._put_back)

        def busy() -> bool:
            # A stopped bot does nothing more, whatever was handed to it.
            return bool(self._running and bot is self.bot and bot.clerk.outstanding)

        asyncio.get_running_loop().busy.append(busy)
        self._running = asyncio.create_task(bot.run())
        await self.breathe(3)

    def _draw(self, sides: int) -> int:
        if self.rolls:
            value = self.rolls.pop(0)
            self._drawn.append(value)
        else:
            value = 1
        assert 1 <= value <= sides, f"the script says {value} for a die of {sides}"
        return value

    def _put_back(self) -> None:
        self.rolls[:0] = self._drawn
        self._drawn.clear()

    async def stop(self) -> None:
        """Stops the bot as a signal would."""
        if self._running:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
            self._running = None

    async def away(self, seconds: float) -> None:
        """Lets much time pass while the bot is down: days of polling take their time too."""
        await self.stop()
        await self.breathe(seconds)
        await self.start()

    async def redeliver(self, *updates: dict[str, Any]) -> None:
        """Telegram hands out updates once more, as to a process that could not confirm them."""
        self.excused.add("refusals")  # a press is answered only once
        self.telegram.queue._replays.extend(updates)
        self.telegram.queue.wake()
        await self.breathe(3)

    async def look(self) -> None:
        """Has the clock look at once, as it would within 20 seconds."""
        assert self.bot
        await self.bot.clock.look()
        await self.breathe()

    async def breathe(self, seconds: float = BREATH_S) -> None:
        """Lets time pass, and more of it while a board shows step by step how its scene ended."""
        await asyncio.sleep(seconds)
        for _ in range(LONGEST_END_S):
            if not self.bot or not self.bot.painter.ends_a_scene():
                return
            await asyncio.sleep(1)

    def audit(self) -> Audit:
        """The audit of the database file, read beside the running bot."""
        db = database.connect(self.settings.database)
        try:
            held = [
                row[0]
                for row in db.execute_sql(
                    "SELECT id FROM games WHERE status IN ('lobby', 'running')"
                )
            ]
            return prove(db, held)
        finally:
            db.close()

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the database file."""
        db = database.connect(self.settings.database)
        try:
            return list(db.execute_sql(query, values).fetchall())
        finally:
            db.close()

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything the database holds but the notes of applied updates."""
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        db = database.connect(self.settings.database)
        try:
            names = [name for (name,) in db.execute_sql(tables).fetchall() if name != "updates"]
            return {name: db.execute_sql(f"SELECT * FROM {name}").fetchall() for name in names}
        finally:
            db.close()

    @contextlib.asynccontextmanager
    async def nothing_written(self) -> AsyncIterator[None]:
        """What is done inside leaves no trace in the database."""
        await self.breathe(5)
        before = self.rows()
        yield
        await self.breathe()
        assert self.rows() == before

    def held(self, kind: str, ref: object = "", currency: str = "coins") -> int:
        """What is in an account."""
        rows = self.sql(
            "SELECT coalesce(sum(p.amount), 0) FROM postings p JOIN accounts a "
            "ON a.id = p.account_id WHERE a.kind = ? AND a.ref = ? AND a.currency = ?",
            kind,
            str(ref),
            currency,
        )
        return rows[0][0]

    def coins(self, person: Person) -> int:
        """What a person owns."""
        return self.held("wallet", person.id)

    def points(self, person: Person) -> int:
        """How many Fifty! points a person has."""
        return self.held("wallet", person.id, "fifty")

    def jackpot(self, currency: str = "coins", chat: Chat | None = None) -> int:
        """What is in the group's jackpot."""
        return self.held("jackpot", (chat or self.group).id, currency)

    def secrets(self) -> dict[str, bytes]:
        """The secret of every game, also of those that are open."""
        assert self.bot
        key = self.settings.dice_key()
        rows = self.sql("SELECT id, nonce FROM games")
        return {game_id: secret_of(key, game_id, bytes(nonce)) for game_id, nonce in rows}

    def table(self, chat: Chat | None = None) -> Table:
        """The newest game of the group."""
        ((game_id, status, opener, stake, opened),) = self.sql(
            "SELECT id, status, opener, stake, opened_at FROM games WHERE chat_id = ? "
            "ORDER BY rowid DESC LIMIT 1",
            (chat or self.group).id,
        )
        seats = self.sql(
            "SELECT user_id FROM seats WHERE game_id = ? AND left_at = 0 ORDER BY id", game_id
        )
        due = self.sql("SELECT at FROM due WHERE kind = 'game' AND ref = ?", game_id)
        people = [self.telegram.people[user] for (user,) in seats]
        return Table(game_id, status, opener, stake, opened, people, due[0][0] if due else 0)

    def calls(self, *methods: str, chat: Chat | None = None) -> list[Call]:
        """The bot's calls of these methods, to the group or another chat, oldest first."""
        place = str((chat or self.group).id)
        return [
            call
            for call in self.telegram.log
            if call.method in methods and str(call.params.get("chat_id")) == place
        ]

    def written(self, chat: Chat | None = None) -> list[Call]:
        """The sends and edits to a chat."""
        return self.calls(
            "sendMessage",
            "sendDocument",
            "editMessageText",
            "editMessageReplyMarkup",
            chat=chat or self.group,
        )

    def says(self, key: str, language: str = "en", **args: Any) -> str:
        """A sentence of the bot, without markup."""
        assert self.bot
        return self.bot.words.plain(text(key, **args), language)

    def heard(self, chat: Chat | None = None) -> list[str]:
        """The texts of the bot that stand in a chat, oldest first."""
        messages = self.telegram.messages(chat or self.group)
        return [m.text for m in messages if m.sender is self.telegram.bot and m.service is None]

    def kept(self) -> list[str]:
        """What went wrong that no test may pass with."""
        audit = self.audit()
        wrong = [*audit.problems, *(f"{c}: {n}" for c, n in audit.sums.items() if n)]
        if "errors" not in self.excused:
            wrong += self.log.said("ERROR")
        if "refusals" not in self.excused:
            # "not modified" is success; an old board may be gone before its keyboard is taken
            wrong += [
                f"{method}: {reason}"
                for method, reason in self.refused
                if method != "editMessageReplyMarkup" and "is not modified" not in reason
            ]
        return wrong

    # -- people -------------------------------------------------------------------------------

    def say(self, person: Person, text: str, chat: Chat | None = None, **more: Any) -> Message:
        """Somebody writes; a command in the group is addressed to the bot."""
        chat = chat or self.group
        if text.startswith("/") and chat.type != "private" and "@" not in text:
            command, _, words = text.partition(" ")
            text = f"{command}@{self.telegram.bot.username} {words}".strip()
        return self.telegram.say(person, chat, text, **more)

    async def press(self, person: Person, button: str, message: Message | None = None) -> str:
        """Presses a button of the newest board; answers the toast."""
        board = message or self.board()
        query = self.telegram.press(person, board.chat, board.id, button)
        await self.breathe(0.05)
        toast = self.telegram.toast(query)
        return (toast.text or "") if toast else ""

    async def forge(self, person: Person, data: str, message: Message | None = None) -> str:
        """Presses a button that is not there (any more); answers the toast."""
        board = message or self.board()
        query = self.telegram.press_data(person, board.chat, board.id, data)
        await self.breathe(0.05)
        toast = self.telegram.toast(query)
        return (toast.text or "") if toast else ""

    async def ask(self, person: Person, text: str, chat: Chat | None = None, **more: Any) -> str:
        """Writes something and reads the bot's newest message after it."""
        self.say(person, text, chat, **more)
        await self.breathe()
        return str(self.telegram.last(chat or self.group).text)

    def private(self, person: Person) -> Chat:
        """A person's private chat with the bot."""
        return self.telegram.private(person)

    def board(self) -> Message:
        """The newest message of the bot with buttons in the group."""
        return self.telegram.last(self.group, buttons=True)

    def friends(self, number: int) -> list[Person]:
        """So many more people in the group."""
        first = len(self.telegram.people)
        people = [self.telegram.person(f"P{first + n:02}") for n in range(1, number + 1)]
        for person in people:
            self.telegram.join(self.group, person)
        return people

    async def stake(self, coins: int) -> None:
        """Anna sets the group's stake."""
        self.say(self.anna, f"/settings stake {coins}")
        await self.breathe()

    async def open(self, *players: Person, kind: str = "fifty", start: bool = True) -> None:
        """The first player opens a game, the players join, Anna starts it.

        Opening a free game is joining it.
        """
        opener = players[0] if players else self.anna
        self.say(opener, f"/{kind}")
        await self.breathe()
        for player in players if self.table().stake else players[1:]:
            await self.press(player, "✅")
        await self.breathe()
        if start:
            await self.press(self.anna, "▶️")
            await self.breathe(2)

    def limits(self, *limits: int) -> None:
        """The limits of the next game."""
        self.rolls.append(LIMITS.index(limits) + 1)

    async def leave(self, person: Person, chat: Chat | None = None) -> None:
        """Types /leave, and agrees to it where that is asked."""
        said = self.say(person, "/leave", chat)
        for _ in range(3):
            await self.breathe()
            for message in self.telegram.messages(chat or self.group):
                data = [key.get("callback_data", "") for row in message.buttons for key in row]
                if message.id > said.id and any(":quit " in code for code in data):
                    await self.forge(person, data[0], message)
                    await self.breathe()
                    return

    async def begin(
        self, *players: Person, limits: tuple[int, ...] = (15, 22, 13), stake: int = 0
    ) -> None:
        """A game in its first round."""
        if stake:
            await self.stake(stake)
        await self.open(*players, start=False)
        self.limits(*limits)
        await self.press(self.anna, "▶️")
        await self.breathe(2)

    async def throw(
        self, person: Person, pool: str, *dice: int, board: Message | None = None
    ) -> str:
        """Picks dice by their buttons and throws them, to show `dice`; answers the toast."""
        for die in pool.split("+"):
            await self.press(person, f"d{die}", board)
        self.rolls += dice
        return await self.press(person, "🎲", board)

    async def typed(self, person: Person, pool: str, *dice: int, chat: Chat | None = None) -> None:
        """Throws by a command, to show `dice`."""
        self.rolls += dice
        self.say(person, f"/d {pool}", chat)
        await self.breathe(0.1)

    async def score(self, person: Person, pool: str, total: int) -> None:
        """Throws a pool of two dice by a command, to bring `total`."""
        await self.typed(person, pool, *showing(pool, total))

    async def game(
        self, scores: Mapping[Person, Sequence[int]], limits: Sequence[int] = (15, 22, 13)
    ) -> None:
        """A game from lobby to result in which everybody scores as said; who busts stops there."""
        await self.open(*scores, start=False)
        self.limits(*limits)
        await self.press(self.anna, "▶️")
        for number, pool in enumerate(POOLS):
            await self.breathe()
            for person, totals in scores.items():
                if number < len(totals):
                    await self.score(person, pool, totals[number])
        await self.breathe(3)


def showing(pool: str, total: int) -> list[int]:
    """Open dice that a pool of two shows for a sum: the first die low, the second the rest."""
    first, second = map(int, pool.split("+"))
    low = next(n for n in range(1, first) if (total - n) % second)
    again, face = divmod(total - low, second)
    return [low, *[second] * again, face]


async def running_house(folder: Path, limits: Limits, **settings: Any) -> AsyncIterator[House]:
    """One house with a bot that runs, until the test is over; then it is held to what it kept."""
    setup("warning")
    log = Memory()
    logging.getLogger().addHandler(log)
    telegram = Telegram(now=now, limits=limits)
    anna = telegram.person("Anna", language_code="en")
    ben = telegram.person("Ben", language_code="en")
    cem = telegram.person("Cem", language_code="de")
    group = telegram.group("Round", anna, ben, cem)
    (folder / "dicehall.db").write_bytes(empty_database())
    settings = {
        "database": f"sqlite:///{folder}/dicehall.db",
        "backup_folder": folder / "backups",
        **({"answers_a_minute": 10**6} if limits.off else {}),
        **settings,
    }
    set_so = Settings(_env_file=None, bot_token=telegram.token, **settings)
    house = House(telegram, set_so, anna, ben, cem, group, log)
    call = telegram.call

    async def noting(method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, body = await call(method, params)
        if status != 200:
            house.refused.append((method, body["description"]))
        elif method == "getUpdates":
            house.received += body["result"]
        return status, body

    telegram.call = noting
    await house.start()
    try:
        yield house
    finally:
        await house.stop()
        logging.getLogger().removeHandler(log)
    assert house.kept() == []
