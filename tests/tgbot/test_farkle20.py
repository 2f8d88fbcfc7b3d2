"""RULES 4: Farkle 20 alone in the private chat, as a race of a group, and the world's best."""

from __future__ import annotations

from typing import Any

import pytest

from economy.best_lists import Best
from games.farkle20.rules import TURNS
from games.game import text
from tests.tgbot.house import House
from tests.tgbot.playing import codes, data, labels, moves, sent, tap, typed, waited
from tgbot.playground import Message, Person

MINUTE_S = 60
KNOWN = "/start"


def board(house: House, person: Person) -> Message:
    """The newest board in somebody's private chat."""
    return house.telegram.last(house.private(person), buttons=True)


async def alone(house: House, person: Person) -> None:
    """Somebody begins a game of their own."""
    house.say(person, "/farkle20", house.private(person))
    await house.breathe(2)


async def bank(house: House, person: Person, dice: str = "111234", kept: str = "111") -> None:
    """A whole turn in private by commands."""
    chat = house.private(person)
    await typed(house, person, "/roll", f"/bank {kept}", dice=dice, chat=chat)


async def through(house: House, person: Person, turns: int = TURNS) -> None:
    """So many turns of 1000 points each."""
    for _ in range(turns):
        await bank(house, person)
    await house.breathe(3)


async def race(house: House, *players: Person, stake: int = 0, known: bool = True) -> str:
    """A race that has begun, between people the bot may write to; answers its id."""
    if known:
        for person in players:
            house.say(person, KNOWN, house.private(person))
        await house.breathe(2)
    if stake:
        await house.stake(stake)
    await house.open(*players, kind="farkle20")
    return house.table().id


async def press(house: House, person: Person, *said: str) -> str:
    """Presses buttons of somebody's own board; the last toast."""
    return await tap(house, person, *said, chat=house.private(person))


# -- alone -------------------------------------------------------------------------------------


async def test_alone_in_private_at_any_time_without_lobby_points_or_stake(house: House) -> None:
    await house.stake(5)
    await alone(house, house.anna)

    house.rolls = [1, 1, 5, 2, 3, 4]
    thrown = await press(house, house.anna, "roll")
    chosen = await press(house, house.anna, "k1", "k2", "k6")
    banked = await press(house, house.anna, "bank")

    assert thrown == house.says("farkle20.threw", dice="1 1 2 3 4 5", best="1 1 5", points=250)
    assert chosen == "🔒 1 1 5 = 250 → turn 250 · 🎲 3: 28% bust"
    then = house.says("farkle20.then.next", total=250, turn=2)
    assert banked == f"🏦 250 banked. {then}"
    assert house.coins(house.anna) == 10
    assert house.table(house.private(house.anna)).stake == 0


async def test_the_welcome_has_a_button_for_it(house: House) -> None:
    chat = house.private(house.cem)
    await house.ask(house.cem, "/start", chat)

    await house.press(house.cem, "🔥 Farkle 20", house.telegram.last(chat))
    await house.breathe(2)

    assert "Zug 1/20" in board(house, house.cem).text


async def test_any_little_may_be_banked_and_a_bust_brings_nothing(house: House) -> None:
    await alone(house, house.anna)

    await bank(house, house.anna, "522334", "5")
    chat = house.private(house.anna)
    await typed(house, house.anna, "/roll", "/roll 111", dice="111234" + "223", chat=chat)
    await house.breathe(2)

    text = board(house, house.anna).text
    assert "turn 3/20 · total 50" in text
    assert house.says("farkle20.last.bust", turn=2, dice="2 2 3", points=1000, hot="") in text


async def test_hot_dice_are_six_new_ones_in_the_same_turn(house: House) -> None:
    await alone(house, house.anna)
    chat = house.private(house.anna)

    await typed(house, house.anna, "/roll", "/roll 123456", dice="123456" + "223346", chat=chat)
    await house.breathe(2)

    text = board(house, house.anna).text
    bust = {"turn": 1, "dice": "2 2 3 3 4 6", "points": 2000, "hot": " 🔥"}
    assert house.says("farkle20.last.bust", **bust) in text
    assert "turn 2/20 · total 0" in text


async def test_a_second_farkle20_shows_the_same_board_in_a_new_message(house: House) -> None:
    await alone(house, house.anna)
    await bank(house, house.anna)
    await house.breathe(2)
    old = board(house, house.anna)
    before = old.text

    await alone(house, house.anna)
    await house.breathe(2)

    new = board(house, house.anna)
    assert new.id > old.id
    assert new.text == before
    assert old.buttons == []
    assert len(house.sql("SELECT id FROM games")) == 1
    assert await press(house, house.anna, "roll")


async def test_twenty_turns_and_the_last_is_announced(house: House) -> None:
    await alone(house, house.anna)
    await through(house, house.anna, TURNS - 1)
    last = board(house, house.anna).text

    house.rolls = [5, 2, 2, 3, 3, 4]
    toast = await press(house, house.anna, "roll", "bank_best")
    await house.breathe(2)

    assert "turn 20/20" in last
    assert house.says("farkle20.last_turn", total=19000) in last
    assert toast == "🏦 50 banked. " + house.says("farkle20.then.done", total=19050)
    result = board(house, house.anna)
    assert "Twenty turns, 19,050 points" in result.text
    assert labels(result) == ["✍️ Put me on the world list", "🔁 Again", "🎩 Analysis", "🔎 Verify"]
    assert house.sql("SELECT count(*) FROM bookings WHERE reason = 'game'") == [(0,)]


async def test_again_begins_another_game(house: House) -> None:
    await alone(house, house.anna)
    await through(house, house.anna)

    await press(house, house.anna, "again")
    await house.breathe(2)

    assert "turn 1/20 · total 0" in board(house, house.anna).text
    assert len(house.sql("SELECT id FROM games")) == 2


async def test_leaving_and_stopping_alone_end_it(house: House) -> None:
    await alone(house, house.anna)
    chat = house.private(house.anna)
    await house.leave(house.anna, chat)
    await house.breathe(2)
    left = board(house, house.anna).text

    await alone(house, house.anna)
    await typed(house, house.anna, "/stop", chat=chat)
    await house.breathe(2)

    assert house.says("farkle20.result.left") in left
    assert [s for (s,) in house.sql("SELECT status FROM games")] == ["over", "stopped"]
    assert house.says("stop.free") in board(house, house.anna).text


async def test_the_board_stays_in_the_players_language_over_a_restart(house: House) -> None:
    await alone(house, house.cem)
    before = board(house, house.cem).text

    await house.away(30)
    await bank(house, house.cem)
    await house.breathe(2)

    assert "Zug 1/20" in before
    assert "Zug 2/20 · gesamt 1.000" in board(house, house.cem).text


WRONG = {
    "/roll 6": "6 isn’t there. On the table: 1 1 2 3 4 5.",
    "/bank 2": "2 doesn’t score: every die set aside must count. The best here: 1 1 5 = 250.",
    "/roll 999": "I can’t read that. Name up to six dice to set aside, for example 1 5.",
    "/bank one": "I can’t read that. Name up to six dice to set aside, for example 1 5.",
    "/bank": "Set something aside first. The best here: 1 1 5 = 250.",
    "/score": "Farkle 20 is running here. Its commands: /bank /d /dice /roll.",
}


async def test_what_cannot_be_done_is_told_in_one_line_and_changes_nothing(house: House) -> None:
    await alone(house, house.anna)
    chat = house.private(house.anna)
    await typed(house, house.anna, "/roll", dice="115234", chat=chat)

    async with house.nothing_written():
        answers = [await house.ask(house.anna, line, chat) for line in WRONG]
        toast = await press(house, house.anna, "k3")

    assert answers == [*WRONG.values()]
    assert toast == house.says("farkle20.refused.no_score", dice="2", best="1 1 5", points=250)


# -- the world's best --------------------------------------------------------------------------


def entered(house: House) -> list[tuple[Any, ...]]:
    """The world list: names and values."""
    return house.sql("SELECT note, value FROM bests WHERE board = 'farkle20.world'")


async def test_a_result_is_entered_under_ones_own_name_by_a_button(house: House) -> None:
    long = house.telegram.person("Maximiliane", last_name="Mustermann")
    await alone(house, long)
    await through(house, long)

    await press(house, long, "sign")
    await house.breathe(2)
    asked = house.telegram.last(house.private(long))
    question, offered = asked.text, labels(asked)
    toast = await house.press(long, offered[0], asked)

    assert question == house.says("sign.ask", most=10)
    assert offered == ["✅ Maximilian"]
    first = tuple(
        text("sign.place", period=text(f"top.{p}"), place=1) for p in ("all", "day", "week")
    )
    assert toast == house.says("sign.done", name="Maximilian", places=first)
    assert entered(house) == [("Maximilian", 20000)]


async def test_a_result_is_entered_under_a_name_that_is_typed(house: House) -> None:
    await alone(house, house.anna)
    await through(house, house.anna)
    chat = house.private(house.anna)
    await press(house, house.anna, "sign")
    await house.breathe(2)

    refused = [
        await house.ask(house.anna, name, chat)
        for name in ("elevenchars", "\u0301\u0301", "#0000", "https://example.org")
    ]
    nothing_yet = entered(house)
    done = await house.ask(house.anna, "  Änne <3 ", chat)
    after = await house.ask(house.anna, "Another", chat)

    assert refused == [house.says("sign.bad_name", most=10)] * 4
    assert nothing_yet == []
    assert done.startswith("🏅 You’re on the list as Änne <3 – all time: place 1, ")
    assert after == house.says("help.hint")
    assert entered(house) == [("Änne <3", 20000)]
    assert (await house.ask(house.ben, "/top", house.private(house.ben))).endswith(
        "\n1. Änne <3 · 20,000"
    )


async def test_a_result_is_entered_once(house: House) -> None:
    await alone(house, house.anna)
    await through(house, house.anna)
    result = board(house, house.anna)
    await press(house, house.anna, "sign")
    await house.breathe(2)
    asked = house.telegram.last(house.private(house.anna))
    codes_used = [data(message, code) for message, code in ((result, "sign"), (asked, "name"))]
    await house.press(house.anna, labels(asked)[0], asked)
    await house.breathe(3)

    async with house.nothing_written():
        again = [await house.forge(house.anna, code, result) for code in codes_used]

    assert again == [house.says("sign.again")] * 2
    assert "sign" not in codes(result)
    assert asked.buttons == []
    assert asked.text.startswith("🏅 You’re on the list as Anna")


async def test_4_only_the_best_thousand_are_offered_and_entered(house: House) -> None:
    await fill(house, 1000, value=30000)
    await alone(house, house.anna)
    await through(house, house.anna)

    shown = board(house, house.anna)
    async with house.nothing_written():
        game = house.table(house.private(house.anna)).id
        forged = [await house.forge(house.anna, f"{game}:0:{code}", shown)
                  for code in ("sign", "name")]  # fmt: skip

    short = house.says("sign.missing", period=text("top.week"), n=10000)
    assert short in shown.text
    assert "sign" not in codes(shown)
    assert forged == [house.says("refused.stale")] * 2


async def test_4_the_last_board_compares_the_result_with_all_three_lists(house: House) -> None:
    await fill(house, 3, value=30000)
    await alone(house, house.anna)
    await through(house, house.anna)

    shown = board(house, house.anna)

    for period in ("all", "day", "week"):
        place = house.says("sign.place", period=text(f"top.{period}"), place=4)
        assert place in shown.text
    assert "sign" in codes(shown)


async def fill(house: House, number: int, value: int) -> None:
    """So many results of others, all made just now."""
    assert house.bot
    bests, at = house.bot.hall.settling.bests, int(house.telegram.now())

    def enter() -> None:
        for n in range(number):
            best = Best(str(n), value, f"N{n}", at, "-1")
            bests.enter("farkle20.world", best, source=f"game{n}")

    await house.bot.clerk.run(enter)


async def test_others_and_unfinished_games_enter_nothing(house: House) -> None:
    game = await race(house, house.anna, house.ben)
    await bank(house, house.ben)
    await through(house, house.anna)
    await house.leave(house.ben, house.private(house.ben))
    await house.breathe(3)

    async with house.nothing_written():
        toasts = [
            await house.forge(person, f"{game}:0:{code}", board(house, person))
            for person, code in ((house.ben, "sign"), (house.ben, "name"))
        ]

    assert toasts == [house.says("refused.stale")] * 2
    assert "sign" in codes(board(house, house.anna))
    assert "sign" not in codes(board(house, house.ben))


# -- the race ----------------------------------------------------------------------------------


async def test_joining_leads_into_the_private_chat(house: House) -> None:
    await house.stake(5)
    house.say(house.anna, "/farkle20")
    await house.breathe()
    game = house.table().id

    await house.press(house.ben, "✅")
    link = house.telegram.toasts(house.ben)[-1].url
    answer = await house.ask(house.ben, f"/start play_{game}", house.private(house.ben))

    assert link == f"https://t.me/dicehall_bot?start=play_{game}"
    assert answer == house.says("own.waiting", game="Farkle 20")
    assert house.table().people == [house.ben]


async def test_who_has_joined_is_led_there_again_and_joins_nothing_twice(house: House) -> None:
    await house.stake(5)
    house.say(house.anna, "/farkle20")
    await house.breathe()
    await house.press(house.ben, "✅")

    async with house.nothing_written():
        toast = await house.press(house.ben, "✅")

    link = f"https://t.me/dicehall_bot?start=play_{house.table().id}"
    assert toast == ""  # where there is a text, Telegram's apps follow no link
    assert house.telegram.toasts(house.ben)[-1].url == link
    assert house.coins(house.ben) == 5


async def test_the_deep_link_joins_too(house: House) -> None:
    await house.stake(5)
    house.say(house.anna, "/farkle20")
    await house.breathe()
    game = house.table().id

    answer = await house.ask(house.ben, f"/start play_{game}", house.private(house.ben))
    await house.breathe()

    assert answer == house.says("own.waiting", game="Farkle 20")
    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == 5
    assert "\nBen\n" in house.board().text


@pytest.mark.parametrize("word", ["play_nosuchid", "play_", "play_{other}"])
async def test_a_link_that_leads_nowhere_is_told_so(house: House, word: str) -> None:
    house.say(house.ben, KNOWN, house.private(house.ben))
    await house.ask(house.anna, "/fifty")
    line = "/start " + word.format(other=house.table().id)

    async with house.nothing_written():
        answer = await house.ask(house.ben, line, house.private(house.ben))

    assert answer == house.says("refused.no_game")


async def test_own_boards_come_to_the_private_chats_when_the_race_begins(house: House) -> None:
    await race(house, house.anna, house.ben)

    for person in (house.anna, house.ben):
        assert "turn 1/20 · total 0" in board(house, person).text
        assert codes(board(house, person)) == ["roll", "guide"]
    game = house.table().id
    assert house.board().buttons[-1][0]["url"] == f"https://t.me/dicehall_bot?start=play_{game}"


async def test_the_groups_board_shows_everybodys_turn_and_total_live(strict_house: House) -> None:
    house = strict_house
    await race(house, house.anna, house.ben, house.cem)
    before = sent(house)

    for turn in range(TURNS // 2):
        for person in (house.anna, house.ben, house.cem)[: 2 + turn % 2]:
            await bank(house, person)
        await house.breathe(3)
    await house.breathe(62)

    assert "▫️ Anna · 10,000 · turn 11/20" in house.board().text
    assert "▫️ Cem · 5,000 · turn 6/20" in house.board().text
    assert sent(house) == before
    assert house.refused == []


async def test_private_presses_make_nobody_elses_stale(house: House) -> None:
    await race(house, house.anna, house.ben)
    both = {person: board(house, person) for person in (house.anna, house.ben)}
    house.rolls = [1, 1, 1, 2, 3, 4] * 4

    toasts = []
    for code in ("🎲", "🏦"):
        for person, own in both.items():
            toasts.append(await house.press(person, code, own))
        await house.breathe(2)

    assert moves(house) == [(0, "roll"), (1, "roll"), (0, "111 bank"), (1, "111 bank")]
    assert house.says("refused.stale") not in toasts
    assert "▫️ Anna · 1,000 · turn 2/20" in house.board().text
    assert "place 1 of 2" in both[house.anna].text.lower()


async def test_nobody_plays_on_the_board_of_somebody_else(house: House) -> None:
    game = await race(house, house.anna, house.ben)

    async with house.nothing_written():
        outsider = await house.forge(house.cem, f"{game}:1:roll")
        elsewhere = house.telegram.press_data(
            house.cem, house.private(house.ben), board(house, house.ben).id, f"{game}:1:roll"
        )
        await house.breathe()

    toast = house.telegram.toast(elsewhere)
    assert outsider == house.says("refused.not_playing", "de")
    assert toast
    assert toast.text == house.says("refused.not_playing", "de")


@pytest.mark.parametrize("how", ["never started", "blocked"])
async def test_who_cannot_be_written_to_is_idle_and_can_still_come_by_the_link(
    house: House, how: str
) -> None:
    house.excused.add("refusals")
    for person in (house.anna, *([house.ben] if how == "blocked" else ())):
        house.say(person, KNOWN, house.private(person))
    await house.breathe(2)
    if how == "blocked":
        house.telegram.block(house.ben)
    game = await race(house, house.anna, house.ben, known=False)
    await house.breathe(5 * MINUTE_S)
    running = house.table().status

    if how == "blocked":
        house.telegram.unblock(house.ben)
    house.say(house.ben, f"/start play_{game}", house.private(house.ben))
    await house.breathe(3)
    await bank(house, house.ben)
    await house.breathe(2)

    assert running == "running"
    assert "turn 2/20 · total 1,000" in board(house, house.ben).text
    assert "▫️ Ben · 1,000 · turn 2/20" in house.board().text


async def test_who_never_comes_is_finished_with_nothing_and_the_race_goes_on(
    house: House,
) -> None:
    house.excused.add("refusals")
    house.say(house.anna, KNOWN, house.private(house.anna))
    await race(house, house.anna, house.ben, known=False, stake=8)
    for _ in range(3):
        await bank(house, house.anna)
        await house.breathe(4 * MINUTE_S)
    board_then = house.board().text
    await through(house, house.anna, TURNS - 3)

    assert "⏱ Ben · 0 · stopped in turn 1" in board_then
    assert house.table().status == "over"
    assert [house.coins(p) for p in (house.anna, house.ben)] == [2 + 10, 2 + 6]
    assert house.held("wallet", house.anna.id, "farkle20") == 3


async def test_ten_minutes_without_a_press_and_one_is_finished_as_one_stands(
    house: House,
) -> None:
    await race(house, house.anna, house.ben)
    await bank(house, house.anna)
    chat = house.private(house.anna)
    await typed(house, house.anna, "/roll", dice="111234", chat=chat)
    await house.breathe(9 * MINUTE_S)
    await press(house, house.anna, "k1")  # a press that is no move is one too
    await bank(house, house.ben)
    await house.breathe(9 * MINUTE_S)
    still = house.board().text
    await bank(house, house.ben)
    await house.breathe(2 * MINUTE_S)

    assert "▫️ Anna · 1,000 · turn 2/20" in still
    assert "⏱ Anna · 1,000 · stopped in turn 2" in house.board().text
    assert house.table().status == "running"
    assert "Time is up: 1,000 points in 1 of 20 turns" in house.telegram.last(chat).text
    refused = await house.ask(house.anna, "/roll", chat)
    assert refused == house.says("farkle20.refused.through", total=1000)


async def test_who_is_through_early_waits_for_the_others_and_nothing_is_due_of_them(
    house: House,
) -> None:
    await race(house, house.anna, house.ben)
    await through(house, house.anna)
    for _ in range(6):
        await bank(house, house.ben)
        await house.breathe(4 * MINUTE_S)

    due = house.sql("SELECT ref FROM due WHERE kind = 'game' AND ref LIKE '%:0'")
    assert house.table().status == "running"
    assert due == []
    assert "🏁 Anna · 20,000" in house.board().text


async def test_after_30_minutes_the_banked_totals_rank(house: House) -> None:
    await race(house, house.anna, house.ben, house.cem, stake=5)
    for turn in range(7):
        await bank(house, house.anna)
        if turn < 5:
            await bank(house, house.ben)
        await bank(house, house.cem, "522334", "5")
        await house.breathe(4 * MINUTE_S)
    await typed(house, house.anna, "/roll", dice="111234", chat=house.private(house.anna))
    before = house.table().status

    await house.breathe(2 * MINUTE_S + 10)

    assert before == "running"
    assert house.table().status == "over"
    result = house.board().text
    for line in ("🥇 Anna 7,000 (", ") +8\u00a0🪙 +4\u00a0P", "🥈 Ben", "🥉 Cem"):
        assert line in result
    assert "7/20 turns, best 1,000" in result
    assert entered(house) == []
    assert "sign" not in codes(board(house, house.anna))


async def test_a_race_ends_when_everybody_is_through(house: House) -> None:
    await race(house, house.anna, house.ben, stake=5)
    await through(house, house.anna)
    await through(house, house.ben, TURNS - 1)
    before = house.table().status
    await bank(house, house.ben)
    await house.breathe(3)

    assert before == "running"
    assert house.table().status == "over"
    assert house.says("farkle20.reason.level") in house.board().text
    assert [house.coins(p) for p in (house.anna, house.ben)] == [10, 10]
    assert house.held("escrow", house.table().id) == 0
    for person in (house.anna, house.ben):
        assert "Twenty turns, 20,000 points" in board(house, person).text
        assert codes(board(house, person)) == ["sign", "analysis", "verify"]


async def test_when_everybody_leaves_every_stake_returns(house: House) -> None:
    await race(house, house.anna, house.ben, stake=5)

    await house.leave(house.anna)
    await house.leave(house.ben, house.private(house.ben))
    await house.breathe(3)

    assert house.says("farkle20.reason.nobody") in house.board().text
    assert [house.coins(p) for p in (house.anna, house.ben)] == [10, 10]


async def test_a_restart_in_the_middle_keeps_the_private_boards(house: House) -> None:
    await race(house, house.anna, house.ben)
    await bank(house, house.anna)
    await typed(house, house.ben, "/roll", dice="111234", chat=house.private(house.ben))
    await press(house, house.ben, "k1")
    await house.breathe(2)
    boards = [board(house, person) for person in (house.anna, house.ben)]
    texts = [own.text.split("\n")[2:] for own in boards]

    await house.away(20 * MINUTE_S)

    assert [board(house, person) for person in (house.anna, house.ben)] == boards
    assert [own.text.split("\n")[2:] for own in boards] == texts
    assert await press(house, house.ben, "bank")
    assert moves(house)[-1] == (1, "1 bank")


async def test_who_blocks_the_bot_in_the_middle_ends_nothing(house: House) -> None:
    house.excused.add("refusals")
    await race(house, house.anna, house.ben, stake=5)
    await bank(house, house.ben)
    house.telegram.block(house.ben)
    await house.breathe(2)
    await bank(house, house.anna)
    await house.breathe(2)
    before = house.table().status, house.board().text
    await house.breathe(11 * MINUTE_S)

    assert before[0] == "running"
    assert "▫️ Ben · 1,000 · turn 2/20" in before[1]
    assert house.table().status == "over"
    assert house.held("escrow", house.table().id) == 0


async def test_a_chat_that_removes_the_bot_ends_the_race_in_private_too(house: House) -> None:
    await race(house, house.anna, house.ben, stake=5)
    await bank(house, house.anna)
    own = [house.telegram.last(house.private(person)) for person in (house.anna, house.ben)]

    house.telegram.kick(house.group)
    await house.breathe(3)

    assert house.table().status == "void"
    assert [house.coins(p) for p in (house.anna, house.ben)] == [10, 10]
    assert all(house.says("stop.why_gone") in message.text for message in own)


# -- who may stop it ---------------------------------------------------------------------------


async def test_a_race_is_not_stopped_by_anybody_from_their_private_chat(house: House) -> None:
    await race(house, house.anna, house.ben)

    async with house.nothing_written():
        answer = await house.ask(house.ben, "/stop", house.private(house.ben))
    await typed(house, house.anna, "/stop", chat=house.private(house.anna))
    await house.breathe(3)

    assert answer == house.says("refused.not_opener")
    assert house.table().status == "stopped"
    assert house.says("stop.free") in board(house, house.ben).text


# -- a race and a game of one's own ------------------------------------------------------------


async def test_typed_moves_mean_the_board_replied_to_else_the_newest(house: House) -> None:
    chat = house.private(house.anna)
    await alone(house, house.anna)
    own = board(house, house.anna)
    race_id = await race(house, house.anna, house.ben)
    racing = board(house, house.anna)

    def played(game: str) -> int:
        return house.sql("SELECT count(*) FROM moves WHERE game_id = ?", game)[0][0]

    solo_id = house.table(chat).id
    house.say(house.anna, "/roll", chat)
    await house.breathe(2)
    newest = played(solo_id), played(race_id)
    house.say(house.anna, "/roll", chat, reply_to=own.id)
    await house.breathe(2)
    replied = played(solo_id), played(race_id)
    await alone(house, house.anna)
    house.say(house.anna, "/bank 1", chat)
    await house.breathe(2)
    shown_again = played(solo_id), played(race_id)

    assert racing.id > own.id
    assert (newest, replied, shown_again) == ((0, 1), (1, 1), (2, 1))


async def test_who_is_through_with_the_race_types_in_their_own_game(house: House) -> None:
    chat = house.private(house.anna)
    await alone(house, house.anna)
    solo_id = house.table(chat).id
    await race(house, house.anna, house.ben, house.cem)
    await house.leave(house.anna)

    await typed(house, house.anna, "/roll", dice="111234", chat=chat)

    assert house.sql("SELECT move FROM moves WHERE game_id = ?", solo_id) == [("roll",)]


async def test_dice_in_the_group_mean_the_race_there(house: House) -> None:
    await race(house, house.anna, house.ben)

    answer = await house.ask(house.anna, "/d")
    outsider = await house.ask(house.cem, "/d")

    assert answer == house.says("farkle20.dice_none", turn=1, total=0)
    assert outsider == house.says("refused.not_playing")
    assert await waited(house, "guide", house.private(house.anna))
