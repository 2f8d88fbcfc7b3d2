"""A send times out although it arrived: nothing counts twice, no second board has buttons."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, boards_with_keys, give, load, presses


async def test_a_board_that_arrived_unseen_leaves_no_second_one_with_buttons(
    strict_house: House,
) -> None:
    house = strict_house
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1

    await house.ask(house.anna, "/fifty")
    await house.breathe(10)

    assert sum(house.says("lobby.seats", fewest=2, most=20) in said for said in house.heard()) == 2
    assert len(boards_with_keys(house)) == 1


async def test_an_answer_that_may_have_arrived_is_not_given_twice(strict_house: House) -> None:
    house = strict_house
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1

    await house.ask(house.anna, "/play")
    await house.breathe(10)

    assert house.heard().count(house.says("menu.title")) == 1


@KINDS
async def test_whatever_arrives_unseen_counts_once_and_leaves_one_board(
    house: House, kind: str
) -> None:
    house.excused.add("refusals")
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    random = load(house, kind)
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1
    await house.open(*people, kind=kind)

    async for _ in presses(house, people, random):
        house.telegram.faults.timeout_after_next = int(random.random() < 0.2)
    house.telegram.faults.timeout_after_next = 0
    await house.breathe(900)  # old keyboards go when the chat has room

    assert house.telegram.faults.count["timeout_after"] >= 1
    assert house.table().status == "over"
    assert house.sql("SELECT count(*) FROM bookings WHERE key LIKE 'settle:%'") == [(1,)]
    assert boards_with_keys(house) == [house.board()]
    assert sum(map(house.coins, people)) + house.jackpot() == 20


@pytest.mark.parametrize("said", ["/dice 3w6", "/diceo 3w6"])
async def test_a_throw_whose_answer_may_have_arrived_is_not_thrown_again(
    house: House, said: str
) -> None:
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1
    before = len(house.heard())

    house.say(house.anna, said)
    await house.breathe(30)

    assert len(house.heard()) == before + 1


async def test_a_gift_whose_answer_may_have_arrived_is_given_once(house: House) -> None:
    house.settings.give_after_days = 0
    await house.ask(house.ben, "/start", house.private(house.ben))
    await house.ask(house.anna, "/start", house.private(house.anna))
    await give(house, house.anna, 20)
    said = house.say(house.ben, "It is my birthday.")
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 2

    house.say(house.anna, "/give 5", reply_to=said.id)
    await house.breathe(30)

    assert (house.coins(house.anna), house.coins(house.ben)) == (25, 15)


async def test_only_a_board_is_taken_for_one_that_arrived_unseen(house: House) -> None:
    # greeting and panel came shortly before, and keep their buttons
    await house.ask(house.anna, "/settings")
    greeting, panel = [m for m in house.telegram.messages(house.group) if m.buttons]
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1

    await house.ask(house.anna, "/fifty")
    await house.breathe(200)

    assert greeting.buttons
    assert panel.buttons
