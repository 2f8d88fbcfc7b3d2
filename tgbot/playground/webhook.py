"""Delivers updates to the bot's webhook, as Telegram does: with the secret, until it is taken."""

from __future__ import annotations

import asyncio
import json

import aiohttp

from tgbot.playground.core import Telegram
from tgbot.playground.model import Json, Webhook

_TIMEOUT_S = 60.0
_FIRST_RETRY_S = 0.1
_LONGEST_RETRY_S = 10.0


class WebhookSender:
    """Posts what is queued to the webhook that is set, in order, several at a time."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram
        self._flying: dict[int, asyncio.Task[None]] = {}
        self._freed = asyncio.Event()

    async def run(self) -> None:
        """Runs until it is cancelled."""
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            try:
                while True:
                    await self._step(session)
            finally:
                for task in self._flying.values():
                    task.cancel()

    async def _step(self, session: aiohttp.ClientSession) -> None:
        hook = self.telegram.webhook
        if hook is not None:
            if len(self._flying) >= hook.max_connections:
                self._freed.clear()
                await self._freed.wait()
                return
            update = self._next()
            if update is not None:
                task = asyncio.create_task(self._deliver(session, hook, update))
                self._flying[update["update_id"]] = task
                return
        await self.telegram.queue.changed()

    def _next(self) -> Json | None:
        for update in self.telegram.queue.pending:
            if update["update_id"] not in self._flying:
                return update
        return None

    async def _deliver(self, session: aiohttp.ClientSession, hook: Webhook, update: Json) -> None:
        update_id, telegram = update["update_id"], self.telegram
        try:
            if await self._until_taken(session, hook, update):
                telegram.queue.done(update_id)
                for again in telegram.queue.replays():
                    await self._until_taken(session, hook, again)
        finally:
            del self._flying[update_id]
            self._freed.set()
            # With the webhook changed meanwhile, this update is to be looked at again.
            telegram.queue.wake()

    async def _until_taken(
        self, session: aiohttp.ClientSession, hook: Webhook, update: Json
    ) -> bool:
        pause_s = _FIRST_RETRY_S
        while self.telegram.webhook is hook:
            trouble = await self._post(session, hook, update)
            if trouble is None:
                return True
            hook.last_error, hook.last_error_date = trouble, int(self.telegram.now())
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_RETRY_S)
        return False

    async def _post(
        self, session: aiohttp.ClientSession, hook: Webhook, update: Json
    ) -> str | None:
        """One attempt; what went wrong, or None."""
        headers = {"Content-Type": "application/json"}
        if hook.secret_token:
            headers["X-Telegram-Bot-Api-Secret-Token"] = hook.secret_token
        if self.telegram.faults.latency_s > 0:
            await asyncio.sleep(self.telegram.faults.latency_s)
        try:
            async with session.post(hook.url, data=json.dumps(update), headers=headers) as answer:
                body = await answer.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            return f"Connection failed: {type(error).__name__}"
        if not 200 <= answer.status < 300:
            return f"Wrong response from the webhook: {answer.status} {answer.reason}"
        await self._obey(body)
        return None

    async def _obey(self, body: bytes) -> None:
        """A method in the body of the answer is called; what becomes of it, nobody is told."""
        try:
            params = json.loads(body)
        except ValueError:
            return
        if isinstance(params, dict) and isinstance(params.get("method"), str):
            try:
                await self.telegram.call(params.pop("method"), params)
            except TimeoutError:
                return
