"""A passing answer that looks final: it is asked again, with a pause, and counted."""

from __future__ import annotations

import asyncio
import json

import pytest
from telegram.error import InvalidToken

from tests.process.typed import TOKEN, Run
from tests.tgbot.calling import Called, called, look, number
from tests.tgbot.house import House
from tgbot.app import Dicehall
from tgbot.config import WrongSetting
from tgbot.database import open_database
from tgbot.http.client import REFUSALS
from tgbot.inbound.webhook import WATCH_S
from tgbot.playground.inprocess import InProcessRequest
from tgbot.soak.virtual import now

__all__ = ["called"]

PAGE = "<html><body>Sign in to the network</body></html>"


def refusal(status: int, reason: str) -> str:
    """A refusal as Telegram words it."""
    return json.dumps({"ok": False, "error_code": status, "description": reason})


ODD = (
    (200, PAGE),
    (200, ""),
    (200, "null"),
    (200, "[]"),
    (200, '{"ok": true}'),
    (200, '{"ok": true, "result": '),
    (200, '{"ok": true, "result": {"update_id": 7}}'),
    (200, '{"ok": true, "result": [7, {}, {"update_id": "7"}]}'),
    (200, refusal(401, "Unauthorized")),
    (204, ""),
    (302, PAGE),
    (403, PAGE),
    (404, PAGE),
    (400, '{"ok": false, "description": 7}'),
    (429, '{"ok": false, "error_code": 429, "description": "", "parameters": {"retry_after": ""}}'),
    (401, refusal(401, "Unauthorized")),
    (404, refusal(404, "Not Found")),
    (403, refusal(403, "Forbidden")),
    (400, refusal(400, "Bad Request")),
    (409, refusal(409, "Conflict: another one")),
    (418, refusal(418, "I'm a teapot")),
    (502, refusal(502, "Bad Gateway")),
    (599, PAGE),
)  # fmt: skip


async def test_whatever_polls_are_answered_the_bot_goes_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("refusals")
    monkeypatch.setattr("tgbot.inbound.polling.POLL_S", 25)
    await house.away(1)
    faults = house.telegram.faults
    faults.only = "getUpdates"
    for status, body in ODD:
        faults.odd_before_next, faults.odd_status, faults.odd_body = 2, status, body
        asked = len(house.telegram.log)
        await house.breathe(60)
        assert faults.odd_before_next == 0
        assert len(house.telegram.log) - asked <= 12
        assert await house.ask(house.anna, "/play") == house.says("menu.title")

    assert house.log.said("ERROR") == []


async def test_each_502_is_told_in_one_line_at_most(house: House) -> None:
    house.excused.add("refusals")
    faults, greeting = house.telegram.faults, house.board()
    for method in ("getUpdates", "sendMessage", "answerCallbackQuery", "getChatMember"):
        faults.only, faults.error_5xx_next = method, 1
        await house.ask(house.ben, "/settings stake 5")
        await house.press(house.ben, "📖", greeting)
        await house.breathe(20)
        assert faults.error_5xx_next == 0, method

    assert house.log.said("ERROR") == house.log.traced == []
    assert 3 <= len(house.log.said("WARNING")) <= faults.count["error_5xx"] == 4


async def test_of_many_chats_that_cannot_be_reached_one_line_is_written(house: House) -> None:
    house.excused.add("refusals")
    faults = house.telegram.faults
    faults.only, faults.error_5xx_next = "sendMessage", 15
    for n in range(20):
        house.telegram.group(f"G{n}", house.anna)
    await house.breathe(30)

    assert faults.error_5xx_next == 0
    assert house.log.said("WARNING").count("Telegram is out of reach") == 1


async def test_it_is_counted_for_an_alert(called: Called) -> None:
    house, _ = called
    house.excused.add("refusals")
    house.telegram.faults.only = "getWebhookInfo"
    house.telegram.faults.refuse_next = 2

    await house.breathe(3 * WATCH_S)

    refused = 'dicehall_calls_total{method="getWebhookInfo",outcome="refused"}'
    assert await number(house, refused) == 2
    assert (await look(house, "/healthz")).status_code == 200


@pytest.mark.parametrize(("status", "body"), [(200, PAGE), (403, PAGE), (400, PAGE), (404, PAGE)])
async def test_a_proxys_page_to_a_board_is_no_word_about_the_chat(
    house: House, status: int, body: str
) -> None:
    faults = house.telegram.faults
    faults.only = "sendMessage"
    faults.odd_before_next, faults.odd_status, faults.odd_body = 3, status, body

    await house.ask(house.anna, "/fifty")
    await house.breathe(20)

    assert house.says("lobby.seats", fewest=2, most=20) in house.board().text
    assert house.table().status == "lobby"
    assert house.log.said("ERROR") == []


async def test_a_webhook_refused_in_mid_run_is_set_again_and_again(called: Called) -> None:
    house, _ = called
    house.excused.add("refusals")
    house.telegram.faults.only = "setWebhook"
    house.telegram.faults.refuse_next = 2 * REFUSALS
    await house.telegram.call("deleteWebhook", {})

    await house.breathe(WATCH_S + 2 * REFUSALS * 30)

    assert house.telegram.webhook
    assert await house.ask(house.anna, "/play") == house.says("menu.title")


async def test_one_refusal_at_the_start_ends_nothing(called: Called) -> None:
    house, _ = called
    house.excused.add("refusals")
    await house.stop()
    faults = house.telegram.faults
    faults.only, faults.refuse_next = "setWebhook,getMe", 2

    await house.start()
    await house.breathe(10)

    assert faults.refuse_next == 0
    assert await house.ask(house.anna, "/play") == house.says("menu.title")


async def test_an_address_refused_for_half_a_minute_at_the_start_is_a_wrong_setting(
    called: Called,
) -> None:
    house, _ = called
    house.excused.add("refusals")
    await house.stop()
    house.telegram.faults.only = "setWebhook"
    house.telegram.faults.refuse_next = REFUSALS

    with pytest.raises(WrongSetting, match="WEBHOOK_URL"):
        await another(house, webhook=True).run()


async def test_a_token_refused_for_half_a_minute_at_the_start_is_a_wrong_setting(
    house: House,
) -> None:
    house.excused.add("refusals")
    await house.stop()
    faults = house.telegram.faults
    faults.only, faults.refuse_next = "getMe", REFUSALS
    faults.refuse_status, faults.refuse_reason = 401, "Unauthorized"

    with pytest.raises(InvalidToken):
        await another(house).run()


def another(house: House, *, webhook: bool = False) -> Dicehall:
    """A bot of the house that is not running yet."""
    request = InProcessRequest(house.telegram)
    db = open_database(house.settings)
    more = {"request": request, "poll_request": request, "webhook": webhook}
    bot = Dicehall(house.settings, db, now=now, **more)
    asyncio.get_running_loop().busy.append(lambda: bool(bot.clerk.outstanding))
    return bot


def test_a_wrong_token_is_told_in_one_line(dicehall: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **more: object) -> None:
        raise InvalidToken(f"The token `{TOKEN}` was rejected by the server.")

    monkeypatch.setattr("tgbot.app.serve", refused)
    said = dicehall("run", BOT_TOKEN=TOKEN)

    said.refused("BOT_TOKEN: Telegram does not know this token", "@BotFather")
    assert TOKEN not in said.err
