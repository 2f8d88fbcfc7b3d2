"""Answers to presses: private, free and instant, so they go out at once."""

from __future__ import annotations

from typing import Any

import structlog
from telegram import Bot
from telegram.error import TelegramError

from games.game import Text
from tgbot.http.client import CheckedRequest
from tgbot.inbound.delivery import current
from tgbot.outbound.painter import Painter
from tgbot.words import Words

LONGEST_TOAST = 200

log = structlog.get_logger(__name__)


class Toasts:
    """Answers presses, where it can in the response to the webhook call that brought them."""

    def __init__(self, bot: Bot, words: Words, painter: Painter) -> None:
        self.bot = bot
        self.words = words
        self.painter = painter

    def answer(
        self, query_id: str, toast: Text | None, language: str, *, alert: bool, start: str = ""
    ) -> None:
        """Answers a press; only the person who pressed sees it.

        With `start` it leads into the private chat instead, as a deep link would: Telegram's apps
        follow no link where there is a text to show.
        """
        shown = self.words.plain(toast, language)[:LONGEST_TOAST] if toast and not start else None
        url = f"https://t.me/{self.bot.username}?start={start}" if start else None
        said = {"callback_query_id": query_id, "text": shown, "show_alert": alert, "url": url}
        delivery = current.get()
        if delivery and delivery.told:
            return
        if not delivery or not delivery.ride("answerCallbackQuery", **said):
            self.painter.spawn(self._call(said))

    async def _call(self, said: dict[str, Any]) -> None:
        """One that comes too late or gets lost is no failure: the board tells."""
        line = self.bot.request
        assert isinstance(line, CheckedRequest)
        try:
            await line.call(f"{self.bot.base_url}/answerCallbackQuery", 0, said)
            if delivery := current.get():
                delivery.answered("request")
        except TelegramError as error:
            log.debug("an answer did not arrive", error=str(error))
