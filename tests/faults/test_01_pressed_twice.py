"""The same button pressed twice, as two presses with different ids: one stake, one move."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, data, load, presses, thrown
from tgbot.playground import Person


async def twice(house: House, person: Person, button: str) -> list[str]:
    """One press that arrives as two, with different ids; the toasts of both."""
    before = len(house.telegram.toasts(person))
    house.telegram.faults.duplicate_presses_next = 1
    await house.press(person, button)
    await house.breathe()
    return [toast.text for toast in house.telegram.toasts(person)[before:]]


async def test_joining_pressed_twice_takes_one_stake(house: House) -> None:
    await house.stake(5)
    await house.ask(house.anna, "/fifty")

    toasts = await twice(house, house.ben, "✅")

    assert toasts == [
        house.says("lobby.joined_stake", stake="5 Knuddels"),
        house.says("refused.joined"),
    ]
    assert house.coins(house.ben) == 5


async def test_throw_pressed_twice_throws_once(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "d6")

    toasts = await twice(house, house.anna, "🎲")

    assert toasts[1] == house.says("fifty.refused.thrown")
    assert thrown(house) == [(0, "6")]


@pytest.mark.parametrize("button", ["▶️", "🚪"])
async def test_start_and_leave_pressed_twice_happen_once(house: House, button: str) -> None:
    await house.open(house.anna, house.ben, house.cem, start=False)

    toasts = await twice(house, house.anna, button)

    assert len(toasts) == 2
    assert toasts[0] != toasts[1]
    assert len(house.sql("SELECT * FROM games")) == 1


async def test_a_die_pressed_twice_is_two_dice(house: House) -> None:
    await house.begin(house.anna, house.ben)

    toasts = await twice(house, house.anna, "d6")

    assert [toast.split(" ")[0] for toast in toasts] == ["6", "6+6"]


@KINDS
async def test_a_whole_game_with_every_button_pressed_twice(house: House, kind: str) -> None:
    people = [house.anna, house.ben]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    random = load(house, kind)
    await house.open(*people, kind=kind)
    game_id, made, answered = house.table().id, [0], 0
    house.telegram.faults.duplicate_presses_next = 1

    async for person, _board, _code in presses(house, people, random):
        await house.breathe(0.1)
        made.append(len(thrown(house)))
        answered += house.telegram.toasts(person)[-1].text != ""
        house.telegram.faults.duplicate_presses_next = 1
    await house.breathe(5)

    assert house.telegram.faults.count["duplicate_presses"] == len(made) - 1 == answered
    assert max(after - before for before, after in pairwise(made)) == 1
    assert house.sql("SELECT count(*) FROM bookings WHERE key LIKE 'settle:%'") == [(1,)]
    assert house.held("escrow", game_id) == 0


@KINDS
@pytest.mark.parametrize("button", ["join", "start", "leave"])
async def test_the_buttons_of_a_lobby_pressed_twice(house: House, kind: str, button: str) -> None:
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    await house.stake(5)
    await house.open(house.anna, house.ben, kind=kind, start=False)
    board, pressed = house.board(), data(house.board(), button)
    who = {"join": house.cem, "start": house.anna, "leave": house.ben}[button]
    await house.press(who, pressed, board)
    answers = len(house.telegram.toasts(who))

    async with house.nothing_written():
        await house.forge(who, pressed, board)

    (answer,) = house.telegram.toasts(who)[answers:]
    assert answer.text or answer.url  # a race goes on in private, and the press leads there
    assert answer.text != house.says("refused.too_fast")


@pytest.mark.parametrize(
    ("said", "button"),
    [
        ("/settings stake 3", "5"),
        ("/settings", "Deutsch"),
        ("/settings", "admins"),
        ("/language", "Deutsch"),
        ("/privacy", ""),
        ("/play", "🎲"),
        ("/points", "👛"),
        ("/top", ""),
    ],
)
async def test_the_buttons_of_a_menu_pressed_twice(house: House, said: str, button: str) -> None:
    alone = said in ("/language", "/privacy")
    chat = house.private(house.anna) if alone else house.group
    await house.ask(house.anna, said, chat)
    menu = house.telegram.last(chat, buttons=True)
    keys = [key for row in menu.buttons for key in row if button in key["text"]]
    pressed = keys[0]["callback_data"]
    await house.press(house.anna, pressed, menu)
    await house.breathe(3)

    async with house.nothing_written():
        await house.forge(house.anna, pressed, menu)


async def test_again_pressed_twice_opens_one_game(house: House) -> None:
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9)})

    toasts = await twice(house, house.ben, "🔁")

    assert toasts == [
        house.says("lobby.opened_in"),
        house.says("refused.busy_lobby", game="Fifty!"),
    ]
    assert len(house.sql("SELECT * FROM games")) == 2
