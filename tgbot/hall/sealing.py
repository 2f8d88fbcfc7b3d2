"""Secrets of games: made from the dice key when dice are thrown, written down when all is over."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from games.fairness import seal, secret_of
from tgbot.hall.table import Table


class Sealing:
    """Makes and checks the secrets of games (RULES 7).

    `key` gives the dice key, and raises `tgbot.config.WrongSetting` where there is none: not every
    tool of an operator has it.
    """

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._read = key

    @cached_property
    def _key(self) -> bytes:
        return self._read()

    def seal(self, game_id: str, kind: str, version: int, nonce: bytes) -> str:
        """The seal that a new game is shown with."""
        return seal(secret_of(self._key, game_id, nonce), game_id, kind, version)

    def secret(self, table: Table) -> bytes | None:
        """The secret of a game; None if its seal no longer fits the dice key."""
        if table.secret:
            return table.secret  # it is over, or of the earlier scheme
        return self.made(table.sealed_as, table.kind, table.version, table.nonce, table.seal)

    def made(
        self, sealed_as: str, kind: str, version: int, nonce: bytes, shown: str
    ) -> bytes | None:
        """The secret that was sealed under an id; None if the seal does not fit the dice key."""
        secret = secret_of(self._key, sealed_as, nonce)
        return secret if seal(secret, sealed_as, kind, version) == shown else None
