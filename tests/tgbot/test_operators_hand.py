"""What an operator does is felt at once by a running bot: barring, draining, the nightly audit."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import Beside, do
from tgbot.database import open_database
from tgbot.hall.clock import LOOK_EVERY_S
from tgbot.hall.hall import open_hall
from tgbot.hall.store import Store
from tgbot.operator import actions
from tgbot.operator.backup import back_up
from tgbot.operator.nightly import next_night
from tgbot.playground import Person
from tgbot.soak.virtual import now

BERLIN = ZoneInfo("Europe/Berlin")
HOUR_S = 3600
DAY_S = 24 * HOUR_S


def bar(house: House, person: Person, reason: str = "x") -> None:
    with Beside(house) as beside:
        actions.bar(*beside, str(person.id), reason)


def damage(house: House, change: str) -> None:
    db = sqlite3.connect(house.settings.database.removeprefix("sqlite:///"), isolation_level=None)
    db.execute(change)
    db.close()


# -- barring ----------------------------------------------------------------------------------


async def test_a_barred_person_is_told_and_cannot_open_or_join(house: House) -> None:
    await house.open(house.anna, start=False)
    house.say(house.ben, "/whois")
    await house.breathe()
    bar(house, house.ben)

    told = house.says("refused.barred")

    async with house.nothing_written():
        assert await house.press(house.ben, "✅") == told
        assert await house.ask(house.ben, "/d +") == told
        assert await house.ask(house.ben, "/join") == told
    assert [person.name for person in house.table().people] == ["Anna"]
    await house.breathe(95)  # the lobby is called off
    assert await house.ask(house.ben, "/fifty") == told
    assert house.table().status == "off"


async def test_who_is_barred_does_not_stop_the_game_they_opened(house: House) -> None:
    await house.begin(house.ben, house.anna, house.cem)
    bar(house, house.ben)
    await house.look()
    await house.breathe(3)

    async with house.nothing_written():
        assert await house.ask(house.ben, "/stop") == house.says("refused.barred")
    assert house.table().status == "running"


async def test_0_who_is_barred_is_out_of_a_running_game_as_if_they_had_left(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    bar(house, house.ben)
    await house.look()
    await house.breathe(3)
    board = house.board().text

    told = house.says("refused.barred")
    assert await house.press(house.ben, "d4") == told
    for pool in POOLS:
        for person, total in ((house.anna, 8), (house.cem, 9)):
            await house.score(person, pool, total)
        await house.breathe(5)

    assert house.says("fifty.line.gone", name="Ben") in board
    assert house.sql("SELECT move FROM moves WHERE seat = 1") == [("leave",)]
    assert house.table().status == "over"
    assert house.coins(house.ben) == 5
    assert house.held("escrow", house.table().id) == 0


async def test_0_who_is_barred_is_out_of_a_lobby_with_their_stake(house: House) -> None:
    await house.stake(5)
    await house.open(house.ben, house.anna, house.cem, start=False)
    bar(house, house.ben)
    await house.look()
    await house.breathe(3)

    assert (house.coins(house.ben), house.table().people) == (10, [house.anna, house.cem])
    assert "Ben" not in house.board().text


async def test_0_who_is_barred_after_their_last_turn_keeps_what_they_have(house: House) -> None:
    for person in (house.anna, house.ben):
        house.say(person, "/start", house.private(person))
    await house.open(house.ben, house.anna, kind="farkle20")
    assert house.bot
    game_id = house.table().id
    play = partial(house.bot.hall.play.move, game_id, now=int(now()))
    for _ in range(20):  # every die shows 1
        await do(house, lambda: play(seat=0, move="roll"))
        await do(house, lambda: play(seat=0, move="111111 bank"))
    bar(house, house.ben)
    await house.leave(house.anna, house.private(house.anna))
    await house.breathe(3)

    assert house.table().status == "over"
    assert house.sql("SELECT place FROM seats WHERE user_id = ?", house.ben.id) == [(1,)]


async def test_somebody_let_in_again_plays_at_once(house: House) -> None:
    await house.open(house.anna, start=False)
    await house.press(house.ben, "✅")
    bar(house, house.ben)
    assert await house.press(house.ben, "▶️") == house.says("refused.barred")

    with Beside(house) as (_, people):
        actions.unbar(people, str(house.ben.id))

    assert await house.press(house.ben, "▶️") != house.says("refused.barred")


# -- erasing ----------------------------------------------------------------------------------


async def test_an_erased_person_who_comes_back_is_shown_without_a_name(house: House) -> None:
    house.say(house.ben, "/points", house.private(house.ben))
    await house.breathe()
    assert house.coins(house.ben) == house.settings.welcome_gift
    with Beside(house) as (_, people):
        actions.erase(people, str(house.ben.id))
    assert house.coins(house.ben) == 0

    await house.open(house.anna, house.ben, start=False)
    await house.breathe()

    nameless = f"#{house.ben.id % 10000:04d}"
    assert nameless in house.board().text
    assert "Ben" not in house.board().text
    assert house.coins(house.ben) == 0
    assert house.sql("SELECT name FROM people WHERE user_id = ?", house.ben.id) == [(nameless,)]


# -- cancelling -------------------------------------------------------------------------------


async def test_a_running_bot_shows_that_a_game_was_cancelled_beside_it(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    game = house.table().id
    db = open_database(house.settings)
    with db.atomic():
        actions.cancel(open_hall(db, house.settings)[0], game, "it hangs", now=int(now()))
    db.close()
    assert house.coins(house.anna) == house.coins(house.ben) == 10

    await house.breathe(LOOK_EVERY_S + 5)

    assert house.says("stop.why_operator") in house.board().text
    assert house.sql("SELECT count(*) FROM due WHERE kind = 'game'") == [(0,)]
    await house.open(house.anna, start=False)  # there is room for the next one
    assert house.table().id != game


# -- draining ---------------------------------------------------------------------------------


async def test_drained_no_lobby_opens_and_the_games_there_are_go_on(house: House) -> None:
    await house.open(house.anna, start=False)
    with Beside(house) as (_, people):
        assert actions.drain(Store(people.db, "en"), on=True) == 1

    # The lobby that is open still takes people and starts.
    await house.press(house.ben, "✅")
    house.limits(15, 22, 13)
    await house.press(house.anna, "▶️")
    for number, pool in enumerate(POOLS):
        await house.breathe()
        assert house.table().status == "running"
        await house.score(house.anna, pool, 10 + number)
        await house.score(house.ben, pool, 9 + number)
    await house.breathe(3)
    assert house.table().status == "over"

    told = house.says("refused.draining")
    assert await house.ask(house.ben, "/fifty") == told
    assert await house.press(house.ben, "🔁") == told
    private = house.private(house.ben)
    assert await house.ask(house.ben, "/farkle20", private) == told

    with Beside(house) as (_, people):
        assert actions.drain(Store(people.db, "en"), on=False) == 0
    await house.open(house.anna, house.ben)
    assert house.table().status == "running"


async def test_draining_outlives_a_restart_and_is_logged(house: House) -> None:
    with Beside(house) as (_, people):
        actions.drain(Store(people.db, "en"), on=True)
    await house.stop()
    await house.start()

    assert await house.ask(house.ben, "/fifty") == house.says("refused.draining")
    assert any("draining" in line for line in house.log.said("WARNING"))


# -- a backup beside the game -----------------------------------------------------------------


async def test_a_backup_in_the_middle_of_a_game_is_sound(house: House, tmp_path: Path) -> None:
    await house.stake(5)
    await house.open(house.anna, house.ben)

    made = await asyncio.to_thread(back_up, house.settings, tmp_path / "copy.db")

    db = sqlite3.connect(made.file)
    assert db.execute("SELECT status FROM games").fetchall() == [("running",)]
    escrow = "SELECT sum(balance) FROM accounts WHERE kind = 'escrow'"
    assert db.execute(escrow).fetchall() == [(10,)]
    db.close()


# -- at night ---------------------------------------------------------------------------------


async def night(house: House) -> None:
    """The next night comes and goes. The bot is down until shortly before: polling takes time."""
    await house.away(next_night(now(), 4, BERLIN) - now() - 30)
    await house.breathe(60)


def heard(house: House, person: Person) -> str:
    return "\n".join(house.heard(house.private(person)))


async def operated(house: House) -> None:
    """Anna and Ben are the operators; both know the bot."""
    await house.stop()
    operators = (house.anna.id, house.ben.id)
    house.settings = house.settings.model_copy(update={"operators": operators})
    await house.start()
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    await house.breathe()


async def test_the_audit_is_due_at_four_in_the_night_and_again_the_next(house: House) -> None:
    assert house.sql("SELECT at FROM due WHERE kind = 'audit'") == [
        (int(datetime(2027, 1, 16, 4, tzinfo=BERLIN).timestamp()),)
    ]
    await night(house)
    assert house.sql("SELECT at FROM due WHERE kind = 'audit'") == [
        (int(datetime(2027, 1, 17, 4, tzinfo=BERLIN).timestamp()),)
    ]
    audited = int(house.sql("SELECT value FROM facts WHERE name = 'audit'")[0][0].split()[1])
    assert datetime.fromtimestamp(audited, BERLIN).hour == 4
    assert house.bot
    assert house.bot.nightly.problems == ()


async def test_a_clean_audit_tells_operators_the_digest_of_what_is_new(house: House) -> None:
    await operated(house)
    before = heard(house, house.anna)
    await night(house)

    said = heard(house, house.anna).removeprefix(before)
    assert "books are in order" in said
    [digest] = house.sql("SELECT digest FROM nights")
    assert f"dicehall audit --digest {digest[0][:12]}" in said
    assert "in order" not in heard(house, house.cem)
    await night(house)  # nothing new, nothing told
    assert heard(house, house.anna) == before + said


async def test_an_audit_that_fails_is_told_to_every_operator_and_to_the_log(house: House) -> None:
    await operated(house)
    damage(house, "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'")
    house.excused |= {"errors"}

    await night(house)

    for person in (house.anna, house.ben):
        said = heard(house, person)
        assert "The books don’t add up" in said
        assert f"wallet {person.id} coins holds" in said
        assert said.count("The nightly audit found") == 1
    assert "don’t add up" not in heard(house, house.cem)
    assert house.log.said("ERROR") == ["the nightly audit failed"]
    assert house.sql("SELECT value FROM facts WHERE name = 'audit'")[0][0].startswith("4 ")
    # It is told again every night until somebody sees to it.
    await night(house)
    assert heard(house, house.anna).count("The nightly audit found") == 2
    damage(house, "UPDATE accounts SET balance = balance - 1 WHERE kind = 'wallet'")
    await night(house)
    assert heard(house, house.anna).count("The nightly audit found") == 2
    assert house.sql("SELECT value FROM facts WHERE name = 'audit'")[0][0].startswith("0 ")


async def test_an_operator_the_bot_may_not_write_to_keeps_nobody_else_from_it(
    house: House,
) -> None:
    await house.stop()
    stranger = house.telegram.person("Stranger")
    operators = (stranger.id, house.anna.id)
    house.settings = house.settings.model_copy(update={"operators": operators})
    await house.start()
    house.say(house.anna, "/start", house.private(house.anna))
    await house.breathe()
    damage(house, "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'")
    house.excused |= {"errors", "refusals"}

    await night(house)

    assert "don’t add up" in heard(house, house.anna)
    damage(house, "UPDATE accounts SET balance = balance - 1 WHERE kind = 'wallet'")


async def test_the_operator_is_told_in_their_language(house: House) -> None:
    await house.stop()
    house.settings = house.settings.model_copy(update={"operators": (house.cem.id,)})
    await house.start()
    house.say(house.cem, "/start", house.private(house.cem))
    await house.breathe()
    damage(house, "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'")
    house.excused |= {"errors"}

    await night(house)

    assert "Die Bücher stimmen nicht" in heard(house, house.cem)
    damage(house, "UPDATE accounts SET balance = balance - 1 WHERE kind = 'wallet'")


async def test_a_night_that_was_missed_is_made_up_for_once(house: House) -> None:
    await house.away(3 * DAY_S)
    await house.breathe(60)

    audited = int(house.sql("SELECT value FROM facts WHERE name = 'audit'")[0][0].split()[1])
    assert now() - 120 < audited <= now()
    [(due,)] = house.sql("SELECT at FROM due WHERE kind = 'audit'")
    assert due == next_night(now(), 4, BERLIN)


async def test_at_night_what_nobody_waits_for_is_forgotten(house: House) -> None:
    house.say(house.anna, "/points", house.private(house.anna))
    await house.breathe()
    began = int(now())
    damage(house, f"INSERT INTO wishes VALUES (1, 'sign', 'old', {began - 2 * DAY_S})")
    damage(house, f"INSERT INTO wishes VALUES (2, 'sign', 'new', {began})")

    await night(house)

    assert house.sql("SELECT ref FROM wishes") == [("new",)]


@pytest.mark.parametrize(
    ("at", "hour", "next_at"),
    [
        ("2027-01-15 03:59", 4, "2027-01-15 04:00"),
        ("2027-01-15 04:00", 4, "2027-01-16 04:00"),
        ("2026-12-31 23:30", 0, "2027-01-01 00:00"),
        # The clock jumps from two to three, and back.
        ("2027-03-27 12:00", 2, "2027-03-28 03:00"),
        ("2027-03-28 12:00", 2, "2027-03-29 02:00"),
        ("2027-10-30 12:00", 2, "2027-10-31 02:00"),
        ("2027-10-31 12:00", 2, "2027-11-01 02:00"),
    ],
)
def test_the_next_night_is_on_the_wall_clock(at: str, hour: int, next_at: str) -> None:
    def seconds(wall: str) -> int:
        return int(datetime.fromisoformat(wall).replace(tzinfo=BERLIN).timestamp())

    assert next_night(seconds(at), hour, BERLIN) == seconds(next_at)


@pytest.mark.parametrize("hour", [2, 4])
def test_a_year_of_nights_has_one_audit_a_day(hour: int) -> None:
    at = int(datetime(2027, 1, 1, tzinfo=BERLIN).timestamp())
    nights = []
    while (at := next_night(at, hour, BERLIN)) < datetime(2028, 1, 1, tzinfo=BERLIN).timestamp():
        nights.append(datetime.fromtimestamp(at, BERLIN).date())
    assert len(nights) == len(set(nights)) == 365
    assert datetime.fromtimestamp(at, UTC)
