"""403: a chat that is gone gives every stake back; one person's private chat ends nothing."""

from __future__ import annotations

import pytest

from tests.tgbot.bonuses import DAY_S, gained, over
from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import KINDS, give, load, painted
from tgbot.playground import Person
from tgbot.playground.errors import Refusal


async def started(house: House, kind: str, *people: Person) -> str:
    """A staked game that everybody also has a private chat for; answers its id."""
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    await house.open(*people, kind=kind)
    await painted(house)
    return house.table().id


def all_back(house: House, *people: Person) -> bool:
    """Whether everybody has what they began with, and nothing is held."""
    return [house.coins(p) for p in people] == [10] * len(people) and not house.sql(
        "SELECT * FROM accounts WHERE kind = 'escrow' AND balance <> 0"
    )


@KINDS
async def test_kicked_in_the_middle_of_any_game_every_stake_returns(
    house: House, kind: str
) -> None:
    people = [house.anna, house.ben, house.cem]
    await started(house, kind, *people)

    house.telegram.kick(house.group)
    await house.breathe(5)

    assert house.table().status == "void"
    assert all_back(house, *people)
    assert house.sql("SELECT kind, ref FROM due WHERE kind = 'game'") == []


async def test_kicked_from_a_lobby_every_stake_returns(house: House) -> None:
    await house.stake(5)
    await house.open(house.anna, house.ben, start=False)

    house.telegram.kick(house.group)
    await house.breathe(60)

    assert house.table().status == "void"
    assert all_back(house, house.anna, house.ben)


async def test_kicked_in_a_stechen_every_stake_returns(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS:
        for person in (house.anna, house.ben):
            await house.score(person, pool, 10)
        await house.breathe(3)
    assert "Roll-off" in house.board().text

    house.telegram.kick(house.group)
    await house.breathe(5)

    assert all_back(house, house.anna, house.ben)


async def test_a_removed_bot_is_noticed_by_a_refused_message_too(house: House) -> None:
    # 403 before the update about the membership arrives
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben, stake=5)
    house.telegram.faults.late_updates_s = 1000
    house.telegram.kick(house.group)

    await house.breathe(30)

    assert house.table().status == "void"
    assert all_back(house, house.anna, house.ben)
    await house.breathe(1000)


async def test_kicked_while_the_result_is_announced_the_result_stands(house: House) -> None:
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS[:2]:
        await house.score(house.anna, pool, 10)
        await house.score(house.ben, pool, 9)
        await house.breathe(3)
    await house.score(house.anna, POOLS[2], 10)
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.flood_next = 1
    await house.score(house.ben, POOLS[2], 9)
    await house.breathe(2)
    house.telegram.faults.late_updates_s = 100
    house.telegram.kick(house.group)
    await house.breathe(200)

    assert house.table().status == "over"
    assert (house.coins(house.anna), house.coins(house.ben)) == (12, 8)
    assert house.log.said("ERROR") == []


@pytest.mark.parametrize(
    "reason",
    [
        "Bad Request: not enough rights to send text messages to the chat",
        "Bad Request: have no rights to send a message",
        "Bad Request: chat not found",
        "Forbidden: the group chat was deleted",
        "Forbidden: bot is not a member of the supergroup chat",
    ],
)
async def test_a_bot_that_may_not_write_is_as_good_as_removed(house: House, reason: str) -> None:
    # an admin took its right to write: no board will ever come again
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben, stake=5)
    send = house.telegram.call

    async def silenced(method: str, params: dict[str, object]) -> tuple[int, dict[str, object]]:
        if method == "sendMessage" and str(params["chat_id"]) == str(house.group.id):
            refusal = Refusal(403 if reason.startswith("Forbidden") else 400, reason)
            house.refused.append((method, reason))
            return refusal.status, refusal.answer()
        return await send(method, params)

    house.telegram.call = silenced
    await house.breathe(60)

    assert house.table().status == "void"
    assert all_back(house, house.anna, house.ben)
    assert house.log.said("ERROR") == []


@KINDS
async def test_one_players_blocked_private_chat_is_idleness_and_no_end(
    house: House, kind: str
) -> None:
    house.excused.add("refusals")
    people = [house.anna, house.ben, house.cem]
    game_id = await started(house, kind, *people)
    load(house, kind)

    house.telegram.block(house.ben)
    await house.breathe(3)
    running = house.table().status
    await house.breathe(45 * 60)

    assert running == "running"
    assert house.table().status == "over"
    assert house.held("escrow", game_id) == 0


async def test_when_a_winner_cannot_be_told_the_others_are_paid_and_told(house: House) -> None:
    # when a month ends two people win: Ben the month, Anna its last day
    house.excused.add("refusals")
    for person in (house.anna, house.ben):
        house.say(person, "/start", house.private(person))
    await house.away(15 * DAY_S)
    await over(house, ben=3, anna=1, cem=0)
    await house.away(DAY_S)
    await over(house, anna=2, ben=0, cem=0)
    house.telegram.faults.late_updates_s = 10 * DAY_S
    house.telegram.block(house.ben)

    await house.away(DAY_S)
    house.telegram.faults.late_updates_s = 0

    assert gained(house, house.anna) == 10
    assert gained(house, house.ben) == 110
    assert house.heard(house.private(house.anna))[-1].startswith("🏅")
    assert house.log.said("ERROR") == []


async def test_a_gift_to_somebody_who_blocked_the_bot_arrives_all_the_same(house: House) -> None:
    house.excused.add("refusals")
    house.settings.give_after_days = 0
    house.ben.username = "ben_b"
    for person in (house.anna, house.ben):
        await house.ask(person, "/start", house.private(person))
    await give(house, house.anna, 5)
    house.telegram.block(house.ben)

    await house.ask(house.anna, "/give 5 @ben_b", house.private(house.anna))

    assert house.coins(house.ben) == 15
    assert house.log.said("ERROR") == []
