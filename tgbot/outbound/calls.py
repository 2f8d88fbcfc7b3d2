"""The calls of the Bot API that show something to people, and what Telegram's refusals mean."""

from __future__ import annotations

from typing import Any

import structlog
from telegram import Bot, InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters
from telegram.error import BadRequest, TelegramError

from tgbot.inbound.delivery import current

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

log = structlog.get_logger(__name__)


async def send(
    bot: Bot,
    chat_id: int,
    body: str,
    keys: InlineKeyboardMarkup | None,
    *,
    topic: int = 0,
    reply_to: int = 0,
    picture: bytes = b"",
) -> int:
    """Sends HTML, below a picture if there is one; the message's id. Raises `TelegramError`."""
    reply = ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None
    form: dict[str, Any] = {
        "parse_mode": "HTML",
        "reply_markup": keys,
        "message_thread_id": topic or None,
        "reply_parameters": reply,
    }
    if picture:
        message = await bot.send_photo(chat_id, picture, caption=body, **form)
    else:
        form["link_preview_options"] = _NO_PREVIEW
        message = await bot.send_message(chat_id, body, **form)
    return message.message_id


async def edit(
    bot: Bot, chat_id: int, message_id: int, body: str, keys: InlineKeyboardMarkup | None
) -> bool:
    """Whether the message now shows this; False if it is gone. Raises `TelegramError`."""
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
        reason = str(error).lower()
        if "not modified" in reason:
            return True
        if "not found" in reason or "can't be edited" in reason or "_invalid" in reason:
            return False
        raise
    return True


async def answer(bot: Bot, query_id: str, toast: str | None, alert: bool, url: str | None) -> None:
    """Answers a press; one that comes too late or gets lost is no failure: the board tells."""
    try:
        await bot.answer_callback_query(query_id, toast, show_alert=alert, url=url)
        if delivery := current.get():
            delivery.answered("request")
    except TelegramError as error:
        log.debug("an answer did not arrive", error=str(error))


def no_chat(error: BadRequest) -> bool:
    """Whether there is nobody to write to: the chat is gone, or the bot was silenced there."""
    reason = str(error).lower()
    return "chat not found" in reason or "rights to send" in reason


def no_topic(error: BadRequest) -> bool:
    """Whether it is only the topic that is gone or closed."""
    reason = str(error).lower()
    return any(why in reason for why in ("thread not found", "topic_closed", "topic_deleted"))
