"""Entities that Telegram finds by itself, and texts with entities turned into safe HTML."""

from __future__ import annotations

import html
import re

from tgbot.playground.markup import utf16_length
from tgbot.playground.model import Json

_FOUND = re.compile(
    r"(?P<url>\bhttps?://[^\s<>\"]+|\bt\.me/[^\s<>\"]+)"
    r"|(?<![\w/<>@])(?P<bot_command>/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?)(?![\w/<>@])"
    r"|(?<![\w@/])(?P<mention>@[A-Za-z0-9_]{3,32})(?![\w@])"
    r"|(?<![\w#/])(?P<hashtag>#\w*[^\W\d]\w*)"
)
_HINT = re.compile("[/@#]")
_OPAQUE = frozenset({"code", "pre", "text_link", "text_mention", "date_time", "custom_emoji"})
_TAGS = {
    "bold": "b", "italic": "i", "underline": "u", "strikethrough": "s", "code": "code",
    "pre": "pre", "blockquote": "blockquote",
}  # fmt: skip


def found(text: str, given: list[Json]) -> list[Json]:
    """The given entities and those Telegram finds itself (commands, mentions, hashtags, links).

    Offsets are UTF-16; nothing is found inside code or links.
    """
    if _HINT.search(text) is None:
        return given
    extra: list[Json] = []
    for match in _FOUND.finditer(text):
        offset, length = utf16_length(text[: match.start()]), utf16_length(match.group())
        if not any(
            e["offset"] < offset + length and offset < e["offset"] + e["length"]
            for e in given
            if e["type"] in _OPAQUE or not _inside(e, offset, length)
        ):
            extra.append({"type": match.lastgroup, "offset": offset, "length": length})
    if not extra:
        return given
    return sorted(given + extra, key=lambda e: (e["offset"], -e["length"]))


def _inside(entity: Json, offset: int, length: int) -> bool:
    end = entity["offset"] + entity["length"]
    return bool(entity["offset"] <= offset and offset + length <= end)


def slice16(text: str, offset: int, length: int) -> str:
    """The part of the text that an entity covers."""
    raw = text.encode("utf-16-le", "surrogatepass")[2 * offset : 2 * (offset + length)]
    return raw.decode("utf-16-le", "replace")


def safe_html(text: str, entities: list[Json]) -> str:
    """HTML for the page: text escaped, known entities as tags, newlines kept.

    Entities must be sorted outer before inner and properly nested.
    """
    if not entities:
        return html.escape(text)
    raw = text.encode("utf-16-le", "surrogatepass")
    parts: list[str] = []
    ends: list[tuple[int, str]] = []
    at = 0

    def upto(offset: int) -> None:
        nonlocal at
        parts.append(html.escape(raw[2 * at : 2 * offset].decode("utf-16-le", "replace")))
        at = max(at, offset)

    for entity in entities:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        while ends and ends[-1][0] <= start:
            upto(ends[-1][0])
            parts.append(ends.pop()[1])
        if ends and end > ends[-1][0]:
            continue
        upto(start)
        opening, closing = _tag(entity, slice16(text, start, entity["length"]))
        parts.append(opening)
        ends.append((end, closing))
    while ends:
        upto(ends[-1][0])
        parts.append(ends.pop()[1])
    upto(len(raw) // 2)
    return "".join(parts)


def _tag(entity: Json, covered: str) -> tuple[str, str]:
    kind = entity["type"]
    if kind in _TAGS:
        return f"<{_TAGS[kind]}>", f"</{_TAGS[kind]}>"
    if kind == "expandable_blockquote":
        return '<blockquote class="expandable">', "</blockquote>"
    if kind == "date_time":
        shape = html.escape(entity.get("date_time_format", ""))
        return f'<time data-unix="{entity["unix_time"]}" data-format="{shape}">', "</time>"
    if kind in ("text_link", "url"):
        return _link(entity.get("url", covered)), "</a>"
    return f'<span class="{kind.replace("_", "-")}">', "</span>"


def _link(url: str) -> str:
    # tg: and other schemes lead nowhere on the page.
    if url.startswith("t.me/"):
        url = f"https://{url}"
    if not re.match(r"https?://", url, re.IGNORECASE):
        return '<a class="link">'
    return f'<a class="link" href="{html.escape(url)}" target="_blank" rel="noopener noreferrer">'
