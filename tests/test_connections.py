"""The client of the Bot API: connections are kept, and no answer is taken for another one's."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tgbot.http import connections
from tgbot.http.connections import Answer, Connections, Unconnected

pytestmark = pytest.mark.real_time

LOCALHOST = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3CcX5SDCyPSbqK2h
8/s4dbGIQfuCSUcXuZSi5lVtH1yhRANCAATiowQT4rCRrSq1n6OvtmLKu8lIFj7N
jUEZdNXVriY4YUMpXLkjGKtRuzAM3wlwGFGmqN49dTnHV4jDLTJyM5df
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIULQhxpiZl6zRx0lM3C/21rDGjhV8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTIwMTEwMDkyMloYDzIxMjYxMTA3
MTAwOTIyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATiowQT4rCRrSq1n6OvtmLKu8lIFj7NjUEZdNXVriY4YUMpXLkjGKtR
uzAM3wlwGFGmqN49dTnHV4jDLTJyM5dfo2kwZzAdBgNVHQ4EFgQU+eGnIezq4HdP
FYvU9Dy/wpYvu+wwHwYDVR0jBBgwFoAU+eGnIezq4HdPFYvU9Dy/wpYvu+wwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAPUI0zDlkmpCKIKwineT8082eTx/uzY6QgQunQq146twAiEAgUwXyTma
7llx7SZlOng0pUolPpqN2GdV2GknT6BZ0/g=
-----END CERTIFICATE-----
"""
"""A key that opens nothing, and who it says it is: nobody but these tests trusts it."""
HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Peer:
    """A server that answers the n-th request it hears with the n-th of `says`, then as the last.

    An answer that is None never comes. After one in `last` it hangs up.
    """

    def __init__(self) -> None:
        self.says: list[bytes | None] = [HELLO]
        self.last: set[bytes] = set()
        self.heard: list[bytes] = []
        self.connections = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.port = 0
        self._news = asyncio.Event()

    async def hears(self, number: int) -> None:
        """Waits until it has heard so many requests."""
        while len(self.heard) < number:
            self._news.clear()
            await self._news.wait()

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection."""
        self.connections += 1
        self.writers.append(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
                self.heard.append(head + await reader.readexactly(length))
                self._news.set()
                says = self.says[min(len(self.heard), len(self.says)) - 1]
                if says is None:
                    continue
                writer.write(says)
                if says in self.last:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


Ask = Callable[..., Awaitable[Answer]]


@pytest_asyncio.fixture
async def peer() -> AsyncIterator[Peer]:
    peer = Peer()
    server = await asyncio.start_server(peer.meet, "127.0.0.1", 0)
    peer.port = server.sockets[0].getsockname()[1]
    yield peer
    server.close()
    for writer in peer.writers:
        writer.close()
    await asyncio.sleep(0)


@pytest_asyncio.fixture
async def ask(peer: Peer) -> AsyncIterator[Ask]:
    pool = Connections(2, 0.2)

    async def ask(path: str = "/it", body: bytes = b"", within_s: float = 5) -> Answer:
        url = f"http://127.0.0.1:{peer.port}{path}"
        return await pool.request("POST", url, body, {"X-It": "1"}, within_s)

    yield ask
    pool.close()


async def test_one_connection_carries_one_request_after_the_other(peer: Peer, ask: Ask) -> None:
    answers = [await ask(body=b"abc") for _ in range(3)]

    assert answers == [(200, {b"content-length": b"5"}, b"hello")] * 3
    assert peer.connections == 1
    host = f"127.0.0.1:{peer.port}".encode()
    assert peer.heard[0] == (
        b"POST /it HTTP/1.1\r\nHost: " + host + b"\r\nX-It: 1\r\nContent-Length: 3\r\n\r\nabc"
    )


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + HELLO,
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ],
)
async def test_however_a_body_is_told_it_is_read_and_what_follows_is_asked(
    peer: Peer, ask: Ask, said: bytes
) -> None:
    peer.says = [said]

    assert [(it.status, it.body) for it in (await ask(), await ask())] == [(200, b"hello")] * 2


async def test_a_body_may_end_with_the_connection(peer: Peer, ask: Ask) -> None:
    peer.says = [b"HTTP/1.1 200 OK\r\n\r\nhello", HELLO]
    peer.last = {peer.says[0]}

    assert [(await ask()).body, (await ask()).body] == [b"hello", b"hello"]
    assert peer.connections == 2


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ],
)
async def test_half_an_answer_is_none_and_may_have_been_heard(
    peer: Peer, ask: Ask, said: bytes
) -> None:
    peer.says, peer.last = [said, HELLO], {said}

    with pytest.raises(ConnectionError) as failed:
        await ask()

    assert not isinstance(failed.value, Unconnected)
    assert (await ask()).body == b"hello"


async def test_a_connection_the_server_closed_is_not_asked_again(peer: Peer, ask: Ask) -> None:
    peer.last = {HELLO}
    await ask()
    await asyncio.sleep(0.05)

    assert (await ask()).body == b"hello"
    assert peer.connections == 2


async def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one(
    peer: Peer, ask: Ask
) -> None:
    peer.says = [None, HELLO]
    with pytest.raises(TimeoutError):
        await ask(within_s=0.05)
    peer.writers[0].write(HELLO.replace(b"hello", b"early"))

    assert (await ask()).body == b"hello"
    assert peer.connections == 2


async def test_nor_is_one_that_nobody_waits_for_any_more(peer: Peer, ask: Ask) -> None:
    peer.says = [None, HELLO]
    asking = asyncio.ensure_future(ask())
    await peer.hears(1)
    asking.cancel()
    await asyncio.wait([asking])
    peer.writers[0].write(HELLO.replace(b"hello", b"early"))

    assert (await ask()).body == b"hello"


@pytest.mark.parametrize("cut", [0, 2])
async def test_nor_is_one_that_was_never_asked_for(peer: Peer, ask: Ask, cut: int) -> None:
    extra = HELLO.replace(b"hello", b"extra")
    peer.says = [HELLO + extra[: len(extra) - cut], HELLO]
    await ask()

    assert (await ask()).body == b"hello"


async def test_who_finds_no_room_has_sent_nothing(peer: Peer, ask: Ask) -> None:
    peer.says = [None]
    asked = [asyncio.ensure_future(ask(within_s=0.5)) for _ in range(2)]
    await peer.hears(2)

    with pytest.raises(Unconnected):
        await ask()

    assert len(peer.heard) == 2
    await asyncio.wait(asked)
    assert all(isinstance(each.exception(), TimeoutError) for each in asked)
    peer.says = [HELLO]
    assert (await ask()).body == b"hello"


async def test_a_connection_is_not_kept_for_ever(
    peer: Peer, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask()
    monkeypatch.setattr(connections, "KEPT_S", -1)
    await ask()
    assert peer.connections == 2


@pytest.mark.parametrize(
    "url",
    ["ftp://127.0.0.1/", "http:///it", "http://a@127.0.0.1/", "http://127.0.0.1:99999/", "it"],
)
async def test_what_is_no_address_is_asked_nothing(url: str) -> None:
    with pytest.raises(Unconnected) as failed:
        await Connections(2, 0.2).request("GET", url)
    assert "127" not in str(failed.value)


async def test_an_address_is_written_as_it_may_be(peer: Peer, ask: Ask) -> None:
    await ask("/a b/ü%20?c=d&e=\x01")
    assert peer.heard[0].startswith(b"POST /a%20b/%C3%BC%20?c=d&e=%01 HTTP/1.1\r\n")


async def test_only_a_server_that_is_vouched_for_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "localhost.pem").write_text(LOCALHOST)
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(tmp_path / "localhost.pem")
    peer, pool = Peer(), Connections(2, 2)
    server = await asyncio.start_server(peer.meet, "localhost", 0, ssl=own, family=2)
    url = f"https://localhost:{server.sockets[0].getsockname()[1]}/it"

    with pytest.raises(Unconnected):
        await pool.request("POST", url)
    trusted = ssl.create_default_context(cafile=str(tmp_path / "localhost.pem"))
    monkeypatch.setattr(connections, "_trust", lambda: trusted)
    answers = [await pool.request("POST", url) for _ in range(2)]
    with pytest.raises(Unconnected):
        await pool.request("POST", url.replace("localhost", "127.0.0.1"))

    assert [it.body for it in answers] == [b"hello"] * 2
    assert peer.connections == 1
    pool.close()
    server.close()
    await asyncio.sleep(0.05)
