"""/points, its chart and its best lists (RULES 1.8, BOARDS): all that somebody owns, privately."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from economy import tracks
from economy.database import is_sqlite, shut
from economy.ledger import Ledger, escrow, fund, jackpot, mint, wallet
from economy.tracks import Places, Track
from tests.postgres import empty
from tests.tgbot.house import House
from tests.tgbot.playing import do
from tests.tgbot.test_give import grant
from tgbot import charts
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.playground import Message, Person
from tgbot.playground.images import image_size
from tgbot.soak.virtual import BEGAN, now
from tgbot.words import all_words

DAY_S = 24 * 3600
NOW = int(BEGAN)
BERLIN = ZoneInfo("Europe/Berlin")


def labels(message: Message) -> list[list[str]]:
    """The words on a message's buttons, row by row."""
    return [[button["text"] for button in row] for row in message.buttons]


# -- the panel --------------------------------------------------------------------------------


async def test_every_currency_with_its_rank_and_the_change_of_the_week(house: House) -> None:
    await house.stake(5)
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (8, 8, 8)})

    answer = await house.ask(house.ben, "/points", house.private(house.ben))

    assert answer.split("\n")[1:3] == [
        house.says("points.ranked", amount="9 Knuddels", change="+9", rank=2, of=3),
        house.says("points.ranked", amount="1 Fifty! point", change="+1", rank=2, of=3),
    ]
    assert labels(house.telegram.last(house.private(house.ben))) == [
        ["📈 Chart", "📜 History"],
        ["🏆 Best lists"],
    ]


async def test_who_has_the_same_shares_a_place(house: House) -> None:
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    await house.breathe()
    await grant(house, house.cem, 1)

    places = []
    for person in (house.anna, house.ben, house.cem):
        answer = await house.ask(person, "/points", house.private(person))
        places.append([part for part in answer.split() if part.isdigit()][1:3])

    assert places == [["2", "3"], ["2", "3"], ["1", "3"]]


async def test_who_has_nothing_has_no_place(house: House) -> None:
    house.settings.welcome_gift = 0

    answer = await house.ask(house.anna, "/points", house.private(house.anna))

    assert house.says("points.line", amount="0 Knuddels", change="±0") in answer


async def test_the_welcomes_button_shows_all_of_it_in_private(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/start", private)

    await house.press(house.anna, "👛", house.telegram.last(private))
    await house.breathe()

    assert house.heard(private)[-1].startswith("👛 Anna")


async def test_its_buttons_lead_to_the_history_and_the_best_lists(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/points", private)
    panel = house.telegram.last(private)

    await house.press(house.anna, "🏆", panel)
    await house.breathe()
    lists = house.telegram.last(private)
    await house.press(house.anna, "📜", panel)
    await house.breathe()

    assert lists is not panel
    assert "🏅" in lists.text
    assert panel.text.startswith("📜")


async def test_in_a_group_no_number_stands_in_the_open(house: House) -> None:
    await grant(house, house.anna, 777)
    house.say(house.anna, "/start")
    await house.breathe()

    await house.ask(house.anna, "/points")
    await house.press(house.anna, "👛")
    for forged in ("chart:0:show", "history:0:0"):
        await house.forge(house.anna, forged)
        await house.breathe(3)

    assert not any("787" in said or "777" in said for said in house.heard())
    assert house.calls("sendPhoto") == []


# -- the chart --------------------------------------------------------------------------------


async def charted(house: House, person: Person) -> Message:
    """Asks for the chart and waits for the picture."""
    private = house.private(person)
    await house.ask(person, "/points", private)
    await house.press(person, "📈", house.telegram.last(private, buttons=True))
    await house.breathe()
    return house.telegram.last(private)


async def test_the_chart_is_a_picture_with_a_caption(house: House) -> None:
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9)})

    message = await charted(house, house.anna)

    assert message.photo
    assert image_size(message.photo.data) == (message.photo.width, message.photo.height)
    assert message.photo.width == 1080
    assert len(message.photo.data) < 300_000
    assert message.text == house.says("chart.caption", day="15 Jan 2027")


async def test_a_chart_asked_for_again_is_not_drawn_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    draw = charts.balances
    monkeypatch.setattr(charts, "balances", lambda *a, **k: drawn.append(a[1]) or draw(*a, **k))

    first = await charted(house, house.anna)
    again = await charted(house, house.anna)
    await grant(house, house.anna, 3)
    richer = await charted(house, house.anna)
    other = await charted(house, house.cem)

    pictures = [message.photo.data for message in (first, again, richer, other) if message.photo]
    assert len(pictures) == 4
    assert pictures[0] == pictures[1] != pictures[2]
    assert drawn == ["en", "en", "de"]


async def test_a_picture_that_cannot_be_drawn_is_told_and_logged(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    monkeypatch.setattr(charts, "balances", lambda *a, **k: 1 / 0)

    message = await charted(house, house.anna)

    assert not message.photo
    assert message.text == house.says("refused.broken")
    assert house.log.said("ERROR") == ["a picture could not be drawn"]


async def test_a_game_goes_on_while_a_picture_is_drawn(house: House) -> None:
    await house.begin(house.anna, house.ben)

    house.say(house.anna, "/points", house.private(house.anna))
    await house.breathe()
    panel = house.telegram.last(house.private(house.anna))
    house.telegram.press(house.anna, panel.chat, panel.id, "📈")
    toast = await house.throw(house.ben, "20", 9)

    assert "9" in toast


@pytest.fixture(scope="module")
def words() -> object:
    return all_words(Settings(_env_file=None))


def wandering(seed: int, number: int, days: int) -> Track:
    """A balance that goes up and down so many times in the last days."""
    draw = random.Random(seed)
    times = sorted(draw.randrange(NOW - days * DAY_S, NOW) for _ in range(number))
    held, balances = 10, []
    for _ in times:
        held = max(0, held + draw.choice((-9, -4, 5, 10)))
        balances.append(held)
    return Track(tuple(times), tuple(balances))


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize(
    "held",
    [
        {},
        {"coins": Track((NOW,), (10,))},
        {"coins": Track((NOW - 60, NOW + 60), (10, 0))},  # a clock that went back
        {
            "coins": wandering(1, 300, 40),
            "fifty": wandering(2, 50, 20),
            "zilch": Track((NOW,), (1,)),
        },
        {"coins": wandering(1, 600, 4000)},
        {
            "coins": Track((NOW - 400 * DAY_S, NOW), (10**15, 10**14)),
            "yahtzee": Track((NOW,), (3,)),
        },
    ],
    ids=["nothing", "new", "back", "month", "years", "rich"],
)
@pytest.mark.filterwarnings("error")
def test_whatever_somebody_holds_can_be_drawn(
    words: charts.Words, language: str, held: dict[str, Track]
) -> None:
    png = charts.balances(words, language, tracks=held, zone=BERLIN, now=NOW)

    size = image_size(png)
    assert size
    assert size[0] == 1080
    assert 600 <= size[1] <= 1600


@pytest.mark.parametrize("days", [1, 2, 90])
@pytest.mark.filterwarnings("error")
def test_the_supply_can_be_drawn(words: charts.Words, days: int) -> None:
    held = {kind: tuple(range(days)) for kind in charts.SUPPLY}
    ends = tuple(NOW - (days - 1 - n) * DAY_S for n in range(days))

    png = charts.supply(words, "de", places=Places(ends, held), zone=BERLIN)

    assert image_size(png)


@pytest.mark.parametrize(
    "seconds", [3600, 5 * 3600, DAY_S, 3 * DAY_S, 9 * DAY_S, 40 * DAY_S, 150 * DAY_S, 400 * DAY_S,
                3000 * DAY_S, 9000 * DAY_S]
)  # fmt: skip
@pytest.mark.parametrize("shift", [0, 777_777, 20_000_000])
def test_every_time_axis_has_two_to_four_labels_of_the_wall_clock(seconds: int, shift: int) -> None:
    start = NOW + shift - seconds

    form, ticks = charts._ticks(start, start + seconds, BERLIN)

    assert 1 <= len(ticks) <= 4
    assert all(start < tick.timestamp() < start + seconds for tick in ticks)
    assert all(tick.second == 0 for tick in ticks)
    assert form == "Hm" or all(tick.hour == 0 for tick in ticks)


# -- where it comes from ----------------------------------------------------------------------


@pytest.fixture
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    """Of a SQLite file, or as a test says of PostgreSQL."""
    url = f"sqlite:///{tmp_path}/points.db"
    if getattr(request, "param", "") == "postgres":
        url = request.getfixturevalue("postgres")
    db = open_database(Settings(_env_file=None, database=url))
    if not is_sqlite(db):
        empty(db)
    yield Ledger(db)
    shut(db)


on_both = pytest.mark.parametrize("ledger", ["sqlite", "postgres"], indirect=True)


@on_both
def test_a_track_is_what_was_held_after_each_booking(ledger: Ledger) -> None:
    for n, coins in enumerate((10, 5, -3)):
        postings = {mint(): -coins, wallet(1): coins}
        ledger.book(f"k{n}", "grant", postings, at=NOW + n * 100)
    ledger.book("p", "game", {mint("fifty"): -2, wallet(1, "fifty"): 2}, at=NOW + 50)

    found = tracks.tracks(ledger.db, "wallet", "1")

    assert found == {
        "coins": Track((NOW, NOW + 100, NOW + 200), (10, 15, 12)),
        "fifty": Track((NOW + 50,), (2,)),
    }
    assert tracks.tracks(ledger.db, "wallet", "2") == {}


@on_both
def test_a_long_track_is_thinned_out_and_still_exact(ledger: Ledger) -> None:
    draw, held, true = random.Random(7), 0, {}
    with ledger.db.atomic():
        for n in range(3000):
            change = draw.choice((3, 2, -2)) if held > 2 else 5
            at = NOW + n * 1000 + draw.randrange(900)
            ledger.book(f"k{n}", "grant", {mint(): -change, wallet(1): change}, at=at)
            held += change
            true[at] = held

    track = tracks.tracks(ledger.db, "wallet", "1")["coins"]

    assert 300 <= len(track.times) <= tracks.MOST_POINTS + 1
    assert all(true[at] == balance for at, balance in zip(track.times, track.held, strict=True))
    assert track.held[-1] == held


@on_both
def test_a_new_booking_changes_what_a_chart_is_known_by(ledger: Ledger) -> None:
    before = tracks.newest(ledger.db, "wallet", "1")
    ledger.book("a", "grant", {mint(): -1, wallet(1): 1}, at=NOW)
    mine = tracks.newest(ledger.db, "wallet", "1")
    ledger.book("b", "grant", {mint(): -1, wallet(2): 1}, at=NOW)

    assert before == 0
    assert 0 < mine == tracks.newest(ledger.db, "wallet", "1")


@on_both
def test_the_supply_by_place_and_day_of_the_wall_clock(ledger: Ledger) -> None:
    midnight = NOW - 9 * 3600  # of the 15th in Berlin
    moves = [
        (midnight - 30 * 3600, {mint(): -100, wallet(1): 100}),
        (midnight - 1, {wallet(1): -30, escrow("g"): 30}),
        (midnight, {escrow("g"): -30, wallet(2): 10, jackpot(-5): 15, fund(): 5}),
        (midnight - 5 * DAY_S, {mint("fifty"): -9, wallet(1, "fifty"): 9}),
    ]
    for n, (at, postings) in enumerate(moves):
        ledger.book(f"m{n}", "test", postings, at=at)

    found = tracks.places(ledger.db, NOW, BERLIN, days=4)

    assert found.ends == (midnight - 2 * DAY_S, midnight - DAY_S, midnight, NOW)
    assert found.held == {
        "wallet": (0, 100, 70, 80),
        "escrow": (0, 0, 30, 0),
        "jackpot": (0, 0, 0, 15),
        "fund": (0, 0, 0, 5),
    }


def test_a_rank_among_a_hundred_thousand_wallets_is_found_at_once(ledger: Ledger) -> None:
    connection: sqlite3.Connection = ledger.db.connection()
    with ledger.db.atomic():
        connection.executemany(
            "INSERT INTO accounts (kind, ref, currency, balance) VALUES ('wallet', ?, 'coins', ?)",
            ((str(n), n) for n in range(100_000)),
        )

    assert tracks.rank(ledger.db, "coins", 99_000) == (1000, 99_999)


async def test_a_game_played_alone_is_no_win(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/farkle20", private)
    assert house.bot
    play, game_id = house.bot.hall.play.move, house.table(private).id
    for _ in range(20):  # every die shows 1
        for move in ("roll", "111111 bank"):
            await do(house, partial(play, game_id, 0, move, int(now())))
    await house.breathe(3)

    profile = await house.ask(house.anna, "/whois", private)

    assert house.says("whois.games", n=1) in profile
    assert house.says("whois.wins", n=0) in profile
