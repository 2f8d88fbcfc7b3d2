"""The answer to a send is lost, in whatever way: what may have arrived is not sent twice."""

from __future__ import annotations

import socket

import pytest
from telegram import Bot
from telegram.error import NetworkError

from tests.tgbot.house import House
from tests.tgbot.playing import boards_with_keys
from tgbot.http.client import AiohttpRequest, CheckedRequest, NotSent

HALF = '{"ok":true,"result":{"message_id":7,"da'
WAYS = pytest.mark.parametrize(
    ("fault", "status", "body"),
    [
        ("timeout_after", 0, ""),
        ("reset_after", 0, ""),
        ("odd_after", 502, '{"ok":false,"error_code":502,"description":"Bad Gateway"}'),
        ("odd_after", 504, "<html>"),
        ("odd_after", 200, HALF),
        ("odd_after", 200, ""),
    ],
)


def lose(house: House, fault: str, status: int, body: str) -> None:
    """The next send arrives, and its answer does not."""
    faults = house.telegram.faults
    faults.only, faults.odd_status, faults.odd_body = "sendMessage", status, body
    setattr(faults, f"{fault}_next", 1)


@WAYS
async def test_a_board_that_may_have_arrived_leaves_no_second_one_with_buttons(
    strict_house: House, fault: str, status: int, body: str
) -> None:
    house = strict_house
    lose(house, fault, status, body)

    await house.ask(house.anna, "/fifty")
    await house.breathe(15)

    assert sum(house.says("lobby.seats", fewest=2, most=20) in said for said in house.heard()) == 2
    assert len(boards_with_keys(house)) == 1


@WAYS
async def test_an_answer_that_may_have_arrived_is_not_given_twice(
    strict_house: House, fault: str, status: int, body: str
) -> None:
    house = strict_house
    lose(house, fault, status, body)

    await house.ask(house.anna, "/play")
    await house.breathe(15)

    assert house.heard().count(house.says("menu.title")) == 1


@pytest.mark.real_time
async def test_only_without_a_connection_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    request = CheckedRequest(AiohttpRequest(), lambda method, outcome: None)
    bot = Bot("1:x", base_url=f"http://127.0.0.1:{port}/bot", request=request)
    await request.initialize()
    with pytest.raises(NotSent):
        await bot.send_message(1, "x")
    await request.shutdown()
    assert issubclass(NotSent, NetworkError)
