"""What the admins of a group decide: every setting is one declaration here, and its words.

The panel of `/settings` shows the line `settings.NAME` of `it` and a button for each value, which
says `settings.NAME_VALUE`. `/settings NAME VALUE` sets it as well, `/settings 7` a stake. The
settings of `COLUMNS` have a column of `models.ChatRow` each; any other is kept in its column `more`
and needs none: `chat.value("NAME")` is what it is set to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from games import registry
from games.game import Refusal, Text, text
from tgbot.words import LANGUAGES, native_name

HIGHEST_STAKE = 101


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The settings of a group as they stand; `topics` empty means anywhere."""

    chat_id: int
    title: str
    language: str
    stake: int
    openers: str
    topics: tuple[int, ...]
    free_until: int
    games: tuple[str, ...] = ()
    pace: int = 0
    may_pin: bool | None = None
    """Whether the bot may pin messages; None where nobody has told."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Those without a column, as far as they were ever set."""

    def allows(self, kind: str) -> bool:
        """Whether a kind of game may be opened here."""
        return not self.games or kind in self.games

    def value(self, name: str) -> str:
        """What a setting without a column is set to: the first of its values where it never was."""
        return self.more.get(name) or SETTINGS[name].values[0]


@dataclass(frozen=True, slots=True)
class Button:
    """A value that can be chosen in the panel."""

    value: str
    label: Text
    chosen: bool


@dataclass(frozen=True)
class Setting:
    """A setting that has one of some `values`, the first where nobody has chosen.

    Kinds of settings with other rules override what differs. `topic` is the thread asked from.
    """

    name: str
    values: tuple[str, ...]

    @property
    def usage(self) -> str:
        """How it is typed: `/settings NAME VALUE`."""
        return f"{self.name} {'|'.join(self.values)}"

    def stored(self, value: str, now: ChatSettings, topic: int) -> object:
        """What is kept for a value. Raises `Refusal` for one it cannot have."""
        if value not in self.values:
            raise unknown()
        return value

    def value(self, now: ChatSettings) -> str:
        """The value it has."""
        return now.value(self.name)

    def label(self, value: str) -> Text:
        """What the button of a value says."""
        return text(f"settings.{self.name}_{value}")

    def shown(self, now: ChatSettings, topic: int) -> Text | None:
        """The value as the panel's line tells it; None where there is no line."""
        return self.label(self.value(now))

    def buttons(self, now: ChatSettings, topic: int) -> list[Button]:
        """Its buttons in their order, at most four in a row."""
        return [Button(it, self.label(it), it == self.value(now)) for it in self.values]


class Stake(Setting):
    """The Knuddels everybody brings to a game; any number up to `HIGHEST_STAKE` can be typed."""

    usage = f"stake 0–{HIGHEST_STAKE}"

    def stored(self, value: str, now: ChatSettings, topic: int) -> object:
        """The number. Raises `Refusal` for anything but plain digits, and beyond the most."""
        plain = value.isascii() and value.isdigit() and len(value) <= 3
        if not plain or int(value) > HIGHEST_STAKE:
            raise Refusal("settings.bad_stake", most=HIGHEST_STAKE)
        return int(value)

    def value(self, now: ChatSettings) -> str:
        """The stake in digits."""
        return str(now.stake)

    def label(self, value: str) -> Text:
        """The number itself."""
        return text("just", it=value)

    def shown(self, now: ChatSettings, topic: int) -> Text | None:
        """The number, or that there is none."""
        return super().shown(now, topic) if now.stake else text("settings.no_stake")


class Language(Setting):
    """The language of the group's boards."""

    def value(self, now: ChatSettings) -> str:
        """Its code."""
        return now.language

    def label(self, value: str) -> Text:
        """What a language calls itself."""
        return text("just", it=native_name(value))


class Openers(Setting):
    """Who may open games."""

    def value(self, now: ChatSettings) -> str:
        """`anyone` or `admins`."""
        return now.openers


class Games(Setting):
    """The games that may be opened: a value switches one of them on or off."""

    usage = "games NAME"

    def stored(self, value: str, now: ChatSettings, topic: int) -> object:
        """Those allowed then, none listed where all are. Raises `Refusal` where none were left."""
        if value not in registry():
            raise unknown()
        allowed = [kind for kind in registry() if now.allows(kind) != (kind == value)]
        if not allowed:
            raise Refusal("settings.one_game")
        return "" if len(allowed) == len(registry()) else ",".join(allowed)

    def shown(self, now: ChatSettings, topic: int) -> Text | None:
        """Those allowed, each with the icon its button has."""
        allowed = (game for kind, game in registry().items() if now.allows(kind))
        titles = tuple(text("settings.game", icon=it.icon, game=it.title()) for it in allowed)
        return text("settings.list", them=titles)

    def buttons(self, now: ChatSettings, topic: int) -> list[Button]:
        """One for each game, by its icon."""
        return [
            Button(kind, text("just", it=game.icon), now.allows(kind))
            for kind, game in registry().items()
        ]


class Pace(Setting):
    """Percent of the time a game gives to play."""

    def stored(self, value: str, now: ChatSettings, topic: int) -> object:
        """The number."""
        return int(str(super().stored(value, now, topic)))

    def value(self, now: ChatSettings) -> str:
        """The number in digits."""
        return str(now.pace)

    def label(self, value: str) -> Text:
        """The percentage."""
        return text("settings.percent", n=int(value))


class Topics(Setting):
    """The threads in which games may be opened."""

    def stored(self, value: str, now: ChatSettings, topic: int) -> object:
        """The threads, joined by commas; none for all."""
        super().stored(value, now, topic)
        if value == "all":
            return ""
        kept = {*now.topics, topic} if value == "here" else {*now.topics} - {topic}
        return ",".join(map(str, sorted(kept)))

    def shown(self, now: ChatSettings, topic: int) -> Text | None:
        """How many they are, and whether this is one; nothing where it makes no difference."""
        if not now.topics:
            return self.label("all") if topic else None
        some = "settings.topics_some_here" if topic in now.topics else "settings.topics_some"
        return text(some, n=len(now.topics))

    def buttons(self, now: ChatSettings, topic: int) -> list[Button]:
        """All of them, and this one; nothing outside of a thread."""
        change = "not_here" if topic in now.topics else "here"
        both = (Button("all", self.label("all"), not now.topics),)
        return [*both, Button(change, self.label(change), False)] if topic else []


SETTINGS = {
    it.name: it
    for it in (
        Stake("stake", ("0", "1", "2", "5", "10", "20", "50", str(HIGHEST_STAKE))),
        Language("language", LANGUAGES),
        Openers("openers", ("anyone", "admins")),
        Games("games", ()),
        Pace("pace", ("75", "100", "150", "200")),
        Topics("topics", ("all", "here", "not_here")),
    )
}
"""Every setting by its name, in the order of the panel."""
COLUMNS = ("stake", "language", "openers", "games", "pace", "topics")


def setting(name: str) -> Setting:
    """The setting of a name. Raises `Refusal` where there is none."""
    if name not in SETTINGS:
        raise unknown()
    return SETTINGS[name]


def unknown() -> Refusal:
    """That cannot be set; what can."""
    return Refusal("settings.unknown", what=", ".join(it.usage for it in SETTINGS.values()))
