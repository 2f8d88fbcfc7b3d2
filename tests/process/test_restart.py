"""A restart loses nothing: the process is killed at many moments of staked games of Fifty!."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from peewee import SqliteDatabase

from games.game import HOUSE
from tests.process.mortal import Moment, handed, mortal, unconfirmed
from tests.process.party import (
    MOST_GAMES,
    STAKE,
    Party,
    check_remains,
    codes,
    everything_adds_up,
    play_on,
)
from tgbot.playground import Message

MOMENTS = [
    Moment("sendMessage", after=True, stage="opening"),
    unconfirmed("joining"),
    Moment("sendMessage", stage="starting"),
    Moment("getUpdates"),
    handed(1, "picking"),
    Moment("answerCallbackQuery", stage="picking"),
    Moment("editMessageText", after=True),
    handed(1, "last throw"),
    unconfirmed("last throw of all"),
    Moment("editMessageText", only="bares"),
]
"""One of each kind; others are drawn in `kills.py`."""


# -- many deaths ------------------------------------------------------------------------------


async def test_a_process_killed_at_any_moment_goes_on_as_if_nothing_had_been(
    tmp_path: Path,
) -> None:
    async with mortal(tmp_path) as process:
        parties = [
            Party(process, random.Random(1)),
            Party(process, random.Random(2), ("Eva", "Finn", "Gül", "Hanna")),
        ]
        await process.start()
        for party in parties:
            await party.settle_on(STAKE)
        reaper = asyncio.create_task(reap(parties, MOMENTS))
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

        assert len(process.deaths) == len(MOMENTS)
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


async def relics_lose_their_buttons(parties: list[Party]) -> None:
    """What a death left of old boards goes as soon as somebody presses it."""
    process, telegram = parties[0].process, parties[0].process.telegram
    for party in parties:
        for message in party.relics():
            telegram.press(party.anna, message.chat, message.id, codes(message)[0])
    await process.eventually(
        "only newest boards with buttons",
        lambda: not any(party.relics() for party in parties),
        within_s=60,  # tidying leaves room for boards
    )


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
        moves = party.process.store(db).moves.of(game_id)
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
            telegram.press(person, party.group, board.id, "d4")
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
