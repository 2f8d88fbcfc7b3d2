"""Updates in, deadlines and restarts: everything counts once, nothing is lost (SURVIVE)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from games.game import Refusal
from tests.tgbot.conftest import POOLS, House
from tgbot.hall import Hall
from tgbot.playground import Person

ROUND_S = 25
GRACE_S = 60


def moves(house: House) -> list[tuple[int, str]]:
    """What people threw, in order."""
    return house.sql("SELECT seat, move FROM moves WHERE seat >= 0 ORDER BY game_id, n")


def thrown_at(house: House) -> list[int]:
    """When people's throws were made."""
    return [at for (at,) in house.sql("SELECT at FROM moves WHERE seat >= 0 ORDER BY n")]


async def crash(house: House) -> None:
    """Ends the bot before it could confirm what it has applied: Telegram hands it out again."""
    assert house.bot

    async def nothing() -> None:
        pass

    house.bot.intake.finish = nothing  # type: ignore[method-assign]
    again = [dict(update) for update in house.telegram.queue.pending]
    await house.stop()
    assert [*house.telegram.queue.pending] == again


# -- once --------------------------------------------------------------------------------------


async def test_an_update_delivered_twice_adds_one_die(house: House) -> None:
    # die buttons add at every press, so nothing but the update's number tells it apart
    await house.begin(house.anna, house.ben)
    house.telegram.faults.duplicate_updates_next = 1
    await house.press(house.anna, "W4")
    await house.breathe()

    toast = await house.press(house.anna, "W8")

    assert house.telegram.faults.count["duplicate_updates"] == 1
    assert toast.startswith("4+8 ")


@pytest.mark.parametrize("said", ["/fifty", "/d +", "/leave", "/d 4"])
async def test_a_command_delivered_twice_is_obeyed_and_answered_once(
    house: House, said: str
) -> None:
    if said in ("/d 4", "/leave"):
        await house.begin(house.anna, house.ben)
    elif said == "/d +":
        await house.ask(house.cem, "/fifty")
    await house.breathe(5)
    heard = len(house.heard())
    house.telegram.faults.duplicate_updates_next = 1

    house.say(house.anna, said)
    await house.breathe(8)

    assert house.telegram.faults.count["duplicate_updates"] == 1
    assert len(house.heard()) == heard + (said == "/fifty")
    assert len(house.sql("SELECT * FROM games")) == 1
    assert len(moves(house)) == (said in ("/d 4", "/leave"))


async def test_a_refused_update_delivered_again_is_not_granted(house: House) -> None:
    # what was refused when it came must not come true a moment later
    await house.ask(house.ben, "/points", house.private(house.ben))
    await house.stake(11)
    await house.ask(house.anna, "/fifty")
    house.telegram.faults.duplicate_updates_next = 1
    push = house.telegram.queue.done
    held: list[int] = []
    house.telegram.queue.done = held.append  # type: ignore[method-assign]
    await house.press(house.ben, "✅")
    await give(house, house.ben, 5)

    house.telegram.queue.done = push  # type: ignore[method-assign]
    for update_id in held:
        push(update_id)
    await house.breathe(3)

    assert house.table().people == []
    assert house.coins(house.ben) == 15


async def give(house: House, person: Person, coins: int) -> None:
    """Knuddels out of nowhere."""
    from economy.ledger import mint, wallet

    assert house.bot
    ledger = house.bot.hall.ledger
    postings = {mint(): -coins, wallet(person.id): coins}
    await house.bot.clerk.run(lambda: ledger.book("given", "grant", postings, at=0))


async def test_the_news_of_a_removal_delivered_again_ends_no_later_game(house: House) -> None:
    house.telegram.kick(house.group)
    await house.breathe()
    removal = {"update_id": 700_000_002, "my_chat_member": {}}
    ids = [row[0] for row in house.sql("SELECT update_id FROM updates ORDER BY update_id")]
    house.telegram.readd(house.group)
    await house.breathe()
    await house.begin(house.anna, house.ben)

    seen = house.sql("SELECT update_id FROM updates")
    assert removal["update_id"] in ids
    await redeliver_all(house)

    assert house.table().status == "running"
    assert len(house.sql("SELECT update_id FROM updates")) == len(seen)


async def redeliver_all(house: House) -> None:
    """Everything that ever came in comes in once more."""
    queue = house.telegram.queue
    queue._replays.extend(DELIVERED[id(house.telegram)])
    queue.wake()
    await house.breathe(3)


DELIVERED: dict[int, list[dict[str, Any]]] = {}


@pytest.fixture(autouse=True)
def _remember_updates(request: pytest.FixtureRequest) -> None:
    """Notes every update that is handed to the bot."""
    if "house" not in request.fixturenames:
        return
    house: House = request.getfixturevalue("house")
    delivered = DELIVERED[id(house.telegram)] = [*house.telegram.queue.pending]
    append = house.telegram.queue.pending.append
    assert append
    push = house.telegram.queue._append

    def noting(kind: str, body: dict[str, Any]) -> None:
        push(kind, body)
        delivered.append(house.telegram.queue.pending[-1])

    house.telegram.queue._append = noting  # type: ignore[method-assign]
