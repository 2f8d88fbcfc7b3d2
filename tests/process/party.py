"""People who play staked games of Fifty! whatever happens to the process, and remember it all.

What they did is kept in a dictionary; what the process made of it is read from its database, from
what it left there at each death, and from what people see.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from economy.audit import prove
from economy.ledger import Ledger, mint
from games.analysis import unlike_james
from games.checking import replay
from games.dice import chance_over, notation
from games.game import HOUSE
from games.proof import read
from tests.process.diarist import Diarist, same_dice
from tests.process.mortal import GIFT, Mortal
from tgbot.config import Settings
from tgbot.hall.hall import open_hall
from tgbot.hall.table import Table
from tgbot.hall.verify import verification
from tgbot.outbound import boards
from tgbot.playground import Chat, Message, Person
from tgbot.words import all_words

STAKE = 3
MOST_GAMES = 6
PACES_S = (0, 0, 0.002, 0.01, 0.03)
MOST_DICE_A_THROW = 4
RISK = 0.2
"""How likely a throw may go over the limit."""
HASTE = 0.25
"""How likely somebody presses Throw before any die."""
TIME_S = {"lobby": 30, "running": 25}


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
    """Four people who play staked games of Fifty!, whatever happens to the process; with James
    where he is asked."""

    process: Mortal
    random: random.Random
    names: Sequence[str] = ("Anna", "Ben", "Cem", "Dora")
    most_games: int = MOST_GAMES
    james: bool = False
    games: dict[str, Played] = field(default_factory=dict)
    presses: list[int] = field(default_factory=list)
    """The numbers of their updates."""

    def __post_init__(self) -> None:
        telegram = self.process.telegram
        self.people = [telegram.person(name, language_code="en") for name in self.names]
        # A game each, for a group may be written to only 20 times a minute.
        self.groups = [telegram.group(f"Round {n}", *self.people) for n in range(self.most_games)]
        self.group = self.groups[0]
        self.anna = self.people[0]
        self.by_id = {person.id: person for person in self.people}

        settings = Settings(_env_file=None)
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
        self.presses.append(int(telegram.queue.pending[-1]["update_id"]))
        return self.presses[-1]

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
                lambda rev=rev: self.table(game_id).phase().rev != rev,
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
        await self.board(game_id, "join")
        await self.shown(game_id, 0)
        self.stage("joining")
        eager = self.random.sample(self.people, 2)
        for person in self.random.sample([*self.people, *eager], len(self.people) + 2):
            await self.pause()
            board = self.newest(game_id, "join") or await self.board(game_id, "join")
            self.press(person, board, "join")
            game.joined.add(person.id)
        await self.process.eventually(
            f"all in the lobby of {game_id}",
            lambda: {s.user_id for s in self.table(game_id).sittings} == game.joined,
        )
        await self.shown(game_id, 0)

    async def start(self, game_id: str) -> None:
        """Anna starts the game, once James sits there too if he is to."""
        if self.james:
            self.press(self.anna, await self.board(game_id, "james"), "james")
            await self.process.eventually("James", lambda: self.table(game_id).james)
        board = await self.board(game_id, "start")
        self.stage("starting")
        self.press(self.anna, board, "start")
        await self.process.eventually(
            f"the start of {game_id}", lambda: self.table(game_id).status != "lobby"
        )

    async def phase(self, table: Table, game: Played) -> None:
        """Everybody whose turn it is picks dice and throws, in any order among each other."""
        rev, actors = table.phase().rev, [*set(table.phase().actors) - set(table.guests)]
        if not actors:
            return
        await self.board(table.id, "throw", rev)
        await self.shown(table.id, rev)
        self.stage("picking")
        plans: list[list[str]] = []
        who = [table.sittings[seat].user_id for seat in actors]
        for seat in actors:
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
            pressed = "throw" if code == "nothing" else code
            # One that was sent before a death may have another one in its place by now.
            look = (table.id, pressed, rev)
            board = self.newest(*look) or await self.board(*look)
            update = self.press(self.by_id[who[index]], board, pressed)
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
            hall, _ = open_hall(db, Settings(_env_file=None))
            return hall.tables.get(game_id)

    def newest(self, game_id: str, code: str, rev: int = 0) -> Message | None:
        """The newest message of the bot with that button of that phase, if there is one."""
        wanted = f"{game_id}:{rev}:{code}"
        return next((m for m in reversed(self.messages()) if wanted in codes(m)), None)

    async def board(self, game_id: str, code: str, rev: int = 0) -> Message:
        """The same, which a living process shows sooner or later."""
        look = partial(self.newest, game_id, code, rev)
        return await self.process.eventually(f"a board of {game_id} with {rev}:{code}", look)

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
            moves = self.process.store(db).moves.of(game_id)
            held = Ledger(db).balances("escrow", game_id).get("coins", 0)
            rows = db.execute_sql(
                "SELECT p.user_id, s.rev, s.selection FROM selections s JOIN seats p "
                "ON p.game_id = s.game_id AND p.seat = s.seat WHERE s.game_id = ?",
                (game_id,),
            )
            picked = {(rev, user): selection for user, rev, selection in rows.fetchall()}
        seated = [sitting.user_id for sitting in table.people]
        moves = [move for move in moves if move[0] not in table.guests]
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


async def play_on(party: Party, reaper: asyncio.Task[None]) -> None:
    """Plays game after game for as long as the reaper is about."""
    while not reaper.done() and len(party.games) < party.most_games:
        await result_is_right(party, await party.play())


# -- what must be true ------------------------------------------------------------------------


def check_remains(parties: Sequence[Party]) -> Path:
    """What a dead process has written is what it was handed, in order, each press once.

    Answers the copy of its database that was looked at. Games before the last two are over and were
    looked at then.
    """
    process = parties[0].process
    remains = process.remains()
    with process.opened(remains) as db:
        audit = prove(db, process.store(db).open_games())
        assert audit.problems == (), process.deaths
        people = db.execute_sql("SELECT count(*) FROM people").fetchone()[0]
        assert Ledger(db).balance(mint()) == -people * GIFT, process.deaths
    for party in parties:
        for game_id, game in [*party.games.items()][-2:]:
            party.check_game(game_id, game, remains)
    return remains


async def result_is_right(party: Party, game_id: str) -> None:
    """The finished game is what people did, its dice are right, and people see it."""
    process = party.process

    def is_shown() -> bool:
        table = party.table(game_id)
        board = table.showing(HOUSE)
        newest = boards.message(table, HOUSE, party.words, process.began_at)
        return not board.behind and party.group.messages[board.message_id].html == newest.html

    await process.eventually(f"the result of {game_id}", is_shown)
    party.check_game(game_id, party.games[game_id])
    with process.opened() as db:
        store = process.store(db)
        found = verification(store, process.sealing, store.read(game_id))
        booked = db.execute_sql("SELECT reason FROM bookings WHERE memo = ?", (game_id,)).fetchall()
    proof = read(found.file)
    assert found.wrong == unlike_james(proof.rules, replay(proof), proof.james) == ()
    assert bool(proof.james) == party.james
    assert found.throws
    assert booked == [("game",)]


async def everything_adds_up(parties: Sequence[Party], diarists: Sequence[Diarist] = ()) -> None:
    """Books, wallets, dailies and log after all games."""
    process = parties[0].process
    await process.eventually("everything confirmed", lambda: not parties[0].pending())

    games = [game_id for party in parties for game_id in party.games]
    people = sum(len(party.people) for party in parties) + len(diarists)
    for diarist in diarists:
        diarist.check_end()
    same_dice(diarists)
    dailies = {diarist.game() for diarist in diarists}
    assert {row[0] for row in process.sql("SELECT id FROM games")} == {*games} | dailies
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
