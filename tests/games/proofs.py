"""Proofs of games played by seed, for whoever checks or forges them."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

from games import registry
from games.dice import cast
from games.fairness import Stream, players_part, seal, secret_of
from games.proof import Moved, Player, Proof, write
from tests.games.table import LETTERS, Table
from tests.games.ways import mixed, policy, steps

SIZES = {"fifty": 4, "yahtzee": 3, "zilch": 3, "farkle20": 2}


class Sealed(Table):
    """A table whose dice come from a secret and the charms of the players."""

    def __init__(self, kind: str, seats: int, seed: str, guests: tuple[int, ...] = ()) -> None:
        super().__init__(registry()[kind], seats, guests=guests)
        self.kind, self.id = kind, hashlib.sha256(seed.encode()).hexdigest()[:8]
        self.secret = secret_of(b"a key of the tests, of 32 bytes.", self.id, seed.encode())
        self.charms = [self.secret[seat] % 7 for seat in range(seats)]
        self.moved: list[Moved] = []

    def chance(self, seat: int, move: str, seed: str) -> None:
        """Plays a move with the dice that are its own."""
        n, throw = len(self.record), self.rules.throw(self.state, seat, move)
        dice = cast(throw, Stream(self.secret, players_part(self.charms), n))
        self.move(seat, move, dice)
        self.moved.append(Moved(n, seat, move, throw.sides, throw.open, dice))

    @property
    def proof(self) -> Proof:
        """Its proof as it stands."""
        players = tuple(Player(s, LETTERS[s], charm) for s, charm in enumerate(self.charms))
        version = self.rules.VERSION
        sealed = seal(self.secret, self.id, self.kind, version)
        moves, ended = tuple(self.moved), "over" if self.over else "stopped"
        kind, secret = self.kind, self.secret.hex()
        james = self.setup.guests
        return Proof(
            self.id, kind, version, sealed, secret, players, moves, ended=ended, james=james
        )


@cache
def proof_of(kind: str, seed: int = 0) -> Proof:
    """The proof of a whole game: every other one with people who leave and are late in between."""
    table = Sealed(kind, SIZES[kind], f"{kind} {seed}")
    for _ in steps(table, mixed if seed % 2 else policy("greedy"), f"{kind} {seed}"):
        pass
    return table.proof


def document(kind: str, seed: int = 0) -> dict[str, Any]:
    """The same as JSON, to be forged."""
    found: dict[str, Any] = json.loads(write(proof_of(kind, seed)))
    return found
