"""Rules only: no Telegram, no database, no clock, no randomness.

Every subfolder is a game: `rules.py` (frozen state, moves, play), `view.py` (state to lines and
buttons), `locales/` (its words) and, in its `__init__`, `GAME`; some have a `mind.py` (what every
move is worth, with numpy). The registry below finds them, so a new game is one new folder. Games
installed from outside are such folders too: a package with a `GAME` that it names as an entry point
of the group `dicehall.games`.

`game.py` is the contract; begin there, then read `fifty`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from games.game import Game

OUTSIDE = "dicehall.games"
"""The group of entry points by which installed packages bring games: `ludo = "ludo:GAME"`."""


@cache
def registry() -> dict[str, Game[Any]]:
    """Every game by its kind, in alphabetical order.

    Raises ValueError where two games have one kind.
    """
    return {kind: module.GAME for kind, module in _modules().items()}


def folder(kind: str) -> Path:
    """Where a game's package lies, with its `locales/` and its `RULES.md`."""
    return Path(_modules()[kind].__path__[0])


@cache
def _modules() -> dict[str, Any]:
    inside = [f"games.{module.name}" for module in pkgutil.iter_modules(__path__) if module.ispkg]
    outside = [found.module for found in entry_points(group=OUTSIDE)]
    modules: dict[str, Any] = {}
    for name in (*inside, *outside):
        module = importlib.import_module(name)
        kind = module.GAME.kind
        if kind in modules:
            raise ValueError(f"{name} and {modules[kind].__name__} are both the game {kind!r}")
        modules[kind] = module
    return dict(sorted(modules.items()))
