"""Boards of twenty people (BOARDS): at most twelve lines of 40 characters and five rows of buttons.

What they say in a whole game of Fifty! stands in `tests/tgbot/crowd/LANGUAGE.txt`; `pytest
--update` writes it anew.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tgbot.house import POOLS, House
from tgbot.playground import Message, Person

FOLDER = Path(__file__).parent / "crowd"
NAMES = ("Maximilian", "Dora", "Emil", "Frauke", "Gül", "Hannes", "Ida", "Jonas", "Katharina")
NAMES += ("Leo", "Mia", "Nadine", "Oskar", "Paula", "Quentin", "Rosa", "Sebastian")
LIMITS = (15, 22, 13)
SUMS = (
    (15, 12, 9, 16, 14, 4, 11, 8, 13, 10, 7),
    (22, 14, 20, 9, 21, 17, 12, 19, 18, 23, 16),
    (12, 9, 7, 13, 11, 15, 10, 8, 6, 5, 4),
)
"""What they throw one after the other in each round, over and over."""
LINES, COLUMNS, ROWS = 12, 40, 5
GAME_ID, SECONDS = re.compile(r"\b[a-z0-9]{7,9}$", re.MULTILINE), re.compile(r"\d+ s\b")


@pytest.mark.parametrize("language", ["de", "en"])
async def test_boards_of_twenty_fit_a_phone(
    house: House, language: str, golden: Callable[[Path, str], None]
) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))  # for the jackpot
    await house.ask(house.anna, f"/settings language {language}")
    people = [house.anna, house.ben, house.cem, *map(house.telegram.person, NAMES)]
    for person in people[3:]:
        house.telegram.join(house.group, person)
    house.limits(*LIMITS)
    await house.open(*people, start=False)  # a full lobby starts by itself
    await house.breathe(3)

    # Everybody who is to throw is mentioned, so that Telegram notifies them.
    assert sum(it["type"] == "text_mention" for it in house.board().entities) == len(people)
    said = [written(house.board())]
    for number, pool in enumerate(POOLS):
        for at, (person, total) in enumerate(throws(house, people, number)):
            await house.score(person, pool, total)
            if at == 7:
                await house.breathe(8)
                said.append(written(house.board()))
        await house.breathe(10)
        said.append(written(house.board()))
    # Two Stechen of two who are late: what falls for them, and between them limit and order.
    house.rolls += [3, 2, 1, 1, 3, 2]
    await house.breathe(150)
    said.append(written(house.board()))

    golden(FOLDER / f"{language}.txt", "\n\n".join(said) + "\n")
    result = house.board().entities
    assert any(it["type"] == "expandable_blockquote" for it in result), "the many are folded"
    for board in said[:-1]:
        lines, rows = board.split("\n\n")[0], board.count("\n[")
        assert sum(map(height, lines.split("\n"))) <= LINES, board
        assert rows <= ROWS, board


def throws(house: House, people: list[Person], number: int) -> Iterator[tuple[Person, int]]:
    """Who throws what in a round: those who are still in."""
    for at, person in enumerate(people):
        before = [SUMS[n][at % len(SUMS[n])] <= LIMITS[n] for n in range(number)]
        if all(before):
            yield person, SUMS[number][at % len(SUMS[number])]


def written(board: Message) -> str:
    """A board as text, its buttons in brackets; without what differs from run to run."""
    body = GAME_ID.sub("…", SECONDS.sub("… s", board.text))
    rows = (" ".join(f"[{button['text']}]" for button in row) for row in board.buttons)
    return "\n".join([body, "", *rows])


def height(line: str) -> int:
    """How many lines of a phone it takes; a character that is two columns wide counts twice."""
    wide = "".join("__" if is_wide(character) else character for character in line)
    return max(1, len(textwrap.wrap(wide, COLUMNS)))


def is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
