"""An ASGI application behind a port, on uvicorn in the running event loop.

uvicorn's own way of serving would take the process's signals, set up its own logs, and wait for
connections that stay open by design.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

IDLE_S = 75
"""How long a connection may stay open between two requests."""
HEAD_S = 10
"""How long the head of a request may take."""
BODY_S = 10
"""How long its body may take after that."""
LONGEST_HEAD = 64 * 1024
MOST_WAITING = 256
"""So many connections may be open without a whole request; beyond, who waited longest has to go."""


class _Impatient(HttpToolsProtocol):
    """Hangs up on who takes too long, or says too much, before a request is through."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._in_head, self._head = False, 0
        self._waits_since: float | None = self.loop.time()
        self._until: float | None = self._waits_since + HEAD_S
        """When what has begun is to be through."""
        self._late = self.loop.call_at(self._until, self._look)
        if len(self.connections) > MOST_WAITING:
            self._make_room()

    def _look(self) -> None:
        """Hangs up if it is time, or looks again; a timer for each request would cost more."""
        now = self.loop.time()
        if self._until is not None and self._until <= now:
            self.transport.close()
        else:
            self._late = self.loop.call_at(self._until or now + HEAD_S, self._look)

    def _make_room(self) -> None:
        """Whoever comes with a whole request finds room, however many keep theirs back."""
        waiting = [
            (each._waits_since, each)
            for each in self.connections
            if isinstance(each, _Impatient) and each._waits_since is not None
        ]
        if len(waiting) > MOST_WAITING:
            longest = min(waiting, key=lambda one: one[0])[1]
            self.connections.discard(longest)
            longest.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._until = self.loop.time() + HEAD_S
        self._in_head = True

    def on_headers_complete(self) -> None:
        self._until = self.loop.time() + BODY_S
        self._in_head, self._head = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._until = self._waits_since = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._waits_since is None:
            self._waits_since = self.loop.time()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._head += len(data) if self._in_head else 0
        if self._head > LONGEST_HEAD:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._late.cancel()
        super().connection_lost(exc)


class WebServer:
    """Listens from `open` to `close`; port 0 takes any free one."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self._listener: socket.socket | None = None
        self._config = uvicorn.Config(
            app,
            http=_Impatient,
            ws="none",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=IDLE_S,
        )
        self._server = uvicorn.Server(self._config)

    async def open(self) -> str:
        """Begins to serve; answers the address. Raises OSError if the port cannot be had."""
        self._listener = _listener(self.host, self.port)
        self._config.load()
        self._server.lifespan = self._config.lifespan_class(self._config)
        await self._server.startup(sockets=[self._listener])
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self._listener.getsockname()[1]}"

    async def close(self, within_s: float) -> None:
        """Takes nothing new, lets requests at work finish for a while, and hangs up."""
        if self._listener is None:
            return
        listener, self._listener = self._listener, None
        for each in self._server.servers:
            each.close()
        listener.close()
        state = self._server.server_state
        for connection in list(state.connections):
            connection.shutdown()
        if state.tasks:
            _, late = await asyncio.wait(set(state.tasks), timeout=within_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for connection in list(state.connections):
            transport: Any = connection.transport
            transport.close()
        await self._server.lifespan.shutdown()


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's delays off only for sockets that say they are TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener
