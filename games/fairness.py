"""Fair dice: a secret sealed before the lobby opens, the players' part, and the stream of dice.

Before a lobby opens the bot draws a secret and shows its seal. When the lobby closes, what Telegram
numbered the joining presses is hashed into the players' part. Every die of move `n` comes from
HMAC-SHA256 over both, so neither the bot nor the players alone can steer it, and after the game
anyone can recompute it:

    seal          = SHA-256(secret ‖ "game id:rules version")
    players' part = SHA-256(the join tokens, one a line, in joining order)
    block k       = HMAC-SHA256(secret, players' part ‖ n as 4 bytes ‖ k as 4 bytes)

Each block is read as eight 32-bit numbers, big end first. A number v gives a die of s faces the
value v mod s + 1 if v is below the largest multiple of s up to 2³²; else it is passed over.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator


def seal(secret: bytes, game_id: str, version: int) -> str:
    """The commitment to `secret`: 64 hexadecimal digits."""
    return hashlib.sha256(secret + f"{game_id}:{version}".encode()).hexdigest()


def players_part(tokens: Iterable[str]) -> bytes:
    """What the joining players add to the dice: 32 bytes from their join tokens, in order."""
    return hashlib.sha256("\n".join(tokens).encode()).digest()


class Stream:
    """The dice of one move. Calling it draws one: `stream(6)` is a value from 1 to 6."""

    def __init__(self, secret: bytes, part: bytes, move: int) -> None:
        self._numbers = _numbers(secret, part + move.to_bytes(4, "big"))

    def __call__(self, sides: int) -> int:
        """The next value of a die with `sides` faces, 1 to 2³²."""
        bound = 2**32 // sides * sides
        return next(number for number in self._numbers if number < bound) % sides + 1


def _numbers(secret: bytes, prefix: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.digest(secret, prefix + counter.to_bytes(4, "big"), "sha256")
        for place in range(0, 32, 4):
            yield int.from_bytes(block[place : place + 4], "big")
        counter += 1
