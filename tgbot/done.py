"""What a use case wants to be seen: a toast, messages, boards that are out of date."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from games.game import Text
from tgbot import press
from tgbot.words import Words

Row = tuple["Key", ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A button of a message: callback data or an address, and Telegram's style."""

    label: Text
    data: str = ""
    style: str | None = None
    url: str = ""


def key(label: Text, scope: str, code: str, *, rev: int = 0, style: str | None = None) -> Key:
    """A button that says `scope:rev:code`."""
    return Key(label, press.encode(scope, code, rev), style)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture still to be drawn: `draw(words, language)` gives a PNG, in a thread of its own.

    Drawings with one `key` look the same in one language.
    """

    key: tuple[object, ...]
    draw: Callable[[Words, str], bytes]


@dataclass(frozen=True, slots=True)
class Say:
    """A message to send, or with `edit` to put in the place of an older one of the bot's."""

    chat_id: int
    text: Text
    language: str
    keys: tuple[Row, ...] = ()
    topic: int = 0
    reply_to: int = 0
    edit: int = 0
    names: tuple[str, ...] = ()
    """Names that `Name(0)`, `Name(1)` … in the text stand for."""
    receipt: int = 0
    """The id of the newest notice in it: once it has arrived, all up to that one are deleted."""
    picture: Drawing | bytes = b""
    """A picture above the text: how to draw it, or the PNG."""
    file: tuple[str, bytes] | None = None
    """A file above the text: its name and what is in it."""
    asks_of: str = ""
    """The id of the game that it asks something about: once that is over its keys go."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a use case.

    `games` are the ids of games whose boards are out of date, `soon` those whose boards may wait a
    little for more of the kind. `start` is the payload of a deep link into the private chat, for a
    press that leads there. `language` is that of the toast where it is not the asker's. `later` is
    work that takes its time: it is called after the commit, in a thread of its own, where a mind
    `thinks` in the minds', and what it answers is shown then; a press that has no toast yet waits
    for it. What it answers may be a use case to be made `then`, which is told what time it is.
    In the chats of `pins` something is to be pinned or unpinned.
    """

    toast: Text | None = None
    alert: bool = False
    say: tuple[Say, ...] = ()
    games: tuple[str, ...] = ()
    soon: tuple[str, ...] = ()
    start: str = ""
    language: str = ""
    later: Callable[[], Done] | None = None
    thinks: bool = False
    then: Callable[[int], Done] | None = None
    pins: tuple[int, ...] = ()

    @property
    def unanswered(self) -> bool:
        """Whether a press waits for what comes `later`."""
        return bool(self.later) and not (self.toast or self.start)


NOTHING = Done()


def grid(keys: Iterable[Key], columns: int) -> tuple[Row, ...]:
    """Keys in rows of at most `columns`."""
    row = list(keys)
    return tuple(tuple(row[i : i + columns]) for i in range(0, len(row), columns))
