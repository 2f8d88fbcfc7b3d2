"""The playground over HTTP: the Bot API for any client, and the page for people.

It listens on this machine only, unless told otherwise, and knows no passwords: whoever reaches it
can be anybody. A page of another site that happens to be open in the same browser reaches nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import signal
from collections.abc import AsyncIterator, Callable
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import quote, urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from tgbot.http.server import WebServer
from tgbot.http.verify_page import VERIFY
from tgbot.playground import page
from tgbot.playground.bodies import decode
from tgbot.playground.core import Telegram
from tgbot.playground.doings import do
from tgbot.playground.errors import OddAnswer, Refusal
from tgbot.playground.model import Chat, Json
from tgbot.playground.webhook import WebhookSender

STATIC = Path(__file__).parent / "static"
_NEWEST_MESSAGES = 200
_KEEP_OPEN_S = 15.0
_MOST_EVENTS_WAITING = 5_000
_STOP_WITHIN_S = 1.0
_LARGEST_BODY = 20 * 1024 * 1024


class Playground(Starlette):
    """The page's routes, with the Bot API in front of them: its calls skip all middleware."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram
        self.streams: set[asyncio.Queue[Json | None]] = set()
        super().__init__(
            routes=[
                Route("/", self._index),
                Route("/api/world", self._world),
                Route("/api/events", self._events),
                Route("/api/do", self._do, methods=["POST"]),
                Route("/files/{id}", self._file),
                VERIFY,
                Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
            ],
            lifespan=self._living,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _foreign(scope):
            refused = Response("This is for the playground's own page.", 403)
            await refused(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].startswith("/bot"):
            await self._bot_api(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    @staticmethod
    @contextlib.asynccontextmanager
    async def _living(app: Starlette) -> AsyncIterator[None]:
        assert isinstance(app, Playground)
        sender = asyncio.create_task(WebhookSender(app.telegram).run())
        try:
            yield
        finally:
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sender

    def end_streams(self) -> None:
        """Ends what is open for long, so that the server can stop: event streams, long polls."""
        for stream in self.streams:
            stream.put_nowait(None)
        self.telegram.queue.wake()

    # ---- the bot's side

    async def _bot_api(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        try:
            status, answer = await self._call(scope, body)
            kind, raw = b"application/json", json.dumps(answer, separators=(",", ":")).encode()
        except (TimeoutError, ConnectionError):
            await _hang_up(receive, send)
            return
        except OddAnswer as odd:
            kind, status, raw = b"text/html", odd.status, odd.body
        headers = [
            (b"content-type", kind),
            (b"content-length", str(len(raw)).encode()),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": raw})

    async def _call(self, scope: Scope, body: bytes | None) -> tuple[int, Json]:
        token, _, method = scope["path"][len("/bot") :].partition("/")
        try:
            if token != self.telegram.token:
                raise Refusal(401, "Unauthorized")
            if body is None:
                raise Refusal(413, "Request Entity Too Large")
            content_type = _header(scope, b"content-type")
            params = decode(scope["query_string"], content_type, body)
        except Refusal as refusal:
            return refusal.status, refusal.answer()
        return await self.telegram.call(method, params)

    # ---- the page's side

    async def _index(self, request: Request) -> Response:
        try:
            text = (STATIC / "index.html").read_text("utf-8")
        except OSError:
            text = (
                "<!doctype html><title>Playground</title>This is no Telegram; its page is missing."
            )
        return Response(text, media_type="text/html", headers={"Cache-Control": "no-cache"})

    async def _world(self, request: Request) -> Response:
        return JSONResponse(world_json(self.telegram))

    async def _do(self, request: Request) -> Response:
        try:
            # Only JSON: a form on some other web page must not be able to act here.
            if not request.headers.get("content-type", "").startswith("application/json"):
                raise ValueError("The body must be application/json.")
            body = await request.json()
            if not isinstance(body, dict):
                raise ValueError("The body must be a JSON object.")
            doing = partial(do, self.telegram, body)
            if body.get("do") != "options":
                return JSONResponse({"ok": True, "result": doing()})
            options = await asyncio.to_thread(doing)  # starting the bot anew takes its time
            self.telegram.emit({"type": "options", "options": options})
            return JSONResponse({"ok": True, "result": options})
        except (LookupError, ValueError) as error:
            reason = str(error.args[0]) if error.args else "That does not work."
            return JSONResponse({"ok": False, "error": reason}, 400)

    async def _events(self, request: Request) -> Response:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._stream(), media_type="text/event-stream", headers=headers)

    async def _stream(self) -> AsyncIterator[bytes]:
        events: asyncio.Queue[Json | None] = asyncio.Queue()

        def take(event: Json) -> None:
            # A page that has fallen this far behind had better load everything anew.
            events.put_nowait(event if events.qsize() < _MOST_EVENTS_WAITING else None)

        unsubscribe = self.telegram.subscribe(take)
        self.streams.add(events)
        try:
            yield _event({"type": "hello", "now": self.telegram.now()})
            while True:
                try:
                    event = await asyncio.wait_for(events.get(), _KEEP_OPEN_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if event is None:
                    return
                yield _event(event)
        finally:
            unsubscribe()
            self.streams.discard(events)

    async def _file(self, request: Request) -> Response:
        file_id = request.path_params["id"]
        photo = self.telegram.photos.get(file_id)
        if document := self.telegram.documents.get(file_id):
            name = quote(document.name, safe="")
            headers = {
                "X-Content-Type-Options": "nosniff",
                "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
            }
            mime = "application/octet-stream"
            return Response(document.data, media_type=mime, headers=headers)
        if photo is None:
            return Response("There is no such file.", 404, media_type="text/plain")
        mime = photo.mime if photo.mime.startswith("image/") else "application/octet-stream"
        return Response(photo.data, media_type=mime, headers={"X-Content-Type-Options": "nosniff"})


def _event(event: Json) -> bytes:
    return f"data: {json.dumps(event)}\n\n".encode()


def _foreign(scope: Scope) -> bool:
    """Whether a page of another site asks for more than to open the playground."""
    headers = dict(scope["headers"])
    host = headers.get(b"host", b"")
    if not _of_this_machine(host):
        return True  # a name of that site, which it has made to lead here
    own = headers.get(b"origin", b"http://" + host) == b"http://" + host
    site = headers.get(b"sec-fetch-site", b"none")
    return scope["path"] != "/" and not (own and site in (b"none", b"same-origin"))


@lru_cache(maxsize=64)
def _of_this_machine(host: bytes) -> bool:
    """Whether a Host header names no site: only addresses and localhost cannot be made to lead
    elsewhere."""
    try:
        name = urlsplit(f"//{host.decode('ascii')}").hostname or "localhost"
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _header(scope: Scope, name: bytes) -> bytes:
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value)
    return b""


async def _body(receive: Receive) -> bytes | None:
    """The whole body, None if it is too large."""
    message: Message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        size += len(message.get("body", b""))
        if size <= _LARGEST_BODY:
            parts.append(message.get("body", b""))
    return b"".join(parts) if size <= _LARGEST_BODY else None


async def _hang_up(receive: Receive, send: Send) -> None:
    """Drops the connection without an answer; ASGI has no word for it, so uvicorn's is used."""
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is None:
        raise ConnectionAbortedError("the playground lost this call on purpose")
    transport.abort()
    while (await receive())["type"] != "http.disconnect":
        continue


def world_json(telegram: Telegram) -> Json:
    """Everything the page shows: the contract's /api/world."""
    bot = telegram.bot
    return {
        "now": telegram.now(),
        "bot": {"id": bot.id, "username": bot.username, "first_name": bot.first_name},
        "people": [page.person_json(person) for person in telegram.people.values()],
        "chats": [_chat_with_messages(telegram, chat) for chat in telegram.chats.values()],
        "faults": telegram.faults.as_json(),
        "menus": telegram.menus(),
        "options": telegram.options({}) if telegram.options else None,
    }


def _chat_with_messages(telegram: Telegram, chat: Chat) -> Json:
    newest = telegram.messages(chat)[-_NEWEST_MESSAGES:]
    return page.chat_json(chat) | {"messages": [page.message_json(each) for each in newest]}


def app(telegram: Telegram) -> Starlette:
    """The ASGI application; its lifespan runs the sender of webhooks."""
    return Playground(telegram)


@contextlib.asynccontextmanager
async def running(
    telegram: Telegram, host: str = "127.0.0.1", port: int = 8081
) -> AsyncIterator[str]:
    """Serves while the block runs and gives the base address, such as `http://127.0.0.1:8081`.

    Port 0 takes any free one. Raises OSError if the port is taken.
    """
    playground = Playground(telegram)
    web_server = WebServer(playground, host, port)
    address = await web_server.open()
    try:
        yield address
    finally:
        playground.end_streams()
        await web_server.close(_STOP_WITHIN_S)


async def serve_async(
    telegram: Telegram,
    host: str = "127.0.0.1",
    port: int = 8081,
    *,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serves until it is cancelled; `on_ready` is called with the base address."""
    async with running(telegram, host, port) as address:
        if on_ready is not None:
            on_ready(address)
        await asyncio.Event().wait()


def serve(
    telegram: Telegram,
    host: str = "127.0.0.1",
    port: int = 8081,
    *,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serves until SIGINT or SIGTERM; see `serve_async`."""

    async def until_told() -> None:
        task = asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await serve_async(telegram, host, port, on_ready=on_ready)

    asyncio.run(until_told())
