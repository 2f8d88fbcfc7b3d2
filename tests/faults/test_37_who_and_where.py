"""Who asks where is checked: channels, strangers with a link, private threads (SURVIVE 37)."""

from __future__ import annotations

import copy

import pytest
from telegram import ChatMember, ChatPermissions, User

from tests.tgbot.house import House
from tgbot.inbound.members import there


async def race(house: House) -> str:
    """A race's lobby in the group; the id in its deep link."""
    await house.ask(house.anna, "/farkle20")
    return house.table().id


async def test_37_a_stranger_with_the_deep_link_does_not_sit_in_a_groups_race(
    house: House,
) -> None:
    game_id = await race(house)
    dora = house.telegram.person("Dora", language_code="en")

    answer = await house.ask(dora, f"/start play_{game_id}", house.private(dora))

    assert answer == house.says("refused.no_member")
    assert house.table().people == [house.anna]


async def test_37_who_is_restricted_sits_in_a_race_while_they_are_there(house: House) -> None:
    game_id = await race(house)
    house.telegram.promote(house.group, house.ben, "restricted")
    house.telegram.promote(house.group, house.cem, "restricted")
    house.telegram.leave(house.group, house.cem)

    await house.ask(house.ben, f"/start play_{game_id}", house.private(house.ben))
    answer = await house.ask(house.cem, f"/start play_{game_id}", house.private(house.cem))

    assert answer == house.says("refused.no_member", "de")
    assert house.table().people == [house.anna, house.ben]


@pytest.mark.parametrize("is_member", [True, False])
def test_37_who_is_restricted_counts_while_they_are_there(is_member: bool) -> None:
    rights = dict.fromkeys((name for name in ChatPermissions.__slots__), True)
    user = User(1, "Ben", is_bot=False)
    told = {"status": "restricted", "user": user.to_dict(), "is_member": is_member,
            "until_date": 0, **rights}  # fmt: skip

    member = ChatMember.de_json(told)

    assert there(member) == is_member


async def test_37_nothing_is_opened_in_a_channel(house: House) -> None:
    greeting = house.board()
    await house.press(house.ben, "📖", greeting)
    press = next(u for u in reversed(house.received) if "callback_query" in u)
    in_channel = copy.deepcopy(press)
    in_channel["update_id"] += 1000
    in_channel["callback_query"]["data"] = "open:0:fifty"
    in_channel["callback_query"]["message"]["chat"]["type"] = "channel"

    async with house.nothing_written():
        await house.redeliver(in_channel)

    assert house.sql("SELECT id FROM games") == []


async def test_37_a_channel_it_is_added_to_is_not_written_to(house: House) -> None:
    added = next(u for u in house.received if "my_chat_member" in u)
    to_channel = copy.deepcopy(added)
    to_channel["update_id"] += 1000
    to_channel["my_chat_member"]["chat"] |= {"id": -1009, "type": "channel"}

    await house.redeliver(to_channel)

    assert house.sql("SELECT chat_id FROM chats WHERE chat_id = -1009") == []
    assert not [call for call in house.telegram.log if call.params.get("chat_id") == -1009]


async def test_37_where_telegram_does_not_tell_the_button_in_the_group_works(
    house: House,
) -> None:
    game_id = await race(house)
    house.excused.add("refusals")
    house.telegram.faults.only = "getChatMember"
    house.telegram.faults.error_5xx_next = 9

    answer = await house.ask(house.ben, f"/start play_{game_id}", house.private(house.ben))
    await house.press(house.ben, "✅")

    assert answer == house.says("refused.unsure_member")
    assert house.table().people == [house.anna, house.ben]


THREAD = 77


@pytest.mark.parametrize(
    "said", ["/start", "/points", "/history", "/privacy", "/language", "/rules fifty", "/help",
             "/top", "/whois", "/farkle20"]
)  # fmt: skip
async def test_37_a_private_thread_is_kept(house: House, said: str) -> None:
    private = house.private(house.anna)
    private.is_forum = True
    private.topics[THREAD] = "Dice"

    house.say(house.anna, said, private, topic=THREAD)
    await house.breathe(3)

    answer = house.telegram.last(private)
    assert answer.sender is house.telegram.bot
    assert answer.topic == THREAD
