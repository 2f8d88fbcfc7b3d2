"""What group admins decide, and who comes and goes: the bot itself, and people."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from telegram import Update
from telegram.ext import ChatMemberHandler, MessageHandler, filters

from games.game import Lines, Refusal, Text, text
from tgbot.done import NOTHING, Done, Key, Row, Say, grid, key
from tgbot.hall.refusals import AdminsOnly
from tgbot.hall.seen_updates import first_time
from tgbot.inbound.asks import Ask, who_of
from tgbot.inbound.commands import ADMIN, Command
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import guide
from tgbot.inbound.handlers.common import App, Context
from tgbot.inbound.handlers.pins import may_pin
from tgbot.inbound.members import there
from tgbot.people.chat_settings import SETTINGS, Button
from tgbot.people.people import Person
from tgbot.press import Press
from tgbot.words import spoken

COLUMNS = 4


def register(app: App, front: Front) -> None:
    """Telegram's news about the bot and the chat."""
    app.add_handler(ChatMemberHandler(partial(_membership, front)))
    app.add_handler(MessageHandler(filters.StatusUpdate.MIGRATE, partial(_migrated, front)))
    app.add_handler(MessageHandler(filters.StatusUpdate.LEFT_CHAT_MEMBER, partial(_left, front)))
    app.add_handler(MessageHandler(filters.StatusUpdate.NEW_CHAT_MEMBERS, partial(_came, front)))


async def settings(front: Front, ask: Ask) -> None:
    """The panel; `/settings 7` sets a stake that has no button, as `/settings stake 7` does."""

    def act(person: Person, now: int, admin: bool | None) -> Done:
        if ask.private:
            raise Refusal("settings.in_group")
        front.chats.meet(ask.chat_id, ask.title)
        name, _, value = ask.words.partition(" ")
        if name.isdigit() and not value:
            name, value = "stake", name
        if name:
            _admins_only(admin)
            front.chats.set(ask.chat_id, name.lower(), value.strip().lower(), ask.topic, now)
        return Done(say=(_panel(front, ask),))

    await front.do_admin(ask, act)


async def press_setting(front: Front, ask: Ask, said: Press) -> None:
    """A change; the panel is edited in place."""

    def act(person: Person, now: int, admin: bool | None) -> Done:
        if ask.private:
            raise Refusal("settings.in_group")
        _admins_only(admin)
        name, _, value = said.code.partition("=")
        front.chats.meet(ask.chat_id, ask.title)
        front.chats.set(ask.chat_id, name, value, ask.topic, now)
        return Done(toast=text("settings.saved"), say=(_panel(front, ask, ask.message_id),))

    await front.do_admin(ask, act)


def _admins_only(admin: bool | None) -> None:
    """The right to change is asked of Telegram at every change."""
    if admin is None:
        raise AdminsOnly
    if not admin:
        raise Refusal("settings.admins_only")


def _panel(front: Front, ask: Ask, edit: int = 0) -> Say:
    now = front.chats.settings(ask.chat_id)
    now = replace(now, pace=now.pace or front.settings.pace)
    rows: list[Row] = []
    lines: list[Text] = []
    for name, it in SETTINGS.items():
        if shown := it.shown(now, ask.topic):
            lines.append(text(f"settings.{name}", it=shown))
        rows += grid((_choice(name, button) for button in it.buttons(now, ask.topic)), COLUMNS)
    body = text("settings.title", lines=Lines(tuple(lines)))
    return Say(ask.chat_id, body, now.language, tuple(rows), topic=ask.topic, edit=edit)


def _choice(name: str, button: Button) -> Key:
    mark = text("settings.chosen", it=button.label) if button.chosen else button.label
    return key(mark, "set", f"{name}={button.value}", style="primary" if button.chosen else None)


async def _membership(front: Front, update: Update, context: Context) -> None:
    """The bot was added, removed, blocked or unblocked."""
    change = update.my_chat_member
    if change is None:
        return
    chat, now = change.chat, int(front.now())
    was, is_here = there(change.old_chat_member), there(change.new_chat_member)

    def act() -> Done:
        if not first_time(front.store.db, update.update_id, now):
            return NOTHING
        if chat.type == chat.PRIVATE:
            if not is_here:
                front.upkeep.person_gone(chat.id)
        elif chat.type == chat.CHANNEL:
            pass  # nobody plays in a channel
        elif is_here:
            if not was:
                code = spoken(who_of(change.from_user).code)
                front.chats.welcome(chat.id, chat.title or "", code)
            may = may_pin(change.new_chat_member)
            front.chats.pinning(chat.id, may=may)
            hello = guide.greeting(front, chat.id, 0, front.chats.language(chat.id))
            return Done(say=() if was else (hello,), pins=(chat.id,) if may else ())
        elif was and not is_here:
            return front.upkeep.chat_gone(chat.id, now)
        return NOTHING

    front.painter.show(await front.clerk.run(act))
    if is_here and not was:
        for old_board in await front.clerk.run(partial(front.painter.old_boards.all, chat.id)):
            front.painter.tidy(*old_board)


async def _migrated(front: Front, update: Update, context: Context) -> None:
    """Either of the two messages by which a group says that it became a supergroup."""
    said = update.message
    if said is None:
        return
    old, new = (
        (said.chat_id, said.migrate_to_chat_id)
        if said.migrate_to_chat_id
        else (said.migrate_from_chat_id, said.chat_id)
    )
    if old and new:  # saying it again changes nothing
        done = await front.clerk.run(partial(front.upkeep.migrate, old, new, int(front.now())))
        front.painter.show(done)


async def _left(front: Front, update: Update, context: Context) -> None:
    """Somebody left a chat, or was made to."""
    said = update.message
    gone = said.left_chat_member if said else None
    if said and gone and not gone.is_bot:
        await front.clerk.run(partial(front.upkeep.person_left, gone.id, said.chat_id))


async def _came(front: Front, update: Update, context: Context) -> None:
    """Some came into a chat, who may have been there before."""
    said = update.message
    came = [user.id for user in said.new_chat_members if not user.is_bot] if said else []
    if said and came:
        await front.clerk.run(partial(front.upkeep.people_came, came, said.chat_id))


COMMANDS = (Command(("settings",), settings, (ADMIN,), 45),)

MENUS = {"set": press_setting}
"""What handles the presses on its buttons, by their scope."""
