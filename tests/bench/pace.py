"""How a whole game feels: three people play Yahtzee at human pace, in virtual time.

They look at the newest board, think for 2 to 4 seconds and press what nearly everyone means, within
Telegram's own limits. What one waits for is the board that shows what came of a press.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles

from tests.tgbot.house import House, running_house
from tests.tgbot.playing import codes, data
from tgbot.hall.table import Table
from tgbot.playground import Limits
from tgbot.soak.virtual import VirtualLoop, virtual_time

KIND = "yahtzee"
THINKS_S = (2.0, 4.0)
LOOKS_S = 0.05
PATIENCE_S = 120
SEED = "pace"
PLAN, ROLL = "plan", "roll"
_DIE = re.compile(r"([kt]|charm)[1-6]", re.ASCII)
MENUS = {"boxes", "sheet", "cross", "back", "all", "join"}
"""Buttons that choose nothing."""


@dataclass
class Pace:
    """What a game was like; times in seconds."""

    turns: int = 0
    presses: int = 0
    waits: list[float] = field(default_factory=list)
    whole: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """The figures, one a line."""
        cuts = quantiles(self.waits, n=100, method="inclusive")
        sends, edits = self.calls["sendMessage"], self.calls["editMessageText"]
        return [
            f"{self.turns} turns in {self.whole / 60:.1f} min",
            f"{self.presses / self.turns:.2f} presses a turn",
            f"{self.calls.total() / self.turns:.2f} calls a turn: {sends / self.turns:.2f} sends, "
            f"{edits / self.turns:.2f} edits",
            f"from press to board {cuts[49]:.2f} s (median), {cuts[89]:.2f} s (p90), "
            f"{max(self.waits):.2f} s (worst)",
        ]


def measure() -> Pace:
    """Plays one game."""
    with virtual_time(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_game())


async def _game() -> Pace:
    with tempfile.TemporaryDirectory(prefix="dicehall-pace-") as folder:
        async for house in running_house(Path(folder), Limits()):
            return await _played(house, Random(SEED))
    raise AssertionError("there was no house")


async def _played(house: House, chance: Random) -> Pace:
    assert house.bot
    house.bot.hall.chance.stream = lambda secret, part, move: lambda sides: chance.randint(1, sides)
    await house.open(house.anna, house.ben, house.cem, kind=KIND)
    pace, clock = Pace(), asyncio.get_running_loop().time
    began, written = clock(), len(house.written())
    while (table := _running(house)) is not None:
        await _seen(house)
        await asyncio.sleep(chance.uniform(*THINKS_S))
        await _press(house, table, pace)
    pace.whole = clock() - began
    pace.calls = Counter(call.method for call in house.written()[written:])
    return pace


async def _press(house: House, table: Table, pace: Pace) -> None:
    """Whoever is to act does what nearly everyone means; waits until that is seen."""
    clock = asyncio.get_running_loop().time
    board = house.board()
    here = [code for code in codes(board) if code not in MENUS and not _DIE.fullmatch(code)]
    keeps = any(code.startswith("t") and _DIE.fullmatch(code) for code in codes(board))
    rolls = ROLL in here and (keeps or here == [ROLL])
    code = PLAN if PLAN in here else ROLL if rolls else _box(here)
    pace.turns += code not in (PLAN, ROLL)
    (seat,) = table.phase().actors
    person = house.telegram.people[table.sittings[seat].user_id]
    pressed_at = clock()
    await house.press(person, data(board, code), board)
    await _seen(house)
    pace.presses += 1
    pace.waits.append(clock() - pressed_at)


def _box(here: list[str]) -> str:
    """The first box that is offered; nothing is kept of a throw without a plan."""
    return next((code for code in here if code != ROLL), ROLL)


async def _seen(house: House) -> None:
    """Waits until the newest board is up to date. Raises TimeoutError if it never is."""
    for _ in range(int(PATIENCE_S / LOOKS_S)):
        if not any(table.behind for table in _tables(house)):
            return
        await asyncio.sleep(LOOKS_S)
    raise TimeoutError("a board is not painted")


def _running(house: House) -> Table | None:
    return next((it for it in _tables(house) if it.state is not None and it.open), None)


def _tables(house: House) -> list[Table]:
    assert house.bot
    return list(house.bot.hall.tables.seen.values())
