"""What every game promises in a chat, whatever its rules are (RULES 0)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from games import registry
from games.game import HOUSE
from tests.tgbot.conftest import House
from tests.tgbot.playing import codes, data, painted, tap, typed
from tgbot import boards
from tgbot.playground import Chat, Person
from tgbot.show import Done
from tgbot.table import Table
from tgbot.words import LANGUAGES

KINDS = pytest.mark.parametrize("kind", registry())
LONGEST = 64
"""Characters of a first and of a last name at Telegram."""
NAMES = ("W", "漢", "🎲", "ש", "ع", "&", "<", "é", "👩‍👩‍👧‍👦", "﷽")
MOST_PRESSES = 600
LOADED = (1, 1, 1, 1, 5, 5, 6, 4, 3, 2)
"""Dice that make a game of points a short one."""
WEIGHTS = {"best": 6, "bank": 9, "roll": 4, "throw": 3}
"""How likely a button is pressed; those not named 1."""


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
    found = []
    for picture in pictures(table):
        for showing in picture.showings:
            found.append(boards.page(picture, showing.seat, house.bot.words, 0.0).html)
            found.append(boards.past(picture, showing.seat, house.bot.words) or "")
    return [h for h in found if boards.visible_length(h) > boards.LONGEST or "\n…\n" in h]


async def do(house: House, use_case: Callable[[], Done]) -> None:
    """Runs a use case of the hall as the bot would."""
    assert house.bot
    house.bot.painter.show(await house.bot.clerk.run(use_case))


def seen(house: House, game_id: str) -> Table | None:
    """The running game as the bot has it in hand."""
    assert house.bot
    table = house.bot.hall.tables.seen.get(game_id)
    return table if table and table.status == "running" else None


def load(house: House, seed: str) -> Random:
    """Dice and choices that are the same at every run."""
    assert house.bot
    random = Random(seed)
    house.bot.hall.stream = lambda secret, part, move: (
        lambda sides: random.choice(LOADED) if sides == 6 else random.randint(1, sides)
    )
    return random


# -- the largest table -------------------------------------------------------------------------


@KINDS
async def test_no_board_is_over_telegrams_limits(house: House, kind: str) -> None:
    rules, most = registry()[kind].rules, registry()[kind].seats[1]
    people = crowd(house, most)
    await house.stake(10)
    house.excused.add("refusals")  # nobody has started the bot in private
    await house.open(*people[:-1], kind=kind, start=False)
    lobby = wrong(house, house.bot.hall.tables.seen[house.table().id])  # type: ignore[union-attr]
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
        await do(house, partial(house.bot.hall.play, game_id, seat, move, 0))  # type: ignore[union-attr]
        played += 1
        if played % 20 == 0:
            found += wrong(house, table)
    await house.breathe(5)

    assert lobby == found == []
    assert house.table().status == "over"
    result = house.board().text
    assert "\n…" not in result
    assert len(result.encode("utf-16-le")) // 2 <= boards.LONGEST


# -- lobby, rules, commands --------------------------------------------------------------------


@KINDS
async def test_every_lobby_has_join_start_leave_and_the_rules(house: House, kind: str) -> None:
    house.say(house.anna, f"/{kind}")
    await house.breathe()

    rules = {person: await house.press(person, "📖") for person in (house.anna, house.cem)}
    joined = await tap(house, house.cem, "join")
    await house.breathe(2)
    refused = await tap(house, house.anna, "start")
    left = await tap(house, house.cem, "leave")

    assert codes(house.board()) == ["join", "start", "leave", "rules"]
    assert rules == {
        house.anna: house.says(f"{kind}.rules_short"),
        house.cem: house.says(f"{kind}.rules_short", "de"),
    }
    assert max(map(len, rules.values())) <= 200
    assert house.telegram.toasts(house.anna)[0].alert
    assert joined == house.says("lobby.joined", "de")
    assert refused == house.says("refused.too_few", n=registry()[kind].seats[0])
    assert left == house.says("left.lobby", "de")


@KINDS
async def test_the_rules_are_read_in_the_readers_language(house: House, kind: str) -> None:
    english = await house.ask(house.anna, f"/rules {kind}")
    german = await house.ask(house.cem, f"/rules {kind.upper()}", house.private(house.cem))

    assert english == house.says(f"{kind}.rules")
    assert german == house.says(f"{kind}.rules", "de")


@KINDS
async def test_rules_alone_are_those_of_the_game_that_is_open_here(house: House, kind: str) -> None:
    other = next(another for another in registry() if another != kind)
    house.say(house.anna, f"/{kind}")
    await house.breathe()

    alone = await house.ask(house.ben, "/rules")
    named = await house.ask(house.ben, f"/rules {other}")

    assert alone == house.says(f"{kind}.rules")
    assert named == house.says(f"{other}.rules")


@KINDS
async def test_d_leave_and_stop_mean_the_game_of_this_chat(house: House, kind: str) -> None:
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    other = house.telegram.group("Other", house.anna, house.ben)
    await house.open(house.anna, house.ben, house.cem, kind=kind)

    shown = await house.ask(house.anna, "/d")
    nothing = [await house.ask(house.anna, line, other) for line in ("/d", "/leave", "/stop")]
    await typed(house, house.cem, "/leave")
    seated = house.table().people
    await typed(house, house.anna, "/stop")
    await house.breathe(3)

    assert house.telegram.bot.username in nothing[0]
    assert nothing == [nothing[0]] * 3
    assert shown != nothing[0]
    assert seated == [house.anna, house.ben]
    assert house.table().status == "stopped"


@KINDS
async def test_a_press_from_another_chat_is_stale(house: House, kind: str) -> None:
    other = house.telegram.group("Other", house.anna, house.ben)
    house.say(house.anna, f"/{kind}")
    await house.breathe()
    house.say(house.anna, "/play", other)
    await house.breathe()

    async with house.nothing_written():
        toasts = [
            await house.forge(
                house.anna, f"{house.table().id}:0:{code}", house.telegram.last(other)
            )
            for code in ("join", "start", "leave", "stop", "again")
        ]

    assert toasts == [house.says("refused.stale")] * 5


# -- whole games -------------------------------------------------------------------------------


def place(house: House, table: Table, seat: int) -> Chat:
    """Where a seat finds the buttons to press."""
    own = table.showing(seat)
    return house.group if own.seat == HOUSE else house.telegram.chats[own.chat_id]


@KINDS
async def test_a_whole_game_is_played_by_pressing_buttons_alone(house: House, kind: str) -> None:
    people = [house.anna, house.ben, house.cem]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    random = load(house, kind)
    await house.open(*people, kind=kind)
    game_id, presses = house.table().id, 0

    while (table := seen(house, game_id)) is not None:
        await painted(house)
        seat = random.choice([s for s in range(3) if s in table.phase(s).actors])
        board = house.telegram.last(place(house, table, seat), buttons=True)
        keys = [code for code in codes(board) if code not in ("guide", "join")]
        code = random.choices(keys, [WEIGHTS.get(code, 1) for code in keys])[0]
        await house.press(people[seat], data(board, code), board)
        presses += 1
        assert presses < MOST_PRESSES
    await house.breathe(3)

    assert house.table().status == "over"
    assert house.held("escrow", game_id) == 0
    assert sum(map(house.coins, people)) + house.jackpot() == 30
    assert sum(house.held("wallet", p.id, kind) for p in people) + house.jackpot(kind) == 6
    assert house.sql("SELECT count(*) FROM moves WHERE move = 'late'") == [(0,)]
