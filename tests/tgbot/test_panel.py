"""The operator's panel: for operators, in private, each deed asked about once and booked."""

from __future__ import annotations

import pytest

from tests.tgbot.conftest import House


@pytest.fixture
async def panel(house: House) -> House:
    """Anna is the operator and has opened the panel."""
    house.bot.front.panel.settings.operators = (house.anna.id,)  # type: ignore[union-attr]
    await house.ask(house.anna, "/operator", house.private(house.anna))
    return house


async def press(house: House, label: str) -> str:
    """Presses a button of the panel; answers what it says then."""
    chat = house.private(house.anna)
    board = house.telegram.last(chat, buttons=True)
    house.telegram.press(house.anna, chat, board.id, label)
    await house.breathe(2)
    return str(house.telegram.last(chat, buttons=True).text)


async def test_for_others_there_is_no_panel(panel: House) -> None:
    chat = panel.private(panel.ben)
    panel.say(panel.ben, "/operator", chat)
    panel.say(panel.anna, "/operator")
    await panel.breathe(2)

    assert panel.telegram.messages(chat)[-1].text == "/operator"
    assert "/operator" in panel.telegram.messages(panel.group)[-1].text

    forged = panel.telegram.press_data(panel.ben, chat, 1, "op:0:do.fund.1000")
    await panel.breathe(2)
    assert panel.telegram.toast(forged) is not None
    assert panel.sql("SELECT * FROM accounts WHERE kind = 'fund'") == []


async def test_a_deed_is_asked_about_once_and_booked_with_the_operators_id(panel: House) -> None:
    await press(panel, "🏹")
    asked = await press(panel, "💰 Fund +100")
    assert "100" in asked
    assert panel.sql("SELECT * FROM accounts WHERE kind = 'fund'") == []

    after = await press(panel, "Yes")

    assert "Fund: 100 Knuddels" in after
    memo = panel.sql("SELECT memo FROM bookings WHERE reason = 'fund'")
    assert str(panel.anna.id) in memo[0][0]
    assert panel.audit().problems == ()


async def test_robin_hoods_reins(panel: House) -> None:
    await press(panel, "🏹")
    assert "1 rounds" in (await press(panel, "+ rounds")).replace("1 round ", "1 rounds ")
    await press(panel, "▶️")
    assert "planned" in await press(panel, "Yes")
    await press(panel, "⏸")
    assert "paused" in await press(panel, "Yes")


@pytest.mark.parametrize("view", ["📊", "👥", "🧾"])
async def test_every_view_opens_and_leads_back(panel: House, view: str) -> None:
    assert await press(panel, view)
    assert "Open games" in await press(panel, "◀️")


async def test_the_supply_as_a_picture(panel: House) -> None:
    await press(panel, "📊")
    await press(panel, "📈")

    chat = panel.private(panel.anna)
    assert any(message.photo for message in panel.telegram.messages(chat))


async def test_no_new_games_while_drained(panel: House) -> None:
    await press(panel, "🚱")
    await press(panel, "Yes")

    await panel.ask(panel.ben, "/fifty")
    assert panel.sql("SELECT * FROM games") == []
