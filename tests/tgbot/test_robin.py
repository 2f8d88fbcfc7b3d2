"""RULES 6 over the real bot: Robin Hood comes to free games, and nobody can see him coming."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import furnish, order, tap
from tgbot.soak.virtual import now

DAY_S = 24 * 3600


def held(house: House, kind: str) -> int:
    rows = house.sql(
        "SELECT sum(balance) FROM accounts WHERE kind = ? AND currency = 'coins'", kind
    )
    return int(rows[0][0] or 0)


def status(house: House) -> str:
    return str(house.sql("SELECT status FROM robin_rounds ORDER BY id DESC LIMIT 1")[0][0])


async def test_6_a_round_is_revealed_when_the_lobby_closes_and_not_before(house: House) -> None:
    people = await furnish(house)
    await order(house)

    await house.open(*people[:3], start=False)
    lobby = house.board().text
    await house.press(house.anna, "▶️")
    await house.breathe(2)

    assert "Robin" not in lobby
    assert "🏹" in house.board().text
    assert "30 Knuddels" in house.board().text
    assert (held(house, "fund"), held(house, "escrow")) == (70, 30)


async def test_6_he_does_not_come_to_a_practice_however_few_players_he_asks_for(
    house: House,
) -> None:
    house.settings.robin_players = 1
    people = await furnish(house)
    await order(house)

    await house.open(people[0], kind="zilch", start=False)
    await tap(house, people[0], "james", "start")
    await house.breathe(2)

    assert house.sql("SELECT james, robin FROM games WHERE status = 'running'") == [(2, 0)]
    assert (status(house), held(house, "escrow")) == ("waiting", 0)
    await house.leave(people[0])
    assert house.table().status == "over"


async def test_6_its_coins_are_split_as_a_pot_and_the_game_stays_free(house: House) -> None:
    people = await furnish(house)
    await order(house)

    await house.game({people[0]: (2, 3, 9), people[1]: (2, 3, 8), people[2]: (2, 3, 7)})

    assert [house.coins(person) for person in people[:3]] == [10 + 15, 10 + 9, 10 + 6]
    assert status(house) == "given"
    assert house.sql("SELECT * FROM bests") == []
    assert held(house, "jackpot") == 0
    assert house.audit().problems == ()


async def test_6_what_nobody_can_claim_goes_back_to_the_fund(house: House) -> None:
    people = await furnish(house)
    await order(house)

    await house.game(dict.fromkeys(people[:3], (20,)))  # all over the limit of 15

    assert held(house, "fund") == 100
    assert held(house, "jackpot") == 0
    assert house.audit().problems == ()


async def test_6_two_players_are_too_few_for_a_round(house: House) -> None:
    people = await furnish(house)
    await order(house)

    await house.open(*people[:2])

    assert status(house) == "waiting"
    assert held(house, "fund") == 100


async def test_6_a_staked_game_gets_none(house: House) -> None:
    people = await furnish(house)
    await order(house)
    await house.stake(1)

    await house.open(*people[:3])

    assert status(house) == "waiting"
    assert held(house, "fund") == 100


async def test_6_a_stopped_game_returns_the_round_which_is_drawn_again(house: House) -> None:
    people = await furnish(house)
    await order(house)
    await house.open(*people[:3])

    for person in people[:3]:  # the pot holds Knuddels, so everybody has to agree
        house.say(person, "/stop")
        await house.breathe(2)
    await house.look()

    assert held(house, "fund") == 100
    assert held(house, "escrow") == 0
    assert status(house) in ("planned", "waiting")
    assert house.audit().problems == ()


async def test_6_a_chat_needs_five_people_who_played_there_most(house: House) -> None:
    people = await furnish(house)
    robin = house.bot.hall.settling.robin
    clerk = house.bot.clerk
    at = int(now())
    assert await clerk.run(lambda: robin.eligible(at)) == [str(house.group.id)]

    other = house.telegram.group("Other", *people)
    await house.breathe(2)
    house.group, home = other, house.group
    for _ in range(2):
        await house.game({people[0]: (2, 3, 9), people[1]: (2, 3, 8)})
    house.group = home

    at = int(now())
    assert await clerk.run(lambda: robin.eligible(at)) == []


@pytest.mark.parametrize("change", ["stake", "bar", "later"])
async def test_6_free_for_a_week_and_not_barred(house: House, change: str) -> None:
    await furnish(house)
    robin = house.bot.hall.settling.robin
    clerk = house.bot.clerk

    if change == "stake":
        await house.stake(1)
        await house.stake(0)
    elif change == "bar":
        await clerk.run(lambda: robin.bar(house.group.id, True))
    else:
        await house.breathe(8 * DAY_S)

    at = int(now())
    assert await clerk.run(lambda: robin.eligible(at)) == []


async def test_6_the_schedule_draws_each_day_anew_and_survives_a_restart(house: House) -> None:
    robin = house.bot.hall.settling.robin
    plan = replace(robin.robin_hood.plan(), rounds=3, coins=5, first_hour=10, last_hour=22)
    at = int(now())
    await house.bot.clerk.run(lambda: robin.schedule(plan, at))
    today = house.sql("SELECT planned_at FROM robin_rounds ORDER BY id")
    await house.stop()
    await house.start()
    assert house.sql("SELECT planned_at FROM robin_rounds ORDER BY id") == today

    await house.breathe(2 * DAY_S)

    planned = [row[0] for row in house.sql("SELECT planned_at FROM robin_rounds ORDER BY id")]
    assert len(planned) == 9
    times = [datetime.fromtimestamp(at, house.settings.zone) for at in planned]
    assert all(10 <= time.hour < 22 for time in times)
    assert len({time.time() for time in times}) == 9


async def test_6_the_levy_of_a_staked_pot_goes_to_the_fund(house: House) -> None:
    house.settings.levy = 10
    await house.stake(5)

    await house.game({house.anna: (2, 3, 9), house.ben: (2, 3, 8), house.cem: (2, 3, 7)})

    assert held(house, "fund") == 1  # a tenth of 15, rounded down
    coins = [house.coins(p) for p in (house.anna, house.ben, house.cem)]
    assert coins == [5 + 8, 5 + 4, 5 + 2]
    assert house.audit().problems == ()


async def test_6_no_levy_is_taken_from_stakes_that_go_back(house: House) -> None:
    house.settings.levy = 50
    for person in (house.anna, house.ben):
        house.say(person, "/start", house.private(person))
    await house.stake(10)
    await house.open(house.anna, house.ben, kind="farkle20")

    for person in (house.anna, house.ben):
        await house.leave(person)
        await house.breathe(4)

    assert house.table().status == "over"
    assert [house.coins(p) for p in (house.anna, house.ben)] == [10, 10]
    assert held(house, "fund") == 0


async def test_6_the_operator_reads_who_got_what(house: House) -> None:
    people = await furnish(house)
    house.settings.operators = (house.anna.id,)
    await order(house)
    await house.game({people[0]: (2, 3, 9), people[1]: (2, 3, 8), people[2]: (2, 3, 7)})
    today = datetime.fromtimestamp(now(), house.settings.zone)
    at = f"{today.day} {today:%b}"

    await house.ask(house.anna, "/operator", house.private(house.anna))
    for label in ("🏹", "📜"):
        panel = house.telegram.last(house.private(house.anna), buttons=True)
        await house.press(house.anna, label, panel)
        await house.breathe()

    said = str(house.telegram.last(house.private(house.anna), buttons=True).text)
    assert f"#1 · {at}" in said
    assert "30 · given\nRound: Anna 15, Ben 9, Cem 6" in said
