"""The Bot API: which methods there are, and those that are about chats, webhook and profile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tgbot.playground import inline, pinning, sending
from tgbot.playground import params as read
from tgbot.playground.errors import Refusal, bad
from tgbot.playground.model import Chat, Json, Person, Webhook
from tgbot.playground.world import World, member_json

Method = Callable[[World, Json], Any]

_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
LONGEST_POLL_S = 50.0
_MOST_COMMANDS = 100


def get_me(world: World, params: Json) -> Any:
    """getMe: the bot's User with its abilities."""
    return world.bot.user() | {
        "can_join_groups": True,
        "can_read_all_group_messages": not world.privacy,
        "supports_inline_queries": True,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }


async def get_updates(world: World, params: Json) -> list[Json]:
    """getUpdates: see UpdateQueue.poll; 409 while a webhook is set."""
    if world.webhook is not None:
        raise Refusal(
            409,
            "Conflict: can't use getUpdates method while webhook is active; "
            "use deleteWebhook to delete the webhook first",
        )
    _set_allowed(world, params)
    limit = min(max(read.integer(params, "limit", 100), 1), 100)
    timeout_s = min(max(read.number(params, "timeout"), 0.0), LONGEST_POLL_S)
    return await world.queue.poll(read.integer(params, "offset"), limit, timeout_s)


def _set_allowed(world: World, params: Json) -> None:
    if params.get("allowed_updates") is not None:
        world.queue.allowed = frozenset(read.strings(params, "allowed_updates")) or None


def set_webhook(world: World, params: Json) -> Any:
    """setWebhook: True; an empty url deletes it."""
    url = read.string(params, "url")
    if not url:
        return delete_webhook(world, params)
    if not re.match(r"https?://\S+$", url):
        raise bad("bad webhook: An HTTPS URL must be provided for webhook")
    secret = read.string(params, "secret_token")
    if secret and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret):
        raise bad("secret token contains unallowed characters")
    _set_allowed(world, params)
    if read.flag(params, "drop_pending_updates"):
        world.queue.drop()
    parallel = min(max(read.integer(params, "max_connections", 40), 1), 100)
    world.webhook = Webhook(url, secret, parallel)
    world.queue.wake()
    return True


def delete_webhook(world: World, params: Json) -> Any:
    """deleteWebhook: True, also if there is none."""
    world.webhook = None
    if read.flag(params, "drop_pending_updates"):
        world.queue.drop()
    world.queue.wake()
    return True


def get_webhook_info(world: World, params: Json) -> Any:
    """getWebhookInfo: the url is empty while getUpdates is in use."""
    hook = world.webhook
    body: Json = {
        "url": hook.url if hook else "",
        "has_custom_certificate": False,
        "pending_update_count": len(world.queue.pending),
    }
    if world.queue.allowed is not None:
        body["allowed_updates"] = sorted(world.queue.allowed)
    if hook is not None:
        body["max_connections"] = hook.max_connections
        if hook.last_error is not None:
            body["last_error_date"] = hook.last_error_date
            body["last_error_message"] = hook.last_error
    return body


def get_chat(world: World, params: Json) -> Any:
    """getChat: the ChatFullInfo, with the fields that are never missing."""
    chat = read.chat(world, params)
    gifts = dict.fromkeys(
        (
            "unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription",
            "gifts_from_channels",
        ),
        False,
    )  # fmt: skip
    extra: Json = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}
    return chat.json() | extra


def _members(world: World, params: Json) -> tuple[Chat, list[tuple[Person, str]]]:
    chat = read.chat(world, params)
    people = [
        (world.people[each], "restricted" if each in chat.restricted else status)
        for each, status in chat.members.items()
    ]
    return chat, [*people, (world.bot, chat.bot_status)]


def get_chat_member(world: World, params: Json) -> Any:
    """getChatMember: the ChatMember; of known people who are not there `left`, or `restricted`."""
    chat, members = _members(world, params)
    wanted = read.integer(params, "user_id")
    for person, status in members:
        if person.id == wanted:
            return member_json(
                person, status, chat.bot_lacks if person is world.bot else frozenset()
            )
    if wanted not in world.people:
        raise bad("user not found")
    gone = "restricted" if wanted in chat.restricted else "left"
    return member_json(world.people[wanted], gone, is_member=False)


def get_chat_administrators(world: World, params: Json) -> Any:
    """getChatAdministrators: ChatMembers; 400 in a private chat."""
    chat, members = _members(world, params)
    if not chat.is_group:
        raise bad("there are no administrators in the private chat")
    return [
        member_json(person, status, chat.bot_lacks if person is world.bot else frozenset())
        for person, status in members
        if status in ("creator", "administrator")
    ]


def get_chat_member_count(world: World, params: Json) -> Any:
    """getChatMemberCount: people and the bot."""
    return len(_members(world, params)[1])


def leave_chat(world: World, params: Json) -> Any:
    """leaveChat: True; the bot is out and hears of it itself."""
    chat = read.chat(world, params)
    if not chat.is_group:
        raise bad("chat member status can't be changed in private chats")
    world.bot_becomes(chat, "left", world.bot)
    return True


def _scope(params: Json) -> tuple[str, str]:
    scope = params.get("scope") or {"type": "default"}
    if not isinstance(scope, dict) or "type" not in scope:
        raise bad("can't parse BotCommandScope")
    return json.dumps(scope, sort_keys=True), read.string(params, "language_code")


def set_my_commands(world: World, params: Json) -> Any:
    """setMyCommands: True; kept per scope and language."""
    commands = params.get("commands")
    if not isinstance(commands, list) or not all(isinstance(each, dict) for each in commands):
        raise bad("expected an Array of BotCommand")
    if len(commands) > _MOST_COMMANDS:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    for each in commands:
        if not _COMMAND.fullmatch(read.string(each, "command").removeprefix("/")):
            raise bad("BOT_COMMAND_INVALID")
        if not 1 <= len(read.string(each, "description")) <= 256:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
    world.commands[_scope(params)] = [
        {"command": each["command"].removeprefix("/"), "description": each["description"]}
        for each in commands
    ]
    world.emit_menus()
    return True


def get_my_commands(world: World, params: Json) -> Any:
    """getMyCommands: exactly what was set for that scope and language."""
    return world.commands.get(_scope(params), [])


def delete_my_commands(world: World, params: Json) -> Any:
    """deleteMyCommands: True."""
    world.commands.pop(_scope(params), None)
    world.emit_menus()
    return True


def _profile_setter(field: str, most: int) -> Method:
    def setter(world: World, params: Json) -> Any:
        value = read.string(params, field)
        if len(value) > most:
            raise bad(f"BOT_{field.upper()}_TOO_LONG")
        world.profile[field, read.string(params, "language_code")] = value
        return True

    setter.__doc__ = f"Sets the bot's {field}, at most {most} characters: True."
    return setter


def _yes(world: World, params: Json) -> Any:
    return True


METHODS: dict[str, Method] = {
    "getMe": get_me,
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
    "sendMessage": sending.send_message,
    "sendPhoto": sending.send_photo,
    "sendDocument": sending.send_document,
    "editMessageText": sending.edit_message_text,
    "editMessageReplyMarkup": sending.edit_message_reply_markup,
    "editMessageCaption": sending.edit_message_caption,
    "deleteMessage": sending.delete_message,
    "pinChatMessage": pinning.pin_chat_message,
    "unpinChatMessage": pinning.unpin_chat_message,
    "answerInlineQuery": inline.answer_inline_query,
    "answerCallbackQuery": sending.answer_callback_query,
    "getChat": get_chat,
    "getChatMember": get_chat_member,
    "getChatAdministrators": get_chat_administrators,
    "getChatMemberCount": get_chat_member_count,
    "setMyCommands": set_my_commands,
    "getMyCommands": get_my_commands,
    "deleteMyCommands": delete_my_commands,
    "setMyName": _profile_setter("name", 64),
    "setMyDescription": _profile_setter("description", 512),
    "setMyShortDescription": _profile_setter("short_description", 120),
    "sendChatAction": sending.send_chat_action,
    "leaveChat": leave_chat,
    "logOut": _yes,
    "close": _yes,
}
# Telegram takes method names in any case.
_ANY_CASE = {name.lower(): name for name in (*METHODS, "getUpdates")}


def method_name(method: str) -> str | None:
    """The method's name as documented, None if there is no such method."""
    return method if method in METHODS else _ANY_CASE.get(method.lower())
