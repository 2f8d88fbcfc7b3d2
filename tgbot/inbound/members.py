"""Who is in a group, and who its admins are, as far as Telegram tells."""

from __future__ import annotations

from functools import partial

import structlog
from telegram import Bot, ChatMember, ChatMemberRestricted
from telegram.constants import ChatMemberStatus
from telegram.error import ChatMigrated, TelegramError

from tgbot.hall.clerk import Clerk
from tgbot.inbound.asks import Ask
from tgbot.people.chats import Chats

ADMIN_CHECK_S = 3

log = structlog.get_logger(__name__)


class Members:
    """Asks Telegram about people in groups; a group is known by its present id."""

    def __init__(self, bot: Bot, clerk: Clerk, chats: Chats) -> None:
        self.bot = bot
        self.clerk = clerk
        self.chats = chats

    async def has(self, user_id: int, chat_id: int) -> bool | None:
        """Whether somebody is in a group; None where Telegram does not tell."""
        member = await self._member(chat_id, user_id)
        return None if member is None else there(member)

    async def is_admin(self, ask: Ask) -> bool | None:
        """Whether Telegram says that the asker is an admin here; None where it does not say.

        In private nobody is: what is asked for there concerns the game of another chat. One that
        became a supergroup is asked about by its new id.
        """
        if ask.private or ask.who is None:
            return False
        member = await self._member(ask.chat_id, ask.who.user_id)
        if member is None:
            return None
        return member.status in (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)

    async def _member(self, chat_id: int, user_id: int) -> ChatMember | None:
        """Somebody in a group, by its present id; None where Telegram does not tell."""
        chat_id = await self.clerk.run(partial(self.chats.here, chat_id))
        asking = partial(self.bot.get_chat_member, read_timeout=ADMIN_CHECK_S)
        try:
            try:
                return await asking(chat_id, user_id)
            except ChatMigrated as error:
                return await asking(error.new_chat_id, user_id)
        except TelegramError as error:
            log.warning("who somebody is cannot be told", chat=chat_id, error=str(error))
            return None


def there(member: ChatMember) -> bool:
    """Whether somebody is in a chat now; who is restricted may have left it."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status not in (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED)
