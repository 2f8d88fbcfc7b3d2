"""Rules only: no Telegram, no database, no clock, no randomness.

Every subfolder is a game: `rules.py` (frozen state, moves, play), `view.py` (state to lines and
buttons), `locales/` (its words) and, in its `__init__`, `GAME`; some have a `mind.py` (what every
move is worth, with numpy). The registry below finds them, so a new game is one new folder.
`game.py` is the contract; begin there, then read `fifty`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from games.game import Game


@cache
def registry() -> dict[str, Game[Any]]:
    """Every game by its kind, in alphabetical order."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {kind: importlib.import_module(f"games.{kind}").GAME for kind in found}
