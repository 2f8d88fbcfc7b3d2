"""A group becomes a supergroup: whatever belongs to it follows, old and new id are one chat."""

from __future__ import annotations

import pytest

from economy.ledger import jackpot, mint
from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import KINDS, flood, furnish, load, order, presses
from tgbot.soak.virtual import now


async def small_group(house: House) -> None:
    """The house moves into a plain group."""
    house.group = house.telegram.group("Small", house.anna, house.ben, house.cem, supergroup=False)
    await house.breathe()


async def test_settings_and_jackpot_follow_a_group_that_becomes_a_supergroup(house: House) -> None:
    await small_group(house)
    await house.ask(house.anna, "/settings language de")
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))
    old = house.group

    house.group = house.telegram.migrate(old)
    await house.breathe()
    await house.ask(house.anna, "/fifty")

    assert (house.jackpot(), house.jackpot("fifty")) == (15, 6)
    assert house.jackpot(chat=old) == 0
    assert house.table().stake == 5
    assert house.says("lobby.seats", "de", fewest=2, most=20) in house.board().text
    due = house.sql("SELECT ref FROM due WHERE kind = 'jackpot'")
    assert due == [(str(house.group.id),)]


async def test_who_was_seen_in_the_group_stands_in_the_daily_of_the_supergroup(
    house: House,
) -> None:
    await small_group(house)
    old = house.group
    for person in (house.anna, house.ben):
        house.say(person, "/daily")
    await house.breathe(2)

    house.group = house.telegram.migrate(old)
    await house.breathe(3)
    house.say(house.anna, "/daily")
    await house.breathe(2)

    seen_in = house.sql("SELECT chat_id, user_id FROM peers ORDER BY user_id")
    assert seen_in == [(house.group.id, person.id) for person in (house.anna, house.ben)]


async def test_a_game_goes_on_in_the_supergroup(house: House) -> None:
    await small_group(house)
    await house.begin(house.anna, house.ben, stake=5)
    await house.score(house.anna, "4+20", 10)

    house.group = house.telegram.migrate(house.group)
    await house.breathe(3)
    moved = house.board()
    await house.throw(house.ben, "20", 9)
    for pool in POOLS[1:]:
        await house.breathe(2)
        await house.score(house.anna, pool, 10)
        await house.score(house.ben, pool, 9)
    await house.breathe(2)

    assert "✅ Anna" in moved.text
    assert house.table().status == "over"
    assert (house.coins(house.anna), house.coins(house.ben)) == (12, 8)


async def test_a_lobby_goes_on_in_the_supergroup(house: House) -> None:
    await small_group(house)
    await house.open(house.anna, start=False)

    house.group = house.telegram.migrate(house.group)
    await house.breathe(3)
    await house.press(house.ben, "✅")
    await house.breathe(35)

    assert house.table().status == "running"


@pytest.mark.parametrize("told", ["migrate_to_chat_id", "migrate_from_chat_id", None])
async def test_either_message_tells_it_and_so_does_a_refused_send(
    house: House, told: str | None
) -> None:
    house.excused.add("refusals")
    await small_group(house)
    await house.begin(house.anna, house.ben, stake=5)
    queue, push = house.telegram.queue, house.telegram.queue.push
    queue.push = lambda kind, body: told in body and push(kind, body)

    house.group = house.telegram.migrate(house.group)
    await house.breathe(90)
    queue.push = push

    assert house.sql("SELECT DISTINCT chat_id FROM games") == [(house.group.id,)]
    assert house.table().status in ("running", "over")
    assert house.board().chat is house.group


async def test_a_board_of_the_old_group_still_answers(house: House) -> None:
    await small_group(house)
    await house.open(house.anna, start=False)
    old, board = house.group, house.board()
    house.group = house.telegram.migrate(old)
    await house.breathe(3)

    house.telegram.press(house.ben, old, board.id, "✅")
    await house.breathe()

    assert house.table().people == [house.anna, house.ben]


@KINDS
async def test_every_game_goes_on_in_the_supergroup(house: House, kind: str) -> None:
    house.excused.add("refusals")
    await small_group(house)
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.stake(5)
    random = load(house, kind)
    await house.open(*people, kind=kind)
    game_id, pressed = house.table().id, 0

    async for _ in presses(house, people, random):
        pressed += 1
        if pressed == 5:
            house.group = house.telegram.migrate(house.group)
            await house.breathe(3)
        elif pressed == 30:
            break
    await house.breathe(45 * 60)

    assert pressed > 5
    assert house.table().id == game_id
    assert house.table().status == "over"
    assert house.held("escrow", game_id) == 0
    assert house.board().chat is house.group


async def test_the_result_is_told_in_the_supergroup(house: House) -> None:
    # the group moves between the last throw and its board
    house.excused.add("refusals")
    await small_group(house)
    await house.begin(house.anna, house.ben)
    flood(house, times=1, seconds=20)
    for person in (house.anna, house.ben):
        house.say(person, "/leave")
    await house.breathe(2)
    assert house.says("fifty.reason.all_out") not in house.board().text

    house.group = house.telegram.migrate(house.group)
    await house.breathe(25)

    assert house.table().status == "over"
    assert house.says("fifty.reason.all_out") in house.board().text


async def test_a_game_opened_in_the_supergroup_before_anybody_told_gives_way(
    house: House,
) -> None:
    house.excused.add("refusals")
    await small_group(house)
    await house.begin(house.anna, house.ben, stake=5)
    await house.breathe(3)
    old, queue, push = house.group, house.telegram.queue, house.telegram.queue.push
    queue.push = lambda kind, body: None
    house.group = house.telegram.migrate(old)
    queue.push = push
    await house.ask(house.anna, "/fifty")
    await house.press(house.cem, "✅")
    await house.breathe(90)

    games = house.sql("SELECT chat_id, status FROM games ORDER BY opened_at")
    assert games[0][0] == games[1][0] == house.group.id
    assert games[1][1] == "void"
    assert games[0][1] != "void"
    assert house.coins(house.cem) == 10
    assert any(house.says("stop.why_moved") in said for said in house.heard())


async def test_jackpots_of_both_ids_are_one(house: House) -> None:
    await small_group(house)
    old = house.group
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))
    assert house.bot
    ledger, chats = house.bot.hall.ledger, house.bot.hall.chats
    new = -1009999999999

    def before() -> None:
        chats.meet(new, "Big")
        house.bot.hall.store.due.set("jackpot", str(new), int(now()) + 5)
        ledger.book("x", "test", {mint(): -7, jackpot(new): 7}, at=0)

    await house.bot.clerk.run(before)
    await house.bot.clerk.run(lambda: house.bot.upkeep.migrate(old.id, new, int(now())))

    assert (house.held("jackpot", new), house.held("jackpot", old.id)) == (22, 0)
    await house.bot.clerk.run(lambda: house.bot.upkeep.migrate(old.id, new, int(now())))
    assert house.held("jackpot", new) == 22


async def test_robin_hood_finds_the_group_under_its_new_id(house: House) -> None:
    await small_group(house)
    people = await furnish(house)
    await order(house)

    house.group = house.telegram.migrate(house.group)
    await house.breathe(3)
    await house.open(*people[:3])

    assert house.sql("SELECT status, place FROM robin_rounds") == [
        ("attached", str(house.group.id))
    ]
    assert "🏹" in house.board().text


async def test_a_group_that_moves_while_the_bot_is_down_is_found(house: House) -> None:
    house.excused.add("refusals")
    await small_group(house)
    await house.begin(house.anna, house.ben, stake=5)
    await house.stop()
    house.group = house.telegram.migrate(house.group)
    await house.breathe(100)

    await house.start()
    await house.breathe(5)

    assert house.table().status == "running"
    assert "ound 1 of 3" in house.board().text
