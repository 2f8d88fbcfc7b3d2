"""`dicehall run --webhook`, the real process, called by the playground over HTTP (SURVIVE 24)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.mortal import Moment, Mortal, mortal
from tests.process.party import STAKE, Party, everything_adds_up, result_is_right
from tests.process.ports import free_port
from tests.process.typed import TOKEN, Run

SECRET = "s3cret_-0123456789"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
FRESH = 900_000_000


@contextlib.asynccontextmanager
async def called(folder: Path, **settings: str) -> AsyncIterator[tuple[Mortal, str, str]]:
    """A process with a webhook that is not started yet; its two addresses."""
    hook, metrics = free_port(), free_port()
    given = {
        "WEBHOOK_URL": f"http://127.0.0.1:{hook}/telegram",
        "WEBHOOK_SECRET": SECRET,
        "WEBHOOK_PORT": str(hook),
        "METRICS_PORT": str(metrics),
        **settings,
    }
    async with mortal(folder, **given) as process:
        process.command_line = ("run", "--webhook")
        yield process, given["WEBHOOK_URL"], f"http://127.0.0.1:{metrics}"


async def told(address: str) -> dict[str, float]:
    """The metrics by name, labels and all."""
    async with httpx.AsyncClient() as client:
        lines = (await client.get(f"{address}/metrics")).text.splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


async def test_a_whole_game_is_played_over_webhooks_and_outlives_a_kill(tmp_path: Path) -> None:
    async with called(tmp_path) as (process, _, metrics):
        telegram = process.telegram
        party = Party(process, random.Random(4))
        await process.start()
        await party.settle_on(STAKE)
        game_id = await party.open()
        game = party.games[game_id]
        await party.join(game_id, game)
        telegram.moment = Moment("sendMessage", stage="starting")
        starting = asyncio.create_task(party.start(game_id))
        await process.ended()
        process.deaths.append("starting")

        await process.start()
        await starting
        await party.rounds(game_id, game)
        await result_is_right(party, game_id)
        async with httpx.AsyncClient() as client:
            health = await client.get(f"{metrics}/healthz")
        numbers = await told(metrics)

        assert (health.status_code, health.json()["ok"]) == (200, True)
        presses = numbers['dicehall_updates_total{kind="callback_query"}']
        assert presses >= 12
        assert numbers['dicehall_press_seconds_count{way="response"}'] == presses
        assert not [name for name in numbers if "answerCallbackQuery" in name]
        assert not [call for call in telegram.log if call.method == "getUpdates"]
        assert all(query.toast for query in telegram.queries.values())
        await everything_adds_up([party])
        assert SECRET not in process.log.read_text()


async def test_24_without_the_secret_nobody_gets_in(tmp_path: Path) -> None:
    async with called(tmp_path) as (process, url, metrics):
        party = Party(process, random.Random(4))
        await process.start()
        game_id = await party.open()
        await party.board(game_id, "join")
        ben = {"id": party.people[1].id, "is_bot": False, "first_name": "Ben"}
        query = {"id": "1", "from": ben, "chat_instance": "1", "data": f"{game_id}:0:join"}
        query["message"] = {
            "message_id": 1, "date": 1, "chat": {"id": party.group.id, "type": "supergroup"}
        }  # fmt: skip
        update = {"update_id": FRESH, "callback_query": query}

        async def post(path: str = "", body: Any = None, secret: str | None = None) -> int:
            headers = {} if secret is None else {HEADER: secret}
            content = json.dumps(update if body is None else body)
            return (await client.post(url + path, content=content, headers=headers)).status_code

        async with httpx.AsyncClient() as client:
            assert await post() == 403
            assert await post(secret="") == 403
            assert await post(secret=SECRET[:-1]) == 403
            assert await post(secret=SECRET, path=f"/{process.telegram.token}") == 404
            assert await post(secret=SECRET, body="x" * 2_000_000) == 413
            assert await post(secret=SECRET, body=[]) == 400
            assert [s.user_id for s in party.table(game_id).sittings] == [party.people[0].id]
            assert await post(secret=SECRET) == 200

        assert [s.user_id for s in party.table(game_id).sittings] == [party.people[0].id, ben["id"]]
        refused = await told(metrics)
        assert refused['dicehall_webhook_refused_total{status="403"}'] == 3
        log = process.log.read_text()
        assert "Traceback" not in log
        assert process.telegram.token not in log
        assert SECRET not in log


async def test_sigterm_finishes_the_calls_at_work_answers_them_and_exits_0(tmp_path: Path) -> None:
    async with called(tmp_path) as (process, _, _):
        telegram = process.telegram
        party = Party(process, random.Random(1))
        await process.start()
        game_id = await party.open(party.people[1])
        lobby = await party.board(game_id, "start")
        for person in party.people:
            party.press(person, lobby, "join")
        await process.eventually("all delivered", lambda: not party.pending())
        call = telegram.call

        async def slow(method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            if method == "getChatMember":
                process.signal(signal.SIGTERM)
                await asyncio.sleep(0.5)
            return await call(method, params)

        telegram.call = slow
        query = telegram.press(party.anna, party.group, lobby.id, "▶️")

        assert await process.ended(within_s=10) == 0

        assert party.table(game_id).status == "running"
        assert not party.pending()
        assert telegram.toast(query)
        assert telegram.webhook  # other workers may serve on
        log = process.log.read_text()
        assert "Traceback" not in log
        assert "Unclosed" not in log


async def test_run_without_webhook_takes_it_away_keeps_what_waits_and_says_so(
    tmp_path: Path,
) -> None:
    async with called(tmp_path) as (process, _, metrics):
        party = Party(process, random.Random(1))
        await process.start()
        await process.serving()
        await process.end()
        assert process.telegram.webhook
        party.say(party.anna, "/fifty")

        process.command_line = ("run",)
        await process.start()
        await process.eventually(
            "a lobby", lambda: process.sql("SELECT 1 FROM games WHERE status = 'lobby'")
        )

        assert process.telegram.webhook is None
        assert "the webhook is deleted to poll" in process.log.read_text()
        async with httpx.AsyncClient() as client:
            health = await client.get(f"{metrics}/healthz")
        assert health.json()["by"] == "polling"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"WEBHOOK_SECRET": ""}, "WEBHOOK_SECRET is empty"),
        ({"WEBHOOK_SECRET": "not this one"}, "WEBHOOK_SECRET cannot be used"),
        ({"WEBHOOK_URL": ""}, "WEBHOOK_URL is empty"),
        ({"WEBHOOK_URL": "dice.example.org"}, "WEBHOOK_URL cannot be used"),
        ({"WEBHOOK_PORT": "0"}, "WEBHOOK_PORT: expected"),
        ({"METRICS_PORT": "x"}, "METRICS_PORT: expected"),
    ],
)
def test_24_it_does_not_start_with_settings_that_will_not_do(
    settings: dict[str, str], named: str, dicehall: Run
) -> None:
    fine = {"WEBHOOK_URL": "https://dice.example.org/telegram", "WEBHOOK_SECRET": SECRET}

    said = dicehall("run", "--webhook", **{"BOT_TOKEN": TOKEN, **fine, **settings})

    said.refused(named)
    assert "not this one" not in said.err


async def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    async with called(tmp_path) as (process, _, _):
        with socket.create_server(("127.0.0.1", int(process.settings["METRICS_PORT"]))):
            status, _, err = await process.command("run", "--webhook")

        assert status == 2
        assert err.splitlines()[-1].startswith("dicehall: METRICS_PORT: 127.0.0.1:")
        assert "Traceback" not in err
