"""Two workers on one PostgreSQL behind a load balancer: one may die, and nothing is lost or twice.

People press and type what the games' policies say, in whatever state the database shows, and keep
a list of it; at the end the recorded moves are that list.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from peewee import Database, InterfaceError, OperationalError

from economy.audit import prove
from economy.database import connect, shut
from economy.transactions import snapshot
from games import registry
from games.analysis import unlike_james
from games.checking import replay
from games.dice import parse
from games.game import HOUSE, Setup
from games.proof import read
from tests.postgres import database
from tests.process.mortal import GIFT, Moment, Mortal, Watched
from tests.process.party import codes
from tests.process.ports import free_port
from tests.process.test_webhook import SECRET
from tgbot import press
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.old_boards import OldBoards
from tgbot.hall.store import Store
from tgbot.hall.table import Table, fold
from tgbot.hall.verify import verification
from tgbot.inbound.doubtful_boards import DOUBT_S
from tgbot.outbound import boards
from tgbot.outbound.claims import LEASE_S
from tgbot.playground import Chat, Person
from tgbot.playground.server import running
from tgbot.words import all_words

STAKE = 3
LOOK_S = 0.02
WITHIN_S = 60.0
GAMES, GROUPS = 50, 20
LONG = ("zilch", "yahtzee")
SEATS = {"fifty": 4, "zilch": 2, "yahtzee": 2}
POLICIES = {
    "fifty": registry()["fifty"].policies["cautious"],
    "zilch": registry()["zilch"].policies["greedy"],
    "yahtzee": registry()["yahtzee"].policies["greedy"],
}
DIES_AFTER, RISES_AFTER = 12, 25
"""So many games are over when one of the workers is killed, and when it starts again."""
REPEATED = 500


@dataclass
class Game:
    """What people did in one game, as they would tell it."""

    id: str
    kind: str
    people: list[Person]
    did: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Moves by seat."""
    james: bool = False


@dataclass
class House:
    """Two workers, the Telegram that calls them, and a look at their database."""

    telegram: Watched
    workers: list[Mortal]
    settings: Settings
    db: Database
    random: Random
    games: list[Game] = field(default_factory=list)
    patience_s: float = WITHIN_S

    def __post_init__(self) -> None:
        self.store = Store(self.db, "en")
        self.words = all_words(self.settings, self.telegram.bot.username or "")
        self.hall, _ = open_hall(self.db, self.settings)

    # -- looking ------------------------------------------------------------------------------

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        return [
            tuple(row)
            for row in self.store.db.execute_sql(query.replace("?", "%s"), values).fetchall()
        ]

    def table(self, game_id: str) -> Table:
        """The game as the database has it."""
        with snapshot(self.db):
            return self.hall.tables.with_jackpot(self.store.read(game_id))

    async def until(self, what: str, check: Callable[[], Any], within_s: float = 0.0) -> Any:
        """The first truthy answer of `check`, which may look at the database; that may be away."""
        loop, within_s = asyncio.get_running_loop(), within_s or self.patience_s
        deadline = loop.time() + within_s
        while not (answer := self._looked(check)):
            if loop.time() > deadline:
                told = "\n".join(worker.story("") for worker in self.workers)
                raise AssertionError(f"not within {within_s:.0f} s: {what}\n{told}")
            await asyncio.sleep(LOOK_S)
        return answer

    def _looked(self, check: Callable[[], Any]) -> Any:
        try:
            return check()
        except (OperationalError, InterfaceError):
            shut(self.db)
            return None

    def over(self) -> int:
        """How many games are over."""
        [(n,)] = self.sql("SELECT count(*) FROM games WHERE status = 'over'")
        return int(n)

    # -- acting -------------------------------------------------------------------------------

    def found(self, title: str, *names: str) -> tuple[Chat, list[Person]]:
        """A group with a stake, before anybody serves it."""
        people = [self.telegram.person(name) for name in names]
        group = self.telegram.group(title, *people)
        with self.db.atomic():
            self.hall.chats.meet(group.id, title)
            self.hall.chats.set(group.id, "stake", str(STAKE), 0, 0)
        return group, people

    def say(self, person: Person, group: Chat, line: str) -> None:
        """Types a command to the bot."""
        command, _, words = line.partition(" ")
        at = f"{command}@{self.telegram.bot.username} {words}".strip()
        self.telegram.say(person, group, at)

    def press(self, person: Person, group: Chat, game_id: str, code: str, rev: int = 0) -> None:
        """Presses on the newest board what the game offers now, painted yet or not; while James
        plays it has no buttons."""
        board = self.telegram.last(group)
        self.telegram.press_data(person, group, board.id, press.encode(game_id, code, rev))

    async def opened(self, group: Chat, people: list[Person], kind: str) -> str:
        """A lobby that the first of the people opened, and all have joined."""
        self.say(people[0], group, f"/{kind}")
        query = "SELECT id FROM games WHERE chat_id = ? AND status = 'lobby'"
        [(game_id,)] = await self.until("a lobby", partial(self.sql, query, group.id))
        await self.until("its board", lambda: shows(group, f"{game_id}:0:join"))
        seats = "SELECT count(*) FROM seats WHERE game_id = ?"
        for n, person in enumerate(people, 1):
            self.press(person, group, game_id, "join")
            # One after the other: who sits where is then no matter of the workers' haste.
            await self.until("a seat", lambda n=n: self.sql(seats, game_id) == [(n,)])
        return str(game_id)

    async def seated(
        self, group: Chat, people: list[Person], kind: str, *, james: bool = False
    ) -> Game:
        """A game that has begun."""
        game_id = await self.opened(group, people, kind)
        if james:
            self.press(people[0], group, game_id, "james")
            await self.until("James", lambda: self.table(game_id).james)
        self.press(people[0], group, game_id, "start")
        await self.until("the start", lambda: self.table(game_id).status == "running")
        game = Game(game_id, kind, people, james=james)
        self.games.append(game)
        return game

    async def play(
        self, group: Chat, people: list[Person], kind: str, *, james: bool = False
    ) -> Game:
        """One game from its opening to its end, perhaps with James."""
        game = await self.seated(group, people[: SEATS[kind]], kind, james=james)
        rules, seen = registry()[kind].rules, 0
        seats, guests = len(game.people) + james, (len(game.people),) if james else ()
        state = rules.start(Setup(seats, self.table(game.id).options, guests))
        while rules.outcome(state) is None:
            phase = rules.phase(state)
            for seat in sorted({*phase.actors} - {*guests}):
                move = POLICIES[kind](state, seat, lambda n: self.random.randint(1, n))
                game.did[seat].append(move)
                self.act(game, group, state, seat, move)
            while rules.outcome(state) is None and rules.phase(state).rev == phase.rev:
                moves = await self.until(
                    f"moves of {kind} {game.id}", partial(self.store.moves.of, game.id, seen)
                )
                state, seen = fold(registry()[kind], state, moves), seen + len(moves)
        await self.until("the end", lambda: self.table(game.id).status == "over")
        return game

    def act(self, game: Game, group: Chat, state: Any, seat: int, move: str) -> None:
        """Makes a move as a person does: by buttons, or by typing where that is shorter."""
        person, rev = game.people[seat], registry()[game.kind].rules.phase(state).rev
        if game.kind == "fifty":
            for sides in parse(move):
                self.press(person, group, game.id, f"+{sides}", rev)
            self.press(person, group, game.id, "throw", rev)
        elif game.kind == "yahtzee":
            what, _, which = move.partition(" ")
            if which.isdecimal():
                self.say(person, group, f"/roll {which}")
            else:
                self.press(person, group, game.id, which or what, rev)
        else:
            dice, _, what = move.rpartition(" ")
            self.say(person, group, f"/{what} {dice}")


def shows(group: Chat, data: str) -> bool:
    """Whether a button of the group has this data."""
    return any(data in codes(message) for message in group.messages.values())


@pytest.fixture
def url(postgres: str) -> Iterator[str]:
    """A database of the bot, with its schema and nothing in it."""
    with database(postgres) as url:
        yield url


@contextlib.asynccontextmanager
async def house(url: str, folder: Path, **settings: str) -> AsyncIterator[House]:
    """Two workers that are not started yet, behind a load balancer."""
    telegram = Watched()
    given = {
        "DATABASE": url,
        "WEBHOOK_URL": "http://dice.example.org/telegram",
        "WEBHOOK_SECRET": SECRET,
        "PRESSES_A_SECOND": "1000",
        **settings,
    }
    made = Settings(_env_file=None, database=url, welcome_gift=GIFT)
    open_database(made).close()
    async with running(telegram, port=0) as address:
        workers = []
        for name in ("one", "two"):
            (folder / name).mkdir()
            ports = {"WEBHOOK_PORT": str(free_port()), "METRICS_PORT": str(free_port())}
            worker = Mortal(telegram, address, folder / name, {**given, **ports})
            worker.command_line = ("run", "--webhook")
            worker.patience_s = WITHIN_S
            workers.append(worker)
        telegram.workers = tuple(f"http://127.0.0.1:{w.settings['WEBHOOK_PORT']}" for w in workers)
        db = connect(url)
        try:
            yield House(telegram, workers, made, db, Random(5))
        finally:
            for worker in workers:
                await worker.end()
            shut(db)


async def test_fifty_games_in_twenty_groups_outlive_the_death_of_a_worker(
    url: str, tmp_path: Path
) -> None:
    async with house(url, tmp_path, PACE="1000", LOBBY_S="120") as hall:
        groups = [hall.found(f"Round {n}", "Anna", "Ben", "Cem", "Dora") for n in range(GROUPS)]
        for worker in hall.workers:
            await worker.start()
            await worker.serving()

        async def evening(n: int) -> None:
            kinds = ["fifty"] * (GAMES // GROUPS + (n % GROUPS < GAMES % GROUPS))
            if n >= GAMES % GROUPS:
                kinds[0] = LONG[n % len(LONG)]
            for kind in kinds:
                await hall.play(*groups[n], kind)

        # Telegram repeats what it was not told was taken; the other worker then has it again.
        hall.telegram.faults.duplicate_updates_next = REPEATED
        playing = [asyncio.create_task(evening(n)) for n in range(GROUPS)]
        reaper = asyncio.create_task(reap(hall))
        try:
            await asyncio.gather(reaper, *playing)
        finally:
            for task in (reaper, *playing):
                task.cancel()

        assert len(hall.games) == GAMES
        assert hall.telegram.faults.count == {"duplicate_updates": REPEATED}
        await boards_show_the_games(hall)
        moves_are_what_people_did(hall)
        everything_adds_up(hall)
        await the_commands_agree(hall)
        for worker in hall.workers:
            worker.signal(signal.SIGTERM)
        assert [await worker.ended() for worker in hall.workers] == [0, 0]
        assert hall.sql("SELECT name FROM workers") == []
        the_logs_are_clean(hall)


async def reap(hall: House) -> None:
    """Kills one of the workers in the middle, and starts it again."""
    worker = hall.workers[0]
    await hall.until("the first games", lambda: hall.over() >= DIES_AFTER)
    worker.signal(signal.SIGKILL)
    await worker.ended()
    worker.deaths.append(f"after {hall.over()} games")
    await hall.until("games without it", lambda: hall.over() >= RISES_AFTER)
    await worker.start()


async def boards_are_painted(hall: House) -> None:
    """The newest board of every game is painted as it stands."""

    def behind() -> list[tuple[Any, ...]]:
        return hall.sql("SELECT game_id FROM showings WHERE painted < board")

    await hall.until("all boards", lambda: not behind(), within_s=max(75, hall.patience_s))
    last = {hall.table(game.id).chat_id: hall.table(game.id) for game in hall.games}
    for table in last.values():  # those before them show what was in the jackpot then
        newest = boards.message(table, HOUSE, hall.words, 0.0)
        board = hall.telegram.chats[table.chat_id].messages[table.showing(HOUSE).message_id]
        assert board.html == newest.html, (board.html, newest.html)


async def boards_show_the_games(hall: House) -> None:
    """The newest board of every game is painted as it stands, and no other has live buttons."""
    await boards_are_painted(hall)
    await no_other_buttons(hall, {game.id for game in hall.games})


async def no_other_buttons(hall: House, games: set[str]) -> None:
    """What was sent at the moment of death may be unknown, and a question may have outlived its
    game: that goes when somebody presses it, a few in a chat a minute."""

    def relics() -> set[tuple[int, int]]:
        # What a chat's budget has no room for yet is noted, and goes when there is.
        noted = {(chat_id, message_id) for chat_id, message_id, _ in OldBoards(hall.store.db).all()}
        return live_boards(hall, games) - noted

    deadline = asyncio.get_running_loop().time() + hall.patience_s
    while left := relics():
        for chat_id, message_id in left:
            chat = hall.telegram.chats[chat_id]
            person = next(p for p in hall.telegram.people.values() if p.id in chat.members)
            hall.telegram.press(person, chat, message_id, codes(chat.messages[message_id])[0])
        await asyncio.sleep(2 * DOUBT_S)
        told = hall.workers[0].story(f"buttons stay: {left}")
        assert asyncio.get_running_loop().time() < deadline, told


def live_boards(hall: House, games: set[str]) -> set[tuple[int, int]]:
    """Chat and message of all that can be pressed of games that are over, results apart."""
    return {
        (chat.id, message.id)
        for chat in hall.telegram.chats.values()
        for message in chat.messages.values()
        for game_id, _, code in (data.split(":", 2) for data in codes(message))
        if game_id in games and code not in ("again", "analysis", "sheets", "verify")
    }


def moves_are_what_people_did(hall: House) -> None:
    """Every press was applied once, in order, and no clock made a move."""
    for game in hall.games:
        with snapshot(hall.db):
            recorded: dict[int, list[str]] = defaultdict(list)
            table = hall.store.read(game.id)
            for seat, move, _ in hall.store.moves.of(game.id):
                if seat not in (HOUSE, *table.guests):
                    recorded[seat].append(move)
            assert recorded == game.did, (game, hall.workers[0].deaths)
            found = verification(hall.store, hall.workers[0].sealing, table)
        proof = read(found.file)
        assert found.wrong == unlike_james(proof.rules, replay(proof), proof.james) == ()
        assert bool(proof.james) == game.james
        assert found.throws


def everything_adds_up(hall: House) -> None:
    """Every game is settled once, every stake was taken once, and the books are right."""
    ids = {game.id for game in hall.games}
    booked = Counter(hall.sql("SELECT memo, reason FROM bookings WHERE memo <> ''"))
    kinds = dict(hall.sql("SELECT status, count(*) FROM games GROUP BY status"))
    stakes = hall.sql("SELECT count(*) FROM bookings WHERE reason = 'stake'")
    gifts = hall.sql("SELECT count(*) FROM bookings WHERE reason = 'gift'")
    assert kinds == {"over": len(ids)}
    assert {key: n for key, n in booked.items() if key[1] == "game"} == {
        (game_id, "game"): 1 for game_id in ids
    }
    assert stakes == [(sum(len(game.people) for game in hall.games),)]
    audit = prove(hall.hall.ledger.db)
    assert audit.problems == ()
    assert audit.held["coins"]["mint"] == -GIFT * gifts[0][0]
    assert hall.sql("SELECT count(*) FROM due WHERE kind = 'game'") == [(0,)]


async def the_commands_agree(hall: House) -> None:
    """`dicehall audit`, and `dicehall verify` for a game of each kind."""
    samples = {game.kind: game.id for game in hall.games}
    told = await asyncio.gather(
        hall.workers[0].command("audit", "--json"),
        *(hall.workers[1].command("verify", game_id, "--json") for game_id in samples.values()),
    )
    for status, out, err in told:
        assert (status, json.loads(out)["ok"]) == (0, True), err


def the_logs_are_clean(hall: House) -> None:
    """No worker had anything to complain about."""
    for worker in hall.workers:
        log = worker.log.read_text()
        assert "Traceback" not in log, log
        assert "error" not in log.lower(), log
        assert hall.telegram.token not in log
        assert SECRET not in log


# -- what a dead worker had in hand -----------------------------------------------------------


@pytest.mark.parametrize("noted", [True, False], ids=["board noted", "board sent"])
async def test_what_a_dead_worker_had_in_hand_another_one_does(
    noted: bool, url: str, tmp_path: Path
) -> None:
    async with house(url, tmp_path, PACE="25") as hall:
        group, people = hall.found("Round", "Anna", "Ben", "Cem")
        one, two = hall.workers
        both, hall.telegram.workers = hall.telegram.workers, hall.telegram.workers[:1]
        await one.start()
        await one.serving()
        game_id = await hall.opened(group, people, "fifty")
        await two.start()
        await hall.until("two workers", lambda: "open" in two.log.read_text())
        hall.telegram.kill = lambda: one.signal(signal.SIGKILL)
        hall.telegram.moment = None if noted else Moment("sendMessage", after=True)
        hall.press(people[0], group, game_id, "start")
        await hall.until("round one", lambda: hall.table(game_id).status == "running")
        await hall.until("its board", lambda: shows(group, f"{game_id}:1:throw"))
        await hall.until("its time", lambda: hall.table(game_id).showing(HOUSE).shown)
        due_at = hall.table(game_id).showing(HOUSE).due_at

        hall.telegram.kill()
        await one.ended()
        hall.telegram.workers = both

        # Nobody throws, so the clock does, and nobody but the second worker has one.
        first = "SELECT at FROM moves WHERE game_id = ? AND seat >= 0 ORDER BY n LIMIT 1"
        [(at,)] = await hall.until("a move", partial(hall.sql, first, game_id))
        assert due_at <= at <= due_at + 5
        await hall.until("the board of round two", lambda: shows(group, f"{game_id}:2:throw"))
        hall.say(people[0], group, "/stop")
        await hall.until("the question", lambda: shows(group, f"{game_id}:0:stop"))
        for person in people[1:]:
            hall.press(person, group, game_id, "stop")
        await hall.until("the result", lambda: shows(group, f"{game_id}:0:verify"))
        await no_other_buttons(hall, {game_id})
        assert prove(hall.hall.ledger.db).problems == ()


async def test_a_worker_that_is_alone_after_its_death_takes_its_games_up_again(
    url: str, tmp_path: Path
) -> None:
    async with house(url, tmp_path) as hall:
        group, people = hall.found("Round", "Anna", "Ben")
        one = hall.workers[0]
        await one.start()
        await one.serving()
        game_id = await hall.opened(group, people, "fifty")
        before = hall.table(game_id).showing(HOUSE)

        one.signal(signal.SIGKILL)
        await one.ended()
        await one.start()  # so soon that its former life still seems to be another worker

        def again() -> bool:
            showing = hall.table(game_id).showing(HOUSE)
            return not showing.behind and showing.due_at >= before.due_at + LEASE_S // 2

        await hall.until("its full time", again)
