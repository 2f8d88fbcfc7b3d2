"""RULES 8: James at the table. He plays, counts for nobody and wins nothing."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import AsyncIterator, Mapping
from itertools import count
from random import Random
from typing import Any

import pytest

from games import registry
from games.analysis import unlike_james
from games.checking import check, replay
from games.fairness import Stream
from games.game import HOUSE
from games.mind import mind_of
from games.proof import read
from tests.minds import unready
from tests.tgbot.house import House
from tests.tgbot.playing import (
    KINDS,
    WEIGHTS,
    codes,
    data,
    do,
    labels,
    mentioned,
    moves,
    painted,
    seen,
    tap,
)  # fmt: skip
from tgbot.playground import Chat, Message, Person
from tgbot.soak.virtual import now

MOST_PRESSES = 400
ASIDE = ("guide", "join", "mine", "boxes", "sheet", "charm1", "charm2", "charm3", "charm4",
         "charm5", "charm6")  # fmt: skip


def fair(house: House, seed: str) -> None:
    """Dice that are the same at every run, and those that their proof tells."""
    assert house.bot
    n = count()
    chance = house.bot.hall.chance
    chance.stream = Stream
    chance.token_bytes = lambda size: hashlib.sha512(f"{seed}{next(n)}".encode()).digest()[:size]


async def practise(house: House, person: Person, kind: str) -> Chat:
    """Somebody begins a practice in private."""
    chat = house.private(person)
    house.say(person, "/start", chat)
    await house.breathe()
    await house.press(person, "🎩", house.telegram.last(chat, buttons=True))
    await house.breathe()
    await house.forge(person, f"james:0:{kind}", house.telegram.last(chat, buttons=True))
    await painted(house)
    return chat


async def played(house: House, person: Person, chat: Chat, seed: str) -> AsyncIterator[Message]:
    """One person plays the newest game of a chat to its end by its buttons; yields each board."""
    random, game_id = Random(seed), house.table(chat).id
    for _ in range(MOST_PRESSES):
        table = house.bot and house.bot.hall.tables.seen.get(game_id)
        if table is None or not table.open:
            await painted(house)
            return
        (seat,) = (it.seat for it in table.people if it.user_id == person.id)
        if seat not in table.phase(seat).actors:
            await house.breathe(1)
            continue
        await painted(house)
        board = house.telegram.last(chat, buttons=True)
        keys = [code for code in codes(board) if code not in ASIDE]
        code = random.choices(keys, [WEIGHTS.get(code, 1) for code in keys])[0]
        await house.press(person, data(board, code), board)
        yield board
    raise AssertionError("the game does not end")


@pytest.mark.usefixtures("tables")
@KINDS
async def test_8_practice_in_private_wins_nothing_and_proves_his_moves(
    house: House, kind: str
) -> None:
    fair(house, kind)
    chat = await practise(house, house.anna, kind)

    await house.breathe(5)
    async for _ in played(house, house.anna, chat, kind):
        pass

    (ended,) = house.sql("SELECT status, james, stake FROM games")
    assert ended == ("over", 2, 0)
    assert house.held("wallet", house.anna.id, kind) == 0
    assert not house.sql("SELECT 1 FROM bests")
    assert not house.sql("SELECT 1 FROM due WHERE kind = 'james'")
    assert any(seat == 1 for seat, _ in moves(house))
    result = house.telegram.last(chat, buttons=True)
    assert "James" in result.text

    await house.press(house.anna, data(result, "verify"), result)
    await house.breathe()
    sent = house.telegram.last(chat)
    assert sent.document
    proof = read(sent.document.data)
    assert proof.james == (1,)
    assert check(proof).right
    assert unlike_james(registry()[kind], replay(proof), proof.james) == ()
    assert "James made" in sent.text

    await house.press(house.anna, data(result, "analysis"), result)
    await house.breathe(3)
    assert "Your game" in house.telegram.last(chat).text
    await house.press(house.anna, data(result, "again"), result)
    await house.breathe()
    assert house.table(chat).status == "running"
    assert house.sql("SELECT max(james), count(*) FROM games") == [(2, 2)]


async def lobby(house: House, kind: str, *people: Person, stake: int = 0) -> str:
    """A lobby in which these people and James sit; the first opened it."""
    if stake:
        await house.stake(stake)
    await house.open(*people, kind=kind, start=False)
    await tap(house, people[0], "james")
    await painted(house)
    return house.table().id


async def running(house: House, kind: str, *people: Person, stake: int = 0) -> str:
    """A game of these people and James that has just begun."""
    game_id = await lobby(house, kind, *people, stake=stake)
    await tap(house, people[0], "start")
    await painted(house)
    return game_id


async def acts(house: House, game_id: str, seat: int, move: str) -> None:
    """Somebody's move by its text."""
    assert house.bot
    play = house.bot.hall.play
    await do(house, lambda: play.move(game_id, seat, move, int(now())))


def james_row(house: House) -> list[tuple[int]]:
    """When he is to act."""
    return house.sql("SELECT at FROM due WHERE kind = 'james'")


async def test_8_the_opener_has_him_sit_down_and_get_up(house: House) -> None:
    fair(house, "lobby")
    await lobby(house, "fifty", house.anna, house.ben)
    with_him = house.board().text

    refused = await house.press(house.ben, "👋", house.board())
    assert refused == house.says("james.not_opener")
    gone = await tap(house, house.anna, "james")
    await painted(house)

    assert "Anna, Ben, 🎩 James" in with_him
    assert "Anna, Ben\n" in house.board().text
    assert gone == house.says("james.gone")
    assert house.says("james.add") in labels(house.board())


async def test_8_practice_takes_the_place_of_a_lobby_in_which_nobody_sits(house: House) -> None:
    fair(house, "alone")
    house.say(house.anna, "/zilch")
    await house.breathe(100)
    gone = house.board()
    await house.stake(5)
    await house.ask(house.ben, "/fifty")

    await house.press(house.anna, "🎩", gone)
    await house.breathe(3)

    games = house.sql("SELECT kind, status FROM games ORDER BY rowid")
    assert games == [("zilch", "off"), ("fifty", "off"), ("zilch", "running")]


async def test_8_the_pot_is_shared_as_if_he_were_not_there(house: House) -> None:
    """He throws first, holds no place, and no bullseye of his, nor his seat, wins a jackpot."""
    fair(house, "pot")
    game_id = await running(house, "fifty", house.anna, house.ben, stake=5)

    for _ in range(3):
        await house.breathe(5)
        assert mentioned(house.board()) <= {house.anna.id, house.ben.id}
        for seat in (0, 1):
            table = seen(house, game_id)
            if table and seat in table.phase().actors:
                await acts(house, game_id, seat, "4")
    await house.breathe(8)

    assert house.table().status == "over"
    assert [seat for seat, _ in moves(house)][:4] == [-1, 2, 0, 1]
    assert house.coins(house.anna) + house.coins(house.ben) == 20
    assert {house.coins(house.anna), house.coins(house.ben)} <= {8, 9, 11, 12}
    assert house.points(house.anna) + house.points(house.ben) == 4
    assert house.sql("SELECT count(*) FROM seats") == [(2,)]
    assert house.sql("SELECT count(*) FROM tallies WHERE user_id = 0 OR name LIKE '%0'") == [(0,)]
    assert "🎩 James" in house.board().text


@pytest.mark.parametrize("closer", [0, 2])
async def test_8_in_zilch_he_has_one_turn_more_and_everybody_after_him(
    house: House, closer: int
) -> None:
    """The last round ends with whoever sits before the one who passed the goal (RULES 3)."""
    game_id, james = await running(house, "zilch", house.anna, house.ben), 2

    async def turn(seat: int, *, great: bool) -> None:
        house.rolls = [1, 1, 1, 1, 1, 1] if great else [1, 1, 1, 2, 3, 4]
        if seat == james:
            house.rolls += [1, 2, 3, 3, 4, 6]  # six dice always bring something: he goes on
            await house.breathe(6)
        else:
            await acts(house, game_id, seat, "roll")
            await acts(house, game_id, seat, f"{'111111' if great else '111'} bank")

    for seat in (0, 1, 2):
        await turn(seat, great=seat == closer)
    rest = [seat for seat in (*range(closer, 3), *range(closer)) if seat != closer]
    for seat in range(closer):
        await turn(seat, great=False)
    await turn(closer, great=True)
    passed, before = house.table().status, len(moves(house))
    for seat in rest:
        await turn(seat, great=False)

    assert passed == "running"
    assert list(dict.fromkeys(seat for seat, _ in moves(house)[before:])) == rest
    assert house.table().status == "over"
    shared = [house.held("wallet", person.id, "zilch") for person in (house.anna, house.ben)]
    assert shared == ([1, 1] if closer == james else [2, 0])
    assert not james_row(house)


async def test_8_nobody_else_came_so_it_is_practice_and_the_stake_returns(house: House) -> None:
    fair(house, "practice")
    await house.stake(5)
    house.say(house.anna, "/zilch")
    await house.breathe()
    await tap(house, house.anna, "join")
    await painted(house)
    offered = house.board().text
    await tap(house, house.anna, "james")
    await house.breathe(100)

    kept = house.telegram.messages(house.group)[-2].text
    assert house.says("james.offer") in offered
    assert "Anna, 🎩 James" in kept
    assert "Pot" not in kept
    assert house.table().status == "running"
    assert house.sql("SELECT stake, james FROM games") == [(0, 2)]
    assert house.coins(house.anna) == 10
    assert house.says("lobby.late") not in labels(house.board())
    toast = await house.forge(house.ben, f"{house.table().id}:0:join")
    assert toast == house.says("refused.started")
    await house.leave(house.anna)
    assert house.table().status == "over"
    assert house.held("wallet", house.anna.id, "zilch") == 0
    assert not house.audit().problems


async def test_8_where_a_lobby_was_called_off_one_can_practise(house: House) -> None:
    """Its board shows the seal; nobody is one of Robin Hood's players by it."""
    fair(house, "off")
    house.say(house.ben, "/fifty")
    await house.breathe(100)
    assert house.table().status == "off"
    off = house.board()

    await tap(house, house.ben, "practise")
    await painted(house)
    toast = await house.press(house.cem, data(off, "practise"), off)

    game_id = house.table().id
    assert house.table().status == "running"
    assert "🔒" in house.board().text
    assert toast == house.says("refused.busy", "de", game=registry()["fifty"].title())
    while seen(house, game_id):
        await house.breathe(5)
        await acts(house, game_id, 0, "4")
    assert house.bot
    assert house.bot.hall.settling.robin.people(int(now())) == {}
    assert house.sql("SELECT max(james), max(left_at), max(seat) FROM games, seats") == [(2, 0, 0)]


async def test_8_another_one_asks_him_too(house: House) -> None:
    fair(house, "again")
    game_id = await running(house, "fifty", house.anna, house.ben)
    while seen(house, game_id):
        await house.breathe(5)
        for seat in (0, 1):
            table = seen(house, game_id)
            if table and seat in table.phase().actors:
                await acts(house, game_id, seat, "4")
    await house.breathe(6)

    await tap(house, house.ben, "again")
    await painted(house)

    assert "Ben, 🎩 James" in house.board().text


@pytest.mark.usefixtures("tables")
async def test_8_moves_are_typed_in_private_as_in_a_group(house: House) -> None:
    fair(house, "typed")
    chat = await practise(house, house.anna, "yahtzee")
    for line in ("/roll", "/score chance"):
        house.say(house.anna, line, chat)
        await house.breathe()
    await house.breathe(6)

    assert [move for seat, move in moves(house) if seat == 0] == ["roll", "score chance"]
    assert moves(house)[-1][0] == 1
    board = house.telegram.last(chat, buttons=True)
    assert "Anna’s turn" in board.text
    await house.forge(house.anna, "language:0:de", board)
    await painted(house)
    assert "Anna ist dran" in board.text
    await house.leave(house.anna, chat)
    assert house.table(chat).status == "over"


async def test_8_he_makes_room_where_all_seats_are_wanted(house: House) -> None:
    fair(house, "full")
    (dora,) = house.friends(1)
    await lobby(house, "zilch", house.anna, house.ben, house.cem)
    await tap(house, dora, "join")
    await painted(house)

    assert house.table().status == "running"
    assert house.sql("SELECT james FROM games") == [(0,)]
    assert "James" not in house.board().text


async def test_8_his_move_counts_only_in_the_game_he_thought_of(house: House) -> None:
    """Two workers call him, somebody is faster than his thought, and his thought comes twice."""
    fair(house, "race")
    game_id = await running(house, "fifty", house.anna, house.ben)
    assert house.bot
    run, james = house.bot.clerk.run, house.bot.hall.james
    ((at,),) = james_row(house)
    assert 2 <= at - int(now()) + 1 <= 4

    first = await run(lambda: james.call(game_id, at))
    second = await run(lambda: james.call(game_id, at))
    assert first.later
    assert not second.later
    thought = first.later()
    assert thought.then
    await acts(house, game_id, 0, "4")
    again = await run(lambda: thought.then(at))
    assert again.later
    assert [seat for seat, _ in moves(house)] == [-1, 0]

    anew = again.later()
    for _ in range(2):
        await run(lambda: anew.then(at))
    assert [seat for seat, _ in moves(house)] == [-1, 0, 2]
    assert not james_row(house)


async def test_8_he_waits_where_nobody_could_see_it(house: House) -> None:
    fair(house, "hidden")
    game_id = await running(house, "fifty", house.anna, house.ben)
    assert house.bot
    run, upkeep = house.bot.clerk.run, house.bot.upkeep
    await run(lambda: upkeep.hidden(game_id, HOUSE, int(now())))
    await house.breathe(12)
    before = moves(house)
    await run(lambda: upkeep.hidden(game_id, HOUSE, 0))
    await house.breathe(10)

    assert [seat for seat, _ in before] == [-1]
    assert [seat for seat, _ in moves(house)] == [-1, 2]


async def test_8_he_thinks_where_hints_are_thought(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a thread of the minds, where nothing else waits for him."""
    threads, mind = list[str](), mind_of(registry()["fifty"])
    values = mind.values

    def watched(state: Any, seat: int) -> Mapping[str, float]:
        threads.append(threading.current_thread().name)
        return values(state, seat)

    monkeypatch.setattr(mind, "values", watched)
    await running(house, "fifty", house.anna, house.ben)
    await house.breathe(5)

    assert threads
    assert all(thread.startswith("mind") for thread in threads)


async def test_8_who_dies_thinking_is_thought_for_anew(house: House) -> None:
    fair(house, "killed")
    game_id = await running(house, "fifty", house.anna, house.ben)
    assert house.bot
    james = house.bot.hall.james
    ((at,),) = james_row(house)
    await house.bot.clerk.run(lambda: james.call(game_id, at))

    await house.away(1)
    fair(house, "killed")
    await house.breathe(20)

    assert [seat for seat, _ in moves(house)] == [-1, 2]


@pytest.mark.usefixtures("tables")
async def test_8_somebody_comes_late_while_he_plays_yahtzee(house: House) -> None:
    fair(house, "late")
    game_id = await running(house, "yahtzee", house.anna, house.ben)
    await tap(house, house.cem, "join")
    for seat in (0, 1):
        for move in ("roll", "score chance"):
            await acts(house, game_id, seat, move)
    await house.breathe(8)

    played = moves(house)
    assert played[0] == (3, "join")
    assert {seat for seat, _ in played[5:]} == {2}
    table = seen(house, game_id)
    assert table
    assert table.phase().actors == (3,)
    assert table.names == ["Anna", "Ben", "🎩 James", "Cem"]
    assert "Cem" in house.board().text
    await house.away(1)
    again = seen(house, game_id)
    assert again
    assert (again.names, again.state) == (table.names, table.state)


async def test_8_he_plays_on_for_nobody_and_has_no_vote(house: House) -> None:
    fair(house, "leaving")
    game_id = await running(house, "zilch", house.anna, house.ben, stake=5)
    for person in (house.anna, house.ben):
        assert house.table().status == "running"
        house.say(person, "/stop")
        await house.breathe()
    assert house.table().status == "stopped"
    assert house.coins(house.anna) == house.coins(house.ben) == 10

    await house.open(house.anna, house.ben, kind="zilch", start=False)
    await tap(house, house.anna, "james", "start")
    await house.leave(house.anna)
    assert house.table().status == "over"
    assert house.coins(house.ben) == 15
    assert game_id != house.table().id
    await house.breathe(5)
    assert not james_row(house)


async def test_8_he_says_kindly_that_he_is_not_ready(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    unready(monkeypatch)
    house.say(house.anna, "/yahtzee")
    await house.breathe()

    told = await tap(house, house.anna, "james")

    assert told == house.says("james.not_ready", game=registry()["yahtzee"].title())
    assert house.sql("SELECT james FROM games") == [(0,)]
