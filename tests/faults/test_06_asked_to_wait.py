"""429 in one chat: its board ends up right, other chats are served at once."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import (
    KINDS,
    boards_with_keys,
    codes,
    data,
    flood,
    load,
    painted,
    presses,
    within_limits,
)
from tests.tgbot.test_8_james import practise


async def test_30_joins_in_10_seconds_provoke_no_429_and_leave_the_right_board(
    strict_house: House,
) -> None:
    house, people = strict_house, strict_house.friends(30)
    await house.stake(1)
    house.say(house.anna, "/fifty")
    await house.breathe(4)
    lobby = house.board()
    join = lobby.buttons[0][0]["callback_data"]
    for person in people:
        await house.forge(person, join, lobby)
        await house.breathe(0.28)
    await house.breathe(5)

    toasts = [house.telegram.toasts(person)[0].text for person in people]

    assert toasts.count(house.says("lobby.joined_stake", stake="1 Knuddel")) == 20
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

    shown = ", ".join(["Anna", *(person.name for person in people)])
    assert shown in house.board().text
    assert within_limits(house)


async def test_retry_after_in_one_chat_delays_no_other(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    other = house.telegram.group("Other", house.anna)
    await house.breathe(3)
    flood(house, times=1, seconds=100)
    house.say(house.anna, "/fifty")
    await house.breathe(0.5)

    await house.ask(house.anna, "/fifty", other)

    assert house.says("lobby.seats", fewest=2, most=20) in house.telegram.last(other).text
    assert house.says("lobby.seats", fewest=2, most=20) not in " ".join(house.heard())


async def test_a_result_that_has_to_wait_is_sent_without_the_end_being_shown_again(
    strict_house: House,
) -> None:
    """Else two calls a try are more than the chat has room for, and the result never comes."""
    house = strict_house
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    for pool in POOLS:
        for person, total in ((house.anna, 12), (house.ben, 9)):
            if (pool, person) == (POOLS[-1], house.ben):
                before = len(house.written())
                house.telegram.faults.only = "sendMessage"
                flood(house, times=3, seconds=1)
            await house.score(person, pool, total)
        await house.breathe(2)
    assert house.table().status == "over"

    await house.breathe(10)

    assert "🏁" in house.board().text
    said = [call.params["text"] for call in house.written()[before:] if "text" in call.params]
    drum_rolls = [line for line in said if "🥁" in line]
    assert drum_rolls
    assert len(drum_rolls) == len({*drum_rolls})


async def test_a_brisk_game_in_private_is_never_asked_to_wait(strict_house: House) -> None:
    """How a turn ended is shown right before the board of the next one."""
    house, keys = strict_house, ("bank_best", "bank", "plan", "roll_best", "roll", "throw")
    load(house, "a brisk game")
    chat = await practise(house, house.anna, "zilch")

    for _ in range(120):
        board = house.telegram.last(chat, buttons=True)
        if key := next((key for key in keys if key in codes(board)), ""):
            await house.press(house.anna, data(board, key), board)
        await house.breathe(0.4)

    assert len(house.written(chat)) > 20
    assert house.refused == []


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
    assert house.says("lobby.seats", fewest=2, most=20) in house.board().text


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
    assert people[-1].name in house.board().text


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
    assert house.says("lobby.seats", fewest=2, most=20) in house.board().text


@KINDS
async def test_every_game_ends_up_right_in_a_chat_that_has_to_wait_now_and_then(
    strict_house: House, kind: str
) -> None:
    house = strict_house
    house.excused.add("refusals")
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(5)
    await house.stake(5)
    random = load(house, kind)
    await house.open(*people, kind=kind)
    await painted(house)

    async for _ in presses(house, people, random):
        if random.random() < 0.1:
            flood(house, times=1, seconds=7)
    await house.breathe(900)  # old keyboards go when the chat has room

    assert house.telegram.faults.count["flood"] >= 1
    assert house.table().status == "over"
    assert boards_with_keys(house) == [house.board()]
    assert house.sql("SELECT count(*) FROM showings WHERE painted < board") == [(0,)]
    assert house.log.said("ERROR") == []


@pytest.mark.parametrize(
    "method", ["editMessageText", "editMessageReplyMarkup", "answerCallbackQuery", "getChatMember"]
)
async def test_a_429_to_any_call_is_survived(house: House, method: str) -> None:
    house.excused.add("refusals")
    await house.open(house.anna, house.ben, start=False)
    house.telegram.faults.only = method
    house.telegram.faults.flood_next = 3
    house.telegram.faults.flood_retry_after = 2

    await house.press(house.cem, "✅")
    await house.press(house.anna, "▶️")
    await house.ask(house.anna, "/settings stake 5")
    await house.breathe(20)

    assert house.table().people == [house.anna, house.ben, house.cem]
    assert house.table().status == "running"
    assert "ound 1 of 3" in " ".join(house.heard())
    assert house.log.said("ERROR") == []


async def test_while_getupdates_has_to_wait_nothing_is_lost(house: House) -> None:
    house.excused.add("refusals")
    await house.open(house.anna, start=False)
    house.telegram.faults.only = "getUpdates"
    house.telegram.faults.flood_next = 2
    house.telegram.faults.flood_retry_after = 3

    await house.press(house.ben, "✅")
    await house.press(house.cem, "✅")
    await house.breathe(12)

    assert house.table().people == [house.anna, house.ben, house.cem]


async def test_a_chat_that_waits_ten_minutes_holds_up_nobody(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    others = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(10)]
    await house.breathe(5)
    flood(house, times=1, seconds=600)
    await house.ask(house.anna, "/fifty")

    for other in others:
        house.say(house.ben, "/fifty", other)
    await house.breathe(2)

    assert all(
        house.says("lobby.seats", fewest=2, most=20) in house.telegram.last(other).text
        for other in others
    )


async def test_a_press_on_the_newest_board_there_is_learns_that_a_newer_one_is_on_its_way(
    house: House,
) -> None:
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    lobby, first = house.telegram.messages(house.group)[-2:]
    flood(house, times=1, seconds=20)
    for person in (house.anna, house.ben):
        await house.throw(person, "4", 1, board=first)
    await house.breathe(3)

    assert house.telegram.last(house.group) is first  # the second round is not shown yet
    stale = data(first, "throw")
    waiting = [await house.forge(person, stale, first) for person in (house.anna, house.cem)]
    olds = [await house.forge(house.anna, stale, lobby)]
    await house.breathe(30)
    olds.append(await house.forge(house.anna, stale, first))

    assert waiting == [house.says("refused.coming"), house.says("refused.not_playing", "de")]
    assert house.telegram.last(house.group) is not first
    assert olds == [house.says("refused.stale")] * 2
