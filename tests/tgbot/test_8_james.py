"""RULES 8: James at the table. He plays, counts for nobody and wins nothing."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from itertools import count
from random import Random

import pytest

from games import registry
from games.analysis import unlike_james
from games.fairness import Stream
from games.proof import check, read, replay
from tests.tgbot.conftest import House
from tests.tgbot.playing import KINDS, WEIGHTS, codes, data, moves, painted
from tgbot.playground import Chat, Message, Person

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
