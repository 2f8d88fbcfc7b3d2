"""Where the ids, nonces and dice of games come from."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from games.fairness import Stream
from games.game import Draw


@dataclass
class Chance:
    """The sources of what nobody can foresee; tests put scripted ones here.

    `token_bytes(n)` gives n random bytes. `stream(secret, part, n)` gives the dice of a game's
    move number `n` (RULES 7).
    """

    token_bytes: Callable[[int], bytes] = secrets.token_bytes
    stream: Callable[[bytes, bytes, int], Draw] = Stream
