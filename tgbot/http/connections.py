"""Requests over HTTP/1.1 and kept connections, by asyncio and the parser uvicorn reads with.

Answering a press is one small request. aiohttp takes four times as long for one as this does, and
pyreqwest twice (processor time: 97, 41 and 22 µs a call). It does what the Bot API and a webhook
ask of a client and no more: no redirects, no cookies, no proxies, no compression.

No error names the address, which may hold a token.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict, deque
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

KEPT_S = 60
"""How long a connection is kept that nothing is asked on."""
NEXT_ADDRESS_S = 0.25
"""How long one address of a host is tried alone, as of IPv6 and IPv4."""


class Answer(NamedTuple):
    """What a server answered; names of `headers` are in lower case."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


class Unconnected(ConnectionError):
    """There was no connection: nobody has heard what was asked for."""


class _Origin(NamedTuple):
    """Where connections lead to."""

    host: str
    port: int
    secure: bool


class _Connection(asyncio.Protocol):
    """One connection, on which one thing is asked at a time."""

    def __init__(self) -> None:
        self.free_since = 0.0
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Answer] | None = None
        self._parser = HttpResponseParser(self)
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._in_body = False

    @property
    def reusable(self) -> bool:
        """Whether something more can be asked on it."""
        return self._answer is None and not self._transport.is_closing()

    async def ask(self, request: bytes, within_s: float | None) -> Answer:
        """What is answered to the bytes of a request. Raises TimeoutError or ConnectionError."""
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._answer = answer
        late = self._loop.call_later(within_s, self._fail, TimeoutError()) if within_s else None
        self._transport.write(request)
        try:
            return await answer
        finally:
            if late:
                late.cancel()
            if self._answer:  # what is still to come would be taken for the next answer
                self.close()

    def close(self) -> None:
        """Hangs up."""
        self._transport.abort()

    def _fail(self, error: Exception) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_exception(error)
        self.close()

    def _complete(self) -> None:
        answer, self._answer = self._answer, None
        if answer and not answer.done():
            status = self._parser.get_status_code()
            answer.set_result(Answer(status, self._headers, b"".join(self._body)))

    # -- asyncio ------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """More of an answer came."""
        if self._answer is None:  # nobody asked
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._fail(ConnectionError("no HTTP"))

    def connection_lost(self, error: Exception | None) -> None:
        """It is over, which may be the end of a body whose length was not told."""
        told = {b"content-length", b"transfer-encoding"} & self._headers.keys()
        if self._in_body and not error and not told:
            self._complete()
        self._fail(ConnectionError("the connection was lost"))

    # -- httptools ----------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """The first byte of an answer came."""
        if self._answer is None:  # to nothing that was asked
            self.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One line of the head."""
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """The body begins."""
        self._in_body = True

    def on_body(self, body: bytes) -> None:
        """A piece of it."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """An answer is whole, if it is not a word that one will come."""
        if self._parser.get_status_code() >= 200:
            if not self._parser.should_keep_alive():
                self._transport.close()
            self._complete()
        self._headers, self._body, self._in_body = {}, [], False


class Connections:
    """The connections of one client, at most `most` of them in use; to be made on the event loop.

    Where there is none it is waited for `connect_s` seconds at most.
    """

    def __init__(self, most: int, connect_s: float) -> None:
        self._room = asyncio.Semaphore(most)
        self._connect_s = connect_s
        self._free: defaultdict[_Origin, deque[_Connection]] = defaultdict(deque)

    async def request(
        self,
        method: str,
        url: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        within_s: float | None = None,
    ) -> Answer:
        """What a server answers, `within_s` seconds from when there is a connection.

        Raises `Unconnected`; ConnectionError or TimeoutError where it may have been heard.
        """
        try:
            origin, request = _request(method, url, body, headers or {})
            await self._enter()
        except (TimeoutError, ValueError) as error:
            raise Unconnected(type(error).__name__) from None
        try:
            connection = self._kept(origin) or await self._made(origin)
            answer = await connection.ask(request, within_s)
        finally:
            self._room.release()
        if connection.reusable:
            self._keep(self._free[origin], connection)
        return answer

    def close(self) -> None:
        """Hangs up, where nothing is asked at this moment."""
        for free in self._free.values():
            while free:
                free.pop().close()

    async def _enter(self) -> None:
        """Waits for room. Raises TimeoutError."""
        if self._room.locked():
            async with asyncio.timeout(self._connect_s):
                await self._room.acquire()
        else:
            await self._room.acquire()

    def _keep(self, free: deque[_Connection], connection: _Connection) -> None:
        """Takes a connection back; who hangs up on those kept too long is the server, or this."""
        now = connection.free_since = asyncio.get_running_loop().time()
        free.append(connection)
        while free and free[0].free_since + KEPT_S < now:
            free.popleft().close()

    def _kept(self, origin: _Origin) -> _Connection | None:
        """The connection that was used last, which is the least likely to be dead."""
        free, now = self._free[origin], asyncio.get_running_loop().time()
        while free:
            connection = free.pop()
            if connection.reusable and now < connection.free_since + KEPT_S:
                return connection
            connection.close()
        return None

    async def _made(self, origin: _Origin) -> _Connection:
        try:
            async with asyncio.timeout(self._connect_s):
                _, connection = await asyncio.get_running_loop().create_connection(
                    _Connection,
                    origin.host,
                    origin.port,
                    ssl=_trust() if origin.secure else None,
                    happy_eyeballs_delay=NEXT_ADDRESS_S,
                )
        except (OSError, ValueError) as error:  # a name that is none is a ValueError
            raise Unconnected(type(error).__name__) from None
        return connection


def _request(
    method: str, url: str, body: bytes, headers: Mapping[str, str]
) -> tuple[_Origin, bytes]:
    """Where a request goes, and its bytes. Raises ValueError for what none can be made of."""
    origin, host, path = _address(url)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{lines}Content-Length: {len(body)}\r\n\r\n"
    return origin, head.encode("ascii") + body


@lru_cache(maxsize=64)
def _address(url: str) -> tuple[_Origin, str, str]:
    """Where an address leads, the host as it is named to it, and what is asked of it.

    Raises ValueError for one that is none.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("no address")
    secure = parts.scheme == "https"
    origin = _Origin(parts.hostname, parts.port or (443 if secure else 80), secure)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return origin, parts.netloc, quote(path, safe="/%?:@!$&'()*+,;=~")


@cache
def _trust() -> ssl.SSLContext:
    """Whom servers must be vouched for by: whoever this machine trusts."""
    return ssl.create_default_context()
