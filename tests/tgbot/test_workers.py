"""Two workers on one PostgreSQL: whatever they do at once, it is done once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from economy.audit import prove
from economy.database import connect, shut
from games.game import HOUSE, Refusal
from tests.postgres import empty
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.done import Done
from tgbot.hall.clock import Clock
from tgbot.hall.hall import Hall, open_hall
from tgbot.hall.james import AGAIN_S
from tgbot.hall.old_boards import OldBoards
from tgbot.hall.postgres_clerk import PostgresClerk
from tgbot.hall.refusals import Poor
from tgbot.hall.seen_updates import first_time
from tgbot.hall.store import Store
from tgbot.operator.copying import NotCopied, copy_to
from tgbot.outbound.claims import LEASE_S, Claims
from tgbot.people.people import Person, Who

pytestmark = pytest.mark.real_time
CHAT = -1001
NOW = 1_800_000_000


@dataclass
class Worker:
    """One process's share: its own connections, threads, pictures."""

    hall: Hall
    clerk: PostgresClerk
    claims: Claims


@pytest.fixture
def settings(postgres: str) -> Settings:
    made = Settings(_env_file=None, database=postgres, bot_token="10000:token-of-both-workers")
    db = open_database(made)
    empty(db)
    shut(db)
    return made


@pytest.fixture
async def workers(settings: Settings) -> AsyncIterator[tuple[Worker, Worker]]:
    made = []
    for _ in range(2):
        db = connect(settings.database)
        hall, _people = open_hall(db, settings)
        shut(db)
        clerk = PostgresClerk(db, threads=4)
        clerk.on_commit.append(hall.tables.committed)
        clerk.on_rollback.append(hall.tables.rolled_back)
        clerk.start()
        made.append(Worker(hall, clerk, Claims(hall.tables, clerk, lambda: float(NOW))))
    yield made[0], made[1]
    for worker in made:
        await worker.clerk.stop()


def meet(settings: Settings, number: int) -> list[Person]:
    """So many people with the welcome gift, and a group with a stake of 10."""
    db = open_database(settings)
    hall, people = open_hall(db, settings)
    with db.atomic():
        hall.chats.meet(CHAT, "Group")
        hall.chats.set(CHAT, "stake", "10", 0, NOW)
        found = [people.meet(Who(100 + n, f"P{n}"), NOW) for n in range(number)]
    shut(db)
    return found


def problems(settings: Settings) -> tuple[str, ...]:
    db = open_database(settings)
    hall, _ = open_hall(db, settings)
    with db.atomic():
        found = prove(hall.ledger.db, hall.store.open_games()).problems
    shut(db)
    return found


async def opened(worker: Worker, person: Person) -> str:
    def use_case() -> Done:
        return worker.hall.lobby.open(person, CHAT, 0, "fifty", NOW)

    return (await worker.clerk.run(use_case, CHAT)).games[0]


async def test_17_fifty_joins_at_once_against_one_wallet_and_one_joins(
    settings: Settings, workers: tuple[Worker, Worker]
) -> None:
    anna, ben = meet(settings, 2)
    game_id = await opened(workers[0], ben)

    def join(worker: Worker, n: int) -> asyncio.Future[object]:
        return worker.clerk.run(lambda: worker.hall.lobby.join(anna, game_id, NOW), n)

    came = await asyncio.gather(
        *(join(workers[n % 2], n) for n in range(50)), return_exceptions=True
    )

    assert sum(not isinstance(one, BaseException) for one in came) == 1
    assert all(isinstance(one, Refusal) for one in came if isinstance(one, BaseException))
    assert problems(settings) == ()


async def test_17_who_joins_in_two_groups_at_once_with_coins_for_one_is_told_so(
    settings: Settings, workers: tuple[Worker, Worker]
) -> None:
    """Both workers look at the wallet before either has taken the stake."""
    anna, ben = meet(settings, 2)
    looked = threading.Barrier(2)
    joins = []
    for worker, chat_id in zip(workers, (CHAT, CHAT - 1), strict=True):
        hall = worker.hall
        await worker.clerk.run(lambda h=hall, c=chat_id: h.chats.meet(c, "Group"))
        await worker.clerk.run(lambda h=hall, c=chat_id: h.chats.set(c, "stake", "10", 0, NOW))
        done = await worker.clerk.run(
            lambda h=hall, c=chat_id: h.lobby.open(ben, c, 0, "fifty", NOW)
        )
        afford, first = hall.lobby._afford, iter([True])

        def looking(
            *asked: Any, afford: Callable[..., None] = afford, first: Iterator[bool] = first
        ) -> None:
            afford(*asked)
            if next(first, False):
                looked.wait(5)

        hall.lobby._afford = looking
        joins.append(partial(hall.lobby.join, anna, done.games[0], NOW))

    came = await asyncio.gather(
        *(
            worker.clerk.run(join, chat_id)
            for worker, join, chat_id in zip(workers, joins, (CHAT, CHAT - 1), strict=True)
        ),
        return_exceptions=True,
    )

    assert [type(one) for one in came if isinstance(one, BaseException)] == [Poor]
    assert problems(settings) == ()


async def test_two_workers_open_one_game_where_one_may_be(
    settings: Settings, workers: tuple[Worker, Worker]
) -> None:
    anna, ben = meet(settings, 2)

    await asyncio.gather(opened(workers[0], anna), opened(workers[1], ben), return_exceptions=True)

    db = open_database(settings)
    assert db.execute_sql("SELECT count(*) FROM games").fetchone() == (1,)
    shut(db)


async def test_9_a_person_at_two_workers_has_one_attempt_which_both_close_once(
    settings: Settings, workers: tuple[Worker, Worker]
) -> None:
    people = meet(settings, 3)

    def begin(worker: Worker, person: Person) -> asyncio.Future[Done]:
        return worker.clerk.run(lambda: worker.hall.dailies.open(person, NOW))

    await asyncio.gather(*(begin(workers[n % 2], people[n // 4]) for n in range(12)))
    day = workers[0].hall.dailies.days.today(NOW)
    over = workers[0].hall.dailies.days.ends(day) + 60

    def close(worker: Worker) -> asyncio.Future[Done]:
        return worker.clerk.run(lambda: worker.hall.dailies.close(day, over))

    db = open_database(settings)
    assert db.execute_sql("SELECT count(*) FROM games").fetchone() == (3,)
    assert db.execute_sql("SELECT count(*), max(done) FROM attempts").fetchone() == (3, 0)
    await asyncio.gather(*(close(workers[n % 2]) for n in range(4)))
    closed = db.execute_sql(
        "SELECT a.done, g.status FROM attempts a JOIN games g ON g.id = game_id"
    )
    assert closed.fetchall() == [(2, "over")] * 3
    assert db.execute_sql("SELECT count(*) FROM moves").fetchone() == (3,)
    assert db.execute_sql("SELECT day FROM days WHERE secret <> ''").fetchall() == [(day,)]
    shut(db)
    assert problems(settings) == ()


async def test_an_update_that_reaches_both_workers_is_applied_once(
    workers: tuple[Worker, Worker],
) -> None:
    first = await asyncio.gather(
        *(
            worker.clerk.run(lambda worker=worker: first_time(worker.clerk.db, 7, NOW), lane)
            for lane in range(4)
            for worker in workers
        )
    )

    assert sum(first) == 1


async def test_a_game_played_through_both_workers_settles_once(
    settings: Settings, workers: tuple[Worker, Worker]
) -> None:
    people = meet(settings, 6)
    game_id = await opened(workers[0], people[0])
    await asyncio.gather(
        *(
            workers[n % 2].clerk.run(
                lambda w=workers[n % 2], p=person: w.hall.lobby.join(p, game_id, NOW), n
            )
            for n, person in enumerate(people)
        )
    )
    await workers[1].clerk.run(lambda: workers[1].hall.lobby.start(people[0], game_id, NOW))

    until = time.monotonic() + 30
    while True:
        assert time.monotonic() < until
        table = await workers[0].clerk.run(lambda: workers[0].hall.tables.get(game_id))
        if table.status != "running":
            break
        throws = []
        for n, seat in enumerate(table.phase().actors):
            worker, move = workers[n % 2], str(table.state.dice(seat)[0])
            throws += [
                worker.clerk.run(
                    lambda w=worker, s=seat, m=move: w.hall.play.move(game_id, s, m, NOW), lane
                )
                for lane in (n, n + 1)  # everybody throws twice at once: the second is refused
            ]
        done = await asyncio.gather(*throws, return_exceptions=True)
        assert all(isinstance(one, Refusal) for one in done if isinstance(one, BaseException))

    assert table.status == "over"
    assert problems(settings) == ()


async def test_8_both_workers_think_for_james_and_he_moves_once(
    settings: Settings, workers: tuple[Worker, Worker]
) -> None:
    """The thought of the slower one begins anew, of the game as it is, and comes to nothing."""
    anna, ben = meet(settings, 2)
    game_id = await opened(workers[0], anna)
    for person in (anna, ben):
        await workers[0].clerk.run(lambda p=person: workers[0].hall.lobby.join(p, game_id, NOW))
    await workers[1].clerk.run(lambda: workers[1].hall.james.ask(anna, game_id, NOW))
    await workers[0].clerk.run(lambda: workers[0].hall.lobby.start(anna, game_id, NOW))

    async def think(worker: Worker, now: int) -> None:
        done = await worker.clerk.run(lambda: worker.hall.james.call(game_id, now))
        while done.later:
            thought = await asyncio.to_thread(done.later)
            assert thought.then
            done = await worker.clerk.run(partial(thought.then, now))

    later = NOW + AGAIN_S
    await asyncio.gather(*(think(worker, later) for worker in workers))
    await asyncio.gather(*(think(worker, later + AGAIN_S) for worker in workers))

    moves = await workers[1].clerk.run(lambda: workers[1].hall.store.moves.of(game_id))
    assert [seat for seat, _, _ in moves] == [HOUSE, 2]
    assert problems(settings) == ()


async def test_one_worker_paints_a_chat_until_it_is_heard_of_no_more(
    workers: tuple[Worker, Worker],
) -> None:
    first, second = workers[0].claims, workers[1].claims
    assert await first.beat() is False
    assert await second.beat() is True

    assert await first.mine(CHAT) is True
    assert await second.mine(CHAT) is False

    second.now = lambda: float(NOW + LEASE_S + 1)
    assert await second.mine(CHAT) is True
    assert second.inherited == {CHAT}


async def test_what_is_due_is_fired_by_one_worker(workers: tuple[Worker, Worker]) -> None:
    fired: list[str] = []
    clocks = []

    async def quiet() -> None:
        """Nothing is on its way in."""

    for worker in workers:

        def fire(ref: str, now: int, store: Store = worker.hall.store) -> Done:
            fired.append(ref)
            store.due.set("audit", ref, now + 100)
            return Done()

        store, clerk = worker.hall.store, worker.clerk
        now = partial(float, NOW)
        hands = {"now": now, "quiet": quiet, "show": print, "resume": lambda now: Done()}
        clocks.append(Clock(store, clerk, {"audit": fire}, **hands))
    refs = [str(n) for n in range(20)]
    await clerk.run(lambda: [store.due.set("audit", ref, NOW) for ref in refs])

    await asyncio.gather(*(clock.look() for clock in clocks))

    assert sorted(fired) == sorted(refs)


async def test_all_workers_together_send_no_more_than_one_bot_may(
    workers: tuple[Worker, Worker],
) -> None:
    first, second = workers[0].claims, workers[1].claims

    await first.beat()
    alone = first.share(28)
    await second.beat()
    await first.beat()

    assert alone == 28
    assert (first.share(28), second.share(28)) == (14, 14)


async def test_a_chat_where_its_painter_is_long_idle_is_another_ones(
    workers: tuple[Worker, Worker],
) -> None:
    first, second = workers[0].claims, workers[1].claims
    await first.mine(CHAT)

    for worker in (first, second):
        worker.now = lambda: float(NOW + 2 * LEASE_S + 1)
        await worker.beat()
    assert await second.mine(CHAT) is True
    assert second.inherited == set()
    assert await first.mine(CHAT) is False


async def test_the_chats_of_a_worker_that_stops_are_free_at_once(
    workers: tuple[Worker, Worker],
) -> None:
    first, second = workers[0].claims, workers[1].claims
    for worker in (first, second):
        await worker.beat()
    await first.mine(CHAT)

    await first.leave()

    assert await second.mine(CHAT) is True
    assert await second.beat() is False


async def test_what_a_dead_worker_left_over_is_found_by_one_other(
    workers: tuple[Worker, Worker],
) -> None:
    first, second = workers[0].claims, workers[1].claims
    for worker in (first, second):
        await worker.beat()
    await first.mine(CHAT)
    store = workers[0].hall.store
    await workers[0].clerk.run(lambda: OldBoards(store.db).add(CHAT, 5, ""))
    assert await second.look() == ([], [])

    second.now = lambda: float(NOW + LEASE_S + 1)
    assert await second.look() == ([], [CHAT])
    assert await second.mine(CHAT) is True

    await second.beat()
    assert await second.look() == ([], [])


def test_copy_to_postgres_is_audited_on_both_sides(settings: Settings, tmp_path: Path) -> None:
    here = settings.model_copy(update={"database": f"sqlite:///{tmp_path}/here.db"})
    meet(here, 3)
    source, target = open_database(here), open_database(settings)

    copied = copy_to(source, target)

    assert copied.rows["people"] == 3
    assert copied.target.held == copied.source.held == {"coins": {"mint": -30, "wallet": 30}}
    hall, people = open_hall(target, settings)
    with target.atomic():  # new rows are numbered after the copied ones
        people.meet(Who(999, "New"), NOW)
        assert prove(hall.ledger.db).problems == ()
    with pytest.raises(NotCopied):
        copy_to(source, target)
    shut(source)
    shut(target)
