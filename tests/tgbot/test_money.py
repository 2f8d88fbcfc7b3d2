"""RULES 5, 1.5 and 0: where every Knuddel goes. The fixture audits the books after each test."""

from __future__ import annotations

import pytest

from games import registry
from tests.tgbot.house import POOLS, House

DAY_S = 24 * 3600


def bookings(house: House, reason: str) -> int:
    """How many bookings were made for a reason."""
    return int(house.sql("SELECT count(*) FROM bookings WHERE reason = ?", reason)[0][0])


def escrowed(house: House) -> int:
    """What all escrows hold together."""
    query = "SELECT coalesce(sum(balance), 0) FROM accounts WHERE kind = 'escrow'"
    return int(house.sql(query)[0][0])


# -- settlement --------------------------------------------------------------------------------


async def test_the_books_add_up_at_every_step_of_a_staked_game(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    steps = [house.audit()]
    for pool in POOLS:
        for person, total in ((house.anna, 10), (house.ben, 9), (house.cem, 8)):
            await house.score(person, pool, total)
            steps.append(house.audit())
        await house.breathe()

    assert house.table().status == "over"
    assert [step.problems for step in steps] == [()] * 10
    assert all(set(step.sums.values()) == {0} for step in steps)
    assert house.audit().sums == {"coins": 0, "fifty": 0}


@pytest.mark.parametrize(
    ("stake", "coins", "points"),
    [(5, (8, 4, 3), (4, 1, 1)), (10, (15, 9, 6), (4, 1, 1)), (1, (2, 1, 0), (4, 1, 1))],
)
async def test_three_players_split_50_30_20(
    house: House, stake: int, coins: tuple[int, ...], points: tuple[int, ...]
) -> None:
    await house.stake(stake)
    people = (house.anna, house.ben, house.cem)

    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (8, 8, 8)})

    assert tuple(house.coins(person) - 10 + stake for person in people) == coins
    assert tuple(house.points(person) for person in people) == points
    assert escrowed(house) == 0


@pytest.mark.parametrize(("stake", "coins"), [(2, (3, 1)), (10, (13, 7)), (1, (2, 0))])
async def test_two_players_split_5_to_3(house: House, stake: int, coins: tuple[int, ...]) -> None:
    await house.stake(stake)

    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9)})

    assert tuple(house.coins(p) - 10 + stake for p in (house.anna, house.ben)) == coins
    assert (house.points(house.anna), house.points(house.ben)) == (3, 1)


async def test_a_place_nobody_holds_goes_to_the_jackpot(house: House) -> None:
    await house.stake(10)

    await house.game({house.anna: (12, 12, 12), house.ben: (16,), house.cem: (16,)})

    assert house.coins(house.anna) == 15
    assert (house.jackpot(), house.jackpot("fifty")) == (15, 2)


async def test_a_free_game_moves_no_knuddel(house: House) -> None:
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (8, 8, 8)})

    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [10, 10, 10]
    assert [house.points(p) for p in (house.anna, house.ben, house.cem)] == [2, 1, 0]
    assert bookings(house, "stake") == 0


async def test_a_game_is_settled_in_one_booking(house: House) -> None:
    await house.stake(5)

    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (16,)})

    assert bookings(house, "game") == 1
    ((key,),) = house.sql("SELECT key FROM bookings WHERE reason = 'game'")
    assert key == f"settle:{house.table().id}"


async def test_points_come_from_their_mint_and_knuddels_from_the_players(house: House) -> None:
    await house.stake(5)

    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (8, 8, 8)})

    assert house.held("mint", currency="fifty") == -6
    assert house.held("mint") == -30


# -- leaving and stopping ----------------------------------------------------------------------


async def test_leaving_a_running_game_forfeits_the_stake_to_the_pot(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=10)

    await house.leave(house.cem)
    await house.breathe()
    for pool in POOLS:
        await house.score(house.anna, pool, 10)
        await house.score(house.ben, pool, 9)
        await house.breathe()

    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [15, 9, 0]
    assert house.jackpot() == 6


async def test_a_free_game_is_stopped_by_its_opener(house: House) -> None:
    house.say(house.ben, "/fifty")
    await house.breathe()
    for person in (house.ben, house.cem):
        await house.press(person, "✅")
    await house.press(house.ben, "▶️")
    await house.breathe(2)

    refused = await house.ask(house.cem, "/stop")
    house.say(house.ben, "/stop")
    await house.breathe(3)

    assert refused == house.says("refused.not_opener")
    assert house.table().status == "stopped"
    assert house.says("stop.free") in house.telegram.last(house.group).text


async def test_a_free_game_is_stopped_by_an_admin(house: House) -> None:
    house.telegram.promote(house.group, house.cem)
    await house.open(house.anna, house.ben)

    house.say(house.cem, "/stop")
    await house.breathe(3)

    assert house.table().status == "stopped"
    assert bookings(house, "game") == 0


async def test_nothing_of_a_stopped_game_is_recorded(house: House) -> None:
    await house.open(house.anna, house.ben)
    await house.score(house.anna, "4+20", 16)

    house.say(house.anna, "/stop")
    await house.breathe(3)

    assert house.sql("SELECT * FROM bests") == []
    assert house.sql("SELECT sum(place), sum(coins), sum(points) FROM seats") == [(0, 0, 0)]
    assert "1 game" not in await house.ask(house.anna, "/whois")


async def test_what_was_asked_about_a_game_loses_its_keys_with_it(house: House) -> None:
    await house.stake(5)
    await house.begin(house.anna, house.ben)
    questions = []
    for person, words in ((house.anna, "/stop"), (house.ben, "/leave"), (house.anna, "/leave")):
        house.say(person, words)
        await house.breathe(2)
        questions.append(house.board())
    await house.press(house.anna, "🚪", questions[2])
    await house.breathe(150)

    assert house.table().status == "over"
    assert all(question.buttons == [] for question in questions)
    assert house.says("stop.ask", votes=1, of=2) == questions[0].text


async def test_a_staked_game_stops_only_when_everyone_still_in_agrees(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    house.say(house.anna, "/stop")
    await house.breathe()
    vote = house.board()
    assert house.says("stop.ask", votes=1, of=3) in vote.text

    noted = await house.press(house.ben, "🛑", vote)
    await house.breathe(5)
    running = house.table().status
    done = await house.press(house.cem, "🛑", vote)
    await house.breathe(3)

    assert noted == house.says("stop.noted")
    assert running == "running"
    assert done == house.says("stop.done", "de")
    assert (vote.text, vote.buttons) == (house.says("stop.agreed"), [])
    assert house.table().status == "stopped"
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [10, 10, 10]


async def test_one_press_each_counts_once(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    house.say(house.anna, "/stop")
    await house.breathe()
    vote = house.board()

    for _ in range(3):
        await house.press(house.anna, "🛑", vote)
    await house.breathe()

    assert house.table().status == "running"
    assert len(house.sql("SELECT * FROM votes")) == 1


async def test_only_those_still_in_have_a_say_but_all_get_their_stake_back(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    await house.score(house.ben, "4+20", 16)
    await house.leave(house.cem)
    await house.breathe()

    refused = [await house.ask(person, "/stop") for person in (house.ben, house.cem)]
    house.say(house.anna, "/stop")
    await house.breathe(3)

    assert refused == [house.says("refused.not_in")] * 2
    assert house.table().status == "stopped"
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [10, 10, 10]


async def test_who_agreed_and_is_out_since_is_not_waited_for(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    house.say(house.anna, "/stop")
    await house.breathe()
    vote = house.board()
    await house.score(house.anna, "4+20", 16)

    for person in (house.ben, house.cem):
        await house.press(person, "🛑", vote)
    await house.breathe(3)

    assert house.table().status == "stopped"


async def test_an_outsider_cannot_stop_a_staked_game_admin_or_not(house: House) -> None:
    await house.stake(5)
    await house.ask(house.ben, "/fifty")
    for person in (house.ben, house.cem):
        await house.press(person, "✅")

    async with house.nothing_written():
        answer = await house.ask(house.anna, "/stop")

    assert answer == house.says("refused.not_in")


async def test_the_operator_stops_any_game(house: House) -> None:
    operator = house.telegram.person("Op")
    house.telegram.join(house.group, operator)
    house.settings.operators = (operator.id,)
    await house.begin(house.anna, house.ben, stake=5)

    house.say(operator, "/stop")
    await house.breathe(3)

    assert house.table().status == "stopped"
    assert [house.coins(p) for p in (house.anna, house.ben)] == [10, 10]


@pytest.mark.parametrize("kind", registry())
async def test_the_board_of_a_game_that_was_stopped_says_so(house: House, kind: str) -> None:
    house.excused.add("refusals")  # nobody has written to the bot, where a race would be played
    await house.open(house.anna, house.ben, kind=kind)
    last = house.telegram.last(house.group)

    house.say(house.anna, "/stop")
    await house.breathe(5)

    stopped = house.says("stop.title", icon="", game=house.says(f"{kind}.title"))
    assert last.text.endswith(stopped)
    assert "⏱" not in last.text
    assert last.buttons == []
    assert stopped in house.board().text


async def test_after_a_stop_the_secret_is_shown(house: House) -> None:
    await house.open(house.anna, house.ben)
    house.say(house.anna, "/stop")
    await house.breathe(3)

    answer = await house.ask(house.ben, "/verify")

    ((secret,),) = house.sql("SELECT lower(hex(secret)) FROM games")
    assert secret in answer


# -- chats that go -----------------------------------------------------------------------------


async def test_a_removed_bot_gives_every_stake_back(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    await house.leave(house.cem)
    await house.breathe()

    house.telegram.kick(house.group)
    await house.breathe()

    assert house.table().status == "void"
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [10, 10, 10]
    assert escrowed(house) == 0


async def test_a_chat_that_removed_the_bot_plays_for_points_only_for_7_days(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    house.telegram.kick(house.group)
    await house.breathe()
    house.telegram.readd(house.group)
    await house.breathe()

    stakes = []
    for seconds in (0, 7 * DAY_S - 200, 200):
        await house.away(seconds)
        await house.ask(house.anna, "/fifty")
        stakes.append(house.table().stake)
        await house.breathe(100)

    assert stakes == [0, 0, 5]


@pytest.mark.parametrize("staked", [True, False])
async def test_removing_the_bot_outside_a_staked_game_costs_nothing(
    house: House, staked: bool
) -> None:
    if not staked:
        await house.open(house.anna, house.ben)
    house.telegram.kick(house.group)
    await house.breathe()
    house.telegram.readd(house.group)
    await house.stake(5)

    await house.ask(house.anna, "/fifty")

    assert house.table().stake == 5


# -- the fund ----------------------------------------------------------------------------------


async def test_a_jackpot_idle_for_90_days_goes_to_the_fund(house: House) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.away(90 * DAY_S - 60)
    before = house.jackpot(), house.held("fund")
    await house.breathe(60)

    assert before == (15, 0)
    assert (house.jackpot(), house.jackpot("fifty")) == (0, 0)
    assert (house.held("fund"), house.held("fund", currency="fifty")) == (15, 6)


async def test_a_game_keeps_the_jackpot_for_another_90_days(house: House) -> None:
    await house.stake(1)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))
    await house.away(60 * DAY_S)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.away(60 * DAY_S)
    kept = house.jackpot()
    await house.away(31 * DAY_S)

    assert kept == 6
    assert (house.jackpot(), house.held("fund")) == (0, 6)


async def test_a_jackpot_that_is_looked_at_too_early_stays(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    for person in (house.anna, house.ben, house.cem):
        await house.score(person, "4+20", 16)
    await house.breathe()
    assert house.bot
    upkeep, at = house.bot.upkeep, int(house.telegram.now()) + 89 * DAY_S

    await house.bot.clerk.run(lambda: upkeep.idle_jackpot(house.group.id, at))

    assert (house.jackpot(), house.held("fund")) == (15, 0)


async def test_the_jackpot_of_a_chat_that_is_gone_goes_to_the_fund(house: House) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    house.telegram.kick(house.group)
    await house.breathe()
    await house.away(91 * DAY_S)

    assert (house.jackpot(), house.held("fund")) == (0, 15)


async def test_an_idle_jackpot_goes_once_also_after_downtime(house: House) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.away(100 * DAY_S)
    await house.away(1)

    assert (house.jackpot(), house.held("fund")) == (0, 15)
    assert bookings(house, "idle_jackpot") == 1


# -- best list counts --------------------------------------------------------------------------


async def test_only_a_persons_first_20_staked_games_of_the_day_count_for_bests(
    house: House,
) -> None:
    house.settings.counted_games = 2
    await house.stake(1)

    for _ in range(3):
        await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    counted = house.sql("SELECT counted FROM bests ORDER BY rowid")
    assert counted == [(1,)] * 6 + [(0,)] * 3
