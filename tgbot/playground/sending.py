"""Bot API methods that make, change and delete messages, and that answer presses."""

from __future__ import annotations

from typing import Any

from tgbot.playground import params as read
from tgbot.playground.errors import Refusal, bad
from tgbot.playground.faults import TOO_OLD
from tgbot.playground.images import image_size
from tgbot.playground.keyboard import inline_rows
from tgbot.playground.membership import topic_opener
from tgbot.playground.model import Chat, Json, Message, Photo, Toast, Upload
from tgbot.playground.world import World

_TEXT = 4096
_CAPTION = 1024
_TOAST = 200
_LARGEST_FILE = 50 * 1024 * 1024
_ANSWER_WITHIN_S = 15.0
_DELETE_WITHIN_S = 48 * 3600
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)


def send_message(world: World, params: Json) -> Any:
    """sendMessage: the new Message."""
    chat = read.budgeted_chat(world, params)
    text, entities = read.words(world, params, "text", most=_TEXT, required=True)
    return _send(world, chat, params, "text", text=text, entities=entities)


def send_photo(world: World, params: Json) -> Any:
    """sendPhoto: an upload, or the file id of an earlier one."""
    chat = read.budgeted_chat(world, params)
    text, entities = read.words(world, params, "caption", most=_CAPTION, required=False)
    photo = _photo(world, params)
    return _send(world, chat, params, "caption", text=text, entities=entities, photo=photo)


def _photo(world: World, params: Json) -> Photo:
    value = _upload(params, "photo")
    if isinstance(value, Upload):
        size = image_size(value.data)
        if size is None:
            raise bad("IMAGE_PROCESS_FAILED")
        if sum(size) > 10_000 or max(size) > 20 * min(size):
            raise bad("PHOTO_INVALID_DIMENSIONS")
        return world.new_photo(value.data, value.mime, size)
    if not value:
        raise bad("there is no photo in the request")
    known = world.photos.get(str(value))
    if known is None:
        raise bad("wrong file identifier/HTTP URL specified")
    return known


def send_document(world: World, params: Json) -> Any:
    """sendDocument: an upload of at most 50 MB that is not empty, or the file id of an earlier."""
    chat = read.budgeted_chat(world, params)
    text, entities = read.words(world, params, "caption", most=_CAPTION, required=False)
    value = _upload(params, "document")
    if isinstance(value, Upload):
        if not value.data:
            raise bad("file must be non-empty")
        if len(value.data) > _LARGEST_FILE:
            raise Refusal(413, "Request Entity Too Large")
        document = world.new_document(value)
    elif not value:
        raise bad("there is no document in the request")
    elif (known := world.documents.get(str(value))) is not None:
        document = known
    else:
        raise bad("wrong file identifier/HTTP URL specified")
    return _send(world, chat, params, "caption", text=text, entities=entities, document=document)


def _upload(params: Json, name: str) -> Any:
    """What a call brings as `name`: an upload, also one that is only pointed to, or a file id."""
    value = params.get(name)
    if isinstance(value, str) and value.startswith("attach://"):
        return params.get(value.removeprefix("attach://"))
    return value


def _send(world: World, chat: Chat, params: Json, source: str, **content: Any) -> Json:
    buttons = inline_rows(params.get("reply_markup"))
    topic = read.topic(chat, params)
    replied = read.replied(chat, params)
    if topic is None and replied is not None:
        topic = replied.topic if replied.topic in chat.topics else None
    message = world.post(
        chat,
        world.bot,
        html=read.string(params, source),
        buttons=buttons,
        topic=topic,
        reply_to=replied or topic_opener(chat, topic),
        **content,
    )
    return message.json()


def _editable(world: World, chat: Chat, params: Json) -> Message:
    if params.get("inline_message_id"):
        raise bad("MESSAGE_ID_INVALID")
    message_id = read.integer(params, "message_id")
    if not message_id:
        raise bad("message identifier is not specified")
    message = chat.messages.get(message_id)
    if message is None or message.deleted:
        raise bad("message to edit not found")
    if message.sender is not world.bot or message.service is not None:
        raise bad("message can't be edited")
    return message


def edit_message_text(world: World, params: Json) -> Any:
    """editMessageText: the edited Message; without reply_markup the keyboard goes."""
    chat = read.budgeted_chat(world, params)
    message = _editable(world, chat, params)
    text, entities = read.words(world, params, "text", most=_TEXT, required=True)
    if message.photo is not None or message.document is not None:
        raise bad("there is no text in the message to edit")
    return _change(world, message, params, text, entities, read.string(params, "text"))


def edit_message_caption(world: World, params: Json) -> Any:
    """editMessageCaption: the edited Message."""
    chat = read.budgeted_chat(world, params)
    message = _editable(world, chat, params)
    text, entities = read.words(world, params, "caption", most=_CAPTION, required=False)
    if message.photo is None and message.document is None:
        raise bad("there is no caption in the message to edit")
    return _change(world, message, params, text, entities, read.string(params, "caption"))


def edit_message_reply_markup(world: World, params: Json) -> Any:
    """editMessageReplyMarkup: the edited Message."""
    chat = read.budgeted_chat(world, params)
    message = _editable(world, chat, params)
    return _change(world, message, params, message.text, message.entities, message.html)


def _change(
    world: World, message: Message, params: Json, text: str, entities: list[Json], html: str
) -> Json:
    buttons = inline_rows(params.get("reply_markup"), only_inline=True)
    if (text, entities, buttons) == (message.text, message.entities, message.buttons):
        raise bad(_NOT_MODIFIED)
    message.text, message.entities, message.html = text, entities, html
    message.buttons = buttons
    message.edit_date = int(world.now())
    world.emit_message("edited", message)
    return message.json()


def delete_message(world: World, params: Json) -> Any:
    """deleteMessage: True; the bot deletes its own, as administrator everybody's in a group."""
    chat = read.chat(world, params)
    message = chat.messages.get(read.integer(params, "message_id"))
    if message is None or message.deleted:
        raise bad("message to delete not found")
    mine = message.sender is world.bot or chat.person is not None
    if not mine and chat.bot_status != "administrator":
        raise bad("message can't be deleted")
    if world.now() - message.date > _DELETE_WITHIN_S and chat.bot_status != "administrator":
        raise bad("message can't be deleted for everyone")
    world.remove(message)
    return True


def answer_callback_query(world: World, params: Json) -> Any:
    """answerCallbackQuery: True, once, within 15 s of the press; apps follow a link where there is
    no text to show."""
    text = read.string(params, "text")
    if len(text) > _TOAST:
        raise bad("MESSAGE_TOO_LONG")
    query = world.queries.get(read.string(params, "callback_query_id"))
    now = world.now()
    if query is None or query.toast is not None or now - query.at > _ANSWER_WITHIN_S:
        raise Refusal(400, TOO_OLD)
    url = None if text else read.string(params, "url") or None
    world.show(query, Toast(text, read.flag(params, "show_alert"), url, now))
    return True


def send_chat_action(world: World, params: Json) -> Any:
    """sendChatAction: True; shown nowhere."""
    read.chat(world, params)
    if not read.string(params, "action"):
        raise bad("wrong parameter action in request")
    return True
