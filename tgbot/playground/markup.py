"""The HTML of parse_mode=HTML, read as strictly as Telegram reads it (or a little stricter)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from tgbot.playground.errors import bad
from tgbot.playground.model import Json, Person

_TYPES = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline",
    "ins": "underline", "s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
    "code": "code", "pre": "pre", "a": "text_link", "blockquote": "blockquote",
    "tg-spoiler": "spoiler", "span": "spoiler", "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
}  # fmt: skip
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_ATTRIBUTE = re.compile(r"""\s+([a-zA-Z][\w-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([\w./:-]+)))?""")
_TAG = re.compile(rf"<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:{_ATTRIBUTE.pattern})*)\s*>")
_CHARACTER = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|([a-zA-Z]+));")
_TIME_FORMAT = re.compile(r"r|w?[dD]?[tT]?")
_DROPPED = re.compile("[\r\u2028-\u202e]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_VISIBLE = re.compile(
    "[^\\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2060-\u206f\u2800"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_MOST_ENTITIES = 100


def utf16_length(text: str) -> int:
    """How many UTF-16 units the text has: what offsets and lengths of entities count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str) -> str:
    """The text without carriage returns and direction marks, control characters as spaces."""
    if text.isprintable():
        return text
    return _CONTROL.sub(" ", _DROPPED.sub("", text))


def is_visible(text: str) -> bool:
    """False if there is nothing to see: only blanks and characters without width."""
    return _VISIBLE.search(text) is not None


@dataclass(slots=True)
class _Open:
    tag: str
    start: int
    entity: Json | None


class _Reader:
    """Reads one source text; `parts` is the plain text so far, `length` its UTF-16 length."""

    def __init__(self, source: str, people: Mapping[int, Person]) -> None:
        self.source = source
        self.people = people
        self.parts: list[str] = []
        self.length = 0
        self.entities: list[Json] = []
        self.stack: list[_Open] = []

    def read(self) -> tuple[str, list[Json]]:
        source, at = self.source, 0
        while True:
            found = _next_special(source, at)
            self._plain(source[at:found])
            if found == len(source):
                break
            at = self._character(found) if source[found] == "&" else self._tag(found)
        if self.stack:
            _refuse(f'Can\'t find end tag corresponding to start tag "{self.stack[-1].tag}"')
        self.entities.sort(key=lambda e: (e["offset"], -e["length"]))
        return "".join(self.parts), self.entities

    def _plain(self, chunk: str) -> None:
        if chunk:
            self.parts.append(chunk)
            self.length += utf16_length(chunk)

    def _byte(self, at: int) -> int:
        return len(self.source[:at].encode())

    def _character(self, at: int) -> int:
        match = _CHARACTER.match(self.source, at)
        if match is None:
            _refuse(f'Unescaped "&" at byte offset {self._byte(at)}')
        decimal, hexadecimal, name = match.groups()
        if name is not None:
            if name not in _NAMED:
                _refuse(f'Unsupported entity "&{name};" at byte offset {self._byte(at)}')
            self._plain(_NAMED[name])
        else:
            code = int(decimal) if decimal else int(hexadecimal, 16)
            if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
                _refuse(f"Invalid character reference at byte offset {self._byte(at)}")
            self._plain(clean(chr(code)))
        return match.end()

    def _tag(self, at: int) -> int:
        match = _TAG.match(self.source, at)
        if match is None:
            name = re.match(r"</?([^\s>/]*)", self.source[at:])
            what = name.group(1) if name else ""
            _refuse(f'Unsupported start tag "{what}" at byte offset {self._byte(at)}')
        closing, tag, rest = match.group(1), match.group(2).lower(), match.group(3)
        if closing:
            self._close(tag, at)
        else:
            self._open(tag, rest, at)
        return match.end()

    def _open(self, tag: str, rest: str, at: int) -> None:
        if tag not in _TYPES:
            _refuse(f'Unsupported start tag "{tag}" at byte offset {self._byte(at)}')
        attributes = {
            m[1].lower(): _unescape(m[2] or m[3] or m[4] or "") for m in _ATTRIBUTE.finditer(rest)
        }
        entity = self._entity(tag, attributes, at)
        if entity is not None and not self._may_nest(entity):
            entity = None
        self.stack.append(_Open(tag, self.length, entity))

    def _may_nest(self, entity: Json) -> bool:
        # Telegram drops these silently: code holds nothing else, quotations do not nest.
        kinds = [o.entity["type"] for o in self.stack if o.entity is not None]
        if entity["type"] == "code" and kinds[-1:] == ["pre"] and "language" in entity:
            outer = self.stack[-1].entity
            if outer is not None and self.stack[-1].start == self.length:
                outer["language"] = entity["language"]
        quoting = entity["type"].endswith("blockquote")
        return not any(
            kind in ("pre", "code") or (quoting and kind.endswith("blockquote")) for kind in kinds
        )

    def _entity(self, tag: str, attributes: dict[str, str], at: int) -> Json | None:
        kind = _TYPES[tag]
        if tag == "a":
            return self._link(attributes.get("href", ""))
        if tag == "span" and attributes.get("class") != "tg-spoiler":
            _refuse(f'Tag "span" must have class "tg-spoiler" at byte offset {self._byte(at)}')
        if tag == "blockquote" and "expandable" in attributes:
            return {"type": "expandable_blockquote"}
        if tag == "code" and attributes.get("class", "").startswith("language-"):
            return {"type": kind, "language": attributes["class"].removeprefix("language-")}
        if tag == "tg-emoji":
            if not attributes.get("emoji-id", "").isdecimal():
                _refuse(f"Invalid custom emoji identifier at byte offset {self._byte(at)}")
            return {"type": kind, "custom_emoji_id": attributes["emoji-id"]}
        if tag == "tg-time":
            return self._time(attributes, at)
        return {"type": kind}

    def _link(self, href: str) -> Json | None:
        mention = re.fullmatch(r"tg://user\?id=(\d+)", href)
        if mention:
            person = self.people.get(int(mention[1]))
            return {"type": "text_mention", "user": person.user()} if person else None
        if re.match(r"(https?|tg|mailto|tel|ton):\S", href, re.IGNORECASE):
            return {"type": "text_link", "url": href}
        return {"type": "text_link", "url": f"http://{href}"} if "." in href else None

    def _time(self, attributes: dict[str, str], at: int) -> Json:
        unix, shape = attributes.get("unix", ""), attributes.get("format", "")
        if not (unix.isascii() and unix.isdecimal()):
            _refuse(f"Invalid Unix time specified at byte offset {self._byte(at)}")
        if not _TIME_FORMAT.fullmatch(shape):
            _refuse(f"Invalid date-time format specified at byte offset {self._byte(at)}")
        entity: Json = {"type": "date_time", "unix_time": int(unix)}
        return entity | ({"date_time_format": shape} if shape else {})

    def _close(self, tag: str, at: int) -> None:
        if not self.stack:
            _refuse(f"Unexpected end tag at byte offset {self._byte(at)}")
        top = self.stack.pop()
        if top.tag != tag:
            _refuse(
                f"Unmatched end tag at byte offset {self._byte(at)}, "
                f'expected "</{top.tag}>", found "</{tag}>"'
            )
        if top.entity is None or self.length == top.start:
            return
        if top.entity["type"] == "code":
            top.entity.pop("language", None)
        self.entities.append(
            {"type": top.entity["type"], "offset": top.start, "length": self.length - top.start}
            | top.entity
        )


def _next_special(source: str, at: int) -> int:
    tag, entity = source.find("<", at), source.find("&", at)
    if tag < 0 or entity < 0:
        return max(tag, entity) if max(tag, entity) >= 0 else len(source)
    return min(tag, entity)


def _unescape(value: str) -> str:
    return _CHARACTER.sub(lambda m: _NAMED.get(m[3] or "", m[0]), value)


def _refuse(reason: str) -> NoReturn:
    raise bad(f"can't parse entities: {reason}")


def trim(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Blanks and newlines cut off at both ends (in front only up to the first entity)."""
    text = text.rstrip(" \n")
    first = entities[0]["offset"] if entities else len(text)
    # What is cut in front is ASCII, so characters and UTF-16 units are the same there.
    front = min(len(text) - len(text.lstrip(" \n")), first)
    text = text[front:]
    whole = utf16_length(text)
    kept = []
    for entity in entities:
        offset = entity["offset"] - front
        length = min(entity["length"], whole - offset)
        if length > 0:
            kept.append(entity | {"offset": offset, "length": length})
    return text, kept[:_MOST_ENTITIES]


def parse(source: str, people: Mapping[int, Person]) -> tuple[str, list[Json]]:
    """Plain text and entities (UTF-16 offsets, outer before inner) of Telegram HTML.

    Mentions of `people` by `tg://user?id=` become text_mention. Raises Refusal 400
    `can't parse entities: ...` for unknown, unbalanced or unescaped markup.
    """
    source = clean(source)
    if "<" not in source and "&" not in source:
        return trim(source, [])
    return trim(*_Reader(source, people).read())
