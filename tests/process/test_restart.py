"""A restart loses nothing: the process is killed at many moments of staked games of Fifty!.

People act whether the process lives or not. What they did is kept in a dictionary; what the
process made of it is read from its database, from what it left there at each death, and from what
people see.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from peewee import SqliteDatabase

from economy.ledger import Ledger, mint
from games.dice import chance_over, notation
from games.game import HOUSE
from tests.process.mortal import GIFT, Moment, Mortal, handed, mortal, unconfirmed
from tgbot import boards
from tgbot.app import all_words, open_hall
from tgbot.config import Settings
from tgbot.playground import Chat, Message, Person
from tgbot.table import Table
from tgbot.verify import verification

STAKE = 3
MOST_GAMES = 6
PACES_S = (0, 0, 0.002, 0.01, 0.03)
MOST_DICE_A_THROW = 4
RISK = 0.2
"""How likely a throw may go over the limit."""
HASTE = 0.25
"""How likely somebody presses Throw before any die."""
TIME_S = {"lobby": 30, "running": 25}

MOMENTS = {
    "boards and starts": [
        Moment("sendMessage", stage="opening"),
        Moment("sendMessage", after=True, stage="opening"),
        Moment("getMe"),
        Moment("editMessageText", stage="joining"),
        Moment("getUpdates"),
        Moment("sendMessage", stage="starting"),
        Moment("editMessageText", after=True),
        Moment("setMyCommands"),
        Moment("sendMessage", after=True, stage="last throw"),
        Moment("sendMessage", stage="last throw of all"),
        Moment("editMessageText", only="bares"),
    ],
    "presses handed out": [
        handed(0, "joining"),
        handed(2, "joining"),
        handed(0, "picking"),
        handed(1, "picking"),
        handed(2, "picking"),
        handed(3, "picking"),
        handed(5, "picking"),
        handed(15),
        handed(1, "last throw"),
        handed(4, "last throw of all"),
    ],
    "presses handled": [
        unconfirmed("opening"),
        unconfirmed("joining"),
        Moment("answerCallbackQuery", stage="joining"),
        unconfirmed("starting"),
        unconfirmed("picking"),
        Moment("answerCallbackQuery", stage="picking"),
        Moment("answerCallbackQuery", after=True, stage="picking"),
        unconfirmed("picking"),
        unconfirmed("last throw"),
        unconfirmed("last throw of all"),
    ],
}


@dataclass
class Turn:
    """The dice one person pressed in one phase before they threw, each with its update."""

    dice: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Played:
    """What people did in one game, as they would tell it."""

    joined: set[int] = field(default_factory=set)
    turns: dict[tuple[int, int], Turn] = field(default_factory=dict)
    """By phase and person."""


@dataclass
class Party:
    """Four people who play staked games of Fifty!, whatever happens to the process."""

    process: Mortal
    random: random.Random
    names: Sequence[str] = ("Anna", "Ben", "Cem", "Dora")
    games: dict[str, Played] = field(default_factory=dict)

    def __post_init__(self) -> None:
        telegram = self.process.telegram
        self.people = [telegram.person(name, language_code="en") for name in self.names]
        # A game each, for a group may be written to only 20 times a minute.
        self.groups = [telegram.group(f"Round {n}", *self.people) for n in range(MOST_GAMES)]
        self.group = self.groups[0]
        self.anna = self.people[0]
        self.by_id = {person.id: person for person in self.people}

        settings = Settings(_env_file=None)  # type: ignore[call-arg]
        self.words = all_words(settings, telegram.bot.username or "")

    # -- acting -------------------------------------------------------------------------------

    async def settle_on(self, stake: int) -> None:
        """Anna sets the groups' stake."""
        for group in self.groups:
            self.say(self.anna, f"/settings stake {stake}", group)
        wanted = {group.id for group in self.groups}
        query = "SELECT chat_id FROM chats WHERE stake = ?"
        await self.process.eventually(
            "the stake", lambda: wanted <= {row[0] for row in self.process.sql(query, stake)}
        )

    def say(self, person: Person, text: str, group: Chat | None = None) -> None:
        """Writes a command to the bot."""
        command, _, words = text.partition(" ")
        at = f"{command}@{self.process.telegram.bot.username} {words}".strip()
        self.process.telegram.say(person, group or self.group, at)

    def press(self, person: Person, board: Message, code: str) -> int:
        """Presses a button; answers the number of its update."""
        telegram = self.process.telegram
        [data] = [data for data in codes(board) if data.split(":", 2)[2] == code]
        telegram.press(person, self.group, board.id, data)
        return int(telegram.queue.pending[-1]["update_id"])

    async def pause(self) -> None:
        """Half of the time people see that the bot lives before they go on."""
        await asyncio.sleep(self.random.choice(PACES_S))
        if self.random.random() < 0.5:
            await self.process.serving()

    async def play(self) -> str:
        """One game from its opening to its end; answers its id."""
        game_id = await self.open()
        game = self.games[game_id]
        await self.join(game_id, game)
        await self.start(game_id)
        await self.rounds(game_id, game)
        return game_id

    async def rounds(self, game_id: str, game: Played) -> None:
        """Everything from the first throw on."""
        done: set[int] = set()
        while (table := self.table(game_id)).status == "running":
            rev = table.phase().rev
            assert rev not in done, f"phase {rev} goes on although everybody has thrown"
            done.add(rev)
            await self.phase(table, game)
            await self.process.eventually(
                f"the throws of phase {rev} of {game_id}",
                lambda rev=rev: self.table(game_id).phase().rev != rev,  # type: ignore[misc]
            )

    async def open(self, opener: Person | None = None) -> str:
        """Anna opens a lobby, or somebody else."""
        self.stage("opening")
        self.group = self.groups[len(self.games)]
        self.say(opener or self.anna, "/fifty")
        query = "SELECT id FROM games WHERE chat_id = ?"
        [(game_id,)] = await self.process.eventually(
            "a lobby", lambda: self.process.sql(query, self.group.id)
        )
        self.games[game_id] = Played()
        return str(game_id)

    async def join(self, game_id: str, game: Played) -> None:
        """Everybody joins, and two of them press twice."""
        board = await self.board(game_id, "join")
        await self.shown(game_id, 0)
        self.stage("joining")
        eager = self.random.sample(self.people, 2)
        for person in self.random.sample([*self.people, *eager], len(self.people) + 2):
            await self.pause()
            self.press(person, board, "join")
            game.joined.add(person.id)
        await self.process.eventually(
            f"all in the lobby of {game_id}",
            lambda: {s.user_id for s in self.table(game_id).sittings} == game.joined,
        )
        await self.shown(game_id, 0)

    async def start(self, game_id: str) -> None:
        """Anna starts the game."""
        board = await self.board(game_id, "start")
        self.stage("starting")
        self.press(self.anna, board, "start")
        await self.process.eventually(
            f"the start of {game_id}", lambda: self.table(game_id).status != "lobby"
        )

    async def phase(self, table: Table, game: Played) -> None:
        """Everybody whose turn it is picks dice and throws, in any order among each other."""
        rev = table.phase().rev
        board = await self.board(table.id, "throw", rev)
        await self.shown(table.id, rev)
        self.stage("picking")
        plans: list[list[str]] = []
        who = [table.sittings[seat].user_id for seat in table.phase().actors]
        for seat in table.phase().actors:
            dice = [f"+{sides}" for sides in self.choice(table, seat)]
            # A throw of nothing is refused, and must not happen later either.
            hasty = ["nothing"] if self.random.random() < HASTE else []
            plans.append([*hasty, *dice, "throw"])
        turns = [game.turns.setdefault((rev, user), Turn()) for user in who]
        while any(plans):
            index = self.random.choice([i for i, plan in enumerate(plans) if plan])
            code = plans[index].pop(0)
            await self.pause()
            if not any(plans):
                last = table.state.round == 3 or table.state.stechen
                self.stage("last throw of all" if last else "last throw")
            update = self.press(
                self.by_id[who[index]], board, "throw" if code == "nothing" else code
            )
            if code.startswith("+"):
                turns[index].dice.append((update, int(code[1:])))

    def choice(self, table: Table, seat: int) -> tuple[int, ...]:
        """The most of the lowest dice that will probably stay below the limit."""
        held = table.state.dice(seat)
        fine = [
            n
            for n in range(1, min(MOST_DICE_A_THROW, len(held)) + 1)
            if chance_over(held[:n], table.state.limit) <= RISK
        ]
        picked = list(held[: max(fine, default=1)])
        self.random.shuffle(picked)
        return tuple(picked)

    def stage(self, stage: str) -> None:
        self.process.telegram.stages[self.group.id] = stage

    # -- looking ------------------------------------------------------------------------------

    def table(self, game_id: str, path: Path | None = None) -> Table:
        """The game as the database has it."""
        with self.process.opened(path) as db:
            hall, _ = open_hall(db, Settings(_env_file=None))  # type: ignore[call-arg]
            return hall.tables.get(game_id)

    async def board(self, game_id: str, code: str, rev: int = 0) -> Message:
        """The newest message of the bot with that button of that phase."""
        wanted = f"{game_id}:{rev}:{code}"
        return await self.process.eventually(
            f"a board with {wanted}",
            lambda: next((m for m in reversed(self.messages()) if wanted in codes(m)), None),
        )

    def messages(self) -> list[Message]:
        """The bot's messages in the groups."""
        telegram = self.process.telegram
        messages = [m for group in self.groups for m in telegram.messages(group)]
        return [m for m in messages if m.sender is telegram.bot]

    async def shown(self, game_id: str, rev: int) -> None:
        """The newest board counts down to the phase's end, which is its full time away."""

        def is_shown() -> bool:
            table = self.table(game_id)
            board = table.showing(HOUSE)
            if table.phase().rev != rev or not board.shown or board.behind:
                return False
            full = self.process.began_at + TIME_S[table.status]
            assert board.due_at >= int(full), f"phase {rev} has lost {full - board.due_at} s"
            return f'unix="{board.due_at}"' in self.group.messages[board.message_id].html

        await self.process.eventually(f"the board of phase {rev} with its time", is_shown)

    def check_game(self, game_id: str, game: Played, path: Path | None = None) -> None:
        """The database says of a game what people did, as far as it has come to the process."""
        table = self.table(game_id, path)
        with self.process.opened(path) as db:
            moves = self.process.store(db).moves(game_id)
            held = Ledger(db).balances("escrow", game_id).get("coins", 0)
            rows = db.execute_sql(
                "SELECT p.user_id, s.rev, s.selection FROM selections s JOIN seats p "
                "ON p.game_id = s.game_id AND p.seat = s.seat WHERE s.game_id = ?",
                (game_id,),
            )
            picked = {(rev, user): selection for user, rev, selection in rows.fetchall()}
        seated = [sitting.user_id for sitting in table.sittings]
        assert len(seated) == len(set(seated)) <= len(game.joined)
        assert held == (STAKE * len(seated) if table.open else 0), self.process.deaths
        threw = Counter(seated[seat] for seat, _, _ in moves if seat >= 0)
        throws = iter_throws(seated, moves)
        for (rev, user), turn in sorted(game.turns.items()):
            pending = self.pending()
            confirmed = sum(update not in pending for update, _ in turn.dice)
            handed_out = sum(u in self.process.telegram.handed_out for u, _ in turn.dice)
            dice = [die for _, die in turn.dice]
            if threw[user]:
                threw[user] -= 1
                assert next(throws[user]) == notation(dice), (rev, user, self.process.deaths)
                continue
            applied = picked.pop((rev, user), "")
            count = len(applied.split("+")) if applied else 0
            story = (rev, user, applied, dice, confirmed, handed_out, self.process.deaths)
            assert confirmed <= count <= handed_out, story
            assert applied == notation(dice[:count]), story
        assert not any(threw.values()), f"{threw} threw without a press"
        assert not any(picked.values()), f"{picked} was picked without a press"

    def relics(self) -> list[Message]:
        """Lobbies and rounds with buttons that are no game's newest board."""
        newest = {*self.process.sql("SELECT chat_id, message_id FROM showings")}
        return [
            m
            for m in self.messages()
            if (m.chat.id, m.id) not in newest
            and any(data.endswith((":join", ":throw")) for data in codes(m))
        ]

    def pending(self) -> set[int]:
        """The updates that Telegram would hand out again."""
        return {update["update_id"] for update in self.process.telegram.queue.pending}


def codes(message: Message) -> list[str]:
    """The data of a message's buttons."""
    return [str(b.get("callback_data")) for row in message.buttons for b in row]


def iter_throws(seated: list[int], moves: list[tuple[int, str, str]]) -> dict[int, Iterator[str]]:
    """Each person's throws in order."""
    return {
        user: iter([move for s, move, _ in moves if s == seat]) for seat, user in enumerate(seated)
    }


# -- many deaths ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MOMENTS)
async def test_a_process_killed_at_any_moment_goes_on_as_if_nothing_had_been(
    name: str, tmp_path: Path
) -> None:
    async with mortal(tmp_path) as process:
        parties = [
            Party(process, random.Random(name)),
            Party(process, random.Random(name[::-1]), ("Eva", "Finn", "Gül", "Hanna")),
        ]
        await process.start()
        for party in parties:
            await party.settle_on(STAKE)
        reaper = asyncio.create_task(reap(parties, MOMENTS[name]))
        playing = [asyncio.create_task(play_on(party, reaper)) for party in parties]
        try:
            await asyncio.wait([reaper, *playing], return_when=asyncio.FIRST_EXCEPTION)
            for task in (reaper, *playing):
                if task.done():
                    await task
            assert reaper.done(), process.story(f"{MOST_GAMES} games each were not enough")
            await asyncio.gather(*playing)
        finally:
            for task in (reaper, *playing):
                task.cancel()

        assert len(process.deaths) == len(MOMENTS[name])
        if name == "boards and starts":
            await relics_lose_their_buttons(parties)
        await everything_adds_up(parties)


async def reap(parties: list[Party], moments: list[Moment]) -> None:
    """Kills the process at every one of the moments and starts it again."""
    process = parties[0].process
    for moment in moments:
        process.telegram.moment = moment  # it may be one of the start itself
        if process.dead:
            await process.start()
        await process.ended(within_s=60)
        process.deaths.append(str(moment))
        check_remains(parties)
    await process.start()


async def play_on(party: Party, reaper: asyncio.Task[None]) -> None:
    """Plays game after game for as long as the reaper is about."""
    while not reaper.done() and len(party.games) < MOST_GAMES:
        await result_is_right(party, await party.play())


def check_remains(parties: list[Party]) -> None:
    """What a dead process has written is what it was handed, in order, each press once."""
    process = parties[0].process
    remains = process.remains()
    with process.opened(remains) as db:
        audit = Ledger(db).audit(process.store(db).open_games())
        assert audit.problems == (), process.deaths
        people = db.execute_sql("SELECT count(*) FROM people").fetchone()[0]
        assert Ledger(db).balance(mint()) == -people * GIFT, process.deaths
    for party in parties:
        for game_id, game in party.games.items():
            party.check_game(game_id, game, remains)


async def result_is_right(party: Party, game_id: str) -> None:
    """The finished game is what people did, its dice are right, and people see it."""
    process = party.process

    def is_shown() -> bool:
        table = party.table(game_id)
        board = table.showing(HOUSE)
        page = boards.page(table, HOUSE, party.words, process.began_at)
        return not board.behind and party.group.messages[board.message_id].html == page.html

    await process.eventually(f"the result of {game_id}", is_shown)
    party.check_game(game_id, party.games[game_id])
    with process.opened() as db:
        store = process.store(db)
        found = verification(store, store.read(game_id))
        booked = db.execute_sql("SELECT reason FROM bookings WHERE memo = ?", (game_id,)).fetchall()
    assert found.wrong == ()
    assert found.throws
    assert booked == [("game",)]


async def relics_lose_their_buttons(parties: list[Party]) -> None:
    """What a death left of old boards goes as soon as somebody presses it."""
    process, telegram = parties[0].process, parties[0].process.telegram
    for party in parties:
        for message in party.relics():
            telegram.press(party.anna, message.chat, message.id, codes(message)[0])
    await process.eventually(
        "only newest boards with buttons", lambda: not any(party.relics() for party in parties)
    )


async def everything_adds_up(parties: list[Party]) -> None:
    """Books, wallets and log after all games."""
    process = parties[0].process
    await process.eventually("everything confirmed", lambda: not parties[0].pending())

    games = [game_id for party in parties for game_id in party.games]
    people = sum(len(party.people) for party in parties)
    assert {row[0] for row in process.sql("SELECT id FROM games")} == {*games}
    stakes = process.sql("SELECT count(*) FROM bookings WHERE reason = 'stake'")
    assert stakes == [(sum(len(party.games) * len(party.people) for party in parties),)]
    query = "SELECT kind, sum(balance) FROM accounts WHERE currency = 'coins' GROUP BY kind"
    kinds = dict(process.sql(query))
    assert kinds["wallet"] + kinds.get("jackpot", 0) == people * GIFT
    assert kinds["escrow"] == 0

    (status, out, err), (verified, document, wrong) = await asyncio.gather(
        process.command("audit", "--json"), process.command("verify", games[-1], "--json")
    )
    audit = json.loads(out)
    assert (status, audit["ok"], audit["problems"]) == (0, True, []), err
    assert not any(audit["sums"].values())
    assert (verified, json.loads(document)["ok"]) == (0, True), wrong

    log = process.log.read_text()
    assert "Traceback" not in log, log
    assert process.telegram.token not in log


# -- single deaths ----------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def in_round_one(folder: Path, **settings: str) -> AsyncIterator[tuple[Party, str, Message]]:
    """Four people in the first round: the party, the game's id and its board."""
    async with mortal(folder, **settings) as process:
        party = Party(process, random.Random(1))
        await process.start()
        game_id = await party.open()
        lobby = await party.board(game_id, "start")
        for person in party.people:
            party.press(person, lobby, "join")
        party.press(party.anna, lobby, "start")
        yield party, game_id, await party.board(game_id, "throw", 1)


def throws(party: Party, game_id: str) -> list[str]:
    """The throws of a game, first to last."""
    with party.process.opened() as db:
        moves = party.process.store(db).moves(game_id)
    return [move for seat, move, _ in moves if seat >= 0]


async def dies_at(party: Party, moment: Moment) -> None:
    """The process is killed at that moment, and looked at."""
    party.process.telegram.moment = moment
    await party.process.ended()
    party.process.deaths.append(str(moment))


async def test_a_press_that_was_refused_stays_refused_when_it_is_handed_out_again(
    tmp_path: Path,
) -> None:
    async with in_round_one(tmp_path) as (party, game_id, board):
        ben = party.people[1]
        for code in ("throw", "+4", "+6"):  # both come with one answer
            party.press(ben, board, code)
        await dies_at(party, unconfirmed())
        assert len(party.pending()) == 3

        await party.process.start()
        await party.process.eventually("all confirmed", lambda: not party.pending())

        assert throws(party, game_id) == []
        assert party.process.sql("SELECT selection FROM selections") == [("4+6",)]


@contextlib.asynccontextmanager
async def asked_who_is_an_admin(folder: Path) -> AsyncIterator[tuple[Party, str]]:
    """Anna, who did not open the game, starts it as an admin, and Telegram takes a second to say
    that she is one; meanwhile the process polls on."""
    async with mortal(folder) as process:
        party = Party(process, random.Random(1))
        await process.start()
        game_id = await party.open(party.people[1])
        lobby = await party.board(game_id, "start")
        for person in party.people:
            party.press(person, lobby, "join")
        await process.eventually("all confirmed", lambda: not party.pending())
        process.telegram.faults.latency_s = 1
        party.press(party.anna, lobby, "start")
        yield party, game_id


async def test_an_update_whose_handler_waits_for_telegram_is_handed_out_again_after_a_kill(
    tmp_path: Path,
) -> None:
    async with asked_who_is_an_admin(tmp_path) as (party, game_id):
        await dies_at(party, handed(600))
        assert party.table(game_id).status == "lobby"
        party.process.telegram.faults.latency_s = 0

        await party.process.start()

        await party.process.eventually(
            "the start", lambda: party.table(game_id).status == "running"
        )


async def test_sigterm_waits_for_a_handler_that_waits_for_telegram(tmp_path: Path) -> None:
    async with asked_who_is_an_admin(tmp_path) as (party, game_id):
        process = party.process
        process.telegram.kill = lambda: process.signal(signal.SIGTERM)
        process.telegram.moment = handed(300)

        assert await process.ended(within_s=8) == 0

        assert party.table(game_id).status == "running"
        assert not party.pending()


async def test_after_long_downtime_what_waited_counts_and_the_phase_gets_its_full_time(
    tmp_path: Path,
) -> None:
    async with in_round_one(tmp_path) as (party, game_id, board):
        process = party.process
        process.signal(signal.SIGKILL)
        await process.ended()
        db = SqliteDatabase(str(process.database))
        with db.atomic():
            db.execute_sql("UPDATE showings SET began_at = began_at - 9999, due_at = due_at - 9999")
            db.execute_sql("UPDATE due SET at = at - 9999")
        db.close()
        party.press(party.people[1], board, "+4")
        party.press(party.people[1], board, "throw")

        await process.start()
        await process.eventually("all confirmed", lambda: not party.pending())
        await party.shown(game_id, 1)

        assert throws(party, game_id) == ["4"]


async def test_a_lobby_that_outlived_a_kill_waits_its_full_time_and_starts_by_itself(
    tmp_path: Path,
) -> None:
    lobby_s = 5
    async with mortal(tmp_path, LOBBY_S=str(lobby_s)) as process:
        party = Party(process, random.Random(1))
        await process.start()
        game_id = await party.open()
        board = await party.board(game_id, "join")
        for person in party.people:
            party.press(person, board, "join")
        await dies_at(party, unconfirmed())

        await process.start()
        await process.eventually("a start", lambda: party.table(game_id).status == "running")

        table = party.table(game_id)
        assert table.showing(HOUSE).began_at >= int(process.began_at) + lobby_s
        assert [s.user_id for s in table.sittings] == [person.id for person in party.people]


async def test_sigterm_finishes_and_confirms_what_was_handed_out_and_exits_0(
    tmp_path: Path,
) -> None:
    async with in_round_one(tmp_path) as (party, _, board):
        process, telegram = party.process, party.process.telegram
        await process.eventually("all confirmed", lambda: not party.pending())
        telegram.kill = lambda: process.signal(signal.SIGTERM)
        telegram.faults.latency_s = 0.3
        queries = [
            telegram.press(person, party.group, board.id, "W4")
            for _ in range(3)
            for person in party.people
        ]
        telegram.moment = handed(20)

        assert await process.ended(within_s=5) == 0

        assert not party.pending()
        assert process.sql("SELECT selection FROM selections") == [("4+4+4",)] * 4
        assert all(telegram.toast(query) for query in queries)
        log = process.log.read_text()
        assert "Traceback" not in log
        assert "Unclosed" not in log


@pytest.mark.parametrize("method", ["getMe", "getUpdates", "setMyCommands", "sendMessage"])
async def test_sigterm_while_starting_exits_0_within_seconds(method: str, tmp_path: Path) -> None:
    async with mortal(tmp_path) as process:
        Party(process, random.Random(1))  # whose groups wait for greetings
        process.telegram.moment = Moment(method, after=True)
        await process.start()
        process.telegram.kill = lambda: process.signal(signal.SIGTERM)

        assert await process.ended(within_s=10) == 0

        log = process.log.read_text()
        assert "Traceback" not in log
        assert "Unclosed" not in log


async def test_a_database_whose_making_was_killed_is_made_by_the_next_start(tmp_path: Path) -> None:
    async with mortal(tmp_path) as process:
        for delay_s in (0, 0.002, 0.01, 0.03):
            await process.start()
            while not process.database.exists():
                assert not process.dead, process.story("there is no database")
                await asyncio.sleep(0.001)
            await asyncio.sleep(delay_s)
            process.signal(signal.SIGKILL)
            await process.ended()
        await process.start()
        await process.serving()

        status, out, err = await process.command("audit", "--json")
        assert (status, json.loads(out)["ok"]) == (0, True), err
