"""People who play whole games of Fifty! by its buttons: for stakes, with Stechen and settlement."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from economy.audit import prove
from economy.database import connect, shut
from games import registry
from games.dice import Pool
from tests.bench.presses import Presses
from tgbot import press
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.store import Store
from tgbot.hall.table import Table
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
_DONE_BY = {"join": ("join", "again"), "throw": ("throw",)}
"""The presses that do it."""


@dataclass
class Group:
    """A chat with its newest game, and who plays there; the first one opens their games."""

    game_id: str
    chat: Chat
    people: list[Person]


def open_lobbies(telegram: Telegram, settings: Settings, number: int) -> list[Group]:
    """So many groups with a lobby each, written before the bot starts."""
    db = open_database(settings)
    hall, people = open_hall(db, settings)
    now = int(telegram.now())
    groups = []
    with db.atomic():
        for each in range(number):
            crowd = [telegram.person(f"Person {each}.{seat}") for seat in range(SEATS)]
            chat = telegram.group(f"Group {each}", *crowd)
            hall.chats.meet(chat.id, chat.title)
            hall.chats.set(chat.id, "stake", str(STAKE), 0, 0)
            opener = people.meet(Who(crowd[0].id, crowd[0].name), now)
            done = hall.lobby.open(opener, chat.id, 0, GAME.kind, now)
            groups.append(Group(done.games[0], chat, crowd))
    shut(db)
    telegram.queue.drop()
    return groups


async def painted(groups: Sequence[Group]) -> None:
    """Waits for all lobbies' messages: Telegram lets 30 a second out."""
    for _ in range(10 * PAINTED_WITHIN_S):
        await asyncio.sleep(0.1)
        if all(_message(group.chat) for group in groups):
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
        self.store = Store(self.db, "en")
        self.pressed: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        """Presses by their code."""

    async def play(self, groups: deque[Group]) -> None:
        """One game after the other, each by the group that has waited longest."""
        while True:
            group = groups.popleft()
            table = await self._began(group)
            while table.open:
                await self._phase(group, table)
                table = self.store.read(group.game_id, table)
            groups.append(group)

    async def _began(self, group: Group) -> Table:
        """The group's next game, as soon as it runs; what was not answered is pressed once more."""
        opener, again = group.people[0], group.game_id
        while not (table := self.store.read(group.game_id)).open:
            await self._press(group, opener, "again")
            group.game_id = self.store.running(group.chat.id, 0) or again
        while (table := self.store.read(group.game_id)).status == "lobby":
            sat = {sitting.user_id for sitting in table.sittings}
            missing = (person for person in group.people if person.id not in sat)
            await asyncio.gather(*(self._press(group, person, "join") for person in missing))
            if self.store.read(group.game_id).status == "lobby":
                await self._press(group, opener, "start")
        return table

    async def _phase(self, group: Group, table: Table) -> None:
        """Everybody who can throw does. Raises RuntimeError where nobody can."""
        phase, by_id = table.phase(), {person.id: person for person in group.people}
        if not phase.actors:
            raise RuntimeError(f"nobody can go on with the game {table.id}")
        turns = (
            (by_id[table.sittings[seat].user_id], _picked(table.state.dice(seat), seat))
            for seat in phase.actors
        )
        await asyncio.gather(*(self._turn(group, *turn, phase.rev) for turn in turns))

    async def _turn(self, group: Group, person: Person, pool: Pool, rev: int) -> None:
        for sides in pool:
            await self._press(group, person, f"+{sides}", rev)
        await self._press(group, person, "throw", rev)

    async def _press(self, group: Group, person: Person, code: str, rev: int = 0) -> None:
        data = press.encode(group.game_id, code, rev)
        self.pressed[code] += 1
        self.answered[code] += await self.presses.press(
            person, group.chat, _message(group.chat), data
        )

    def check(self) -> str:
        """What was played; raises RuntimeError if the books are wrong or an answer was a lie."""
        running = GameRow.select(GameRow.id).where(GameRow.status << ("lobby", "running"))
        audit = prove(self.db, (game for (game,) in running.tuples().execute(self.db)))
        kept = {what: rows.count(self.db) for what, rows in _KEPT.items()}
        shut(self.db)
        problems = list(audit.problems)
        for what, codes in _DONE_BY.items():
            answered, pressed = (
                sum(map(n.__getitem__, codes)) for n in (self.answered, self.pressed)
            )
            if not answered <= kept[what] <= pressed:
                problems.append(f"{answered} times {what} was answered, {kept[what]} kept")
        if problems:
            raise RuntimeError("; ".join(problems))
        chose = sum(self.pressed[code] for code in self.pressed if code.startswith("+"))
        return (
            f"{kept['join']} joins, {kept['throw']} throws, {kept['settled']} games settled, "
            f"{audit.bookings} bookings that add up; {chose / self.pressed.total():.0%} of "
            "the presses chose a die"
        )


def _picked(held: Pool, seat: int) -> Pool:
    """One or two of the dice held, other ones for other seats: half of all presses choose."""
    places = (seat, seat + 3)[: 1 + seat % 2]
    return tuple({place % len(held): held[place % len(held)] for place in places}.values())


def _message(chat: Chat) -> int:
    """The newest message with buttons; 0 if there is none yet."""
    return next((each.id for each in reversed(chat.messages.values()) if each.buttons), 0)
