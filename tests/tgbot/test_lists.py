"""The best lists of all games by /top: periods, places, pages and names (RULES 2, 4)."""

from __future__ import annotations

from functools import partial

from economy.best_lists import Best
from games.yahtzee.boxes import BOXES
from tests.tgbot.house import House
from tests.tgbot.playing import codes, do, labels, tap
from tgbot.playground import Chat, Message, Person
from tgbot.soak.virtual import now

DAY_S = 24 * 3600
YAHTZEE = "yahtzee.total.all.here.0"
WORLD = "farkle20.world.all.all.0"


async def enter(
    house: House,
    *values: int,
    board: str = "yahtzee.total",
    who: Person | None = None,
    place: Chat | None = None,
    note: str = "",
    ago_s: float = 0,
) -> None:
    """So many results of one person, as finished games would leave them."""
    assert house.bot
    bests, at = house.bot.hall.settling.bests, int(house.telegram.now() - ago_s)
    ref, where = str((who or house.anna).id), str((place or house.group).id)
    first = house.sql("SELECT count(*) FROM bests")[0][0]

    def write() -> None:
        for n, value in enumerate(values, first):
            best = Best(ref, value, note.format(n=n), at, where)
            bests.enter(board, best, source=f"game{n}")

    await house.bot.clerk.run(write)


async def meet(house: House, *people: Person) -> None:
    """The bot knows them."""
    for person in people:
        house.say(person, "/start")
    await house.breathe(5)


async def top(house: House, *said: str, reader: Person | None = None) -> Message:
    """/top in the group and the buttons after it."""
    house.say(reader or house.anna, "/top")
    await house.breathe(3)
    for code in said:
        await tap(house, reader or house.anna, code)
        await house.breathe(2)
    return house.board()


def rows(message: Message) -> list[str]:
    """The lines of a list."""
    return message.text.split("\n")[1:]


async def test_who_left_the_chat_keeps_a_name_in_its_lists(house: House) -> None:
    await meet(house, house.anna, house.ben)
    await enter(house, 200, who=house.ben)
    house.telegram.leave(house.group, house.ben)

    shown = rows(await top(house, YAHTZEE))

    assert len(shown) == 1
    assert "Ben" in shown[0]


# -- where and when ----------------------------------------------------------------------------


async def test_top_shows_a_list_with_buttons_to_all_the_others(house: House) -> None:
    panel = await top(house)

    assert rows(panel) == [house.says("best.none")]
    assert [labels(panel)[i] for i in (0, 1, 2)] == ["all time", "today", "this week"]
    *lists, daily = [code.split(".")[0] for code in codes(panel)[-3:]]
    assert sorted(lists) == ["fifty", "yahtzee"]
    assert daily == "top"
    assert labels(panel)[-1] == house.says("daily.button")


async def test_top_begins_with_the_game_that_was_played_last_here(house: House) -> None:
    await house.open(house.anna, house.ben)
    running = (await top(house)).text
    house.say(house.anna, "/stop")
    await house.breathe(3)
    over = (await top(house)).text

    assert running.startswith("🏅 Fifty!")
    assert over == running


async def test_the_totals_of_a_finished_game_stand_in_the_list(house: House) -> None:
    await house.open(house.anna, house.ben, house.cem, kind="yahtzee")
    assert house.bot
    game_id = house.table().id
    await house.leave(house.anna)
    for box in BOXES:
        for seat in (1, 2):  # every die shows 1
            for move in ("roll", f"score {box}"):
                play = partial(house.bot.hall.play.move, game_id, seat, move, int(now()))
                await do(house, play)
    await house.breathe(3)

    # who left is not recorded
    for period in ("all", "month", "day"):
        shown = rows(await top(house, YAHTZEE, f"yahtzee.total.{period}.here.0"))
        assert shown == ["1. Ben · 180", "2. Cem · 180"]


async def test_each_list_is_shown_for_this_chat_and_everywhere(house: House) -> None:
    await meet(house, house.anna, house.ben)
    await enter(house, 200)
    await enter(house, 300, who=house.ben, place=house.telegram.group("Elsewhere", house.ben))

    here = rows(await top(house, YAHTZEE))
    everywhere = rows(await top(house, YAHTZEE, "yahtzee.total.all.all.0"))

    assert here == ["1. Anna · 200"]
    assert everywhere == ["1. Ben · 300", "2. Anna · 200"]


async def test_the_periods_are_those_of_the_operators_wall_clock(house: House) -> None:
    # it is 09:00 in Berlin on 15 January
    await meet(house, house.anna)
    await enter(house, 100, ago_s=8 * 3600)
    await enter(house, 200, ago_s=10 * 3600)
    await enter(house, 300, ago_s=16 * DAY_S)

    found = {}
    for period in ("all", "month", "day"):
        found[period] = rows(await top(house, YAHTZEE, f"yahtzee.total.{period}.here.0"))

    assert [line.split(" · ")[1] for line in found["all"]] == ["300", "200", "100"]
    assert [line.split(" · ")[1] for line in found["month"]] == ["200", "100"]
    assert found["day"] == ["1. Anna · 100"]


async def test_the_worlds_days_and_weeks_are_those_of_utc(house: House) -> None:
    # Friday, 08:00 UTC: the day is 8 hours old, the week four days and 8 hours
    await meet(house, house.anna)
    world = {"board": "farkle20.world"}
    await enter(house, 1000, note="today", ago_s=8 * 3600 - 60, **world)
    await enter(house, 2000, note="Thu", ago_s=8 * 3600 + 60, **world)
    await enter(house, 3000, note="Mon", ago_s=4 * DAY_S + 7 * 3600, **world)
    await enter(house, 4000, note="Sun", ago_s=4 * DAY_S + 9 * 3600, **world)

    found = {}
    for period in ("all", "day", "week"):
        found[period] = rows(await top(house, WORLD, f"farkle20.world.{period}.all.0"))

    assert found["all"] == [
        "1. Sun · 4,000",
        "2. Mon · 3,000",
        "3. Thu · 2,000",
        "4. today · 1,000",
    ]
    assert found["day"] == ["1. today · 1,000"]
    assert found["week"] == ["1. Mon · 3,000", "2. Thu · 2,000", "3. today · 1,000"]


async def test_today_is_over_at_midnight(house: House) -> None:
    await meet(house, house.anna)
    await enter(house, 1000, board="farkle20.world", note="Anna")
    await house.away(16 * 3600 - 300)
    before = rows(await top(house, "farkle20.world.day.here.0"))

    await house.breathe(400)

    assert before == ["1. Anna · 1,000"]
    assert rows(await top(house, "farkle20.world.day.here.0")) == [house.says("best.none")]


async def test_equal_results_stand_in_the_order_in_which_they_were_made(house: House) -> None:
    await meet(house, house.anna, house.ben)
    await enter(house, 200, who=house.ben, ago_s=10)
    await enter(house, 200, who=house.anna, ago_s=20)

    assert rows(await top(house, YAHTZEE)) == ["1. Anna · 200", "2. Ben · 200"]


# -- pages -------------------------------------------------------------------------------------


async def test_the_worlds_best_shows_100_in_pages_of_one_message(house: House) -> None:
    await enter(house, *range(9000, 8880, -1), board="farkle20.world", note="N{n}")
    panel = await top(house, WORLD)
    pages, numbers = [rows(panel)], len(house.heard())

    while any(label.startswith("More") for label in labels(panel)):
        await house.press(house.anna, "More", panel)
        await house.breathe(3)
        pages.append(rows(panel))
    first_of_last = pages[-1][0]
    await house.press(house.anna, "◀️", panel)
    await house.breathe(3)

    assert [len(page) for page in pages] == [20] * 5
    assert pages[0][0] == "1. N0 · 9,000"
    assert first_of_last == "81. N80 · 8,920"
    assert pages[-1][-1] == "100. N99 · 8,901"
    assert rows(panel) == pages[3]
    assert len(house.heard()) == numbers


async def test_a_list_of_exactly_one_page_has_no_second(house: House) -> None:
    await enter(house, *range(20), board="farkle20.world", note="N{n}")

    panel = await top(house, WORLD)

    assert not any(label.startswith(("More", "◀️")) for label in labels(panel))


FORGED = (
    "farkle20.world.all.all.5",
    "farkle20.world.all.all.-1",
    "farkle20.world.all.all.٢",
    "farkle20.world.all.all.99999999999999999999",
    "farkle20.world.year.all.0",
    "farkle20.nolist.all.all.0",
    "nogame.world.all.all.0",
    "farkle20.world.all.all",
    "x",
)


async def test_forged_views_are_stale_and_change_nothing(house: House) -> None:
    panel = await top(house)
    said = panel.text

    async with house.nothing_written():
        toasts = [await house.forge(house.anna, f"top:0:{view}") for view in FORGED]

    assert toasts == [house.says("refused.stale")] * len(FORGED)
    assert panel.text == said


# -- names -------------------------------------------------------------------------------------


async def test_who_hides_is_named_only_in_the_chat_where_it_was_made(house: House) -> None:
    other = house.telegram.group("Other", house.ben)
    await meet(house, house.anna, house.ben)
    await enter(house, 200, who=house.anna)
    private = house.private(house.anna)
    await house.ask(house.anna, "/privacy", private)
    await house.press(house.anna, "🙈", house.telegram.last(private))

    here = rows(await top(house, YAHTZEE))
    house.group = other
    house.say(house.ben, "/start")
    await house.breathe(3)
    elsewhere = rows(await top(house, "yahtzee.total.all.here.0", reader=house.ben))
    everywhere = rows(await top(house, YAHTZEE, "yahtzee.total.all.all.0", reader=house.ben))

    assert here == ["1. Anna · 200"]
    assert elsewhere == [house.says("best.none")]
    assert everywhere == ["1. 🙈 · 200"]


async def test_in_private_the_lists_are_those_of_everywhere(house: House) -> None:
    await meet(house, house.ben)
    await enter(house, 200, who=house.ben)
    private = house.private(house.cem)
    house.say(house.cem, "/top", private)
    await house.breathe(2)

    await tap(house, house.cem, "yahtzee.total.all.all.0", chat=private)
    await house.breathe(2)

    panel = house.telegram.last(private)
    assert panel.text.split("\n") == [
        "🏅 Yahtzee · Highscores · insgesamt, überall",
        "1. Ben · 200",
    ]
    assert not any(".here." in code for code in codes(panel))


async def test_names_cannot_break_a_list(house: House) -> None:
    nasty = ("<b>x</b>", "a&amp;b", "{name}", "1. Ben", "אבג")
    for note in nasty:
        note = note.replace("{", "{{").replace("}", "}}")
        await enter(house, 100, board="farkle20.world", note=note)

    panel = await top(house, WORLD)

    names = [line.split(". ", 1)[1].rsplit(" · ", 1)[0] for line in rows(panel)]
    assert names == [*nasty[:-1], "\u2068אבג\u2069"]


async def test_a_profile_names_the_best_result_of_each_list(house: House) -> None:
    await meet(house, house.anna)
    await enter(house, 100, 240, 180)
    await enter(house, 8000, board="farkle20.world", note="ANNA")

    answer = await house.ask(house.ben, "/whois Anna")

    assert "High scores: 240" in answer
    assert "World’s best: 8,000" in answer
