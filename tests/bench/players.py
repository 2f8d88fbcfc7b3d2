"""People who play whole games of Fifty! by its buttons: for stakes, with Stechen and settlement."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from economy.audit import prove
from economy.database import connect, shut
from games import registry
from games.dice import Pool
from games.game import Setup
from tests.bench.presses import Presses
from tgbot import press
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.move_rows import MoveRows
from tgbot.hall.seat_rows import SeatRows
from tgbot.hall.table import fold
from tgbot.models import GameRow, MoveRow, SeatRow
from tgbot.people.people import Who
from tgbot.playground import Chat, Person, Telegram

GAME = registry()["fifty"]
SEATS = 10
STAKE = 2
PAINTED_WITHIN_S = 30
_KEPT = {
    "join": SeatRow.select(),
    "throw": MoveRow.select().where(MoveRow.seat >= 0, MoveRow.move != "late"),
    "settled": GameRow.select().where(GameRow.status == "over"),
}
"""The rows that say how often something was done."""


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
    shut(db)
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

    def __init__(self, presses: Presses, database: str) -> None:
        self.presses = presses
        self.db = connect(database)
        self.moves = MoveRows(self.db)
        self.seats = SeatRows(self.db)
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
        sittings = self.seats.of(lobby.game_id, lobby=False)
        return [by_id[sitting.user_id] for sitting in sorted(sittings, key=lambda it: it.seat)]

    async def _play(self, lobby: Lobby, seats: list[Person]) -> None:
        state, n = GAME.rules.start(Setup(len(seats))), 0
        while True:
            moves = self.moves.of(lobby.game_id, n)
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
        running = GameRow.select(GameRow.id).where(GameRow.status << ("lobby", "running"))
        audit = prove(self.db, (game for (game,) in running.tuples().execute(self.db)))
        kept = {what: rows.count(self.db) for what, rows in _KEPT.items()}
        shut(self.db)
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
