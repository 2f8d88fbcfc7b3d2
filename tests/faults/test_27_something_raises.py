"""A handler, a due row or the error handler raises: logged, counted, the game intact."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Any

import pytest

from economy.database import connect, shut
from economy.trust import Unsaved, trusts
from games.game import Refusal
from tests.postgres import database
from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import KINDS, codes, data, painted, place, seen, thrown
from tgbot.app import clerk_for
from tgbot.done import Done
from tgbot.hall.lobby import Lobby
from tgbot.hall.settle import Settling
from tgbot.hall.table import Table
from tgbot.inbound.front import Front
from tgbot.inbound.limits import VERIFIES_A_MINUTE
from tgbot.outbound import layouts
from tgbot.soak.virtual import now

ROUND_S = 25
GRACE_S = 60


async def test_an_update_whose_handler_raises_is_logged_and_the_others_go_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.ask(house.anna, "/fifty")
    join = Lobby.join

    def broken(lobby: Lobby, person: Any, *more: Any) -> Done:
        if person.user_id == house.ben.id:
            raise ZeroDivisionError
        return join(lobby, person, *more)

    monkeypatch.setattr(Lobby, "join", broken)
    for person in (house.anna, house.ben, house.cem):
        house.telegram.press(person, house.group, house.board().id, "✅")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.cem]
    assert house.log.said("ERROR") == ["an update failed"]
    toast = house.telegram.toasts(house.ben)[-1]
    assert (toast.text, toast.alert) == (house.says("refused.broken"), True)
    assert house.bot
    assert house.bot.front.errors == 1


async def test_a_failed_update_writes_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.stake(5)
    await house.ask(house.anna, "/fifty")
    save = "tgbot.hall.tables.Tables.save"

    async with house.nothing_written():
        with monkeypatch.context() as broken:
            broken.setattr(save, lambda *args: 1 / 0)
            await house.press(house.ben, "✅")
    await house.press(house.ben, "✅")

    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == 5


async def test_a_settlement_that_fails_leaves_the_game_as_it_was_and_is_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # two are late at once: the first lowest die stands already when the second one settles
    house.excused.add("errors")
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS[:2]:
        for person in (house.anna, house.ben):
            await house.score(person, pool, 10)
        await house.breathe(3)
    before = thrown(house)
    with monkeypatch.context() as broken:
        broken.setattr(Settling, "settle", lambda *args: 1 / 0)
        house.rolls = [2, 1]
        await house.breathe(ROUND_S + 3)
        failed = thrown(house)

    house.rolls = [2, 1]
    await house.breathe(GRACE_S + 3)

    assert failed == before
    assert thrown(house) == [*before, (0, "late"), (1, "late")]
    assert house.table().status == "over"
    assert house.log.said("ERROR") == ["a due row could not be fired"]
    assert "🥇 Anna 22 (10 + 10 + 2)" in house.board().text


async def test_after_a_failed_settlement_the_game_can_be_played_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS[:2]:
        for person in (house.anna, house.ben):
            await house.score(person, pool, 10)
        await house.breathe(3)
    with monkeypatch.context() as broken:
        broken.setattr(Settling, "settle", lambda *args: 1 / 0)
        house.rolls = [2, 1]
        await house.breathe(ROUND_S + 3)

    await house.throw(house.anna, "8", 5)
    await house.throw(house.ben, "8", 4)
    await house.breathe(3)

    assert thrown(house)[-2:] == [(0, "8"), (1, "8")]
    assert house.table().status == "over"


async def test_a_listener_that_fails_does_not_end_the_thread_everything_waits_for(
    house: House,
) -> None:
    house.excused.add("errors")
    assert house.bot
    house.bot.clerk.on_commit.insert(0, lambda: 1 / 0)

    await house.ask(house.anna, "/fifty")
    house.bot.clerk.on_commit.pop(0)
    await house.press(house.anna, "✅")

    assert house.table().people == [house.anna]
    assert set(house.log.said("ERROR")) == {"a listener of the database thread failed"}


async def test_a_board_that_cannot_be_drawn_stops_nothing_else(
    strict_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = strict_house
    house.excused.add("errors")
    await house.open(house.anna, house.ben, start=False)
    house.limits(15, 22, 13)

    def broken(table: Table) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(layouts.BY_STATUS, "running", broken)
    await house.press(house.anna, "▶️")
    await house.breathe(3)
    answer = await house.ask(house.cem, "/play")
    monkeypatch.undo()
    await house.score(house.anna, "4+20", 5)
    await house.breathe(5)

    assert answer == house.says("menu.title")
    assert house.log.said("ERROR") == ["a board could not be drawn"]
    assert "✅ Anna" in house.board().text


async def test_a_note_that_cannot_be_made_stops_nothing_else(strict_house: House) -> None:
    house = strict_house
    house.excused.add("errors")
    assert house.bot
    words = house.bot.words
    broken, words.names = words.names, {}

    house.say(house.anna, "/start")
    await house.breathe(3)
    words.names = broken
    await house.breathe(10)
    answer = await house.ask(house.anna, "/play")

    assert answer == house.says("menu.title")
    assert house.log.said("ERROR") == ["a chat could not be served"]


async def test_an_error_is_logged_with_its_chat_and_counted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    records: list[logging.LogRecord] = []
    monkeypatch.setattr(house.log, "emit", records.append)
    await house.ask(house.anna, "/fifty")

    with monkeypatch.context() as broken:
        broken.setattr(Lobby, "join", lambda *args: 1 / 0)
        await house.press(house.ben, "✅")
        house.say(house.cem, "/d +")
        await house.breathe(2)

    errors = [record.msg for record in records if record.levelname == "ERROR"]
    assert [error["event"] for error in errors] == ["an update failed"] * 2
    assert {error["chat"] for error in errors} == {house.group.id}
    assert house.bot
    assert house.bot.front.errors == 2
    assert house.table().people == [house.anna]


@KINDS
@pytest.mark.parametrize("part", ["tgbot.hall.play.Play._act", "tgbot.hall.move_rows.MoveRows.add"])
async def test_a_move_that_raises_leaves_every_game_as_it_was(
    house: House, monkeypatch: pytest.MonkeyPatch, kind: str, part: str
) -> None:
    house.excused.add("errors")
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    await house.open(*people, kind=kind)
    await painted(house)
    table = seen(house, house.table().id)
    assert table
    board = house.telegram.last(place(house, table, 0), buttons=True)
    move = next(code for code in codes(board) if code in ("throw", "roll"))
    if kind == "fifty":
        await house.press(house.anna, "d4")
    player = people[table.phase(0).actors[0]]

    async with house.nothing_written():
        with monkeypatch.context() as broken:
            broken.setattr(part, lambda *args: 1 / 0)
            failed = await house.press(player, data(board, move), board)
    moved = await house.press(player, data(board, move), board)

    assert failed == house.says("refused.broken")
    assert moved != failed
    assert len(thrown(house)) == 1


async def test_the_error_handler_itself_raises_and_the_bot_goes_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.ask(house.anna, "/fifty")
    with monkeypatch.context() as broken:
        broken.setattr(Lobby, "join", lambda *args: 1 / 0)
        broken.setattr(Front, "failed", lambda *args: 1 / 0)
        await house.press(house.ben, "✅")
        house.say(house.ben, "/d +")
        await house.breathe(2)

    toast = await house.press(house.ben, "✅")

    assert toast == house.says("lobby.joined")
    assert house.log.said("ERROR")


@pytest.mark.parametrize("kind", ["game", "jackpot", "period", "robin", "robin_day", "audit"])
async def test_a_due_row_that_raises_holds_up_no_other_and_is_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    house.excused.add("errors")
    assert house.bot
    other = house.telegram.group("Other", house.anna, house.ben)
    await house.breathe(3)
    await house.ask(house.anna, "/fifty", other)
    fire, tried = house.bot.clock.fire, []

    def broken(ref: str, now: int) -> Done:
        tried.append(now)
        raise ZeroDivisionError

    monkeypatch.setitem(fire, kind, broken if kind != "game" else fire[kind])
    if kind == "game":
        await house.ask(house.ben, "/fifty")
        game_id = house.table().id
        expire = fire["game"]
        monkeypatch.setitem(
            fire, "game", lambda ref, now: (broken if ref == game_id else expire)(ref, now)
        )
    else:
        store = house.bot.hall.store
        await house.bot.clerk.run(lambda: store.due.set(kind, "x", int(now()) + 10))

    await house.breathe(200)

    assert house.table(other).status == "off"
    assert len(tried) >= 2
    assert min(later - earlier for earlier, later in pairwise(tried)) >= 60 - 1
    assert set(house.log.said("ERROR")) == {"a due row could not be fired"}


async def test_a_look_of_the_clock_that_raises_is_not_the_last(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.begin(house.anna, house.ben)
    assert house.bot
    with monkeypatch.context() as broken:
        broken.setattr(house.bot.clock, "_due", lambda now: 1 / 0)
        await house.breathe(ROUND_S + 3)

    await house.breathe(700)  # in tests the regular look comes every ten minutes

    assert thrown(house)[:2] == [(0, "late"), (1, "late")]


async def test_an_answer_that_cannot_be_worded_fails_alone(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.ask(house.anna, "/fifty")
    with monkeypatch.context() as broken:
        broken.setattr("tgbot.words.Words.plain", lambda *args: 1 / 0)
        await house.press(house.ben, "✅")

    await house.press(house.cem, "✅")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.ben, house.cem]
    assert "Cem" in house.board().text


async def test_an_update_that_cannot_be_read_stops_no_other(house: House) -> None:
    house.excused |= {"errors", "refusals"}
    queue, who, chat = house.telegram.queue, house.ben.user(), house.group.json()
    await house.open(house.anna, start=False)

    queue.push("callback_query", {"id": "9", "from": who, "chat_instance": "1"})
    queue.push("message", {"message_id": "x", "date": "later", "chat": chat})
    queue.push("message", {"message_id": 1, "date": 1, "chat": chat})
    queue.push("my_chat_member", {"chat": chat})
    toast = await house.press(house.ben, "✅")
    queue.push("message", 7)
    await house.press(house.cem, "✅")
    await house.away(60)

    assert toast == house.says("lobby.joined")
    assert house.table().people == [house.anna, house.ben, house.cem]
    unread, failed = "an update could not be read", "an update failed"
    assert sorted(house.log.said("ERROR")) == [unread, unread, failed]


def do_all_twice(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every use case is done once in vain, as where one of its transaction has to be undone."""
    assert house.bot
    run = house.bot.clerk.run

    def twice(work: Callable[[], Any], lane: int = 0) -> asyncio.Future[Any]:
        def again() -> Any:
            done = work()
            if trusts():
                raise Unsaved
            return done

        return run(again, lane)

    monkeypatch.setattr(house.bot.clerk, "run", twice)


async def test_what_is_done_again_is_booked_and_counted_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    do_all_twice(house, monkeypatch)
    await house.stake(5)
    await house.game({house.anna: (2, 3, 4), house.ben: (3, 4, 5)})
    code = f"{house.table().id}:0:verify"
    said = [await house.forge(house.cem, code) for _ in range(VERIFIES_A_MINUTE + 1)]

    assert house.coins(house.anna) + house.coins(house.ben) == 2 * 10
    assert house.coins(house.ben) > 10
    too_fast = house.says("refused.too_fast", "de")
    assert [toast == too_fast for toast in said] == [False] * VERIFIES_A_MINUTE + [True]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_who_fails_among_many_undoes_only_itself_and_most_is_done_once(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path / 'group.db'}"
        if kind == "postgres":
            url = stack.enter_context(database(request.getfixturevalue("postgres")))
        db = connect(url)
        db.execute_sql("CREATE TABLE noted (n INTEGER)")
        db.close()
        clerk, begun, go_on = clerk_for(db), threading.Event(), threading.Event()
        done = Counter[str]()

        def hold() -> None:
            begun.set()
            go_on.wait()

        def note(what: str, n: int) -> None:
            done[what] += 1
            db.execute_sql(f"INSERT INTO noted VALUES ({n})")

        def refused() -> None:
            done["refused"] += 1
            raise Refusal("refused.no_game")

        def failed() -> None:
            note("failed", 2)
            raise ZeroDivisionError

        async def group() -> list[BaseException | None]:
            clerk.start()
            before = clerk.run(hold, 1)
            await asyncio.to_thread(begun.wait)
            works = [partial(note, "first", 1), refused, failed, partial(note, "last", 3)]
            those = [clerk.run(work, 1) for work in works]
            go_on.set()
            came = await asyncio.gather(*those, return_exceptions=True)
            await before
            await clerk.stop()
            return came

        came = asyncio.run(group())
        noted = db.execute_sql("SELECT n FROM noted ORDER BY n").fetchall()
        shut(db)

    assert [type(it) for it in came] == [NoneType, Refusal, ZeroDivisionError, NoneType]
    assert noted == [(1,), (3,)]
    assert done == {"first": 2, "refused": 2, "failed": 2, "last": 1}
    assert clerk.commits == 2
