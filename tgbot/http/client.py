"""python-telegram-bot's request layer on aiohttp.

The stock one costs more than everything else in answering a press, and more the more requests are
under way. Addresses hold the bot's token, so no error repeats one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import Any

import aiohttp
from telegram.error import NetworkError, RetryAfter, TimedOut
from telegram.request import BaseRequest, RequestData

CONNECTIONS = 256
_JSON = {"Content-Type": "application/json"}
_WHERE = ("message_id", "date", "chat", "message_thread_id", "is_topic_message")


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
                method, url, data=body, headers=headers, timeout=timeout
            ) as answer:
                return answer.status, await answer.read()
        except TimeoutError:
            raise TimedOut("the Bot API server did not answer in time") from None
        except aiohttp.ClientError as error:
            raise NetworkError(f"the Bot API server: {type(error).__name__}") from None


class UpdatesRequest(AiohttpRequest):
    """For getUpdates: without what comes along with a press and nobody reads.

    Making objects of a board's text and keyboard, only because somebody pressed a button below it,
    takes longer than everything else in a press.
    """

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The server's answer; of a pressed button's message only where it is."""
        answer = BaseRequest.parse_json_payload(payload)
        updates = answer.get("result")
        for update in updates if isinstance(updates, list) else ():
            lean(update)
        return answer


class CountedRequest(BaseRequest):
    """Another request layer, whose calls are counted: `count(method, outcome)`."""

    def __init__(self, inner: BaseRequest, count: Callable[[str, str], None]) -> None:
        self._inner = inner
        self._count = count

    @property
    def read_timeout(self) -> float | None:
        """How long an answer may take, in seconds."""
        return self._inner.read_timeout

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
        except Exception:
            self._count(name, "failed")
            raise
        self._count(name, {200: "ok", 429: "flood"}.get(status, "refused"))
        return status, body


def lean(update: dict[str, Any]) -> dict[str, Any]:
    """The update, with only where it is left of a pressed button's message."""
    query = update.get("callback_query")
    if query and "message" in query:
        message = query["message"]
        query["message"] = {key: message[key] for key in _WHERE if key in message}
    return update


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
