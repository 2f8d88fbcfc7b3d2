"""What a board tells of what came before it (BOARDS): records, leaders, what is played for."""

from __future__ import annotations

from tests.tgbot.house import House


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
