"""Hidden or erased people asked for by name are unknown outside their chats (SURVIVE 36).

And no file of the bot holds the name of who was erased.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.typed import Run
from tests.tgbot.house import House
from tests.tgbot.playing import Beside
from tgbot.hall.old_boards import OldBoards
from tgbot.operator import actions
from tgbot.playground import Chat, Person


async def hidden_from(house: House) -> tuple[Chat, Person]:
    """Ben has played in the group and hides his name; Dora asks from another group."""
    ben = house.telegram.person("Ben Hidden", username="benhides", language_code="en")
    house.telegram.join(house.group, ben)
    await house.game({house.anna: (12, 12, 12), ben: (9, 9, 9)})
    private = house.private(ben)
    await house.ask(ben, "/privacy", private)
    await house.press(ben, "🙈", house.telegram.last(private))
    dora = house.telegram.person("Dora", language_code="en")
    return house.telegram.group("Elsewhere", dora, house.anna), dora


@pytest.mark.parametrize("name", ["Ben Hidden", "@benhides", "benhides"])
async def test_36_who_is_hidden_is_unknown_in_other_groups_and_in_private(
    house: House, name: str
) -> None:
    elsewhere, dora = await hidden_from(house)

    await house.breathe(5)
    there = await house.ask(dora, f"/whois {name}", elsewhere)
    alone = await house.ask(dora, f"/whois {name}", house.private(dora))
    gift = await house.ask(dora, f"/give 5 {name}", elsewhere)

    assert there == alone == house.says("refused.unknown_person")
    assert "Ben" not in gift or gift == house.says("give.unknown", name=name)


async def test_36_who_is_hidden_is_known_where_they_played(house: House) -> None:
    await hidden_from(house)

    here = await house.ask(house.cem, "/whois @benhides")

    assert here.startswith("👤 Ben Hidden")


async def test_36_a_hidden_namesake_does_not_stand_before_who_is_listed(house: House) -> None:
    elsewhere, dora = await hidden_from(house)
    listed = house.telegram.person("Ben Hidden", language_code="en")
    house.telegram.join(elsewhere, listed)
    await house.ask(listed, "/whois", elsewhere)

    asked = await house.ask(dora, "/whois Ben Hidden", elsewhere)

    assert asked.startswith("👤 Ben Hidden")
    assert house.says("whois.games", n=0) in asked or "1" not in asked


async def test_36_who_was_erased_is_unknown_by_their_old_name(house: House) -> None:
    await hidden_from(house)
    with Beside(house) as (_, people):
        actions.erase(people, "@benhides")

    for name in ("Ben Hidden", "@benhides"):
        assert await house.ask(house.cem, f"/whois {name}") == house.says("refused.unknown_person")


# -- erased ------------------------------------------------------------------------------------

NAME, USERNAME = "Zaphodia Ü. <Beeble>", "zaphodia_b"
EARLIER = "Zarquonia"


def files(house: House) -> Iterator[Path]:
    """Every file of the bot."""
    folder = Path(house.settings.database.removeprefix("sqlite:///")).parent
    yield from (path for path in folder.rglob("*") if path.is_file())


def told(house: House) -> set[str]:
    """The files that hold a part of the name, or the username."""
    parts = [word.encode() for word in ("Zaphodia", "Beeble", EARLIER, "zaphodia_b")]
    return {path.suffix for path in files(house) if any(it in path.read_bytes() for it in parts)}


async def test_36_after_erase_no_file_of_the_bot_holds_the_name(
    house: House, dicehall: Run
) -> None:
    """She renamed herself, played, was looked up, and is named on a board nobody can reach."""
    house.excused |= {"refusals", "errors"}
    her = house.telegram.person(EARLIER, username=USERNAME)
    house.telegram.join(house.group, her)
    house.say(her, "/start", house.private(her))
    await house.breathe(3)
    her.first_name = NAME
    await house.game({house.anna: (9, 9, 9), house.ben: (8, 8, 8), her: (7, 7, 7)})
    house.say(house.anna, f"/whois @{USERNAME}")
    await house.breathe(5)
    assert house.bot
    boards, body = OldBoards(house.bot.hall.store.db), f"<b>{html.escape(NAME, quote=False)}</b>"
    await house.bot.clerk.run(lambda: boards.add(-100999, 5, body))  # where the bot is no more
    house.sql("PRAGMA wal_checkpoint(PASSIVE)")
    assert told(house) == {".db", ".db-wal"}

    dicehall("erase", f"@{USERNAME}", DATABASE=house.settings.database)

    assert told(house) == set()
    await house.stop()
    assert told(house) == set()
    assert house.sql("SELECT erased_at > 0 FROM people WHERE user_id = ?", her.id) == [(1,)]
