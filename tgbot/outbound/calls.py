"""The calls of the Bot API that show something to people, and what Telegram's refusals mean."""

from __future__ import annotations

from typing import Any

from telegram import Bot, InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters
from telegram.error import BadRequest, NetworkError, TelegramError

from tgbot.http.client import NotSent

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


async def send(
    bot: Bot,
    chat_id: int,
    body: str,
    keys: InlineKeyboardMarkup | None,
    *,
    topic: int = 0,
    reply_to: int = 0,
    picture: bytes = b"",
    file: tuple[str, bytes] | None = None,
) -> int:
    """Sends HTML, below a picture or file (name, bytes) if there is one; the message's id.

    Raises `TelegramError`.
    """
    reply = ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None
    form: dict[str, Any] = {
        "parse_mode": "HTML",
        "reply_markup": keys,
        "message_thread_id": topic or None,
        "reply_parameters": reply,
    }
    if picture:
        message = await bot.send_photo(chat_id, picture, caption=body, **form)
    elif file:
        name, held = file
        message = await bot.send_document(chat_id, held, caption=body, filename=name, **form)
    else:
        form["link_preview_options"] = _NO_PREVIEW
        message = await bot.send_message(chat_id, body, **form)
    return message.message_id


async def edit(
    bot: Bot, chat_id: int, message_id: int, body: str, keys: InlineKeyboardMarkup | None
) -> bool:
    """Whether the message now shows this; False if it cannot be edited, for whatever reason.

    Raises every other `TelegramError`.
    """
    try:
        await bot.edit_message_text(
            body,
            chat_id,
            message_id,
            parse_mode="HTML",
            reply_markup=keys,
            link_preview_options=_NO_PREVIEW,
        )
    except BadRequest as error:
        # Whatever else is the matter, a new message may do; if not, that is what counts.
        return "not modified" in str(error).lower()
    return True


async def pin(bot: Bot, chat_id: int, message_id: int, *, on: bool) -> None:
    """Pins a message without a sound, or unpins it. Raises `TelegramError`."""
    if on:
        await bot.pin_chat_message(chat_id, message_id, disable_notification=True)
    else:
        await bot.unpin_chat_message(chat_id, message_id)


def no_chat(error: BadRequest) -> bool:
    """Whether there is nobody to write to: the chat is gone, or the bot was silenced there."""
    reason = str(error).lower()
    return "chat not found" in reason or "rights to send" in reason


def may_have_arrived(error: TelegramError) -> bool:
    """Whether a call may have taken effect although it failed: only its answer was lost."""
    return isinstance(error, NetworkError) and not isinstance(error, BadRequest | NotSent)
