"""Words: `Text`s of games and bot become sentences in the languages there are locale files of.

The locale files are read once, at start: `tgbot/locales/*.po` and each game's own. A language is
one that has a file in `tgbot/locales`; what it lacks, there or in a game, is said in English.

A key is the msgid; where a sentence depends on a number, its argument is called `n` and the entry
has plural forms. Sentences may hold Telegram's HTML; what comes in as an argument is always
escaped.
"""

from __future__ import annotations

import gettext
import html
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol

from babel import Locale
from babel.dates import format_skeleton
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from games import folder, registry
from games.game import Grid, Lines, Name, Percent, Sides, Text, Until, text

LOCALES = Path(__file__).parent / "locales"
FALLBACK = "en"
LANGUAGES = tuple(sorted(file.stem for file in LOCALES.glob("*.po")))
"""The codes of the languages that people can choose: those of the bot's own locale files."""
REGIONS = {"en": "en_GB"}
"""Which way of writing a day a language takes where it has several."""
APART = " · "

_TAG = re.compile(r"</?[a-z][^<>]*>")


@dataclass(frozen=True)
class Cast:
    """Whom the seats of a board belong to: shown names, user ids, and the seats to mention.

    `ends` is when the running phase ends, in unix seconds.
    """

    names: Sequence[str] = ()
    users: Sequence[int] = ()
    mention: frozenset[int] = frozenset()
    ends: int = 0
    now: int = 0


NOBODY = Cast()


@dataclass(frozen=True, slots=True)
class When:
    """A day, or a time of one, as far as `skeleton` says (CLDR's: `yMMMd` is year, month, day)."""

    at: date
    skeleton: str = "yMMMd"


class Words:
    """Every sentence in every language."""

    def __init__(
        self, folders: Iterable[Path], *, languages: Sequence[str] = LANGUAGES, **names: str
    ) -> None:
        """`names` are arguments every sentence may use, such as the coin's display name."""
        self.names = names
        files = tuple(folders)
        self._catalogs = {language: _catalog(files, language) for language in languages}

    def html(self, text: Text, language: str, cast: Cast = NOBODY) -> str:
        """The sentence as Telegram HTML."""
        return self._say(text, language, cast, markup=True)

    def plain(self, text: Text, language: str, cast: Cast = NOBODY) -> str:
        """The sentence without markup, for buttons and toasts."""
        return self._say(text, language, cast, markup=False)

    def cell(self, value: Any, language: str, cast: Cast = NOBODY) -> str:
        """A cell of a `Grid` without markup."""
        return self._value(value, language, cast, markup=False)

    def keys(self, language: str) -> frozenset[str]:
        """Every key of a language."""
        return frozenset(self._catalogs[language].templates)

    def template(self, key: str, language: str) -> tuple[str, ...]:
        """The forms of a key as written in its locale file, or in the English one."""
        return self._catalog(key, language).templates[key]

    def _catalog(self, key: str, language: str) -> _Catalog:
        catalog = self._catalogs.get(language)
        return catalog if catalog and key in catalog.templates else self._catalogs[FALLBACK]

    def _say(self, text: Text, language: str, cast: Cast, *, markup: bool) -> str:
        template = self._catalog(text.key, language).choose(text.key, text.args)
        if not markup:
            template = _untagged(template)
        args = dict(self.names)
        for name, value in text.args.items():
            args[name] = self._value(value, language, cast, markup=markup)
        return template.format_map(args)

    def _value(self, value: Any, language: str, cast: Cast, *, markup: bool) -> str:
        if type(value) is str:  # most are
            return html.escape(value, quote=False) if markup else value
        if type(value) is int:
            return number(value, language)
        match value:
            case Text():
                return self._say(value, language, cast, markup=markup)
            case Name():
                return _name(value.seat, cast, markup=markup)
            case Lines():
                return "\n".join(
                    self._say(line, language, cast, markup=markup) for line in value.texts
                )
            case Sides():
                return APART.join(
                    self._say(part, language, cast, markup=markup) for part in value.texts
                )
            case Grid():
                return self._grid(value, language, cast, markup=markup)
            case Until():
                return _countdown(cast, markup=markup)
            case Percent():
                whole = text("percent", it=whole_percent(value.value))
                return self._say(whole, language, cast, markup=markup)
            case datetime():
                return written(When(value, "MMMd"), language)
            case date():
                return written(When(value), language)
            case When():
                return written(value, language)
            case bool():
                raise TypeError("a sentence cannot show true or false")
            case int() | float():
                return number(value, language)
            case tuple() | list():
                parts = (self._value(v, language, cast, markup=markup) for v in value)
                return ", ".join(parts)
        return html.escape(str(value), quote=False) if markup else str(value)

    def _grid(self, grid: Grid, language: str, cast: Cast, *, markup: bool) -> str:
        rows = [
            [self._value(cell, language, cast, markup=False) for cell in row] for row in grid.rows
        ]
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        lines = (
            " ".join(
                cell + " " * (width - _width(cell))
                if place == 0
                else " " * (width - _width(cell)) + cell
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )
        table = "\n".join(line.rstrip() for line in lines)
        return f"<pre>{html.escape(table, quote=False)}</pre>" if markup else table


class _Catalog:
    """One language: its sentences and its plural rule."""

    def __init__(self, folders: Iterable[Path], language: str) -> None:
        self.templates: dict[str, tuple[str, ...]] = {}
        self._plural: dict[str, gettext.GNUTranslations] = {}
        for path in (locales / f"{language}.po" for locales in folders):
            if not path.exists():
                continue
            with path.open("rb") as file:
                catalog = read_po(file, locale=language)
            compiled = io.BytesIO()
            write_mo(compiled, catalog)
            compiled.seek(0)
            translations = gettext.GNUTranslations(compiled)
            for message in catalog:
                forms = message.string
                whole = (forms,) if isinstance(forms, str) else tuple(forms or ())
                if not message.id or message.fuzzy or not whole or not all(whole):
                    continue
                key = message.id if isinstance(message.id, str) else message.id[0]
                if not isinstance(message.id, str):
                    self._plural[key] = translations
                self.templates[key] = whole

    def choose(self, key: str, args: Mapping[str, Any]) -> str:
        """The form of `key` for its number."""
        plural = self._plural.get(key)
        if plural:
            return plural.ngettext(key, key, abs(args["n"]))
        return self.templates[key][0]


class Named(Protocol):
    """What every sentence may name, as settings have it: coins, and who can win a jackpot."""

    coin: str
    coins: str
    jackpot_players: int


def all_words(names: Named, username: str = "dicehall_bot") -> Words:
    """The locale files of the bot and of every game."""
    folders = [LOCALES, *(folder(kind) / "locales" for kind in registry())]
    return Words(
        folders,
        coin=names.coin,
        coin_plural=names.coins,
        bot=username,
        jackpot_players=str(names.jackpot_players),
    )


@cache
def native_name(language: str) -> str:
    """What a language calls itself: `Deutsch`, `English`, `Français`."""
    name = Locale.parse(language).get_display_name(language) or language
    return name[0].upper() + name[1:]


def spoken(code: str) -> str:
    """The language for somebody whose app speaks `code` (`de-AT`); English where there is none."""
    language = code.lower().replace("_", "-").partition("-")[0]
    return language if language in LANGUAGES else FALLBACK


@cache
def _catalog(folders: tuple[Path, ...], language: str) -> _Catalog:
    """Read once a process: the files change only with the program."""
    return _Catalog(folders, language)


@lru_cache(maxsize=4096)
def number(value: float, language: str) -> str:
    """A number as people write it: thousands grouped, at most one decimal."""
    if isinstance(value, int) and -1000 < value < 1000:
        return str(value).replace("-", "−")
    return format_decimal(value, format="#,##0.#", locale=language).replace("-", "−")


def written(when: When, language: str) -> str:
    """A day as people write it: `1 Dec 2026`, `1. Dez. 2026`; a time of it: `1 Dec, 18:30`."""
    if isinstance(when.at, datetime):
        return f"{formatted(when.at, when.skeleton, language)}, {when.at:%H:%M}"
    return formatted(datetime.combine(when.at, time()), when.skeleton, language)


def formatted(at: datetime, skeleton: str, language: str) -> str:
    """What `skeleton` names of a time, in the order and words of a language."""
    return str(format_skeleton(skeleton, at, locale=REGIONS.get(language, language)))


def whole_percent(value: float) -> str:
    """A probability in percent, without the sign; never 0 or 100 for what is merely unlikely or
    likely."""
    whole = round(value * 100)
    if value > 0 and whole == 0:
        return "<1"
    if value < 1 and whole == 100:
        return ">99"
    return str(whole)


@lru_cache(maxsize=4096)
def _untagged(template: str) -> str:
    """A sentence as it is written, without markup."""
    return _TAG.sub("", template)


def _width(cell: str) -> int:
    """How many columns a cell takes in a monospaced font."""
    return sum(
        0
        if unicodedata.category(character) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in cell
    )


@lru_cache(maxsize=4096)
def isolated(name: str) -> str:
    """The name so that one written from right to left turns nothing around it."""
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in name):
        return f"\u2068{name}\u2069"
    return name


def mention(user_id: int, name: str) -> str:
    """A name that notifies its owner, as Telegram HTML."""
    return f'<a href="tg://user?id={user_id}">{html.escape(name, quote=False)}</a>'


def _name(seat: int, cast: Cast, *, markup: bool) -> str:
    name = isolated(cast.names[seat])
    if not markup:
        return name
    if seat in cast.mention:
        return mention(cast.users[seat], name)
    return f"<b>{html.escape(name, quote=False)}</b>"


def _countdown(cast: Cast, *, markup: bool) -> str:
    left = f"{max(0, cast.ends - cast.now)} s"
    return f'<tg-time unix="{cast.ends}" format="r">{left}</tg-time>' if markup else left
