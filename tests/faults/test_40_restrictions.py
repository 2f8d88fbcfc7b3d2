"""The unit's restrictions: everything a person can press works under them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.process import confined
from tests.process.mortal import ROOT, Mortal, mortal
from tgbot.inbound.commands import PRIVATE, commands
from tgbot.playground import Message, Person, Telegram

UNIT = ROOT / "deploy" / "dicehall.service"
BACKUP = ROOT / "deploy" / "dicehall-backup.service"
OPENING = (*(it.name for it in commands() if PRIVATE in it.places), "operator")
"""What is said in private; everybody says one of them."""
QUIET_S = 3.0
"""A chat is written to once a second; if so long none has a new button there is none any more."""
LAST = {"chart:0:show", "op:0:chart", "op:0:ask.backup"}
"""Buttons behind other buttons, which are waited for however slow the machine is."""

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(not confined.possible(), reason="nothing confines on this machine"),
]


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Mortal]:
    """The bot as the unit starts it; all people are operators."""
    state = tmp_path / "state"
    state.mkdir()
    async with mortal(state) as process:
        (state / "token").write_text(process.telegram.token)
        people = [process.telegram.person(f"Operator{n}") for n, _ in enumerate(OPENING)]
        process.settings |= {
            **confined.environment(UNIT),
            "BOT_TOKEN": "",
            "MIND_FOLDER": "minds",
            "OPERATORS": ",".join(str(person.id) for person in people),
        }
        process.under = confined.under(UNIT, state)
        process.command_line = confined.words(UNIT)
        await process.start()
        await process.serving()
        yield process


async def test_everything_can_be_pressed_as_the_unit_has_it(served: Mortal) -> None:
    telegram = served.telegram
    for person, command in zip([*telegram.people.values()], OPENING, strict=True):
        telegram.say(person, telegram.private(person), f"/{command}")

    presses = await press_all(served)

    assert not served.dead, served.story("it did not survive")
    for what, query in presses.items():
        await served.eventually(f"an answer to {what}", lambda q=query: telegram.toast(q))
    assert presses.keys() >= LAST
    pictures = 2
    await served.eventually("both charts", lambda: sent(telegram, "sendPhoto") == pictures)
    log = served.log.read_text()
    assert not re.search(r"\[error|Traceback", log), log


async def test_a_backup_is_made_as_its_unit_has_it(served: Mortal) -> None:
    served.under = confined.under(BACKUP, served.folder)

    status, out, err = await served.command(*confined.words(BACKUP))

    assert (status, err) == (0, "")
    assert "backups/dicehall-" in out


def sent(telegram: Telegram, method: str) -> int:
    """How many calls of a method went well."""
    return sum(call.method == method and call.status == 200 for call in telegram.log)


async def press_all(process: Mortal) -> dict[str, str]:
    """Presses every button in private that is not like one pressed before; the queries by what."""
    telegram, presses = process.telegram, {}
    new_at = time.monotonic()

    def more() -> bool:
        patience_s = QUIET_S if presses.keys() >= LAST else process.patience_s
        return not process.dead and time.monotonic() < new_at + patience_s

    while more():
        for person in telegram.people.values():
            for message, data in buttons(telegram, person):
                what = re.sub(r"^[a-z0-9]{8,}:[0-9]+:", "", data)
                if what not in presses:
                    chat = telegram.private(person)
                    presses[what] = telegram.press(person, chat, message.id, data)
                    new_at = time.monotonic()
        await asyncio.sleep(0.02)
    return presses


def buttons(telegram: Telegram, person: Person) -> Iterator[tuple[Message, str]]:
    """Every button in the person's chat with the bot."""
    for message in telegram.messages(telegram.private(person)):
        for row in message.buttons:
            yield from ((message, key["callback_data"]) for key in row if "callback_data" in key)
