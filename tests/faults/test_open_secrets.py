"""RULES 7: the secret of an open game lies in no file and leaves the process by no way."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path

import pytest

from games.fairness import Stream
from tests.tgbot.calling import Called, bot_of, called, look
from tests.tgbot.house import House
from tgbot import log
from tgbot.operator.backup import into_folder
from tgbot.operator.export import write
from tgbot.playground.page import message_json

__all__ = ["called"]


def contents(folder: Path) -> list[bytes]:
    """What lies in every file below a folder."""
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


async def four_open_games(house: House) -> None:
    """A game that runs in a group, one with late joiners, one alone, and a lobby; one is over."""
    bot_of(house).hall.chance.stream = Stream
    await house.open(house.anna, house.ben)
    house.say(house.anna, "/stop")
    await house.breathe(3)
    for kind in ("fifty", "yahtzee"):
        group = house.telegram.group(kind, house.anna, house.ben, house.cem)
        await house.breathe(3)
        house.say(house.anna, f"/{kind}", group)
        await house.breathe(5)
        board = house.telegram.last(group, buttons=True)
        for person in (house.anna, house.ben):
            await house.press(person, "🐱", board)
        await house.press(house.anna, "▶️", board)
        await house.breathe(3)
        house.say(house.anna, "/d 4+6" if kind == "fifty" else "/roll", group)
        await house.breathe(3)
    await house.ask(house.anna, "/farkle20", house.private(house.anna))
    house.say(house.anna, "/roll", house.private(house.anna))
    await house.ask(house.anna, "/zilch")
    await house.press(house.cem, "⚓")
    await house.breathe(3)


async def asked_for_everything(house: House, ids: list[str]) -> list[str]:
    """What the bot answers to who would like to know."""
    toasts = []
    for game_id in ids:
        for chat in (house.group, house.private(house.cem)):
            house.say(house.cem, f"/verify {game_id}", chat)
        codes = ("verify", "rules", "charm2", "sheets", "again")
        data = [f"{game_id}:0:{code}" for code in codes]
        toasts += [await house.forge(house.cem, said, house.board()) for said in data]
    house.settings.operators = (house.anna.id,)
    for command in ("/operator", "/points", "/fair", "/verify", "/privacy", "/history", "/top"):
        house.say(house.anna, command, house.private(house.anna))
        await house.breathe(3)
    for page in ("home", "supply", "robin", "plan", "rounds", "past", "chats"):
        toasts.append(await house.forge(house.anna, f"op:0:{page}", house.telegram.last(
            house.private(house.anna), buttons=True
        )))  # fmt: skip
        await house.breathe(2)
    return toasts


async def test_7_no_secret_of_an_open_game_lies_in_a_file_or_leaves_the_process(
    called: Called, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    house, wire = called
    house.excused |= {"errors", "refusals"}
    log.setup("debug")
    await four_open_games(house)
    opened = [row[0] for row in house.sql("SELECT id FROM games WHERE over_at = 0")]
    toasts = await asked_for_everything(house, opened)
    await house.stop()
    await house.start()
    await house.breathe(5)

    pages = [(await look(house, path)).text for path in ("/metrics", "/healthz", "/verify")]
    copy = into_folder(house.settings, now=1_800_000_000).file
    exported = io.StringIO()
    for form in ("csv", "jsonl", "json"):
        write(bot_of(house).hall.store.db, form, exported)
    shown = [
        json.dumps(message_json(message))
        for chat in house.telegram.chats.values()
        for message in house.telegram.messages(chat)
    ]
    calls = [repr((call.method, call.params)) for call in house.telegram.log]
    memory = [repr(table) for table in bot_of(house).hall.tables.seen.values()]
    answers = [repr(answer) for answer in wire.responses]
    texts = [*toasts, *pages, *shown, *calls, *memory, *answers]
    texts += [exported.getvalue(), capsys.readouterr().err]
    files = contents(tmp_path)
    documents = [pickle.dumps(it.data) for it in house.telegram.documents.values()]
    everything = b"\n".join([*files, *documents, "\n".join(texts).encode()])

    secrets = house.secrets()
    assert len(opened) == 4
    assert copy.is_file()
    assert any(game_id in text for text in shown for game_id in opened)
    (over,) = {*secrets} - {*opened}
    assert secrets[over] in everything  # what is over is told, so this would find what is not
    for game_id in opened:
        for form in (secrets[game_id], repr(secrets[game_id])[2:-1].encode()):
            assert form not in everything
        assert secrets[game_id].hex().encode() not in everything.lower()
    key = house.settings.dice_key()
    assert key not in everything
    assert key.hex().encode() not in everything.lower()
