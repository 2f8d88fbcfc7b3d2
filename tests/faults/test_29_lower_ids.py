"""Update ids start lower after a quiet week: everything goes on, and nothing turns in circles."""

from __future__ import annotations

from tests.tgbot.calling import Called, called
from tests.tgbot.house import House
from tests.tgbot.playing import give

__all__ = ["called"]

WEEK_S = 8 * 24 * 3600
CROWD = 120
"""More updates than one poll takes."""


def polls(house: House) -> int:
    """How often the bot has asked for updates."""
    return sum(call.method == "getUpdates" for call in house.telegram.log)


async def test_lower_ids_are_confirmed_and_polling_stays_calm(house: House) -> None:
    await house.ask(house.anna, "/play")
    house.telegram.faults.lower_ids_next = 1

    await house.ask(house.anna, "/fifty")
    before = polls(house)
    await house.breathe(20)

    assert house.table().status == "lobby"
    assert not house.telegram.queue.pending
    assert polls(house) - before <= 5


async def test_more_updates_than_one_poll_takes_come_in_after_it(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    board = house.board()
    house.telegram.faults.lower_ids_next = 1
    for _ in range(CROWD):
        house.telegram.press(house.ben, house.group, board.id, "✅")
        await house.breathe(0.1)

    await house.press(house.cem, "✅", board)

    assert house.table().people == [house.anna, house.ben, house.cem]
    assert not house.telegram.queue.pending


async def test_an_id_that_comes_again_a_week_later_is_another_update(house: House) -> None:
    await house.ask(house.anna, "/play")
    first = house.received[-1]["update_id"]
    await house.stop()
    await house.breathe(WEEK_S)  # nobody forgets its note meanwhile
    house.telegram.queue.go_on_from(first)
    house.say(house.anna, "/yahtzee")

    await house.start()

    assert house.received[-1]["update_id"] == first
    assert house.table().status == "lobby"


async def test_a_gift_under_an_id_that_was_a_gift_before_is_given(house: House) -> None:
    house.settings.give_after_days = 0
    for person in (house.anna, house.ben):
        await house.ask(person, "/start", house.private(person))
    await give(house, house.anna, 20)
    said = house.say(house.ben, "It is my birthday.")
    await house.ask(house.anna, "/give 5", reply_to=said.id)
    first = house.received[-1]["update_id"]
    await house.stop()
    await house.breathe(WEEK_S)
    await house.start()

    house.telegram.queue.go_on_from(first)
    await house.ask(house.anna, "/give 5", reply_to=said.id)

    assert house.coins(house.ben) == 20


async def test_lower_ids_by_webhook_are_taken_as_well(called: Called) -> None:
    house, _ = called
    await house.ask(house.anna, "/play")
    house.telegram.faults.lower_ids_next = 1

    await house.ask(house.anna, "/fifty")

    assert house.table().status == "lobby"


async def test_a_server_that_confirms_nothing_is_not_asked_in_a_hot_loop(house: House) -> None:
    house.telegram.queue._confirm = lambda offset: None
    await house.ask(house.anna, "/play")
    before = polls(house)

    await house.breathe(30)

    assert polls(house) - before <= 31
    assert house.heard().count(house.says("menu.title")) == 1
