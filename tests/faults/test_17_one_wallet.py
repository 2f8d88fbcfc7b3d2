"""Fifty joins at once against a wallet that pays for one: one joins."""

from __future__ import annotations

from tests.tgbot.house import House
from tests.tgbot.playing import give


async def test_50_joins_at_once_against_a_wallet_that_pays_for_one(house: House) -> None:
    groups = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(50)]
    await house.breathe(3)
    for said in ("/settings stake 10", "/fifty"):
        for group in groups:
            house.say(house.anna, said, group)
        await house.breathe(5)

    for group in groups:
        house.telegram.press(house.ben, group, house.telegram.last(group, buttons=True).id, "✅")
    await house.breathe()

    assert house.sql("SELECT count(*) FROM seats") == [(1,)]
    assert house.coins(house.ben) == 0


async def test_50_presses_on_one_lobby_are_one_seat_and_one_stake(house: House) -> None:
    await house.stake(10)
    await house.ask(house.anna, "/fifty")
    board = house.board()

    queries = [house.telegram.press(house.ben, house.group, board.id, "✅") for _ in range(50)]
    await house.breathe()

    toasts = [house.telegram.toast(query).text for query in queries]
    assert toasts.count(house.says("lobby.joined_stake", stake="10 Knuddels")) == 1
    assert toasts.count(house.says("refused.joined")) == 49
    assert house.coins(house.ben) == 0
    assert house.held("escrow", house.table().id) == 10


async def test_joining_and_giving_at_once_spend_nothing_twice(house: House) -> None:
    house.settings.give_after_days = 0
    await house.ask(house.ben, "/start", house.private(house.ben))
    await house.ask(house.anna, "/start", house.private(house.anna))
    await give(house, house.ben, 10)
    await house.stake(15)
    await house.ask(house.anna, "/fifty")
    board = house.board()

    for _ in range(10):
        house.say(house.ben, "/give 10 @Anna")
        house.telegram.press(house.ben, house.group, board.id, "✅")
    await house.breathe(5)

    joined = len(house.table().people)
    assert house.coins(house.ben) == 20 - 15 * joined - 10 * (house.coins(house.anna) == 20)
    assert joined + (house.coins(house.anna) == 20) == 1
