"""Fair dice (RULES 7): a secret that is sealed, the players' charms, and the stream of dice.

The secret of a game is made from the dice key and a nonce, so that it lies nowhere while the game
is open. Its seal is shown before the first board. Who sits may then choose a charm, and the charms
are mixed in: once the seal was shown, nobody can change a die.

    secret        = HMAC-SHA256(dice key, "dicehall secret" ‖ game id ‖ nonce)
    seal          = SHA-256(secret ‖ "game id:kind:rules version")
    players' part = SHA-256(the lines "dicehall charms" and "seat charm" of each seat of the start)
    block k       = HMAC-SHA256(secret, players' part ‖ n as 4 bytes ‖ k as 4 bytes)

Lines are joined by single line feeds. A block of move `n` is read as eight 32-bit numbers, big end
first. A number v gives a die of s faces the value v mod s + 1 if v is below the largest multiple of
s up to 2³²; else it is passed over.

What this proves, to who has only what a player saw in the chat: that no die was changed after the
seal was shown. What it cannot prove: who runs the bot's program can know the dice beforehand, and
could so choose when to play and which charm to take.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator

CHARMS = ("", "🍀", "🎩", "🐱", "🦉", "🌶", "⚓")
"""What a charm's number looks like; 0 is none."""


def secret_of(key: bytes, game_id: str, nonce: bytes) -> bytes:
    """The secret of a game: 32 bytes that nobody knows without the dice key."""
    return hmac.digest(key, b"dicehall secret" + game_id.encode() + nonce, "sha256")


def seal(secret: bytes, game_id: str, kind: str, version: int) -> str:
    """The commitment to `secret`: 64 hexadecimal digits."""
    return hashlib.sha256(secret + f"{game_id}:{kind}:{version}".encode()).hexdigest()


def earlier_seal(secret: bytes, game_id: str, version: int) -> str:
    """The seal of games from before there were charms: it did not bind the kind."""
    return hashlib.sha256(secret + f"{game_id}:{version}".encode()).hexdigest()


def players_part(charms: Iterable[int]) -> bytes:
    """What the players add to the dice: 32 bytes from the charms of the start, seat 0 first."""
    lines = ["dicehall charms", *(f"{seat} {charm}" for seat, charm in enumerate(charms))]
    return hashlib.sha256("\n".join(lines).encode()).digest()


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
