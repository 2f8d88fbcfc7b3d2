"""How the bot gets to know: getUpdates, privacy mode, and the shape of updates."""

from __future__ import annotations

import asyncio
from typing import Any

from telegram import Bot, Update

from tests.playground.hall import Hall, keyboard
from tgbot.playground import Limits, Telegram
from tgbot.playground.inprocess import InProcessRequest
from tgbot.playground.play import furnished


def texts(updates: list[dict[str, Any]]) -> list[str]:
    return [
        each[kind]["text"]
        for each in updates
        for kind in ("message", "edited_message")
        if kind in each and "text" in each[kind]
    ]


async def test_ids_rise_by_one_and_an_offset_confirms_lower_ones(hall: Hall) -> None:
    private = hall.telegram.private(hall.anna)
    for text in "abc":
        hall.telegram.say(hall.anna, private, text)
    first = await hall.result("getUpdates")
    ids = [each["update_id"] for each in first]
    assert ids == [ids[0], ids[0] + 1, ids[0] + 2]
    assert await hall.result("getUpdates") == first
    assert texts(await hall.result("getUpdates", offset=ids[1], limit=1)) == ["b"]
    assert texts(await hall.result("getUpdates", offset=0)) == ["b", "c"]


async def test_a_run_that_goes_on_with_a_database_numbers_its_updates_on() -> None:
    """What a bot has applied it passes over: a kept game was deaf in the next run."""

    def ids(began: float, messages: int) -> list[int]:
        telegram = furnished(began)
        anna = next(iter(telegram.people.values()))
        for _ in range(messages):
            telegram.say(anna, telegram.private(anna), "/points")
        return [update["update_id"] for update in telegram.queue.pending]

    earlier, later = ids(1_800_000_000.0, 500), ids(1_800_000_060.0, 1)
    assert len(earlier) >= 500
    assert later[0] > earlier[-1]


async def test_an_offset_beyond_every_id_confirms_nothing(hall: Hall) -> None:
    private = hall.telegram.private(hall.anna)
    hall.telegram.say(hall.anna, private, "a")
    (before,) = await hall.updates()
    hall.telegram.faults.lower_ids_next = 1
    hall.telegram.say(hall.anna, private, "b")

    (after,) = await hall.result("getUpdates", offset=before["update_id"] + 1)
    assert after["update_id"] < before["update_id"]
    assert await hall.result("getUpdates", offset=before["update_id"] + 1) == [after]
    assert await hall.result("getUpdates", offset=after["update_id"] + 1) == []


async def test_a_negative_offset_keeps_only_the_last_ones(hall: Hall) -> None:
    for text in "abcd":
        hall.telegram.say(hall.anna, hall.telegram.private(hall.anna), text)
    assert texts(await hall.result("getUpdates", offset=-2)) == ["c", "d"]
    assert texts(await hall.result("getUpdates")) == ["c", "d"]


async def test_a_long_poll_ends_with_the_first_update_or_its_timeout(hall: Hall) -> None:
    loop = asyncio.get_running_loop()
    assert await hall.result("getUpdates", timeout=30) == []
    assert loop.time() == 30
    loop.call_later(5, hall.telegram.say, hall.anna, hall.telegram.private(hall.anna), "x")
    assert texts(await hall.result("getUpdates", timeout=30)) == ["x"]
    assert loop.time() == 35


async def test_a_second_poll_ends_the_first(hall: Hall) -> None:
    first = asyncio.create_task(hall.refusal("getUpdates", timeout=30))
    await asyncio.sleep(1)
    second = asyncio.create_task(hall.result("getUpdates", timeout=30))
    status, reason = await first
    assert status == 409
    assert reason.startswith("Conflict: terminated by other getUpdates request")
    assert await second == []


async def test_no_polling_while_a_webhook_is_set(hall: Hall) -> None:
    await hall.result("setWebhook", url="https://x.org/hook", secret_token="s")
    assert (await hall.refusal("getUpdates"))[0] == 409
    assert (await hall.result("getWebhookInfo"))["url"] == "https://x.org/hook"
    await hall.result("deleteWebhook")
    assert await hall.result("getUpdates") == []


async def test_only_allowed_kinds_of_updates_are_kept(hall: Hall) -> None:
    await hall.result("getUpdates", allowed_updates=["callback_query"])
    hall.telegram.say(hall.anna, hall.telegram.private(hall.anna), "x")
    hall.telegram.press_data(hall.anna, hall.group, 1, "x")
    assert [list(each)[1] for each in await hall.updates()] == ["callback_query"]


async def test_in_privacy_mode_the_bot_hears_only_what_is_for_it(hall: Hall) -> None:
    telegram, group = hall.telegram, hall.group
    said = [
        "hello",
        "/d",
        "/d@otherbot",
        "/D@DICEHALL_BOT 2w6",
        "roll /d@dicehall_bot",
        "@dicehall_bot hi",
    ]
    for text in said:
        telegram.say(hall.ben, group, text)
    assert texts(await hall.updates()) == said[3:5]
    message = await hall.send()
    telegram.say(hall.ben, group, "!roll", reply_to=message.id)
    assert texts(await hall.updates()) == ["!roll"]


async def test_a_bare_command_arrives_only_if_the_bot_wrote_last(hall: Hall) -> None:
    await hall.send()
    hall.telegram.say(hall.ben, hall.group, "/one")
    hall.telegram.say(hall.ben, hall.group, "/two")
    assert texts(await hall.updates()) == ["/one"]


async def test_without_privacy_mode_or_as_administrator_it_hears_everything(hall: Hall) -> None:
    hall.telegram.privacy = False
    hall.telegram.say(hall.ben, hall.group, "one")
    hall.telegram.privacy = True
    hall.telegram.promote(hall.group, hall.telegram.bot)
    hall.telegram.say(hall.ben, hall.group, "two")
    assert texts(await hall.updates()) == ["one", "two"]


async def test_an_edited_message_is_its_own_kind_of_update(hall: Hall) -> None:
    private = hall.telegram.private(hall.anna)
    message = hall.telegram.say(hall.anna, private, "/d")
    hall.telegram.edit(hall.anna, private, message.id, "/e")
    updates = await hall.updates()
    assert [list(each)[1] for each in updates] == ["message", "edited_message"]
    assert texts(updates) == ["/d", "/e"]


async def test_fake_senders_look_as_at_telegram(hall: Hall) -> None:
    hall.telegram.say(hall.anna, hall.group, "/d@dicehall_bot", anonymous=True)
    hall.telegram.say(hall.anna, hall.group, "/d@dicehall_bot", as_channel=True)
    admin, channel = [each["message"] for each in await hall.updates()]
    assert (admin["from"]["id"], admin["sender_chat"]["id"]) == (1087968824, hall.group.id)
    assert (channel["from"]["id"], channel["sender_chat"]["type"]) == (136817688, "channel")


async def test_python_telegram_bot_reads_every_kind_of_update() -> None:
    telegram = Telegram(limits=Limits(off=True))
    anna = telegram.person("Anna", last_name="A", username="anna")
    group = telegram.group("G", anna, supergroup=False)
    forum = telegram.group("F", anna, forum=True)
    topic = telegram.topic(forum, "Dice")
    telegram.say(anna, forum, "/d@dicehall_bot", topic=topic)
    telegram.say(anna, group, "/d@dicehall_bot", forwarded=True, date=1)
    telegram.press_data(anna, group, 99, "x")
    telegram.kick(forum)
    telegram.readd(forum)
    telegram.block(anna)
    telegram.unblock(anna)
    telegram.promote(group, telegram.bot)
    new = telegram.migrate(group)
    request = InProcessRequest(telegram)
    async with Bot(telegram.token, request=request, get_updates_request=request) as bot:
        updates = await bot.get_updates()
    for update in updates:
        assert isinstance(update, Update)
        assert not update.api_kwargs
        assert update.effective_chat is not None
    messages = [each.message for each in updates if each.message]
    assert messages[-2].migrate_to_chat_id == new.id
    assert messages[-1].migrate_from_chat_id == group.id
    in_topic = next(each for each in messages if each.text and each.is_topic_message)
    assert (in_topic.message_thread_id, in_topic.chat.is_forum) == (topic, True)
    query = next(each.callback_query for each in updates if each.callback_query)
    assert query.message is not None
    assert not query.message.is_accessible
    assert query.chat_instance


async def test_a_press_carries_the_whole_message(hall: Hall) -> None:
    message = await hall.send("Board", reply_markup=keyboard("Go=go"))
    hall.telegram.press(hall.ben, hall.group, message.id, "go")
    (update,) = await hall.updates()
    query = update["callback_query"]
    assert (query["from"]["id"], query["data"]) == (hall.ben.id, "go")
    assert query["message"]["text"] == "Board"
    assert query["message"]["reply_markup"] == keyboard("Go=go")
