"""Amounts: read as typed, and in words."""

from __future__ import annotations

import re

from economy.ledger import COINS
from games import registry
from games.game import Text, text

HIGHEST_AMOUNT = 10**12


def read_amount(typed: str) -> int | None:
    """An amount in plain digits from 1 to 10^12; None for anything else."""
    if not re.fullmatch(r"[0-9]{1,13}", typed, re.ASCII):
        return None
    return int(typed) if 1 <= int(typed) <= HIGHEST_AMOUNT else None


def amount(n: int, currency: str) -> Text:
    """So many coins or points of a game."""
    if currency == COINS:
        return text("coins", n=n)
    return text("game_points", n=n, game=registry()[currency].title())
