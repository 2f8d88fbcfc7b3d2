"""python-telegram-bot's request layer on aiohttp.

The stock one costs more than everything else in answering a press, and more the more requests are
under way. Addresses hold the bot's token, so no error repeats one.

What is no answer of the Bot API, such as a proxy's page or half a body, is a `NetworkError`: it
says nothing about token, chat or message, and what was asked for may have been done. `NotSent` is
the one failure after which it certainly was not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, TypeVar

import aiohttp
import structlog
from telegram.error import (
    BadRequest,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.request import BaseRequest, RequestData

CONNECTIONS = 256
_JSON = {"Content-Type": "application/json"}
_RESULTS: dict[str, Callable[[Any], bool]] = {
    "getUpdates": lambda it: isinstance(it, list) and all(map(_is_update, it)),
    "getWebhookInfo": lambda it: isinstance(it, dict) and isinstance(it.get("url"), str),
    "getChatMember": lambda it: isinstance(it, dict) and isinstance(it.get("status"), str),
    "getMe": lambda it: isinstance(it, dict) and isinstance(it.get("username"), str),
    **dict.fromkeys(("sendMessage", "sendPhoto"), lambda it: _is_message(it)),
    **dict.fromkeys(
        ("editMessageText", "editMessageReplyMarkup"), lambda it: it is True or _is_message(it)
    ),
}
"""What the result of a method must be for anybody to go on with it."""
_DATED = frozenset(("sendMessage", "sendPhoto", "editMessageText"))
"""Methods whose results say when they were called."""


REFUSALS = 6
"""So many in a row, over half a minute, and a token or address is wrong."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0

T = TypeVar("T")

log = structlog.get_logger(__name__)


class NotSent(NetworkError):
    """There was no connection: nobody has heard what was asked for."""


class AiohttpRequest(BaseRequest):
    """Bot API requests over one aiohttp session; times are in seconds."""

    def __init__(
        self,
        *,
        connections: int = CONNECTIONS,
        connect_timeout_s: float = 5,
        read_timeout_s: float = 10,
    ) -> None:
        self._connections = connections
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        """How long an answer may take, in seconds."""
        return self._read_timeout_s

    async def initialize(self) -> None:
        """Opens the session."""
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=60),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=True,
            )

    async def shutdown(self) -> None:
        """Closes the session."""
        if self._session:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """The status and body of the answer. Raises `TimedOut` or `NetworkError`."""
        if self._session is None:
            raise NetworkError("the transport is not initialised")
        body, headers = _body(request_data)
        read_s = self._read_timeout_s if read_timeout is BaseRequest.DEFAULT_NONE else read_timeout
        timeout = _timeout(read_s, self._connect_timeout_s)
        try:
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as answer:
                return answer.status, await answer.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise NotSent(f"the Bot API server: {type(error).__name__}") from None
        except TimeoutError:
            raise TimedOut("the Bot API server did not answer in time") from None
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(f"the Bot API server: {type(error).__name__}") from None


@dataclass(frozen=True, slots=True)
class Params:
    """What of `RequestData` counts, for parameters that are as Telegram wants them.

    python-telegram-bot's is final, and makes objects of each.
    """

    parameters: dict[str, Any]
    contains_files = False
    multipart_data = None


class Answer(bytes):
    """An answer of the Bot API, with its parsed `content`."""

    content: dict[str, Any]


class CheckedRequest(BaseRequest):
    """Wraps a request layer: an answer that the Bot API cannot have given becomes `NetworkError`.

    Every call is counted, `count(method, outcome)`; `dated` is given the time Telegram puts on what
    it answers, in unix seconds.
    """

    def __init__(
        self,
        inner: BaseRequest,
        count: Callable[[str, str], None],
        dated: Callable[[int], None] = lambda date: None,
    ) -> None:
        self._inner = inner
        self._count = count
        self._dated = dated

    @property
    def read_timeout(self) -> float | None:
        """How long an answer may take, in seconds."""
        return self._inner.read_timeout

    async def call(self, url: str, wait_s: float, params: dict[str, Any]) -> Any:
        """The result of a method, as Telegram says it, which may take `wait_s` longer than others.

        Raises `TelegramError`.
        """
        given: Any = Params({name: it for name, it in params.items() if it is not None})
        return await self.post(url, given, read_timeout=wait_s + (self.read_timeout or 0))

    async def initialize(self) -> None:
        """Opens the other one."""
        await self._inner.initialize()

    async def shutdown(self) -> None:
        """Closes the other one."""
        await self._inner.shutdown()

    async def do_request(self, url: str, method: str, *args: Any, **more: Any) -> tuple[int, bytes]:
        """The status and body of the answer. Raises `TimedOut` or `NetworkError`."""
        name = url.rpartition("/")[2]
        name = name if name.isalpha() else "file"
        try:
            status, body = await self._inner.do_request(url, method, *args, **more)
            if name != "file":
                body = _answer(name, status, body)
        except Exception:
            self._count(name, "failed")
            raise
        self._count(name, {200: "ok", 429: "flood"}.get(status, "refused"))
        if status == 200 and name in _DATED and isinstance(body, Answer):
            self._tell_date(body.content["result"])
        return status, body

    def _tell_date(self, message: Any) -> None:
        date = message.get("edit_date", message.get("date")) if message is not True else None
        if type(date) is int:
            self._dated(date)

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """What an answer says."""
        if isinstance(payload, Answer):
            return payload.content
        return BaseRequest.parse_json_payload(payload)


def _answer(method: str, status: int, body: bytes) -> Answer:
    """The answer, read. Raises `NetworkError` for what the Bot API never says."""
    if status >= 500:
        raise NetworkError(f"the Bot API server: {status}")
    fits = _RESULTS.get(method, lambda it: True)
    try:
        content = json.loads(body)
        if status == 200:
            whole = content["ok"] is True and fits(content["result"])
        else:
            whole = content["ok"] is False and content["error_code"] == status
            whole = whole and isinstance(content["description"], str)
            whole = whole and all(type(n) is int for n in content.get("parameters", {}).values())
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        whole = False
    if not whole:
        raise NetworkError(f"the Bot API server: an answer that is none ({status})")
    answer = Answer(body)
    answer.content = content
    return answer


def _is_update(it: Any) -> bool:
    return isinstance(it, dict) and type(it.get("update_id")) is int


def _is_message(it: Any) -> bool:
    return isinstance(it, dict) and type(it.get("message_id")) is int


async def persistently(
    call: Callable[[], Awaitable[T]],
    on_failure: Callable[[], object] = lambda: None,
    *,
    refusals: int = 0,
) -> T:
    """What a call of the Bot API answers, for as long as it takes; `on_failure` at each failure.

    An answer that looks final passes as well. Only with `refusals` that many in a row are raised:
    `InvalidToken`, `Forbidden`, `BadRequest`.
    """
    wait, refused = FIRST_WAIT_S, 0
    while True:
        try:
            return await call()
        except TelegramError as error:
            on_failure()
            refused = refused + 1 if isinstance(error, BadRequest | Forbidden | InvalidToken) else 0
            if refused and refused == refusals:
                raise
            pause = pause_of(error) or wait
            log.warning("no answer from Telegram", error=str(error), wait_s=pause)
            await asyncio.sleep(pause)
            wait = min(wait * 2, LONGEST_WAIT_S)


def pause_of(error: TelegramError) -> float:
    """For how many seconds Telegram asks to be left alone; 0 where it does not."""
    return max(1, retry_after_s(error)) if isinstance(error, RetryAfter) else 0


@lru_cache
def _timeout(read_s: float | None, connect_s: float) -> aiohttp.ClientTimeout:
    total = None if read_s is None else read_s + connect_s
    return aiohttp.ClientTimeout(total=total, connect=connect_s)


def _body(data: RequestData | None) -> tuple[Any, dict[str, str] | None]:
    if not data:
        return None, None
    if not data.multipart_data:
        return json.dumps(data.parameters).encode(), _JSON
    form = aiohttp.FormData()
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, mime) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form, None


def retry_after_s(error: RetryAfter) -> float:
    """How long Telegram asks to wait, in seconds."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else wait
