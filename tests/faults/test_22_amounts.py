"""An amount of `-5`, `0`, `1e9`, `١٢`, `1_000`, `１００` or 30 digits is refused with words."""

from __future__ import annotations

import sqlite3

import pytest

from tests.process.typed import Run
from tests.tgbot.house import House
from tests.tgbot.playing import give

AMOUNTS = (
    "-5", "0", "1e9", "١٢", "1_000", "１００", "9" * 30, "+5", "5.0", "5,0", "0x10", "½", "²", "৫",
    "Ⅴ", "five", "5 Knuddels", "5\u200b", "NaN", "inf", "--", "'; --",
)  # fmt: skip
ON_THE_LINE = ("-5", "1e9", "١٢", "1_000", "１００", "9" * 30, "five")
NOT_STAKES = tuple(amount for amount in AMOUNTS if amount != "0")

every = pytest.mark.parametrize("amount", AMOUNTS)


@pytest.fixture
async def rich(house: House) -> House:
    """A house in which Anna may give and Ben is known."""
    house.settings.give_after_days = 0
    house.ben.username = "Ben"
    for person in (house.anna, house.ben):
        await house.ask(person, "/start", house.private(person))
    await give(house, house.anna, 100)
    return house


@every
@pytest.mark.parametrize("form", ["/give {} @Ben", "/give {}"])
async def test_give(rich: House, amount: str, form: str) -> None:
    async with rich.nothing_written():
        answer = await rich.ask(rich.anna, form.format(amount), rich.private(rich.anna))

    assert answer.split()
    assert answer != form.format(amount)
    assert not answer.startswith("🎁")


@pytest.mark.parametrize("amount", NOT_STAKES)
async def test_settings_stake(house: House, amount: str) -> None:
    await house.stake(3)

    async with house.nothing_written():
        typed = await house.ask(house.anna, f"/settings stake {amount}")
        forged = await house.forge(house.anna, f"set:0:stake={amount}")

    assert typed == house.says("settings.bad_stake", most=101)
    assert forged in (typed, house.says("refused.stale"))


@pytest.mark.parametrize(
    ("command", "amount"),
    [
        *(("/d {}", amount) for amount in AMOUNTS),
        *((form, amount) for form in ("/d w{}", "/d {}w6", "/dice {}", "/diceo {}w20")
          for amount in ON_THE_LINE),
    ],
)  # fmt: skip
async def test_dice(house: House, command: str, amount: str) -> None:
    await house.begin(house.anna, house.ben)

    async with house.nothing_written():
        answer = await house.ask(house.anna, command.format(amount))

    assert answer
    assert not answer.startswith("🎲 Anna")


@pytest.mark.parametrize("amount", ON_THE_LINE)
def test_on_the_command_line(dicehall: Run, books: sqlite3.Connection, amount: str) -> None:
    before = list(books.iterdump())

    for words in (
        ["grant", "--reason", "x", "--", "@Ann"],
        ["correct", "--reason", "x", "--", "@Ann"],
        ["fund", "--reason", "x", "--"],
        ["robin-hood", "now", "--"],
        ["robin-hood", "at", "--", "23:59"],
    ):
        dicehall(*words, amount).refused()
    for plan in (["--rounds=1", f"--coins={amount}"], [f"--rounds={amount}", "--coins=5"]):
        dicehall("robin-hood", "plan", *plan).refused()

    assert list(books.iterdump()) == before


async def test_what_is_an_amount_is_taken(rich: House) -> None:
    answer = await rich.ask(rich.anna, "/give 5 @Ben", rich.private(rich.anna))

    assert answer.startswith("🎁")
    assert rich.coins(rich.ben) == 15
