"""SURVIVE 41: a foreign lock, a lost worker, a cut connection, a restart of PostgreSQL.

Those who need what is locked wait for a bounded time, the others not at all.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from peewee import Database, OperationalError
from psycopg.pq import ExecStatus
from pydantic import SecretStr

from economy import postgres as postgres_db
from economy.audit import prove
from economy.database import SESSION, connect, shut, time_of
from economy.ledger import Overdrawn, mint
from economy.postgres import Server
from economy.trust import trusts
from tests.faults.test_42_versions import settings
from tests.postgres import database, server
from tests.process.test_workers import (
    House,
    boards_show_the_games,
    everything_adds_up,
    house,
    moves_are_what_people_did,
)
from tests.process.typed import ANNA, BEN, NOW, TOKEN, Run
from tgbot.database import open_database
from tgbot.hall import postgres_clerk
from tgbot.hall.hall import open_hall
from tgbot.hall.postgres_clerk import PostgresClerk
from tgbot.outbound.claims import LEASE_S, Claims
from tgbot.people.people import People, Who
from tgbot.playground import Chat

pytestmark = pytest.mark.real_time

SOON_S = 5
"""Far below how long anything here is locked, which is for ever."""
AWAY_S = 2
STUCK_S = 5
"""How long who needs what is locked waits in a test."""


@pytest.fixture
def url(postgres: str) -> Iterator[str]:
    with database(postgres) as url:
        db = open_database(settings(url))
        _, people = open_hall(db, settings(url))
        with db.atomic():
            people.meet(Who(ANNA, "Anna"), NOW)
        shut(db)
        yield url


@asynccontextmanager
async def served(url: str, threads: int = 2) -> AsyncIterator[tuple[PostgresClerk, People]]:
    """A worker's share, with as many threads."""
    db = connect(url)
    hall, people = open_hall(db, settings(url))
    clerk = PostgresClerk(db, threads)
    clerk.on_rollback.append(hall.tables.rolled_back)
    clerk.start()
    yield clerk, people
    await clerk.stop()


@asynccontextmanager
async def busy(clerk: PostgresClerk, lane: int) -> AsyncIterator[None]:
    """A use case of this lane is under way; what is handed in meanwhile is a group."""
    begun, go_on = threading.Event(), threading.Event()
    work = clerk.run(lambda: (begun.set(), go_on.wait()), lane)
    await asyncio.to_thread(begun.wait)
    yield
    go_on.set()
    await work


@pytest.mark.parametrize("row", ["kind = 'mint'", f"kind = 'wallet' AND ref = '{ANNA}'"])
async def test_41_a_lock_that_stays_keeps_nobody_from_joining_or_asking(url: str, row: str) -> None:
    with psycopg.connect(url) as foreign:
        foreign.execute(f"SELECT * FROM accounts WHERE {row} FOR UPDATE")
        async with served(url) as (clerk, people):
            newcomers = [
                clerk.run(partial(people.meet, Who(100 + n, f"P{n}"), NOW), 100 + n)
                for n in range(12)
            ]
            ben = await asyncio.wait_for(
                clerk.run(partial(people.meet, Who(BEN, "Ben"), NOW), BEN), SOON_S
            )
            points = clerk.run(partial(people.points, ben, NOW), BEN)
            await asyncio.wait_for(asyncio.gather(points, *newcomers), SOON_S)
            foreign.rollback()
            assert people.ledger.balance(mint()) == -10 * 14


async def test_41_who_needs_what_is_locked_waits_a_bounded_time_and_nobody_behind_another(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_clerk, "PATIENCE_S", STUCK_S)
    wallet = f"SELECT * FROM accounts WHERE kind = 'wallet' AND ref = '{ANNA}' FOR UPDATE"
    with psycopg.connect(url) as foreign:
        foreign.execute(wallet)
        async with served(url, threads=1) as (clerk, people):
            db = people.db
            stuck = [clerk.run(partial(locked, db, wallet), 7 + n) for n in range(3)]

            async with asyncio.timeout(STUCK_S - 1):
                for n in range(10):
                    await clerk.run(partial(people.meet, Who(100 + n, f"P{n}"), NOW), 100 + n)
            came = await asyncio.wait_for(asyncio.gather(*stuck, return_exceptions=True), 60)
            assert all(isinstance(one, OperationalError) for one in came)


async def test_41_what_was_locked_is_done_once_it_is_free_and_the_lane_keeps_its_order(
    url: str,
) -> None:
    wallet = f"SELECT * FROM accounts WHERE kind = 'wallet' AND ref = '{ANNA}' FOR UPDATE"
    order: list[int] = []
    with psycopg.connect(url) as foreign:
        foreign.execute(wallet)
        async with served(url) as (clerk, people):
            first = clerk.run(lambda: (locked(people.db, wallet), order.append(1)), 7)
            second = clerk.run(lambda: order.append(2), 7)
            await clerk.run(lambda: None, 8)
            foreign.rollback()
            await asyncio.wait_for(asyncio.gather(first, second), SOON_S)

    assert order == [1, 2]


async def test_41_a_chat_that_one_worker_has_in_hand_holds_up_no_other_chat_of_the_other(
    url: str,
) -> None:
    order = list[int]()
    async with served(url, threads=1) as (one, _), served(url, threads=1) as (other, _):
        async with busy(one, 7):
            first = one.run(partial(order.append, 1), 7)
            async with busy(other, 9):
                second = other.run(partial(order.append, 2), 7)
                third = other.run(partial(order.append, 3), 8)
            await asyncio.wait_for(third, SOON_S)
            assert order == [3]
        await asyncio.wait_for(asyncio.gather(first, second), SOON_S)

    assert sorted(order) == [1, 2, 3]


async def test_41_a_chat_that_was_left_out_once_is_one_like_others_when_it_was_done(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others, claimed = iter([{7}]), postgres_clerk.claimed
    async with served(url, threads=1) as (clerk, _):
        async with busy(clerk, 9):
            monkeypatch.setattr(
                postgres_clerk, "claimed", lambda db, n: claimed(db, n) - next(others, set())
            )
            works = [clerk.run(lambda: None, lane) for lane in (7, 8)]
        await asyncio.wait_for(asyncio.gather(*works), SOON_S)

        assert clerk._left_out == set()


async def test_41_groups_that_get_in_each_others_way_are_each_done_once(url: str) -> None:
    """Two workers lock two rows the other way round: neither waits for ever, nothing is twice."""
    met, times = threading.Barrier(2), Counter[str]()

    def add(db: Database, who: str, n: int) -> None:
        db.execute_sql(f"UPDATE noted SET times = times + 1 WHERE n = {n}")
        times[who] += 1
        if times[who] == 1:
            met.wait(SOON_S)

    async with served(url, threads=1) as (one, _), served(url, threads=1) as (other, people):
        people.db.execute_sql("CREATE TABLE noted (n INTEGER, times INTEGER)")
        people.db.execute_sql("INSERT INTO noted VALUES (1, 0), (2, 0)")
        async with busy(one, 1), busy(other, 2):
            works = [
                clerk.run(partial(add, clerk.db, who, n), lane)
                for clerk, who, lane, n in (
                    (one, "one", 11, 1),
                    (one, "one", 12, 2),
                    (other, "other", 21, 2),
                    (other, "other", 22, 1),
                )
            ]
        await asyncio.wait_for(asyncio.gather(*works), 2 * SOON_S)
        noted = people.db.execute_sql("SELECT times FROM noted").fetchall()

    assert noted == [(2,), (2,)]
    assert sum(times.values()) > 4


async def test_41_connections_that_are_cut_are_made_anew_and_nothing_is_lost(url: str) -> None:
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    async with served(url) as (clerk, people):
        for n in range(20):
            if n % 5 == 0:
                with psycopg.connect(url, autocommit=True) as admin:
                    admin.execute(cut)
            await asyncio.wait_for(
                clerk.run(partial(people.meet, Who(100 + n, f"P{n}"), NOW), n + 1), SOON_S
            )
        assert await clerk.run(lambda: people.ledger.balance(mint())) == -10 * 21


async def test_41_a_round_trip_that_breaks_off_half_way_costs_a_connection_and_no_job(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait, cut = postgres_db._Session._wait, iter([True])

    def broken(session: Any) -> None:
        if next(cut, False):
            raise psycopg.OperationalError("nothing more is heard")
        wait(session)

    async with served(url, threads=1) as (clerk, people):
        monkeypatch.setattr(postgres_db._Session, "_wait", broken)
        meeting = [
            clerk.run(partial(people.meet, Who(100 + n, f"P{n}"), NOW), 100 + n) for n in range(4)
        ]
        await asyncio.wait_for(asyncio.gather(*meeting), SOON_S)

        assert next(cut, None) is None
        assert await clerk.run(lambda: people.ledger.balance(mint())) == -10 * 5


async def test_41_who_finds_the_last_coins_gone_in_a_group_is_looked_up_alone(url: str) -> None:
    """Two who spend from one wallet may meet again each time their groups are done anew."""
    tries = Counter[int]()

    def spend(n: int) -> int:
        tries[n] += 1
        if n == 2 and tries[n] < 4:
            raise Overdrawn("another worker was faster")
        return n

    async with served(url, threads=1) as (clerk, _):
        async with busy(clerk, 1):
            works = [clerk.run(partial(spend, n), 10 + n) for n in range(4)]
        assert await asyncio.wait_for(asyncio.gather(*works), SOON_S) == [0, 1, 2, 3]
        with pytest.raises(Overdrawn):
            await clerk.run(lambda: (_ for _ in ()).throw(Overdrawn("for good")), 1)


@pytest.mark.parametrize("statement", ["compiled", "many", "later"])
async def test_41_a_use_case_whose_connection_is_cut_in_its_midst_is_done_again(
    url: str, statement: str
) -> None:
    cut = [True]
    async with served(url, threads=1) as (clerk, people):
        db = people.db
        assert isinstance(db, Server)
        await clerk.run(lambda: db.execute_sql("CREATE TABLE noted (n INTEGER)"), 1)

        def note() -> None:
            if cut:
                cut.pop()
                with socket.socket(fileno=os.dup(db.connection().pgconn.socket)) as line:
                    line.shutdown(socket.SHUT_RDWR)
            text = "INSERT INTO noted VALUES ($1)"
            if statement == "compiled":
                db.execute_compiled(text, (7,))
            elif statement == "many":
                db.execute_many(text, [(7,)])
            elif trusts():
                db.put_off(text, (7,), 1)
            else:
                db.execute_sql("INSERT INTO noted VALUES (7)")

        await asyncio.wait_for(clerk.run(note, 1), SOON_S)

        noted = await clerk.run(lambda: db.execute_sql("SELECT n FROM noted").fetchall(), 1)
        assert noted == [(7,)]


async def test_41_groups_get_on_however_long_postgresql_takes_for_an_answer(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first three answers take as long as a whole group may."""
    monkeypatch.setattr(postgres_clerk, "GROUPS_MOST_S", 0)
    async with served(url, threads=1) as (clerk, people):
        meeting = [
            clerk.run(partial(people.meet, Who(100 + n % 4, f"P{n % 4}"), NOW), 1 + n % 8)
            for n in range(40)
        ]
        await asyncio.wait_for(asyncio.gather(*meeting), SOON_S)

        assert await clerk.run(lambda: people.ledger.balance(mint())) == -10 * 5


@pytest.mark.parametrize(
    "change",
    ["DISCARD ALL", "ALTER TABLE noted ALTER times TYPE BIGINT"],
    ids=["a pooler discards", "a migration changes a type"],
)
async def test_41_statements_that_are_prepared_no_more_are_prepared_anew(
    url: str, change: str
) -> None:
    async with served(url, threads=1) as (clerk, people):
        db = people.db
        assert isinstance(db, Server)
        await clerk.run(lambda: db.execute_sql("CREATE TABLE noted (n INTEGER, times INTEGER)"), 1)
        await clerk.run(lambda: db.execute_sql("INSERT INTO noted VALUES (1, 0)"), 1)

        def times() -> int:
            db.execute_many("UPDATE noted SET times = times + $2 WHERE n = $1", [(1, 1), (2, 1)])
            rows = db.execute_compiled("SELECT times FROM noted WHERE n = $1", (1,)).fetchall()
            return int(rows[0][0])

        assert await clerk.run(times, 1) == 1
        # Within a transaction nothing can be discarded: between two, on the group's connection.
        discarding = threading.Event()
        clerk.on_commit.append(
            lambda: None if discarding.is_set() else (discarding.set(), db.execute_sql(change))
        )
        await clerk.run(lambda: None, 1)
        assert discarding.is_set()

        assert await asyncio.wait_for(clerk.run(times, 1), SOON_S) == 2
        assert await asyncio.wait_for(clerk.run(times, 1), SOON_S) == 3


def test_41_an_error_that_the_server_did_not_send_is_one_of_the_connection(url: str) -> None:
    """libpq may not know yet that the other end is gone, and says so without a code."""
    db = connect(url)
    assert isinstance(db, Server)
    session = db._session()
    nothing = session._server.make_empty_result(ExecStatus.FATAL_ERROR)

    with pytest.raises(psycopg.OperationalError):
        session._checked(nothing)

    shut(db)


def test_41_a_session_that_is_lost_keeps_its_locks_for_seconds(url: str) -> None:
    db = connect(url)
    said = {name: db.execute_sql(f"SHOW {name}").fetchone()[0] for name in SESSION}
    shut(db)

    assert {name: said[name] for name in SESSION if "tcp" not in name} == {
        "lock_timeout": "500ms",
        "statement_timeout": "30s",
        "idle_in_transaction_session_timeout": "10s",
    }


async def test_41_leases_go_by_the_databases_clock(url: str) -> None:
    """Two workers whose clocks are a minute apart know that the other one lives."""
    async with served(url) as (clerk, people):
        hall, _ = open_hall(people.db, settings(url))
        workers = []
        for wrong_by in (-30.0, 30.0):
            now = partial(float, NOW + wrong_by)
            workers.append(Claims(hall.tables, clerk, now, partial(ahead_of, people.db, now)))
        first, second = workers

        assert await first.beat() is False
        assert await second.beat() is True
        assert await first.beat() is True
        assert await first.mine(-100) is True
        assert await second.mine(-100) is False
        rows = await clerk.run(
            lambda: people.db.execute_sql("SELECT until FROM workers").fetchall()
        )
        assert all(abs(row[0] - time_of(people.db) - LEASE_S) < 5 for row in rows)


# -- the whole bot ----------------------------------------------------------------------------


async def test_41_while_a_row_is_locked_newcomers_and_others_are_answered_and_play(
    postgres: str, tmp_path: Path
) -> None:
    with database(postgres) as url:
        async with house(url, tmp_path, LOBBY_S="120", PACE="1000") as hall:
            ours, (anna, ben) = hall.found("Ours", "Anna", "Ben")
            theirs, others = hall.found("Theirs", "Cem", "Dora")
            hall.telegram.workers = hall.telegram.workers[:1]
            await hall.workers[0].start()
            await hall.workers[0].serving()
            stuck = await hall.seated(ours, [anna, ben], "fifty")
            query = "SELECT move FROM moves WHERE game_id = ? AND seat = 0"
            thrown = partial(hall.sql, query, stuck.id)

            with psycopg.connect(url) as foreign:
                foreign.execute("SELECT 1 FROM games WHERE id = %s FOR UPDATE", (stuck.id,))
                foreign.execute(
                    "SELECT 1 FROM accounts WHERE kind = 'mint' OR ref = %s FOR UPDATE",
                    (str(anna.id),),
                )
                hall.act(stuck, ours, hall.table(stuck.id).state, 0, "4")
                newcomers = [hall.telegram.person(f"New {n}") for n in range(12)]
                for person in newcomers:
                    hall.telegram.say(person, hall.telegram.private(person), "/points")
                free = asyncio.create_task(hall.seated(theirs, others, "fifty"))
                for person in newcomers:
                    chat = hall.telegram.private(person)
                    await hall.until("points", partial(answered, hall, chat), SOON_S)
                await asyncio.wait_for(free, SOON_S)
                assert thrown() == []
                foreign.rollback()

            assert await hall.until("the throw", thrown) == [("4",)]
            assert prove(hall.hall.ledger.db, hall.store.open_games()).problems == ()
            assert "Traceback" not in hall.workers[0].log.read_text()


@pytest.mark.timeout(120)
async def test_41_restarts_of_postgresql_are_outlived_and_every_press_counts_once(
    tmp_path: Path,
) -> None:
    with server() as postgres:
        async with house(postgres.url, tmp_path, LOBBY_S="120", PACE="1000") as hall:
            groups = [hall.found(f"Round {n}", "Anna", "Ben", "Cem", "Dora") for n in range(4)]
            for worker in hall.workers:
                await worker.start()
                await worker.serving()
            playing = [
                asyncio.create_task(hall.play(*group, kind))
                for group, kind in zip(groups, ("fifty", "zilch", "yahtzee", "fifty"), strict=True)
            ]
            for mode in ("fast", "immediate"):
                moves = len(await hall.until("moves", partial(hall.sql, "SELECT * FROM moves")))
                await hall.until("more", lambda n=moves: len(hall.sql("SELECT * FROM moves")) > n)
                await asyncio.to_thread(postgres.stop, mode)
                await asyncio.sleep(AWAY_S)
                await asyncio.to_thread(postgres.start)
            await asyncio.gather(*playing)

            await boards_show_the_games(hall)
            moves_are_what_people_did(hall)
            everything_adds_up(hall)
            for worker in hall.workers:
                said = worker.log.read_text().splitlines()
                assert "Traceback" not in "".join(said)
                assert len(said) < 30, said


def answered(hall: House, chat: Chat) -> bool:
    return any(message.sender is hall.telegram.bot for message in chat.messages.values())


def test_41_draining_waits_for_no_worker_that_is_gone(dicehall: Run, url: str) -> None:
    db = open_database(settings(url))
    with_token = settings(url).model_copy(update={"bot_token": SecretStr(TOKEN)})
    hall, people = open_hall(db, with_token)
    with db.atomic():
        anna = people.known(ANNA)
        assert anna
        hall.chats.meet(-100, "Round")
        hall.lobby.open(anna, -100, 0, "fifty", NOW)
        db.execute_sql("INSERT INTO workers (name, until) VALUES ('dead', 1)")
    shut(db)

    said = dicehall("drain", "--wait", DATABASE=url)

    said.refused("--wait", "no bot runs")


def ahead_of(db: Database, now: Callable[[], float]) -> float:
    return time_of(db) - now()


def locked(db: Database, query: str) -> None:
    """Needs a row that somebody holds."""
    db.execute_sql(query).fetchall()
