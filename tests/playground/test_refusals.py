"""What Telegram refuses is refused, in its words."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.playground.hall import Hall, keyboard
from tgbot.playground.model import Upload

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4) + b"\r\n--x\r\n"


def button(**fields: Any) -> dict[str, Any]:
    return {"inline_keyboard": [[fields]]}


def row(length: int) -> list[dict[str, str]]:
    return [{"text": "x", "callback_data": str(i)} for i in range(length)]


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        (button(text="x", callback_data=""), "BUTTON_DATA_INVALID"),
        (button(text="x", callback_data="ü" * 33), "BUTTON_DATA_INVALID"),
        (button(text="", callback_data="x"), "inline keyboard button text must be non-empty"),
        (button(text="\u200b", callback_data="x"), "inline keyboard button text must be non-empty"),
        (button(text="x", callback_data="x", style="blue"), "BUTTON_STYLE_INVALID"),
        (button(text="x", url="javascript:x"), "BUTTON_URL_INVALID"),
        (button(text="x", url="https://x.org", callback_data="x"), "BUTTON_TYPE_INVALID"),
        (
            button(text="x"),
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        ),
        ({"inline_keyboard": [row(9)]}, "BUTTON_ROW_TOO_LONG"),
        ({"inline_keyboard": [row(8)] * 13}, "REPLY_MARKUP_TOO_LONG"),
    ],
)
async def test_a_bad_keyboard_is_refused(hall: Hall, markup: Any, reason: str) -> None:
    refusal = await hall.refusal(
        "sendMessage", chat_id=hall.group.id, text="x", reply_markup=markup
    )
    assert refusal == (400, f"Bad Request: {reason}")
    with pytest.raises(LookupError):
        hall.telegram.last(hall.group)


async def test_a_keyboard_within_the_limits_is_taken(hall: Hall) -> None:
    rows = [row(8)] * 12
    rows.append([{"text": "x", "callback_data": "ü" * 32, "style": "danger"}])
    message = await hall.send(reply_markup={"inline_keyboard": rows})
    assert sum(map(len, message.buttons)) == 97


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "message text is empty"),
        ("<b> </b>\n", "message text is empty"),
        ("\u200b\u2060", "message text is empty"),
        ("<b>" + "x" * 4097 + "</b>", "message is too long"),
    ],
)
async def test_a_text_has_1_to_4096_characters(hall: Hall, text: str, reason: str) -> None:
    given = {"chat_id": hall.group.id, "text": text, "parse_mode": "HTML"}
    assert await hall.refusal("sendMessage", **given) == (400, f"Bad Request: {reason}")


async def test_markup_does_not_count_as_text(hall: Hall) -> None:
    assert (await hall.send("<b>" + "x" * 4096 + "</b>", parse_mode="HTML")).html.startswith("<b>")


async def test_a_caption_has_at_most_1024_characters(hall: Hall) -> None:
    given: Any = {"chat_id": hall.group.id, "photo": Upload("x.png", PNG, "image/png")}
    refusal = await hall.refusal("sendPhoto", **given, caption="x" * 1025)
    assert refusal == (400, "Bad Request: message caption is too long")
    sent = await hall.result("sendPhoto", **given, caption="x" * 1024)
    assert (sent["photo"][0]["width"], sent["photo"][0]["height"]) == (30, 20)


async def test_what_is_no_picture_is_refused(hall: Hall) -> None:
    upload = Upload("x.png", b"<svg/>", "image/png")
    refusal = await hall.refusal("sendPhoto", chat_id=hall.group.id, photo=upload)
    assert refusal == (400, "Bad Request: IMAGE_PROCESS_FAILED")


async def test_an_edit_without_a_change_is_refused(hall: Hall) -> None:
    message = await hall.send("<b>x</b>", parse_mode="HTML", reply_markup=keyboard("Go=go"))
    same = {"chat_id": hall.group.id, "message_id": message.id, "parse_mode": "HTML"}
    status, reason = await hall.refusal(
        "editMessageText", **same, text="<strong>x</strong>", reply_markup=keyboard("Go=go")
    )
    assert (status, reason[:38]) == (400, "Bad Request: message is not modified: ")
    await hall.result("editMessageText", **same, text="x", reply_markup=keyboard("Go=go"))


async def test_an_edit_without_a_keyboard_takes_it_away(hall: Hall) -> None:
    message = await hall.send(reply_markup=keyboard("Go=go"))
    await hall.result("editMessageText", chat_id=hall.group.id, message_id=message.id, text="other")
    assert message.buttons == []


async def test_only_a_message_of_the_bot_that_is_there_can_be_edited(hall: Hall) -> None:
    said = hall.telegram.say(hall.anna, hall.group, "hello")
    gone = await hall.send()
    hall.telegram.delete(hall.group, gone.id)
    edit = {"chat_id": hall.group.id, "text": "x"}
    assert await hall.refusal("editMessageText", **edit, message_id=said.id) == (
        400,
        "Bad Request: message can't be edited",
    )
    for missing in (gone.id, 999):
        assert await hall.refusal("editMessageText", **edit, message_id=missing) == (
            400,
            "Bad Request: message to edit not found",
        )


async def test_a_press_is_answered_once(hall: Hall) -> None:
    message = await hall.send(reply_markup=keyboard("Go=go"))
    query_id = hall.telegram.press(hall.ben, hall.group, message.id, "Go")
    await hall.result("answerCallbackQuery", callback_query_id=query_id, text="Done")
    second = await hall.refusal("answerCallbackQuery", callback_query_id=query_id, text="Again")
    unknown = await hall.refusal("answerCallbackQuery", callback_query_id="1")
    too_old = "query is too old and response timeout expired or query ID is invalid"
    assert second == unknown == (400, f"Bad Request: {too_old}")
    toast = hall.telegram.toast(query_id)
    assert toast is not None
    assert toast.text == "Done"


async def test_a_press_is_answered_within_15_seconds(hall: Hall) -> None:
    message = await hall.send(reply_markup=keyboard("Go=go"))
    in_time = hall.telegram.press(hall.ben, hall.group, message.id, "Go")
    too_late = hall.telegram.press(hall.ben, hall.group, message.id, "Go")
    await asyncio.sleep(15)
    await hall.result("answerCallbackQuery", callback_query_id=in_time)
    await asyncio.sleep(0.1)
    assert (await hall.refusal("answerCallbackQuery", callback_query_id=too_late))[0] == 400
    assert hall.telegram.toast(too_late) is None


async def test_a_toast_has_at_most_200_characters(hall: Hall) -> None:
    query_id = hall.telegram.press_data(hall.ben, hall.group, 1, "x")
    answer = {"callback_query_id": query_id}
    refusal = await hall.refusal("answerCallbackQuery", **answer, text="x" * 201)
    assert refusal == (400, "Bad Request: MESSAGE_TOO_LONG")
    await hall.result("answerCallbackQuery", **answer, text="x" * 200, show_alert=True)


async def test_a_reply_to_nothing_is_refused_unless_it_may_stand_alone(hall: Hall) -> None:
    send: Any = {"chat_id": hall.group.id, "text": "x"}
    refusal = await hall.refusal("sendMessage", **send, reply_parameters={"message_id": 99})
    assert refusal == (400, "Bad Request: message to be replied not found")
    alone = {"message_id": 99, "allow_sending_without_reply": True}
    sent = await hall.result("sendMessage", **send, reply_parameters=alone)
    assert "reply_to_message" not in sent


async def test_a_chat_that_is_not_there_is_not_found(hall: Hall) -> None:
    for chat_id in (-1, "@nobody", "x"):
        refusal = await hall.refusal("sendMessage", chat_id=chat_id, text="x")
        assert refusal == (400, "Bad Request: chat not found")


async def test_a_method_that_is_not_there_is_404(hall: Hall) -> None:
    assert await hall.refusal("sendGift") == (404, "Not Found: method not found")
    await hall.result("SENDMESSAGE", chat_id=hall.group.id, text="any case")


async def test_nonsense_for_parameters_is_a_400_and_never_an_exception(hall: Hall) -> None:
    message = await hall.send()
    for nonsense in ([], {}, "x", 1.5, True, -1, [1], {"a": 1}):
        for method in ("editMessageText", "sendMessage", "deleteMessage", "getChatMember"):
            await hall.telegram.call(
                method,
                {
                    "chat_id": hall.group.id,
                    "message_id": nonsense,
                    "text": nonsense,
                    "user_id": nonsense,
                    "reply_markup": nonsense,
                    "reply_parameters": nonsense,
                    "entities": nonsense,
                    "message_thread_id": nonsense,
                },
            )
            await hall.telegram.call(method, {"chat_id": nonsense, "message_id": message.id})
        await hall.telegram.call("setMyCommands", {"commands": nonsense, "scope": nonsense})
        await hall.telegram.call("getUpdates", {"offset": nonsense, "allowed_updates": nonsense})
        await hall.telegram.call("setWebhook", {"url": nonsense, "secret_token": nonsense})


async def test_commands_are_checked_and_kept_per_scope_and_language(hall: Hall) -> None:
    commands = [{"command": "dice", "description": "throw"}]
    await hall.result("setMyCommands", commands=commands, language_code="de")
    assert await hall.result("getMyCommands") == []
    assert await hall.result("getMyCommands", language_code="de") == commands
    bad = [{"command": "Dice!", "description": "throw"}]
    refusal = await hall.refusal("setMyCommands", commands=bad)
    assert refusal == (400, "Bad Request: BOT_COMMAND_INVALID")
