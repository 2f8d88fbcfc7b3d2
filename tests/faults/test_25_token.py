"""No bot token in any log line or traceback, whoever writes it (SURVIVE 25)."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import threading
import traceback
from collections.abc import Callable
from urllib.parse import quote

import aiohttp
import httpx
import pytest
import structlog
from telegram.error import InvalidToken, NetworkError, TimedOut

from tests.tgbot.calling import FRESH, Called, called, hooked, look
from tests.tgbot.calling import SECRET as HOOK
from tests.tgbot.calling import URL as HOOK_URL
from tgbot import log
from tgbot.config import WrongSetting
from tgbot.http.client import AiohttpRequest

__all__ = ["called"]

TOKEN = "123456789:AAHkd-XyZ_0123456789abcdefghijklm"
SECRET = TOKEN.partition(":")[2]
URL = f"http://127.0.0.1:9/bot{TOKEN}/getMe"

Listen = Callable[[], Callable[[], str]]


@pytest.fixture(params=[False, True], ids=["text", "json"])
def listen(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Listen:
    """`written = listen()` sets up the logs; `written()` is what was written since."""

    def read() -> str:
        said = capsys.readouterr()
        assert said.out == ""
        if request.param:
            assert all(isinstance(json.loads(line), dict) for line in said.err.splitlines())
        return str(said.err)

    def begin() -> Callable[[], str]:
        log.setup("debug", as_json=request.param)
        return read

    return begin


def test_a_token_in_what_is_said_is_hidden(listen: Listen) -> None:
    written = listen()
    logger = structlog.get_logger("tgbot.test")
    logger.info(f"calling {URL}", url=URL, deep={"list": [URL]}, quoted=quote(TOKEN))
    logger.info("lower", url=quote(TOKEN).lower())

    said = written()

    assert SECRET not in said
    assert SECRET.lower() not in said
    assert "http://127.0.0.1:9/bot[token]/getMe" in said
    assert said.count("[token]") == 5


def test_a_token_in_what_a_library_says_is_hidden(listen: Listen) -> None:
    written = listen()
    logging.getLogger("somelib").warning("POST %s failed: %r", URL, {"url": URL})
    logging.getLogger("httpx").warning('HTTP Request: POST %s "HTTP/1.1 200 OK"', httpx.URL(URL))

    said = written()

    assert SECRET not in said
    assert said.count("[token]") == 3


def test_what_happened_with_which_chat_is_still_told(listen: Listen) -> None:
    written = listen()
    structlog.get_logger("tgbot.test").info("a chat is gone", chat=-1002000000001, update=700000001)

    said = written()

    assert "a chat is gone" in said
    assert "-1002000000001" in said
    assert "700000001" in said


def test_a_name_with_line_breaks_stays_on_one_line(listen: Listen) -> None:
    written = listen()
    structlog.get_logger("tgbot.test").info("joined", name="Eve\n2026-01-01 [info] all is well")
    assert len(written().splitlines()) == 1


async def test_a_token_in_the_error_of_a_request_is_hidden(listen: Listen) -> None:
    written = listen()
    async with aiohttp.ClientSession() as session:
        with pytest.raises((aiohttp.ClientError, ValueError)) as failed:
            await session.get(f"telegram://api.telegram.org/bot{TOKEN}/getMe")
    error = failed.value
    assert SECRET in str(error)
    structlog.get_logger("tgbot.test").error("failed", error=str(error), exc_info=error)
    logging.getLogger("somelib").error("failed: %s", error, exc_info=error)

    said = written()

    assert "Traceback" in said
    assert SECRET not in said


def test_a_token_in_a_chain_of_errors_is_hidden(listen: Listen) -> None:
    written = listen()
    logger = structlog.get_logger("tgbot.test")
    try:
        try:
            raise InvalidToken(f"The token `{TOKEN}` was rejected by the server.")
        except InvalidToken as error:
            raise RuntimeError(f"no answer from {URL}") from error
    except RuntimeError as error:
        logger.exception("inside")
        failure = error
    logger.error("outside", exc_info=failure)

    said = written()

    assert said.count("InvalidToken: The token `[token]` was rejected") == 2
    assert SECRET not in said


def test_a_token_in_a_task_that_nobody_awaits_is_hidden(listen: Listen) -> None:
    written = listen()

    async def failing() -> None:
        raise RuntimeError(URL)

    async def forget() -> None:
        task = asyncio.create_task(failing())
        await asyncio.sleep(0)
        del task
        gc.collect()

    asyncio.run(forget())

    said = written()

    assert "never retrieved" in said
    assert SECRET not in said


def test_a_token_in_a_thread_that_fails_is_hidden(
    listen: Listen, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = listen()

    def failing() -> None:
        raise RuntimeError(URL)

    monkeypatch.setattr(threading, "excepthook", log.thread_failed)
    thread = threading.Thread(target=failing)
    thread.start()
    thread.join()

    said = written()

    assert "RuntimeError" in said
    assert SECRET not in said


@pytest.mark.real_time
async def test_the_errors_of_the_transport_hold_no_token_at_all() -> None:
    request = AiohttpRequest(connect_timeout_s=0.05, read_timeout_s=0.05)
    await request.initialize()
    held: list[asyncio.StreamWriter] = []
    silent = await asyncio.start_server(lambda _, writer: held.append(writer), "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    rude = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    rude_port = rude.sockets[0].getsockname()[1]
    try:
        for address, kind in (
            ("http://127.0.0.1:9", NetworkError),
            (f"http://127.0.0.1:{port}", TimedOut),
            (f"http://127.0.0.1:{rude_port}", NetworkError),
            ("http://127.0.0.1:99999", NetworkError),
            ("http://no.such.host.invalid", NetworkError),
        ):
            with pytest.raises(kind) as failed:
                await request.post(f"{address}/bot{TOKEN}/getMe", read_timeout=0.05)
            assert SECRET not in "".join(traceback.format_exception(failed.value)), address
    finally:
        await request.shutdown()
        silent.close()
        rude.close()
        for writer in held:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


def test_a_token_in_a_line_that_cannot_be_written_is_hidden(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.setup("debug")
    logging.getLogger("somelib").error("%d calls of %s", URL, URL)

    said = capsys.readouterr().err

    assert "somelib" in said
    assert SECRET not in said


@pytest.mark.parametrize(
    "line",
    [TOKEN, f"x{TOKEN}y", f"bot{TOKEN}/getMe", quote(TOKEN), f"{TOKEN}\n{TOKEN}", f"'{TOKEN}'"],
)
def test_redact_hides_a_token_wherever_it_stands(line: str) -> None:
    assert "[token]" in log.redact(line)
    assert SECRET[:10] not in log.redact(line)


@pytest.mark.parametrize(
    "line", ["2026-11-30T08:37:02.021761Z", "12:30", "chat -1002000000001: gone", "700000001:1:+4"]
)
def test_redact_leaves_everything_else(line: str) -> None:
    assert log.redact(line) == line


async def test_no_token_secret_name_or_number_of_anybody_in_what_is_told(called: Called) -> None:
    house, wire = called
    house.excused |= {"errors", "refusals"}
    await house.begin(house.anna, house.ben)
    await house.ask(house.anna, "/points", house.private(house.anna))
    answers = [
        await wire.post({"update_id": FRESH, "message": 7}),
        await wire.post(b"{"),
        await wire.post({"update_id": FRESH}, headers={}),
        await wire.post({"update_id": FRESH}, url=f"/{house.telegram.token}"),
        await look(house, "/metrics"),
        await look(house, "/healthz"),
        await look(house, f"/{house.telegram.token}"),
    ]

    told = "".join(f"{answer.headers} {answer.text}" for answer in answers)

    for word in (house.telegram.token.partition(":")[2], HOOK, "Anna", "Round", house.table().id):
        assert word not in told
    for person in (house.anna, house.ben, house.group):
        assert str(person.id) not in told


def test_the_address_does_not_hold_the_token() -> None:
    with pytest.raises(WrongSetting, match=r"^WEBHOOK_URL must not") as refused:
        hooked(webhook_url=f"{HOOK_URL}/123456789:AAHkd-XyZ_0123456789").hook()
    assert "AAHkd" not in str(refused.value)
