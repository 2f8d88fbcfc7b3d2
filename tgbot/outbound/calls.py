"""The calls of the Bot API that show something to people, and what Telegram's refusals mean.

Texts and their keys are what is sent most, so they go to the request layer as they are: making
python-telegram-bot's objects of each and taking them apart again cost more than drawing a board.
"""

from __future__ import annotations

from typing import Any

from telegram import Bot, InlineKeyboardMarkup, ReplyParameters
from telegram.error import BadRequest, NetworkError, TelegramError

from tgbot.http.client import CheckedRequest, NotSent
from tgbot.outbound.markup import Keyboard

_NO_PREVIEW = {"is_disabled": True}


async def send(
    bot: Bot,
    chat_id: int,
    body: str,
    keys: Keyboard | None,
    *,
    topic: int = 0,
    reply_to: int = 0,
    picture: bytes = b"",
    file: tuple[str, bytes] | None = None,
) -> int:
    """Sends HTML, below a picture or file (name, bytes) if there is one; the message's id.

    Raises `TelegramError`.
    """
    if picture or file:
        return await _send_file(bot, chat_id, picture, file, caption=body, keys=keys,
                                topic=topic, reply_to=reply_to)  # fmt: skip
    reply = {"message_id": reply_to, "allow_sending_without_reply": True} if reply_to else None
    message = await _call(
        bot,
        "sendMessage",
        chat_id=chat_id,
        text=body,
        parse_mode="HTML",
        reply_markup=keys,
        link_preview_options=_NO_PREVIEW,
        message_thread_id=topic or None,
        reply_parameters=reply,
    )
    return int(message["message_id"])


async def _send_file(
    bot: Bot,
    chat_id: int,
    picture: bytes,
    file: tuple[str, bytes] | None,
    *,
    caption: str,
    keys: Keyboard | None,
    topic: int,
    reply_to: int,
) -> int:
    form: dict[str, Any] = {
        "caption": caption,
        "parse_mode": "HTML",
        "reply_markup": InlineKeyboardMarkup.de_json(keys, bot) if keys else None,
        "message_thread_id": topic or None,
        "reply_parameters": (
            ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None
        ),
    }
    if picture:
        message = await bot.send_photo(chat_id, picture, **form)
    else:
        assert file
        name, held = file
        message = await bot.send_document(chat_id, held, filename=name, **form)
    return message.message_id


async def edit(bot: Bot, chat_id: int, message_id: int, body: str, keys: Keyboard | None) -> bool:
    """Whether the message now shows this; False if it cannot be edited, for whatever reason.

    Raises every other `TelegramError`.
    """
    try:
        await _call(
            bot,
            "editMessageText",
            chat_id=chat_id,
            message_id=message_id,
            text=body,
            parse_mode="HTML",
            reply_markup=keys,
            link_preview_options=_NO_PREVIEW,
        )
    except BadRequest as error:
        # Whatever else is the matter, a new message may do; if not, that is what counts.
        return "not modified" in str(error).lower()
    return True


async def bare(bot: Bot, chat_id: int, message_id: int) -> None:
    """Takes a message's keys away. Raises `TelegramError`."""
    await _call(bot, "editMessageReplyMarkup", chat_id=chat_id, message_id=message_id)


async def _call(bot: Bot, method: str, **params: Any) -> Any:
    request = bot.request
    assert isinstance(request, CheckedRequest)
    return await request.call(f"{bot.base_url}/{method}", 0, params)


async def pin(bot: Bot, chat_id: int, message_id: int, *, on: bool) -> None:
    """Pins a message without a sound, or unpins it. Raises `TelegramError`."""
    if on:
        await bot.pin_chat_message(chat_id, message_id, disable_notification=True)
    else:
        await bot.unpin_chat_message(chat_id, message_id)


_FINAL = ("not found", "can't be edited", "not modified", "message_id_invalid", "rights to send")
"""What Telegram says of a message that is gone, somebody else's, or as it was to be."""


def no_chat(error: BadRequest) -> bool:
    """Whether there is nobody to write to: the chat is gone, or the bot was silenced there."""
    reason = str(error).lower()
    return "chat not found" in reason or "rights to send" in reason


def may_pass(error: BadRequest) -> bool:
    """Whether what was refused may be taken later: it is not the message itself that cannot be."""
    reason = str(error).lower()
    return not any(words in reason for words in _FINAL)


def no_rights(error: BadRequest) -> bool:
    """Whether the bot may not do in the chat what it was asked for."""
    return "not enough rights" in error.message.lower() or "ADMIN_REQUIRED" in error.message


def may_have_arrived(error: TelegramError) -> bool:
    """Whether a call may have taken effect although it failed: only its answer was lost."""
    return isinstance(error, NetworkError) and not isinstance(error, BadRequest | NotSent)
