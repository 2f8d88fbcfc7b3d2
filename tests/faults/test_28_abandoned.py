"""An abandoned lobby, a player who never acts, everyone leaves: it ends by itself (RULES 0)."""

from __future__ import annotations

import pytest

from games import registry
from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, data, load, painted, presses, thrown
from tgbot.playground import Person

ROUND_S = 25
LONGEST_S = 45 * 60
"""Longer than a game takes in which nobody does anything."""


async def seated(house: House, kind: str, *people: Person) -> str:
    """A staked game of these people, who can all be written to; answers its id."""
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    load(house, kind)
    await house.open(*people, kind=kind)
    await painted(house)
    return house.table().id


def settled(house: House, game_id: str, *people: Person) -> bool:
    """Whether nothing of the game is held or due any more, and no coin was made or lost."""
    left = sum(map(house.coins, people)) + house.jackpot()
    due = house.sql("SELECT * FROM due WHERE kind = 'game'")
    return house.held("escrow", game_id) == 0 and left == 10 * len(people) and not due


@KINDS
@pytest.mark.parametrize("joined", [0, 1])
async def test_an_abandoned_lobby_is_called_off_and_stakes_return(
    house: House, kind: str, joined: int
) -> None:
    await house.stake(5)
    house.say(house.anna, f"/{kind}")
    await house.breathe()
    if joined:
        await house.press(house.ben, data(house.board(), "join"))
        await house.press(house.ben, data(house.board(), "leave"))

    await house.breathe(95)

    assert house.table().status == "off"
    assert settled(house, house.table().id, *((house.ben,) if joined else ()))


@KINDS
async def test_too_few_who_wait_get_their_stakes_back(house: House, kind: str) -> None:
    await house.stake(5)
    await house.open(house.anna, kind=kind, start=False)

    await house.breathe(95)

    few = registry()[kind].seats[0] > 1
    assert (house.table().status == "off") is few
    assert not few or settled(house, house.table().id, house.anna)


@KINDS
async def test_a_game_in_which_nobody_ever_acts_ends_by_itself(house: House, kind: str) -> None:
    people = [house.anna, house.ben, house.cem]
    game_id = await seated(house, kind, *people)

    await house.breathe(LONGEST_S)

    assert house.table().status == "over"
    assert settled(house, game_id, *people)


@KINDS
async def test_one_who_never_acts_holds_nobody_up(house: House, kind: str) -> None:
    people = [house.anna, house.ben, house.cem]
    game_id = await seated(house, kind, *people)
    random = load(house, kind)

    async for person, _board, _code in presses(house, people, random, asleep=house.cem):
        assert person is not house.cem
    await house.breathe(5)

    assert house.table().status == "over"
    assert settled(house, game_id, *people)


@KINDS
@pytest.mark.parametrize("at_once", [True, False])
async def test_when_everyone_leaves_it_is_over(house: House, kind: str, at_once: bool) -> None:
    people = [house.anna, house.ben, house.cem]
    game_id = await seated(house, kind, *people)

    for person in people:
        await house.leave(person)
        await house.breathe(0 if at_once else 4)
    await house.breathe(10)

    assert house.table().status == "over"
    assert settled(house, game_id, *people)


@KINDS
async def test_when_everyone_leaves_a_lobby_it_is_called_off(house: House, kind: str) -> None:
    await house.stake(5)
    await house.open(house.anna, house.ben, kind=kind, start=False)
    for person in (house.anna, house.ben):
        await house.press(person, "🚪")

    await house.breathe(95)

    assert house.table().status == "off"
    assert settled(house, house.table().id, house.anna, house.ben)


async def test_an_abandoned_game_ends_by_itself(house: House) -> None:
    # nobody ever acts: three rounds of lowest dice, all level, then Stechen until one is ahead
    await house.begin(house.anna, house.ben)
    house.rolls = [2, 1]

    await house.breathe(3 * (ROUND_S + 3))

    assert house.table().status == "over"
    assert thrown(house)[0] == (0, "late")


async def test_a_solo_game_that_nobody_plays_on_ends_by_itself(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/farkle20", private)

    await house.breathe(23 * 3600)
    patient = house.sql("SELECT status FROM games")
    await house.breathe(2 * 3600)

    assert patient == [("running",)]
    assert house.sql("SELECT status FROM games") == [("over",)]
    assert house.sql("SELECT * FROM due WHERE kind = 'game'") == []
