"""One command from each of very many chats: memory is bounded, and idle chats cost nothing."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from economy import database, transactions
from economy.database import WAL_MOST
from tests.tgbot.house import House
from tgbot.outbound.painter import Painter

CHATS = 300
MOST = 50


def painter_of(house: House) -> Painter:
    """Who sends everything."""
    assert house.bot
    return house.bot.painter


async def test_what_waits_is_bounded_and_boards_come_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [house.telegram.person(f"P{n}") for n in range(CHATS)]
    groups = [house.telegram.group(f"G{n}", person) for n, person in enumerate(people)]
    await house.breathe(60)
    monkeypatch.setattr("tgbot.outbound.painter.MOST_WAITING_IN_ALL", MOST)
    before = len(asyncio.all_tasks())

    most = 0
    for n, group in enumerate(groups):
        house.say(people[n], "/play", group)
        if n % 20 == 0:
            await asyncio.sleep(0.01)
            most = max(most, len(asyncio.all_tasks()) - before)
    house.say(people[-1], "/fifty", groups[-1])
    await house.breathe(1)
    assert painter_of(house).backlog() <= MOST + 1
    await house.breathe(60)

    assert most <= 2 * MOST + 100  # a poll's updates are at work at once
    assert house.telegram.last(groups[-1], buttons=True).text
    assert painter_of(house).backlog() == 0


async def test_idle_chats_are_forgotten(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tgbot.outbound.painter.MOST_DESKS", 50)
    painter_of(house)._forget_at = 50
    for n in range(CHATS):
        house.telegram.group(f"G{n}", house.anna)
        if n % 30 == 29:
            await house.breathe(90)

    assert len(painter_of(house)._desks) <= 2 * 50


def test_the_wal_shrinks_again_after_a_long_reader(tmp_path: Path) -> None:
    url, wal = f"sqlite:///{tmp_path}/it.db", tmp_path / "it.db-wal"
    writer, reader = database.connect(url), database.connect(url)
    with contextlib.closing(reader), contextlib.closing(writer):
        writer.execute_sql("CREATE TABLE much (it BLOB) STRICT")
        with transactions.snapshot(reader):
            reader.execute_sql("SELECT count(*) FROM much").fetchone()
            for _ in range(3):
                writer.execute_sql("INSERT INTO much VALUES (zeroblob(?))", (WAL_MOST // 2,))
        grown = wal.stat().st_size
        writer.execute_sql("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        writer.execute_sql("INSERT INTO much VALUES (zeroblob(1))")

        assert grown > WAL_MOST
        assert wal.stat().st_size <= WAL_MOST
