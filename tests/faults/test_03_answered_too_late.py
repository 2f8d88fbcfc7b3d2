"""The answer to a press comes too late: the move stands."""

from __future__ import annotations

from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, load, presses


async def test_a_toast_that_comes_too_late_undoes_no_move(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    house.telegram.faults.bad_request_answers_next = 1

    await house.press(house.ben, "✅")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.ben]
    assert "Ben" in house.board().text
    assert house.log.said("ERROR") == []


@KINDS
async def test_a_whole_game_none_of_whose_presses_is_answered(house: House, kind: str) -> None:
    house.excused.add("refusals")
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    random = load(house, kind)
    house.telegram.faults.bad_request_answers_next = 10_000
    await house.open(*people, kind=kind)

    async for _ in presses(house, people, random):
        pass
    await house.breathe(3)

    assert house.telegram.faults.count["bad_request_answers"] > 10
    assert house.table().status == "over"
    assert house.held("escrow", house.table().id) == 0
    assert house.log.said("ERROR") == house.log.said("WARNING") == []


async def test_an_answer_that_is_lost_undoes_no_move(house: House) -> None:
    house.telegram.faults.only = "answerCallbackQuery"
    await house.ask(house.anna, "/fifty")
    for fault, person in (("timeout_before", house.anna), ("timeout_after", house.ben)):
        setattr(house.telegram.faults, f"{fault}_next", 1)
        await house.press(person, "✅")
    house.telegram.faults.error_5xx_next = 1
    house.excused.add("refusals")
    await house.press(house.cem, "✅")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.ben, house.cem]
    assert house.log.said("ERROR") == []


async def test_a_press_that_comes_a_minute_late_still_counts_and_nobody_minds(house: House) -> None:
    house.excused.add("refusals")
    await house.ask(house.anna, "/settings language de")
    await house.ask(house.anna, "/play")
    house.telegram.faults.late_updates_s = 60

    house.telegram.press(house.ben, house.group, house.board().id, "🎲 Fifty!")
    await house.breathe(65)

    assert house.table().opener == house.ben.id
    assert house.log.said("ERROR") == []
