"""A refusal of a board in words nobody knows: it cannot be shown here, whatever the words are."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, boards_with_keys
from tgbot.hall.table import HIDDEN_S

WRITING = "sendMessage,sendPhoto,editMessageText,editMessageReplyMarkup,editMessageCaption"
GIFT = 10
FOR_EVER = 10**6
WORDS = ("Bad Request: TOPIC_CLOSED", "Bad Request: CHAT_RESTRICTED", "Bad Request: whatever")


async def staked(house: House, kind: str) -> None:
    """A game of three with a stake of 5, in its first phase."""
    house.excused.add("refusals")
    people = (house.anna, house.ben, house.cem)
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(3)
    await house.stake(5)
    await house.open(*people, kind=kind)


def refuse(house: House, words: str = WORDS[0], only: str = WRITING, times: int = FOR_EVER) -> None:
    """The group takes nothing any more."""
    faults = house.telegram.faults
    faults.only, faults.refuse_reason, faults.refuse_chat = only, words, house.group.id
    faults.refuse_next = times


@KINDS
async def test_no_stake_moves_where_the_game_cannot_be_shown(house: House, kind: str) -> None:
    await staked(house, kind)
    for n, person in enumerate((house.anna, house.ben, house.cem) if kind == "fifty" else ()):
        await house.typed(person, "20", 4 - n)  # Anna would win
    refuse(house, WORDS[1])

    await house.breathe(3 * HIDDEN_S)

    assert house.table().status != "running"
    assert [house.coins(person) for person in (house.anna, house.ben, house.cem)] == [GIFT] * 3
    assert house.jackpot() == 0


@pytest.mark.parametrize("words", WORDS)
async def test_after_ten_minutes_the_game_is_called_off_and_every_stake_is_back(
    house: House, words: str
) -> None:
    await staked(house, "yahtzee")
    refuse(house, words)

    await house.breathe(HIDDEN_S)
    running = house.table().status
    await house.breathe(200)

    assert running == "running"
    assert house.table().status == "void"
    assert [house.coins(person) for person in (house.anna, house.ben, house.cem)] == [GIFT] * 3
    assert house.held("escrow", house.table().id) == 0


async def test_a_board_taken_again_goes_on_and_the_ten_minutes_begin_anew(house: House) -> None:
    await staked(house, "yahtzee")
    refuse(house)
    await house.breathe(HIDDEN_S - 100)
    house.telegram.faults.refuse_next = 0

    await house.breathe(60)
    seen = len(boards_with_keys(house))
    refuse(house)
    await house.breathe(HIDDEN_S - 100)

    assert seen == 1
    assert house.table().status == "running"


async def test_an_edit_refused_for_a_reason_nobody_knows_is_sent_anew(house: House) -> None:
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    before = house.board()
    refuse(house, only="editMessageText", times=1)

    await house.press(house.ben, "✅")
    await house.breathe(5)

    assert house.board().id > before.id
    assert boards_with_keys(house) == [house.board()]
    assert "Ben" in house.board().text


async def test_a_closed_topic_is_left_whatever_it_is_called(house: House) -> None:
    house.excused.add("refusals")
    forum = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    topic = house.telegram.topic(forum, "Dice")
    await house.breathe(3)
    house.group = forum
    refuse(house, "Bad Request: TOPIC_IS_ASLEEP", "sendMessage", times=1)

    house.say(house.anna, "/fifty", topic=topic)
    await house.breathe(5)

    assert house.board().topic is None
    assert house.table().status == "lobby"


async def test_a_restart_does_not_count_the_time_before_it(house: House) -> None:
    await staked(house, "yahtzee")
    refuse(house)
    await house.breathe(300)

    await house.away(2 * HIDDEN_S)
    await house.breathe(60)

    assert house.table().status == "running"


async def test_a_result_that_nobody_takes_is_given_up_in_the_end(house: House) -> None:
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    refuse(house)

    await house.breathe(3 * HIDDEN_S)
    asked = len(house.written())
    await house.breathe(HIDDEN_S)

    assert house.table().status == "off"
    assert len(house.written()) == asked


async def test_a_game_that_is_given_up_leaves_no_board_that_can_be_pressed(house: House) -> None:
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    before = boards_with_keys(house)
    refuse(house, only="sendMessage,editMessageText")

    await house.breathe(2 * HIDDEN_S)

    assert house.table().status == "off"
    assert (len(before), boards_with_keys(house)) == (1, [])


@pytest.mark.parametrize("words", WORDS)
async def test_an_old_board_that_cannot_be_tidied_now_loses_its_keys_later(
    house: House, words: str
) -> None:
    await staked(house, "fifty")
    refuse(house, words, only="editMessageText,editMessageReplyMarkup")
    for n, person in enumerate((house.anna, house.ben, house.cem)):
        await house.typed(person, "20", 4 - n)
    await house.breathe(60)
    kept = len(boards_with_keys(house))

    house.telegram.faults.refuse_next = 0
    await house.breathe(120)

    assert kept > 1
    assert boards_with_keys(house) == [house.board()]


async def test_an_old_board_that_is_never_taken_is_given_up_in_the_end(house: House) -> None:
    await staked(house, "fifty")
    for n, person in enumerate((house.anna, house.ben, house.cem)):
        await house.typed(person, "20", 4 - n)
    refuse(house, only="editMessageText,editMessageReplyMarkup")

    await house.breathe(3 * HIDDEN_S)
    asked = len(house.written())
    await house.breathe(HIDDEN_S)

    assert len(house.written()) == asked
