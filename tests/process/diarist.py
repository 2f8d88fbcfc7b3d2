"""People who play their daily (RULES 9) whatever happens to the process, and remember it all."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from games import registry
from games.game import Draw, Setup
from tests.process.mortal import Mortal
from tgbot import press
from tgbot.hall.daily.attempts import COUNTED
from tgbot.hall.table import Recorded, fold, values
from tgbot.playground import Message, Person

GAME = registry()["yahtzee"]
POLICY = GAME.policies["greedy"]
LONGEST_PAUSE_S = 2.0


@dataclass
class Diarist:
    """Somebody who presses or types the moves of one attempt, one after the other."""

    process: Mortal
    person: Person
    random: random.Random
    did: list[tuple[int, str]] = field(default_factory=list)
    """Updates and the moves they say."""

    async def play(self, reaper: asyncio.Task[None]) -> None:
        """The whole attempt, slowly for as long as the reaper is about."""
        private = self.process.telegram.private(self.person)
        self.process.telegram.say(self.person, private, "/daily")
        await self.process.eventually(f"{self.person.name}'s daily", self._board)
        state, draw = GAME.rules.start(Setup(1)), self._draw
        while GAME.rules.outcome(state) is None:
            move = POLICY(state, 0, draw)
            self._do(move, GAME.rules.phase(state, 0).rev)
            moves = await self.process.eventually(
                f"move {len(self.did)} of {self.person.name}'s daily", self._as_many
            )
            state = fold(GAME, GAME.rules.start(Setup(1)), moves)
            if not reaper.done():
                await asyncio.sleep(self.random.uniform(0, LONGEST_PAUSE_S))

    def game(self) -> str:
        """The game of the attempt; empty while there is none."""
        query = "SELECT game_id FROM attempts WHERE user_id = ?"
        return "".join(game for (game,) in self.process.sql(query, self.person.id))

    def check(self, path: Path | None = None) -> None:
        """The moves that are written down are those that came to the process, in order."""
        written = [move for _, move, _ in self._moves(path)]
        pending = {update["update_id"] for update in self.process.telegram.queue.pending}
        told = sum(update not in pending for update, _ in self.did)
        did = [move for _, move in self.did]
        assert did[: len(written)] == written, self.process.deaths
        assert told <= len(written), self.process.deaths

    def check_end(self) -> None:
        """The one attempt is over and counts what was made of it."""
        moves = self._moves()
        state = fold(GAME, GAME.rules.start(Setup(1)), moves)
        query = "SELECT done, total FROM attempts WHERE user_id = ?"
        assert [move for _, move, _ in moves] == [move for _, move in self.did]
        assert self.process.sql(query, self.person.id) == [(COUNTED, state.players[0].total)]

    def dice(self) -> dict[int, tuple[int, ...]]:
        """What fell, by the number of the throw in its day."""
        state, fell = GAME.rules.start(Setup(1)), {}
        assert GAME.daily
        for _, move, dice in self._moves():
            fell[GAME.daily.number(state, move)] = values(dice)
            state = GAME.rules.play(state, 0, move, values(dice))
        return fell

    @property
    def _draw(self) -> Draw:
        return lambda n: self.random.randint(1, n)

    def _do(self, move: str, rev: int) -> None:
        telegram, (what, _, which) = self.process.telegram, move.partition(" ")
        private = telegram.private(self.person)
        if which.isdecimal():
            telegram.say(self.person, private, f"/roll {which}")
        else:
            board, data = self._board(), press.encode(self.game(), which or what, rev)
            assert board
            telegram.press_data(self.person, private, board.id, data)
        self.did.append((int(telegram.queue.pending[-1]["update_id"]), move))

    def _board(self) -> Message | None:
        """What the bot said last that has buttons."""
        with contextlib.suppress(LookupError):
            return self.process.telegram.last(
                self.process.telegram.private(self.person), buttons=True
            )
        return None

    def _as_many(self) -> list[Recorded]:
        moves = self._moves()
        return moves if len(moves) == len(self.did) else []

    def _moves(self, path: Path | None = None) -> list[Recorded]:
        with self.process.opened(path) as db:
            query = "SELECT game_id FROM attempts WHERE user_id = ?"
            rows = db.execute_sql(query, (self.person.id,)).fetchall()
            return [move for (game,) in rows for move in self.process.store(db).moves.of(game)]


def same_dice(diarists: Sequence[Diarist]) -> None:
    """Whoever threw n dice in a throw of the day had the first n of everybody's."""
    everybody: dict[int, tuple[int, ...]] = {}
    for diarist in diarists:
        for number, dice in diarist.dice().items():
            others = everybody.get(number, ())
            least = min(len(dice), len(others))
            assert dice[:least] == others[:least], diarist.person.name
            everybody[number] = max(dice, others, key=len)
    assert bool(everybody) == bool(diarists)
