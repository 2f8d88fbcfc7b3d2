"""Every number an operator might want to change is a setting (RULES): the bot's own ones."""

from __future__ import annotations

from typing import Any

from tests.tgbot.house import House
from tgbot.soak.virtual import now


async def set_to(house: House, **settings: Any) -> None:
    """The operator starts the bot anew with other settings."""
    await house.stop()
    house.settings = house.settings.model_copy(update=settings)
    await house.start()


async def test_the_pace_gives_every_phase_more_time(house: House) -> None:
    await set_to(house, pace=200)
    await house.open(house.anna, house.ben)
    assert 45 < house.table().due_at - now() <= 50

    # It was written down when the lobby opened, and counts for this game to its end.
    await set_to(house, pace=100)
    await house.breathe(2)
    assert 45 < house.table().due_at - now() <= 50
    assert house.sql("SELECT count(*) FROM moves WHERE seat >= 0") == [(0,)]
    await house.breathe(52)
    assert house.sql("SELECT count(*) FROM moves WHERE seat >= 0") == [(2,)]


async def test_1_8_from_how_many_points_a_profile_shows_them(house: House) -> None:
    await house.game({house.anna: (10, 9, 8), house.ben: (9, 8, 7)})
    points = house.points(house.anna)
    shown = house.says("game_points", n=points, game="Fifty!")

    for least, there in ((points + 1, False), (points, True)):
        await set_to(house, profile_points=least)
        assert (shown in await house.ask(house.anna, "/whois")) == there


async def test_5_how_long_a_chat_that_removed_the_bot_plays_for_points_only(house: House) -> None:
    await set_to(house, free_days_after_removal=2)
    await house.stake(5)
    await house.open(house.anna, house.ben)

    house.telegram.kick(house.group)
    await house.breathe(3)

    [(until,)] = house.sql("SELECT free_until FROM chats")
    assert 2 * 24 * 3600 - 10 < until - now() <= 2 * 24 * 3600
