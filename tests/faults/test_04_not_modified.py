"""An edit to the same content is success, and no error is logged."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House


async def test_an_edit_that_changes_nothing_is_success(strict_house: House) -> None:
    house = strict_house
    await house.ask(house.anna, "/settings")

    await house.press(house.anna, "✓ 0")
    await house.breathe(3)

    assert any("is not modified" in reason for _, reason in house.refused)
    assert house.log.said("ERROR") == house.log.said("WARNING") == []


@pytest.mark.parametrize("said", ["/settings", "/top"])
async def test_every_panel_pressed_again_and_again_stays_as_it_is(house: House, said: str) -> None:
    await house.ask(house.anna, said)
    menu = house.board()

    for row in menu.buttons:
        for key in row:
            for _ in range(2):
                await house.forge(house.anna, key["callback_data"], menu)
                await house.breathe(3)

    assert any("is not modified" in reason for _, reason in house.refused)
    assert house.telegram.last(house.group).id == menu.id
    assert house.log.said("ERROR") == house.log.said("WARNING") == []
