"""How a whole game feels: three people play each game at human pace, in virtual time.

They look at the newest board, think, and press what nearly everyone means, now and then the dice
one by one, within Telegram's own limits. What one waits for is the board that shows what came of a
press.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import filterfalse
from pathlib import Path
from random import Random
from statistics import quantiles

from games import registry
from tests.tgbot.house import House, running_house
from tests.tgbot.playing import codes, data, place
from tgbot.hall.table import Table
from tgbot.playground import Limits, Message
from tgbot.playground.model import Call
from tgbot.soak.virtual import VirtualLoop, virtual_time

PACES = {"human": (2.0, 4.0), "brisk": (0.8, 1.6)}
"""How long somebody thinks before they press, in seconds."""
LOOKS_S = 0.05
PATIENCE_S = 120
SEED = "pace"
BANKS, PICKS = 0.5, 0.4
"""How often somebody banks who may, and who throws on chooses the dice one by one."""
SCORES_ALONE = ("1", "5")
_DIE = re.compile(r"k[1-6]|\+\d+", re.ASCII)
_IDLE = re.compile(r"roll|boxes|sheet|cross|back|all|join|([kt]|charm)[1-6]", re.ASCII)
"""Buttons of Yahtzee that score no box."""


@dataclass
class Pace:
    """What a game was like; times in seconds."""

    name: str
    moves: int = 0
    presses: int = 0
    waits: list[float] = field(default_factory=list)
    whole: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)

    def line(self) -> str:
        """The figures."""
        cuts = quantiles(self.waits, n=100, method="inclusive")
        return (
            f"{self.name:15} {self.whole / 60:4.1f} min, {self.moves} moves, {self.presses} "
            f"presses; {self.calls['boards']} boards, {self.calls['edits']} edits, "
            f"{self.calls['tidied']} tidied; "
            f"from press to board {cuts[49]:.2f} s (median), {cuts[89]:.2f} s (p90), "
            f"{max(self.waits):.2f} s (worst)"
        )


def measure() -> Iterator[Pace]:
    """Plays one game of each kind at each pace."""
    for kind in registry():
        for pace, thinks in PACES.items():
            with virtual_time(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
                yield runner.run(_game(kind, Pace(f"{kind}, {pace}"), thinks))


async def _game(kind: str, pace: Pace, thinks: tuple[float, float]) -> Pace:
    with tempfile.TemporaryDirectory(prefix="dicehall-pace-") as folder:
        async for house in running_house(Path(folder), Limits()):
            return await _played(house, kind, pace, thinks)
    raise AssertionError("there was no house")


async def _played(house: House, kind: str, pace: Pace, thinks: tuple[float, float]) -> Pace:
    assert house.bot
    dice = Random(SEED)
    house.bot.hall.chance.stream = lambda secret, part, move: lambda sides: dice.randint(1, sides)
    people = (house.anna, house.ben, house.cem)
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.open(*people, kind=kind)
    game_id, clock = house.table().id, asyncio.get_running_loop().time
    began, written = clock(), len(house.written())
    hands = (Hand(house, game_id, seat, pace, thinks) for seat in range(len(people)))
    await asyncio.gather(*(hand.play() for hand in hands))
    pace.whole = clock() - began
    pace.calls = Counter(map(_what, house.written()[written:]))
    return pace


class Hand:
    """Who sits in a seat and presses whenever they are to act."""

    def __init__(
        self, house: House, game_id: str, seat: int, pace: Pace, thinks: tuple[float, float]
    ) -> None:
        self.house, self.game_id, self.seat, self.pace = house, game_id, seat, pace
        self.thinks = thinks
        self.chance = Random(f"{SEED} {seat}")

    async def play(self) -> None:
        """Presses until the game is over."""
        while await self._until(self._is_to_act):
            await asyncio.sleep(self.chance.uniform(*self.thinks))
            await self._press()

    async def _press(self) -> None:
        """Does what nearly everyone means; waits until that is seen."""
        table, clock = self._table(), asyncio.get_running_loop().time
        if table is None or not self._is_to_act(table):
            return
        board = self.house.telegram.last(place(self.house, table, self.seat), buttons=True)
        person = self.house.telegram.people[table.sittings[self.seat].user_id]
        *dice, move = self._meant(board)
        for code in dice:
            await self.house.press(person, data(board, code), board)
            await asyncio.sleep(self.chance.uniform(*self.thinks) / 4)
        pressed_at = clock()
        await self.house.press(person, data(board, move), board)
        pressed = self._table()
        revision = pressed.showing(self.seat).revision if pressed else 0
        await self._until(lambda now: now.showing(self.seat).painted >= revision)
        self.pace.moves += 1
        self.pace.presses += len(dice) + 1
        self.pace.waits.append(clock() - pressed_at)

    def _meant(self, board: Message) -> list[str]:
        """The buttons to press, a move's last; dice first where they are chosen one by one."""
        here = codes(board)
        dice = [code for code in here if _DIE.fullmatch(code)]
        if "throw" in here:
            return [self.chance.choice(dice), "throw"]
        if "roll_best" in here:
            scoring = [code for code in dice if _face(board, code) in SCORES_ALONE]
            if "bank_best" in here and self.chance.random() < BANKS:
                return ["bank_best"]
            return (
                [scoring[0], "roll"] if scoring and self.chance.random() < PICKS else ["roll_best"]
            )
        if "roll" in here and not dice:
            return ["roll"]
        return ["plan"] if "plan" in here else [next(filterfalse(_IDLE.fullmatch, here), "roll")]

    def _is_to_act(self, table: Table) -> bool:
        """Whether this seat may act, and sees that on its board."""
        return self.seat in table.phase(self.seat).actors and not table.showing(self.seat).behind

    async def _until(self, so: Callable[[Table], bool]) -> bool:
        """Looks until something is so; False once the game is over. Raises TimeoutError if it
        never is."""
        for _ in range(int(PATIENCE_S / LOOKS_S)):
            table = self._table()
            if table is None or so(table):
                return table is not None
            await asyncio.sleep(LOOKS_S)
        raise TimeoutError("a board is not painted")

    def _table(self) -> Table | None:
        """The game as the bot has it in hand, while it runs."""
        assert self.house.bot
        table = self.house.bot.hall.tables.seen.get(self.game_id)
        return table if table and table.status == "running" else None


def _what(call: Call) -> str:
    """What a call is for: a board without a keyboard is an old one."""
    if call.method == "sendMessage":
        return "boards"
    return "edits" if call.params.get("reply_markup") else "tidied"


def _face(board: Message, code: str) -> str:
    """What the die of a button shows."""
    keys = (key for row in board.buttons for key in row)
    return next(key["text"] for key in keys if key.get("callback_data", "").endswith(f":{code}"))
