"""What tests type on the command line, and what they are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ANNA, BEN, CEM = 11, 22, 33
GROUP = -77
STAKE = 5
GIFT = 10
NOW = 1_800_000_000
NO_AMOUNTS = (
    "-5",
    "0",
    "1e9",
    "١٢",
    "1_000",
    "１００",
    "9" * 30,
    "5.0",
    "+5",
    " 5",
    "5 ",
    "five",
    "",
)
"""What is no amount in plain digits, or beyond all reason (SURVIVE 22)."""
TOKEN = "123456789:AAHkd-XyZ_0123456789abcdefghijklm"


@dataclass(frozen=True)
class Said:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout, of a command that ended well."""
        assert self.status == 0, self.err
        assert self.out.count("\n") == 1
        return dict(json.loads(self.out))

    def refused(self, *words: str) -> None:
        """One clear line on stderr that has these words, exit status 2, nothing on stdout."""
        assert self.status == 2, self
        assert self.out == ""
        assert self.err.startswith("dicehall: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        assert len(self.err) < 250
        for word in words:
            assert word in self.err


Run = Callable[..., Said]
