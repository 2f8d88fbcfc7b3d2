"""Texts, captions and keyboards over Telegram's limits: shortened, never refused."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists
from hypothesis.strategies import text as st_text

from games import registry
from games.game import text
from tests.playground.test_refusals import PNG
from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, do, load, painted, seen
from tgbot.done import Say
from tgbot.hall.table import Table
from tgbot.outbound import boards, markup
from tgbot.playground import Person
from tgbot.words import LANGUAGES

LONGEST = 64
"""Characters of a first and of a last name at Telegram."""
NAMES = ("W", "漢", "🎲", "ש", "ع", "&", "<", "é", "👩‍👩‍👧‍👦", "﷽")


MOST_KEYS, MOST_IN_A_ROW = 100, 8
"""How large a keyboard may be at Telegram."""


def crowd(house: House, number: int) -> list[Person]:
    """People with the longest and widest names there can be."""
    people = []
    for n in range(number):
        name = (NAMES[n % len(NAMES)] * LONGEST)[:LONGEST]
        person = house.telegram.person(name, last_name=name)
        house.telegram.join(house.group, person)
        people.append(person)
    return people


def pictures(table: Table) -> Iterator[Table]:
    """The game as it would look in every language."""
    return (replace(table, language=language) for language in LANGUAGES)


def wrong(house: House, table: Table) -> list[str]:
    """What is too long on any board of the game."""
    assert house.bot
    found: list[str] = []
    for picture in pictures(table):
        for showing in picture.showings:
            newest = boards.message(picture, showing.seat, house.bot.words, 0.0)
            rows = newest.keyboard["inline_keyboard"] if newest.keyboard else []
            if sum(map(len, rows)) > MOST_KEYS or any(len(row) > MOST_IN_A_ROW for row in rows):
                found.append(f"\n…\n too many keys in {len(rows)} rows")
            found += [newest.html, boards.past(picture, showing.seat, house.bot.words) or ""]
    return [h for h in found if markup.visible_length(h) > markup.LONGEST or "\n…\n" in h]


@KINDS
async def test_no_board_is_over_telegrams_limits(house: House, kind: str) -> None:
    rules, most = registry()[kind].rules, registry()[kind].seats[1]
    people = crowd(house, most)
    await house.stake(10)
    house.excused.add("refusals")  # nobody has started the bot in private
    await house.open(*people[:-1], kind=kind, start=False)
    lobby = wrong(house, house.bot.hall.tables.seen[house.table().id])
    random = load(house, kind)
    game_id = house.table().id
    await house.press(people[-1], "✅")
    await house.breathe(3)

    found, played = [], 0
    while (table := seen(house, game_id)) is not None:
        seats = [seat for seat in rules.seated(table.state) if rules.legal(table.state, seat)]
        seat = random.choice(seats)
        move = random.choice(rules.legal(table.state, seat))
        if played > 150:
            seat, move = rules.expire(table.state) or (seat, move)
        await do(house, partial(house.bot.hall.play.move, game_id, seat, move, 0))
        played += 1
        if played % 20 == 0:
            found += wrong(house, table)
    await house.breathe(5)

    assert lobby == found == []
    assert house.table().status == "over"
    result = house.board().text
    assert "\n…" not in result
    assert len(result.encode("utf-16-le")) // 2 <= markup.LONGEST


@KINDS
@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_largest_table_is_shown_in_the_chat(
    house: House, kind: str, language: str
) -> None:
    # what Telegram would refuse, the playground refuses
    await house.ask(house.anna, f"/settings language {language}")
    await house.stake(10)
    people = crowd(house, registry()[kind].seats[1])
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(5)
    await house.open(*people, kind=kind, start=False)
    load(house, kind)
    await painted(house)
    await house.breathe(50 * 60)

    assert house.table().status == "over"
    assert house.board().buttons
    assert house.log.said("ERROR") == []


@pytest.mark.parametrize("said", ["/whois", "/points", "/history", "/top", "/verify", "/d ?"])
async def test_no_answer_is_over_telegrams_limits(house: House, said: str) -> None:
    people = crowd(house, 10)
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.stake(1)
    load(house, "fifty")
    for _ in range(3):
        await house.open(*people, house.anna)
        while house.table().status != "over":
            await house.breathe(30)
    house.say(people[0], f"/give 1 {people[1].name}", house.private(people[0]))
    await house.breathe(5)

    for chat in (house.private(people[0]), house.group):
        answer = await house.ask(people[0], said, chat)
        assert 0 < len(answer.encode("utf-16-le")) // 2 <= markup.LONGEST

    assert house.log.said("ERROR") == []


async def test_a_long_note_and_a_long_caption_are_cut(house: House) -> None:
    assert house.bot
    private = house.private(house.anna)
    await house.ask(house.anna, "/start", private)
    long = [text("just", it="<b> & 👨‍👩‍👧 " * 900), text("just", it="a line\n" * 3000)]
    for body in long:
        house.bot.painter.say(Say(private.id, body, "en"))
        house.bot.painter.say(Say(private.id, body, "en", picture=PNG))
    await house.breathe(10)

    notes = house.telegram.messages(private)[-4:]
    assert [bool(note.photo) for note in notes] == [False, True, False, True]
    assert all(note.text.count("…") == 1 for note in notes)
    assert house.log.said("ERROR") == []


@given(lists(st_text(alphabet="ab<>&👨 \n", max_size=40), min_size=1), integers(20, 60))
def test_whatever_has_to_fit_fits_and_stays_markup(lines: list[str], longest: int) -> None:
    bold = [f"<b>{html.escape(line)}</b>" for line in lines]

    fitted = markup.fitting(bold, longest)

    assert markup.visible_length(fitted) <= longest
    assert fitted.count("<b>") == fitted.count("</b>")
    assert not re.search(r"&(?!(amp|lt|gt|quot|#x27);)", fitted)
