"""The event loop or the database is busy for five seconds: deadlines fire late, once."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator
from functools import partial

import pytest
from peewee import OperationalError

from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, load, painted, thrown
from tgbot.done import NOTHING, Done
from tgbot.soak.virtual import VirtualLoop, now

BUSY_S = 5
STUCK_S = 20
THOUGHTS = 40
"""More than there are threads for everything else."""


def loop_busy() -> None:
    """The event loop does something else for a while: time passes, and nobody is called."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.moment += BUSY_S


@contextlib.asynccontextmanager
async def database_busy(house: House) -> AsyncIterator[None]:
    """The database thread does something else, and time passes all the same."""
    assert house.bot
    loop, over = asyncio.get_running_loop(), threading.Event()
    busy, loop.busy = loop.busy, []
    working = house.bot.clerk.run(over.wait)
    try:
        yield
    finally:
        over.set()
        loop.busy = busy
        await working


@pytest.mark.parametrize("before", [1, 3, 5])
async def test_a_deadline_while_the_loop_is_busy_fires_late_and_once(
    house: House, before: int
) -> None:
    await house.begin(house.anna, house.ben)
    await house.breathe(house.table().due_at - before - now())

    loop_busy()
    await house.breathe(4)

    assert thrown(house) == [(0, "late"), (1, "late")]
    assert "ound 2 of 3" in house.board().text


async def test_a_deadline_while_the_database_is_busy_fires_late_and_once(house: House) -> None:
    await house.begin(house.anna, house.ben)
    due = house.table().due_at
    await house.breathe(due - 2 - now())

    async with database_busy(house):
        await house.breathe(BUSY_S)
        assert now() > due
        assert thrown(house) == []
    await house.breathe(4)

    assert thrown(house) == [(0, "late"), (1, "late")]
    (late,) = house.sql("SELECT min(at) FROM moves WHERE seat >= 0")[0]
    assert due <= late <= due + BUSY_S + 1


async def test_what_people_did_while_the_database_was_busy_counts_before_the_deadline(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "d20")
    await house.breathe(house.table().due_at - 2 - now())

    async with database_busy(house):
        board = house.board()
        house.telegram.press(house.anna, house.group, board.id, "🎲")
        house.telegram.press(house.ben, house.group, board.id, "d12")
        house.telegram.press(house.ben, house.group, board.id, "🎲")
        await house.breathe(BUSY_S)
    await house.breathe(4)

    assert thrown(house) == [(0, "20"), (1, "12")]


@KINDS
async def test_busy_again_and_again_every_phase_of_every_game_ends_once(
    house: House, kind: str
) -> None:
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    load(house, kind)
    await house.open(*people, kind=kind)
    await painted(house)
    game_id = house.table().id

    for _ in range(600):
        loop_busy()
        await house.breathe(2)
        if house.table().status != "running":
            break
    await house.breathe(5)

    assert house.table().status == "over"
    assert house.held("escrow", game_id) == 0
    moves = house.sql("SELECT n FROM moves WHERE game_id = ? ORDER BY n", game_id)
    assert moves == [(n,) for n in range(len(moves))]
    assert house.sql("SELECT * FROM due WHERE kind = 'game'") == []


async def test_deadlines_of_many_chats_that_come_due_while_busy_fire_once_each(
    house: House,
) -> None:
    groups = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(20)]
    await house.breathe(3)
    for group in groups:
        house.say(house.anna, "/fifty", group)
    await house.breathe(88)

    loop_busy()
    loop_busy()
    await house.breathe(10)

    assert house.sql("SELECT DISTINCT status, count(*) FROM games GROUP BY status") == [("off", 20)]
    offs = [call for group in groups for call in house.calls("editMessageText", chat=group)]
    assert len(offs) == 20


async def test_of_many_updates_that_wait_for_a_database_one_line_is_written(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.begin(house.anna, house.ben)

    def away(*args: object) -> bool:
        raise OperationalError(sqlite3.OperationalError("disk I/O error"))

    monkeypatch.setattr("tgbot.inbound.front.first_time", away)
    for person in (house.anna, house.ben, house.cem) * 20:
        house.say(person, "/d ?")
    await house.breathe(2.5)
    monkeypatch.undo()
    await house.breathe(20)

    assert house.log.said("ERROR").count("an update has to wait") == 1
    assert "an update failed" not in house.log.said("ERROR")


async def test_of_many_deadlines_that_wait_for_a_database_one_line_is_written_and_all_fire_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    groups = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(20)]
    await house.breathe(3)
    for group in groups:
        house.say(house.anna, "/fifty", group)
    await house.breathe(60)

    def away(*args: object) -> bool:
        raise OperationalError(sqlite3.OperationalError("disk I/O error"))

    assert house.bot
    with monkeypatch.context() as patch:
        patch.setattr("tgbot.hall.due_dates.DueDates.still", away)
        await house.breathe(31)
    assert house.log.said("ERROR") == ["commit failed", "a due row could not be fired"]
    assert house.log.traced == []
    assert house.bot.clock.failures == 20

    await house.breathe(60)
    assert house.sql("SELECT DISTINCT status, count(*) FROM games GROUP BY status") == [("off", 20)]


# -- minds ------------------------------------------------------------------------------------


async def test_however_many_thoughts_wait_for_their_turn_nobody_else_waits_with_them(
    house: House,
) -> None:
    """What reads what somebody owns is done beside James's moves and hints, not behind them."""
    assert house.bot
    later, over, order = house.bot.later, threading.Event(), list[str]()

    def work(what: str) -> Done:
        if what != "read":
            over.wait(STUCK_S)
        order.append(what)
        return NOTHING

    thoughts = [
        asyncio.create_task(later.finish(Done(later=partial(work, f"thought {n}"), thinks=True)))
        for n in range(THOUGHTS)
    ]
    await asyncio.sleep(0)
    await later.finish(Done(later=partial(work, "read")))
    over.set()
    await asyncio.gather(*thoughts)

    assert order == ["read", *(f"thought {n}" for n in range(THOUGHTS))]


async def test_a_thought_that_was_not_begun_keeps_no_bot_from_ending(house: House) -> None:
    assert house.bot
    later, over, thinks, begun = house.bot.later, threading.Event(), threading.Event(), list[int]()

    def thought(n: int) -> Done:
        begun.append(n)
        thinks.set()
        over.wait(STUCK_S)
        return NOTHING

    thoughts = [
        asyncio.create_task(later.finish(Done(later=partial(thought, n), thinks=True)))
        for n in range(2)
    ]
    await asyncio.sleep(0)
    thinks.wait(STUCK_S)
    later.close()
    over.set()
    first, second = await asyncio.gather(*thoughts, return_exceptions=True)

    assert (begun, first) == ([0], NOTHING)
    assert isinstance(second, asyncio.CancelledError)
