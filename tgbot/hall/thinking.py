"""What a mind says about one decision, for James and for hints: in a thread, one after another.

Two that think at a time take longer than one after the other, and keep the event loop waiting.
"""

from __future__ import annotations

import threading
from typing import Any

from games.game import Game
from games.mind import mind_of

_one_at_a_time = threading.Lock()


def values(game: Game[Any], state: Any, seat: int) -> dict[str, float]:
    """What every legal move of `seat` is worth. Raises `NoMind` and `NotReady`."""
    with _one_at_a_time:
        return mind_of(game).values(state, seat)
