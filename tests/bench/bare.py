"""The bot to compare with: python-telegram-bot as its documentation shows it, one handler.

Arguments: the address of the Bot API server and the token.
"""

from __future__ import annotations

import sys

from telegram import Update
from telegram.ext import Application, CallbackQueryHandler, ContextTypes


async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    """Answers a press and does nothing else."""
    query = update.callback_query
    assert query
    await query.answer()


def main(address: str, token: str) -> None:
    """Serves until SIGTERM."""
    application = Application.builder().token(token).base_url(f"{address}/bot").build()
    application.add_handler(CallbackQueryHandler(answer))
    application.run_polling()


if __name__ == "__main__":
    main(*sys.argv[1:])
