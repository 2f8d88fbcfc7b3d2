"""What people do and see."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.playground.hall import Hall, keyboard


async def test_a_button_is_found_by_data_text_or_unique_beginning(hall: Hall) -> None:
    message = await hall.send(reply_markup=keyboard("Join=j Jump=u", "Leave=l"))
    press = hall.telegram.press
    for button in ("j", "Join", "Le", "l"):
        press(hall.ben, hall.group, message.id, button)
    data = [each["callback_query"]["data"] for each in await hall.updates()]
    assert data == ["j", "j", "l", "l"]
    with pytest.raises(LookupError, match="Buttons: 'Join', 'Jump', 'Leave'"):
        press(hall.ben, hall.group, message.id, "Roll")
    with pytest.raises(LookupError, match="More than one button begins with 'J'"):
        press(hall.ben, hall.group, message.id, "J")


async def test_a_press_on_a_deleted_message_arrives_without_the_message(hall: Hall) -> None:
    message = await hall.send(reply_markup=keyboard("Go=go"))
    hall.telegram.delete(hall.group, message.id)
    hall.telegram.press(hall.ben, hall.group, message.id, "Go")
    (update,) = await hall.updates()
    shown = update["callback_query"]["message"]
    assert (shown["message_id"], shown["date"]) == (message.id, 0)
    assert message not in hall.telegram.messages(hall.group)


async def test_toasts_are_private_and_empty_ones_are_not_shown(hall: Hall) -> None:
    first = hall.telegram.press_data(hall.ben, hall.group, 1, "x")
    second = hall.telegram.press_data(hall.ben, hall.group, 1, "x")
    assert hall.telegram.toast(first) is None
    await hall.result("answerCallbackQuery", callback_query_id=first, text="No", show_alert=True)
    await hall.result("answerCallbackQuery", callback_query_id=second)
    assert [(each.text, each.alert) for each in hall.telegram.toasts(hall.ben)] == [("No", True)]
    assert hall.telegram.toasts(hall.anna) == []
    quiet = hall.telegram.toast(second)
    assert quiet is not None
    assert quiet.text == ""


async def test_who_is_restricted_stays_so_also_outside(hall: Hall) -> None:
    async def told() -> tuple[str, bool | None]:
        member = await hall.result("getChatMember", chat_id=hall.group.id, user_id=hall.ben.id)
        return member["status"], member.get("is_member")

    hall.telegram.promote(hall.group, hall.ben, "restricted")
    there = await told()
    hall.telegram.leave(hall.group, hall.ben)
    gone = await told()
    hall.telegram.join(hall.group, hall.ben)
    back = await told()
    hall.telegram.promote(hall.group, hall.ben, "member")

    assert (there, gone, back) == (("restricted", True), ("restricted", False), there)
    assert await told() == ("member", None)


async def test_the_bot_writes_in_private_only_after_the_person_did(hall: Hall) -> None:
    send: Any = {"chat_id": hall.anna.id, "text": "hi"}
    refusal = await hall.refusal("sendMessage", **send)
    assert refusal == (403, "Forbidden: bot can't initiate conversation with a user")
    hall.telegram.say(hall.anna, hall.telegram.private(hall.anna), "/start abc")
    await hall.result("sendMessage", **send)
    hall.telegram.block(hall.anna)
    refusal = await hall.refusal("sendMessage", **send)
    assert refusal == (403, "Forbidden: bot was blocked by the user")
    hall.telegram.unblock(hall.anna)
    await hall.result("sendMessage", **send)


async def test_a_kicked_bot_is_told_and_refused_until_it_is_back(hall: Hall) -> None:
    send: Any = {"chat_id": hall.group.id, "text": "hi"}
    hall.telegram.kick(hall.group)
    (update,) = await hall.updates()
    assert update["my_chat_member"]["new_chat_member"]["status"] == "kicked"
    refusal = await hall.refusal("sendMessage", **send)
    assert refusal == (403, "Forbidden: bot was kicked from the supergroup chat")
    hall.telegram.readd(hall.group)
    await hall.result("sendMessage", **send)


async def test_a_bot_that_left_is_no_member(hall: Hall) -> None:
    await hall.result("leaveChat", chat_id=hall.group.id)
    refusal = await hall.refusal("sendMessage", chat_id=hall.group.id, text="x")
    assert refusal == (403, "Forbidden: bot is not a member of the supergroup chat")


async def test_after_migration_the_old_id_names_the_new_one(hall: Hall) -> None:
    old = hall.telegram.group("Klein", hall.anna, hall.ben, supergroup=False)
    new = hall.telegram.migrate(old)
    assert new.members == old.members
    status, body = await hall.telegram.call("sendMessage", {"chat_id": old.id, "text": "x"})
    assert (status, body["parameters"]) == (400, {"migrate_to_chat_id": new.id})
    await hall.result("sendMessage", chat_id=new.id, text="x")


async def test_a_topic_takes_messages_until_topics_are_off(hall: Hall) -> None:
    forum = hall.telegram.group("Forum", hall.anna, forum=True)
    topic = hall.telegram.topic(forum, "Dice")
    said = hall.telegram.say(hall.anna, forum, "/d@dicehall_bot", topic=topic)
    send: Any = {"chat_id": forum.id, "text": "x"}
    sent = await hall.result("sendMessage", **send, message_thread_id=topic)
    assert sent["message_thread_id"] == topic
    answered = await hall.result("sendMessage", **send, reply_parameters={"message_id": said.id})
    assert answered["message_thread_id"] == topic
    hall.telegram.close_topics(forum)
    refusal = await hall.refusal("sendMessage", **send, message_thread_id=topic)
    assert refusal == (400, "Bad Request: message thread not found")
    await hall.result("sendMessage", **send)


async def test_members_have_a_status(hall: Hall) -> None:
    telegram, group = hall.telegram, hall.group
    telegram.promote(group, hall.ben)
    telegram.leave(group, hall.cem)

    async def status(person: Any) -> str:
        member = await hall.result("getChatMember", chat_id=group.id, user_id=person.id)
        return str(member["status"])

    everybody = (hall.anna, hall.ben, hall.cem, telegram.bot)
    assert [await status(each) for each in everybody] == [
        "creator",
        "administrator",
        "left",
        "member",
    ]
    admins = await hall.result("getChatAdministrators", chat_id=group.id)
    assert [each["user"]["first_name"] for each in admins] == ["Anna", "Ben"]
    assert await hall.result("getChatMemberCount", chat_id=group.id) == 3
    with pytest.raises(LookupError):
        telegram.say(hall.cem, group, "I am gone")


async def test_the_bot_deletes_what_it_may(hall: Hall) -> None:
    mine, theirs = await hall.send(), hall.telegram.say(hall.anna, hall.group, "x")
    place: Any = {"chat_id": hall.group.id}
    assert await hall.result("deleteMessage", **place, message_id=mine.id)
    refusal = await hall.refusal("deleteMessage", **place, message_id=theirs.id)
    assert refusal == (400, "Bad Request: message can't be deleted")
    again = await hall.refusal("deleteMessage", **place, message_id=mine.id)
    assert again == (400, "Bad Request: message to delete not found")


async def test_last_is_the_newest_message_of_the_bot_of_that_kind(hall: Hall) -> None:
    board = await hall.send("board", reply_markup=keyboard("Go=go"))
    note = await hall.send("note")
    hall.telegram.say(hall.anna, hall.group, "hello")
    last = hall.telegram.last
    assert last(hall.group) is note
    assert last(hall.group, buttons=True) is board
    hall.telegram.delete(hall.group, note.id)
    with pytest.raises(LookupError):
        last(hall.group, buttons=False)


async def test_screens_are_told_everything_that_happens(hall: Hall) -> None:
    events: list[dict[str, Any]] = []
    end = hall.telegram.subscribe(events.append)
    message = await hall.send("<b>1</b> &lt;", parse_mode="HTML", reply_markup=keyboard("Go=go"))
    await hall.result("editMessageText", chat_id=hall.group.id, message_id=message.id, text="2")
    query_id = hall.telegram.press_data(hall.ben, hall.group, message.id, "go")
    await hall.result("answerCallbackQuery", callback_query_id=query_id, text="yes")
    hall.telegram.delete(hall.group, message.id)
    hall.telegram.language(hall.ben, "de")
    hall.telegram.promote(hall.group, hall.ben)
    await hall.result("setMyCommands", commands=[{"command": "d", "description": "dice"}])
    end()
    await hall.send("unseen")
    kinds = ["message", "edited", "toast", "deleted", "people", "chat", "menus"]
    assert [each["type"] for each in events] == kinds
    assert events[0]["message"]["html"] == "<b>1</b> &lt;"
    assert events[0]["message"]["buttons"] == [[{"text": "Go", "data": "go"}]]
    assert events[1]["message"]["edited"]
    assert (events[2]["person_id"], events[2]["text"]) == (hall.ben.id, "yes")


async def test_every_call_is_logged_with_its_status(hall: Hall) -> None:
    await hall.send()
    await hall.refusal("sendMessage", chat_id=1, text="x")
    await asyncio.sleep(2)
    await hall.refusal("fly")
    assert [(each.method, each.status) for each in hall.telegram.log] == [
        ("sendMessage", 200),
        ("sendMessage", 400),
        ("fly", 404),
    ]
    assert hall.telegram.log[2].at - hall.telegram.log[0].at == 2
