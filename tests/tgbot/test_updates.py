"""Updates in, deadlines and restarts: everything counts once, nothing is lost (SURVIVE)."""

from __future__ import annotations

import asyncio

import pytest

from games.game import Draw
from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import flood, play_on, shown, thrown
from tgbot.inbound.asks import Ask
from tgbot.inbound.members import Members
from tgbot.soak.virtual import now

ROUND_S = 25
GRACE_S = 60


def thrown_at(house: House) -> list[int]:
    """When people's throws were made."""
    return [at for (at,) in house.sql("SELECT at FROM moves WHERE seat >= 0 ORDER BY n")]


# -- order -------------------------------------------------------------------------------------


async def test_presses_of_one_moment_are_handled_in_their_order(house: House) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()

    for button in ("d4", "d8", "↩️", "d20", "d6", "🎲"):
        house.telegram.press(house.anna, house.group, board.id, button)
    await house.breathe()

    assert thrown(house) == [(0, "6+20")]


async def test_shuffled_updates_do_no_harm(house: House) -> None:
    await house.open(house.anna, house.ben, start=False)
    house.telegram.faults.shuffle_next = 4

    for person, button in ((house.cem, "✅"), (house.cem, "🚪"), (house.cem, "✅")):
        house.telegram.press(person, house.group, house.board().id, button)
    house.telegram.press(house.anna, house.group, house.board().id, "▶️")
    await house.breathe(5)

    assert house.table().status == "running"
    assert house.table().people == [house.anna, house.ben]


async def test_a_press_that_comes_after_its_round_is_stale(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.breathe(ROUND_S - 5)
    house.telegram.faults.late_updates_s = 8

    house.telegram.press(house.anna, house.group, house.board().id, "d20")
    await house.breathe(10)

    assert thrown(house)[0] == (0, "late")
    assert house.says("refused.stale") in [t.text for t in house.telegram.toasts(house.anna)]


# -- deadlines ---------------------------------------------------------------------------------


@pytest.mark.parametrize("others", [0, 250])
async def test_updates_already_waiting_are_handled_before_a_deadline_fires(
    house: House, others: int
) -> None:
    # Telegram is out of reach when the time is over; the throws were made before, behind others
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "d20")
    await house.breathe(15)
    house.telegram.faults.only = "getUpdates"
    house.telegram.faults.error_5xx_next = 4
    for _ in range(others):
        house.telegram.press(house.cem, house.group, house.board().id, "d4")
    await house.press(house.ben, "d12")
    await house.press(house.anna, "🎲")
    await house.press(house.ben, "🎲")

    await house.breathe(60)

    assert house.telegram.faults.error_5xx_next == 0
    assert thrown(house)[:2] == [(0, "20"), (1, "12")]


async def test_a_deadline_fires_also_while_updates_keep_coming(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each takes three seconds, and one comes every second: there is never a quiet moment
    await house.ask(house.ben, "/fifty")

    async def slow(members: Members, ask: Ask) -> bool:
        await asyncio.sleep(3)
        return False

    monkeypatch.setattr(Members, "is_admin", slow)
    for _ in range(95):
        house.telegram.press(house.cem, house.group, house.board().id, "▶️")
        await house.breathe(1)

    assert house.table().status == "off"
    await house.breathe(5)


async def test_a_deadline_that_comes_while_the_clock_is_looking_is_not_forgotten(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    assert house.bot
    clock = house.bot.clock
    quiet, due = clock.quiet, house.table().due_at

    async def long() -> None:
        await asyncio.sleep(2)
        await quiet()

    await house.breathe(due - 1 - now())
    clock.quiet = long
    looking = asyncio.create_task(clock.look())
    await house.breathe(6)
    await looking

    assert thrown(house)[:2] == [(0, "late"), (1, "late")]
    assert thrown_at(house)[0] - due <= 5


async def test_deadlines_of_many_games_fire_each_once(house: House) -> None:
    groups = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(30)]
    await house.breathe(3)
    for group in groups:
        house.say(house.anna, "/fifty", group)
    await house.breathe(5)
    for group in groups:
        for person in (house.anna, house.ben):
            board = house.telegram.last(group, buttons=True)
            house.telegram.press(person, group, board.id, "✅")

    await house.breathe(2 * 30 + 2 * ROUND_S)

    games = house.sql("SELECT count(*) FROM games WHERE status = 'running'")
    assert games == [(30,)]
    rounds = house.sql("SELECT DISTINCT count(*) FROM moves GROUP BY game_id, seat, n")
    assert rounds == [(1,)]


# -- restart -----------------------------------------------------------------------------------


async def test_a_running_phase_gets_its_full_time_after_a_restart(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.breathe(20)
    await house.away(1000)
    back = now()

    await house.breathe(ROUND_S - 8)
    early = thrown(house)
    await house.breathe(12)

    assert early == []
    assert thrown_at(house)[0] - back >= ROUND_S - 4
    assert len(thrown(house)) >= 2


async def test_a_phase_that_ran_out_during_downtime_waits_for_its_board(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.stop()
    await house.breathe(1000)
    flood(house, times=1, seconds=20)
    house.excused.add("refusals")

    await house.start()
    await house.breathe(20 + ROUND_S - 5)
    early = thrown(house)
    await house.breathe(10)

    assert early == []
    assert thrown(house) == [(0, "late"), (1, "late")]


async def test_a_restart_in_the_lobby_keeps_players_stakes_and_the_full_time(
    house: House,
) -> None:
    await house.stake(5)
    await house.open(house.anna, house.ben, start=False)
    await house.breathe(20)
    await house.away(500)

    await house.breathe(24)
    waiting = house.table()
    await house.press(house.cem, "✅")
    await house.breathe(35)

    assert waiting.status == "lobby"
    assert waiting.people == [house.anna, house.ben]
    assert house.table().status == "running"
    assert house.held("escrow", waiting.id) == 15


async def test_a_restart_keeps_what_was_thrown_and_picked(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    await house.throw(house.anna, "20", 10)
    await house.press(house.ben, "d8")

    await house.away(5)
    toast = await house.press(house.ben, "d4")
    house.rolls = [2, 5]
    await house.press(house.ben, "🎲")
    await play_on(house, house.anna, house.ben)

    assert toast.startswith("4+8 ")
    assert thrown(house)[:2] == [(0, "20"), (1, "4+8")]
    assert house.table().status == "over"
    assert (house.coins(house.anna), house.coins(house.ben)) == (12, 8)


async def test_a_restart_in_a_stechen(house: House) -> None:
    await house.begin(house.anna, house.ben)
    for pool in POOLS:
        await house.breathe(2)
        await house.score(house.anna, pool, 10)
        await house.score(house.ben, pool, 10)
    await house.breathe(3)
    (head,) = [line for line in house.board().text.split("\n") if "Roll-off" in line]

    await house.away(300)
    await house.breathe(3)
    again = house.board().text.split("\n")
    await house.throw(house.ben, "4", 2)
    await house.breathe(2)
    await house.throw(house.anna, "4", 1)
    await house.breathe(3)

    assert head.split(" · ")[:2] in [line.split(" · ")[:2] for line in again]
    assert house.table().status == "over"
    assert "🥇 Ben" in house.board().text


async def test_what_people_did_while_the_bot_was_down_counts(house: House) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()
    house.excused.add("refusals")  # by then it is too late for a toast
    await house.stop()
    for person in (house.anna, house.ben):
        house.telegram.press(person, house.group, board.id, "d12")
        house.telegram.press(person, house.group, board.id, "🎲")
    await house.breathe(200)

    await house.start()

    assert thrown(house) == [(0, "12"), (1, "12")]
    assert "ound 2 of 3" in house.board().text


async def test_more_updates_than_one_poll_takes_are_all_handled_at_the_start(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()
    await house.stop()
    for _ in range(150):
        for button in ("d4", "↩️"):
            house.telegram.press(house.anna, house.group, board.id, button)
    house.telegram.press(house.anna, house.group, board.id, "d20")
    house.telegram.press(house.anna, house.group, board.id, "🎲")

    await house.start()

    assert thrown(house) == [(0, "20")]


async def test_a_typed_move_from_before_a_round_that_began_meanwhile_is_too_early(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    typed = now()
    await house.breathe(ROUND_S + 3)
    await house.stop()
    house.say(house.anna, "/d 20", date=typed)

    await house.start()

    assert [move for _, move in thrown(house)] == ["late", "late"]
    assert house.says("refused.too_early") in house.heard()


async def test_two_restarts_in_a_row_change_nothing(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    await house.throw(house.anna, "20", 10)
    before = shown(house)
    del before["due"]

    await house.away(1)
    await house.away(1)
    after = shown(house)
    del after["due"]

    assert after == before
    assert len([m for m in house.telegram.messages(house.group) if m.buttons]) <= 3


async def test_a_game_whose_rules_changed_gives_every_stake_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    await house.stop()

    monkeypatch.setattr("games.fifty.rules.VERSION", 1_000)
    await house.start()
    await house.breathe(3)

    assert house.table().status == "void"
    assert (house.coins(house.anna), house.coins(house.ben)) == (10, 10)
    assert house.says("stop.why_rules") in house.telegram.last(house.group).text


async def test_a_game_whose_moves_lead_nowhere_gives_every_stake_back(house: House) -> None:
    house.excused.add("errors")  # why it cannot go on is logged with its traceback
    await house.begin(house.anna, house.ben, stake=5)
    await house.throw(house.anna, "20", 10)
    assert house.bot
    store = house.bot.hall.store
    await house.bot.clerk.run(
        lambda: store.db.execute_sql("UPDATE moves SET dice = '99' WHERE n = 1")
    )

    await house.away(5)
    await house.breathe(3)

    assert house.table().status == "void"
    assert (house.coins(house.anna), house.coins(house.ben)) == (10, 10)
    assert house.log.traced == ["a game cannot go on; every stake returns"]


async def test_dice_do_not_depend_on_when_the_process_was_restarted(house: House) -> None:
    # the stream of a move begins anew with its number, wherever it is thrown
    drawn: list[tuple[bytes, bytes, int]] = []

    def stream(secret: bytes, part: bytes, move: int) -> Draw:
        drawn.append((secret, part, move))
        return lambda sides: 1

    assert house.bot
    house.bot.hall.chance.stream = stream
    await house.begin(house.anna, house.ben)
    await house.typed(house.anna, "4")
    await house.away(5)
    assert house.bot
    house.bot.hall.chance.stream = stream
    await house.typed(house.ben, "4")

    ((part,),), (secret,) = house.sql("SELECT part FROM games"), house.secrets().values()
    assert drawn == [(secret, part, move) for move in range(3)]
