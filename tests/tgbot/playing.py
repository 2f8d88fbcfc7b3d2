"""How the tests of the four games press, type and read; see `conftest.House` for all else."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from random import Random
from typing import Any

import pytest

from economy.ledger import Ledger, fund, mint, wallet
from games import registry
from games.game import HOUSE
from tests.tgbot.house import POOLS, House
from tgbot.database import open_database
from tgbot.done import Done
from tgbot.hall.hall import Hall, open_hall
from tgbot.hall.table import Table
from tgbot.people.people import People
from tgbot.playground import Chat, Message, Person
from tgbot.soak.virtual import now

KINDS = pytest.mark.parametrize("kind", registry())
"""A test of every game."""
LOADED = (1, 1, 1, 1, 5, 5, 6, 4, 3, 2)
"""Dice that make a game of points a short one."""
MINUTE_S = 60.0
MOST_A_MINUTE = 20
MOST_PRESSES = 600
WEIGHTS = {"roll_best": 12, "bank_best": 12, "bank": 9, "plan": 6, "roll": 4, "throw": 3}
"""How likely a button is pressed; those not named 1."""
PATIENCE_S = 70
"""How long a person waits for a button: a board is edited when its chat has room."""


def codes(message: Message) -> list[str]:
    """What the buttons of a board say, without game and phase."""
    return [data.split(":", 2)[2] for data in map(_data, _buttons(message)) if data]


def labels(message: Message) -> list[str]:
    """The words on a message's buttons."""
    return [button["text"] for button in _buttons(message)]


def data(message: Message, code: str) -> str:
    """The callback data of the button that says `code`. Raises LookupError with those there are."""
    for found in map(_data, _buttons(message)):
        if found.split(":", 2)[2:] == [code]:
            return found
    raise LookupError(f"No button says {code!r}. There are: {', '.join(codes(message))}.")


async def tap(house: House, person: Person, *said: str, chat: Chat | None = None) -> str:
    """Presses the buttons that say so on the newest board, once they are there; the last toast."""
    toast = ""
    for code in said:
        board = await waited(house, code, chat)
        toast = await house.press(person, data(board, code), board)
    return toast


async def painted(house: House) -> None:
    """Waits until every board is up to date."""
    assert house.bot
    for _ in range(PATIENCE_S):
        if not house.bot.painter.backlog():
            return
        await house.breathe(1)
    raise TimeoutError("a board is not painted")


async def waited(house: House, code: str, chat: Chat | None = None) -> Message:
    """The newest board once it is up to date and has that button."""
    for _ in range(PATIENCE_S):
        await painted(house)
        board = house.telegram.last(chat or house.group, buttons=True)
        if code in codes(board):
            return board
        await house.breathe(1)
    raise LookupError(f"No button says {code!r}. There are: {', '.join(codes(board))}.")


async def typed(
    house: House, person: Person, *lines: str, dice: str = "", chat: Chat | None = None
) -> None:
    """Types commands, the first of which throws `dice`."""
    house.rolls += map(int, dice)
    for line in lines:
        house.say(person, line, chat)
        await house.breathe(0.1)


def moves(house: House) -> list[tuple[int, str]]:
    """The recorded moves of the newest game: seat and move."""
    return house.sql(
        "SELECT seat, move FROM moves WHERE game_id = "
        "(SELECT id FROM games ORDER BY rowid DESC LIMIT 1) ORDER BY n"
    )


def mentioned(message: Message) -> set[int]:
    """Whom a message notifies."""
    return {e["user"]["id"] for e in message.entities if e["type"] == "text_mention"}


def sent(house: House, chat: Chat | None = None) -> int:
    """How many messages the bot has sent to a chat."""
    return len(house.calls("sendMessage", chat=chat))


def thrown(house: House) -> list[tuple[int, str]]:
    """What people did in all games, in order: seat and move."""
    return house.sql("SELECT seat, move FROM moves WHERE seat >= 0 ORDER BY game_id, n")


def boards_with_keys(house: House) -> list[Message]:
    """The messages of the group that still have buttons of a game."""
    game_id = house.table().id
    return [
        message
        for message in house.telegram.messages(house.group)
        if any(key.get("callback_data", "").startswith(game_id)
               for row in message.buttons for key in row)
    ]  # fmt: skip


def flood(house: House, *, times: int, seconds: int) -> None:
    """Telegram asks to wait in the group."""
    house.telegram.faults.flood_chat = house.group.id
    house.telegram.faults.flood_retry_after = seconds
    house.telegram.faults.flood_next = times


async def do(house: House, use_case: Callable[[], Done]) -> None:
    """Runs a use case of the hall as the bot would."""
    assert house.bot
    house.bot.painter.show(await house.bot.clerk.run(use_case))


def seen(house: House, game_id: str) -> Table | None:
    """The running game as the bot has it in hand."""
    assert house.bot
    table = house.bot.hall.tables.seen.get(game_id)
    return table if table and table.status == "running" else None


def load(house: House, seed: str) -> Random:
    """Dice and choices that are the same at every run."""
    assert house.bot
    random = Random(seed)
    house.bot.hall.chance.stream = lambda secret, part, move: (
        lambda sides: random.choice(LOADED) if sides == 6 else random.randint(1, sides)
    )
    return random


def most_within(times: list[float], window_s: float) -> int:
    """The largest number of moments in any stretch of that many seconds."""
    most, window = 0, deque[float]()
    for time in times:
        window.append(time)
        while window[0] <= time - window_s:
            window.popleft()
        most = max(most, len(window))
    return most


def within_limits(house: House, chat: Chat | None = None) -> bool:
    """Whether the bot wrote to a group at most 20 times in any minute, 3 in any 3 seconds."""
    times = [call.at for call in house.written(chat)]
    return most_within(times, MINUTE_S) <= MOST_A_MINUTE and most_within(times, 3.0) <= 3


def shown(house: House) -> dict[str, Any]:
    """What the database says, but for how far boards are painted."""
    return {name: rows for name, rows in house.rows().items() if name not in ("games", "showings")}


async def give(house: House, person: Person, coins: int) -> None:
    """Knuddels out of nowhere."""
    assert house.bot
    ledger = house.bot.hall.ledger
    postings = {mint(): -coins, wallet(person.id): coins}
    await house.bot.clerk.run(lambda: ledger.book("given", "grant", postings, at=0))


async def play_on(house: House, *people: Person) -> None:
    """The rounds that are left, each person a little better than the next."""
    for pool in POOLS[1:]:
        await house.breathe(2)
        for n, person in enumerate(people):
            await house.score(person, pool, 12 - n)
    await house.breathe(3)


def place(house: House, table: Table, seat: int) -> Chat:
    """Where a seat finds the buttons to press."""
    own = table.showing(seat)
    return house.group if own.seat == HOUSE else house.telegram.chats[own.chat_id]


async def presses(
    house: House, people: Sequence[Person], random: Random, asleep: Person | None = None
) -> AsyncIterator[tuple[Person, Message, str]]:
    """Plays the newest game to its end by its buttons alone; yields every press once it is made.

    Who is `asleep` presses nothing, and everybody waits for them.
    """
    game_id, most = house.table().id, MOST_PRESSES
    while seen(house, game_id):
        await painted(house)
        if (table := seen(house, game_id)) is None:
            return
        seats = [seat for seat in range(len(people)) if seat in table.phase(seat).actors]
        awake = [seat for seat in seats if people[seat] is not asleep]
        if not awake:
            await house.breathe(1)
            continue
        seat = random.choice(awake)
        board = house.telegram.last(place(house, table, seat), buttons=True)
        keys = [code for code in codes(board) if code not in ("guide", "join", "hint")]
        code = random.choices(keys, [WEIGHTS.get(code, 1) for code in keys])[0]
        await house.press(people[seat], data(board, code), board)
        yield people[seat], board, code
        most -= 1
        assert most, "the game does not end"


async def furnish(house: House, *, played: int = 1) -> list[Person]:
    """Five people who have each finished a free game in the group, and 100 coins in the fund."""
    more = [house.telegram.person(name) for name in ("Dora", "Eva")]
    for person in more:
        house.telegram.join(house.group, person)
    people = [house.anna, house.ben, house.cem, *more]
    for _ in range(played):
        await house.game({person: (2, 3, 4 + n) for n, person in enumerate(people)})
    db = open_database(house.settings)
    with db.atomic():
        Ledger(db).transfer("topup", "fund", mint(), fund(), 100, at=0)
    db.close()
    return people


async def order(house: House, coins: int = 30) -> None:
    """The operator orders a round for now, on the command line beside the bot."""
    db = open_database(house.settings)
    hall, _ = open_hall(db, house.settings)
    with db.atomic():
        hall.settling.robin.order(int(now()), coins)
    db.close()
    await house.look()


def _buttons(message: Message) -> list[dict[str, str]]:
    return [button for row in message.buttons for button in row]


def _data(button: dict[str, str]) -> str:
    return button.get("callback_data", "")


class Beside:
    """Another process at the same database, as `dicehall bar` is."""

    def __init__(self, house: House) -> None:
        self.house = house

    def __enter__(self) -> tuple[Hall, People]:
        self.db = open_database(self.house.settings)
        self.transaction = self.db.atomic()
        self.transaction.__enter__()
        return open_hall(self.db, self.house.settings)

    def __exit__(self, *error: object) -> None:
        self.transaction.__exit__(*error)
        self.db.close()
