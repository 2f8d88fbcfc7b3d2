"""The bots to compare with, of python-telegram-bot alone and with one handler.

Arguments: the address of the Bot API server, the token, and `as-it-comes`, as its documentation
shows it, or `concurrent`: updates at the same time and its requests on aiohttp, as dicehall has.
"""

from __future__ import annotations

import sys

from telegram import Update
from telegram.ext import Application, CallbackQueryHandler, ContextTypes

from tgbot.http.client import AiohttpRequest


async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    """Answers a press and does nothing else."""
    query = update.callback_query
    assert query
    await query.answer()


def main(address: str, token: str, how: str) -> None:
    """Serves until SIGTERM."""
    builder = Application.builder().token(token).base_url(f"{address}/bot")
    if how == "concurrent":
        builder = builder.concurrent_updates(True).request(AiohttpRequest())
    application = builder.build()
    application.add_handler(CallbackQueryHandler(answer))
    application.run_polling()


if __name__ == "__main__":
    main(*sys.argv[1:])
