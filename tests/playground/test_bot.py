"""The real python-telegram-bot on the playground, without a socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TimedOut,
)
from telegram.ext import Application, CallbackQueryHandler, CommandHandler, ContextTypes

from tests.playground.hall import Hall
from tests.playground.test_refusals import PNG
from tgbot.playground.inprocess import InProcessRequest

GO = InlineKeyboardMarkup([[InlineKeyboardButton("Go", callback_data="go", style="success")]])


def make_bot(hall: Hall, token: str | None = None) -> Bot:
    request = InProcessRequest(hall.telegram)
    return Bot(token or hall.telegram.token, request=request, get_updates_request=request)


async def board(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.effective_message is not None
    await update.effective_message.reply_html("<b>Board</b> 🎲", reply_markup=GO)


async def pressed(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    query = update.callback_query
    assert query is not None
    await query.answer("Rolled")
    await query.edit_message_text("Done")


async def test_a_real_application_plays_a_round(hall: Hall) -> None:
    request = InProcessRequest(hall.telegram)
    builder = Application.builder().token(hall.telegram.token)
    app: Any = builder.request(request).get_updates_request(request).build()
    app.add_handler(CommandHandler("d", board))
    app.add_handler(CallbackQueryHandler(pressed))
    async with app:
        await app.start()
        await app.updater.start_polling(timeout=10)
        hall.telegram.say(hall.anna, hall.group, "/d@dicehall_bot")
        await asyncio.sleep(1)
        message = hall.telegram.last(hall.group, buttons=True)
        query_id = hall.telegram.press(hall.ben, hall.group, message.id, "Go")
        await asyncio.sleep(1)
        await app.updater.stop()
        await app.stop()
    toast = hall.telegram.toast(query_id)
    assert toast is not None
    assert toast.text == "Rolled"
    assert (message.text, message.buttons, message.edited) == ("Done", [], True)


async def test_refusals_become_the_librarys_exceptions(hall: Hall) -> None:
    faults, group = hall.telegram.faults, hall.group.id
    async with make_bot(hall) as bot:
        with pytest.raises(BadRequest, match="Message to edit not found"):
            await bot.edit_message_text("x", group, 99)
        with pytest.raises(Forbidden, match="can't initiate conversation"):
            await bot.send_message(hall.anna.id, "x")
        faults.flood_next = 1
        with pytest.raises(RetryAfter):
            await bot.send_message(group, "x")
        faults.timeout_before_next = 1
        with pytest.raises(TimedOut):
            await bot.send_message(group, "x")
        faults.error_5xx_next = 1
        with pytest.raises(NetworkError, match="Bad Gateway"):
            await bot.send_message(group, "x")
        small = hall.telegram.group("Klein", hall.anna, supergroup=False)
        new = hall.telegram.migrate(small)
        with pytest.raises(ChatMigrated) as moved:
            await bot.send_message(small.id, "x")
        assert moved.value.new_chat_id == new.id


async def test_a_wrong_token_is_refused(hall: Hall) -> None:
    with pytest.raises(InvalidToken):
        async with make_bot(hall, "1000001:WRONG"):
            pass
    assert not hall.telegram.log


async def test_a_photo_arrives_byte_for_byte(hall: Hall) -> None:
    async with make_bot(hall) as bot:
        sent = await bot.send_photo(hall.group.id, PNG, caption="<b>x</b>", parse_mode="HTML")
        assert hall.telegram.photos[sent.photo[0].file_id].data == PNG
        again = await bot.send_photo(hall.group.id, sent.photo[0].file_id)
        await bot.edit_message_caption(hall.group.id, again.message_id, caption="y")
    assert [each.text for each in hall.telegram.messages(hall.group)[-2:]] == ["x", "y"]


async def test_every_method_there_is_can_be_called(hall: Hall) -> None:
    group = hall.group.id
    async with make_bot(hall) as bot:
        assert (await bot.get_me()).username == "dicehall_bot"
        assert (await bot.get_chat(group)).title == "Würfelrunde"
        assert (await bot.get_chat_member(group, hall.anna.id)).status == "creator"
        assert len(await bot.get_chat_administrators(group)) == 1
        assert await bot.get_chat_member_count(group) == 4
        assert await bot.set_my_commands([("dice", "throw")])
        assert (await bot.get_my_commands())[0].command == "dice"
        assert await bot.delete_my_commands()
        assert await bot.set_my_name("Hall")
        assert await bot.set_my_description("x")
        assert await bot.set_my_short_description("x")
        assert await bot.send_chat_action(group, "typing")
        sent = await bot.send_message(group, "x", reply_markup=GO)
        assert await bot.edit_message_reply_markup(group, sent.message_id)
        assert await sent.delete()
        assert await bot.set_webhook("https://x.org", secret_token="s")
        assert (await bot.get_webhook_info()).url == "https://x.org"
        assert await bot.delete_webhook()
        assert await bot.leave_chat(group)
        assert await bot.log_out()
        assert await bot.close()
