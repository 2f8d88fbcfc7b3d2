"""RULES 8: hints, told in private to who is to act."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from games import registry
from games.mind import best, mind_of
from games.setaside import Hand
from games.zilch import rules as zilch
from tests.minds import unready
from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, codes, data, labels, painted, seen
from tgbot.done import Done
from tgbot.hall import hints
from tgbot.hall.hints import MOST, offered, told
from tgbot.hall.table import Table
from tgbot.inbound.limits import HINTS_A_MINUTE
from tgbot.inbound.toasts import LONGEST_TOAST
from tgbot.playground import Message, Person
from tgbot.words import LANGUAGES


async def hint(house: House, person: Person) -> str:
    """Presses the button of a hint; what that person reads, and nobody else."""
    board = house.board()
    said = await house.press(person, data(board, "hint"), board)
    await house.breathe(1)
    return said


def running(house: House) -> Table:
    """The newest game, which runs."""
    table = seen(house, house.table().id)
    assert table
    return table


async def test_8_beside_a_hint_there_is_room_for_what_is_banked(house: House) -> None:
    await house.open(house.anna, house.ben, kind="zilch")
    house.rolls = [1, 1, 1, 5, 5, 4]
    await house.press(house.anna, data(house.board(), "roll"))
    await house.breathe(3)

    rows = [[button["text"] for button in row] for row in house.board().buttons]
    assert rows[-2:] == [["🎲 Roll …", "🏦 Bank 1,100"], ["🎩 Hint"]]
    assert len(rows) == 5


async def test_8_a_hint_tells_the_best_move_and_what_ones_own_choice_comes_to(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    mind = mind_of(registry()["fifty"])
    values = mind.values

    def watched(state: Any, seat: int) -> Mapping[str, float]:
        threads.append(threading.current_thread().name)
        return values(state, seat)

    monkeypatch.setattr(mind, "values", watched)
    await house.begin(house.anna, house.ben)
    board = house.board()
    sent = len(house.calls("sendMessage"))

    for die in ("d20", "d12"):
        await house.press(house.ben, die)
    mine, bens = await hint(house, house.anna), await hint(house, house.ben)

    table = running(house)
    worths = values(table.state, 0)
    james = best(worths)
    named = james if "+" in james else f"d{james}"
    assert mine.splitlines()[0] == f"🎩 Best: {named}"
    assert f"{100 * worths[james]:.1f}".rstrip("0").rstrip(".") + "% of the pot" in mine
    assert "12+20" not in mine
    assert bens.startswith(f"🎩 Best: {named}\n")
    assert "Your pick: 12+20 → " in bens
    assert "\u00a0??)" in bens
    assert house.telegram.toasts(house.ben)[-1].alert
    # nobody else is told, and nobody waited for it
    assert len(house.calls("sendMessage")) == sent
    assert all(thread.startswith("mind") for thread in threads)
    assert labels(board)[-1] == "🎩 Hint"


async def test_8_a_free_game_has_three_hints_a_person_and_its_board_counts_them(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    for left in range(MOST - 1, -1, -1):
        said = await hint(house, house.anna)
        assert said.splitlines()[-1] == house.says("hint.left" if left else "hint.last", n=left)
    await house.stop()
    await house.start()
    await house.breathe(30)

    said = await hint(house, house.anna)
    await hint(house, house.ben)
    await house.breathe(30)

    assert said == house.says("hint.none_left", n=MOST)
    assert "🎩 Hints: Anna 3, Ben 1" in house.board().text
    assert house.sql("SELECT hints FROM seats ORDER BY id") == [(3,), (1,)]


async def test_8_who_is_not_to_act_gets_no_hint_and_none_is_counted(house: House) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()
    await house.throw(house.anna, "4+4", 1, 2)

    assert await house.press(house.anna, data(board, "hint"), board) == house.says(
        "hint.not_your_turn"
    )
    assert await house.press(house.cem, data(board, "hint"), board) == house.says(
        "refused.not_playing", "de"
    )
    assert house.sql("SELECT SUM(hints) FROM seats") == [(0,)]


@pytest.mark.parametrize(("kind", "stake"), [("fifty", 5), ("yahtzee", 0), ("zilch", 5)])
async def test_8_where_coins_or_a_list_are_at_stake_there_are_no_hints(
    house: House, kind: str, stake: int
) -> None:
    if stake:
        await house.stake(stake)
    await house.open(house.anna, house.ben, kind=kind)
    board, table = house.board(), running(house)

    said = await house.forge(house.anna, f"{table.id}:{table.phase().rev}:hint", board)

    assert "hint" not in codes(board)
    assert said == house.says("hint.off")


async def test_8_a_game_without_a_mind_has_no_hints(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry(), "fifty", replace(registry()["fifty"], mind=""))
    await house.begin(house.anna, house.ben)

    assert "hint" not in codes(house.board())


async def test_8_a_choice_that_can_be_thrown_or_banked_is_told_both_ways(house: House) -> None:
    await house.open(house.anna, house.ben, kind="zilch")
    table = running(house)
    state = replace(table.state, hand=Hand("1115"), rev=2)

    done = told(replace(table, state=state), 0, "123", left=None)
    assert done.toast
    assert house.bot
    said = house.bot.words.plain(done.toast, "en")

    assert offered(table)
    assert "Your pick: 1 1 1 aside, throw 3 → " in said
    assert "Your pick: bank 1,000 → " in said
    assert zilch.legal(state, 0)


async def test_8_the_longest_hint_fits_an_alert(house: House) -> None:
    await house.open(house.anna, house.ben, kind="zilch")
    table = running(house)
    state = replace(table.state, hand=Hand("122255"), rev=2)

    done = told(replace(table, state=state), 0, "1234", left=2)

    assert done.toast
    assert house.bot
    for language in LANGUAGES:
        said = house.bot.words.plain(done.toast, language)
        assert len(said.splitlines()) == 5
        assert len(said) <= LONGEST_TOAST


async def practise(house: House, kind: str) -> Message:
    """Anna plays with James alone; her board."""
    private = house.private(house.anna)
    house.say(house.anna, "/start", private)
    await house.breathe()
    await house.forge(house.anna, f"james:0:{kind}", house.telegram.last(private))
    await painted(house)
    return house.telegram.last(private, buttons=True)


@pytest.mark.usefixtures("tables")
@KINDS
async def test_8_practice_has_hints_without_end(house: House, kind: str) -> None:
    board = await practise(house, kind)
    if kind != "fifty":
        await house.press(house.anna, data(board, "roll"), board)
        await painted(house)
    board = house.telegram.last(board.chat, buttons=True)

    said = {await house.press(house.anna, data(board, "hint"), board) for _ in range(MOST + 1)}

    assert len(said) == 1
    assert said.pop().startswith("🎩 Best: ")
    assert house.sql("SELECT hints FROM seats") == [(0,)]
    assert "Hints" not in board.text


async def test_8_who_presses_for_hints_without_a_pause_keeps_nobody_waiting(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    thoughts = []
    monkeypatch.setattr(hints, "told", lambda *args, **more: thoughts.append(args) or Done())
    board = await practise(house, "fifty")

    said = [await house.press(house.anna, data(board, "hint"), board) for _ in range(40)]

    refused = said.count(house.says("refused.too_fast"))
    assert said[-1] == house.says("refused.too_fast")
    assert len(thoughts) == len(said) - refused <= HINTS_A_MINUTE + 2


async def test_8_a_hint_of_a_mind_that_is_not_ready_says_so_and_is_not_counted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    unready(monkeypatch)
    game = replace(registry()["yahtzee"], lists=())
    monkeypatch.setitem(registry(), "yahtzee", game)
    await house.open(house.anna, house.ben, kind="yahtzee")

    said = await hint(house, house.anna)

    assert said == house.says("analysis.not_ready", game=game.title())
    assert house.sql("SELECT SUM(hints) FROM seats") == [(0,)]
