"""One person floods: others are served at once, and nothing grows (issue 5: limits per person)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tgbot.calling import Called, called
from tests.tgbot.house import House, running_house
from tests.tgbot.playing import KINDS, give, thrown
from tgbot.inbound.limits import BURST_S, HOUR_S, Limit
from tgbot.playground import Chat, Limits

__all__ = ["called"]

FLOOD = 10_000
A_SECOND = 10
AT_ONCE = A_SECOND * BURST_S
SERVED_S = 1.0


def noted(house: House) -> int:
    """How many updates the database remembers: each costs work there."""
    return int(house.sql("SELECT count(*) FROM updates")[0][0])


def answers(house: House) -> int:
    """How many presses the bot has answered."""
    return sum(call.method == "answerCallbackQuery" for call in house.telegram.log)


class Watch:
    """What the bot holds in its hands at the most."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tasks = self.queued = self.notes = 0

    async def __call__(self) -> None:
        """Looks again and again, until cancelled."""
        bot = self.house.bot
        assert bot
        while True:
            self.tasks = max(self.tasks, len(bot.painter._tasks))
            self.queued = max(self.queued, bot.clerk.outstanding)
            self.notes = max(self.notes, bot.painter.backlog())
            await asyncio.sleep(0.01)


@pytest.fixture
async def watch(house: House) -> AsyncIterator[Watch]:
    """The house's watch, which looks on."""
    watch = Watch(house)
    looking = asyncio.create_task(watch())
    yield watch
    looking.cancel()


async def test_10000_presses_of_one_person_cost_a_hundred_and_hold_nobody_up(
    house: House, watch: Watch
) -> None:
    await house.open(house.anna, start=False)
    board, before, told = house.board(), noted(house), answers(house)

    for _ in range(FLOOD):
        house.telegram.press_data(house.cem, house.group, board.id, "set:0:stake=5")
    query = house.telegram.press(house.ben, house.group, board.id, "✅")
    began = house.telegram.now()
    while not (toast := house.telegram.toast(query)):
        await house.breathe(0.05)
        assert house.telegram.now() - began < SERVED_S
    await house.breathe(2)

    assert toast.text == house.says("lobby.joined")
    assert noted(house) - before <= AT_ONCE + 2 * A_SECOND
    assert answers(house) - told <= AT_ONCE + 2 * A_SECOND
    assert watch.tasks <= 2 * AT_ONCE
    assert watch.queued <= 2 * AT_ONCE
    assert len(house.bot.front.limits.presses) <= 3


async def test_a_flood_is_told_once_and_then_no_more(house: House) -> None:
    await house.open(house.anna, start=False)
    board = house.board()

    for _ in range(500):
        house.telegram.press(house.ben, house.group, board.id, "📖")
    await house.breathe(2)

    toasts = [toast.text for toast in house.telegram.toasts(house.ben)]
    assert toasts.count(house.says("refused.too_fast")) == 1
    assert len(toasts) == AT_ONCE + 1


async def test_a_flooder_who_stops_is_served_again(house: House) -> None:
    await house.open(house.anna, start=False)
    board = house.board()
    for _ in range(500):
        house.telegram.press(house.ben, house.group, board.id, "📖")
    await house.breathe(1)

    toast = await house.press(house.ben, "✅")

    assert toast == house.says("lobby.joined")


async def test_a_flood_of_commands_is_dropped_before_any_work(house: House, watch: Watch) -> None:
    await house.breathe(3)
    before = noted(house)

    for _ in range(2_000):
        house.say(house.cem, "/help")
    await house.breathe(1)
    answer = await house.press(house.ben, "🎲 Fifty!")

    assert answer == house.says("lobby.opened_in")
    assert noted(house) - before <= AT_ONCE + 5 * A_SECOND
    assert watch.notes <= 40


async def test_a_flood_of_calls_is_held_too(called: Called) -> None:
    house, wire = called
    await house.open(house.anna, start=False)
    board, before = house.board(), noted(house)

    for _ in range(1_000):
        house.telegram.press(house.cem, house.group, board.id, "📖")
    await house.breathe(3)

    assert {status for status, _ in wire.responses} == {200}
    assert noted(house) - before <= AT_ONCE + 5 * A_SECOND


async def test_a_flood_in_one_chat_leaves_the_boards_of_others_alone(house: House) -> None:
    other = house.telegram.group("Other", house.ben, house.anna)
    await house.breathe(3)
    for _ in range(2_000):
        house.say(house.cem, "/help")

    await house.ask(house.ben, "/fifty", other)

    assert house.says("lobby.needs", n=1, ends="").strip(" ·") in house.telegram.last(other).text


async def test_who_plays_as_fast_as_hands_go_is_never_refused(house: House) -> None:
    # ten dice in three seconds, three rounds long, both at once
    await house.begin(house.anna, house.ben)
    for _ in range(3):
        board = house.board()
        for button in ("d4", "d4", "d6", "↩️", "d8", "d10", "↩️", "d12", "d4", "↩️", "d4", "🎲"):
            for person in (house.anna, house.ben):
                house.telegram.press(person, house.group, board.id, button)
            await house.breathe(0.3)
        await house.breathe(3)

    assert len(thrown(house)) == 6
    for person in (house.anna, house.ben):
        toasts = [toast.text for toast in house.telegram.toasts(person)]
        assert house.says("refused.too_fast") not in toasts


async def test_what_people_did_while_the_bot_was_down_is_no_flood(house: House) -> None:
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    board = house.board()
    await house.stop()
    for _ in range(AT_ONCE):
        for button in ("d4", "↩️"):
            house.telegram.press(house.anna, house.group, board.id, button)
    house.telegram.press(house.anna, house.group, board.id, "d20")
    house.telegram.press(house.anna, house.group, board.id, "🎲")

    await house.start()

    assert thrown(house) == [(0, "20")]


# -- games and gifts ---------------------------------------------------------------------------


@pytest.fixture
async def narrow(tmp_path: Path) -> AsyncIterator[House]:
    """A house whose operator lets nobody open more than three games an hour, or give twice."""
    settings = {"lobbies_an_hour": 3, "gives_a_minute": 2, "give_after_days": 0}
    async for made in running_house(tmp_path, Limits(off=True), **settings):
        yield made


async def groups(house: House, number: int) -> list[Chat]:
    """So many groups of Anna and Ben."""
    made = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(number)]
    await house.breathe(3)
    return made


@KINDS
async def test_one_person_opens_so_many_games_an_hour_and_others_go_on(
    narrow: House, kind: str
) -> None:
    house = narrow
    places = await groups(house, 5)
    for place in places[:3]:
        await house.ask(house.anna, f"/{kind}", place)

    async with house.nothing_written():
        refused = await house.ask(house.anna, f"/{kind}", places[3])
    other = await house.ask(house.ben, f"/{kind}", places[3])
    await house.breathe(HOUR_S / 3)
    later = await house.ask(house.anna, f"/{kind}", places[4])

    assert refused == house.says("refused.many_games", n=3)
    assert house.says("lobby.needs", n=1, ends="").strip(" ·") in other
    assert house.says("lobby.needs", n=1, ends="").strip(" ·") in later


async def test_games_alone_and_again_count_too(narrow: House) -> None:
    house, private = narrow, narrow.private(narrow.anna)
    for _ in range(3):
        await house.ask(house.anna, "/farkle20", private)
        await house.ask(house.anna, "/leave", private)
        await house.breathe(2)

    again = await house.press(house.anna, "🔁", house.telegram.last(private, buttons=True))
    typed = await house.ask(house.anna, "/farkle20", private)

    assert again == typed == house.says("refused.many_games", n=3)


async def test_a_game_that_could_not_be_opened_does_not_count(narrow: House) -> None:
    house = narrow
    await house.ask(house.anna, "/settings openers admins")
    for _ in range(5):
        await house.ask(house.ben, "/fifty")
    await house.ask(house.anna, "/settings openers anyone")

    answer = await house.ask(house.ben, "/fifty")

    assert house.says("lobby.needs", n=1, ends="").strip(" ·") in answer


async def test_one_person_gives_so_often_a_minute(narrow: House) -> None:
    house, private = narrow, narrow.private(narrow.anna)
    house.ben.username = "ben_b"
    for person in (house.anna, house.ben):
        await house.ask(person, "/start", house.private(person))
    await give(house, house.anna, 100)
    for _ in range(2):
        await house.ask(house.anna, "/give 1 @ben_b", private)

    async with house.nothing_written():
        refused = await house.ask(house.anna, "/give 1 @ben_b", private)
    await house.breathe(60)
    await house.ask(house.anna, "/give 1 @ben_b", private)

    assert refused == house.says("give.too_often", n=2)
    assert house.coins(house.ben) == 13


# -- the limit itself --------------------------------------------------------------------------


def test_a_limit_lets_so_many_at_once_and_then_as_many_as_time_allows() -> None:
    limit = Limit(30, 3)

    assert [limit.take(1, 100.0) for _ in range(40)] == [True] * 30 + [False] * 10
    assert [limit.take(1, 100.55) for _ in range(10)] == [True] * 5 + [False] * 5
    assert all(limit.take(1, 103.55 + n / 10) for n in range(1000))
    assert limit.take(2, 100.0)


def test_a_limit_forgets_who_did_nothing_for_a_while() -> None:
    limit = Limit(2, 60)

    for who in range(100_000):
        assert limit.take(who, who)

    assert len(limit) <= 1001


def test_a_clock_that_is_set_back_shuts_nobody_out() -> None:
    limit = Limit(2, 60)
    limit.take(1, 10_000)
    limit.take(1, 10_000)

    assert [limit.take(1, 500) for _ in range(3)] == [True, True, False]
