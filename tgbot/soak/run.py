"""Running a soak: step by step, to the end or to the first broken promise, and then shorter."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tgbot import log
from tgbot.playground.faults import Faults
from tgbot.playground.model import Upload
from tgbot.soak.events import KINDS, drawn
from tgbot.soak.life import OrderlyLoop, full
from tgbot.soak.promises import Watch
from tgbot.soak.updates import Updates
from tgbot.soak.virtual import virtual_time
from tgbot.soak.world import Memory, World

BEGINNINGS = (
    1_800_000_000,  # an ordinary morning
    1_806_192_000,  # the night in which daylight saving time begins
    1_824_940_800,  # the night in which it ends
    1_798_757_400,  # an hour and a half before New Year
    1_803_854_700,  # the last minutes of a month
    2**31 - 600,  # ten minutes before 32 bits are too few for the time
)
PAUSES = (0.0, 0.05, 0.3, 1.2, 3.0)
REST_S = 3 * 3600
"""How long everything may take to come to its end once all faults are over."""
SOLO_S = 24 * 3600
"""How much longer a game that somebody plays alone may lie (RULES 4, 9)."""
REFLECT_S = 60
"""How long the bot may take to make use of a right it is given."""
TRIES = 100
"""How often a failing script is run again to shorten it."""


@dataclass(frozen=True)
class Failure:
    """Promises broken after `step` (None: at rest), and the shortest script known to do it."""

    step: int | None
    broken: list[str]
    only: list[int]
    script: list[str]


@dataclass(frozen=True)
class Report:
    """What a soak did; equal for equal seeds."""

    seed: int
    steps: int
    ok: bool
    faults: dict[str, int]
    deaths: int
    games_finished: int
    digest: str
    updates: dict[str, int]
    """What became of them (see `soak/updates.py`), and how many still wait at Telegram."""
    failure: Failure | None = None

    def document(self) -> dict[str, Any]:
        """The document of `dicehall soak --json`."""
        document = asdict(self)
        del document["updates"]
        if self.failure is None:
            del document["failure"]
        return document


@dataclass
class _Course:
    """One run of some of a seed's steps."""

    seed: int
    numbers: Sequence[int]
    to_rest: bool = True
    script: list[tuple[int, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    at: int | None = None
    report: Report | None = None

    def run(self) -> _Course:
        """Runs it in a folder and a time of its own."""
        began = BEGINNINGS[self.seed % len(BEGINNINGS)]
        with tempfile.TemporaryDirectory(prefix="soak") as folder, virtual_time():
            with asyncio.Runner(loop_factory=lambda: OrderlyLoop(began)) as runner:
                runner.run(self._run(Path(folder)))
        return self

    async def _run(self, folder: Path) -> None:
        world = World(self.seed, folder)
        root = logging.getLogger()
        handlers, level = root.handlers[:], root.level
        log.setup("warning")
        root.handlers[:] = [Memory(world.logged)]
        try:
            updates = Updates(world)
            watch = Watch(world, updates)
            for number in self.numbers:
                await self._step(world, number)
                if self._broke(watch.broken(), number):
                    break
            else:
                if self.to_rest:
                    await self._rest(world)
                    self._broke(watch.broken_at_rest(), None)
            self.report = self._reported(world, updates, folder)
            await world.life.stop()
            await world.life.bury()
        finally:
            root.handlers[:] = handlers
            root.setLevel(level)

    def _broke(self, broken: list[str], number: int | None) -> bool:
        self.broken, self.at = broken, number
        return bool(broken)

    async def _step(self, world: World, number: int) -> None:
        world.draw = world.stream(f"step {number}")
        name = drawn(world)
        try:
            what = await KINDS[name].do(world)
        except (LookupError, ValueError) as error:
            what = f"({name}: {error})"
        else:
            if KINDS[name].fault:
                world.happened[KINDS[name].fault] += 1
        self.script.append((number, what))
        await world.live(world.pick(PAUSES))

    async def _rest(self, world: World) -> None:
        """All faults are over; whatever is open comes to its end."""
        counted = world.telegram.faults.count
        world.telegram.faults = Faults(count=counted)
        world.telegram.queue.release()
        await world.live(1)
        world.life.doom = None
        if world.excused_until:
            full(world.life.clerk.db, None)
            await world.live(10)
        await world.live(REST_S)
        if world.sql("SELECT 1 FROM games WHERE status = 'running'"):
            await world.live(SOLO_S)
        world.let_pin()
        await world.live(REFLECT_S)

    def _reported(self, world: World, updates: Updates, folder: Path) -> Report:
        faults = Counter(world.telegram.faults.count) + world.happened
        ((finished,),) = world.sql("SELECT count(*) FROM games WHERE status = 'over'")
        return Report(
            self.seed,
            len(self.numbers),
            not self.broken,
            dict(sorted(faults.items())),
            world.deaths,
            finished,
            self._digest(world, folder),
            {**updates.became, "waiting": len(world.telegram.queue.pending)},
        )

    def _digest(self, world: World, folder: Path) -> str:
        """Of everything that was done, called and kept."""
        digest = hashlib.sha256()
        for number, what in self.script:
            digest.update(f"{number} {what}\n".encode())
        for call in world.telegram.log:
            params = json.dumps(call.params, sort_keys=True, default=_short)
            line = f"{call.at:.6f} {call.method} {call.status} {params}\n"
            digest.update(line.replace(str(folder), "").encode())
        kept = (
            "SELECT name FROM sqlite_master WHERE type = 'table' "
            "AND name NOT LIKE '%_migrations' ORDER BY name"  # these tell the real time
        )
        for (table,) in world.sql(kept):
            for row in world.sql(f"SELECT * FROM {table}"):
                digest.update(f"{table} {row}\n".encode())
        return digest.hexdigest()


def soak(seed: int, steps: int, only: Sequence[int] = (), *, shorten: bool = True) -> Report:
    """Runs `steps` steps of a seed (or `only` some of them); a failing script is made shorter."""
    course = _Course(seed, only or range(steps)).run()
    assert course.report
    if not course.broken:
        return course.report
    worst = _shortened(course) if shorten else course
    failure = Failure(
        worst.at,
        worst.broken,
        list(worst.numbers),
        [f"{number}: {what}" for number, what in worst.script],
    )
    return Report(**{**course.report.__dict__, "ok": False, "failure": failure})


def _shortened(course: _Course) -> _Course:
    """The same failure with steps left out, as far as some tries get."""
    done = [number for number, what in course.script if not what.startswith("(")]
    to_rest = course.at is None
    best, tries = _Course(course.seed, done, to_rest).run(), 1
    if _kind(best) != _kind(course):
        best = course
    size = max(1, len(best.numbers) // 2)
    while tries < TRIES:
        for start in range(0, len(best.numbers), size):
            kept = [*best.numbers[:start], *best.numbers[start + size :]]
            tries += 1
            shorter = _Course(course.seed, kept, to_rest).run()
            if _kind(shorter) == _kind(course):
                best = shorter
                break
            if tries >= TRIES:
                break
        else:
            if size == 1:
                break
            size = max(1, size // 2)
    return best


def _kind(course: _Course) -> str:
    """What broke, without names and numbers."""
    first = course.broken[0] if course.broken else ""
    return " ".join(word for word in first.split()[:6] if word.isalpha())


def _short(value: object) -> object:
    return value.filename if isinstance(value, Upload) else str(value)
