"""Webhooks, health and metrics (SURVIVE 24, 25): the bot as Telegram and an operator call it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from peewee import OperationalError, SqliteDatabase

from economy.database import unavailable
from tests.test_watching import asked
from tests.tgbot.calling import (
    FRESH,
    HEADER,
    SECRET,
    URL,
    Called,
    bot_of,
    called,
    client,
    hooked,
    look,
    number,
    press,
)
from tests.tgbot.house import House
from tests.tgbot.test_8_hints import hint
from tgbot import facts
from tgbot.app import Dicehall, web_servers
from tgbot.config import WrongSetting
from tgbot.hall.hints import MOST
from tgbot.inbound import webhook as web
from tgbot.inbound.intake import ALLOWED
from tgbot.inbound.webhook import CATCH_UP_S, WATCH_S
from tgbot.operator.backup import into_folder
from tgbot.operator.health import Watch, watch_app
from tgbot.soak.virtual import now

__all__ = ["called"]


# -- playing ----------------------------------------------------------------------------------


async def test_a_whole_game_is_played_over_webhooks(called: Called) -> None:
    house, wire = called
    await house.stake(5)

    await house.game({house.anna: (15, 22, 13), house.ben: (14, 20, 12)})

    assert house.table().status == "over"
    assert house.coins(house.anna) > house.coins(house.ben)
    assert {status for status, _ in wire.responses} == {200}
    assert not [call for call in house.telegram.log if call.method == "getUpdates"]


async def test_every_answer_to_a_press_rides_in_the_response(called: Called) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    first = len(wire.responses)

    toast = await house.press(house.ben, "d4")
    await house.press(house.ben, "🎲")

    assert toast.startswith("4 ")
    answers = [json.loads(body) for _, body in wire.responses[first:]]
    assert [answer["method"] for answer in answers] == ["answerCallbackQuery"] * 2
    assert answers[0]["text"] == toast
    presses = sum("callback_query" in update for update in house.received)
    assert await number(house, 'dicehall_press_seconds_count{way="response"}') == presses
    assert await number(house, 'dicehall_press_seconds_count{way="request"}') == 0
    assert "answerCallbackQuery" not in (await look(house, "/metrics")).text


async def test_a_hint_does_not_ride_nobodys_call_waits_for_a_thought(called: Called) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    first = len(wire.responses)

    told = await hint(house, house.anna)
    await wire.post(house.received[-1])  # Telegram repeats it

    await house.breathe(2)
    again = await hint(house, house.anna)
    assert told.startswith("🎩 Best: ")
    assert told.endswith(house.says("hint.left", n=MOST - 1))
    assert again.endswith(house.says("hint.left", n=MOST - 2))
    assert wire.responses[first:] == [(200, b"")] * 2
    texts = [str(call.params.get("text")) for call in house.telegram.log]
    assert [text for text in texts if text.startswith("🎩 Best")] == [told, again]
    assert await number(house, 'dicehall_press_seconds_count{way="request"}') == 2


async def test_a_refusal_that_costs_money_rides_as_an_alert(called: Called) -> None:
    house, wire = called
    await house.stake(11)
    await house.ask(house.anna, "/fifty")

    await house.press(house.ben, "✅")

    assert json.loads(wire.responses[-1][1])["show_alert"] is True


async def test_a_command_has_nothing_to_take_along(called: Called) -> None:
    house, wire = called
    await house.ask(house.anna, "/help")
    assert wire.responses[-1] == (200, b"")


async def test_telegram_is_told_the_address_the_secret_and_what_to_send(called: Called) -> None:
    house, _ = called
    [call] = [call for call in house.telegram.log if call.method == "setWebhook"]
    hook = house.telegram.webhook
    assert hook
    assert (hook.url, hook.secret_token, hook.max_connections) == (URL, SECRET, 100)
    assert call.params["allowed_updates"] == ALLOWED
    assert not call.params.get("drop_pending_updates")


# -- who calls, and with what -----------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"update_id"',
        b"{}",
        b'{"update_id": null}',
        b'{"update_id": true}',
        b'{"update_id": "7"}',
        b'{"update_id": 7.0}',
        b'{"update_id": 0}',
        b'{"update_id": -7}',
        b'{"update_id": 9223372036854775808}',
        b'{"update_id": 1' + b"0" * 5000 + b"}",
        b"[" * 100_000,
        b'{"update_id": 7, "message": "\xff"}',
    ],
)
async def test_what_is_no_update_gets_400(called: Called, body: bytes) -> None:
    _, wire = called
    assert (await wire.post(body)).status_code == 400


async def test_a_body_too_large_gets_413_declared_or_not(called: Called) -> None:
    _, wire = called

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(web.LARGEST_BODY // 1000 + 2):
            yield b" " * 1000

    for body in (b" " * (web.LARGEST_BODY + 1), endless()):
        assert (await wire.post(body)).status_code == 413
    assert await wire.post(b" " * 99, headers={HEADER: SECRET, "Content-Length": "9" * 30})


async def test_only_the_path_of_the_address_is_the_webhook(called: Called) -> None:
    house, wire = called
    body = {"update_id": FRESH}
    for path in ("/", "/telegram/", f"/{house.telegram.token}", "/healthz", "/metrics"):
        assert (await wire.post(body, url=path)).status_code == 404
    async with client(wire.app()) as caller:
        assert (await caller.get(URL, headers={HEADER: SECRET})).status_code == 405


async def test_an_update_of_a_kind_nobody_knows_is_taken(called: Called) -> None:
    house, wire = called
    answer = await wire.post({"update_id": FRESH, "telepathy": {"thought": "dice"}})
    assert (answer.status_code, answer.content) == (200, b"")
    assert await number(house, 'dicehall_updates_total{kind="other"}') == 1


async def test_an_update_that_cannot_be_read_is_logged_counted_and_passed(called: Called) -> None:
    house, wire = called
    house.excused.add("errors")

    answer = await wire.post({"update_id": FRESH, "message": 7})

    assert answer.status_code == 200
    assert house.log.said("ERROR") == ["an update could not be read"]
    assert await number(house, 'dicehall_update_errors_total{cause="update"}') == 1


# -- when 200 goes out ------------------------------------------------------------------------


@contextlib.contextmanager
def database_held(bot: Dicehall) -> Iterator[Callable[[], None]]:
    """The database thread is busy until the function is called."""
    free = threading.Event()
    bot.clerk.run(free.wait)
    try:
        yield free.set
    finally:
        free.set()


async def turns(number: int = 200) -> None:
    """Lets the loop go round without time passing."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_200_goes_out_only_after_the_commit(called: Called) -> None:
    house, wire = called
    await house.ask(house.anna, "/fifty")
    update = press(house, "✅")

    with database_held(bot_of(house)) as release:
        call = asyncio.create_task(wire.post(update))
        await turns()
        assert not call.done()
        assert house.table().people == [house.anna]
        release()
        answer = await call

    assert answer.status_code == 200
    assert house.table().people == [house.anna, house.ben]


async def test_an_update_that_comes_again_while_it_is_handled_is_handled_once(
    called: Called,
) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    update = press(house, "d4")

    with database_held(bot_of(house)) as release:
        calls = [asyncio.create_task(wire.post(update)) for _ in range(3)]
        await turns()
        release()
        answers = await asyncio.gather(*calls)

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert (await house.press(house.ben, "d6")).startswith("4+6 ")


async def test_an_update_that_comes_again_later_is_applied_once(called: Called) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    update = press(house, "d4")

    answers = [await wire.post(update) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert (await house.press(house.ben, "d6")).startswith("4+6 ")


async def test_an_update_that_fails_by_its_own_fault_is_answered_and_not_repeated(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, wire = called
    house.excused.add("errors")
    await house.begin(house.anna, house.ben)

    def broken(*args: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(bot_of(house).hall.play, "press", broken)

    toast = await house.press(house.ben, "d4")

    assert toast == house.says("refused.broken")
    assert wire.responses[-1][0] == 200
    assert house.log.said("ERROR") == ["an update failed"]
    assert await number(house, 'dicehall_update_errors_total{cause="update"}') == 1


async def test_without_a_database_telegram_is_asked_to_try_again(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, wire = called
    house.excused.add("errors")
    await house.begin(house.anna, house.ben)
    tries = 0

    def first_time(db: object, update_id: int, now: int) -> bool:
        nonlocal tries
        tries += 1
        if tries < 4:
            raise OperationalError(sqlite3.OperationalError("disk I/O error"))
        return True

    monkeypatch.setattr("tgbot.inbound.front.first_time", first_time)
    before = len(wire.responses)
    await house.press(house.ben, "d4")
    await house.breathe(10)
    monkeypatch.undo()

    assert [status for status, _ in wire.responses[before:]] == [503, 503, 503, 200]
    assert [toast.text for toast in house.telegram.toasts(house.ben)][-1].startswith("4 ")
    assert house.says("refused.broken") not in str(house.telegram.toasts(house.ben))
    assert await number(house, 'dicehall_update_errors_total{cause="database"}') == 3
    assert (await house.press(house.ben, "d6")).startswith("4+6 ")


async def test_calls_that_another_worker_took_after_an_outage_are_not_waited_for_for_ever(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, wire = called
    house.excused.add("errors")
    await house.begin(house.anna, house.ben)

    def away(db: object, update_id: int, now: int) -> bool:
        raise OperationalError(sqlite3.OperationalError("disk I/O error"))

    monkeypatch.setattr("tgbot.inbound.front.first_time", away)
    monkeypatch.setattr("tgbot.inbound.webhook.MOST_AGAIN", 3)
    once = press(house, "d4")
    answers = [await wire.post({**once, "update_id": FRESH + n}) for n in range(9)]
    monkeypatch.undo()

    assert [answer.status_code for answer in answers] == [503] * 9
    assert [*bot_of(house).intake._again] == [FRESH + 6, FRESH + 7, FRESH + 8]


def test_a_database_that_is_not_available_differs_from_a_wrong_statement(tmp_path: Path) -> None:
    db = SqliteDatabase(str(tmp_path / "a.db"), timeout=0, pragmas={"max_page_count": 3})
    db.connect()
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)

    def error(query: str) -> BaseException:
        with pytest.raises(OperationalError) as raised:
            db.execute_sql(query)
        return raised.value

    assert not unavailable(error("SELECT * FROM nowhere"))
    assert not unavailable(error("SELEKT 1"))
    db.execute_sql("CREATE TABLE t (x)")
    assert unavailable(error("INSERT INTO t VALUES (zeroblob(100000))"))  # full
    other.execute("BEGIN EXCLUSIVE")
    assert unavailable(error("INSERT INTO t VALUES (1)"))  # locked
    with pytest.raises(OperationalError) as raised:
        db.execute_sql("INSERT INTO t VALUES (1)")
    assert unavailable(raised.value)
    other.close()
    db.close()
    assert not unavailable(KeyError("x"))
    assert not unavailable(None)


async def test_nothing_is_taken_once_the_bot_is_to_stop(called: Called) -> None:
    house, wire = called
    bot = bot_of(house)
    await house.stop()
    assert bot.intake.flowing is False
    answer = await wire.post({"update_id": FRESH})
    assert answer.status_code == 502
    assert answer.headers["Retry-After"]


# -- Telegram's side of it --------------------------------------------------------------------


async def test_what_waited_comes_in_before_the_clock_begins(called: Called) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    await house.stop()
    wire.cut = True
    house.telegram.press(house.ben, house.group, house.board().id, "d4")

    await house.start()
    assert not bot_of(house).intake.caught_up.is_set()
    wire.cut = False
    await house.breathe(CATCH_UP_S / 2)

    assert bot_of(house).intake.caught_up.is_set()
    assert (await house.press(house.ben, "d6")).startswith("4+6 ")


async def test_the_clock_does_not_wait_for_ever_for_what_cannot_be_delivered(
    called: Called,
) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    await house.stop()
    wire.cut = True
    house.telegram.press(house.ben, house.group, house.board().id, "d4")

    await house.start()
    await house.breathe(CATCH_UP_S)

    assert bot_of(house).intake.caught_up.is_set()


async def test_a_deadline_waits_for_what_telegram_could_not_deliver(called: Called) -> None:
    house, wire = called
    await house.begin(house.anna, house.ben)
    board = house.board()
    await house.press(house.ben, "d4")
    await house.breathe(house.table().due_at - now() - 2)
    wire.cut = True
    house.telegram.press(house.ben, board.chat, board.id, "🎲")

    await house.breathe(4)
    assert house.sql("SELECT 1 FROM moves WHERE seat >= 0") == []
    wire.cut = False
    await house.breathe(CATCH_UP_S)

    assert house.sql("SELECT move FROM moves WHERE seat = 1 ORDER BY n LIMIT 1") == [("4",)]
    assert "Telegram could not deliver" in house.log.said("WARNING")


async def test_a_webhook_somebody_deleted_is_set_again(called: Called) -> None:
    house, _ = called
    await house.telegram.call("deleteWebhook", {})

    await house.breathe(WATCH_S + 1)

    assert house.telegram.webhook
    assert house.telegram.webhook.url == URL
    assert (await look(house, "/healthz")).status_code == 200


async def test_a_webhook_of_somebody_else_is_left_and_told(called: Called) -> None:
    house, _ = called
    house.excused.add("errors")
    other = {"url": "https://other.example.org/x"}
    await house.telegram.call("setWebhook", other)

    await house.breathe(WATCH_S + 1)

    assert house.telegram.webhook
    assert house.telegram.webhook.url == other["url"]
    assert house.log.said("ERROR") == ["Telegram calls another webhook"]
    health = await look(house, "/healthz")
    assert (health.status_code, health.json()["updates"]) == (503, False)


async def test_polling_takes_the_webhook_away_and_says_so(house: House) -> None:
    await house.stop()
    await house.telegram.call("setWebhook", {"url": f"{URL}?token={house.telegram.token}"})
    house.say(house.anna, "/fifty")

    await house.start()

    assert house.telegram.webhook is None
    assert house.table().status == "lobby"  # what waited was kept
    assert "the webhook is deleted to poll; no update is dropped" in house.log.said("WARNING")


async def test_polling_leaves_a_telegram_without_webhook_alone(house: House) -> None:
    assert not [call for call in house.telegram.log if call.method == "deleteWebhook"]


# -- health and metrics -----------------------------------------------------------------------


async def test_healthz_says_that_all_is_well(called: Called) -> None:
    house, _ = called
    health = await look(house, "/healthz")
    assert health.status_code == 200
    assert health.json() == {
        "ok": True, "database": True, "updates": True, "by": "webhook", "version": facts.version(),
    }  # fmt: skip


async def test_healthz_fails_while_the_database_does_not_answer(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = called
    bot = bot_of(house)
    watch = Watch(bot, house.settings)
    asked = 0

    def silent(work: object, lane: int = 0) -> asyncio.Future[Any]:
        nonlocal asked
        asked += 1
        return asyncio.get_running_loop().create_future()

    monkeypatch.setattr(bot.clerk, "run", silent)
    began = asyncio.get_running_loop().time()
    async with client(watch_app(watch)) as caller:
        answers = [await caller.get("/healthz") for _ in range(5)]
        metrics = (await caller.get("/metrics")).text
    took = asyncio.get_running_loop().time() - began
    monkeypatch.undo()

    assert {answer.status_code for answer in answers} == {503}
    assert answers[0].json()["database"] is False
    assert took < 6.5
    assert asked == 2  # one question of each kind, not one more with every look
    assert "dicehall_database_up 0.0" in metrics
    assert "dicehall_commits_total" in metrics


async def test_healthz_fails_while_telegram_cannot_be_polled(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("refusals")
    monkeypatch.setattr("tgbot.inbound.polling.POLL_S", 25)
    await house.away(1)
    assert (await look(house, "/healthz")).json()["by"] == "polling"
    assert (await look(house, "/healthz")).status_code == 200
    house.telegram.faults.only = "getUpdates"
    house.telegram.faults.error_5xx_next = 1000

    await house.breathe(120)
    assert (await look(house, "/healthz")).json()["updates"] is False
    assert (await look(house, "/healthz")).status_code == 503

    house.telegram.faults.error_5xx_next = 0
    await house.breathe(60)
    assert (await look(house, "/healthz")).status_code == 200


async def test_metrics_tell_what_happened(called: Called) -> None:
    house, _ = called
    await house.begin(house.anna, house.ben)
    await house.press(house.ben, "d4")
    await house.breathe(3)

    presses = sum("callback_query" in update for update in house.received)
    assert await number(house, 'dicehall_updates_total{kind="callback_query"}') == presses
    assert await number(house, 'dicehall_updates_total{kind="message"}') >= 1
    sent = [call for call in house.telegram.log if call.method == "sendMessage"]
    assert await number(house, 'dicehall_calls_total{method="sendMessage",outcome="ok"}') == len(
        sent
    )
    assert await number(house, 'dicehall_open_games{game="fifty"}') == 1
    assert await number(house, 'dicehall_open_games{game="zilch"}') == 0
    assert await number(house, "dicehall_database_up") == 1
    assert await number(house, "dicehall_database_bytes") > 10_000
    assert await number(house, "dicehall_database_free_bytes") > 0
    assert await number(house, "dicehall_painter_backlog") == 0
    assert await number(house, "dicehall_due_late") == 0
    assert await number(house, "dicehall_updates_waiting") == 0
    commits, jobs = await number(house, "dicehall_commits_total"), bot_of(house).clerk.jobs
    assert 0 < commits <= jobs
    assert await number(house, "dicehall_commit_seconds_count") >= commits


async def test_alerts_and_dashboard_ask_for_metrics_that_exist(called: Called) -> None:
    house, _ = called
    told = (await look(house, "/metrics")).text
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", told, re.MULTILINE))
    parts = {f"{name}_{part}" for name, kind in kinds.items() if kind == "histogram"
             for part in ("bucket", "count", "sum")}  # fmt: skip

    assert len(asked()) > 20
    assert asked() <= {*kinds} | parts


async def test_floods_and_late_rows_are_counted(called: Called) -> None:
    house, _ = called
    house.excused.add("refusals")
    house.telegram.faults.flood_next = 1
    house.telegram.faults.only = "sendMessage"
    await house.ask(house.anna, "/fifty")
    await house.breathe(10)
    bot, store = bot_of(house), bot_of(house).hall.store
    bot.clock.stop()
    late = int(bot.now()) - 100
    await bot.clerk.run(lambda: store.due.set("game", "nothing", late))

    flood = await number(house, 'dicehall_calls_total{method="sendMessage",outcome="flood"}')
    assert flood == 1
    assert await number(house, "dicehall_due_late") == 1
    assert await number(house, "dicehall_due_late_seconds") == 100


async def test_the_last_audit_is_a_metric_for_every_worker(called: Called) -> None:
    house, _ = called
    bot = bot_of(house)
    assert await number(house, "dicehall_audit_ok") == 1  # there is something to alert on
    assert await number(house, "dicehall_audit_timestamp_seconds") > 0
    for problems, ok in ((0, 1), (2, 0), (0, 1)):
        await bot.clerk.run(
            lambda n=problems: facts.note_audit(bot.hall.store.db, n, 1_800_000_000)
        )
        assert await number(house, "dicehall_audit_ok") == ok
    assert await number(house, "dicehall_audit_timestamp_seconds") == 1_800_000_000


async def test_the_newest_backup_is_a_metric(
    called: Called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = called
    monkeypatch.chdir(tmp_path)
    assert await number(house, "dicehall_backup_timestamp_seconds") == 0

    for made_at in (1_800_000_000, 1_800_000_060):
        copy = into_folder(house.settings, now=made_at)
        os.utime(copy.file, (made_at, made_at))

    assert await number(house, "dicehall_backup_timestamp_seconds") == 1_800_000_060


# -- settings ---------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", ["x", "x" * 256, "AZaz09_-", f"{SECRET}\n"])
def test_every_secret_telegram_allows_will_do(secret: str) -> None:
    assert hooked(webhook_secret=secret).hook().secret == secret.strip()


@pytest.mark.parametrize(
    "url",
    [
        "", "dice.example.org", "http://dice.example.org/x", "https://", "https://dice.example.org:99/",
        "https://dice.example.org:x/", "https://u:p@dice.example.org/", "https://dice.example.org/?a=b",
        "https://dice.example.org/#a", "https://dice.example.org/a b", "ftp://dice.example.org/",
        "https://dice.example.org:0/",
    ],
)  # fmt: skip
def test_an_address_telegram_would_not_call_is_refused(url: str) -> None:
    with pytest.raises(WrongSetting, match=r"^WEBHOOK_URL "):
        hooked(webhook_url=url).hook()


def test_a_server_of_ones_own_may_call_any_port_without_tls() -> None:
    url = "http://127.0.0.1:5000/x"
    assert hooked(webhook_url=url, bot_api="http://127.0.0.1:8081").hook().url == url


def test_the_secret_is_in_no_repr() -> None:
    assert SECRET not in repr(hooked())
    assert SECRET not in repr(hooked().hook())


def test_the_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    assert (
        hooked(webhook_secret="", webhook_secret_file=tmp_path / "secret").hook().secret == SECRET
    )


@pytest.mark.parametrize(("url", "path"), [(URL, "/telegram"), ("https://a.example.org", "/")])
def test_the_path_is_that_of_the_address(url: str, path: str) -> None:
    assert hooked(webhook_url=url).hook().path == path


@pytest.mark.parametrize(
    ("webhook", "given", "ports"),
    [
        (False, {}, []),
        (False, {"metrics_port": 9999}, [("METRICS", "127.0.0.1", 9999)]),
        (True, {}, [("WEBHOOK", "127.0.0.1", 8443), ("METRICS", "127.0.0.1", 9443)]),
        (
            True,
            {"webhook_host": "::", "webhook_port": 1, "metrics_host": "0.0.0.0"},
            [("WEBHOOK", "::", 1), ("METRICS", "0.0.0.0", 9443)],
        ),
    ],
)
async def test_what_is_listened_on(
    webhook: bool, given: dict[str, Any], ports: list[Any], tmp_path: Path
) -> None:
    chosen = hooked(database=f"sqlite:///{tmp_path}/x.db", **given)
    bot = Dicehall(chosen, SqliteDatabase(str(tmp_path / "x.db")), webhook=webhook)
    found = web_servers(bot, chosen)
    assert [(name, server.host, server.port) for name, server in found] == ports
