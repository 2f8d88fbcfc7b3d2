"""How long things take after ten years: the same use cases on a small and on a large database.

A few real games are played; then their rows are copied in bulk, under other names and times, until
the ledger has as many postings as are wanted. Everything is done as the clerk does it, one use case
a transaction, so what one takes is how long everybody else waits. It is counted in processor time:
what is read lies in memory, and others may use the machine.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from economy.audit import prove_in_slices
from economy.database import unsynced
from economy.transactions import undoable
from games import registry
from tgbot.app import RESUMED_AT_ONCE, RESUMED_FIRST, spare_the_collector
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.done import Done
from tgbot.hall.best_lists import Lists
from tgbot.hall.hall import Hall, open_hall
from tgbot.hall.upkeep import Upkeep
from tgbot.people.people import People, Person, Who

SIZES = (10**5, 10**7)
RUNNING = 10_000
NOW = int(time.time())
TOKEN = "123456789:AAHfoo-foo_foofoofoofoofoofoofoofoofoo"
YEARS_S = 10 * 365 * 24 * 3600
GROUPS, PEOPLE = 500, 20_000
SEATS, MOVES = 4, 2
POSTINGS_A_GAME = 10
TIMES = 9
COLUMNS = "SELECT name FROM pragma_table_info(?)"
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
PAID = (
    "INSERT INTO bonuses (board, period, day, ends, ref, value, coins) "
    "VALUES ('fifty.over', ?, '', ?, '', 0, 0)"
)
"""All that was won so far."""
GAME = registry()["fifty"]


@dataclass
class Years:
    """What was measured with so many postings: milliseconds by what was done."""

    postings: int
    took: dict[str, float] = field(default_factory=dict)
    """In the middle."""
    worst: dict[str, float] = field(default_factory=dict)
    """The longest of those for which the clerk's thread is needed."""
    longest_slice_ms: float = 0.0
    audit_s: float = 0.0
    open_s: float = 0.0
    """Until the first games were taken up and updates came in."""
    start_s: float = 0.0
    """Until all were."""

    @property
    def slowest(self) -> str:
        """The kind of use case that kept the clerk longest from the others."""
        return max(self.worst, key=self.worst.__getitem__)

    @property
    def longest_stall_ms(self) -> float:
        """How long that was."""
        return self.worst[self.slowest]


def measure(path: Path, postings: int, running: int = RUNNING) -> Years:
    """Fills a new database and does everything in it a few times."""
    settings = Settings(_env_file=None, bot_token=TOKEN, database=f"sqlite:///{path}")
    db = open_database(settings)
    unsynced(db)
    hall, people = open_hall(db, settings)
    bench = _Bench(hall, people, Years(postings))
    bench.play(0, 900_001)
    db.close()
    fill(path, postings)
    bench.run(running)
    bench.measure(settings)
    db.close()
    return bench.years


def group(number: int) -> int:
    """The chat of a running game."""
    return -2_000_000 - number


@dataclass
class _Bench:
    hall: Hall
    people: People
    years: Years
    updates: int = 0

    def do(self, work: Callable[[], object], what: str = "") -> object:
        """One use case as the clerk does it; the time it took is kept under `what`."""
        tables, db = self.hall.tables, self.hall.store.db
        began = time.thread_time()
        tables.begin()
        with db.atomic(), undoable(db):
            done = work()
        tables.committed()
        if what:
            self.times.setdefault(what, []).append((time.thread_time() - began) * 1000)
        return done

    def beside(self, done: Done, what: str) -> None:
        """What is read in a thread of its own: the clerk does not wait for it."""
        assert done.later
        began = time.thread_time()
        done.later()
        self.times.setdefault(what, []).append((time.thread_time() - began) * 1000)

    def __post_init__(self) -> None:
        self.times: dict[str, list[float]] = {}

    def stalls(self) -> Iterator[tuple[str, list[float]]]:
        """What everybody else waited for, and how long each time."""
        return ((what, ms) for what, ms in self.times.items() if not what.endswith("beside"))

    def play(self, chat: int, number: int) -> None:
        """A whole game of Fifty! for a stake, in a group of its own."""
        hall, at = self.hall, NOW
        crowd = [self._met(number + n, at) for n in range(SEATS)]
        chat = -(10**12) - chat
        self.do(lambda: hall.chats.meet(chat, "Group"))
        done = self.do(lambda: hall.lobby.open(crowd[0], chat, 0, GAME.kind, at))
        assert isinstance(done, Done)
        (game_id,) = done.games
        for person in crowd[1:]:
            self.do(partial(hall.lobby.join, person, game_id, at), "join")
        self.do(partial(hall.lobby.start, crowd[0], game_id, at), "start of a game")
        while (table := hall.tables.get(game_id)).open:
            phase, seat = table.phase(), min(table.phase().actors)
            who = next(s.user_id for s in table.sittings if s.seat == seat)
            press = partial(self._press, next(p for p in crowd if p.user_id == who), game_id)
            pick = f"+{table.state.dice(seat)[0]}"
            self.do(partial(press, phase.rev, pick), "press")
            last = len(phase.actors) == 1
            self.do(
                partial(press, phase.rev, "throw"), "end of a round or game" if last else "throw"
            )

    def _press(self, person: Person, game_id: str, rev: int, code: str) -> Done:
        table = self.hall.tables.get(game_id)
        return self.hall.play.press(person, table, rev, code, NOW)

    def run(self, number: int) -> None:
        """So many games in their first phase, each in a group of its own."""
        hall = self.hall
        with hall.store.db.atomic():
            for n in range(number):
                chat, crowd = group(n), [self._met(10**6 + 3 * n + k, NOW) for k in range(3)]
                hall.chats.meet(chat, "Group")
                game_id = hall.lobby.open(crowd[0], chat, 0, GAME.kind, NOW).games[0]
                for person in crowd[1:]:
                    hall.lobby.join(person, game_id, NOW)
                hall.lobby.start(crowd[0], game_id, NOW)
            hall.tables.committed()

    def _met(self, user_id: int, at: int) -> Person:
        met = self.do(lambda: self.people.meet(Who(user_id, f"Person {user_id}"), at))
        assert isinstance(met, Person)
        return met

    def measure(self, settings: Settings) -> None:
        """Everything a few times; the median of each."""
        hall, store, years = self.hall, self.hall.store, self.years
        lists = Lists(hall.tables, hall.settling.bests, settings)
        person = self._met(11, NOW)
        self.times.clear()
        for n in range(TIMES):
            self.play(1 + n, 11 + n)
            self.beside(self.people.points(person, NOW), "/points, beside")
            self.beside(self.people.history(person, 0), "/history, beside")
            for period in ("day", "month", "year"):
                view = f"{GAME.kind}.over.{period}.all.0"
                self.do(partial(lists.panel, person, 11, view, NOW), f"/top {period}")
            self.do(lambda: hall.settling.robin.eligible(NOW), "Robin Hood")
            self.do(store.selections.forget_what_is_over, "nightly")
            self.do(lambda: self.people.named("Person 4711"), "a name")
        slices: list[float] = [time.perf_counter()]
        audit = prove_in_slices(
            store.db, store.open_games, lambda done, of: slices.append(time.perf_counter())
        )
        if audit.problems:
            raise RuntimeError(f"the books are wrong: {audit.problems[:3]}")
        years.audit_s = time.perf_counter() - slices[0]
        pairs = itertools.pairwise(slices[1:])  # the first one also looked through the file
        years.longest_slice_ms = max((b - a for a, b in pairs), default=0.0) * 1000
        hall.tables.seen.clear()
        spare_the_collector()
        upkeep = Upkeep(hall)
        games = upkeep.to_resume()
        began = time.perf_counter()
        for first in range(0, len(games), RESUMED_AT_ONCE):
            some = games[first : first + RESUMED_AT_ONCE]
            self.do(partial(upkeep.resume_some, some, NOW), "resuming some games")
            if first + RESUMED_AT_ONCE >= RESUMED_FIRST > first:
                years.open_s = time.perf_counter() - began
        years.start_s = time.perf_counter() - began
        years.took = {what: median(times) for what, times in self.times.items()}
        years.worst = {what: max(times) for what, times in self.stalls()}


# -- ten years ---------------------------------------------------------------------------------


def fill(path: Path, postings: int) -> None:
    """Copies the rows of the one game there is until there are ten years of them."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("PRAGMA cache_size = -400000")
    games, step = postings // POSTINGS_A_GAME, YEARS_S * POSTINGS_A_GAME // postings
    at = f"{NOW - YEARS_S} + i * {step}"
    person = f"1 + (i * 7 + {{0}} * 31) % {PEOPLE}"
    chat = f"-1000 - i % {GROUPS}"
    indexes = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
        "AND tbl_name IN ('bookings', 'postings', 'bests', 'games', 'seats', 'showings', 'people')"
    ).fetchall()
    db.execute("BEGIN")
    for name, _ in indexes:
        db.execute(f"DROP INDEX {name}")
    name = "printf('y%07d', i)"
    _copy(db, "people", PEOPLE, "1", user_id="i", name="'Person ' || i", username="''")
    _copy(db, "chats", GROUPS, "1", chat_id="-999 - i", moved_to="0", gone_at="0")
    over = {"chat_id": chat, "over_at": at, "opened_at": at, "topic": "0"}
    _copy(db, "games", games, "1", id=name, **over)
    _copy(db, "showings", games, "1", game_id=name, chat_id=chat, message_id="i", board="painted")
    _copy(db, "moves", games, f"n < {MOVES}", game_id=name, at=at)
    _copy(
        db, "seats", games, "1", id=f"1000 + i * {SEATS} + seat", game_id=name,
        user_id=person.format("seat"), ended_at=at,
    )  # fmt: skip
    value = "(i * 7919) % 1009"
    db.execute(
        NUMBERS.format(games)
        + "INSERT INTO bests (board, ref, place, source, value, note, at, counted) "
        f"SELECT 'fifty.over', {person.format(0)}, {chat}, {name}, {value}, '', {at}, 1 FROM n"
    )
    for period in ("day", "month", "year"):
        db.execute(PAID, (period, NOW))
    _ledger(db, postings // 2, person.format(3), f"{NOW - YEARS_S} + i * {step} / 5")
    for _, sql in indexes:
        db.execute(sql)
    db.execute("COMMIT")
    db.close()


def _copy(db: sqlite3.Connection, table: str, number: int, which: str, **changed: str) -> None:
    """As many copies of the rows of a table, with some columns changed."""
    columns = [row[0] for row in db.execute(COLUMNS, (table,))]
    shown = ", ".join(changed.get(column, f"t.{column}") for column in columns)
    template = f"(SELECT * FROM {table} WHERE {which} LIMIT {SEATS if table != 'moves' else 9})"
    if table in ("people", "chats", "games", "showings"):
        template = f"(SELECT * FROM {table} WHERE {which} LIMIT 1)"
    db.execute(
        NUMBERS.format(number) + f"INSERT INTO {table} ({', '.join(columns)}) "
        f"SELECT {shown} FROM n CROSS JOIN {template} AS t"
    )


def _ledger(db: sqlite3.Connection, bookings: int, person: str, at: str) -> None:
    """So many gifts of one coin from the mint, two postings each."""
    (first,) = db.execute("SELECT max(id) FROM bookings").fetchone()
    (mint,) = db.execute(
        "SELECT id FROM accounts WHERE kind='mint' AND currency='coins'"
    ).fetchone()
    db.execute(
        NUMBERS.format(PEOPLE) + "INSERT INTO accounts (kind, ref, currency, balance) "
        "SELECT 'wallet', i, 'coins', 0 FROM n WHERE true "
        "ON CONFLICT (kind, ref, currency) DO NOTHING"
    )
    numbered = NUMBERS.format(bookings)
    db.execute(
        f"{numbered} INSERT INTO bookings (id, key, reason, at, memo) "
        f"SELECT {first} + i, 'years:' || i, 'gift', {at}, '' FROM n"
    )
    db.execute("CREATE TEMP TABLE w (ref INTEGER PRIMARY KEY, id INTEGER)")
    db.execute("INSERT INTO w SELECT CAST(ref AS INTEGER), id FROM accounts WHERE kind = 'wallet' "
               f"AND currency = 'coins' AND CAST(ref AS INTEGER) <= {PEOPLE}")  # fmt: skip
    db.execute(
        f"{numbered} INSERT INTO postings (booking_id, account_id, amount) "
        f"SELECT {first} + i, CASE s WHEN 0 THEN {mint} ELSE "
        f"(SELECT id FROM w WHERE ref = {person}) END, CASE s WHEN 0 THEN -1 ELSE 1 END "
        "FROM n CROSS JOIN (SELECT 0 AS s UNION SELECT 1)"
    )
    db.execute(
        "UPDATE accounts SET balance = balance + p.total FROM (SELECT account_id, sum(amount) AS "
        f"total FROM postings WHERE booking_id > {first} GROUP BY account_id) AS p "
        "WHERE p.account_id = accounts.id AND kind <> 'mint'"
    )


def show(found: Sequence[Years]) -> None:
    """A table, and as the last line one JSON object with the figures of the largest."""
    console = Console(width=110, highlight=False)
    grid = Table("", *(f"{years.postings:.0e} postings" for years in found), title="Milliseconds")
    for what in found[0].took:
        grid.add_row(what, *(f"{years.took[what]:.2f}" for years in found))
    for what, value in (
        ("longest stall", lambda it: f"{it.longest_stall_ms:.1f}"),
        ("which was", lambda it: it.slowest),
        ("audit, s", lambda it: f"{it.audit_s:.1f}"),
        ("its longest slice", lambda it: f"{it.longest_slice_ms:.0f}"),
        (f"start with {RUNNING} games, s", lambda it: f"{it.open_s:.2f}"),
        ("all of them taken up, s", lambda it: f"{it.start_s:.1f}"),
    ):
        grid.add_row(what, *map(value, found))
    console.print(grid)
    last = found[-1]
    print(
        json.dumps(
            {
                "longest_stall_ms": round(last.longest_stall_ms, 1),
                "start_s_10k": round(last.open_s, 2),
                "resumed_s_10k": round(last.start_s, 1),
                "audit_s": round(last.audit_s, 1),
            }
        )
    )
