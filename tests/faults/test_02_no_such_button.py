"""A press that is old, somebody else's or forged: refused with words, no row written."""

from __future__ import annotations

from random import Random

import pytest

from games import registry
from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, codes, data, painted, place, seen
from tests.tgbot.test_8_james import practise
from tgbot import press


async def test_a_button_of_an_earlier_round_is_stale(house: House) -> None:
    await house.begin(house.anna, house.ben)
    old = house.board()
    data = old.buttons[0][0]["callback_data"]
    for person in (house.anna, house.ben):
        await house.score(person, "4+20", 5)
    await house.breathe(3)

    async with house.nothing_written():
        toast = await house.forge(house.anna, data, old)

    assert toast == house.says("refused.stale")


async def test_a_button_of_a_finished_game_is_refused(house: House) -> None:
    await house.begin(house.anna, house.ben)
    old = house.board()
    data = old.buttons[0][0]["callback_data"]
    for person in (house.anna, house.ben):
        await house.leave(person)
    await house.breathe(3)

    async with house.nothing_written():
        toast = await house.forge(house.anna, data, old)

    assert toast == house.says("refused.over")


FORGED = (
    "x",
    ":::",
    "game:1:+4",
    "nosuchid:1:+4",
    "{id}:1",
    "{id}:x:+4",
    "{id}:1:",
    "{id}:-1:throw",
    "{id}:99:throw",
    "{id}:1:+7",
    "{id}:1:+20+20",
    "{id}:1:+٤",
    "{id}:1:stop it",
    "{id}:1:deal",
    "{id}:1:stechen",
    "{id}:1:again",
    "{id}:1:' OR 1=1 --",
    "{ID}:1:+4",
    "open:0:nogame",
    "set:0:stake=5",
    "set:0:stake=500",
    "set:0:title=x",
    "language:0:fr",
    "privacy:0:x",
    "history:0:-1",
    "history:0:٣",
)


@pytest.mark.parametrize("form", FORGED)
async def test_forged_buttons_are_answered_and_write_nothing(house: House, form: str) -> None:
    house.say(house.ben, "/start", house.private(house.ben))
    await house.begin(house.anna, house.ben)
    game_id = house.table().id
    data = form.format(id=game_id, ID=game_id.upper())

    async with house.nothing_written():
        toast = await house.forge(house.ben, data)

    assert toast or data.startswith("history")


async def test_buttons_forged_in_private_are_answered_and_write_nothing(house: House) -> None:
    house.say(house.ben, "/start", house.private(house.ben))
    await house.begin(house.anna, house.ben)
    start, game = house.telegram.last(house.private(house.ben)), house.table().id
    forged = (
        f"whois:0:{10**30}",
        f"{game}:0:quit {10**30}",
        f"bell:0:off -{10**30}",
        f"bell:0:once -{10**30}",
        "bell:0:drop ٣",
        "bell:0:join nosuchid",
        "daily:0:day 2026-99-99",
        "daily:0:share 0001-01-01",
        f"retry:0:{game} 9 9999",
        f"analysis:0:{game} 999 chart",
        "james:0:nogame",
        "pin:0:nosuchid",
    )

    async with house.nothing_written():
        toasts = [await house.forge(house.ben, data, start) for data in forged]

    assert all(toasts), toasts


async def test_a_game_cannot_be_played_from_another_chat(house: House) -> None:
    other = house.telegram.group("Other", house.anna, house.ben)
    house.say(house.ben, "/start", house.private(house.ben))
    await house.begin(house.anna, house.ben)
    data = house.board().buttons[0][0]["callback_data"]
    places = [house.telegram.last(chat) for chat in (other, house.private(house.ben))]

    async with house.nothing_written():
        toasts = [await house.forge(house.ben, data, place) for place in places]

    assert toasts == [house.says("refused.stale")] * 2


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


ODD = (
    "0", "1", "+4", "throw", "clear", "join", "start", "leave", "stop", "again", "sign", "name",
    "deal", "late", "limit", "stechen", "verify x", "k1", "k9", "keep.1", "roll", "bank", "best",
    "s.ones", "+999999999999", "+-4", "+٤", "+４", "\u202e+4", "+4\n", "+4\x00", "💥" * 12, "'",
    '"', "%s", "{0}", "None", "../..", "<b>", "é" * 24,
)  # fmt: skip
"""Codes that no button says, or not here, not now, not to them."""
REVS = ("-1", "0", "{next}", "999999999", "9999999999", "٣", "1.0", "+1", " 1", "")


async def vocabulary(house: House, kind: str) -> set[str]:
    """What the buttons of all other games say, in groups of their own."""
    said: set[str] = set()
    for other in sorted({*registry()} - {kind}):
        group = house.telegram.group(f"Group of {other}", house.anna, house.ben)
        await house.breathe(2)
        house.say(house.anna, f"/{other}", group)
        await house.breathe()
        for person in (house.anna, house.ben):
            await house.press(person, "✅", house.telegram.last(group, buttons=True))
        await house.press(house.anna, "▶️", house.telegram.last(group, buttons=True))
        await house.breathe(3)
        for chat in (group, house.private(house.anna)):
            said.update(codes(house.telegram.last(chat)))
    return said


@KINDS
async def test_whatever_somebody_forges_is_refused_with_words(house: House, kind: str) -> None:
    # Cem does not play; none of these presses is for whom makes it
    house.settings.pace = 1000
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    others = await vocabulary(house, kind)
    await house.open(house.anna, house.ben, kind=kind)
    await painted(house)
    table = seen(house, house.table().id)
    assert table
    own = place(house, table, 0)
    board, phase = house.telegram.last(own, buttons=True), table.phase(0)
    (idle,) = {house.anna, house.ben} - {(house.anna, house.ben)[seat] for seat in phase.actors[:1]}
    mine, said = set(codes(board)), sorted({*others, *ODD})
    forged = [
        *((house.cem, f"{table.id}:{phase.rev}:{code}")
          for code in sorted({*said, *mine} - {"rules", "guide", "join"})
          if not code.startswith("charm")),  # which joins as well
        *((house.anna, f"{table.id}:{rev.format(next=phase.rev + 1)}:{code}")
          for rev in REVS for code in sorted(mine - {"rules"})),
        *((house.anna, f"{table.id}:{phase.rev}:{code}")
          for code in said if code not in mine and code not in ("leave", "stop", "start", "join")),
    ]  # fmt: skip
    if len(phase.actors) == 1 and own is house.group:
        forged += [
            (idle, f"{table.id}:{phase.rev}:{code}") for code in sorted(mine - {"rules", "guide"})
        ]

    async with house.nothing_written():
        toasts = []
        for person, data in forged:
            toasts.append(await house.forge(person, data, board))
            await house.breathe(0.1)

    assert len(forged) > 100
    silent = [data for (_, data), toast in zip(forged, toasts, strict=True) if not toast]
    assert silent == []
    assert house.says("refused.too_fast") not in toasts


@KINDS
async def test_a_button_of_a_message_that_is_deleted(house: House, kind: str) -> None:
    house.excused.add("refusals")
    await house.open(house.anna, kind=kind, start=False)
    board, joining = house.board(), data(house.board(), "join")
    house.telegram.delete(house.group, board.id)

    toast = await house.forge(house.ben, joining, board)

    assert toast == house.says("refused.stale")
    assert house.table().people == [house.anna]


@pytest.mark.parametrize(
    "code", ["open:0:fifty", "set:0:stake=5", "points:0:show", "rules:0:fifty"]
)
async def test_a_menu_that_is_deleted_or_too_old_to_be_read_does_nothing(
    house: House, code: str
) -> None:
    # nobody knows in which topic it stood
    await house.ask(house.anna, "/play")
    menu = house.board()
    house.telegram.delete(house.group, menu.id)

    async with house.nothing_written():
        toast = await house.forge(house.anna, code, menu)

    assert toast == house.says("refused.stale")


@pytest.mark.parametrize(
    "code", ["pin:0:\0", "bell:0:join a\0", "abcdefgh:0:+4\n", "bell:0:join é"]
)
def test_no_button_says_what_postgresql_takes_in_no_text(code: str) -> None:
    """A client of somebody's own may press any bytes; each would be an error in the log."""
    assert press.decode(code) is None


async def test_seeded_rubbish_of_64_bytes_is_refused_with_words(house: House) -> None:
    random = Random("rubbish")
    await house.begin(house.anna, house.ben)
    game_id = house.table().id
    letters = ":0123456789abcxyz+-٣é🎲\x00\n'\"%{} " + game_id

    def rubbish() -> str:
        data = "".join(random.choice(letters) for _ in range(random.randint(1, 64)))
        data = f"{game_id}:{data}" if random.random() < 0.5 else data
        return data.encode()[:64].decode(errors="ignore")

    async with house.nothing_written():
        toasts = []
        for _ in range(150):
            toasts.append(await house.forge(house.cem, rubbish()))
            await house.breathe(0.05)

    assert all(toasts)
    assert house.says("refused.too_fast", "de") not in toasts


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", ["farkle20", "yahtzee", "zilch"])
async def test_a_charm_that_can_be_chosen_no_more_is_not_offered(house: House, kind: str) -> None:
    """James may be the first to throw in a practice, in his own time (RULES 7, 8)."""
    chat = await practise(house, house.anna, kind)
    board = house.telegram.last(chat, buttons=True)
    before = codes(board)
    await house.breathe(5)
    thrown = house.sql("SELECT 1 FROM moves WHERE seat >= 0")
    if not thrown:
        await house.press(house.anna, data(board, "roll"), board)
    await painted(house)

    assert "charm1" in before
    assert bool(thrown) == (kind == "farkle20")
    assert "charm1" not in codes(house.telegram.last(chat, buttons=True))
