"""python-telegram-bot's request layer on aiohttp.

The stock one costs more than everything else in answering a press, and more the more requests are
under way. Addresses hold the bot's token, so no error repeats one.
"""

from __future__ import annotations

import json
from typing import Any

import aiohttp
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

CONNECTIONS = 256
_JSON = {"Content-Type": "application/json"}


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
        timeout = aiohttp.ClientTimeout(
            total=None if read_s is None else read_s + self._connect_timeout_s,
            connect=self._connect_timeout_s,
        )
        try:
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=timeout
            ) as answer:
                return answer.status, await answer.read()
        except TimeoutError:
            raise TimedOut("the Bot API server did not answer in time") from None
        except aiohttp.ClientError as error:
            raise NetworkError(f"the Bot API server: {type(error).__name__}") from None


def _body(data: RequestData | None) -> tuple[Any, dict[str, str] | None]:
    if not data:
        return None, None
    if not data.multipart_data:
        return json.dumps(data.parameters), _JSON
    form = aiohttp.FormData()
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, mime) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form, None
