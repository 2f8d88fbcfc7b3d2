"""What a board tells of what came before it (BOARDS): records, leaders, what is played for."""

from __future__ import annotations

import asyncio

import pytest

from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import typed
from tgbot.outbound.budget import Budget, Urgency


async def test_a_board_begins_with_the_record_of_the_day_and_the_new_leader(house: House) -> None:
    anna, ben, cem = house.anna, house.ben, house.cem
    await house.stake(1)
    await house.game({anna: (17,), ben: (10, 10, 10), cem: (9, 9, 9)})
    first = house.board().text
    await house.begin(anna, ben, cem)
    for person, total in ((anna, 10), (ben, 9), (cem, 20)):
        await house.score(person, "4+20", total)
    await house.breathe(5)
    second_round = house.board().text
    for person, total in ((anna, 2), (ben, 21)):
        await house.score(person, "4+12", total)
    await house.breathe(5)
    third_round = house.board().text
    for person, total in ((anna, 2), (ben, 5)):
        await house.score(person, "4+10", total)
    await house.breathe(60)

    assert "Anna: 💥 2 over: record of the day" in first
    assert second_round.startswith("Cem: 💥 5 over: record of the day\n💥 Cem")
    assert third_round.startswith("✅ Ben: ")
    assert "👑 Ben leads!" in third_round
    assert "Cem: 💥 5 over: record of the day" in house.board().text


async def test_less_than_the_record_of_the_day_is_none(house: House) -> None:
    people = (house.anna, house.ben, house.cem)
    await house.stake(1)
    await house.game(dict.fromkeys(people, (18,)))
    await house.begin(*people)
    await house.score(house.anna, "4+20", 18)
    for person in people[1:]:
        await house.score(person, "4+20", 9)
    await house.breathe(5)

    assert "record" not in house.board().text


async def test_1_6_the_jackpot_stands_on_the_board_while_somebody_can_win_it(house: House) -> None:
    people = (house.anna, house.ben, house.cem)
    await house.game(dict.fromkeys(people, (16,)))
    await house.begin(*people)
    first = house.board().text
    for person, total in zip(people, (15, 9, 9), strict=True):
        await house.score(person, "4+20", total)
    await house.breathe(5)
    second = house.board().text
    for person in people:
        await house.score(person, "4+12", 6)
    await house.breathe(5)

    assert "🏆 3 points for three bullseyes" in first
    assert "🏆 3 points: Anna 1 of 3" in second
    assert "🏆" not in house.board().text


async def test_a_press_on_an_old_board_leaves_it_its_line(house: House) -> None:
    """In a brisk game some old boards still have their keys; whoever presses them finds out."""
    anna, ben = house.anna, house.ben
    await house.open(anna, ben, kind="yahtzee")
    for n in range(6):
        await typed(house, (anna, ben)[n % 2], "/roll", dice="33526")
        house.say((anna, ben)[n % 2], f"/score {('threes', 'fives', 'sixes')[n // 2]}")
        await house.breathe(1)
    boards = [it for it in house.telegram.messages(house.group) if it.buttons and "turn" in it.text]
    stale = [message for message in boards if message.id != house.board().id]
    for message in stale:
        await house.forge(ben, message.buttons[0][0]["callback_data"], message)
    await house.breathe(130)

    left = [message.text for message in stale]
    assert left
    assert all("Threes 6" in text or "Fives 5" in text or "Sixes 6" in text for text in left), left
    assert all(message.buttons == [] for message in stale)


async def test_the_throw_that_decides_is_seen_before_the_result(house: House) -> None:
    await house.begin(house.anna, house.ben)
    for pool in ("4+20", "4+12", "4+10"):
        await house.score(house.anna, pool, 9)
        await house.score(house.ben, pool, 8)
        await house.breathe(5)
    await house.breathe(30)

    written = [str(call.params.get("text", "")) for call in house.written()]
    thrown = next(n for n, body in enumerate(written) if "Ben" in body and "= 8" in body
                  and "limit" in body and "Round 3" in body and "✅" in body)  # fmt: skip
    assert thrown < next(n for n, body in enumerate(written) if "🏁" in body)


@pytest.mark.parametrize("calls", [12, 14, 15, 16, 17, 18])
async def test_a_throw_that_is_announced_is_shown_however_much_was_written(
    house: House, calls: int
) -> None:
    assert house.bot
    await house.begin(house.anna, house.ben)
    for pool in POOLS[:2]:
        await house.score(house.anna, pool, 9)
        await house.score(house.ben, pool, 8)
        await house.breathe(5)
    await house.score(house.anna, POOLS[2], 9)
    await house.breathe(5)
    written, now = len(house.written()), asyncio.get_running_loop().time()
    for _ in range(calls - written):
        house.bot.painter._desk(house.group.id).budget.spend(now)
    await house.score(house.ben, POOLS[2], 8)
    await house.breathe(20)

    said = [str(call.params.get("text", "")) for call in house.written()[written:]]
    told = said[: next(n for n, body in enumerate(said) if "🏁" in body)]
    assert not told or "🥁" not in told[-1]


def test_tidying_leaves_room_for_boards_and_edits_always() -> None:
    budget = Budget(group=True)
    for second in range(11):
        budget.spend(float(second))

    waits = [budget.wait(urgency, 20.0) for urgency in (Urgency.SCENE, Urgency.EDIT, Urgency.TIDY)]
    assert waits[:2] == [0.0, 0.0]
    assert waits[2] > 30


async def test_the_board_of_a_round_in_which_all_went_out_is_there_once(house: House) -> None:
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))
    await house.breathe(10)

    told = house.heard()
    assert ["Round 1" in body for body in told].count(True) == 1
    assert house.says("fifty.reason.all_out") in told[-1]
