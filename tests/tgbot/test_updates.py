"""Updates in, deadlines and restarts: everything counts once, nothing is lost (SURVIVE)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from economy.ledger import mint, wallet
from games.game import Draw
from tests.tgbot.conftest import POOLS, House
from tests.virtual_time import now
from tgbot.front import Ask, Front
from tgbot.hall import Hall
from tgbot.playground import Person
from tgbot.settle import Settling
from tgbot.show import Done

ROUND_S = 25
GRACE_S = 60


def moves(house: House) -> list[tuple[int, str]]:
    """What people threw, in order."""
    return house.sql("SELECT seat, move FROM moves WHERE seat >= 0 ORDER BY game_id, n")


def thrown_at(house: House) -> list[int]:
    """When people's throws were made."""
    return [at for (at,) in house.sql("SELECT at FROM moves WHERE seat >= 0 ORDER BY n")]


def shown(house: House) -> dict[str, Any]:
    """What the database says, but for how far boards are painted."""
    return {name: rows for name, rows in house.rows().items() if name not in ("games", "showings")}


async def give(house: House, person: Person, coins: int) -> None:
    """Knuddels out of nowhere."""
    assert house.bot
    ledger = house.bot.hall.ledger
    postings = {mint(): -coins, wallet(person.id): coins}
    await house.bot.clerk.run(lambda: ledger.book("given", "grant", postings, at=0))


async def play_on(house: House, *people: Person) -> None:
    """The rounds that are left, each person a little better than the next."""
    for pool in POOLS[1:]:
        await house.breathe(2)
        for n, person in enumerate(people):
            await house.score(person, pool, 12 - n)
    await house.breathe(3)


# -- once --------------------------------------------------------------------------------------


async def test_a_press_delivered_twice_adds_one_die(house: House) -> None:
    # die buttons add at every press: nothing but the update's number tells a repetition apart
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    house.telegram.faults.duplicate_updates_next = 1
    await house.press(house.anna, "W4")
    await house.breathe()

    toast = await house.press(house.anna, "W8")

    assert house.telegram.faults.count["duplicate_updates"] == 1
    assert toast.startswith("4+8 ")


@pytest.mark.parametrize("said", ["/fifty", "/d +", "/leave", "/d 4"])
async def test_a_command_delivered_twice_is_obeyed_and_answered_once(
    house: House, said: str
) -> None:
    if said in ("/d 4", "/leave"):
        await house.begin(house.anna, house.ben, house.cem)
    elif said == "/d +":
        await house.ask(house.cem, "/fifty")
    await house.breathe(5)
    heard = len(house.heard())
    house.telegram.faults.duplicate_updates_next = 1

    house.say(house.anna, said)
    await house.breathe(8)

    assert house.telegram.faults.count["duplicate_updates"] == 1
    assert len(house.heard()) == heard + (said == "/fifty")
    assert len(moves(house)) == (said in ("/d 4", "/leave"))
    assert len(house.sql("SELECT * FROM games")) == 1


async def test_everything_delivered_again_after_a_crash_changes_nothing(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem, stake=5)
    for person in (house.anna, house.ben, house.cem):
        await house.throw(person, "4+20", 1, 5)
    await play_on(house, house.anna, house.ben, house.cem)
    before, heard = shown(house), len(house.heard())
    assert len(house.received) > 20

    await house.away(1)
    await house.redeliver(*house.received)

    assert shown(house) == before
    assert len(house.heard()) == heard


async def test_a_refused_update_delivered_again_is_not_granted(house: House) -> None:
    # what was refused when it came must not come true a moment later
    await house.stake(11)
    await house.ask(house.anna, "/fifty")
    await house.press(house.ben, "✅")
    press = house.received[-1]
    await house.ask(house.ben, "/points", house.private(house.ben))
    await give(house, house.ben, 5)

    await house.redeliver(press)

    assert house.table().people == []
    assert house.coins(house.ben) == 15


async def test_the_news_of_a_removal_delivered_again_ends_no_later_game(house: House) -> None:
    house.telegram.kick(house.group)
    await house.breathe()
    removal = house.received[-1]
    house.telegram.readd(house.group)
    await house.breathe()
    await house.begin(house.anna, house.ben, stake=5)

    await house.redeliver(removal)

    assert "my_chat_member" in removal
    assert house.table().status == "running"


async def test_the_news_of_an_addition_delivered_again_greets_once(house: House) -> None:
    house.telegram.kick(house.group)
    house.telegram.readd(house.group)
    await house.breathe()
    addition = next(u for u in reversed(house.received) if "my_chat_member" in u)

    await house.redeliver(addition)

    assert house.heard().count(house.says("start.hello_group")) == 2


# -- pressed twice -----------------------------------------------------------------------------


async def twice(house: House, person: Person, button: str) -> list[str]:
    """One press that arrives as two, with different ids; the toasts of both."""
    before = len(house.telegram.toasts(person))
    house.telegram.faults.duplicate_presses_next = 1
    await house.press(person, button)
    await house.breathe()
    return [toast.text for toast in house.telegram.toasts(person)[before:]]


async def test_joining_pressed_twice_takes_one_stake(house: House) -> None:
    await house.stake(5)
    await house.ask(house.anna, "/fifty")

    toasts = await twice(house, house.ben, "✅")

    assert toasts == [
        house.says("lobby.joined_stake", stake="5 Knuddels"),
        house.says("refused.joined"),
    ]
    assert house.coins(house.ben) == 5


async def test_throw_pressed_twice_throws_once(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "W6")

    toasts = await twice(house, house.anna, "🎲")

    assert toasts[1] == house.says("fifty.refused.thrown")
    assert moves(house) == [(0, "6")]


@pytest.mark.parametrize("button", ["▶️", "🚪"])
async def test_start_and_leave_pressed_twice_happen_once(house: House, button: str) -> None:
    await house.open(house.anna, house.ben, house.cem, start=False)

    toasts = await twice(house, house.anna, button)

    assert len(toasts) == 2
    assert toasts[0] != toasts[1]
    assert len(house.sql("SELECT * FROM games")) == 1


async def test_a_die_pressed_twice_is_two_dice(house: House) -> None:
    await house.begin(house.anna, house.ben)

    toasts = await twice(house, house.anna, "W6")

    assert [toast.split(" ")[0] for toast in toasts] == ["6", "6+6"]


async def test_50_joins_at_once_against_a_wallet_that_pays_for_one(house: House) -> None:
    groups = [house.telegram.group(f"G{n}", house.anna, house.ben) for n in range(50)]
    await house.breathe(3)
    for said in ("/settings stake 10", "/fifty"):
        for group in groups:
            house.say(house.anna, said, group)
        await house.breathe(5)

    for group in groups:
        house.telegram.press(house.ben, group, house.telegram.last(group, buttons=True).id, "✅")
    await house.breathe()

    assert house.sql("SELECT count(*) FROM seats") == [(1,)]
    assert house.coins(house.ben) == 0


# -- order -------------------------------------------------------------------------------------


async def test_presses_of_one_moment_are_handled_in_their_order(house: House) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()

    for button in ("W4", "W8", "↩️", "W20", "W6", "🎲"):
        house.telegram.press(house.anna, house.group, board.id, button)
    await house.breathe()

    assert moves(house) == [(0, "6+20")]


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

    house.telegram.press(house.anna, house.group, house.board().id, "W20")
    await house.breathe(10)

    assert moves(house)[0] == (0, "4")
    assert house.says("refused.stale") in [t.text for t in house.telegram.toasts(house.anna)]


# -- failures ----------------------------------------------------------------------------------


async def test_an_update_whose_handler_raises_is_logged_and_the_others_go_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.ask(house.anna, "/fifty")
    join = Hall.join

    def broken(hall: Hall, person: Any, *more: Any) -> Done:
        if person.user_id == house.ben.id:
            raise ZeroDivisionError
        return join(hall, person, *more)

    monkeypatch.setattr(Hall, "join", broken)
    for person in (house.anna, house.ben, house.cem):
        house.telegram.press(person, house.group, house.board().id, "✅")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.cem]
    assert house.log.said("ERROR") == ["an update failed"]
    toast = house.telegram.toasts(house.ben)[-1]
    assert (toast.text, toast.alert) == (house.says("refused.broken"), True)
    assert house.bot
    assert house.bot.front.errors == 1


async def test_a_failed_update_writes_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.stake(5)
    await house.ask(house.anna, "/fifty")
    save = "tgbot.tables.Tables.save"

    async with house.nothing_written():
        with monkeypatch.context() as broken:
            broken.setattr(save, lambda *args: 1 / 0)
            await house.press(house.ben, "✅")
    await house.press(house.ben, "✅")

    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == 5


async def test_a_settlement_that_fails_leaves_the_game_as_it_was_and_is_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # two are late at once: the first lowest die stands already when the second one settles
    house.excused.add("errors")
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS[:2]:
        for person in (house.anna, house.ben):
            await house.score(person, pool, 10)
        await house.breathe(3)
    thrown = moves(house)
    with monkeypatch.context() as broken:
        broken.setattr(Settling, "settle", lambda *args: 1 / 0)
        house.rolls = [2, 1]
        await house.breathe(ROUND_S + 3)
        failed = moves(house)

    house.rolls = [2, 1]
    await house.breathe(GRACE_S + 3)

    assert failed == thrown
    assert moves(house) == [*thrown, (0, "4"), (1, "4")]
    assert house.table().status == "over"
    assert house.log.said("ERROR") == ["a due row could not be fired"]
    assert "▫️ Anna · 10 + 10 + 2 = 22" in house.board().text


async def test_after_a_failed_settlement_the_game_can_be_played_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.excused.add("errors")
    await house.begin(house.anna, house.ben, stake=5)
    for pool in POOLS[:2]:
        for person in (house.anna, house.ben):
            await house.score(person, pool, 10)
        await house.breathe(3)
    with monkeypatch.context() as broken:
        broken.setattr(Settling, "settle", lambda *args: 1 / 0)
        house.rolls = [2, 1]
        await house.breathe(ROUND_S + 3)

    await house.throw(house.anna, "8", 5)
    await house.throw(house.ben, "8", 4)
    await house.breathe(3)

    assert moves(house)[-2:] == [(0, "8"), (1, "8")]
    assert house.table().status == "over"


# -- deadlines ---------------------------------------------------------------------------------


@pytest.mark.parametrize("others", [0, 250])
async def test_updates_already_waiting_are_handled_before_a_deadline_fires(
    house: House, others: int
) -> None:
    # Telegram is out of reach when the time is over; the throws were made before, behind others
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "W20")
    await house.breathe(15)
    house.telegram.faults.only = "getUpdates"
    house.telegram.faults.error_5xx_next = 4
    for _ in range(others):
        house.telegram.press(house.cem, house.group, house.board().id, "W4")
    await house.press(house.ben, "W12")
    await house.press(house.anna, "🎲")
    await house.press(house.ben, "🎲")

    await house.breathe(60)

    assert house.telegram.faults.error_5xx_next == 0
    assert moves(house)[:2] == [(0, "20"), (1, "12")]


async def test_a_deadline_fires_also_while_updates_keep_coming(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each takes three seconds, and one comes every second: there is never a quiet moment
    await house.ask(house.ben, "/fifty")

    async def slow(front: Front, ask: Ask) -> bool:
        await asyncio.sleep(3)
        return False

    monkeypatch.setattr(Front, "is_admin", slow)
    for _ in range(35):
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

    assert moves(house)[:2] == [(0, "4"), (1, "4")]
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
    early = moves(house)
    await house.breathe(12)

    assert early == []
    assert thrown_at(house)[0] - back >= ROUND_S - 4
    assert len(moves(house)) >= 2


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
    await house.press(house.ben, "W8")

    await house.away(5)
    toast = await house.press(house.ben, "W4")
    house.rolls = [2, 5]
    await house.press(house.ben, "🎲")
    await play_on(house, house.anna, house.ben)

    assert toast.startswith("4+8 ")
    assert moves(house)[:2] == [(0, "20"), (1, "4+8")]
    assert house.table().status == "over"
    assert (house.coins(house.anna), house.coins(house.ben)) == (12, 8)


async def test_a_restart_in_a_stechen(house: House) -> None:
    await house.begin(house.anna, house.ben)
    for pool in POOLS:
        await house.breathe(2)
        await house.score(house.anna, pool, 10)
        await house.score(house.ben, pool, 10)
    await house.breathe(3)
    head = house.board().text.split("\n")[0].split(" · ")[:2]

    await house.away(300)
    await house.breathe(3)
    again = house.board().text.split("\n")[0].split(" · ")[:2]
    await house.throw(house.ben, "4", 2)
    await house.breathe(2)
    await house.throw(house.anna, "4", 1)
    await house.breathe(3)

    assert again == head
    assert "Stechen" in head[0]
    assert house.table().status == "over"
    assert "🥇 Ben" in house.board().text


async def test_what_people_did_while_the_bot_was_down_counts(house: House) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()
    house.excused.add("refusals")  # by then it is too late for a toast
    await house.stop()
    for person in (house.anna, house.ben):
        house.telegram.press(person, house.group, board.id, "W12")
        house.telegram.press(person, house.group, board.id, "🎲")
    await house.breathe(200)

    await house.start()

    assert moves(house) == [(0, "12"), (1, "12")]
    assert "ound 2 of 3" in house.board().text


async def test_more_updates_than_one_poll_takes_are_all_handled_at_the_start(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board()
    await house.stop()
    for _ in range(150):
        for button in ("W4", "↩️"):
            house.telegram.press(house.anna, house.group, board.id, button)
    house.telegram.press(house.anna, house.group, board.id, "W20")
    house.telegram.press(house.anna, house.group, board.id, "🎲")

    await house.start()

    assert moves(house) == [(0, "20")]


async def test_a_typed_move_from_before_a_round_that_began_meanwhile_is_too_early(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben)
    typed = now()
    await house.breathe(ROUND_S + 3)
    await house.stop()
    house.say(house.anna, "/d 20", date=typed)

    await house.start()

    assert [move for _, move in moves(house)] == ["4", "4"]
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
    await house.begin(house.anna, house.ben, stake=5)
    await house.throw(house.anna, "20", 10)
    assert house.bot
    store = house.bot.hall.store
    await house.bot.clerk.run(lambda: store.sql("UPDATE moves SET dice = '99' WHERE n = 1"))

    await house.away(5)
    await house.breathe(3)

    assert house.table().status == "void"
    assert (house.coins(house.anna), house.coins(house.ben)) == (10, 10)


async def test_dice_do_not_depend_on_when_the_process_was_restarted(house: House) -> None:
    # the stream of a move begins anew with its number, wherever it is thrown
    drawn: list[tuple[bytes, bytes, int]] = []

    def stream(secret: bytes, part: bytes, move: int) -> Draw:
        drawn.append((secret, part, move))
        return lambda sides: 1

    assert house.bot
    house.bot.hall.stream = stream
    await house.begin(house.anna, house.ben)
    await house.typed(house.anna, "4")
    await house.away(5)
    assert house.bot
    house.bot.hall.stream = stream
    await house.typed(house.ben, "4")

    ((secret, part),) = house.sql("SELECT secret, part FROM games")
    assert drawn == [(secret, part, move) for move in range(3)]


async def test_a_listener_that_fails_does_not_end_the_thread_everything_waits_for(
    house: House,
) -> None:
    house.excused.add("errors")
    assert house.bot
    house.bot.clerk.on_commit.insert(0, lambda: 1 / 0)  # type: ignore[arg-type, return-value]

    await house.ask(house.anna, "/fifty")
    house.bot.clerk.on_commit.pop(0)
    await house.press(house.anna, "✅")

    assert house.table().people == [house.anna]
    assert set(house.log.said("ERROR")) == {"a listener of the database thread failed"}
