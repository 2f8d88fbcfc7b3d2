"""Invitations: `@bot fifty` in any chat, and a link that brings a game into a group.

Telegram has whoever chose the invitation send it, and the bot reads it where it is a member: that
opens the game, as if they had typed its command. Elsewhere its button brings the bot along.
"""

from __future__ import annotations

from functools import partial
from html import escape
from urllib.parse import parse_qs, urlsplit

import structlog
from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQuery,
    InlineQueryResultArticle,
    InputTextMessageContent,
    Message,
    Update,
)
from telegram.error import TelegramError
from telegram.ext import InlineQueryHandler, MessageHandler, filters

from games import registry
from games.game import text
from tgbot.inbound.asks import ask_of
from tgbot.inbound.front import Front
from tgbot.inbound.handlers.common import NEW, App, Context
from tgbot.inbound.handlers.lobby import open_game
from tgbot.inbound.menus import group_link
from tgbot.words import spoken

KEPT_S = 300
"""How long Telegram may answer the same words of the same person by itself."""

log = structlog.get_logger(__name__)


def register(app: App, front: Front) -> None:
    """Who looks for an invitation, and who has sent one."""
    app.add_handler(InlineQueryHandler(partial(_asked, front)))
    sent = NEW & filters.VIA_BOT & ~filters.FORWARDED
    app.add_handler(MessageHandler(sent, partial(_sent, front)))


async def _asked(front: Front, update: Update, context: Context) -> None:
    """Offers invitations; somebody who types too fast has to type on."""
    query = update.inline_query
    if query and front.limits.presses.take(query.from_user.id, front.now()):
        front.painter.spawn(_offer(front, query))


async def _offer(front: Front, query: InlineQuery) -> None:
    language = spoken(query.from_user.language_code or "")
    found = [_invitation(front, kind, language) for kind in meant(query.query, front, language)]
    try:
        await front.bot.answer_inline_query(query.id, found, cache_time=KEPT_S, is_personal=True)
    except TelegramError as error:
        log.debug("an invitation was not offered", error=str(error))


def meant(words: str, front: Front, language: str) -> list[str]:
    """The games that begin so, by kind or title; all of them where none does."""
    wanted = words.strip().casefold()
    titles = {
        kind: front.words.plain(game.title(), language).casefold()
        for kind, game in registry().items()
    }
    found = [kind for kind, title in titles.items() if f"{kind}\n{title}".find(wanted) >= 0]
    return found or list(titles)


def _invitation(front: Front, kind: str, language: str) -> InlineQueryResultArticle:
    game, say = registry()[kind], partial(front.words.plain, language=language)
    named = {"icon": game.icon, "game": game.title()}
    fewest, most = game.seats
    add = InlineKeyboardButton(say(text("invite.add")), url=group_link(front.username, kind))
    return InlineQueryResultArticle(
        kind,
        say(text("menu.game", **named)),
        InputTextMessageContent(escape(say(text("invite.text", **named)), quote=False)),
        InlineKeyboardMarkup([[add]]),
        description=say(text("invite.about", seats=text("lobby.seats", fewest=fewest, most=most))),
    )


async def _sent(front: Front, update: Update, context: Context) -> None:
    """An invitation of the bot's own was sent where it is a member: the game is opened."""
    said, ask = update.message, ask_of(update)
    kind = _kind(said, front.bot.id) if said else ""
    if ask and kind in registry() and front.admits(ask):
        await open_game(front, ask, kind=kind)


def _kind(said: Message, bot_id: int) -> str:
    """Which game an invitation is to, by the link below it; empty for any other message."""
    if said.via_bot is None or said.via_bot.id != bot_id or said.reply_markup is None:
        return ""
    links = [button.url or "" for row in said.reply_markup.inline_keyboard for button in row]
    found = parse_qs(urlsplit(next(iter(links), "")).query).get("startgroup", [""])
    return found[0]
