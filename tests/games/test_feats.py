"""What games remember of a player: results, counts and badges (`games/feats.py`)."""

from __future__ import annotations

import pytest

from games import registry
from games.feats import came_from_last
from tests.games.fifty.table import Fifty
from tests.games.table import Table
from tests.games.ways import mixed, steps
from tgbot.config import Settings
from tgbot.people.tallies import BEST, GAMES, RECORDS, RESULTS, TOTAL, WON
from tgbot.words import all_words

KEYS = all_words(Settings(_env_file=None)).keys("en")


@pytest.mark.parametrize("kind", registry())
def test_every_seat_of_a_finished_game_has_feats_with_words(kind: str) -> None:
    game = registry()[kind]
    assert game.feats
    for seed in range(12):
        table = Table(game, game.seats[0] + seed % 3)
        for _ in steps(table, mixed, f"feats {kind} {seed}"):
            pass
        found = [game.feats(table.state, seat) for seat in range(table.setup.seats)]

        named = {name for it in found for name in (*it.sums, *it.bests)}
        assert not {GAMES, WON, RECORDS, RESULTS, TOTAL, BEST} & named
        assert {f"{kind}.feat.{name}" for name in named} <= KEYS
        assert {f"{kind}.badge.{name}" for it in found for name in it.badges} <= KEYS
        assert min((n for it in found for n in it.sums.values()), default=0) >= 0


def test_fifty_counts_bullseyes_and_chains_but_nothing_that_fell_for_who_was_late() -> None:
    game = Fifty(3, "deal 20 20 10\nA: 4+4 = 4 4 4 1 1\nB: 8 = 7\nlate = 4 4 1")
    game.play("A: 6 = 5\nB: 6 = 3\nC: 20 = 3\nA: 6 = 5\nB: 6 = 2\nC: 12 = 1")
    found = [game.game.feats(game.state, seat) for seat in range(3)]

    assert [it.bests["chain"] for it in found] == [4, 0, 0]  # one die thrown once is no chain
    assert found[0].badges == ("chain",)
    assert [it.sums["bullseyes"] for it in found] == [0, 0, 0]
    assert found[2].result == 13


def test_who_won_alone_and_was_last_of_three_or_more_came_from_last() -> None:
    halfway = {0: 5, 1: 9, 2: 7}

    assert came_from_last(0, ((0,), (1,), (2,)), halfway)
    assert not came_from_last(1, ((1,), (0,), (2,)), halfway)
    assert not came_from_last(0, ((0, 1), (2,)), halfway)
    assert not came_from_last(0, ((0,), (1,)), {0: 5, 1: 9})
    assert not came_from_last(0, ((0,), (1,), (2,)), {0: 5, 1: 5, 2: 7})
