"""Keyboards under messages: checked as Telegram checks them."""

from __future__ import annotations

import re

from tgbot.playground.errors import bad
from tgbot.playground.markup import is_visible
from tgbot.playground.model import Json, Row

_MOST_BUTTONS = 100
_MOST_IN_A_ROW = 8
_DATA_BYTES = 64
_STYLES = frozenset({"danger", "success", "primary"})
_ACTIONS = frozenset(
    {
        "callback_data",
        "url",
        "web_app",
        "login_url",
        "switch_inline_query",
        "switch_inline_query_current_chat",
        "switch_inline_query_chosen_chat",
        "copy_text",
        "callback_game",
        "pay",
    }
)
_OTHER_MARKUPS = frozenset({"force_reply", "remove_keyboard", "keyboard"})


def inline_rows(markup: object, *, only_inline: bool = False) -> list[Row]:
    """The rows of buttons of a `reply_markup`; none for a missing or another kind of markup.

    Raises Refusal 400 for what Telegram refuses; `only_inline` (edits) refuses other kinds.
    """
    if markup is None or markup == "":
        return []
    if not isinstance(markup, dict):
        raise bad("object expected as reply markup")
    if "inline_keyboard" not in markup:
        if _OTHER_MARKUPS & markup.keys():
            if only_inline:
                raise bad("inline keyboard expected")
            return []
        if markup:
            raise bad("can't parse reply keyboard markup JSON object")
        return []
    rows = markup["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad('field "inline_keyboard" must be an Array of Arrays')
    checked = [[_button(button) for button in row] for row in rows if row]
    if any(len(row) > _MOST_IN_A_ROW for row in checked):
        raise bad("BUTTON_ROW_TOO_LONG")
    if sum(map(len, checked)) > _MOST_BUTTONS:
        raise bad("REPLY_MARKUP_TOO_LONG")
    return checked


def _button(button: object) -> Json:
    if not isinstance(button, dict):
        raise bad("can't parse inline keyboard button: expected an Object")
    text = button.get("text")
    if not isinstance(text, str) or not is_visible(text):
        raise bad("inline keyboard button text must be non-empty")
    actions = _ACTIONS & button.keys()
    if not actions:
        raise bad(
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
        )
    if len(actions) > 1:
        raise bad("BUTTON_TYPE_INVALID")
    if "callback_data" in button:
        data = button["callback_data"]
        if not isinstance(data, str) or not 1 <= len(data.encode()) <= _DATA_BYTES:
            raise bad("BUTTON_DATA_INVALID")
    if "url" in button and not re.match(r"(https?|tg)://\S+$", str(button["url"])):
        raise bad("BUTTON_URL_INVALID")
    if button.get("style") is not None and button["style"] not in _STYLES:
        raise bad("BUTTON_STYLE_INVALID")
    return dict(button)
