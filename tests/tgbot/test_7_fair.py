"""RULES 7: /fair tells what all dice did, from running counts that nobody takes a figure out of."""

from __future__ import annotations

from collections import Counter

import pytest
from peewee import SqliteDatabase

from economy.database import connect, shut
from games.fairness import Stream
from tests.tgbot.house import House
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.fair import Die, counted, faces, fair
from tgbot.hall.store import Store


def test_7_faces_are_those_of_every_die_also_of_open_ones() -> None:
    thrown = [("666", "12"), ("4,20!", "4,4,1,20,3"), ("", ""), ("6,6,6", "6,6,1")]

    found = Counter(faces(thrown))

    assert found == {
        (666, 12): 1,
        (4, 4): 2,
        (4, 1): 1,
        (20, 20): 1,
        (20, 3): 1,
        (6, 6): 2,
        (6, 1): 1,
    }


def test_7_chi_square_is_that_of_the_textbook() -> None:
    assert Die(6, (5, 8, 9, 8, 10, 20)).chi_square == pytest.approx(13.4)
    assert Die(4, (0, 0, 0, 0)).chi_square == 0


async def test_7_fair_tells_all_dice_and_how_every_game_ended(house: House) -> None:
    assert house.bot
    house.bot.hall.chance.stream = Stream
    none = await house.ask(house.ben, "/fair")
    for _ in range(2):
        await house.open(house.anna, house.ben)
        await house.breathe(40 * 25)
    await house.open(house.anna, house.ben)
    house.say(house.anna, "/stop")
    await house.breathe(3)
    await house.ask(house.anna, "/fifty")
    await house.breathe(100)

    house.say(house.ben, "/fair")
    await house.breathe(10)

    assert house.says("fair.none") in none
    said = house.telegram.last(house.group)
    assert said.photo
    assert house.says("fair.games", finished=2, stopped=1, off=1) in said.text
    rows = house.sql(
        "SELECT m.asked, m.dice FROM moves m JOIN games g ON g.id = m.game_id "
        "WHERE g.status = 'over' AND m.dice <> ''"
    )
    by_hand = Counter(faces(rows))
    assert {(sides, face): n for sides, face, n in house.sql("SELECT * FROM faces")} == by_hand
    fours = sum(n for (sides, _), n in by_hand.items() if sides == 4)
    assert f"d4: thrown {fours} times" in said.text


def test_7_the_counts_add_up_on_postgres_too(postgres: str) -> None:
    settings = Settings(_env_file=None, database=postgres)
    db = open_database(settings)
    assert not isinstance(db, SqliteDatabase)
    try:
        before = fair(db)

        class Over:
            id, kind, daily = "abcdefgh", "fifty", ""

        store = Store(db, "en")
        store.moves.thrown = lambda *_: [("4,20!", "4,4,1,3")]
        with db.atomic():
            for _ in range(2):
                counted(store, Over(), "over", "")
        after = fair(db)
        assert after.ended("over") == before.ended("over") + 2
        assert sum(die.thrown for die in after.dice) == sum(d.thrown for d in before.dice) + 8
    finally:
        shut(db)
        assert connect
