"""What the tests of the minds share: their tables."""

from __future__ import annotations

import pytest

from games import registry
from games.mind import mind_of
from tests.minds import solved


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest) -> None:
    """Every mind is ready."""
    cache = request.config.cache.mkdir("minds")
    for game in registry().values():
        table = mind_of(game).TABLE if game.mind else None
        if table and not table.ready:
            table.use(solved(table, cache))
