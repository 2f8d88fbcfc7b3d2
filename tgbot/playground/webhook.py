"""Delivers updates to the bot's webhook, as Telegram does: with the secret, until it is taken."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from http.client import responses
from urllib.parse import urlsplit

import aiohttp

from tgbot.playground.core import Telegram
from tgbot.playground.errors import OddAnswer
from tgbot.playground.model import Json, Webhook

_TIMEOUT_S = 60.0
_FIRST_RETRY_S = 0.1
_LONGEST_RETRY_S = 10.0
_PASSED_OVER_S = 5.0

Post = Callable[[str, str, dict[str, str]], Awaitable[tuple[int, str, bytes]]]
"""Posts a body with headers to an address. Answers the status, the Retry-After header and the body,
or raises as aiohttp does."""


Line = tuple[str, int]


def _line(update: Json) -> Line:
    """What is delivered one after the other: its kind, and the chat or the one who pressed."""
    kind = next(name for name in update if name != "update_id")
    body = update[kind]
    return kind, body["chat"]["id"] if "chat" in body else body["from"]["id"]


class Balancer:
    """Stands between Telegram and several workers, as the nginx of `deploy/` does.

    Calls go round. Where a worker does not answer, or says that it takes nothing now, the next one
    gets the call, and that one is passed over for a while; 502 is the answer where none has one.
    """

    def __init__(self, telegram: Telegram, post: Post) -> None:
        self.telegram = telegram
        self._post = post
        self._calls = 0
        self._failed_at: dict[str, float] = {}

    async def post(self, url: str, body: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        """As `Post`, to the worker whose turn it is; to `url` itself where there are none."""
        if not self.telegram.workers:
            return await self._post(url, body, headers)
        answer = 502, "", b""
        for worker in self._in_turn():
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                answer = await self._post(worker + urlsplit(url).path, body, headers)
                if answer[0] != 502:
                    break
            self._failed_at[worker] = asyncio.get_running_loop().time()
        return answer

    def _in_turn(self) -> list[str]:
        """All workers, those that failed lately last."""
        workers, self._calls = self.telegram.workers, self._calls + 1
        first = self._calls % len(workers)
        since = asyncio.get_running_loop().time() - _PASSED_OVER_S
        return sorted(
            (*workers[first:], *workers[:first]),
            key=lambda w: self._failed_at.get(w, since) > since,
        )


class WebhookSender:
    """Posts what is queued to the webhook that is set, several at a time.

    As Telegram does, it keeps the presses of one person in order, and the messages of one chat. It
    posts over HTTP, or by `post` to a bot in the same process.
    """

    def __init__(self, telegram: Telegram, post: Post | None = None) -> None:
        self.telegram = telegram
        self._own_post = post
        self._flying: dict[Line, asyncio.Task[None]] = {}
        self._under_way: set[int] = set()
        """The ids of the updates that are on their way."""
        self._freed = asyncio.Event()

    async def run(self) -> None:
        """Runs until it is cancelled."""
        if self._own_post:
            await self._send(self._own_post)
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
        async with aiohttp.ClientSession(timeout=timeout) as session:

            async def post(url: str, body: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
                async with session.post(url, data=body, headers=headers) as answer:
                    later = answer.headers.get("Retry-After", "")
                    return answer.status, later, await answer.read()

            await self._send(post)

    async def _send(self, post: Post) -> None:
        balancer = Balancer(self.telegram, post)
        try:
            while True:
                await self._step(balancer.post)
        finally:
            for task in self._flying.values():
                task.cancel()

    async def _step(self, post: Post) -> None:
        hook = self.telegram.webhook
        if hook is not None:
            if len(self._flying) >= hook.max_connections:
                self._freed.clear()
                await self._freed.wait()
                return
            update = self._next()
            if update is not None:
                task = asyncio.create_task(self._deliver(post, hook, update))
                self._flying[_line(update)] = task
                self._under_way.add(update["update_id"])
                return
        await self.telegram.queue.changed()

    def _next(self) -> Json | None:
        for update in self.telegram.queue.pending:
            if update["update_id"] not in self._under_way and _line(update) not in self._flying:
                return update
        return None

    async def _deliver(self, post: Post, hook: Webhook, update: Json) -> None:
        update_id, telegram = update["update_id"], self.telegram
        try:
            if await self._until_taken(post, hook, update):
                telegram.queue.done(update_id)
                for again in telegram.queue.replays():
                    await self._until_taken(post, hook, again)
        finally:
            del self._flying[_line(update)]
            self._under_way.discard(update_id)
            self._freed.set()
            # With the webhook changed meanwhile, this update is to be looked at again.
            telegram.queue.wake()

    async def _until_taken(self, post: Post, hook: Webhook, update: Json) -> bool:
        pause_s = _FIRST_RETRY_S
        while self.telegram.webhook is hook:
            trouble, later_s = await self._post(post, hook, update)
            if trouble is None:
                return True
            hook.last_error, hook.last_error_date = trouble, int(self.telegram.now())
            await asyncio.sleep(later_s or pause_s)
            pause_s = min(2 * pause_s, _LONGEST_RETRY_S)
        return False

    async def _post(self, post: Post, hook: Webhook, update: Json) -> tuple[str | None, int]:
        """One attempt; what went wrong, or None, and the seconds the bot asks to wait."""
        headers = {"Content-Type": "application/json"}
        if hook.secret_token:
            headers["X-Telegram-Bot-Api-Secret-Token"] = hook.secret_token
        if self.telegram.faults.latency_s > 0:
            await asyncio.sleep(self.telegram.faults.latency_s)
        try:
            status, later, body = await post(hook.url, json.dumps(update), headers)
        except (aiohttp.ClientError, TimeoutError) as error:
            return f"Connection failed: {type(error).__name__}", 0
        if not 200 <= status < 300:
            reason = f"Wrong response from the webhook: {status} {responses.get(status, '')}"
            return reason, int(later) if later.isdecimal() else 0
        await self._obey(body)
        return None, 0

    async def _obey(self, body: bytes) -> None:
        """A method in the body of the answer is called; what becomes of it, nobody is told."""
        try:
            params = json.loads(body)
        except ValueError:
            return
        if isinstance(params, dict) and isinstance(params.get("method"), str):
            try:
                await self.telegram.call(params.pop("method"), params)
            except (TimeoutError, ConnectionError, OddAnswer):
                return
