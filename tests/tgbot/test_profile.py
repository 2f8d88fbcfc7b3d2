"""Profiles and badges (BOARDS, /whois): what is counted as games end, and who is told of it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from matplotlib.figure import Figure
from peewee import Database

from economy.database import shut
from games import registry
from tests.postgres import database
from tests.tgbot.house import House
from tests.tgbot.playing import KINDS
from tgbot import charts
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import Hall, open_hall
from tgbot.people.people import Person, Who
from tgbot.people.tallies import Tallies
from tgbot.words import all_words

CHAT = -100
TOLD_BY_ROWS = {
    "fifty": {"games", "won", "results", "total", "best", "feat bullseyes", "feat chain"},
    "yahtzee": {"games", "won", "results", "total", "best", "feat yahtzees"},
    "zilch": {"games", "won"},
    "farkle20": {"games", "won"},
    "": {"ahead 1", "ahead 2", "ahead 3"},
}
"""What the migration finds out about games that were played before."""


@pytest.fixture
def db(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> Iterator[Database]:
    """An empty database; that of the game with most to count is on PostgreSQL."""
    if kind != "fifty":
        made = open_database(Settings(_env_file=None, database=f"sqlite:///{tmp_path}/hall.db"))
        yield made
        made.close()
        return
    with database(request.getfixturevalue("postgres")) as url:
        made = open_database(Settings(_env_file=None, database=url))
        yield made
        shut(made)


def play(hall: Hall, people: list[Person], kind: str, chance: Random, at: int) -> None:
    """A whole game, at random and at times late, on behalf of everybody."""
    game_id = hall.lobby.open(people[0], CHAT, 0, kind, at).games[0]
    for person in people[1:]:
        hall.lobby.join(person, game_id, at)
    hall.lobby.start(people[0], game_id, at)
    rules = registry()[kind].rules
    greedy = registry()[kind].policies["greedy"]
    while (table := hall.tables.get(game_id)).status == "running":
        seat = chance.choice([s for s in range(len(people)) if rules.legal(table.state, s)])
        move = greedy(table.state, seat, lambda n: chance.randint(1, n))
        if chance.random() < 0.05 and (late := rules.expire(table.state, seat)):
            seat, move = late
        hall.play.move(game_id, seat, move, at)


@KINDS
def test_what_is_counted_as_games_end_is_what_their_rows_tell(db: Database, kind: str) -> None:
    settings = Settings(_env_file=None, bot_token="123456789:" + "A" * 35)
    hall, known = open_hall(db, settings)
    hall.chance.token_bytes = Random(1).randbytes
    people = [known.meet(Who(n, name), 1) for n, name in enumerate(("Ann", "Bob", "Cem"), 1)]
    with db.atomic():
        for n in range(12):
            play(hall, people, kind, Random(n), 1000 + n)
    hall.tables.committed()
    tallies = "SELECT user_id, kind, name, value FROM tallies WHERE substr(name, 1, 5) <> 'badge'"
    counted = {*db.execute_sql(tallies).fetchall()}

    db.execute_sql("DELETE FROM tallies")
    importlib.import_module("tgbot.migrations.0017_tallies").up(None, db)

    assert {*db.execute_sql(tallies).fetchall()} == {
        row for row in counted if row[2] in TOLD_BY_ROWS[row[1]]
    }
    assert sum(value for _, _, name, value in counted if name == "games") == 36
    assert 9 <= sum(value for _, _, name, value in counted if name == "won") <= 14


async def test_a_profile_tells_of_every_game_and_of_the_two_who_meet(house: House) -> None:
    await house.game({house.anna: (15, 20, 13), house.ben: (16,), house.cem: (9, 9, 9)})
    first = house.board().text
    await house.game({house.anna: (15, 22, 12), house.ben: (10, 9, 9)})
    second = house.board().text
    await house.breathe(61)

    told = await house.ask(house.ben, "/whois Anna")
    own = await house.ask(house.anna, "/whois")

    assert "Anna: 🏅 first bullseye" in first
    assert "🏅" not in second
    assert told.split("\n") == [
        "👤 Anna",
        "🎲 Fifty! · 2 games · 2 won",
        "best 49 · avg 48.5 · 4 bullseyes · chain of 2",
        "🏅 first bullseye",
        "⚔️ Anna 2 : 0 Ben",
    ]
    assert "⚔️" not in own


async def test_the_card_is_a_picture_on_request_of_who_may_be_known_here(house: House) -> None:
    await house.game({house.anna: (15, 20, 13), house.ben: (16,), house.cem: (9, 9, 9)})
    await house.ask(house.ben, "/whois Anna")
    data = f"whois:0:{house.anna.id}"
    stranger = house.telegram.person("Dora")
    elsewhere = house.telegram.group("Elsewhere", stranger)
    await house.press(house.cem, "🖼")
    await house.breathe(5)

    card = house.telegram.last(house.group)
    hidden = await house.ask(house.anna, "/privacy", house.private(house.anna))
    await house.press(house.anna, "🙈", house.telegram.last(house.private(house.anna)))
    await house.ask(stranger, "/whois", elsewhere)
    refused = await house.forge(stranger, data, house.telegram.last(elsewhere))

    assert card.text == "👤 Anna"
    assert card.photo
    assert hidden
    assert refused == house.says("refused.stale")


async def test_the_card_says_what_the_message_says(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.game({house.anna: (15, 20, 13), house.ben: (12, 20, 12), house.cem: (9, 9, 9)})
    told = await house.ask(house.ben, "/whois Anna")
    drawn: list[str] = []
    monkeypatch.setattr(Figure, "text", lambda self, x, y, said, **style: drawn.append(said))

    await house.press(house.ben, "🖼")
    await house.breathe(5)

    assert "2 bullseyes · chain of 2" in drawn
    assert {"Anna", "Fifty!", "48", "first bullseye"} <= {*drawn}
    assert all(words in told for words in ("2 bullseyes · chain of 2", "48", "first bullseye"))


async def test_a_badge_is_earned_once_and_forgotten_with_who_earned_it(house: House) -> None:
    for _ in range(2):
        await house.game({house.anna: (15, 20, 13), house.ben: (9, 9, 9)})
    assert house.bot
    db = house.bot.hall.store.db
    before = house.sql("SELECT name FROM tallies WHERE user_id = ?", house.anna.id)

    await house.bot.clerk.run(lambda: Tallies(db).forget(house.anna.id))

    assert [name for (name,) in before if name.startswith("badge")] == ["badge bullseye"]
    left = house.sql("SELECT user_id, name FROM tallies")
    assert {user for user, _ in left} == {house.ben.id}
    assert f"ahead {house.anna.id}" not in {name for _, name in left}


def test_every_game_has_words_for_its_feats_badges_and_records() -> None:
    words = all_words(Settings(_env_file=None)).keys("en")
    for kind, game in registry().items():
        assert game.feats
        assert f"{kind}.badge.from_last" in words
        for best in game.lists:
            if "day" in best.periods and not best.signed:
                assert f"{kind}.record.{best.name}" in words


def test_a_card_shows_names_as_far_as_there_are_letters_for_them() -> None:
    words = all_words(Settings(_env_file=None))
    rows = [(registry()["fifty"].title(), 12, 3, 49, 41.5)]

    png = charts.card(words, "de", name="$Anna$ 🦉 林", rows=rows, badges=[])

    assert png.startswith(b"\x89PNG")
