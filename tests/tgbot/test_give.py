"""RULES 5: /give, and what keeps farmers from harvesting with it."""

from __future__ import annotations

import threading
import time

import pytest

from economy.database import shut
from economy.ledger import mint, wallet
from games.game import Refusal
from tests.postgres import empty
from tests.tgbot.house import House
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.people.giving import Gift, Giving
from tgbot.people.people import Who
from tgbot.playground import Person

DAY_S = 24 * 3600
WEEK_S = 7 * DAY_S
NO_AMOUNTS = ["-5", "0", "1e9", "١٢", "1_000", "１００", "+5", "5.0", "5,0", "0x10", "five", "½",
              "²", "9" * 30, str(10**12 + 1)]  # fmt: skip


@pytest.fixture
def house(house: House) -> House:
    """Where everybody has a username."""
    for person in (house.anna, house.ben, house.cem):
        person.username = person.first_name
    return house


async def grant(house: House, person: Person, coins: int) -> None:
    """Coins out of nowhere."""
    assert house.bot
    ledger, at = house.bot.hall.ledger, int(house.telegram.now())
    postings = {mint(): -coins, wallet(person.id): coins}
    key = f"granted:{person.id}:{at}"
    await house.bot.clerk.run(lambda: ledger.book(key, "grant", postings, at=at))


async def settled(house: House, *rich: Person, coins: int = 200) -> None:
    """Everybody has finished a game a week ago; the rich have so much more than the gift."""
    await house.breathe(5)
    safe = {house.anna: (9, 9, 9), house.ben: (8, 8, 8), house.cem: (7, 7, 7)}
    await house.game(safe)
    await house.away(WEEK_S)
    for person in rich:
        await grant(house, person, coins)


def gifts(house: House) -> list[tuple[int, int]]:
    """Who gave how much, oldest first."""
    rows = house.sql(
        "SELECT a.ref, -p.amount FROM bookings b JOIN postings p ON p.booking_id = b.id "
        "JOIN accounts a ON a.id = p.account_id WHERE b.reason = 'give' AND p.amount < 0 "
        "ORDER BY b.id"
    )
    return [(int(ref), coins) for ref, coins in rows]


# -- giving -----------------------------------------------------------------------------------


async def test_5_in_reply_to_somebody_in_a_group_with_a_short_line(house: House) -> None:
    await settled(house, house.anna)
    house.say(house.ben, "/start", house.private(house.ben))
    said = house.say(house.ben, "/points")
    await house.breathe()

    answer = await house.ask(house.anna, "/give 5", reply_to=said.id)
    await house.breathe()

    assert answer == house.says("give.public", giver="Anna", taker="Ben", coins="5 Knuddels")
    assert (house.coins(house.anna), house.coins(house.ben)) == (205, 15)
    told = house.heard(house.private(house.ben))[-1]
    assert told == house.says("give.got", name="Anna", coins="5 Knuddels")
    assert house.sql("SELECT * FROM notices") == []


async def test_5_by_username_in_private(house: House) -> None:
    dora = house.telegram.person("Dora", username="DoraTheThrower")
    house.telegram.join(house.group, dora)
    house.say(dora, "/points")
    await settled(house, house.anna)
    private = house.private(house.anna)

    answer = await house.ask(house.anna, "/give 5 @dorathethrower", private)

    assert answer == house.says("give.done", taker="Dora", coins="5 Knuddels", left="205 Knuddels")
    assert house.coins(dora) == 15


async def test_who_cannot_be_written_to_finds_the_gift_at_the_next_points(house: House) -> None:
    await settled(house, house.anna)
    await house.ask(house.anna, "/give 7 @Ben", house.private(house.anna))

    answer = await house.ask(house.ben, "/points", house.private(house.ben))

    assert answer.startswith(house.says("give.got", name="Anna", coins="7 Knuddels"))


async def test_both_histories_name_the_other(house: House) -> None:
    await settled(house, house.anna)
    await house.ask(house.anna, "/give 7 @Ben", house.private(house.anna))

    hers = await house.ask(house.anna, "/history", house.private(house.anna))
    his = await house.ask(house.ben, "/history", house.private(house.ben))

    assert "−7 Knuddels · to Ben" in hers
    assert "+7 Knuddels · from Anna" in his


async def test_a_name_counts_for_more_than_whom_the_message_replies_to(house: House) -> None:
    await settled(house, house.anna)
    said = house.say(house.cem, "/points")
    await house.breathe()

    await house.ask(house.anna, "/give 5 @Ben", reply_to=said.id)

    assert (house.coins(house.ben), house.coins(house.cem)) == (15, 10)


async def test_somebody_mentioned_who_has_no_username(house: House) -> None:
    await settled(house, house.anna)
    other = house.telegram.person("Ben")  # a name alone would not do
    house.say(other, "/start", house.private(other))
    private = house.private(house.anna)
    house.telegram.queue.allowed = frozenset()  # the people's side knows no such mentions
    body = house.say(house.anna, "/give 5 Ben", private).json()
    house.telegram.queue.allowed = None
    body["entities"].append(
        {"type": "text_mention", "offset": 8, "length": 3, "user": house.ben.user()}
    )

    house.telegram.queue.push("message", body)
    await house.breathe()

    assert gifts(house) == [(house.anna.id, 5)]
    assert house.coins(house.ben) == 15


async def test_an_update_that_comes_twice_gives_once(house: House) -> None:
    await settled(house, house.anna)
    house.telegram.faults.duplicate_updates = 1

    await house.ask(house.anna, "/give 5 @Ben")
    await house.breathe(5)

    assert gifts(house) == [(house.anna.id, 5)]
    ((key,),) = house.sql("SELECT key FROM bookings WHERE reason = 'give'")
    assert key.startswith("give:7000000")


# -- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("amount", NO_AMOUNTS)
async def test_an_amount_that_is_not_plain_digits_is_refused_with_words(
    house: House, amount: str
) -> None:
    private = house.private(house.anna)

    answer = await house.ask(house.anna, f"/give {amount} @Ben", private)

    assert answer == house.says("give.amount")
    assert gifts(house) == []


@pytest.mark.parametrize("words", ["", "5"])
async def test_it_says_what_is_missing(house: House, words: str) -> None:
    answer = await house.ask(house.anna, f"/give {words}", house.private(house.anna))

    assert answer == (house.says("give.whom", n=5) if words else house.says("give.amount"))


async def test_to_oneself_is_refused(house: House) -> None:
    await settled(house, house.anna)
    said = house.say(house.anna, "/points")
    await house.breathe()

    by_reply = await house.ask(house.anna, "/give 5", reply_to=said.id)
    by_name = await house.ask(house.anna, "/give 5 @Anna")

    assert by_reply == by_name == house.says("give.self")


async def test_to_bots_and_channels_is_refused(house: House) -> None:
    await settled(house, house.anna)
    board = house.board()
    channel = house.say(house.ben, "Good evening", as_channel=True)
    hidden = house.say(house.anna, "Good evening", anonymous=True)

    answers = [
        await house.ask(house.anna, "/give 5", reply_to=message.id)
        for message in (board, channel, hidden)
    ]
    answers += [await house.ask(house.anna, f"/give 5 @{bot}") for bot in ("dicehall_bot", "xBot")]

    assert answers == [house.says("give.bot")] * 5
    assert gifts(house) == []


async def test_to_somebody_the_bot_has_never_seen_is_refused(house: House) -> None:
    await settled(house, house.anna)
    eve = house.telegram.person("Eve", username="eve_adams")
    house.telegram.join(house.group, eve)
    said = house.say(eve, "Hello everybody")

    by_reply = await house.ask(house.anna, "/give 5", reply_to=said.id)
    by_username = await house.ask(house.anna, "/give 5 @eve_adams")
    by_name = await house.ask(house.anna, "/give 5 ' OR 1=1 --")

    assert by_reply == house.says("give.unknown", name="Eve")
    assert by_username == house.says("give.unknown", name="@eve_adams")
    assert by_name == house.says("give.unknown", name="' OR 1=1 --")
    assert house.sql("SELECT count(*) FROM people") == [(3,)]


async def test_a_name_is_asked_back_with_those_who_have_it(house: House) -> None:
    await settled(house, house.anna)
    other = house.telegram.person("Ben")
    impostor = house.telegram.person("Cem", username="realcem")
    for person in (other, impostor):
        house.telegram.join(house.group, person)
    said = house.say(other, "/points")
    house.say(impostor, "/points")
    await house.breathe()

    by_name = await house.ask(house.anna, "/give 5 Ben")
    two_of_them = await house.ask(house.anna, "/give 5 Cem")
    nobody = await house.ask(house.anna, "/give 5 Dora")
    await house.ask(house.anna, "/give 5", reply_to=said.id)

    assert by_name == house.says("give.which", name="Ben", n=5, choices="@Ben")
    assert two_of_them == house.says("give.which", name="Cem", n=5, choices="@Cem, @realcem")
    assert nobody == house.says("give.unknown", name="Dora")
    assert gifts(house) == [(house.anna.id, 5)]
    assert (house.coins(house.ben), house.coins(other)) == (10, 15)


async def test_a_display_name_never_passes_for_a_username(house: House) -> None:
    await settled(house, house.anna)
    impostor = house.telegram.person("realbob")
    house.telegram.join(house.group, impostor)
    house.say(impostor, "/points")
    await house.breathe()

    with_at = await house.ask(house.anna, "/give 5 @realbob")
    without = await house.ask(house.anna, "/give 5 realbob")

    assert with_at == house.says("give.unknown", name="@realbob")
    assert without == house.says("give.name", name="realbob", n=5)
    assert gifts(house) == []


async def test_a_username_that_changed_hands_means_who_has_it_now(house: House) -> None:
    dora, eve = house.telegram.person("Dora", username="thrower"), house.telegram.person("Eve")
    for person in (dora, eve):
        house.telegram.join(house.group, person)
        house.say(person, "/points")
    await settled(house, house.anna)
    dora.username, eve.username = None, "Thrower"
    house.say(eve, "/points")
    await house.breathe()

    await house.ask(house.anna, "/give 5 @thrower")

    assert (house.coins(dora), house.coins(eve)) == (10, 15)


async def test_a_name_like_somebodys_username_is_not_taken_for_them(house: House) -> None:
    dora = house.telegram.person("Dora", username="thrower")
    fake = house.telegram.person("thrower", username="somebody")
    for person in (dora, fake):
        house.telegram.join(house.group, person)
    house.say(fake, "/points")
    await settled(house, house.anna)

    before = await house.ask(house.anna, "/give 5 @thrower")
    house.say(dora, "/points")
    await house.breathe()
    await house.ask(house.anna, "/give 5 @thrower")

    assert before == house.says("give.unknown", name="@thrower")
    assert (house.coins(dora), house.coins(fake)) == (15, 10)


async def test_in_a_topic_its_beginning_is_nobodys_message(house: House) -> None:
    forum = house.telegram.group("Forum", house.ben, house.anna, forum=True)
    topic = house.telegram.topic(forum, "Dice")
    await settled(house, house.anna)

    answer = await house.ask(house.anna, "/give 5", forum, topic=topic)

    assert answer == house.says("give.whom", n=5)
    assert gifts(house) == []


# -- farming ----------------------------------------------------------------------------------


async def test_a_farmer_cannot_collect_welcome_gifts(house: House) -> None:
    await settled(house)
    private = house.private(house.ben)

    in_private = await house.ask(house.ben, "/give 1 @Anna", private)
    in_group = await house.ask(house.ben, "/give 10 @Anna")

    assert in_private == house.says("give.spare", gift="10 Knuddels", spare="0 Knuddels")
    assert in_group == house.says("give.too_much", gift="10 Knuddels")
    assert gifts(house) == []


async def test_only_what_exceeds_the_gift_may_go(house: House) -> None:
    await settled(house, house.ben, coins=8)
    private = house.private(house.ben)

    nine = await house.ask(house.ben, "/give 9 @Anna", private)
    eight = await house.ask(house.ben, "/give 8 @Anna", private)

    assert nine == house.says("give.spare", gift="10 Knuddels", spare="8 Knuddels")
    assert eight == house.says("give.done", taker="Anna", coins="8 Knuddels", left="10 Knuddels")


async def test_a_refusal_in_a_group_tells_nobody_what_one_has(house: House) -> None:
    await settled(house, house.ben, coins=47)

    answer = await house.ask(house.ben, "/give 60 @Anna")

    assert answer == house.says("give.too_much", gift="10 Knuddels")
    assert not any("47 " in said or "57 " in said for said in house.heard())


async def test_a_farmers_new_account_waits_seven_days_from_its_first_finished_game(
    house: House,
) -> None:
    private = house.private(house.anna)
    house.say(house.ben, "/start", house.private(house.ben))
    await grant(house, house.anna, 50)
    never = await house.ask(house.anna, "/give 5 @Ben", private)
    await house.away(30 * DAY_S)  # waiting alone does not help
    still = await house.ask(house.anna, "/give 5 @Ben", private)
    await house.game({house.anna: (9, 9, 9), house.ben: (8, 8, 8)})
    ((over_at,),) = house.sql("SELECT over_at FROM games")

    new = await house.ask(house.anna, "/give 5 @Ben", private)
    await house.away(over_at + WEEK_S - house.telegram.now() - 10)
    nearly = await house.ask(house.anna, "/give 5 @Ben", private)
    await house.breathe(10)
    then = await house.ask(house.anna, "/give 5 @Ben", private)

    assert never == still == house.says("give.no_game", n=7)
    assert new == house.says("give.too_new", n=7)
    assert nearly == house.says("give.too_new", n=1)
    assert then == house.says("give.done", taker="Ben", coins="5 Knuddels", left="55 Knuddels")


@pytest.mark.parametrize("how", ["left", "stopped"])
async def test_a_farmers_games_that_were_not_finished_do_not_count(house: House, how: str) -> None:
    await grant(house, house.ben, 50)
    await house.begin(house.anna, house.ben, house.cem)
    house.say(house.ben, "/leave") if how == "left" else house.say(house.anna, "/stop")
    await house.away(WEEK_S + 600)

    answer = await house.ask(house.ben, "/give 5 @Anna", house.private(house.ben))

    assert answer == house.says("give.no_game", n=7)


async def test_a_farmer_moves_at_most_100_a_day(house: House) -> None:
    await settled(house, house.anna, coins=500)
    private = house.private(house.anna)

    too_much = await house.ask(house.anna, "/give 101 @Ben", private)
    first = await house.ask(house.anna, "/give 60 @Ben", private)
    second = await house.ask(house.anna, "/give 41 @Cem", private)
    third = await house.ask(house.anna, "/give 40 @Cem", private)
    fourth = await house.ask(house.anna, "/give 1 @Ben", private)

    assert too_much == house.says("give.day", most=100, n=100)
    assert first == house.says("give.done", taker="Ben", coins="60 Knuddels", left="450 Knuddels")
    assert second == house.says("give.day", most=100, n=40)
    assert third == house.says("give.done", taker="Cem", coins="40 Knuddels", left="410 Knuddels")
    assert fourth == house.says("give.day", most=100, n=0)
    assert gifts(house) == [(house.anna.id, 60), (house.anna.id, 40)]


async def test_the_day_is_that_of_the_operators_calendar(house: House) -> None:
    await settled(house, house.anna, coins=500)
    private = house.private(house.anna)
    await house.ask(house.anna, "/give 100 @Ben", private)
    local = house.telegram.now() + 3600  # Berlin in January
    await house.away(DAY_S - local % DAY_S - 10)

    before = await house.ask(house.anna, "/give 100 @Ben", private)
    await house.breathe(10)
    after = await house.ask(house.anna, "/give 100 @Ben", private)

    assert before == house.says("give.day", most=100, n=0)
    assert after.startswith("🎁")
    assert house.coins(house.ben) == 210


async def test_twenty_gifts_at_once_move_no_more_than_a_days(house: House) -> None:
    await settled(house, house.anna, coins=500)
    private = house.private(house.anna)

    for _ in range(20):
        house.say(house.anna, "/give 9 @Ben", private)
    await house.breathe(40)

    assert gifts(house) == [(house.anna.id, 9)] * 11
    assert house.coins(house.ben) == 109


def test_gifts_at_once_in_two_processes_move_no_more_than_a_days(postgres: str) -> None:
    settings = Settings(_env_file=None, database=postgres)
    db = open_database(settings)
    empty(db)
    _, people = open_hall(db, settings)
    now, start = 1_800_000_000, threading.Barrier(2)
    with db.atomic():
        anna, ben = (people.meet(Who(n, name), now) for n, name in ((1, "Anna"), (2, "Ben")))
        people.ledger.book("g", "grant", {mint(): -500, wallet(1): 500}, at=now)
    settings.give_after_days = 0
    came: list[str] = []

    def process(n: int) -> None:
        own = open_database(settings)
        giving = Giving(open_hall(own, settings)[1])
        start.wait()
        try:
            with own.atomic():
                giving.give(Gift(anna, ben, 60, f"give:{n}"), now, private=True)
                time.sleep(0.3)  # the other one comes in before this is committed
            came.append("given")
        except Refusal as refusal:
            came.append(refusal.text.key)
        shut(own)

    threads = [threading.Thread(target=process, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(came) == ["give.day", "given"]
    assert people.ledger.balance(wallet(2)) == 70
    shut(db)


async def test_somebody_who_is_barred_gives_nothing(house: House) -> None:
    assert house.bot
    await settled(house, house.anna)
    store = house.bot.hall.store
    await house.bot.clerk.run(
        lambda: store.db.execute_sql(
            "UPDATE people SET barred = 'cheat' WHERE user_id = ?", (house.anna.id,)
        )
    )

    answer = await house.ask(house.anna, "/give 5 @Ben", house.private(house.anna))

    assert answer == house.says("refused.barred")
    assert gifts(house) == []
