"""What Telegram takes: HTML that is not too long, and rows of keys."""

from __future__ import annotations

import html
import re

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from tgbot.done import Row
from tgbot.words import Words

LONGEST = 4096


LONGEST_CAPTION = 1024


_TAG = re.compile(r"<[^>]*>")


def keyboard(rows: tuple[Row, ...], words: Words, language: str) -> InlineKeyboardMarkup | None:
    """Rows of keys as Telegram wants them; None without any."""
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [
            [
                InlineKeyboardButton(
                    words.plain(k.label, language),
                    callback_data=k.data or None,
                    url=k.url or None,
                    style=k.style,
                )
                for k in row
            ]
            for row in rows
        ]
    )


def fitting(lines: list[str], longest: int = LONGEST) -> str:
    """The lines in one message; where they are too many, the middle ones are left out.

    A line that is too long by itself is cut and loses its tags.
    """
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
