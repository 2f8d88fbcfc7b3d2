"""The process dies anywhere: everything is applied once, boards are repaired at the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import boards_with_keys, flood, give, play_on, shown, thrown
from tgbot.playground import Person


async def test_a_press_delivered_twice_adds_one_die(house: House) -> None:
    # die buttons add at every press: nothing but the update's number tells a repetition apart
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    house.telegram.faults.duplicate_updates_next = 1
    await house.press(house.anna, "d4")
    await house.breathe()

    toast = await house.press(house.anna, "d8")

    assert house.telegram.faults.count["duplicate_updates"] == 1
    assert toast.startswith("4+8 ")


@pytest.mark.parametrize("said", ["/fifty", "/d +", "/leave", "/d 4"])
async def test_a_command_delivered_twice_is_obeyed_and_answered_once(
    house: House, said: str
) -> None:
    if said in ("/d 4", "/leave"):
        await house.begin(house.anna, house.ben, house.cem)
    elif said == "/d +":
        await house.ask(house.cem, "/fifty")
    await house.breathe(5)
    heard = len(house.heard())
    house.telegram.faults.duplicate_updates_next = 1

    house.say(house.anna, said)
    await house.breathe(8)

    assert house.telegram.faults.count["duplicate_updates"] == 1
    assert len(house.heard()) == heard + (said == "/fifty")
    assert len(thrown(house)) == (said in ("/d 4", "/leave"))
    assert len(house.sql("SELECT * FROM games")) == 1


async def test_everything_delivered_again_after_a_crash_changes_nothing(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    for person in (house.anna, house.ben, house.cem):
        await house.throw(person, "4+20", 1, 5)
    await play_on(house, house.anna, house.ben, house.cem)
    await house.breathe(60)  # old boards lose their keyboards when there is room
    before, heard = shown(house), len(house.heard())
    assert len(house.received) > 20

    await house.away(1)
    await house.redeliver(*house.received)

    assert shown(house) == before
    assert len(house.heard()) == heard


async def test_a_refused_update_delivered_again_is_not_granted(house: House) -> None:
    # what was refused when it came must not come true a moment later
    await house.stake(11)
    await house.ask(house.anna, "/fifty")
    await house.press(house.ben, "✅")
    press = house.received[-1]
    await house.ask(house.ben, "/points", house.private(house.ben))
    await give(house, house.ben, 5)

    await house.redeliver(press)

    assert house.table().people == []
    assert house.coins(house.ben) == 15


async def test_the_news_of_a_removal_delivered_again_ends_no_later_game(house: House) -> None:
    house.telegram.kick(house.group)
    await house.breathe()
    removal = house.received[-1]
    house.telegram.readd(house.group)
    await house.breathe()
    await house.begin(house.anna, house.ben, stake=5)

    await house.redeliver(removal)

    assert "my_chat_member" in removal
    assert house.table().status == "running"


async def test_the_news_of_an_addition_delivered_again_greets_once(house: House) -> None:
    house.telegram.kick(house.group)
    house.telegram.readd(house.group)
    await house.breathe()
    addition = next(u for u in reversed(house.received) if "my_chat_member" in u)

    await house.redeliver(addition)

    assert house.heard().count(house.says("start.hello_group")) == 2


async def test_a_board_left_behind_is_painted_at_the_next_start(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.open(house.anna, house.ben, start=False)
    await house.breathe(3)
    flood(house, times=1, seconds=30)
    await house.press(house.cem, "✅")
    await house.breathe()

    await house.away(60)
    await house.breathe(5)

    assert "Anna, Ben, Cem" in house.board().text


async def test_a_result_left_behind_is_painted_at_the_next_start(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    await house.breathe(3)
    flood(house, times=1, seconds=30)
    for person in (house.anna, house.ben):
        await house.leave(person)
    await house.breathe()
    assert house.table().status == "over"

    await house.away(60)
    await house.breathe(5)

    assert house.says("fifty.reason.all_out") in house.board().text


async def test_a_result_left_behind_is_shown_at_once_without_its_drum_roll(house: House) -> None:
    """Else a process that dies every few seconds would never get to the end of one."""
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    for pool in POOLS:
        for person, total in ((house.anna, 12), (house.ben, 9)):
            if (pool, person) == (POOLS[-1], house.ben):
                flood(house, times=1, seconds=60)
            await house.score(person, pool, total)
        await house.breathe(2)
    assert house.table().status == "over"
    before = len(house.written())

    await house.away(1)

    assert "🏁" in house.board().text
    assert not [call for call in house.written()[before:] if "🥁" in call.params.get("text", "")]


DEEDS = {
    "open": (None, "/fifty"),
    "join": ("✅", None),
    "typed join": (None, "/d +"),
    "leave": ("🚪", None),
    "start": ("▶️", None),
    "setting": (None, "/settings stake 7"),
    "gift": (None, "/give 3 @Ben"),
    "throw": ("🎲", None),
    "typed throw": (None, "/d 4"),
    "last throw": (None, "/d 4"),
}
"""What somebody does, by button or by command, while the process dies."""


def file(house: House) -> Path:
    """The database file."""
    return Path(house.settings.database.removeprefix("sqlite:///"))


def contents(house: House) -> bytes:
    """What the file of a stopped bot holds."""
    return file(house).read_bytes()


def put_back(house: House, held: bytes) -> None:
    """Has the file of a stopped bot hold something else."""
    file(house).write_bytes(held)


async def before(house: House, deed: str) -> Person:
    """Everything up to the deed; answers who does it."""
    house.settings.give_after_days = 0
    for person in (house.anna, house.ben):
        await house.ask(person, "/start", house.private(person))
    await give(house, house.anna, 50)
    await house.stake(5)
    if deed in ("join", "typed join"):
        await house.open(house.ben, start=False)
    elif deed in ("leave", "start"):
        await house.open(house.anna, house.ben, start=False)
    elif "throw" in deed:
        await house.begin(house.anna, house.ben)
        await house.press(house.anna, "d4")
    if deed == "last throw":
        for pool in POOLS:
            await house.score(house.ben, pool, 9)
            if pool != POOLS[-1]:
                await house.score(house.anna, pool, 10)
            await house.breathe(3)
    await house.breathe(5)
    return house.anna


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("committed", [False, True], ids=["before the commit", "after the commit"])
async def test_killed_before_or_after_the_commit_a_deed_is_done_once(
    house: House, deed: str, committed: bool
) -> None:
    # what is not confirmed comes again, to a process that has the file as it was at its death
    house.excused.add("refusals")
    person = await before(house, deed)
    button, said = DEEDS[deed]
    board = house.board()
    await house.stop()
    untouched = contents(house)
    await house.start()
    house.rolls = [1]

    if button:
        house.telegram.press(person, house.group, board.id, button)
    else:
        house.say(person, str(said))
    await house.breathe()
    once, update = shown(house), house.received[-1]
    await house.stop()
    if not committed:
        put_back(house, untouched)
    house.rolls = [1]
    await house.start()
    await house.redeliver(update)

    again = shown(house)
    for table in once.keys() - {"due", "moves", "bookings", "seats", "notices", "chats", "people"}:
        assert again[table] == once[table], table
    assert [row[:5] for row in again["moves"]] == [row[:5] for row in once["moves"]]
    assert [row[1:3] for row in again["bookings"]] == [row[1:3] for row in once["bookings"]]
    assert len(again["seats"]) == len(once["seats"])


async def test_killed_before_the_board_the_next_life_shows_it_once(house: House) -> None:
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben, stake=5)
    await house.breathe(3)
    flood(house, times=1, seconds=300)
    await house.score(house.anna, POOLS[0], 10)
    await house.score(house.ben, POOLS[0], 9)
    await house.breathe(2)
    assert "ound 2" not in house.board().text

    await house.away(30)
    await house.breathe(20)

    assert "ound 2 of 3" in house.board().text
    assert boards_with_keys(house) == [house.board()]
