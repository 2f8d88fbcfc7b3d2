"""The pin of a lobby: where the bot may, by who may, and never longer than the lobby is open."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import Beside, labels
from tgbot.operator import actions


async def admin(house: House, *lacks: str) -> None:
    """The group makes the bot an administrator."""
    house.telegram.promote(house.group, house.telegram.bot, lacks=lacks)
    await house.breathe()


async def opened(house: House) -> None:
    """Anna opens a lobby."""
    house.say(house.anna, "/fifty")
    await house.breathe(2)


async def test_a_lobby_is_pinned_until_it_starts(house: House) -> None:
    await admin(house)
    await opened(house)
    lobby = house.board()

    said = await house.press(house.anna, "📌")
    await house.breathe(2)
    pinned = list(house.group.pinned)
    await house.press(house.ben, "✅")
    await house.press(house.anna, "▶️")
    await house.breathe(5)

    assert (said, pinned) == (house.says("pin.on"), [lobby.id])
    assert house.calls("pinChatMessage")[0].params["disable_notification"] is True
    assert (house.group.pinned, house.sql("SELECT * FROM pins")) == ([], [])


async def test_a_pin_is_taken_off_by_its_button_and_with_a_lobby_that_is_called_off(
    house: House,
) -> None:
    await admin(house)
    await opened(house)
    await house.press(house.anna, "📌")
    await house.breathe(2)

    off = await house.press(house.anna, "📌")
    await house.breathe(2)
    unpinned = list(house.group.pinned)
    await house.press(house.anna, "📌")
    await house.breathe(100)

    assert (off, unpinned) == (house.says("pin.off"), [])
    assert house.table().status == "off"
    assert (house.group.pinned, house.sql("SELECT * FROM pins")) == ([], [])


async def test_where_the_bot_may_not_pin_there_is_no_pin(house: House) -> None:
    await opened(house)
    as_member = labels(house.board())
    await house.breathe(100)
    await admin(house, "can_pin_messages")
    await opened(house)

    assert "📌" not in as_member + labels(house.board())


async def test_a_right_that_is_gone_is_told_and_offered_no_more(house: House) -> None:
    house.excused.add("refusals")
    await admin(house)
    await opened(house)
    await house.press(house.anna, "📌")
    await house.breathe(2)

    house.telegram.promote(house.group, house.telegram.bot, "member")
    await house.breathe()
    await house.press(house.anna, "📌")
    told = await house.press(house.anna, "📌")
    await house.breathe(100)
    await opened(house)

    assert told == house.says("pin.may_not")
    assert "📌" not in labels(house.board())


@pytest.mark.parametrize("gone", ["right", "bot"])
async def test_what_stayed_pinned_for_want_of_the_right_is_unpinned_once_the_bot_has_it_again(
    house: House, gone: str
) -> None:
    house.excused.add("refusals")
    await admin(house)
    await opened(house)
    await house.press(house.anna, "📌")
    await house.breathe(2)
    if gone == "bot":
        house.telegram.kick(house.group)
    else:
        house.telegram.promote(house.group, house.telegram.bot, "member")
    await house.breathe(100)
    pinned = list(house.group.pinned)
    await house.stop()
    await house.start()  # where nothing can be done about it yet
    if gone == "bot":
        house.telegram.readd(house.group)
    await house.breathe(5)

    await admin(house)
    await house.breathe(5)

    assert len(pinned) == 1
    assert (house.group.pinned, house.sql("SELECT * FROM pins")) == ([], [])


async def test_a_pin_of_a_message_that_is_gone_is_forgotten(house: House) -> None:
    house.excused.add("refusals")
    await admin(house)
    await opened(house)
    await house.press(house.anna, "📌")
    await house.breathe(2)

    house.telegram.delete(house.group, house.board().id)
    await house.breathe(100)

    assert house.sql("SELECT * FROM pins") == []


async def test_a_lobby_that_offers_no_pin_is_not_pinned_by_a_forged_press(house: House) -> None:
    """It was opened before the bot could pin; its boards would not have it unpinned."""
    await opened(house)
    await admin(house)

    said = await house.forge(house.anna, f"pin:0:{house.table().id}", house.board())
    await house.breathe(2)

    assert said == house.says("pin.may_not")
    assert house.group.pinned == []


async def test_only_its_opener_and_admins_pin_a_lobby(house: House) -> None:
    await admin(house)
    house.say(house.ben, "/fifty")
    await house.breathe(2)

    of_cem = await house.press(house.cem, "📌")
    of_anna = await house.press(house.anna, "📌")
    with Beside(house) as beside:
        actions.bar(*beside, str(house.ben.id), "spam")
    of_ben = await house.press(house.ben, "📌")

    assert of_ben == house.says("refused.barred")
    assert of_cem == house.says("pin.not_opener", "de")
    assert of_anna == house.says("pin.on")


async def test_a_board_that_comes_anew_takes_its_pin_along(house: House) -> None:
    await admin(house)
    await opened(house)
    await house.press(house.anna, "📌")
    await house.breathe(2)

    house.say(house.ben, "/board")
    await house.breathe(5)

    assert house.group.pinned == [house.board().id]


async def test_what_a_killed_process_left_pinned_is_unpinned_by_the_next_one(house: House) -> None:
    await admin(house)
    await opened(house)
    await house.breathe(100)
    await house.stop()
    message = house.telegram.last(house.group)
    house.group.pinned.append(message.id)
    house.sql("INSERT INTO pins VALUES (?, ?, ?)", house.group.id, message.id, house.table().id)

    await house.start()
    await house.breathe(2)

    assert (house.group.pinned, house.sql("SELECT * FROM pins")) == ([], [])


async def test_a_group_of_an_earlier_version_is_asked_about_once(house: House) -> None:
    await admin(house)
    house.sql("UPDATE chats SET pins = -1")
    await opened(house)
    before = labels(house.board())
    await house.breathe(100)

    await opened(house)

    assert "📌" not in before
    assert "📌" in labels(house.board())
