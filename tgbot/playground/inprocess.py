"""python-telegram-bot's request layer on the playground in the same process: no sockets."""

from __future__ import annotations

import json

from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

from tgbot.http.client import NotSent
from tgbot.playground.core import Telegram
from tgbot.playground.errors import OddAnswer, Refusal
from tgbot.playground.model import Json, Upload


class InProcessRequest(BaseRequest):
    """Give one to `Bot(request=...)` and `get_updates_request=` (one may serve both).

    A wrong token is answered 401; lost calls and answers raise telegram.error.TimedOut, or
    NetworkError where the connection breaks.
    """

    __slots__ = ("_read_timeout", "_telegram")

    def __init__(self, telegram: Telegram, *, read_timeout: float | None = 5.0) -> None:
        self._telegram = telegram
        self._read_timeout = read_timeout

    @property
    def read_timeout(self) -> float | None:
        """Seconds that python-telegram-bot adds to a long poll's timeout."""
        return self._read_timeout

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = BaseRequest.DEFAULT_NONE,
        write_timeout: object = BaseRequest.DEFAULT_NONE,
        connect_timeout: object = BaseRequest.DEFAULT_NONE,
        pool_timeout: object = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Calls the playground; (status, JSON body)."""
        front, _, name = url.rpartition("/")
        token = front.rpartition("/bot")[2]
        if token != self._telegram.token:
            return 401, json.dumps(Refusal(401, "Unauthorized").answer()).encode()
        params: Json = {} if request_data is None else dict(request_data.parameters)
        if request_data is not None and request_data.contains_files:
            for part, (filename, content, mime) in request_data.multipart_data.items():
                data = content if isinstance(content, bytes) else content.read()
                params[part] = Upload(filename, data, mime)
        try:
            status, body = await self._telegram.call(name, params)
        except TimeoutError as lost:
            raise TimedOut(str(lost)) from None
        except ConnectionRefusedError as nobody:
            raise NotSent(str(nobody)) from None
        except ConnectionError as broken:
            raise NetworkError(str(broken)) from None
        except OddAnswer as odd:
            return odd.status, odd.body
        return status, json.dumps(body).encode()
