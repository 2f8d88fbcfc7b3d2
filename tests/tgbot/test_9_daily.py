"""RULES 9: one attempt a day with everybody's dice, where it puts one, and the morning after."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from peewee import SqliteDatabase

from economy.best_lists import bounds
from games.checking import check
from games.fairness import Stream
from games.proof import read
from games.yahtzee.boxes import BOXES
from tests.tgbot.house import House
from tests.tgbot.playing import Beside, codes, do, labels
from tgbot.hall.chance import Chance
from tgbot.hall.daily.days import AHEAD, Days, later
from tgbot.hall.sealing import Sealing
from tgbot.operator import actions
from tgbot.playground import Message, Person
from tgbot.soak.virtual import now

ZONE = ZoneInfo("Europe/Berlin")
DAY, NEXT = "2027-01-15", "2027-01-16"
MINUTE_S = 60


def stream(house: House) -> None:
    """The dice are those of the seal, as people get them."""
    assert house.bot
    house.bot.hall.chance.stream = Stream


def board(house: House, person: Person) -> Message:
    return house.telegram.last(house.private(person), buttons=True)


async def begin(house: House, person: Person) -> str:
    """Somebody begins the daily; answers its game."""
    house.say(person, "/daily", house.private(person))
    await house.breathe(2)
    return game_of(house, person)


def game_of(house: House, person: Person, day: str = DAY) -> str:
    ((game,),) = house.sql(
        "SELECT game_id FROM attempts WHERE day = ? AND user_id = ?", day, person.id
    )
    return str(game)


async def score(house: House, game: str, *boxes: str) -> None:
    """So many turns of one throw each."""
    assert house.bot
    for box in boxes:
        for move in ("roll", f"score {box}"):
            await do(house, partial(house.bot.hall.play.move, game, 0, move, int(now())))


async def through(house: House, person: Person, boxes: tuple[str, ...] = BOXES) -> str:
    """A whole attempt whose last box is pressed."""
    game = await begin(house, person)
    await score(house, game, *boxes[:-1])
    await house.breathe(2)
    await house.press(person, "🎲", board(house, person))
    await house.breathe(2)
    await house.forge(person, f"{game}:{rev(house, game)}:{boxes[-1]}", board(house, person))
    await house.breathe(2)
    return game


def rev(house: House, game: str) -> int:
    assert house.bot
    return int(house.bot.hall.tables.seen[game].phase(0).rev)


async def midnight(house: House, seconds: float = 10) -> None:
    """The clock on the wall comes to the end of the day, and a little further."""
    await house.breathe(bounds("day", now(), ZONE)[1] - now() + seconds)
    await house.look()


def moves(house: House, game: str) -> list[tuple[str, str]]:
    return house.sql("SELECT move, dice FROM moves WHERE game_id = ? ORDER BY n", game)


async def test_9_everybody_gets_the_same_dice_and_one_attempt_that_waits(house: House) -> None:
    stream(house)
    anna = await begin(house, house.anna)
    first = board(house, house.anna)
    ((seal,),) = house.sql("SELECT seal FROM days WHERE day = ?", DAY)
    ((tomorrow,),) = house.sql("SELECT seal FROM days WHERE day = ?", NEXT)
    assert seal in first.text
    assert tomorrow in first.text
    assert labels(first) == ["🎲 Roll 5"]

    for _ in range(2):  # twice, or on two devices, is once
        await house.forge(house.anna, f"{anna}:1:roll", first)
    await score(house, ben := await begin(house, house.ben), "chance")
    assert moves(house, anna)[0] == moves(house, ben)[0]
    assert len(moves(house, anna)) == 1
    assert await house.forge(house.anna, f"{anna}:2:hint", first) == house.says("hint.off")

    # Neither a restart nor leaving nor another game takes it away.
    await house.away(3600)
    stream(house)
    chat = house.private(house.anna)
    for words in ("/leave", "/stop"):
        assert await house.ask(house.anna, words, chat) == house.says("daily.stays")
    ((row,),) = house.sql("SELECT id FROM seats WHERE game_id = ?", anna)
    assert await house.forge(house.anna, f"{anna}:0:quit {row}", first) == house.says("daily.stays")
    # Nor is it a way to play alone what enters a list.
    assert await house.forge(house.anna, f"{anna}:0:again", first) == house.says("refused.stale")
    await house.ask(house.anna, "/farkle20", chat)
    assert "turn 1/20" in house.telegram.last(chat).text
    await begin(house, house.anna)
    again = board(house, house.anna)
    assert again.id > first.id
    assert "Turn 1 of 15" in again.text
    assert house.says("yahtzee.alone.turn", turn=1, of=15, total=0) in again.text
    assert game_of(house, house.anna) == anna


async def test_9_until_midnight_totals_only_then_rankings_james_proof_and_analysis(
    house: House, tables: object
) -> None:
    stream(house)
    for person in (house.anna, house.ben):
        house.say(person, "/daily")  # in the group: who asks there is seen there
    await house.breathe(2)
    there = house.telegram.last(house.group, buttons=True)
    anna = await through(house, house.anna)
    ben = await through(house, house.ben, BOXES[::-1])
    total = dict(house.sql("SELECT user_id, total FROM attempts"))
    await house.press(house.anna, "🔄", board(house, house.anna))
    await house.breathe()

    told = board(house, house.anna)
    place = 1 if total[house.anna.id] > total[house.ben.id] else 2
    assert house.says("daily.total", total=total[house.anna.id]) in told.text
    assert house.says("daily.world", place=place, of=2) in told.text
    assert house.says("daily.group", group="Round", place=place, of=2) in told.text
    assert sum(told.text.count(square) for square in "⬜🟨🟩🟦") == 15
    # Nobody learns of dice, or of what was better, while others play.
    chat = house.private(house.anna)
    assert await house.press(house.anna, "🔔", told) == house.says("daily.rings")
    assert await house.forge(house.anna, f"{anna}:0:analysis", told) == house.says("daily.not_yet")
    assert not house.telegram.last(chat).document
    verified = await house.forge(house.anna, f"{anna}:0:verify", told)
    assert verified.startswith("Not before midnight")
    assert {*house.sql("SELECT secret FROM games UNION SELECT secret FROM days")} == {(b"",)}
    card = await shared(house, house.anna)
    assert card.photo
    assert house.says("daily.world", place=place, of=2) in card.text

    await midnight(house, 60)
    assert house.telegram.last(chat).id == card.id  # nobody is woken at night
    await house.breathe(8 * 3600)

    news = house.telegram.last(chat).text
    ((best,),) = house.sql("SELECT best FROM days WHERE day = ?", DAY)
    ((loss,),) = house.sql("SELECT loss FROM attempts WHERE game_id = ?", anna)
    assert best > 150
    assert loss > 0
    assert f"James got {best} out of these dice" in news
    assert house.says("daily.mine") in labels(house.telegram.last(chat))
    assert house.telegram.last(house.private(house.ben)).text != news
    count = len(house.telegram.messages(chat))
    await house.away(3600)
    assert len(house.telegram.messages(chat)) == count  # told once

    await house.forge(house.anna, f"daily:0:day {DAY}", told)
    await house.breathe()
    over = seen(house, house.anna, told)
    assert house.says("daily.james", best=best) in over.text
    await house.forge(house.anna, f"daily:0:choices {DAY}", over)
    await house.breathe()
    ranked = seen(house, house.anna, told)
    first, second = sorted(house.sql("SELECT loss, user_id FROM attempts"))
    assert f"1. {house.telegram.people[first[1]].first_name}" in ranked.text
    assert f"2. {house.telegram.people[second[1]].first_name}" in ranked.text

    await house.forge(house.anna, f"daily:0:choices {DAY}", there)
    await house.breathe()
    assert (
        f"1. {house.telegram.people[first[1]].first_name}"
        in house.telegram.last(house.group, buttons=True).text
    )

    await house.forge(house.anna, f"{anna}:0:verify", over)
    await house.breathe(3)
    sent = house.telegram.last(chat).document
    assert sent
    proof = read(sent.data)
    assert proof.game == f"daily-{DAY}"
    assert check(proof).right
    assert check(proof).outcome
    await house.forge(house.anna, f"{anna}:0:analysis", over)
    await house.breathe(5)
    assert f"Your game: {total[house.anna.id]} = " in house.telegram.last(chat).text
    assert ben != anna


def seen(house: House, person: Person, message: Message) -> Message:
    """A private message as it is now."""
    messages = house.telegram.messages(house.private(person))
    return next(it for it in messages if it.id == message.id)


async def shared(house: House, person: Person) -> Message:
    """The card somebody passes on."""
    await house.press(person, "🖼", board(house, person))
    await house.breathe(5)
    return house.telegram.last(house.private(person))


async def test_9_unfinished_at_midnight_stays_as_it_stands_and_the_next_day_is_another(
    house: House,
) -> None:
    game = await begin(house, house.anna)
    house.rolls = [6, 6, 6, 6, 6, 1, 2, 3, 4, 5]
    await score(house, game, "sixes", "chance")
    points = house.points(house.anna), house.coins(house.anna)

    await midnight(house)

    assert house.sql("SELECT done, total, levels, streak, loss FROM attempts") == [
        (1, 45, "31", 1, -2)
    ]
    assert house.sql("SELECT status FROM games") == [("over",)]
    assert (house.points(house.anna), house.coins(house.anna)) == points
    assert house.sql("SELECT * FROM bests") == []
    assert house.sql("SELECT * FROM faces") == []
    chat = house.private(house.anna)
    stand = house.telegram.last(chat, buttons=True)
    await house.press(house.anna, house.says("daily.stand"), stand)
    await house.breathe()
    assert house.says("daily.unfinished", n=2) in house.telegram.last(chat).text
    assert "🔥" not in house.telegram.last(chat).text  # a single day is no streak

    second = await begin_on(house, house.anna, NEXT)
    await house.press(house.anna, house.says("daily.yesterday"), board(house, house.anna))
    await house.breathe()
    assert house.says("daily.unfinished", n=2) in house.telegram.last(chat).text
    await score(house, second, "ones")
    await house.away(30 * 3600)  # the bot is down when the day ends
    await house.look()
    rows = house.sql("SELECT day, done, streak FROM attempts ORDER BY day")
    assert rows == [(DAY, 1, 1), (NEXT, 1, 2)]
    await house.forge(house.anna, f"daily:0:day {NEXT}", board(house, house.anna))
    await house.breathe()
    assert house.says("daily.streak", n=2) in board(house, house.anna).text
    assert all(secret for (secret,) in house.sql("SELECT secret FROM days WHERE day <= ?", NEXT))


async def begin_on(house: House, person: Person, day: str) -> str:
    house.say(person, "/daily", house.private(person))
    await house.breathe(2)
    return game_of(house, person, day)


async def test_9_in_a_group_a_button_leads_to_ones_own_chat(house: House) -> None:
    house.say(house.anna, "/daily")
    await house.breathe(2)
    there = house.telegram.last(house.group, buttons=True)
    assert house.says("daily.nobody") in there.text

    await house.press(house.ben, "📅", there)
    assert house.telegram.toasts(house.ben)[-1].url == "https://t.me/dicehall_bot?start=daily"

    house.say(house.ben, "/start daily", house.private(house.ben))
    await house.breathe(2)
    assert "Turn 1 of 15" in board(house, house.ben).text
    await score(house, game_of(house, house.ben), *BOXES)
    house.say(house.ben, "/privacy", house.private(house.ben))
    await house.breathe()
    await house.forge(house.ben, "privacy:0:0", board(house, house.ben))

    await house.forge(house.anna, "daily:0:top", there)
    await house.breathe()
    # Ben is in no list outside the chats he has played in.
    assert "1. 🙈 · " in house.telegram.last(house.group, buttons=True).text
    assert "daily" in {code.split(":")[0] for code in codes(there)} or codes(there)


def test_9_a_day_ends_when_the_wall_says_so_also_where_the_clock_changes() -> None:
    days = Days(SqliteDatabase(None), Sealing(lambda: b""), Chance(), ZONE)
    hours = {day: days.ends(day) - days.starts(day) for day in ("2027-03-28", "2027-10-31", DAY)}

    assert hours == {"2027-03-28": 23 * 3600, "2027-10-31": 25 * 3600, DAY: 24 * 3600}
    for day in hours:
        assert days.today(days.starts(day)) == days.today(days.ends(day) - 1) == day
        assert days.today(days.ends(day)) == later(day)
    assert days.starts(NEXT, 8) - days.ends(DAY) == 8 * 3600


async def test_9_who_left_a_group_stands_in_its_ranking_no_more_till_they_come_back(
    house: House,
) -> None:
    await house.begin(house.ben, house.cem)
    for person in (house.ben, house.cem):
        await score(house, await begin(house, person), *BOXES)
    both = await house.ask(house.anna, "/daily")

    house.telegram.leave(house.group, house.ben)
    await house.breathe(2)
    assert house.bot
    house.bot.hall.dailies.attempts.remember_groups(house.ben.id)  # as at their next attempt
    without = await house.ask(house.anna, "/daily")
    house.telegram.join(house.group, house.ben)
    await house.breathe(2)
    house.bot.hall.dailies.attempts.remember_groups(house.ben.id)
    again = await house.ask(house.anna, "/daily")

    assert "Ben" in both
    assert "Cem" in both
    assert "Ben" not in without
    assert "1. Cem" in without
    assert "Ben" in again


async def test_9_who_is_erased_is_told_nothing_and_seen_in_no_group(house: House) -> None:
    house.say(house.anna, "/daily")
    await house.breathe()
    await through(house, house.anna)
    await house.press(house.anna, "🔔", board(house, house.anna))
    assert house.sql("SELECT bell FROM attempts") == [(1,)]
    assert house.sql("SELECT chat_id FROM peers WHERE user_id = ?", house.anna.id)

    with Beside(house) as (_, people):
        actions.erase(people, str(house.anna.id))

    assert house.sql("SELECT * FROM peers") == []
    assert house.sql("SELECT bell FROM attempts") == [(0,)]


async def test_9_a_key_that_was_changed_seals_the_day_anew(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await begin(house, house.anna)
    await house.stop()
    monkeypatch.setattr(
        type(house.settings), "dice_key", lambda self: b"another key of 32 bytes, or so.."
    )
    await house.start()

    again = await begin(house, house.anna)

    assert again != game
    assert house.sql("SELECT status FROM games WHERE id = ?", game) == [("void",)]
    assert house.sql("SELECT count(*) FROM attempts") == [(1,)]
    assert "Turn 1 of 15" in board(house, house.anna).text
    assert json.dumps(house.sql("SELECT day FROM days ORDER BY day LIMIT 1")) == f'[["{DAY}"]]'


async def test_9_a_day_that_is_over_is_proved_also_once_the_key_was_changed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream(house)
    await score(house, game := await begin(house, house.anna), "chance")
    await midnight(house)
    await house.stop()
    monkeypatch.setattr(
        type(house.settings), "dice_key", lambda self: b"another key of 32 bytes, or so.."
    )
    await house.start()

    house.say(house.anna, f"/verify {game}", house.private(house.anna))
    await house.breathe(2)

    sent = house.telegram.last(house.private(house.anna)).document
    assert sent
    assert check(read(sent.data)).right
    assert house.bot
    days = house.bot.hall.dailies.days
    _, anew = await house.bot.clerk.run(lambda: days.sealed(DAY, int(now())))
    assert not anew  # by a clock that was set back


async def test_9_days_are_sealed_before_they_begin_and_shown_though_nobody_plays(
    house: House,
) -> None:
    """From the first day a bot runs on, and for as long as it does."""
    for _ in range(AHEAD + 2):
        await midnight(house)
    today = later(DAY, AHEAD + 2)

    sealed = house.sql("SELECT day, sealed_at, length(secret) FROM days ORDER BY day")
    assert [day for day, _, _ in sealed[: AHEAD + 3]] == [later(DAY, n) for n in range(AHEAD + 3)]
    assert all(at < bounds("day", noon(day), ZONE)[0] for day, at, _ in sealed[1:])
    assert all(bool(over) == (day < today) for day, _, over in sealed)
    assert len([day for day, _, _ in sealed if day > today]) >= AHEAD
    assert house.sql("SELECT * FROM due WHERE kind = 'daily_james'") == []


def noon(day: str) -> float:
    return datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=ZONE).timestamp()


async def test_9_a_day_that_nobody_can_prove_any_more_is_void(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dice key is changed while the bot is down over midnight."""
    await score(house, game := await begin(house, house.anna), "chance")
    house.excused.add("a daily is void")
    await house.stop()
    monkeypatch.setattr(
        type(house.settings), "dice_key", lambda self: b"another key of 32 bytes, or so.."
    )
    await asyncio.sleep(bounds("day", now(), ZONE)[1] - now() + 10)
    await house.start()
    await house.look()

    assert house.sql("SELECT status FROM games WHERE id = ?", game) == [("void",)]
    assert house.sql("SELECT * FROM attempts") == []
    assert house.sql("SELECT ref FROM due WHERE kind LIKE 'daily%'") == [(NEXT,)]
    before = await house.ask(house.anna, "/daily", house.private(house.anna))
    assert "Turn 1 of 15" in before
