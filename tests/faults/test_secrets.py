"""Whatever goes wrong, logs, metrics, pages and answers hold no token, secret or wealth."""

from __future__ import annotations

from functools import partial
from typing import Any

import aiohttp
import pytest

from tests.faults.test_disk import no_room
from tests.process.typed import TOKEN, Run
from tests.tgbot.calling import FRESH, HEADER, SECRET, Called, bot_of, called, look
from tests.tgbot.house import House
from tgbot import log
from tgbot.hall.play import Play
from tgbot.operator import actions
from tgbot.playground import Limits, Telegram
from tgbot.playground.server import running

__all__ = ["called"]

WEALTH = {"Anna": 73_411, "Ben": 52_813}
"""Numbers that are nowhere by chance."""
PASSWORD = "pa55-of-the-database"


def forms(number: int) -> set[str]:
    """How a number may be written."""
    return {str(number), f"{number:,}", f"{number:,}".replace(",", "."), f"{number:_}"}


async def rich(house: House) -> None:
    """Anna and Ben own so much that one would know it again."""
    for person, ref in ((house.anna, "Anna"), (house.ben, "Ben")):
        house.say(person, "/start", house.private(person))
        await house.breathe(1)
        coins = WEALTH[ref] - house.coins(person)
        give = partial(actions.grant, bot_of(house).front.people, str(person.id), coins)
        await bot_of(house).clerk.run(partial(give, "a gift", f"key {ref}", now=1))


async def everything_fails(house: House, wire: Any, patch: pytest.MonkeyPatch) -> None:
    """One of every kind of failure while Anna and Ben play and look at what they own."""
    telegram = house.telegram
    await house.stake(5)
    await house.begin(house.anna, house.ben, house.cem)
    board = house.board()
    telegram.faults.timeout_after_next = 2
    await house.ask(house.anna, "/points", house.private(house.anna))
    telegram.faults.error_5xx_next = 2
    await house.ask(house.anna, "/points")
    telegram.faults.flood_next = 1
    house.say(house.anna, "/give 30 @nobody")
    house.say(house.anna, "/give 999999 @nobody")
    await house.breathe(5)
    telegram.faults.bad_request_answers_next = 2
    await house.press(house.ben, "d4", board)
    with patch.context() as broken:
        broken.setattr(Play, "press", lambda *args: {}["oops"])
        await house.press(house.anna, "d4", board)
    with no_room(house):
        await house.press(house.anna, "d6", board)
        await house.breathe(8)
    for headers in ({}, {HEADER: SECRET[:-1]}):
        await wire.post({"update_id": FRESH}, headers=headers)
    await wire.post({"update_id": FRESH, "message": 7})
    await wire.post(b"{")
    await house.breathe(5)


async def test_a_day_on_which_everything_fails_tells_no_secret_and_nobodys_numbers(
    called: Called, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, wire = called
    house.excused |= {"errors", "refusals"}
    log.setup("debug")
    await rich(house)
    await house.stop()
    await house.start()  # which tells Telegram the secret
    await everything_fails(house, wire, monkeypatch)

    pages = [await look(house, path) for path in ("/metrics", "/healthz", "/", "/nowhere")]
    answers = [f"{status} {body!r}" for status, body in wire.responses if status != 200]
    logged = capsys.readouterr().err

    assert "Traceback" in logged
    assert "disk I/O error" in logged
    dice = house.secrets()[house.table().id]
    told = "\n".join([logged, *(f"{page.headers} {page.text}" for page in pages), *answers])
    public = "\n".join(filter(None, (m.text for m in house.telegram.messages(house.group))))
    for word in (house.telegram.token.partition(":")[2], SECRET, dice.hex(), str(dice)):
        assert word not in told + public
    for coins in (house.coins(house.anna), house.coins(house.ben), *WEALTH.values()):
        for form in forms(coins):
            assert form not in told + public


# -- the command line -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"DATABASE": f"postgresql://me:{PASSWORD}@127.0.0.1:9/x"},
        {"DATABASE": f"postgresql://me:{PASSWORD}@127.0.0.1:99999/x"},
        {"DATABASE": f"postgres//me:{PASSWORD}@127.0.0.1/x"},
        {"DATABASE": f"mysql://me:{PASSWORD}@127.0.0.1/x"},
        {"DATABASE": f"postgresql://me:{PASSWORD}@[127.0.0.1/x"},
        {"WEBHOOK_SECRET": f"{PASSWORD} with spaces", "WEBHOOK_URL": "https://dice.example.org/x"},
        {"WEBHOOK_SECRET": PASSWORD, "WEBHOOK_PORT": "none"},
        {"BOT_TOKEN": f"12345:{PASSWORD}"},
        {"BOT_TOKEN": TOKEN + PASSWORD, "LANGUAGE": "fr"},
    ],
    ids=lambda settings: " ".join(settings.values()).replace(PASSWORD, "…")[:50],
)
def test_what_is_set_wrong_is_told_without_the_secret_in_it(
    dicehall: Run, settings: dict[str, str]
) -> None:
    given = {"BOT_TOKEN": TOKEN, "BOT_API": "http://127.0.0.1:9", "LOG_LEVEL": "debug", **settings}

    said = dicehall("run", "--webhook", **given)

    said.refused()
    for secret in (PASSWORD, TOKEN.partition(":")[2]):
        assert secret not in said.err


# -- the playground ---------------------------------------------------------------------------


@pytest.mark.real_time
async def test_the_pages_of_the_playground_hold_no_token_and_no_secret() -> None:
    telegram = Telegram(limits=Limits(off=True))
    anna = telegram.person("Anna")
    telegram.group("Round", anna)
    hook = {"url": "http://127.0.0.1:9/x", "secret_token": SECRET}
    async with running(telegram, port=0) as address, aiohttp.ClientSession(address) as browser:
        await browser.post(f"/bot{telegram.token}/setWebhook", json=hook)
        told = []
        for path in ("/", "/api/world", "/nowhere", "/bot1:x/getMe", "/files/1", "/static/x"):
            async with browser.get(path) as page:
                told.append(f"{page.headers} {await page.text()}")
        for what in ({}, {"do": "nothing"}, {"do": "say", "person": 0}):
            async with browser.post("/api/do", json=what) as page:
                told.append(f"{page.headers} {await page.text()}")

    assert "Anna" in told[1]
    for word in (telegram.token.partition(":")[2], SECRET):
        assert word not in "\n".join(told)
