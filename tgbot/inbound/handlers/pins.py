"""The pin `📌` of a lobby, where the bot may pin messages."""

from __future__ import annotations

import contextlib
from functools import partial

from telegram import ChatMember, ChatMemberAdministrator
from telegram.error import TelegramError

from games.game import HOUSE, Refusal, text
from tgbot.done import Done
from tgbot.hall.pins import Pins
from tgbot.hall.refusals import AdminsOnly, unless_barred
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.people.people import Person
from tgbot.press import Press


def may_pin(member: ChatMember) -> bool:
    """Whether the bot, as this member of a chat, may pin messages there."""
    return isinstance(member, ChatMemberAdministrator) and bool(member.can_pin_messages)


async def press_pin(front: Front, ask: Ask, said: Press) -> None:
    """Pins a lobby, or unpins it; for its opener and for admins."""

    def act(person: Person, now: int, admin: bool | None) -> Done:
        unless_barred(person)
        table = front.hall.tables.get(said.code)
        board = table.showing(HOUSE)
        if table.status != "lobby" or front.chats.here(ask.chat_id) != table.chat_id:
            raise Refusal("refused.stale")
        if person.user_id != table.opener and not admin:
            if admin is None:
                raise AdminsOnly
            raise Refusal("pin.not_opener")
        offered = "pins" in table.options  # whose boards see to it that nothing stays pinned
        if not (offered and front.chats.settings(table.chat_id).may_pin):
            raise Refusal("pin.may_not")
        pinned = Pins(front.store.db).turn(board.chat_id, board.message_id, table.id)
        return Done(toast=text("pin.on" if pinned else "pin.off"), pins=(board.chat_id,))

    await front.do_admin(ask, act)


async def ask_once(front: Front, chat_id: int) -> None:
    """Asks Telegram whether the bot may pin in a group, where nobody has told yet: its next lobby
    will know."""
    settings = await front.clerk.run(partial(front.chats.settings, chat_id))
    if settings.may_pin is None:
        with contextlib.suppress(TelegramError):  # another lobby asks again
            member = await front.bot.get_chat_member(settings.chat_id, front.bot.id)
            await front.clerk.run(partial(front.chats.pinning, chat_id, may=may_pin(member)))


MENUS = {"pin": press_pin}
"""What handles the presses on its buttons, by their scope."""
