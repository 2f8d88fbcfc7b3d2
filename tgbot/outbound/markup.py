"""What Telegram takes: HTML that is not too long, and rows of keys."""

from __future__ import annotations

import html
import re

from tgbot.done import Key, Row
from tgbot.words import Words

LONGEST = 4096
LONGEST_CAPTION = 1024

Keyboard = dict[str, list[list[dict[str, str]]]]
"""Telegram's `reply_markup` with an inline keyboard."""

_TAG = re.compile(r"<[^>]*>")


def keyboard(rows: tuple[Row, ...], words: Words, language: str) -> Keyboard | None:
    """Rows of keys as Telegram wants them; None without any."""
    if not rows:
        return None
    return {"inline_keyboard": [[_button(k, words, language) for k in row] for row in rows]}


def _button(k: Key, words: Words, language: str) -> dict[str, str]:
    button = {"text": words.plain(k.label, language)}
    if k.url:
        button["url"] = k.url
    else:
        button["callback_data"] = k.data
    if k.style:
        button["style"] = k.style
    return button


def fitting(lines: list[str], longest: int = LONGEST) -> str:
    """The lines in one message; where they are too many, the middle ones are left out.

    A line that is too long by itself is cut and loses its tags.
    """
    body = "\n".join(lines)
    if 2 * len(body) <= longest:
        return body  # no character is longer than two units
    kept = list(lines)
    while len(kept) > 1 and visible_length("\n".join(kept)) > longest - 2:
        kept.pop(len(kept) // 2)
    if len(kept) < len(lines):
        kept.insert(len(kept) // 2 + 1, "…")
    body = "\n".join(kept)
    if visible_length(body) <= longest:
        return body
    units = _visible(body).encode("utf-16-le")[: 2 * (longest - 1)]
    return html.escape(units.decode("utf-16-le", "ignore"), quote=False) + "…"


def visible_length(markup: str) -> int:
    """How long Telegram finds a text: in UTF-16 units, without tags."""
    return len(_visible(markup).encode("utf-16-le")) // 2


def _visible(markup: str) -> str:
    return html.unescape(_TAG.sub("", markup))
