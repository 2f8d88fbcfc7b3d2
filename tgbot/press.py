"""Callback data: `scope:rev:code`, at most 64 bytes.

The scope is a game's id, or the name of a menu; `rev` is the phase the button belongs to.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 64
_FORM = re.compile(r"([a-z0-9]{1,12}):([0-9]{1,9}):([ -~]{1,48})", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class Press(NamedTuple):
    """What a button says when it is pressed."""

    scope: str
    rev: int
    code: str


def encode(scope: str, code: str, rev: int = 0) -> str:
    """The callback data of a button. Raises ValueError beyond Telegram's 64 bytes."""
    data = f"{scope}:{rev}:{code}"
    if len(data.encode()) > LONGEST or not decode(data):
        raise ValueError(f"{data!r} cannot be callback data")
    return data


def decode(data: str | None) -> Press | None:
    """The press that `data` stands for; None for anything no button of ours ever said."""
    match = _FORM.fullmatch(data or "")
    return Press(match[1], int(match[2]), match[3]) if match else None


def number(said: str) -> int | None:
    """The number that a part of a code says; None for any that no id is, nor a column takes."""
    return int(said) if _NUMBER.fullmatch(said) else None
