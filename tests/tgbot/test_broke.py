"""Who cannot pay is shown the way in the same breath; the allowance (RULES 0, 5)."""

from __future__ import annotations

from tests.tgbot.house import House


async def test_who_cannot_pay_is_shown_a_free_game_by_one_press(house: House) -> None:
    await house.stake(50)
    await house.ask(house.anna, "/fifty")

    refused = await house.press(house.ben, "✅")
    await house.breathe(4)
    way = house.board()
    house.say(house.anna, "/stop")
    await house.breathe(4)
    opened = await house.press(house.ben, "🆓", way)
    await house.breathe(3)

    assert "50 Knuddels" in refused
    assert way.text == house.says("broke.way")
    assert "Ben" not in way.text
    assert opened == house.says("lobby.opened_in")
    assert (house.table().stake, house.table().people) == (0, [house.ben])


async def test_a_lobby_nobody_can_pay_for_gives_way_to_the_free_game(house: House) -> None:
    await house.stake(50)
    await house.ask(house.anna, "/fifty")
    await house.press(house.anna, "✅")
    await house.breathe(4)
    way = house.board()

    opened = await house.press(house.anna, "🆓", way)
    await house.breathe(4)
    busy = await house.press(house.ben, "🆓", way)

    assert opened == house.says("lobby.opened_in")
    assert house.sql("SELECT status, stake FROM games ORDER BY rowid") == [
        ("off", 50),
        ("lobby", 0),
    ]
    assert house.says("off.empty", icon="🎲", game="Fifty!") in house.heard()
    assert busy == house.says("refused.busy_lobby", game="Fifty!")


async def test_the_way_is_shown_once_an_hour_in_a_chat(house: House) -> None:
    await house.stake(50)
    await house.ask(house.anna, "/fifty")
    lobby = house.board()

    for person in (house.ben, house.cem, house.ben):
        await house.press(person, "✅", lobby)
        await house.breathe(4)

    assert house.heard().count(house.says("broke.way")) == 1


async def free_game(house: House) -> None:
    """A free game in a group whose stake is 50."""
    await house.stake(0)
    await house.open(house.anna, house.ben, start=False)
    await house.stake(50)
    house.limits(15, 22, 13)
    lobby = next(m for m in reversed(house.telegram.messages(house.group))
                 if any("▶️" in key["text"] for row in m.buttons for key in row))  # fmt: skip
    await house.press(house.anna, "▶️", lobby)
    await house.breathe(2)
    for pool in ("4+20", "4+12", "4+10"):
        for person, total in ((house.anna, 8), (house.ben, 9)):
            await house.score(person, pool, total)
        await house.breathe(5)
    assert house.table().status == "over"


async def test_5_there_is_no_allowance_by_default(house: House) -> None:
    await free_game(house)

    assert house.sql("SELECT * FROM bookings WHERE reason = 'allowance'") == []


async def test_5_the_allowance_comes_once_a_day_below_the_stake_after_a_game(house: House) -> None:
    house.settings.allowance, house.settings.give_after_days = 3, 0
    await house.ask(house.anna, "/start", house.private(house.anna))
    for _ in range(2):
        await free_game(house)

    told = house.says("allowance.got", coins="3 Knuddels")
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [13, 13, 0]
    assert [told in text for text in house.heard(house.private(house.anna))].count(True) == 1

    await house.away(24 * 3600)
    await free_game(house)

    assert house.coins(house.anna) == 16


async def test_5_the_allowance_is_braked_as_giving_is(house: House) -> None:
    house.settings.allowance = 3
    await free_game(house)
    fresh = house.coins(house.anna)
    await house.away(8 * 24 * 3600)
    await free_game(house)

    assert (fresh, house.coins(house.anna)) == (10, 13)
