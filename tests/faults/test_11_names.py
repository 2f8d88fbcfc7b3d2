"""Names are never trusted (SURVIVE 11): each is shown, on one line, and does nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from games import registry
from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import KINDS, do, give, load, seen
from tgbot.hall.table import Table
from tgbot.outbound import boards
from tgbot.playground import Message, Person
from tgbot.playground.markup import parse
from tgbot.words import LANGUAGES

NAMES = {
    "bold": ("<b>Bold</b> & Co", "<b>Bold</b> & Co"),
    "link": ('</a><a href="tg://x">', '</a><a href="tg://x">'),
    "entity": ("&lt;&amp;&#60;", "&lt;&amp;&#60;"),
    "placeholder": ("{name} {0} %s", "{name} {0} %s"),
    "override": ("\u202etxt.exe\u202c", "txt.exe"),
    "hebrew": ("דנה 123", "\u2068דנה 123\u2069"),
    "isolate": ("\u2067abc", "abc"),
    "emoji": ("🎲🎲", "🎲🎲"),
    "family": ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    "nothing": ("\u200b\u200b", None),
    "blank": ("\u2800\u3164", None),
    "marks": ("\u0301\u0301", None),
    "lines": ("Line\nbreak\r\nand\ttab", "Line break and tab"),
    "sql": ("'; DROP TABLE people; --", "'; DROP TABLE people; --"),
    "long": ("x" * 64, "x" * 23 + "…"),
    "wide": ("𝔉" * 64, "𝔉" * 23 + "…"),
    "zalgo": ("Z" + "\u0335\u0321\u034f" * 20, None),
    "command": ("/fifty@dicehall_bot", "/fifty@dicehall_bot"),
    "everyone": ("@everyone", "@everyone"),
    "number": ("#0001", "#0001"),
}
"""What somebody calls themselves, and how it stands on a board (None: see the test)."""


async def joined(house: House, name: str, **more: str) -> Person:
    """Somebody of that name in a lobby of Anna's, and what the lobby then says."""
    person = house.telegram.person(name, **more)
    house.telegram.join(house.group, person)
    await house.open(house.anna, person, start=False)
    await house.breathe(3)
    return person


def line(message: Message, start: str) -> str:
    """The line of a message that begins so."""
    return next(line for line in message.text.split("\n") if line.startswith(start))


WRITTEN = ["bold", "italic", "code", "bot_command", "date_time", "mention", "expandable_blockquote"]
"""What the bot itself marks on a lobby's board."""


@pytest.mark.parametrize("name", NAMES)
async def test_every_name_is_shown_on_one_line_and_does_nothing(house: House, name: str) -> None:
    said, shown = NAMES[name]

    person = await joined(house, said)

    players = line(house.board(), "Anna, ")
    if shown is not None:
        assert players == f"Anna, {shown}"
    assert len(players) <= len("Anna, ") + 26
    kinds = {entity["type"] for entity in house.board().entities if entity["offset"] > 0}
    assert kinds <= {*WRITTEN}
    assert house.sql("SELECT count(*) FROM people") == [(2,)]
    assert house.table().people == [house.anna, person]


@pytest.mark.parametrize("name", ["nothing", "blank", "marks"])
async def test_who_has_nothing_visible_in_their_name_is_a_number(house: House, name: str) -> None:
    person = await joined(house, NAMES[name][0])

    number = f"#{person.id % 10000:04d}"
    assert line(house.board(), "Anna, ") == f"Anna, {number}"


@pytest.mark.parametrize("name", NAMES)
async def test_a_whole_game_with_such_a_name(house: House, name: str) -> None:
    said, _ = NAMES[name]
    person = house.telegram.person(said)
    house.telegram.join(house.group, person)

    await house.stake(5)
    await house.game({person: (12, 20, 12), house.anna: (9, 9, 9), house.ben: (16,)})

    board = house.board()
    assert line(board, "🥇 ").endswith(" +8\u00a0🪙 +4\u00a0P")
    assert line(board, "🥈 ") == "🥈 Anna 27 (9 + 9 + 9) +4\u00a0🪙 +1\u00a0P"
    assert len([said for said in board.text.split("\n") if said[0] in "🥇🥈✖"]) == 3
    assert house.coins(person) == 13


@pytest.mark.parametrize("name", NAMES)
async def test_such_a_name_is_mentioned_told_and_asked_for(house: House, name: str) -> None:
    said, _ = NAMES[name]
    person = house.telegram.person(said)
    house.telegram.join(house.group, person)
    await house.begin(house.anna, person)
    mentioned = [e["user"]["id"] for e in house.board().entities if e["type"] == "text_mention"]

    start = await house.ask(person, "/start", house.private(person))
    dice = await house.ask(person, "/dice w6")
    points = await house.ask(person, "/points", house.private(person))
    profile = await house.ask(person, "/whois")

    assert person.id in mentioned
    assert "\n" not in dice
    assert dice.startswith("🎲 ")
    assert "10 Knuddels" in points
    assert profile.split("\n")[0].startswith("👤 ")
    assert start.startswith("👋 ")


async def test_first_and_last_name_are_one_name(house: House) -> None:
    await joined(house, "Ada", last_name="Lovelace")

    assert line(house.board(), "Anna, ") == "Anna, Ada Lovelace"


async def test_two_people_of_one_name_are_two_people(house: House) -> None:
    twins = [house.telegram.person("Twin") for _ in range(2)]
    for twin in twins:
        house.telegram.join(house.group, twin)
    await house.begin(*twins, stake=5)
    mentioned = [e["user"]["id"] for e in house.board().entities if e["type"] == "text_mention"]

    for pool in POOLS:
        await house.score(twins[0], pool, 12)
        await house.score(twins[1], pool, 9)
        await house.breathe(2)

    assert mentioned == [twin.id for twin in twins]
    assert [house.coins(twin) for twin in twins] == [12, 8]


async def test_a_name_that_two_people_have_does_not_name_one_of_them(house: House) -> None:
    for _ in range(2):
        twin = house.telegram.person("Twin")
        house.telegram.join(house.group, twin)
        house.say(twin, "/points")
    await house.breathe(5)

    answer = await house.ask(house.ben, "/whois Twin")

    assert answer == house.says("refused.many_people", name="Twin")


async def test_a_new_name_is_used_from_the_next_word_on(house: House) -> None:
    await house.ask(house.ben, "/points")
    house.ben.first_name = "Benjamin"

    await house.ask(house.ben, "/fifty")
    await house.press(house.ben, "✅")
    await house.breathe(3)

    assert line(house.board(), "Ben") == "Benjamin"
    assert (await house.ask(house.anna, "/whois Benjamin")).startswith("👤 Benjamin")


async def test_who_has_no_username_is_no_username_at_all(house: House) -> None:
    await house.ask(house.ben, "/points")

    named = await house.ask(house.anna, "/whois @Ben")
    answer = await house.ask(house.anna, "/whois Ben")

    assert named == house.says("refused.unknown_person")
    assert answer.startswith("👤 Ben\n")
    assert house.sql("SELECT DISTINCT username FROM people") == [("",)]


async def test_the_title_of_a_group_is_kept_as_it_is(house: House) -> None:
    group = house.telegram.group("<i>&\n'; DROP TABLE chats", house.anna)
    await house.breathe()

    await house.ask(house.anna, "/fifty", group)

    titles = house.sql("SELECT title FROM chats WHERE chat_id = ?", group.id)
    assert titles == [("<i>&\n'; DROP TABLE chats",)]


def batched(
    names: Sequence[tuple[str, str | None]], most: int
) -> Iterator[list[tuple[str, str | None]]]:
    """The names in tables of at most so many."""
    return (list(names[n : n + most]) for n in range(0, len(names), most))


def drawn(house: House, table: Table) -> list[tuple[str, list[str]]]:
    """Every board of a game in every language, as people see it: its text and its markup."""
    assert house.bot
    seen = []
    for language in LANGUAGES:
        picture = replace(table, language=language)
        for showing in picture.showings:
            words, people = house.bot.words, house.telegram.people
            for body in (
                boards.message(picture, showing.seat, words, 0.0).html,
                boards.past(picture, showing.seat, words) or "",
            ):
                shown, entities = parse(body, people)
                seen.append((shown, [entity["type"] for entity in entities]))
    return seen


@KINDS
async def test_no_name_changes_a_line_or_a_word_of_any_board(house: House, kind: str) -> None:
    # every board is compared with that of people whose names are plain
    most = registry()[kind].seats[1]
    for people in batched(list(NAMES.values()), most):
        players = [house.telegram.person(said) for said, _ in people]
        group = house.group = house.telegram.group("Names", house.anna, *players)
        await house.breathe(3)
        await house.stake(1)  # so that Anna does not sit among them
        house.say(house.anna, f"/{kind}")
        await house.breathe()
        house.excused.add("refusals")  # nobody has started the bot in private
        for player in players:
            await house.press(player, "✅", house.telegram.last(group, buttons=True))
        if house.table().status == "lobby":
            await house.press(house.anna, "▶️")
        random, rules, game_id = load(house, kind), registry()[kind].rules, house.table().id
        await house.breathe(3)

        played = 0
        while (table := seen(house, game_id)) is not None:
            if played % 15 == 0:
                plain = tuple(replace(s, name=f"P{n}") for n, s in enumerate(table.sittings))
                with_names, without = (
                    drawn(house, table),
                    drawn(house, replace(table, sittings=plain)),
                )
                assert [text.count("\n") for text, _ in with_names] == [
                    text.count("\n") for text, _ in without
                ]
                assert [kinds for _, kinds in with_names] == [kinds for _, kinds in without]
                names = [cleaned for _, cleaned in people if cleaned]
                assert all(name in with_names[0][0] for name in names)
            seats = [seat for seat in rules.seated(table.state) if rules.legal(table.state, seat)]
            seat = random.choice(seats)
            move = random.choice(rules.legal(table.state, seat))
            if played > 60:
                seat, move = rules.expire(table.state) or (seat, move)
            await do(house, partial(house.bot.hall.play.move, game_id, seat, move, 0))
            played += 1
        await house.breathe(5)
        assert house.table().status == "over"


@pytest.mark.parametrize("name", NAMES)
async def test_such_a_name_in_every_command_about_people(house: House, name: str) -> None:
    house.settings.give_after_days = 0
    said, _ = NAMES[name]
    person = house.telegram.person(said)
    house.telegram.join(house.group, person)
    for somebody in (person, house.anna):
        await house.ask(somebody, "/start", house.private(somebody))
    await give(house, house.anna, 20)
    hello = house.say(person, "hello")

    given = await house.ask(house.anna, "/give 5", reply_to=hello.id)
    profile = await house.ask(house.anna, "/whois", reply_to=hello.id)
    history = await house.ask(house.anna, "/history", house.private(house.anna))

    assert given.startswith("🎁")
    assert "\n" not in given
    assert profile.startswith("👤 ")
    assert house.coins(person) == 15
    assert history


@pytest.mark.parametrize("title", [said for said, _ in NAMES.values() if said.strip("\u200b")])
async def test_every_title_of_a_group_is_taken(house: House, title: str) -> None:
    group = house.telegram.group(title, house.anna, house.ben)
    await house.breathe(3)

    await house.ask(house.anna, "/fifty", group)
    await house.ask(house.anna, "/settings", group)

    assert house.log.said("ERROR") == house.log.said("WARNING") == []


async def test_two_of_one_name_are_told_apart_by_more_than_a_number(house: House) -> None:
    twins = [house.telegram.person("Twin", username=name) for name in ("twin_one", "")]
    for twin in twins:
        house.telegram.join(house.group, twin)

    await house.open(*twins, start=False)
    await house.breathe(3)

    assert f"Twin (twin_one), Twin (#{twins[1].id % 10000:04d})" in house.board().text
