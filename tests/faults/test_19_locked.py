"""The database file is locked by somebody else, as by a backup: the bot waits, then goes on."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator

import pytest

from economy import database
from tests.tgbot.house import House
from tests.tgbot.playing import thrown
from tgbot.operator.backup import into_folder

LOCKED_S = 0.3
"""By the machine's own clock: SQLite knows no other."""
ROUND_S = 25


def file(house: House) -> str:
    """The database file."""
    return house.settings.database.removeprefix("sqlite:///")


@contextlib.contextmanager
def locked(house: House, seconds: float = LOCKED_S) -> Iterator[sqlite3.Connection]:
    """Another connection writes to the file, for so long at least."""
    other = sqlite3.connect(file(house), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(seconds, other.rollback)
    timer.start()
    try:
        yield other
    finally:
        timer.join()
        other.close()


@pytest.fixture
async def hasty(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house whose bot waits only a moment for a lock."""
    await house.stop()
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.05)
    await house.start()
    return house


async def test_a_press_waits_until_the_file_is_free(house: House) -> None:
    await house.stake(5)
    await house.ask(house.anna, "/fifty")

    with locked(house):
        toast = await house.press(house.ben, "✅")

    assert toast == house.says("lobby.joined_stake", stake="5 Knuddels")
    assert house.table().people == [house.ben]
    assert house.log.said("ERROR") == house.log.said("WARNING") == []


async def test_a_deadline_waits_until_the_file_is_free(house: House) -> None:
    await house.begin(house.anna, house.ben)

    with locked(house):
        await house.breathe(ROUND_S + 3)

    assert thrown(house) == [(0, "late"), (1, "late")]
    assert house.log.said("ERROR") == []


async def test_a_backup_holds_nobody_up(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    copies: list[object] = []
    backup = threading.Thread(target=lambda: copies.append(into_folder(house.settings)))

    backup.start()
    await house.throw(house.anna, "20", 7)
    await house.throw(house.ben, "20", 8)
    backup.join()

    assert thrown(house) == [(0, "20"), (1, "20")]
    assert copies


async def test_locked_longer_than_anybody_waits_the_press_counts_later_by_itself(
    hasty: House,
) -> None:
    house = hasty
    house.excused.add("errors")
    await house.stake(5)
    await house.ask(house.anna, "/fifty")
    await house.breathe(3)

    with locked(house):
        at_once = await house.press(house.ben, "✅")
    await house.breathe(3)

    assert at_once == ""
    toast = house.telegram.toasts(house.ben)[-1]
    assert toast.text == house.says("lobby.joined_stake", stake="5 Knuddels")
    assert house.coins(house.ben) == 5


async def test_locked_longer_than_anybody_waits_the_deadline_comes_later_once(
    hasty: House,
) -> None:
    house = hasty
    house.excused.add("errors")
    await house.begin(house.anna, house.ben, stake=5)

    with locked(house):
        await house.breathe(ROUND_S + 3)
        during = thrown(house)
    await house.look()

    assert during == []
    assert thrown(house) == [(0, "late"), (1, "late")]


async def test_locked_longer_than_anybody_waits_the_board_is_painted_later(hasty: House) -> None:
    house = hasty
    house.excused |= {"errors"}
    await house.open(house.anna, start=False)
    await house.breathe(3)
    house.telegram.press(house.ben, house.group, house.board().id, "✅")
    await house.breathe(0.05)

    with locked(house):
        await house.breathe(5)
    await house.breathe(10)

    assert "Ben" in house.board().text
    assert house.sql("SELECT count(*) FROM showings WHERE painted < board") == [(0,)]


async def test_restarted_while_locked_the_press_counts_in_the_next_life(hasty: House) -> None:
    house = hasty
    house.excused.add("errors")
    await house.stake(5)
    await house.ask(house.anna, "/fifty")
    await house.breathe(3)

    with contextlib.closing(sqlite3.connect(file(house), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        house.telegram.press(house.ben, house.group, house.board().id, "✅")
        await house.breathe(5)
        await house.stop()
    await house.start()

    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == 5
