"""Telegram does not tell who is an admin: that is said, with what helps, and nothing is denied."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House


@pytest.mark.parametrize("said", ["/settings stake 5", "/stop"])
async def test_what_only_admins_may_do_says_how_to_help(house: House, said: str) -> None:
    house.excused.add("refusals")
    await house.ask(house.ben, "/fifty")
    house.telegram.faults.only = "getChatMember"
    house.telegram.faults.refuse_next = 1
    house.telegram.faults.refuse_reason = "Bad Request: member list is inaccessible"

    answer = await house.ask(house.anna, said)

    assert answer == house.says("refused.admins_untold")
    assert house.table().status == "lobby"
    assert house.sql("SELECT stake FROM chats") == [(0,)]


async def test_once_it_tells_the_creator_may(house: House) -> None:
    house.excused.add("refusals")
    house.telegram.faults.only, house.telegram.faults.refuse_next = "getChatMember", 1
    await house.ask(house.anna, "/settings stake 5")

    await house.stake(5)

    assert house.sql("SELECT stake FROM chats") == [(5,)]


async def test_after_an_upgrade_the_new_id_is_asked(house: House) -> None:
    # A press in the old chat, on its way while the group became a supergroup.
    house.excused.add("refusals")
    small = house.group = house.telegram.group("Small", house.anna, house.ben, supergroup=False)
    await house.ask(house.anna, "/settings")
    panel = house.telegram.last(small, buttons=True)
    house.telegram.migrate(small)
    house.telegram.press_data(house.anna, small, panel.id, "set:0:stake=5")
    await house.breathe(5)

    stakes = dict(house.sql("SELECT chat_id, stake FROM chats"))
    assert stakes[small.migrated_to] == 5


async def test_what_was_set_there_before_the_news_is_newer(house: House) -> None:
    house.excused.add("refusals")
    small = house.group = house.telegram.group("Small", house.anna, house.ben, supergroup=False)
    await house.stake(5)
    await house.ask(house.anna, "/settings language de")
    new = house.telegram.migrate(small)
    news = [u for u in house.telegram.queue.pending if "migrate" in str(u)]
    for update in news:
        house.telegram.queue.done(update["update_id"])
    house.group = new
    await house.stake(0)
    await house.breathe(3)

    house.telegram.queue._replays.extend(news)
    house.telegram.queue.wake()
    await house.breathe(5)

    kept = house.sql("SELECT stake, language FROM chats WHERE chat_id = ?", new.id)
    assert kept == [(0, "de")]
