"""`kill -9` of one of two workers, again and again: webhooks, PostgreSQL, games all the time.

Either dies at moments drawn from the seed, now and then both, and PostgreSQL too. Each time the
books are audited; at the end every update that Telegram was told of is noted in the database, every
game is what people and James did, and the command line agrees.
"""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from economy.audit import Audit, prove
from economy.transactions import snapshot
from tests.postgres import Server, server
from tests.process.mortal import Mortal
from tests.process.test_workers import (
    House,
    boards_show_the_games,
    everything_adds_up,
    house,
    moves_are_what_people_did,
    the_commands_agree,
)
from tgbot.playground import Chat, Person
from tgbot.playground.model import Json
from tgbot.soak.updates import for_the_bot

GROUPS = 4
KINDS = ("fifty", "zilch", "fifty", "yahtzee")
LONGEST_LIFE_S = 2.0
PATIENCE_S = 180.0
BOTH_PERCENT = 20
"""How likely the other worker is killed before the first one is back."""
LOCKED_PERCENT, CUT_PERCENT, RESTART_PERCENT = 30, 10, 5
"""How likely a foreign session has a row in its hands meanwhile, every connection is cut, or
PostgreSQL is started anew, as often after a crash as after an end in order."""
JAMES_PERCENT = 50
"""How likely James plays along."""
ROWS = {
    "somebody's wallet": "SELECT 1 FROM accounts WHERE kind = 'wallet' ORDER BY random() LIMIT 1",
    "the mint": "SELECT 1 FROM accounts WHERE kind = 'mint'",
    "a game": "SELECT 1 FROM games WHERE over_at = 0 ORDER BY random() LIMIT 1",
}
CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), %s)"
)


@dataclass
class Summary:
    """What a course of deaths came to; `losses` are confirmed presses of which there is no note,
    `restarts` those of PostgreSQL."""

    seed: int
    kills: int = 0
    audits_clean: int = 0
    games: int = 0
    presses: int = 0
    handed_out: int = 0
    applied: int = 0
    losses: int = 0
    restarts: int = 0
    seconds: float = 0.0


class Books:
    """The updates that Telegram was told were taken; none of them may be without a note."""

    def __init__(self, hall: House) -> None:
        self.hall = hall
        self.told: dict[int, Json] = {}
        hall.telegram.queue.on_confirmed = self._confirmed

    def _confirmed(self, update: Json) -> None:
        if for_the_bot(update, self.hall.telegram.bot.username or ""):
            self.told[update["update_id"]] = update

    def count(self, summary: Summary) -> bool:
        """True, with what became of all updates by now. Raises AssertionError where one is lost."""
        noted = {number for (number,) in self.hall.sql("SELECT update_id FROM updates")}
        waiting = {update["update_id"] for update in self.hall.telegram.queue.pending}
        told, lost = self.told.keys(), [self.told[n] for n in self.told.keys() - noted]
        lost = [update for update in lost if not self._answered(update)]
        summary.games = len(self.hall.games)
        summary.presses = len(told | waiting)
        summary.handed_out = len(told | (waiting & noted))
        summary.applied = len(told & noted)
        summary.losses = len(lost)
        assert not lost, self.hall.workers[0].story(f"confirmed, not noted, not answered: {lost}")
        assert noted <= told | waiting, "what nobody did is noted"
        return True

    def _answered(self, update: Json) -> bool:
        query = self.hall.telegram.queries.get(update.get("callback_query", {}).get("id", ""))
        return query is not None and query.toast is not None


async def course(
    folder: Path,
    tables: Path,
    times: int,
    seed: int,
    tell: Callable[[Summary], None] = lambda summary: None,
    enough: Callable[[], bool] = lambda: False,
) -> Summary:
    """Kills a worker so often, or until it is `enough`, auditing each time; raises AssertionError.

    `tables` is the folder of the minds' tables, which nobody should have to make at every start.
    """
    summary, began = Summary(seed), time.monotonic()
    given = {"PACE": "1000", "LOBBY_S": "120", "MIND_FOLDER": str(tables)}
    with server() as postgres:
        async with house(postgres.url, folder, **given) as hall:
            await _course(hall, postgres, times, summary, tell, enough)
    summary.seconds = round(time.monotonic() - began, 1)
    return summary


async def _course(
    hall: House,
    postgres: Server,
    times: int,
    summary: Summary,
    tell: Callable[[Summary], None],
    enough: Callable[[], bool],
) -> None:
    books, hall.patience_s = Books(hall), PATIENCE_S
    groups = [hall.found(f"Round {n}", "Anna", "Ben", "Cem", "Dora") for n in range(GROUPS)]
    for worker in hall.workers:
        worker.patience_s = PATIENCE_S
        await worker.start()
        await worker.serving()

    async def reap() -> None:
        draw = random.Random(summary.seed)
        while summary.kills < times and not enough():
            disturbed = asyncio.create_task(disturb(hall, postgres, draw))
            worker = await death(hall, draw)
            summary.restarts += await disturbed  # no worker starts while its database is away
            await worker.start()
            if draw.randrange(100) >= BOTH_PERCENT:
                await worker.serving()
            audit = await hall.until("an audit", partial(audited, hall))
            assert audit.problems == (), hall.workers[0].story("the books are off")
            summary.kills, summary.audits_clean = summary.kills + 1, summary.audits_clean + 1
            await hall.until("all updates", partial(books.count, summary))
            tell(summary)

    reaper = asyncio.create_task(reap())
    playing = [
        asyncio.create_task(play_on(hall, number, *group, reaper))
        for number, group in enumerate(groups)
    ]
    try:
        await asyncio.gather(reaper, *playing)
    finally:
        for task in (reaper, *playing):
            task.cancel()
    await boards_show_the_games(hall)
    await hall.until("nothing waits", lambda: not hall.telegram.queue.pending)
    moves_are_what_people_did(hall)
    everything_adds_up(hall)
    await the_commands_agree(hall)
    books.count(summary)
    assert summary.presses == summary.handed_out


async def play_on(
    hall: House, number: int, group: Chat, people: list[Person], reaper: asyncio.Task[None]
) -> None:
    """Plays game after game in a group for as long as workers die."""
    games, draw = 0, random.Random(number)
    while not reaper.done():
        james = draw.randrange(100) < JAMES_PERCENT
        await hall.play(group, people, KINDS[(number + games) % len(KINDS)], james=james)
        games += 1


def audited(hall: House) -> Audit:
    """What the books say."""
    with snapshot(hall.db):
        return prove(hall.hall.ledger.db, hall.store.open_games())


async def disturb(hall: House, postgres: Server, draw: random.Random) -> bool:
    """What may happen to the database while a worker dies (SURVIVE 41); whether it came anew."""
    what, row, seconds = draw.randrange(100), draw.choice([*ROWS]), draw.uniform(0, LONGEST_LIFE_S)
    if what >= LOCKED_PERCENT + CUT_PERCENT + RESTART_PERCENT:
        return False
    if what >= LOCKED_PERCENT + CUT_PERCENT:
        await asyncio.to_thread(postgres.stop, draw.choice(("fast", "immediate")))
        await asyncio.sleep(seconds)
        await asyncio.to_thread(postgres.start)
        return True
    [(ours,)] = hall.sql("SELECT pg_backend_pid()")
    async with await psycopg.AsyncConnection.connect(hall.settings.database) as foreign:
        if what < LOCKED_PERCENT:
            await foreign.execute(f"{ROWS[row]} FOR UPDATE")
            await asyncio.sleep(seconds)
        else:
            await foreign.execute(CUT, (ours,))
    return False


async def death(hall: House, draw: random.Random) -> Mortal:
    """One of the workers dies some time from now; which."""
    worker = draw.choice(hall.workers)
    await asyncio.sleep(draw.uniform(0, LONGEST_LIFE_S))
    worker.signal(signal.SIGKILL)
    await worker.ended()
    worker.deaths.append(f"after {len(hall.games)} games")
    return worker
