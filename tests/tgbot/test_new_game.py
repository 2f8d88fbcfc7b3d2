"""A new game is one new folder, here or in an installed package: nothing else knows of it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import games
from games import registry
from tests.tgbot.house import House, running_house
from tgbot.playground import Limits

FILES = {
    "__init__.py": """
from games.game import Game
from games.highest import rules, view
from games.policy import random_move

GAME = Game(
    kind="highest", icon="🎱", seats=(2, 6), rules=rules, view=view,
    policies={"random": random_move(rules)}, commands=frozenset({"d"}),
)
""",
    "rules.py": """
from dataclasses import dataclass, replace
from games.game import HOUSE, NO_DICE, Outcome, Phase, Refusal, Throw

VERSION = 1

@dataclass(frozen=True)
class State:
    thrown: tuple

def start(setup): return State((None,) * setup.seats)
def house(state): return None
def admits(state): return False
def seated(state): return tuple(s for s, t in enumerate(state.thrown) if t != 0)
def waiting(state): return tuple(s for s, t in enumerate(state.thrown) if t is None)

def throw(state, seat, move):
    if seat not in waiting(state):
        raise Refusal("highest.refused")
    return NO_DICE if move == "leave" else Throw((6,))

def play(state, seat, move, dice):
    throw(state, seat, move)
    value = 0 if move == "leave" else dice[0]
    return State((*state.thrown[:seat], value, *state.thrown[seat + 1:]))

def phase(state, seat=HOUSE):
    return Phase(1 if waiting(state) else 2, 1, 20, waiting(state))

def expire(state, seat=HOUSE, *, seen=True):
    late = waiting(state)
    return (late[0], "throw") if late else None

def outcome(state):
    if waiting(state):
        return None
    values = sorted({t for t in state.thrown if t}, reverse=True)
    places = tuple(tuple(s for s, t in enumerate(state.thrown) if t == v) for v in values)
    return Outcome("ranked", places, tuple(s for s, t in enumerate(state.thrown) if t == 0))

def legal(state, seat): return ("throw",) if seat in waiting(state) else ()
def tally(state): return {"throws": len(state.thrown)}
""",
    "view.py": """
from games.game import Board, Button, Move, Name, text

def board(state, selection=""):
    lines = tuple(text("highest.line", name=Name(s), thrown=t or 0)
                  for s, t in enumerate(state.thrown))
    return Board(lines, ((Button(text("highest.throw"), "throw", "success"),),))

def past(state, scene): return board(state).lines
def reveal(state, scene): return ()
def reached(state, seat): return state.thrown[seat] or 0
def how(state, seat): return text("highest.how", thrown=state.thrown[seat] or 0)
def press(state, seat, selection, code): return Move("throw")
def command(state, seat, selection, name, words, names=()): return Move("throw")
def thrown(before, after, seat): return text("highest.thrown", thrown=after.thrown[seat])
""",
}
WORDS = {
    "title": "Highest",
    "line": "{name}: {thrown}",
    "throw": "🎱 Roll",
    "thrown": "You rolled {thrown}.",
    "how": "one die: {thrown}",
    "refused": "You have rolled.",
    "reason.ranked": "{name} is highest",
    "rules": "Roll one die.",
    "rules_short": "Roll one die.",
}


def locale() -> str:
    """The game's locale file."""
    entries = "".join(f'msgid "highest.{k}"\nmsgstr "{v}"\n\n' for k, v in WORDS.items())
    return 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n' + entries


def look_anew() -> None:
    """Games are looked for once in the life of a process."""
    for found in (registry, games._modules):
        found.cache_clear()


@pytest.fixture
def highest(tmp_path: Path) -> Iterator[None]:
    """The game of the highest die, in a folder outside the project."""
    folder = tmp_path / "more" / "highest"
    (folder / "locales").mkdir(parents=True)
    for name, source in FILES.items():
        (folder / name).write_text(source, "utf-8")
    for language in ("de", "en"):
        (folder / "locales" / f"{language}.po").write_text(locale(), "utf-8")
    games.__path__.append(str(folder.parent))
    look_anew()
    yield
    games.__path__.remove(str(folder.parent))
    for name in [name for name in sys.modules if name.startswith("games.highest")]:
        del sys.modules[name]
    look_anew()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same game as a wheel of its own, `highest-dice`, that pip has installed."""
    wheel, place = tmp_path / "highest_dice-1.0-py3-none-any.whl", tmp_path / "installed"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, source in FILES.items():
            archive.writestr(f"highest/{name}", source.replace("games.highest", "highest"))
        archive.writestr("highest/locales/en.po", locale())
        about = "highest_dice-1.0.dist-info"
        archive.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: highest-dice\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/entry_points.txt", "[dicehall.games]\nhighest = highest:GAME\n")
        archive.writestr(f"{about}/RECORD", "")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--target", str(place), str(wheel)], check=True)
    monkeypatch.syspath_prepend(str(place))
    look_anew()
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "highest"]:
        del sys.modules[name]
    look_anew()


@pytest.fixture
async def house(highest: None, tmp_path: Path) -> AsyncIterator[House]:
    async for made in running_house(tmp_path, Limits(off=True)):
        yield made


async def test_a_game_in_a_folder_of_its_own_is_played_through_the_whole_bot(house: House) -> None:
    await house.stake(5)
    menu = await house.ask(house.anna, "/play")
    assert menu
    assert "🎱 Highest" in [b["text"] for row in house.board().buttons for b in row]

    await house.open(house.anna, house.ben, house.cem, kind="highest")
    house.rolls = [2, 6]
    assert await house.press(house.anna, "🎱") == "You rolled 2."
    assert await house.ask(house.ben, "/d")
    await house.breathe(30)

    assert "🥇 Ben 6 (one die: 6) +8\u00a0🪙 +4\u00a0P" in house.board().text
    assert "🥈 Anna" in house.board().text
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [9, 13, 8]
    assert house.audit().problems == ()


async def test_help_rules_and_points_know_it_at_once(house: House) -> None:
    await house.open(house.anna, house.ben, kind="highest")
    house.rolls = [2, 6]
    await house.press(house.anna, "🎱")
    await house.press(house.ben, "🎱")
    await house.breathe(3)

    assert "/highest@" in await house.ask(house.anna, "/help")
    points = await house.ask(house.ben, "/points", house.private(house.ben))
    assert "2 Highest points" in points


async def test_a_game_that_is_installed_is_played_in_the_words_it_has(
    installed: None, tmp_path: Path
) -> None:
    async for house in running_house(tmp_path, Limits(off=True)):
        await house.open(house.anna, house.ben, kind="highest")
        house.rolls = [2, 6]
        assert await house.press(house.anna, "🎱") == "You rolled 2."
        assert await house.press(house.ben, "🎱") == "You rolled 6."
        await house.breathe(3)

        assert "Ben is highest" in house.board().text
        # Its package has no German file: Cem, whose Telegram is German, reads its English.
        rules = await house.ask(house.cem, "/rules highest", house.private(house.cem))
        assert "Roll one die." in rules


def test_a_second_game_of_the_same_kind_is_refused(installed: None, highest: None) -> None:
    look_anew()

    with pytest.raises(ValueError, match=r"games\.highest and highest|highest and games\.highest"):
        registry()
