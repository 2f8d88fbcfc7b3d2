"""A webhook call without the secret: 403; the bot does not start a webhook without one."""

from __future__ import annotations

import json

import pytest

from tests.tgbot.calling import (
    HEADER,
    URL,
    Called,
    bot_of,
    called,
    client,
    hooked,
    number,
    press,
)
from tgbot.config import WrongSetting

__all__ = ["called"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        *({HEADER: said} for said in ("", "S3CRET_-", "s3cret_", "s3cret_-x", "ß", "s3cret_-, x")),
    ],
)
async def test_a_call_without_the_secret_gets_403_and_does_nothing(
    called: Called, headers: dict[str, str]
) -> None:
    house, wire = called
    await house.ask(house.anna, "/fifty")
    update = press(house, "✅")

    async with house.nothing_written():
        async with client(wire.app()) as caller:
            given = {name.encode(): value.encode() for name, value in headers.items()}
            answer = await caller.post(URL, content=json.dumps(update), headers=given)

    assert answer.status_code == 403
    assert await number(house, 'dicehall_webhook_refused_total{status="403"}') == 1


@pytest.mark.parametrize("secret", ["", " ", "a b", "ä", "x" * 257, "a\nb", "s3cret!", "'quoted'"])
def test_there_is_no_webhook_without_a_secret(secret: str) -> None:
    with pytest.raises(WrongSetting, match=r"^WEBHOOK_SECRET ") as refused:
        hooked(webhook_secret=secret).hook()
    assert not secret.strip() or secret not in str(refused.value)


async def test_a_flood_of_calls_without_the_secret_is_nobodys_work(called: Called) -> None:
    house, wire = called
    await house.ask(house.anna, "/fifty")
    update, jobs = press(house, "✅"), bot_of(house).clerk.jobs

    for n in range(200):
        answer = await wire.post(update | {"update_id": n + 1}, headers={HEADER: "guess"})
        assert answer.status_code == 403

    assert bot_of(house).clerk.jobs == jobs
    assert house.table().people == [house.anna]


async def test_the_secret_is_asked_for_before_the_body_is_read(called: Called) -> None:
    _, wire = called

    for body in (b"{", b" " * 10_000_000):
        assert (await wire.post(body, headers={})).status_code == 403
