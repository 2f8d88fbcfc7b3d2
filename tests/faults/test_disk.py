"""The disk is full in the middle of a game: people are told, nothing is lost, it goes on.

Full is real: no file of this process may grow beyond what the log of the database has grown to, so
the commit itself fails; or SQLite is allowed no further page, and gives up in the middle.
"""

from __future__ import annotations

import contextlib
import resource
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from peewee import Database, OperationalError

from economy.database import unavailable
from tests.tgbot.calling import Called, bot_of, called, number
from tests.tgbot.house import POOLS, House, showing
from tests.tgbot.playing import painted, sent, thrown
from tgbot.hall.seen_updates import first_time
from tgbot.inbound import polling
from tgbot.inbound.delivery import AGAIN_S, TELL_AFTER_S
from tgbot.inbound.limits import Limit
from tgbot.playground import Person
from tgbot.soak.life import full
from tgbot.soak.virtual import now

__all__ = ["called"]

ROUND_S = 25
RETRY_S = 60
"""A deadline that could not be written is tried again after so long."""
LONG_S = 60
LONG_LOG = 300_000
LINES = 10
LOBBY_S = 95
"""Longer than a lobby waits for enough people."""


@pytest.fixture
async def house(house: House) -> House:
    """A house in which things are broken on purpose."""
    house.excused.add("errors")
    return house


@contextlib.contextmanager
def no_room(house: House) -> Iterator[None]:
    """The disk is full meanwhile."""
    path = house.settings.database.removeprefix("sqlite:///")
    other = sqlite3.connect(path, isolation_level=None)
    assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    # The log is longer now than what this process writes elsewhere, and while somebody reads it,
    # nobody begins it anew.
    other.execute("INSERT INTO facts VALUES ('long', ?)", ("x" * LONG_LOG,))
    other.execute("DELETE FROM facts WHERE name = 'long'")
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM facts").fetchone()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{path}-wal").stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        other.close()


def press(house: House, person: Person, button: str) -> str:
    """Presses a button of the newest board and does not wait for the answer."""
    return house.telegram.press(person, house.group, house.board().id, button)


def toast(house: House, query: str) -> str:
    """What a press was answered; empty as long as it was not."""
    answer = house.telegram.toast(query)
    return (answer.text or "") if answer else ""


# -- presses ----------------------------------------------------------------------------------


async def test_a_press_is_told_that_nothing_is_lost_and_counts_when_there_is_room(
    house: House,
) -> None:
    await house.stake(5)
    await house.open(start=False)

    with no_room(house):
        query = press(house, house.ben, "✅")
        await house.breathe(TELL_AFTER_S - 1)
        early = toast(house, query)
        await house.breathe(LONG_S)
        assert house.table().people == []
        told = house.telegram.toast(query)
    await house.breathe(AGAIN_S + 1)

    assert early == ""
    assert told
    assert (told.text, told.alert) == (house.says("refused.later"), True)
    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == 5
    assert house.held("escrow", house.table().id) == 5


async def test_a_press_that_waits_for_a_moment_only_gets_its_own_answer(house: House) -> None:
    await house.stake(5)
    await house.open(start=False)

    with no_room(house):
        query = press(house, house.ben, "✅")
        await house.breathe(1)
    await house.breathe(AGAIN_S + 1)

    assert toast(house, query) == house.says("lobby.joined_stake", stake="5 Knuddels")


async def test_presses_that_wait_are_made_in_their_order(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    house.rolls = [2, 9, 3]

    with no_room(house):
        for person, button in (
            (house.anna, "d4"), (house.ben, "d8"), (house.anna, "d20"), (house.anna, "🎲"),
            (house.ben, "🎲"),
        ):  # fmt: skip
            press(house, person, button)
            await house.breathe(0.3)
        assert thrown(house) == []
    await house.breathe(AGAIN_S + 1)

    assert thrown(house) == [(0, "4+20"), (1, "8")]


async def test_more_presses_than_come_in_at_once_are_all_made_in_the_end(house: House) -> None:
    people = house.friends(2 * polling.BATCH + 20)
    await house.begin(house.anna, house.ben)
    await house.breathe(3)

    with no_room(house):
        for person in people:
            house.say(person, "/start", house.private(person))
        await house.breathe(AGAIN_S + 1)
        before = house.sql("SELECT count(*) FROM people")
    await house.breathe(4 * AGAIN_S)

    assert before == [(2,)]
    assert house.sql("SELECT count(*) FROM people") == [(2 + len(people),)]
    assert not house.telegram.queue.pending


async def test_what_waits_is_handed_out_again_after_a_restart(house: House) -> None:
    await house.stake(5)
    await house.open(start=False)

    with no_room(house):
        press(house, house.ben, "✅")
        await house.breathe(3)
        await house.stop()
    await house.start()

    assert house.table().people == [house.ben]


async def test_games_opened_while_there_is_no_room_count_once_against_the_limit(
    house: House,
) -> None:
    assert house.bot
    lobbies = house.bot.front.settings.lobbies_an_hour

    with no_room(house):
        house.say(house.anna, "/fifty")
        await house.breathe((lobbies + 2) * AGAIN_S)
    await house.breathe(AGAIN_S + 1)

    assert house.table().opener == house.anna.id


async def test_one_update_that_cannot_be_written_holds_back_nobody_for_ever(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No real disk does that; it must not be how the bot comes to a stand all the same.
    monkeypatch.setattr(polling, "BATCH", 10)
    assert house.bot
    await house.open(start=False)
    await house.breathe(3)
    store = house.bot.hall.store
    press(house, house.ben, "✅")
    stuck = house.telegram.queue.pending[-1]["update_id"]

    def no_room_for(db: Database, update_id: int, at: int) -> bool:
        if update_id == stuck:
            full(store.db, 0)
            try:
                store.db.execute_sql("INSERT INTO facts VALUES ('x', ?)", ("x" * 10_000,))
            finally:
                full(store.db, None)
        return first_time(db, update_id, at)

    monkeypatch.setattr("tgbot.inbound.front.first_time", no_room_for)
    for _ in range(3 * polling.BATCH):
        house.say(house.cem, "/play", house.private(house.cem))
        await house.breathe(1)
    await house.breathe(LOBBY_S)

    assert not house.telegram.queue.pending
    assert house.table().status == "off"
    assert len(house.heard(house.private(house.cem))) == 3 * polling.BATCH


# -- typed ------------------------------------------------------------------------------------


async def test_a_command_is_told_once_and_obeyed_when_there_is_room(house: House) -> None:
    with no_room(house):
        for person in (house.anna, house.ben):
            house.say(person, "/fifty")
            house.say(person, "hello")
        await house.breathe(LONG_S / 2)
        told = house.heard()
    await house.breathe(AGAIN_S + 3)

    assert told.count(house.says("refused.later")) == 1
    assert house.table().opener == house.anna.id
    assert house.says("refused.busy_lobby", game="Fifty!") in house.heard()


@pytest.mark.parametrize("rounds", [0, ROUND_S / AGAIN_S])
async def test_a_typed_throw_counts_although_its_round_would_be_over(
    house: House, rounds: float
) -> None:
    await house.begin(house.anna, house.ben)
    await house.breathe(house.table().due_at - 1 - now())

    with no_room(house):
        await house.typed(house.anna, "4+20", 2, 9)
        await house.breathe(rounds * AGAIN_S + 0.3)
    house.telegram.faults.latency_s = 0.2  # the next poll takes its time
    await house.breathe(0.8)  # the round is over, and it is not tried again yet
    await house.look()
    await house.breathe(AGAIN_S)

    assert thrown(house)[:2] == [(0, "4+20"), (1, "late")]


# -- what is due ------------------------------------------------------------------------------


async def test_a_deadline_without_room_fires_later_and_once(house: House) -> None:
    await house.begin(house.anna, house.ben)

    with no_room(house):
        await house.breathe(ROUND_S + 3)
        assert thrown(house) == []
    await house.look()

    assert thrown(house) == [(0, "late"), (1, "late")]


async def test_a_pot_is_settled_once_when_there_is_room(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS[:2]:
        for person, total in ((house.anna, 10), (house.ben, 9)):
            await house.score(person, pool, total)
        await house.breathe(3)
    await house.score(house.anna, POOLS[2], 10)

    with no_room(house):
        await house.score(house.ben, POOLS[2], 9)
        await house.breathe(LONG_S)
        assert house.table().status == "running"
        assert house.held("escrow", house.table().id) == 10
    await house.breathe(AGAIN_S + 3)

    assert house.table().status == "over"
    assert (house.coins(house.anna), house.coins(house.ben)) == (5 + 7, 5 + 3)
    assert house.held("escrow", house.table().id) == 0
    assert thrown(house)[-2:] == [(0, POOLS[2]), (1, POOLS[2])]


async def test_the_nightly_audit_without_room_is_made_later(house: House) -> None:
    (night,) = house.sql("SELECT at FROM due WHERE kind = 'audit'")[0]
    await house.breathe(night - 5 - now())

    with no_room(house):
        await house.breathe(LONG_S)
        assert house.bot
        assert house.bot.nightly.audited_at == 0
    await house.look()
    await house.breathe(3)

    assert house.bot.nightly.audited_at > night
    assert house.sql("SELECT count(*) FROM due WHERE kind = 'audit' AND at > ?", night) == [(1,)]


# -- boards -----------------------------------------------------------------------------------


async def test_a_board_that_cannot_be_noted_is_not_sent_again(house: House) -> None:
    await house.open(house.anna, house.ben, start=False)
    await house.breathe(3)
    house.telegram.faults.latency_s = 0.5
    before = sent(house)
    press(house, house.anna, "▶️")
    while house.table().status == "lobby":
        await house.breathe(0.05)  # then the board of round one is on its way

    with no_room(house):
        await house.breathe(LONG_S / 3)
        during = sent(house) - before
        unnoted = house.sql("SELECT count(*) FROM showings WHERE painted < board")
    house.telegram.faults.latency_s = 0.0
    await house.breathe(LONG_S)

    assert during == 1
    assert unnoted == [(1,)]
    assert house.sql("SELECT count(*) FROM showings WHERE painted < board") == [(0,)]


async def test_a_game_played_while_room_comes_and_goes_ends_as_if_there_had_always_been_some(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    scores = {house.anna: (14, 10, 9), house.ben: (3, 12, 8), house.cem: (12, 20, 5)}

    for n, pool in enumerate(POOLS):
        for person, totals in scores.items():
            with no_room(house):
                await house.typed(person, pool)
            house.rolls = showing(pool, totals[n])
            await house.breathe(AGAIN_S + 1)
        await house.breathe(3)
    await painted(house)

    assert house.table().status == "over"
    assert thrown(house) == [(seat, pool) for pool in POOLS for seat in range(3)]
    assert [house.coins(person) for person in scores] == [5 + 4, 5 + 3, 5 + 8]


# -- SQLite gives up in the middle ------------------------------------------------------------


def fill(house: House) -> Callable[[], None]:
    """A use case for which there is no page left."""

    def work() -> None:
        assert house.bot
        db = house.bot.clerk.db
        db.execute_sql("UPDATE facts SET value = value")
        db.execute_sql("INSERT INTO facts VALUES ('x', ?)", ("x" * 10_000,))

    return work


async def test_who_finds_no_page_fails_for_that_reason_and_hinders_nobody(house: House) -> None:
    assert house.bot
    clerk = house.bot.clerk
    await clerk.run(lambda: full(clerk.db, 0))

    small = "INSERT INTO facts VALUES (?, '')"
    before = clerk.run(lambda: clerk.db.execute_sql(small, ("before",)).rowcount)
    large = clerk.run(fill(house))
    after = clerk.run(lambda: clerk.db.execute_sql(small, ("after",)).rowcount)
    with pytest.raises(OperationalError) as failed:
        await large
    await clerk.run(lambda: full(clerk.db, None))

    assert (await before, await after) == (1, 1)
    assert unavailable(failed.value)
    await clerk.run(fill(house))
    assert {name for (name,) in house.sql("SELECT name FROM facts")} >= {"before", "after", "x"}


async def test_a_wrong_statement_undoes_only_itself(house: House) -> None:
    assert house.bot
    clerk = house.bot.clerk
    right = clerk.run(
        lambda: clerk.db.execute_sql("INSERT INTO facts VALUES ('right', '')").rowcount
    )
    wrong = clerk.run(lambda: clerk.db.execute_sql("INSERT INTO nowhere VALUES (1)"))

    with pytest.raises(OperationalError):
        await wrong

    assert await right == 1
    assert house.sql("SELECT value FROM facts WHERE name = 'right'") == [("",)]


# -- webhooks ---------------------------------------------------------------------------------


async def test_a_press_by_webhook_is_told_and_counts_when_there_is_room(called: Called) -> None:
    house, wire = called
    house.excused.add("errors")
    await house.stake(5)
    await house.open(start=False)

    with no_room(house):
        query = press(house, house.ben, "✅")
        await house.breathe(TELL_AFTER_S + AGAIN_S)
        told = toast(house, query)
        assert {status for status, _ in wire.responses[-3:]} == {503}
        assert house.table().people == []
    await house.breathe(4 * AGAIN_S)

    assert told == house.says("refused.later")
    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == 5
    assert await number(house, 'dicehall_update_errors_total{cause="database"}') > 0


async def test_what_comes_again_by_webhook_does_not_count_as_pressing_too_fast(
    called: Called,
) -> None:
    house, _ = called
    house.excused.add("errors")
    bot_of(house).front.limits.presses = Limit(LINES, LONG_S)
    ((before,),) = house.sql("SELECT count(*) FROM updates")

    with no_room(house):
        for _ in range(LINES):
            house.say(house.ben, "/play", house.private(house.ben))
        await house.breathe(LONG_S)
    await house.breathe(LONG_S)

    assert house.sql("SELECT count(*) FROM updates") == [(before + LINES,)]
