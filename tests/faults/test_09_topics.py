"""A game in a forum topic: its board stays there, or falls back to the chat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tgbot.house import POOLS, House, showing
from tests.tgbot.playing import load
from tgbot.playground.errors import Refusal


async def test_a_board_in_a_topic_that_is_gone_falls_back_to_the_chat(
    strict_house: House,
) -> None:
    house = strict_house
    house.excused.add("refusals")
    house.group = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    topic = house.telegram.topic(house.group, "Dice")
    await house.breathe(3)
    house.say(house.anna, "/fifty", topic=topic)
    await house.breathe(3)
    for person in (house.anna, house.ben):
        await house.press(person, "✅")

    house.telegram.close_topics(house.group)
    await house.press(house.anna, "▶️")
    await house.breathe(5)

    board = house.board()
    assert "ound 1 of 3" in board.text
    assert board.topic is None


async def test_boards_stay_in_their_topic_and_typed_words_mean_its_game(house: House) -> None:
    forum = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    red, blue = (house.telegram.topic(forum, name) for name in ("Red", "Blue"))
    for topic in (red, blue):
        house.say(house.anna, "/fifty", forum, topic=topic)
        await house.breathe()

    house.say(house.ben, "/d +", forum, topic=blue)
    await house.breathe(3)

    seats = house.sql("SELECT topic FROM games g JOIN seats s ON s.game_id = g.id")
    assert sorted(seats) == sorted([(red,), (blue,), (blue,)])
    assert house.telegram.last(forum).topic == blue


async def in_topic(house: House) -> int:
    """A staked game of Anna and Ben in a topic, in its first round; answers the topic."""
    house.group = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    topic = house.telegram.topic(house.group, "Dice")
    await house.breathe(3)
    await house.ask(house.anna, "/settings stake 5", topic=topic)
    await house.ask(house.anna, "/fifty", topic=topic)
    for person in (house.anna, house.ben):
        await house.press(person, "✅")
    house.limits(15, 22, 13)
    await house.press(house.anna, "▶️")
    await house.breathe(3)
    return topic


async def play_out(house: House, topic: int | None) -> None:
    """All that is left to throw, typed in the topic or in the chat."""
    for pool in POOLS:
        for person, total in ((house.anna, 10), (house.ben, 9)):
            house.rolls += showing(pool, total)
            house.say(person, f"/d {pool}", topic=topic)
            await house.breathe(0.3)
        await house.breathe(3)


async def test_every_message_of_a_game_stays_in_its_topic(house: House) -> None:
    topic = await in_topic(house)

    await play_out(house, topic)
    await house.press(house.ben, "🔁")
    await house.breathe(3)

    sent = [m for m in house.telegram.messages(house.group) if m.sender is house.telegram.bot]
    assert house.sql("SELECT status, topic FROM games ORDER BY opened_at") == [
        ("over", topic),
        ("lobby", topic),
    ]
    assert {m.topic for m in sent if m.service is None and "10" in m.text} == {topic}


async def test_a_game_whose_topics_are_switched_off_is_played_to_its_end_in_the_chat(
    house: House,
) -> None:
    house.excused.add("refusals")
    await in_topic(house)

    house.telegram.close_topics(house.group)
    await house.breathe(30)  # the first round passes
    board = house.board()
    for pool in ("6+20", "6+12"):
        for person, total in ((house.anna, 10), (house.ben, 9)):
            await house.score(person, pool, total)
        await house.breathe(3)

    assert board.topic is None
    assert house.table().status == "over"
    assert sum(map(house.coins, (house.anna, house.ben))) == 20


@pytest.mark.parametrize("reason", ["TOPIC_CLOSED", "TOPIC_DELETED", "message thread not found"])
async def test_a_topic_that_is_closed_or_deleted_ends_no_game(house: House, reason: str) -> None:
    house.excused.add("refusals")
    topic = await in_topic(house)
    call = house.telegram.call

    async def closed(method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if method == "sendMessage" and params.get("message_thread_id") == topic:
            return 400, Refusal(400, f"Bad Request: {reason}").answer()
        return await call(method, params)

    house.telegram.call = closed
    await house.breathe(30)
    board = house.board()
    await house.throw(house.anna, "20", 3)
    await house.throw(house.ben, "20", 4)
    await house.breathe(60)

    assert board.topic is None
    assert house.table().status == "over"
    assert house.log.said("ERROR") == []


async def test_where_the_chat_has_a_game_of_its_own_both_go_on(house: House) -> None:
    house.excused.add("refusals")
    await in_topic(house)
    load(house, "fifty")
    house.say(house.anna, "/fifty")
    await house.breathe(3)

    house.telegram.close_topics(house.group)
    await house.breathe(400)

    assert house.sql("SELECT status FROM games ORDER BY opened_at") == [("over",), ("off",)]
    assert house.coins(house.anna) + house.coins(house.ben) + house.jackpot() == 20


async def test_settings_that_name_a_topic_that_is_gone_are_told(house: House) -> None:
    topic = await in_topic(house)
    await house.ask(house.anna, "/settings topics here", topic=topic)
    house.telegram.close_topics(house.group)

    answer = await house.ask(house.ben, "/fifty")
    await house.ask(house.anna, "/settings topics all")

    assert answer == house.says("refused.topic")
    house.excused.add("refusals")
