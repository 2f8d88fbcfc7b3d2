"""What moves of Zilch are worth (RULES 8.2)."""

from __future__ import annotations

import numpy as np
import pytest

from games.mind import best
from games.setaside import NEW_HAND, Hand
from games.zilch import mind
from games.zilch.rules import Player, State

RACES = 40_000


def race(*banks: int, hand: Hand = NEW_HAND, zilches: int = 0) -> State:
    """A race in which seat 0 is to play."""
    players = [Player(bank) for bank in banks]
    players[0] = Player(banks[0], zilches)
    return State(tuple(players), tuple(range(len(banks))), hand)


def last_turn(mine: int, *others: int, hand: Hand = NEW_HAND) -> State:
    """The last turn of a game: those of the others are over."""
    players = tuple(Player(bank) for bank in (mine, *others))
    return State(players, (0,), hand, closer=1)


@pytest.mark.parametrize(
    ("points", "chance"),
    [(50, 0.8730405721), (300, 0.8730405721), (350, 0.8018593987), (1000, 0.3489490509)],
)
def test_8_the_best_chance_to_reach_so_much_in_a_turn(points: int, chance: float) -> None:
    turns = mind._turns()
    reached = (50 * np.arange(400 + turns.most) >= points).astype(float)

    assert turns.worths(reached, 0.0)[0, 5] == pytest.approx(chance, abs=1e-9)


def test_8_a_small_lead_is_made_up_with_the_three_hundred_that_can_be_banked() -> None:
    values = mind.values(last_turn(9950, 10_000), 0)

    assert values == {"roll": pytest.approx(3 / 8 + (5 / 8 - 3 / 8) * 0.8730405721, abs=1e-9)}


def test_8_who_is_level_shares_and_the_last_turn_is_known() -> None:
    # 300 draw level with 10 000, 350 win; 200 in hand and a five and a one lie
    values = mind.values(last_turn(9700, 10_000, hand=Hand("15", ("2222",), 200)), 0)

    assert values["1 bank"] == pytest.approx(1 / 2)
    assert values["15 bank"] == pytest.approx(5 / 8)
    assert "5 bank" not in values
    assert best(values) == "15 roll"  # six dice always bring something


def test_8_the_shares_are_those_of_the_rules() -> None:
    hand = Hand("15", ("2222",), 200)

    assert mind.values(last_turn(9700, 10_500, 10_000, hand=hand), 0)["1 bank"] == 0.25
    assert mind.values(last_turn(9700, 10_500, 10_000, 9000, hand=hand), 0)["1 bank"] == 0.25
    assert mind.values(last_turn(9700, 10_000, 10_000, 9000, hand=hand), 0)[
        "1 bank"
    ] == pytest.approx(1 / 3)
    alone = State((Player(9700), Player(9000), Player(0, gone=True)), (0,), hand, closer=1)
    assert mind.values(alone, 0)["1 bank"] == pytest.approx(0.7)


def test_8_what_the_game_brought_is_a_share() -> None:
    over = State(tuple(Player(bank) for bank in (10_000, 10_300, 10_000, 500)), (), closer=0)

    assert [mind.result(over, seat) for seat in range(4)] == [0.25, 0.5, 0.25, 0.0]


def drawn(stream: np.random.Generator, bank: np.ndarray, zilches: np.ndarray) -> None:
    """A turn for points of everybody, in place."""
    plays, banks = mind._plays(), mind.BANKS
    lot = stream.random(len(bank))
    for brings, chance, who in (
        (plays.brings[0], plays.zilch, zilches < 2),
        (plays.brings[banks], plays.third, zilches == 2),
    ):
        brought = np.searchsorted(np.append(brings, chance).cumsum(), lot[who])
        zilch = brought == banks
        bank[who] += np.where(zilch, np.where(zilches[who] == 2, -500, 0), 50 * brought)
        zilches[who] = np.where(zilch, (zilches[who] + 1) % 3, 0)


@pytest.mark.parametrize(
    ("mine", "others"),
    [((8700, 0), [(9000, 1)]), ((9950, 2), [(9500, 0), (9800, 2)]), ((10050, 0), [(9900, 0)] * 2)],
)
def test_8_what_is_to_come_is_counted_as_played_races_turn_out(
    mine: tuple[int, int], others: list[tuple[int, int]]
) -> None:
    # seat 0 has just ended a turn; all play for points until one is there, then to pass that one
    stream = np.random.default_rng(8)
    seats = 1 + len(others)
    banks = np.repeat([[bank] for bank, _ in (mine, *others)], RACES, axis=1)
    zilches = np.repeat([[count] for _, count in (mine, *others)], RACES, axis=1)
    closer = np.where(banks[0] >= 10_000, 0, -1)
    to_pass = banks[0].copy()
    last = np.zeros(RACES, int)
    for step in range(1, 40 * seats):
        seat = step % seats
        open_ = closer < 0
        bank, count = banks[seat, open_], zilches[seat, open_]
        drawn(stream, bank, count)
        banks[seat, open_], zilches[seat, open_] = bank, count
        trying = ~open_ & (closer != seat) & (last < seats - 1)
        chances = mind._passing(
            mind._index(banks[seat]), mind._index(np.maximum(to_pass, banks[seat]))
        )
        passed = trying & (stream.random(RACES) < chances)
        banks[seat, passed] = to_pass[passed] + 50
        last[trying] += 1
        there = open_ & (banks[seat] >= 10_000)
        closer[there], to_pass[there] = seat, banks[seat, there]
    above = (banks[1:] > banks[0]).sum(axis=0)
    level = (banks[1:] == banks[0]).sum(axis=0)
    paid = mind.shares_mind.places(seats)
    ladder = np.append(np.cumsum([0.0, *paid]), [1.0] * 3)
    won = (ladder[above + level + 1] - ladder[above]) / (level + 1)

    standing = [mind.Standing(*who) for who in (mine, *others)]
    banked, zilched = mind._ends(mind.Race(standing[0], tuple(standing[1:]), (), True, tuple(paid)))
    worth = zilched[mine[1]] if mine[1] else banked

    assert worth[mind._at(mine[0])] == pytest.approx(won.mean(), abs=0.005)


def test_8_everybody_gets_the_same_on_average_whatever_seat_begins() -> None:
    # the shares of two who are level: who is to play, and after a turn without points the other
    mine = mind.values(race(4000, 4000), 0)["roll"]
    theirs = mind._ends(mind._race(race(4000, 4000), 0))[0][mind._at(4000)]

    assert 0.5 < mine < 0.55
    assert theirs < 0.5
