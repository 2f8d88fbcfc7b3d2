"""Messages out: the newest board, within Telegram's limits, and nobody waits for another chat."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import pairwise
from typing import Any

import pytest

from tests.tgbot.conftest import POOLS, House, showing
from tgbot import boards
from tgbot.playground import Chat, Message
from tgbot.table import Table

MINUTE_S = 60.0
MOST_A_MINUTE = 20
ROUND_S = 25


def most_within(times: list[float], window_s: float) -> int:
    """The largest number of moments in any stretch of that many seconds."""
    most, window = 0, deque[float]()
    for time in times:
        window.append(time)
        while window[0] <= time - window_s:
            window.popleft()
        most = max(most, len(window))
    return most


def within_limits(house: House, chat: Chat | None = None) -> bool:
    """Whether the bot wrote to a group at most 20 times in any minute, 3 in any 3 seconds."""
    times = [call.at for call in house.written(chat)]
    return most_within(times, MINUTE_S) <= MOST_A_MINUTE and most_within(times, 3.0) <= 3


def boards_with_keys(house: House) -> list[Message]:
    """The messages of the group that still have buttons of a game."""
    game_id = house.table().id
    return [
        message
        for message in house.telegram.messages(house.group)
        if any(key.get("callback_data", "").startswith(game_id)
               for row in message.buttons for key in row)
    ]  # fmt: skip


# -- the budget --------------------------------------------------------------------------------


async def test_30_joins_in_10_seconds_provoke_no_429_and_leave_the_right_board(
    strict_house: House,
) -> None:
    house, people = strict_house, strict_house.friends(30)
    await house.ask(house.anna, "/fifty")
    lobby = house.board()
    join = lobby.buttons[0][0]["callback_data"]
    for person in people:
        await house.forge(person, join, lobby)
        await house.breathe(0.28)
    await house.breathe(5)

    toasts = [house.telegram.toasts(person)[0].text for person in people]

    assert toasts.count(house.says("lobby.joined")) == 20
    assert toasts.count(house.says("refused.started")) == 10
    board = house.board().text
    assert "ound 1 of 3" in board
    assert all(person.name in board for person in people[:20])
    assert within_limits(house)


async def test_joining_and_leaving_30_times_in_10_seconds_ends_in_the_right_board(
    strict_house: House,
) -> None:
    house, people = strict_house, strict_house.friends(10)
    await house.ask(house.anna, "/fifty")
    for button in ("✅", "🚪", "✅"):
        for person in people:
            await house.press(person, button)
            await house.breathe(0.28)

    await house.breathe(10)

    shown = ", ".join(f"{n}. {person.name}" for n, person in enumerate(people, 1))
    assert shown in house.board().text
    assert within_limits(house)


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
    assert f"12. {people[-1].name}" in house.board().text


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

    assert all(house.says("lobby.empty") in house.telegram.last(group).text for group in groups)
    sends = [call.at for call in house.telegram.log if call.method == "sendMessage"]
    assert most_within(sends, 1.0) <= 30


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
    assert "round 2 of 3" in board.text
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
    assert "Stechen" in house.board().text
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

    house.telegram.call = slow  # type: ignore[method-assign]
    house.say(house.anna, "/d 4")
    await house.breathe(2)
    house.say(house.ben, "/d 4")
    await house.breathe(10)

    second = house.board()
    assert "round 2 of 3" in second.text
    assert house.table().due_at - second.date in (ROUND_S, ROUND_S + 1)


async def test_questions_are_answered_one_after_the_other_within_the_limits(
    strict_house: House,
) -> None:
    house = strict_house
    for _ in range(25):
        house.say(house.ben, "/help")

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


# -- RetryAfter --------------------------------------------------------------------------------


async def test_retry_after_in_one_chat_delays_no_other(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    other = house.telegram.group("Other", house.anna)
    await house.breathe(3)
    flood(house, times=1, seconds=100)
    house.say(house.anna, "/fifty")
    await house.breathe(0.5)

    await house.ask(house.anna, "/fifty", other)

    assert house.says("lobby.empty") in house.telegram.last(other).text
    assert house.says("lobby.empty") not in " ".join(house.heard())


def flood(house: House, *, times: int, seconds: int) -> None:
    """Telegram asks to wait in the group."""
    house.telegram.faults.flood_chat = house.group.id
    house.telegram.faults.flood_retry_after = seconds
    house.telegram.faults.flood_next = times


async def test_a_press_is_answered_at_once_while_its_chat_has_to_wait(
    strict_house: House,
) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    await house.breathe(3)
    flood(house, times=1, seconds=60)
    await house.press(house.anna, "✅")

    toast = await house.press(house.ben, "✅")

    assert toast == house.says("lobby.joined")
    assert house.says("lobby.empty") in house.board().text


async def test_after_the_wait_one_message_shows_the_newest_board(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    people = house.friends(5)
    await house.ask(house.anna, "/fifty")
    await house.breathe(3)
    flood(house, times=1, seconds=20)
    before = len(house.written())
    for person in people:
        await house.press(person, "✅")
    refused = house.telegram.now()

    await house.breathe(23)

    calls = house.written()[before:]
    assert [call.status for call in calls] == [429, 200]
    assert calls[1].at - refused >= 19
    assert f"5. {people[-1].name}" in house.board().text


@pytest.mark.parametrize("times", [1, 4])
async def test_every_429_is_waited_for(strict_house: House, times: int) -> None:
    house = strict_house
    house.excused.add("refusals")
    flood(house, times=times, seconds=7)
    await house.ask(house.anna, "/fifty")

    await house.breathe(times * 8)

    tried_at = [call.at for call in house.written()][-times - 1 :]
    gaps = [later - earlier for earlier, later in pairwise(tried_at)]
    assert len(gaps) == times
    assert min(gaps) >= 7
    assert house.says("lobby.empty") in house.board().text


# -- lost, deleted, refused --------------------------------------------------------------------


async def test_a_deleted_board_comes_back_and_the_game_settles_once(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    first = house.board()

    house.telegram.delete(house.group, first.id)
    await house.score(house.anna, "4+20", 10)
    await house.breathe(5)
    again = house.board()
    for pool, person in ((POOLS[0], house.ben), *((p, x) for p in POOLS[1:]
                                                  for x in (house.anna, house.ben))):  # fmt: skip
        await house.score(person, pool, 10 if person is house.anna else 9)
        await house.breathe(2)

    assert again.id > first.id
    assert "✅ Anna" in again.text
    assert house.table().status == "over"
    assert house.sql("SELECT count(*) FROM bookings WHERE reason = 'game'") == [(1,)]


async def test_a_deleted_lobby_comes_back_with_the_next_change(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    data = house.board().buttons[0][0]["callback_data"]
    old = house.board()
    house.telegram.delete(house.group, old.id)

    await house.forge(house.ben, data, old)
    await house.breathe(5)

    assert "1. Ben" in house.board().text


async def test_an_edit_that_changes_nothing_is_success(strict_house: House) -> None:
    house = strict_house
    await house.ask(house.anna, "/settings")

    await house.press(house.anna, "✓ 0")
    await house.breathe(3)

    assert any("is not modified" in reason for _, reason in house.refused)
    assert house.log.said("ERROR") == house.log.said("WARNING") == []


@pytest.mark.parametrize("fault", ["timeout_before_next", "error_5xx_next"])
async def test_a_board_that_was_lost_is_sent_again(strict_house: House, fault: str) -> None:
    house = strict_house
    house.excused.add("refusals")
    house.telegram.faults.only = "sendMessage"
    setattr(house.telegram.faults, fault, 3)

    await house.ask(house.anna, "/fifty")
    await house.breathe(20)

    assert house.says("lobby.empty") in house.board().text
    assert len(boards_with_keys(house)) == 1


async def test_a_board_that_arrived_unseen_leaves_no_second_one_with_buttons(
    strict_house: House,
) -> None:
    house = strict_house
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1

    await house.ask(house.anna, "/fifty")
    await house.breathe(10)

    assert sum(house.says("lobby.empty") in said for said in house.heard()) == 2
    assert len(boards_with_keys(house)) == 1


async def test_an_answer_that_may_have_arrived_is_not_given_twice(strict_house: House) -> None:
    house = strict_house
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1

    await house.ask(house.anna, "/play")
    await house.breathe(10)

    assert house.heard().count(house.says("menu.title")) == 1


async def test_an_answer_that_came_to_nothing_is_given_again(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.error_5xx_next = 2

    await house.ask(house.anna, "/play")
    await house.breathe(10)

    assert house.heard().count(house.says("menu.title")) == 1


async def test_a_toast_that_comes_too_late_undoes_no_move(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    house.telegram.faults.bad_request_answers_next = 1

    await house.press(house.ben, "✅")
    await house.breathe(3)

    assert house.table().people == [house.ben]
    assert "1. Ben" in house.board().text
    assert house.log.said("ERROR") == []


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


async def test_a_board_that_cannot_be_drawn_stops_nothing_else(
    strict_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = strict_house
    house.excused.add("errors")
    await house.open(house.anna, house.ben, start=False)
    house.limits(15, 22, 13)

    def broken(table: Table) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(boards._LAYOUT, "running", broken)
    await house.press(house.anna, "▶️")
    await house.breathe(3)
    answer = await house.ask(house.cem, "/play")
    monkeypatch.undo()
    await house.score(house.anna, "4+20", 5)
    await house.breathe(5)

    assert answer == house.says("menu.title", "de")
    assert house.log.said("ERROR") == ["a board could not be drawn"]
    assert "✅ Anna" in house.board().text


async def test_a_note_that_cannot_be_made_stops_nothing_else(strict_house: House) -> None:
    house = strict_house
    house.excused.add("errors")
    assert house.bot
    words = house.bot.words
    broken, words.names = words.names, {}

    house.say(house.anna, "/start")
    await house.breathe(3)
    words.names = broken
    await house.breathe(10)
    answer = await house.ask(house.anna, "/play")

    assert answer == house.says("menu.title")
    assert house.log.said("ERROR") == ["a chat could not be served"]


# -- restart -----------------------------------------------------------------------------------


async def test_a_board_left_behind_is_painted_at_the_next_start(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.open(house.anna, house.ben, start=False)
    await house.breathe(3)
    flood(house, times=1, seconds=30)
    await house.press(house.cem, "✅")
    await house.breathe()

    await house.away(60)
    await house.breathe(5)

    assert "3. Cem" in house.board().text


async def test_a_result_left_behind_is_painted_at_the_next_start(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    await house.breathe(3)
    flood(house, times=1, seconds=30)
    for person in (house.anna, house.ben):
        house.say(person, "/leave")
    await house.breathe()
    assert house.table().status == "over"

    await house.away(60)
    await house.breathe(5)

    assert house.says("fifty.reason.all_out") in house.board().text


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
