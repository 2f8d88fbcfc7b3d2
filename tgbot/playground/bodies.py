"""Parameters of a Bot API call out of an HTTP request: query, form, JSON or multipart."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl

from tgbot.playground.errors import bad
from tgbot.playground.model import Json, Upload

# Everything else in a form is JSON (numbers, truth values, objects); these are words as they are.
_WORDS = frozenset(
    {
        "text",
        "caption",
        "parse_mode",
        "callback_query_id",
        "url",
        "secret_token",
        "language_code",
        "action",
        "name",
        "description",
        "short_description",
    }
)
_DISPOSITION = re.compile(rb'content-disposition:[^\r\n]*?[; ]name="([^"]*)"', re.IGNORECASE)
_FILENAME = re.compile(rb'filename="([^"]*)"', re.IGNORECASE)
_CONTENT_TYPE = re.compile(rb"content-type:[ \t]*([^\s;]+)", re.IGNORECASE)


def decode(query: bytes, content_type: bytes, body: bytes) -> Json:
    """All parameters by name; raises Refusal 400 for a body that cannot be read."""
    params: Json = {}
    if query:
        params |= _form(query)
    if not body:
        return params
    if content_type.startswith(b"application/json"):
        return params | _json(body)
    if content_type.startswith(b"multipart/form-data"):
        return params | _multipart(content_type, body)
    return params | _form(body)


def _form(raw: bytes) -> Json:
    pairs = parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: _value(name, value) for name, value in pairs}


def _json(body: bytes) -> Json:
    try:
        values = json.loads(body)
    except ValueError:
        raise bad("can't parse JSON body") from None
    if not isinstance(values, dict):
        raise bad("expected a JSON object")
    return {
        name: _value(name, value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _value(name: str, value: str) -> Any:
    if name in _WORDS or not value:
        return value
    if value.isdecimal() or (value[0] == "-" and value[1:].isdecimal()):
        return int(value)
    if value[0] in "{[" or value in ("true", "false", "null"):
        try:
            return json.loads(value)
        except ValueError:
            if value[0] in "{[":
                raise bad(f'can\'t parse "{name}" JSON object') from None
    return value


def _multipart(content_type: bytes, body: bytes) -> Json:
    _, _, boundary = content_type.partition(b"boundary=")
    boundary = boundary.split(b";")[0].strip().strip(b'"')
    if not boundary:
        raise bad("multipart body without a boundary")
    params: Json = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = _DISPOSITION.search(head)
        if name is None:
            raise bad("multipart part without a name")
        key, filename = name[1].decode(), _FILENAME.search(head)
        if filename is None:
            params[key] = _value(key, content.decode("utf-8", "replace"))
        else:
            mime = _CONTENT_TYPE.search(head)
            kind = mime[1].decode("latin-1") if mime else "application/octet-stream"
            params[key] = Upload(filename[1].decode("utf-8", "replace"), content, kind)
    return params
