"""Each fault strikes as often as it was told to, and only where."""

from __future__ import annotations

import asyncio

import pytest

from tests.playground.hall import Hall, keyboard
from tgbot.playground import Faults


def told(hall: Hall, *texts: str) -> None:
    for text in texts:
        hall.telegram.say(hall.anna, hall.telegram.private(hall.anna), text)


async def test_latency_delays_every_call_and_they_wait_together(hall: Hall) -> None:
    hall.telegram.faults.latency_s = 0.2
    query_id = hall.telegram.press_data(hall.ben, hall.group, 1, "x")
    await asyncio.gather(
        *[hall.send() for _ in range(100)],
        hall.result("answerCallbackQuery", callback_query_id=query_id),
        hall.result("getUpdates"),
        hall.result("getMe"),
    )
    assert asyncio.get_running_loop().time() == pytest.approx(0.2)


async def test_an_update_travels_as_long_as_an_answer(hall: Hall) -> None:
    hall.telegram.faults.latency_s = 0.2
    asyncio.get_running_loop().call_later(1, told, hall, "x")
    await hall.result("getUpdates", timeout=10)
    assert asyncio.get_running_loop().time() == pytest.approx(1.2)


async def test_flood_refuses_the_next_calls_with_a_wait(hall: Hall) -> None:
    faults = hall.telegram.faults
    faults.flood_next, faults.flood_retry_after = 2, 7
    for _ in range(2):
        status, body = await hall.telegram.call(
            "sendMessage", {"chat_id": hall.group.id, "text": "x"}
        )
        assert (status, body["parameters"]) == (429, {"retry_after": 7})
    await hall.send()
    assert faults.count["flood"] == 2


async def test_flood_can_hold_back_one_chat_only(hall: Hall) -> None:
    other = hall.telegram.group("Andere", hall.anna)
    hall.telegram.faults.flood_next = 1
    hall.telegram.faults.flood_chat = hall.group.id
    await hall.result("sendMessage", chat_id=other.id, text="x")
    assert (await hall.refusal("sendMessage", chat_id=hall.group.id, text="x"))[0] == 429


async def test_a_lost_call_has_no_effect(hall: Hall) -> None:
    hall.telegram.faults.timeout_before_next = 1
    with pytest.raises(TimeoutError):
        await hall.send("lost")
    await hall.send("kept")
    assert [each.text for each in hall.telegram.messages(hall.group)][1:] == ["kept"]
    assert [each.status for each in hall.telegram.log] == [0, 200]


async def test_a_lost_answer_has_its_effect(hall: Hall) -> None:
    hall.telegram.faults.timeout_after_next = 1
    with pytest.raises(TimeoutError):
        await hall.send("arrived")
    assert hall.telegram.last(hall.group).text == "arrived"


async def test_a_server_error_has_no_effect(hall: Hall) -> None:
    hall.telegram.faults.error_5xx_next = 1
    refusal = await hall.refusal("sendMessage", chat_id=hall.group.id, text="x")
    assert refusal == (502, "Bad Gateway")


async def test_answers_can_come_too_late(hall: Hall) -> None:
    hall.telegram.faults.bad_request_answers_next = 1
    await hall.send()
    query_id = hall.telegram.press_data(hall.ben, hall.group, 1, "x")
    status, reason = await hall.refusal("answerCallbackQuery", callback_query_id=query_id)
    assert (status, reason[:29]) == (400, "Bad Request: query is too old")


async def test_faults_can_be_limited_to_a_method_and_spare_polling(hall: Hall) -> None:
    faults = hall.telegram.faults
    faults.error_5xx_next = 1
    await hall.result("getUpdates")
    await hall.result("getMe")
    faults.only = "editMessageText"
    message = await hall.send()
    edit = {"chat_id": hall.group.id, "message_id": message.id, "text": "x"}
    assert (await hall.refusal("editMessageText", **edit))[0] == 502
    faults.only, faults.error_5xx_next = "getUpdates", 1
    assert (await hall.refusal("getUpdates"))[0] == 502


async def test_an_update_can_come_again_after_it_was_confirmed(hall: Hall) -> None:
    hall.telegram.faults.duplicate_updates_next = 1
    told(hall, "a", "b")
    first = await hall.result("getUpdates")
    offset = first[-1]["update_id"] + 1
    assert await hall.result("getUpdates", offset=offset) == first[:1]
    assert await hall.result("getUpdates", offset=first[0]["update_id"] + 1) == []
    assert hall.telegram.faults.count["duplicate_updates"] == 1


async def test_a_press_can_make_two_queries(hall: Hall) -> None:
    message = await hall.send(reply_markup=keyboard("Go=go"))
    hall.telegram.faults.duplicate_presses_next = 1
    query_id = hall.telegram.press(hall.ben, hall.group, message.id, "Go")
    ids = [each["callback_query"]["id"] for each in await hall.updates()]
    assert ids[0] == query_id
    assert len(set(ids)) == 2


async def test_updates_can_be_late(hall: Hall) -> None:
    hall.telegram.faults.late_updates_s = 3
    told(hall, "x")
    assert await hall.result("getUpdates") == []
    assert len(await hall.result("getUpdates", timeout=10)) == 1
    assert asyncio.get_running_loop().time() == 3


async def test_updates_can_come_in_reverse_order(hall: Hall) -> None:
    hall.telegram.faults.shuffle_next = 3
    told(hall, "a", "b")
    assert await hall.result("getUpdates") == []
    told(hall, "c", "d")
    updates = await hall.result("getUpdates")
    assert [each["message"]["text"] for each in updates] == ["c", "b", "a", "d"]
    assert [each["update_id"] for each in updates] == sorted(e["update_id"] for e in updates)


async def test_a_reversal_does_not_wait_for_ever_for_more(hall: Hall) -> None:
    hall.telegram.faults.shuffle_next = 10
    told(hall, "a", "b")
    updates = await hall.result("getUpdates", timeout=10)
    assert [each["message"]["text"] for each in updates] == ["b", "a"]
    assert hall.telegram.faults.shuffle_next == 0


def test_switches_refuse_what_does_not_fit() -> None:
    faults = Faults()
    faults.set({"latency_s": 1, "only": "sendMessage", "flood_chat": None, "flood_next": 3})
    assert (faults.latency_s, faults.only, faults.flood_next) == (1, "sendMessage", 3)
    for wrong in ({"latency": 1}, {"flood_next": "3"}, {"latency_s": -1}, {"flood_next": True}):
        with pytest.raises(ValueError, match=r"no fault|must be"):
            faults.set({"flood_retry_after": 9, **wrong})
    assert faults.flood_retry_after == 5
    assert faults.as_json()["count"] == {}
