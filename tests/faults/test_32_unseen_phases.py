"""A phase that nobody was shown counts for nobody's lateness (RULES 0)."""

from __future__ import annotations

import pytest

from games import registry
from games.game import Setup
from tests.tgbot.house import House
from tests.tgbot.playing import flood

STAKED = pytest.mark.parametrize("kind", ["yahtzee", "zilch"])
GIFT = 10


async def staked(house: House, kind: str) -> None:
    """A game of three with a stake of 5."""
    house.excused.add("refusals")
    people = (house.anna, house.ben, house.cem)
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(3)
    await house.stake(5)
    await house.open(*people, kind=kind)


def moves(house: House) -> list[str]:
    """What people did, or was done for them."""
    return [move for (move,) in house.sql("SELECT move FROM moves WHERE seat >= 0 ORDER BY n")]


@STAKED
async def test_one_long_wait_takes_nobodys_stake(house: House, kind: str) -> None:
    await staked(house, kind)
    await house.breathe(20)
    flood(house, times=1, seconds=900)
    house.say(house.anna, "/play")

    await house.breathe(1000)

    assert house.table().status == "void"
    assert [house.coins(person) for person in (house.anna, house.ben, house.cem)] == [GIFT] * 3


@STAKED
async def test_turns_nobody_saw_do_not_take_anybody_out(house: House, kind: str) -> None:
    await staked(house, kind)
    flood(house, times=1, seconds=500)
    house.say(house.anna, "/play")

    await house.breathe(520)

    assert house.table().status == "running"
    assert "unseen" in moves(house)
    assert house.bot
    state = house.bot.hall.tables.seen[house.table().id].state
    assert [player.late for player in state.players] == [int("late" in moves(house)), 0, 0]


@STAKED
def test_an_unseen_turn_neither_counts_nor_begins_the_count_anew(kind: str) -> None:
    rules = registry()[kind].rules
    late: list[str] = []
    state = rules.start(Setup(2, {}))
    order = {0: iter((True, False, True, True)), 1: iter((False,) * 9)}
    while 0 in rules.seated(state) and rules.outcome(state) is None:
        (seat,) = rules.phase(state).actors
        forced = rules.expire(state, seat, seen=next(order[seat]))
        assert forced
        late += [forced[1]] if seat == 0 else []
        throw = rules.throw(state, *forced)
        state = rules.play(state, *forced, (1,) * len(throw.sides))

    assert late == ["late", "unseen", "late", "late"]
