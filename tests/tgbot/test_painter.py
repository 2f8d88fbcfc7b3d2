"""Messages out: the newest board, within Telegram's limits, and nobody waits for another chat."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.tgbot.house import POOLS, House, showing
from tests.tgbot.playing import boards_with_keys, most_within, within_limits
from tgbot.outbound.desk import Desk

MINUTE_S = 60.0
ROUND_S = 25


# -- the budget --------------------------------------------------------------------------------


async def test_a_staked_game_of_20_stays_within_the_limits(strict_house: House) -> None:
    house = strict_house
    people = [house.anna, house.ben, house.cem, *house.friends(17)]
    await house.stake(10)
    await house.open(*people[:-1], start=False)
    house.limits(15, 22, 13)
    await house.press(people[-1], "✅")
    await house.breathe(4)
    for number, pool in enumerate(POOLS):
        board = house.board()
        for place, person in enumerate(people):
            total = (14 - place // 2, 21 - place // 2 - place % 2, 5)[number]
            await house.throw(person, pool, *showing(pool, total), board=board)
        await house.breathe(10)
    await house.breathe(5)

    assert house.table().status == "over"
    assert within_limits(house)
    assert [house.coins(person) for person in people] == [100, 60, 40, *[0] * 17]
    assert "🥇 Anna" in house.board().text


async def test_the_newest_board_wins_and_what_lay_between_is_never_sent(
    strict_house: House,
) -> None:
    house, people = strict_house, strict_house.friends(12)
    await house.ask(house.anna, "/fifty")
    await house.breathe(3)
    before = len(house.written())

    for person in people:
        house.telegram.press(person, house.group, house.board().id, "✅")
    await house.breathe(10)

    assert len(house.written()) - before <= 2
    assert people[-1].name in house.board().text


async def test_several_games_in_topics_share_the_budget_of_their_group(
    strict_house: House,
) -> None:
    house = strict_house
    people = house.friends(5)
    house.group = house.telegram.group("Forum", house.anna, *people, forum=True)
    topics = [house.telegram.topic(house.group, name) for name in "ABCD"]
    for topic in topics:
        house.say(house.anna, "/fifty", topic=topic)
        await house.breathe(4)
    shown = [message for message in house.telegram.messages(house.group) if message.topic]
    lobbies = [message for message in shown if message.buttons]
    for person in people:
        for lobby in lobbies:
            await house.forge(person, lobby.buttons[0][0]["callback_data"], lobby)

    await house.breathe(8 * MINUTE_S)

    assert house.sql("SELECT count(*) FROM games WHERE status = 'running'") == [(4,)]
    assert house.sql("SELECT min(n) FROM (SELECT count(*) n FROM moves GROUP BY game_id)") > [(20,)]
    assert within_limits(house)


async def test_60_groups_at_once_stay_below_30_a_second(strict_house: House) -> None:
    house = strict_house
    groups = [house.telegram.group(f"G{n}", house.anna) for n in range(60)]
    await house.breathe(10)

    for group in groups:
        house.say(house.anna, "/fifty", group)
    await house.breathe(5)

    assert all("\nAnna\n" in house.telegram.last(group).text for group in groups)
    sends = [call.at for call in house.telegram.log if call.method == "sendMessage"]
    assert most_within(sends, 1.0) <= 30


async def test_hundreds_of_chats_wait_in_a_line_and_not_all_wake_for_each_send(
    strict_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, chats, looks = strict_house, 300, 0
    look = Desk.next_step

    def counting(self: Desk, now: float) -> Any:
        nonlocal looks
        looks += 1
        return look(self, now)

    people = [house.telegram.person(f"Person {n}") for n in range(chats)]
    groups = [house.telegram.group(f"Of {person.name}", person) for person in people]
    await house.breathe(30)
    monkeypatch.setattr(Desk, "next_step", counting)
    for person, group in zip(people, groups, strict=True):
        house.say(person, "/play", group)
    await house.breathe(30)

    told = [group for group in groups if len(house.heard(group)) == 2]
    assert len(told) == chats
    assert looks <= 4 * chats


async def test_a_private_chat_gets_one_message_a_second(strict_house: House) -> None:
    house, private = strict_house, strict_house.private(strict_house.anna)

    for _ in range(12):
        house.say(house.anna, "/points", private)
    await house.breathe(15)

    times = [call.at for call in house.written(private)]
    assert len(times) == 12
    assert most_within(times, 0.99) == 1


# -- noticing ----------------------------------------------------------------------------------


async def test_a_new_round_is_a_new_message_even_in_a_chat_full_of_questions(
    strict_house: House,
) -> None:
    house = strict_house
    await house.begin(house.anna, house.ben)
    for _ in range(40):
        house.say(house.cem, "/d ?")
        await house.breathe(0.55)

    for person in (house.anna, house.ben):
        await house.score(person, "4+20", 10)
    ended = house.telegram.now()
    await house.breathe(4)

    board = house.board()
    assert "Round 2 of 3" in board.text
    assert board.date - ended <= 2
    assert any(entity["type"] == "text_mention" for entity in board.entities)
    assert within_limits(house)


async def test_a_long_stechen_thrown_at_once_stays_within_the_limits(strict_house: House) -> None:
    # every throw in it is a new message: more than a minute has room for
    house = strict_house
    people = [house.anna, *house.friends(15)]
    await house.begin(*people)
    for pool in POOLS:
        for person in people:
            await house.score(person, pool, 10)
        await house.breathe(3)

    for _ in range(2):
        for person in [*people, *people]:
            house.say(person, "/d 4")
            await house.breathe(0.1)
    await house.breathe(3 * MINUTE_S)

    assert house.sql("SELECT count(*) FROM moves") > [(70,)]
    assert "Roll-off" in house.board().text
    assert within_limits(house)


async def test_a_board_that_was_on_its_way_does_not_start_the_clock_of_the_next_round(
    strict_house: House,
) -> None:
    house, call = strict_house, strict_house.telegram.call
    await house.begin(house.anna, house.ben)
    await house.breathe(5)

    async def slow(method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if method == "editMessageText":
            await asyncio.sleep(3)
        return await call(method, params)

    house.telegram.call = slow
    house.say(house.anna, "/d 4")
    await house.breathe(2)
    house.say(house.ben, "/d 4")
    await house.breathe(10)

    second = house.board()
    assert "Round 2 of 3" in second.text
    assert house.table().due_at - second.date in (ROUND_S, ROUND_S + 1)


async def test_questions_are_answered_one_after_the_other_within_the_limits(
    strict_house: House,
) -> None:
    house = strict_house
    for person in house.friends(25):
        house.say(person, "/help")

    await house.breathe(3 * MINUTE_S)

    assert house.heard().count(house.telegram.last(house.group).text) == 25
    assert within_limits(house)


async def test_only_the_newest_board_has_buttons(strict_house: House) -> None:
    house = strict_house
    await house.begin(house.anna, house.ben)
    for pool in POOLS[:2]:
        for person in (house.anna, house.ben):
            await house.score(person, pool, 10)
        await house.breathe(5)

    assert boards_with_keys(house) == [house.board()]


# -- lost, deleted, refused --------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["timeout_before_next", "error_5xx_next"])
async def test_a_board_that_was_lost_is_sent_again(strict_house: House, fault: str) -> None:
    house = strict_house
    house.excused.add("refusals")
    house.telegram.faults.only = "sendMessage"
    setattr(house.telegram.faults, fault, 3)

    await house.ask(house.anna, "/fifty")
    await house.breathe(20)

    assert "\nAnna\n" in house.board().text
    assert len(boards_with_keys(house)) == 1


async def test_an_answer_that_was_never_sent_is_given_again(strict_house: House) -> None:
    house = strict_house
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.unreachable_next = 2

    await house.ask(house.anna, "/play")
    await house.breathe(10)

    assert house.heard().count(house.says("menu.title")) == 1


# -- restart -----------------------------------------------------------------------------------


async def test_a_picture_is_never_older_than_its_moves(strict_house: House) -> None:
    # what the painter reads is what was committed
    house = strict_house
    await house.begin(house.anna, house.ben)

    for pool in POOLS:
        await house.score(house.anna, pool, 10)
        await house.score(house.ben, pool, 9)
        await house.breathe(2)

    moves = house.sql("SELECT n FROM moves ORDER BY n")
    assert moves == [(n,) for n in range(7)]
    assert house.table().status == "over"
