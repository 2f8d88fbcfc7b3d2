"""People who play whole games of Fifty! by its buttons: for stakes, with Stechen and settlement."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from economy.database import connect
from economy.ledger import Ledger
from games import registry
from games.dice import Pool
from games.game import Setup
from tests.bench.presses import Presses
from tgbot import press
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.table import fold
from tgbot.people.people import Who
from tgbot.playground import Chat, Person, Telegram

GAME = registry()["fifty"]
SEATS = 10
STAKE = 2
PAINTED_WITHIN_S = 30
_KEPT = {
    "join": "SELECT count(*) FROM seats",
    "throw": "SELECT count(*) FROM moves WHERE seat >= 0 AND move != 'late'",
    "settled": "SELECT count(*) FROM games WHERE status = 'over'",
}


@dataclass
class Lobby:
    """An open lobby and the people who are going to join; the first one opened it."""

    game_id: str
    chat: Chat
    people: list[Person]


def open_lobbies(telegram: Telegram, settings: Settings, number: int) -> list[Lobby]:
    """So many groups with a lobby each, written before the bot starts."""
    db = open_database(settings)
    hall, people = open_hall(db, settings)
    now = int(telegram.now())
    lobbies = []
    with db.atomic():
        for each in range(number):
            group = [telegram.person(f"Person {each}.{seat}") for seat in range(SEATS)]
            chat = telegram.group(f"Group {each}", *group)
            hall.chats.meet(chat.id, chat.title)
            hall.chats.set(chat.id, "stake", str(STAKE), 0, 0)
            opener = people.meet(Who(group[0].id, group[0].name), now)
            done = hall.lobby.open(opener, chat.id, 0, GAME.kind, now)
            lobbies.append(Lobby(done.games[0], chat, group))
    db.close()
    telegram.queue.drop()
    return lobbies


async def painted(lobbies: list[Lobby]) -> None:
    """Waits for all lobbies' messages: Telegram lets 30 a second out."""
    for _ in range(10 * PAINTED_WITHIN_S):
        await asyncio.sleep(0.1)
        if all(_message(lobby.chat) for lobby in lobbies):
            return
    raise RuntimeError("the bot did not paint its lobbies")


class Players:
    """They press what the newest board would show, whether it is painted yet or not.

    Telegram lets no more than 30 boards a second out; so they look up in the bot's database how a
    game stands, once a phase.
    """

    def __init__(self, presses: Presses, path: Path) -> None:
        self.presses = presses
        self.path = path
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.pressed: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        """Presses by their code."""

    async def play(self, lobbies: Iterable[Lobby]) -> None:
        """One game after the other, as long as there are lobbies."""
        for lobby in lobbies:
            await asyncio.gather(*(self._press(lobby, person, "join") for person in lobby.people))
            await self._press(lobby, lobby.people[0], "start")
            await self._play(lobby, self._seated(lobby))

    def _seated(self, lobby: Lobby) -> list[Person]:
        by_id = {person.id: person for person in lobby.people}
        order = "SELECT user_id FROM seats WHERE game_id = ? ORDER BY seat"
        return [by_id[user] for (user,) in self.db.execute(order, (lobby.game_id,))]

    async def _play(self, lobby: Lobby, seats: list[Person]) -> None:
        state, n = GAME.rules.start(Setup(len(seats))), 0
        newer = "SELECT seat, move, dice FROM moves WHERE game_id = ? AND n >= ? ORDER BY n"
        while True:
            moves = self.db.execute(newer, (lobby.game_id, n)).fetchall()
            state, n = fold(GAME, state, moves), n + len(moves)
            if GAME.rules.outcome(state):
                return
            phase = GAME.rules.phase(state)
            turns = ((seats[seat], _picked(state.dice(seat), seat)) for seat in phase.actors)
            await asyncio.gather(*(self._turn(lobby, *turn, phase.rev) for turn in turns))

    async def _turn(self, lobby: Lobby, person: Person, pool: Pool, rev: int) -> None:
        for sides in pool:
            await self._press(lobby, person, f"+{sides}", rev)
        await self._press(lobby, person, "throw", rev)

    async def _press(self, lobby: Lobby, person: Person, code: str, rev: int = 0) -> None:
        data = press.encode(lobby.game_id, code, rev)
        self.pressed[code] += 1
        self.answered[code] += await self.presses.press(
            person, lobby.chat, _message(lobby.chat), data
        )

    def check(self) -> str:
        """What was played; raises RuntimeError if the books are wrong or an answer was a lie."""
        self.db.close()
        db = connect(f"sqlite:///{self.path}")
        running = db.execute_sql("SELECT id FROM games WHERE status IN ('lobby', 'running')")
        audit = Ledger(db).audit(row[0] for row in running.fetchall())
        kept = {what: db.execute_sql(query).fetchone()[0] for what, query in _KEPT.items()}
        db.close()
        problems = [
            *audit.problems,
            *(
                f"{self.answered[code]} times {code} was answered, {kept[code]} kept"
                for code in ("join", "throw")
                if not self.answered[code] <= kept[code] <= self.pressed[code]
            ),
        ]
        if problems:
            raise RuntimeError("; ".join(problems))
        return (
            f"{kept['join']} joins, {kept['throw']} throws, {kept['settled']} games settled, "
            f"{audit.bookings} bookings that add up"
        )


def _picked(held: Pool, seat: int) -> Pool:
    """One or two of the dice held, other ones for other seats: half of all presses choose."""
    places = (seat, seat + 3)[: 1 + seat % 2]
    return tuple({place % len(held): held[place % len(held)] for place in places}.values())


def _message(chat: Chat) -> int:
    """The newest message with buttons; 0 if there is none yet."""
    return next((each.id for each in reversed(chat.messages.values()) if each.buttons), 0)
