"""Flood limits: 3 in 3 s per chat, 20 a minute per group, 30 a second in all."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.playground.hall import Hall, keyboard


async def send(hall: Hall, chat_id: int) -> Any:
    status, body = await hall.telegram.call("sendMessage", {"chat_id": chat_id, "text": "x"})
    return "sent" if status == 200 else body


async def test_a_chat_takes_three_in_three_seconds(strict_hall: Hall) -> None:
    group = strict_hall.group.id
    answers = [await send(strict_hall, group) for _ in range(4)]
    assert answers[:3] == ["sent"] * 3
    assert answers[3] == {
        "ok": False,
        "error_code": 429,
        "description": "Too Many Requests: retry after 3",
        "parameters": {"retry_after": 3},
    }
    await asyncio.sleep(3)
    assert await send(strict_hall, group) == "sent"


async def test_a_group_takes_twenty_sends_and_edits_a_minute(strict_hall: Hall) -> None:
    message = await strict_hall.send(reply_markup=keyboard("Go=go"))
    place = {"chat_id": strict_hall.group.id, "message_id": message.id}
    for number in range(19):
        await asyncio.sleep(1)
        await strict_hall.result("editMessageText", **place, text=str(number))
    await asyncio.sleep(1)
    status, reason = await strict_hall.refusal("editMessageReplyMarkup", **place)
    assert (status, reason) == (429, "Too Many Requests: retry after 41")
    await asyncio.sleep(41)
    await strict_hall.result("editMessageText", **place, text="on")


async def test_who_goes_on_during_the_wait_waits_longer(strict_hall: Hall) -> None:
    group = strict_hall.group.id
    for _ in range(3):
        await send(strict_hall, group)
    for _ in range(10):
        await asyncio.sleep(0.9)
        assert await send(strict_hall, group) != "sent"


async def test_a_private_chat_has_no_limit_per_minute(strict_hall: Hall) -> None:
    strict_hall.telegram.say(strict_hall.anna, strict_hall.telegram.private(strict_hall.anna), "hi")
    for _ in range(25):
        assert await send(strict_hall, strict_hall.anna.id) == "sent"
        await asyncio.sleep(1)


async def test_thirty_a_second_in_all_and_no_chat_pays_for_another(strict_hall: Hall) -> None:
    telegram, anna = strict_hall.telegram, strict_hall.anna
    groups = [telegram.group(str(number), anna) for number in range(31)]
    assert [await send(strict_hall, each.id) for each in groups[:30]] == ["sent"] * 30
    assert (await send(strict_hall, groups[30].id))["parameters"] == {"retry_after": 1}
    await asyncio.sleep(3)
    for _ in range(40):
        await send(strict_hall, groups[0].id)
    assert await send(strict_hall, groups[1].id) == "sent"


async def test_answers_to_presses_are_unlimited(strict_hall: Hall) -> None:
    for number in range(200):
        query_id = strict_hall.telegram.press_data(strict_hall.ben, strict_hall.group, 1, "x")
        await strict_hall.result("answerCallbackQuery", callback_query_id=query_id)
        assert len(strict_hall.telegram.log) == number + 1
