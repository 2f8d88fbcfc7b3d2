"""`kill -9` again and again under load: python -m tests.faults.kills --times 200 --seed 1

Half of the deaths are those of one process that polls on SQLite, the others those of two workers on
PostgreSQL that Telegram calls (see `worker_kills`).

People press all the time in several staked games, one of them with James, and in their daily,
whether the process lives or not. It dies at moments drawn from the seed, at times while James
thinks; each time what it left on disk is proved, and every press must be there as often as it may:
once if Telegram was told so, at most once if it was handed out, else never.

Ctrl-C (or SIGTERM) ends the killing: the games come to their end, and what must be true then is
looked at as after any other course. A second one ends it at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests import minds
from tests.faults import worker_kills
from tests.faults.worker_kills import Summary
from tests.process.diarist import Diarist
from tests.process.mortal import Moment, Mortal, handed, mortal, unconfirmed
from tests.process.party import STAKE, Party, check_remains, everything_adds_up, play_on
from tgbot.hall.james import AGAIN_S

NAMES = (
    ("Anna", "Ben", "Cem", "Dora"),
    ("Eva", "Finn", "Gül", "Hanna"),
    ("Ida", "Jan", "Kai", "Lea"),
)
DIARISTS = ("Mia", "Noah", "Olga")
METHODS = ("sendMessage", "editMessageText", "answerCallbackQuery", "getUpdates")
LATEST_MS = 20.0
LONGEST_THOUGHT_S = 0.1
MOST = 1000
DEATHS_A_MINUTE = 1000 / 60
MOST_GAMES = 10
PATIENCE_S = 180.0
"""How long anything may take, whatever else the machine does, and several deaths included."""
TELL_EVERY = 20
MERCY_EVERY, MERCY_S = 10, AGAIN_S + 5
"""One of so many lives is so long that James can end his thought, the first of a process, however
busy the machine is."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def drawn(draw: random.Random) -> Moment | None:
    """The next moment to die at; None: while James thinks."""
    delay_ms = draw.uniform(0, LATEST_MS)
    match draw.randrange(11):
        case 0:
            return Moment("getMe", after=draw.random() < 0.5)  # while it starts
        case 1 | 2 | 3:
            return handed(delay_ms)
        case 4 | 5:
            return unconfirmed()
        case 10:
            return None
        case _:
            return Moment(draw.choice(METHODS), draw.random() < 0.5, delay_ms / 1000)


async def course(
    folder: Path,
    tables: Path,
    times: int,
    seed: int,
    tell: Callable[[Summary], None] = lambda summary: None,
    enough: Callable[[], bool] = lambda: False,
) -> Summary:
    """Kills the process so often, or until it is `enough`, proving its remains each time; raises
    AssertionError.

    `tables` is the folder of the minds' tables, which nobody should have to make at every start.
    """
    summary, began, draw = Summary(seed), time.monotonic(), random.Random(seed)
    async with mortal(folder, MIND_FOLDER=str(tables)) as process:
        most = MOST_GAMES + times // 5  # a game sees about ten deaths
        parties = [
            Party(process, random.Random(f"{seed} {names}"), names, most, james=names is NAMES[0])
            for names in NAMES
        ]
        diarists = [
            Diarist(process, process.telegram.person(name), random.Random(f"{seed} {name}"))
            for name in DIARISTS
        ]
        process.patience_s = PATIENCE_S
        await process.start()
        for party in parties:
            await party.settle_on(STAKE)

        async def reap() -> None:
            while len(process.deaths) < times and not enough():
                moment = drawn(draw)
                if summary.kills % MERCY_EVERY == MERCY_EVERY - 1:
                    await asyncio.sleep(MERCY_S)
                    moment = unconfirmed()  # it has started long ago
                await death(parties, diarists, moment, draw.uniform(0, LONGEST_THOUGHT_S))
                summary.kills = summary.audits_clean = len(process.deaths)
                count(summary, parties, diarists)
                tell(summary)
                await process.start()

        reaper = asyncio.create_task(reap())
        tasks = [
            reaper,
            *(asyncio.create_task(play_on(party, reaper)) for party in parties),
            *(asyncio.create_task(diarist.play(reaper)) for diarist in diarists),
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        await everything_adds_up(parties, diarists)
        count(summary, parties, diarists)
    summary.seconds = round(time.monotonic() - began, 1)
    return summary


async def death(
    parties: Sequence[Party], diarists: Sequence[Diarist], moment: Moment | None, thought_s: float
) -> None:
    """The process dies at that moment, or so long after James began to think, and what is left of
    it is proved."""
    process = parties[0].process
    process.telegram.moment = moment
    if moment is None:
        await process.eventually("James thinks", partial(thinks, process))
        await asyncio.sleep(thought_s)
        process.signal(signal.SIGKILL)
    await process.ended(within_s=PATIENCE_S)
    process.deaths.append(str(moment or f"James has thought for {thought_s:.3f} s"))
    grave = check_remains(parties)
    for diarist in diarists:
        diarist.check(grave)
    shutil.rmtree(grave.parent)


def thinks(process: Mortal) -> bool:
    """Whether James has just begun: he would be asked again in a while if nothing came of it."""
    just_now = int(time.time()) + AGAIN_S - 1
    return bool(process.sql("SELECT 1 FROM due WHERE kind = 'james' AND at >= ?", just_now))


def count(summary: Summary, parties: Sequence[Party], diarists: Sequence[Diarist]) -> None:
    """What became of all presses by now."""
    process: Mortal = parties[0].process
    pressed = {press for party in parties for press in party.presses}
    pressed |= {update for diarist in diarists for update, _ in diarist.did}
    noted = {number for (number,) in process.sql("SELECT update_id FROM updates")}
    told = pressed - parties[0].pending()
    summary.games = sum(len(party.games) for party in parties) + len(diarists)
    summary.presses = len(pressed)
    summary.handed_out = len(pressed & process.telegram.handed_out)
    summary.applied = len(pressed & noted)
    summary.losses = len(told - noted)
    assert summary.losses == 0, process.story("presses were confirmed and are not noted")
    assert noted <= process.telegram.handed_out, process.story("what was never handed out is noted")


@dataclass
class Reaping:
    """How long a course goes on: until its share of the minutes is over, or somebody says so."""

    until: float = math.inf
    told: bool = False

    def enough(self) -> bool:
        """Whether nobody is to be killed any more."""
        return self.told or time.monotonic() >= self.until

    async def heeding(self, course: Coroutine[Any, Any, Summary]) -> Summary:
        """Runs a course that comes to its end when a signal does; a second one ends it at once."""
        loop = asyncio.get_running_loop()

        def heed() -> None:
            print("no more deaths; what is left comes to its end", file=sys.stderr, flush=True)
            self.told = True
            for number in SIGNALS:
                loop.remove_signal_handler(number)

        for number in SIGNALS:
            loop.add_signal_handler(number, heed)
        return await course


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.kills")
    parser.add_argument("--times", type=int, default=200, help=f"deaths, at most {MOST}")
    parser.add_argument("--minutes", type=int, help="as many deaths as fit, instead of --times")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("one", "workers"), help="one of the two courses")
    given = parser.parse_args()
    times = given.times if given.minutes is None else round(given.minutes * DEATHS_A_MINUTE)
    times = min(max(times, 1), MOST)
    courses = {"one": course, "workers": worker_kills.course}
    chosen = [given.only] if given.only else [*courses]
    reaping, tables = Reaping(), minds.kept()
    with tempfile.TemporaryDirectory() as made:
        for number, name in enumerate(chosen):
            if reaping.told:
                break
            if given.minutes is not None:
                reaping.until = time.monotonic() + 60 * given.minutes / len(chosen)
            share = times // len(chosen) + (number < times % len(chosen))
            (folder := Path(made) / name).mkdir()
            it = courses[name](folder, tables, share, given.seed, told_now_and_then, reaping.enough)
            summary = asyncio.run(reaping.heeding(it))
            print(json.dumps({"course": name, **asdict(summary)}), flush=True)


def told_now_and_then(summary: Summary) -> None:
    """Says how far a course has come."""
    if summary.kills % TELL_EVERY == 0:
        print(
            f"{summary.kills} kills: {summary.games} games, {summary.presses} presses, "
            f"{summary.handed_out} handed out, {summary.applied} applied, {summary.losses} lost",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
