"""Where a soak takes place: people in groups, their Telegram, and the bot's lives one by one."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from games.fairness import Stream
from games.game import Draw
from tgbot import log
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.table import Table
from tgbot.operator import actions
from tgbot.people.people import Who
from tgbot.playground import Chat, Limits, Message, Person, Telegram
from tgbot.soak.life import Life, write
from tgbot.soak.virtual import true_now

T = TypeVar("T")

NAMES = (
    ("Anna", "en"),
    ("Ben <b>", "de"),
    ("\u202e\u05e9\u05dc\u05d5\u05dd", "he"),
    ("🎲🎲", "de"),
    ("\u2060\u200b", "en"),
    ("Eve\nDROP TABLE people; --", "en"),
    ("ﷺ" * 40, "ar"),
    ("Gül & Co", "tr"),
)
RICH = 10_000_019
"""Every other person owns a multiple of this, so that nobody's number is like another's."""
NEAR = 400_000
"""How far what one owns may drift from it; a number that near is theirs."""
STAKES = (0, 5, 101)
UNSHOWN = ("TOPIC_CLOSED", "CHAT_RESTRICTED", "the stars are not right")
"""Lasting refusals of sends and edits, words that nobody knows among them."""
UNTOLD = "member list is inaccessible"
KEPT_PRESSES = 300
CALLED_PERCENT = 40
"""How likely the bot of a seed has a webhook."""
CHANNEL = {"id": -1_009_000_000_001, "type": "channel", "title": "News"}
"""A channel, which is linked to whatever group its posts appear in."""
HOOK = {"webhook_url": "https://dice.example.org/telegram", "webhook_secret": "s0ak_-secret"}


class Plain(Settings):
    """Settings that no machine's environment has a say in."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *others: PydanticBaseSettingsSource,
        **named: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what the soak says."""
        return (init_settings,)


@cache
def empty_database() -> bytes:
    """A database file with every migration applied and nothing in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        values: dict[str, Any] = {"database": f"sqlite:///{path}"}
        open_database(Plain(**values)).close()
        return path.read_bytes()


class World:
    """Everything there is in a soak; `draw` decides what the present step is about."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.folder = folder
        self.draw: Draw = self.stream("world")
        self.telegram = Telegram(now=true_now, limits=Limits())
        self.people = [
            self.telegram.person(name, language_code=code, username=f"person{n}" if n % 3 else None)
            for n, (name, code) in enumerate(NAMES)
        ]
        self.operator = self.telegram.person("Olga", username="olga", language_code="en")
        crowd = [*self.people, self.operator]
        self.groups = [
            self.telegram.group("Round", *crowd[:6], self.operator),
            self.telegram.group("Small", *crowd[2:], supergroup=False),
            self.telegram.group("Forum", *crowd, forum=True),
        ]
        self.telegram.topic(self.groups[2], "Dice")
        self.telegram.topic(self.groups[2], "Talk")
        self.called = self.stream("way")(100) <= CALLED_PERCENT
        """Whether Telegram calls the bot's webhook; else it polls."""
        self.lives = 0
        self.deaths = 0
        self.happened: Counter[str] = Counter()
        """Faults by kind, those of Telegram excepted, which the playground counts."""
        self.away: set[int] = set()
        """Chats the bot could not write to for a while: what it missed there it does not repeat."""
        self.been = {(group.title, user) for group in self.groups for user in group.members}
        """Groups and who has ever been in them."""
        self.outside: set[tuple[str, int]] = set()
        """Games, and who asked for a seat in them without being in their group."""
        self.renamed: set[int] = set()
        """People who changed their name: boards show it from the next time they are read."""
        self.pressed: deque[str] = deque(maxlen=KEPT_PRESSES)
        """Callback data seen on buttons or forged."""
        self.last: tuple[Person, Chat, int, str] | None = None
        """The last press of a button that was there."""
        self.excused_until = 0.0
        """Until when, by the loop's clock, errors may be logged: the disk is full."""
        self.errors: list[str] = []
        self._secrets = 0
        self._keys = 0
        self.settings = self._settings()
        """What the present life runs by."""
        self._furnish()
        self.life = self._born()

    # -- chance -------------------------------------------------------------------------------

    def stream(self, about: str) -> Stream:
        """Numbers that only depend on the seed and what they are about."""
        return Stream(str(self.seed).encode(), about.encode(), 0)

    def pick(self, things: Sequence[T]) -> T:
        """One of them. Raises LookupError where there is none."""
        if not things:
            raise LookupError("there is nothing to choose from")
        return things[self.draw(len(things)) - 1]

    def chance(self, percent: int) -> bool:
        """Whether something of that likelihood happens."""
        return self.draw(100) <= percent

    def _secret(self, size: int) -> bytes:
        self._secrets += 1
        return hashlib.sha512(f"{self.seed}:{self._secrets}".encode()).digest()[:size]

    def key(self) -> str:
        """A key for what is booked beside the bot; clocks that are set tell a time twice."""
        self._keys += 1
        return f"soak {self._keys}"

    # -- the bot ------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        folder = self.folder / f"life{self.lives}"
        values: dict[str, Any] = {
            "bot_token": self.telegram.token,
            "database": f"sqlite:///{folder}/dicehall.db",
            "operators": (self.operator.id,),
            "backup_folder": folder / "backups",
            "levy": 10,
            **(HOOK if self.called else {}),
        }
        return Plain(**values)

    @property
    def _file(self) -> Path:
        return Path(self.settings.database.removeprefix("sqlite:///"))

    def _furnish(self) -> None:
        """People who own something, chats with stakes, rounds planned."""
        (self.folder / "life0").mkdir()
        self._file.write_bytes(empty_database())
        db = open_database(self.settings)
        hall, people = open_hall(db, self.settings)
        at = int(true_now())
        with db.atomic():
            for n, person in enumerate(self.people):
                people.meet(Who(person.id, person.name, person.username or ""), at)
                if n % 2:
                    actions.grant(
                        people, str(person.id), (n + 1) * RICH, "soak", f"soak{n}", now=at
                    )
            for group, stake in zip(self.groups, STAKES, strict=True):
                hall.chats.meet(group.id, group.title)
                hall.chats.set(group.id, "stake", str(stake), 0, at - 10 * 24 * 3600)
            actions.top_up(hall.ledger, 500, "soak", "soak", now=at)
        db.close()

    def _born(self) -> Life:
        life = Life(self.telegram, self.settings, self.stream(f"life {self.lives}"))
        hall = life.bot.hall
        hall.chance.token_bytes = self._secret
        hall.settling.robin.robin_hood.draw = self.stream(f"robin {self.lives}")
        return life

    async def reborn(self, after_s: float = 0.0) -> None:
        """What died is buried and begins anew on what it left."""
        remains = self.life.remains
        await self.life.bury()
        self.lives += 1
        (self.folder / f"life{self.lives}").mkdir()
        self.settings = self._settings()
        write(remains, self._file)
        await asyncio.sleep(after_s)
        self.life = self._born()

    async def restart(self) -> None:
        """The operator restarts the bot."""
        await self.life.stop()
        await self.reborn(1.0)

    async def live(self, seconds: float) -> None:
        """Lets time pass; who dies meanwhile is started again."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while (left := end - clock()) > 0:
            try:
                await asyncio.wait_for(self.life.dead.wait(), left)
            except TimeoutError:
                return
            self.deaths += 1
            downtime = self.stream(f"down {self.lives}")
            await self.reborn(downtime(3600) if downtime(10) == 1 else downtime(3))

    # -- looking ------------------------------------------------------------------------------

    @property
    def tables(self) -> list[Table]:
        """The open games as the bot has them in hand."""
        seen = self.life.bot.hall.tables.seen
        return sorted((t for t in seen.values() if t.open), key=lambda t: t.id)

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the committed database."""
        return list(self.life.clerk.db.execute_sql(query, values).fetchall())

    def may_pin(self, chat_id: int) -> bool:
        """Whether the bot is a group's admin and may pin messages there."""
        chat = self.telegram.chats[chat_id]
        return chat.bot_status == "administrator" and "can_pin_messages" not in chat.bot_lacks

    def let_pin(self) -> None:
        """Every group the bot is in lets it pin and unpin."""
        for chat in self.chats:
            if chat.bot_status not in ("left", "kicked") and chat.migrated_to is None:
                self.telegram.promote(chat, self.telegram.bot, "administrator")

    def came(self, chat: Chat, person: Person) -> None:
        """Somebody is in a group from now on."""
        self.been.add((chat.title, person.id))
        self.outside = {(game, user) for game, user in self.outside if user != person.id}

    @property
    def chats(self) -> list[Chat]:
        """Every group there is, also those a migration left behind or made."""
        return [chat for chat in self.telegram.chats.values() if chat.is_group]

    def boards(self, chat: Chat) -> list[Message]:
        """The bot's messages with buttons, newest last."""
        return [
            m for m in self.telegram.messages(chat) if m.buttons and m.sender is self.telegram.bot
        ]

    def name(self, person: Person) -> str:
        """A person, readable in a script."""
        return f"person {self.people.index(person)}" if person in self.people else "the operator"

    # -- logs ---------------------------------------------------------------------------------

    def logged(self, record: logging.LogRecord) -> None:
        """Keeps what the bot logged as an error, unless the disk is full."""
        line = log.redact(_line(record))
        if self.telegram.token in _line(record):
            self.errors.append("the token is in the log")
        if record.levelno < logging.ERROR or self.life.dead.is_set():
            return
        if any(words.lower() in line.lower() for words in UNSHOWN):
            return  # the operator is to hear of it
        if asyncio.get_running_loop().time() >= self.excused_until:
            self.errors.append(line)


class Memory(logging.Handler):
    """Hands what was logged to a world."""

    def __init__(self, heard: Callable[[logging.LogRecord], None]) -> None:
        super().__init__()
        self.heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        """One record."""
        self.heard(record)


def _line(record: logging.LogRecord) -> str:
    """What a record says, with the error it was logged for."""
    event = record.msg if isinstance(record.msg, dict) else {"event": record.getMessage()}
    error = event.get("exc_info") or record.exc_info
    if error is True:
        error = sys.exc_info()
    if isinstance(error, tuple):
        error = error[1]
    words = " ".join(f"{k}={v}" for k, v in event.items() if k not in ("exc_info", "timestamp"))
    return f"{words} {error!r}" if error else words
