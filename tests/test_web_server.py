"""The ports that the bot and the playground open, and who only holds them open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tgbot.http import server


@pytest_asyncio.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """A port behind which there is /slow, which reads what it is sent."""
    monkeypatch.setattr(server, "HEAD_S", 0.3)
    monkeypatch.setattr(server, "BODY_S", 0.3)

    async def slow(request: Request) -> Response:
        await request.body()
        return Response()

    app = Starlette(routes=[Route("/slow", slow, methods=["POST"])])
    opened = server.WebServer(app, "127.0.0.1", 0)
    yield int((await opened.open()).rpartition(":")[2])
    await opened.close(1)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"POST /telegram HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nX: y",
        b"POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
    ],
)
async def test_who_never_finishes_a_request_is_hung_up_on(port: int, said: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()


async def test_a_head_without_end_is_hung_up_on(port: int) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = 0
    with contextlib.suppress(ConnectionError):
        writer.write(b"POST / HTTP/1.1\r\nX: ")
        while sent < 100:
            writer.write(b"a" * server.LONGEST_HEAD)
            await writer.drain()
            sent += 1
    assert sent < 100
    writer.close()


async def test_one_request_after_another_is_answered_on_a_connection(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(3):
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        assert (await reader.readline()).startswith(b"HTTP/1.1 404")
        await reader.readuntil(b"Not Found")
        await asyncio.sleep(0.4)
    writer.close()


async def test_who_comes_with_a_request_finds_room_however_many_keep_theirs_back(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_S", 60)
    monkeypatch.setattr(server, "MOST_WAITING", 20)
    slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
    for _, writer in slow:
        writer.write(b"POST / HTTP/1.1\r\nX: ")

    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST / HTTP/1.1\r\nHost: a\r\n\r\n")

    assert (await asyncio.wait_for(reader.readline(), 5)).startswith(b"HTTP/1.1 404")
    with contextlib.suppress(ConnectionError):
        assert await asyncio.wait_for(slow[0][0].read(), 5) == b""
    assert not slow[-1][0].at_eof()
    for each in (writer, *(writer for _, writer in slow)):
        each.close()
