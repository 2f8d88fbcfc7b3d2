"""The same over HTTP: stock transport, webhook, and the page's interface."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx
import pytest
import pytest_asyncio
from aiohttp import web as web_server
from aiohttp.test_utils import TestServer
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import InvalidToken, NetworkError, RetryAfter
from telegram.request import BaseRequest, HTTPXRequest

from tests.playground.hall import Hall
from tests.playground.test_refusals import PNG
from tgbot.http.client import AiohttpRequest
from tgbot.playground import Telegram, webhook
from tgbot.playground.server import running, serve_async
from tgbot.playground.start import furnish

GO = InlineKeyboardMarkup([[InlineKeyboardButton("Go & <go>", callback_data="go")]])


@pytest_asyncio.fixture
async def base(hall: Hall) -> AsyncIterator[str]:
    """The address of a server for the hall."""
    async with running(hall.telegram, port=0) as address:
        yield address


@pytest_asyncio.fixture
async def web(base: str) -> AsyncIterator[httpx.AsyncClient]:
    """A browser, so to speak."""
    async with httpx.AsyncClient(base_url=base, trust_env=False) as client:
        yield client


@pytest_asyncio.fixture
async def bot(hall: Hall, base: str) -> AsyncIterator[Bot]:
    """python-telegram-bot with its own transport."""
    async with Bot(hall.telegram.token, base_url=f"{base}/bot") as each:
        yield each


@pytest.mark.parametrize("transport", [HTTPXRequest, AiohttpRequest])
async def test_either_transport_sends_edits_polls_and_uploads(
    hall: Hall, base: str, transport: type[BaseRequest]
) -> None:
    async with Bot(hall.telegram.token, base_url=f"{base}/bot", request=transport()) as bot:
        sent = await bot.send_message(hall.group.id, "<b>42</b> &amp; 🎲", "HTML", reply_markup=GO)
        assert sent.text_html == "<b>42</b> &amp; 🎲"
        assert sent.reply_markup == GO
        number = await bot.edit_message_text("123", hall.group.id, sent.message_id)
        assert not isinstance(number, bool)
        assert number.text == "123"
        hall.telegram.press_data(hall.ben, hall.group, sent.message_id, "go")
        (update,) = await bot.get_updates(timeout=1, allowed_updates=["callback_query"])
        assert update.callback_query is not None
        await bot.answer_callback_query(update.callback_query.id, "true")
        assert [each.text for each in hall.telegram.toasts(hall.ben)] == ["true"]
        photo = await bot.send_photo(hall.group.id, PNG, caption="{x}")
        assert photo.caption == "{x}"
        assert hall.telegram.photos[photo.photo[0].file_id].data == PNG
        file = await bot.send_document(hall.group.id, b"--\r\n{}", filename='a "b" ü.json')
        assert file.document is not None
        assert hall.telegram.documents[file.document.file_id].data == b"--\r\n{}"


async def test_a_long_poll_answers_as_soon_as_somebody_acts(hall: Hall, bot: Bot) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=10))
    asyncio.get_running_loop().call_later(
        0.005, hall.telegram.say, hall.anna, hall.telegram.private(hall.anna), "hi"
    )
    (update,) = await poll
    assert update.message is not None
    assert update.message.text == "hi"


async def test_faults_reach_the_stock_transport(hall: Hall, bot: Bot) -> None:
    faults, group = hall.telegram.faults, hall.group
    faults.flood_next = 1
    with pytest.raises(RetryAfter):
        await bot.send_message(group.id, "x")
    faults.timeout_before_next = 1
    with pytest.raises(NetworkError):
        await bot.send_message(group.id, "lost")
    faults.timeout_after_next = 1
    with pytest.raises(NetworkError):
        await bot.send_message(group.id, "arrived")
    texts = [each.text for each in hall.telegram.messages(group) if each.service is None]
    assert texts == ["arrived"]


async def test_a_wrong_token_is_401_and_an_unreadable_body_400(
    hall: Hall, base: str, web: httpx.AsyncClient
) -> None:
    with pytest.raises(InvalidToken):
        async with Bot("1000001:WRONG", base_url=f"{base}/bot"):
            pass
    path = f"/bot{hall.telegram.token}/sendMessage"
    answer = await web.post(path, content=b"{", headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["ok"]) == (400, False)
    answer = await web.post(path, data={"chat_id": "1", "reply_markup": "{"})
    assert answer.status_code == 400


async def test_json_and_query_parameters_are_taken_too(hall: Hall, web: httpx.AsyncClient) -> None:
    path = f"/bot{hall.telegram.token}/sendMessage"
    markup = {"inline_keyboard": [[{"text": "x", "callback_data": "1"}]]}
    for given in (markup, json.dumps(markup)):
        body = {"chat_id": hall.group.id, "text": "17", "reply_markup": given}
        answer = (await web.post(path, json=body)).json()
        assert answer["result"]["reply_markup"] == markup
    answer = (await web.get(path, params={"chat_id": hall.group.id, "text": "1"})).json()
    assert answer["result"]["text"] == "1"


async def test_a_webhook_gets_updates_with_the_secret_until_it_takes_them(
    hall: Hall, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "_FIRST_RETRY_S", 0.001)
    got: list[tuple[str | None, int]] = []
    finished = asyncio.Event()

    async def hook(request: web_server.Request) -> web_server.Response:
        update = await request.json()
        got.append((request.headers.get("X-Telegram-Bot-Api-Secret-Token"), update["update_id"]))
        if len(got) == 1:
            return web_server.Response(status=500)
        if len(got) == 2:
            return web_server.Response()
        finished.set()
        reply = {"method": "sendMessage", "chat_id": hall.group.id, "text": "by the way"}
        return web_server.json_response(reply)

    receiver = web_server.Application()
    receiver.router.add_post("/hook", hook)
    async with TestServer(receiver) as server:
        url = str(server.make_url("/hook"))
        await bot.set_webhook(url, secret_token="s3cret", max_connections=1)
        hall.telegram.press_data(hall.ben, hall.group, 1, "a")
        hall.telegram.press_data(hall.ben, hall.group, 1, "b")
        await finished.wait()
        while hall.telegram.queue.pending:
            await bot.get_webhook_info()
        await bot.delete_webhook()
    first = got[0][1]
    assert got == [("s3cret", first), ("s3cret", first), ("s3cret", first + 1)]
    assert hall.telegram.last(hall.group).text == "by the way"


async def test_several_workers_get_the_calls_in_turn_and_a_dead_one_is_passed_over() -> None:
    telegram = Telegram()
    answers: dict[str, int] = {"http://one": 200, "http://two": 200}
    called: list[str] = []

    async def post(url: str, body: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        worker, _, path = url.rpartition("/")
        called.append(worker.removeprefix("http://"))
        assert path == "hook"
        if not answers[worker]:
            raise aiohttp.ServerDisconnectedError
        return answers[worker], "2", b""

    async def ask() -> tuple[int, list[str]]:
        called.clear()
        status, _, _ = await balancer.post("https://dice.example.org/hook", "{}", {})
        return status, called[:]

    balancer = webhook.Balancer(telegram, post)
    telegram.workers = tuple(answers)

    first = [(await ask())[1][0] for _ in range(4)]
    answers["http://one"] = 0
    failed = [await ask() for _ in range(4)]
    answers["http://two"] = 502
    none = await ask()
    answers["http://two"] = 0
    dead = await ask()

    assert sorted(first) == ["one", "one", "two", "two"]
    assert {status for status, _ in failed} == {200}
    assert sum(workers == ["one", "two"] for _, workers in failed) == 1
    assert sum(workers == ["two"] for _, workers in failed) == 3
    assert (none[0], sorted(none[1])) == (502, ["one", "two"])
    assert (dead[0], sorted(dead[1])) == (502, ["one", "two"])


async def test_the_page_gets_the_whole_world(hall: Hall, bot: Bot, web: httpx.AsyncClient) -> None:
    await bot.set_my_commands([("dice", "throw")])
    await bot.send_message(hall.group.id, "<b>x</b> &lt;", "HTML", reply_markup=GO)
    world = (await web.get("/api/world")).json()
    assert world["bot"] == {"id": 1000001, "username": "dicehall_bot", "first_name": "Dicehall"}
    assert [each["first_name"] for each in world["people"]] == ["Anna", "Ben", "Cem"]
    commands = [{"command": "dice", "description": "throw"}]
    assert world["menus"] == [{"scope": "default", "language": "", "commands": commands}]
    assert world["faults"]["latency_s"] == 0
    group = next(each for each in world["chats"] if each["id"] == hall.group.id)
    assert group["members"][0] == {"id": hall.anna.id, "status": "creator"}
    message = group["messages"][-1]
    assert message["html"] == "<b>x</b> &lt;"
    assert message["buttons"] == [[{"text": "Go & <go>", "data": "go"}]]
    assert message["sender"] == {"id": 1000001, "name": "Dicehall", "is_bot": True}


async def test_the_page_makes_people_act(hall: Hall, web: httpx.AsyncClient) -> None:
    async def do(what: str, **fields: Any) -> Any:
        answer = await web.post("/api/do", json={"do": what, **fields})
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    anna, ben = hall.anna.id, hall.ben.id
    dora = (await do("person", first_name="Dora", language_code="de", chat=hall.group.id))["id"]
    said = await do("say", person=dora, chat=hall.group.id, text="/d@dicehall_bot")
    await do("edit", person=dora, chat=hall.group.id, message_id=said["id"], text="oops")
    await do("delete", chat=hall.group.id, message_id=said["id"])
    await do("promote", chat=hall.group.id, person=dora, status="administrator")
    await do("language", person=ben, language_code="de")
    query = await do("press", person=ben, chat=hall.group.id, message_id=1, data="x")
    assert hall.telegram.toast(query["query_id"]) is None
    await do("leave", chat=hall.group.id, person=dora)
    await do("join", chat=hall.group.id, person=dora)
    forum = (await do("group", title="F", people=[anna, ben], forum=True))["id"]
    assert (await do("topic", chat=forum, name="Dice"))["id"] == 2
    await do("close_topics", chat=forum)
    await do("kick", chat=forum)
    await do("readd", chat=forum)
    await do("block", person=anna)
    await do("unblock", person=anna)
    small = (await do("group", title="K", people=[anna], forum=False, supergroup=False))["id"]
    assert (await do("migrate", chat=small))["type"] == "supergroup"
    assert (await do("faults", latency_s=0.001))["latency_s"] == 0.001


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"do": "fly"}, "There is nothing like 'fly' to do."),
        ({"do": "say", "person": 1}, "There is no person 1."),
        ({"do": "say", "person": 2000001, "chat": 5}, "There is no chat 5."),
        ({"do": "say", "person": 2000001, "chat": 2000002, "text": "x"}, "Anna is not in"),
        ({"do": "migrate", "chat": 2000001}, "Only a plain group can become a supergroup."),
        ({"do": "faults", "speed": 1}, "There is no fault 'speed'."),
        ([], "The body must be a JSON object."),
    ],
)
async def test_what_cannot_be_done_is_told_in_a_sentence(
    web: httpx.AsyncClient, body: Any, error: str
) -> None:
    answer = await web.post("/api/do", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(error)


async def test_another_web_page_cannot_act(web: httpx.AsyncClient) -> None:
    body = b'{"do":"person","first_name":"x"}'
    answer = await web.post("/api/do", content=body, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 400


CALL = "/bot1000001:PLAYGROUND/deleteWebhook"


@pytest.mark.parametrize("path", ["/api/world", "/api/events", CALL, "/files/1", "/"])
@pytest.mark.parametrize(
    "host", ["evil.example:8081", "127.0.0.1.evil.example", "localhost.", "[x"]
)
async def test_a_site_that_makes_its_name_lead_here_reads_nothing(
    web: httpx.AsyncClient, path: str, host: str
) -> None:
    answer = await web.get(path, headers={"Host": host})
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/api/world", CALL])
@pytest.mark.parametrize(
    "sent",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:3000"},
    ],
)
async def test_a_page_of_another_site_reaches_nothing(
    web: httpx.AsyncClient, path: str, sent: dict[str, str]
) -> None:
    assert (await web.get(path, headers=sent)).status_code == 403
    assert (await web.post(path, json={}, headers=sent)).status_code == 403
    assert (await web.get("/", headers=sent)).status_code == 200  # a link may lead here


async def test_the_page_reaches_everything_by_whatever_this_machine_is_called(
    web: httpx.AsyncClient,
) -> None:
    for host in ("localhost:8081", "127.0.0.1:8081", "[::1]:8081"):
        sent = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        assert (await web.get("/api/world", headers=sent)).status_code == 200


async def test_events_arrive_as_they_happen(hall: Hall, web: httpx.AsyncClient) -> None:
    async with web.stream("GET", "/api/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = (line async for line in stream.aiter_lines() if line.startswith("data: "))
        hello = json.loads((await anext(lines)).removeprefix("data: "))
        assert hello["type"] == "hello"
        hall.telegram.say(hall.anna, hall.group, "<hi>")
        hall.telegram.faults.set({"flood_next": 1})
        await hall.telegram.call("sendMessage", {"chat_id": hall.group.id, "text": "x"})
        said = json.loads((await anext(lines)).removeprefix("data: "))
        struck = json.loads((await anext(lines)).removeprefix("data: "))
    assert (said["type"], said["message"]["html"]) == ("message", "&lt;hi&gt;")
    assert (struck["type"], struck["faults"]["flood_next"]) == ("faults", 0)


async def test_what_happened_in_a_group_is_told_so_that_the_page_can_say_it_in_any_language(
    hall: Hall, web: httpx.AsyncClient
) -> None:
    small = hall.telegram.group("K", hall.anna, supergroup=False)
    dora = hall.telegram.person("Dora", last_name="Ü")
    hall.telegram.join(small, dora)
    hall.telegram.leave(small, dora)
    big = hall.telegram.migrate(small)
    forum = hall.telegram.group("F", hall.anna, forum=True)
    hall.telegram.topic(forum, "Würfel")

    world = (await web.get("/api/world")).json()

    chats = {chat["id"]: [m["service"] for m in chat["messages"]] for chat in world["chats"]}
    added = {"kind": "added", "names": ["Anna", "Dicehall"]}
    assert chats[small.id] == [
        added,
        {"kind": "joined", "names": ["Dora Ü", "Dora Ü"]},
        {"kind": "left", "names": ["Dora Ü"]},
        {"kind": "migrated", "names": []},
    ]
    assert chats[big.id] == [{"kind": "migrated", "names": []}]
    assert chats[forum.id] == [added, {"kind": "topic", "names": ["Würfel"]}]


async def test_times_in_a_quote_go_on_running(hall: Hall, bot: Bot, web: httpx.AsyncClient) -> None:
    time = '<tg-time unix="1800000000" format="r">1757 s</tg-time>'
    body = f"🎲 <b>&lt;x&gt;</b> {time} {'y' * 100} {time}"
    board = await bot.send_message(hall.group.id, body, parse_mode="HTML")
    hall.telegram.say(hall.anna, hall.group, "aha", reply_to=board.message_id)

    world = (await web.get("/api/world")).json()

    group = next(each for each in world["chats"] if each["id"] == hall.group.id)
    quoted = group["messages"][-1]["reply_to"]["html"]
    shown = '🎲 &lt;x&gt; <time data-unix="1800000000" data-format="r">1757 s</time> y'
    assert quoted.startswith(shown)
    assert quoted.endswith("y…")


async def test_the_page_is_told_the_commands_of_every_scope_and_language(
    hall: Hall, bot: Bot, web: httpx.AsyncClient
) -> None:
    for scope, language in (("default", ""), ("all_group_chats", "de")):
        commands = [{"command": "x", "description": f"{scope} {language}"}]
        form = {"commands": commands, "scope": {"type": scope}, "language_code": language}
        await hall.result("setMyCommands", **form)

    menus = (await web.get("/api/world")).json()["menus"]

    assert [(menu["scope"], menu["language"]) for menu in menus] == [
        ("default", ""),
        ("all_group_chats", "de"),
    ]
    assert menus[1]["commands"] == [{"command": "x", "description": "all_group_chats de"}]


async def test_photos_are_served(hall: Hall, bot: Bot, web: httpx.AsyncClient) -> None:
    await bot.send_photo(hall.group.id, PNG)
    world = (await web.get("/api/world")).json()
    group = next(each for each in world["chats"] if each["id"] == hall.group.id)
    answer = await web.get(group["messages"][-1]["photo"])
    assert answer.content == PNG
    assert (await web.get("/files/other")).status_code == 404


async def test_the_world_begins_with_three_people_in_a_group() -> None:
    telegram = Telegram()
    group = furnish(telegram)
    people = [(each.first_name, each.language_code) for each in telegram.people.values()]
    assert people == [("Anna", "de"), ("Ben", "en"), ("Cem", "de")]
    assert (group.title, next(iter(group.members.values()))) == ("Würfelrunde", "creator")


async def test_the_page_itself_is_there(web: httpx.AsyncClient) -> None:
    answer = await web.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")


async def test_serving_ends_when_it_is_cancelled_and_frees_the_port(hall: Hall) -> None:
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_async(hall.telegram, port=0, on_ready=ready.set_result))
    address = await ready
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"{address}/api/world")).status_code == 200
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(httpx.HTTPError):
            await client.get(f"{address}/api/world")
