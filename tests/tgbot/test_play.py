"""RULES 1: what a group sees and does while Fifty! is played."""

from __future__ import annotations

import re

import pytest

from economy.ledger import jackpot, mint
from games import dice
from games.fairness import Stream
from games.fifty.rules import DICE
from tests.tgbot.house import POOLS, House, showing
from tgbot.playground import Message
from tgbot.words import whole_percent

ROUND_S = 25
GRACE_S = 60
ALL = "4+4+4+6+6+8+8+10+12+20"


def moves(house: House) -> list[tuple[int, str, str]]:
    """The recorded moves of people: seat, move, dice."""
    return house.sql("SELECT seat, move, dice FROM moves WHERE seat >= 0 ORDER BY rowid")


def thrown_at(house: House) -> list[int]:
    """When the moves of people were made."""
    return [at for (at,) in house.sql("SELECT at FROM moves WHERE seat >= 0 ORDER BY rowid")]


def mentioned(message: Message) -> set[int]:
    """Whom a message notifies."""
    return {e["user"]["id"] for e in message.entities if e["type"] == "text_mention"}


async def put_into_jackpot(house: House, coins: int) -> None:
    """Fills the group's jackpot from the mint."""
    assert house.bot
    ledger = house.bot.hall.ledger
    postings = {mint(): -coins, jackpot(house.group.id): coins}
    await house.bot.clerk.run(lambda: ledger.book("filled", "grant", postings, at=0))


# -- rounds ------------------------------------------------------------------------------------


async def test_every_round_opens_with_a_new_message_that_mentions_those_to_act(
    house: House,
) -> None:
    await house.begin(house.anna, house.ben, house.cem)
    first = house.board()
    for person, total in ((house.anna, 10), (house.ben, 16), (house.cem, 10)):
        await house.score(person, "4+20", total)
    await house.breathe(3)

    second = house.board()

    assert second.id > first.id
    assert mentioned(second) == {house.anna.id, house.cem.id}
    assert not first.buttons


async def test_a_limit_is_shown_only_when_its_round_begins(house: House) -> None:
    await house.begin(house.anna, house.ben, limits=(15, 22, 13))

    said = " ".join(house.heard())

    assert "limit 15" in house.board().text
    assert "limit 22" not in said
    assert "limit 13" not in said


async def test_all_throw_in_the_same_round_in_any_order(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem)

    for person in (house.cem, house.anna, house.ben):
        await house.score(person, "4+20", 10)
    await house.breathe()

    assert [seat for seat, _, _ in moves(house)] == [2, 0, 1]
    assert "Round 2 of 3" in house.board().text


async def test_a_round_lasts_25_s_from_the_delivery_of_its_board(house: House) -> None:
    await house.begin(house.anna, house.ben)
    delivered = house.board().date

    await house.breathe(40)

    assert [at - delivered for at in thrown_at(house)[:2]] == [ROUND_S + 1] * 2


async def test_a_board_that_comes_late_still_leaves_25_s(house: House) -> None:
    house.excused.add("refusals")
    await house.open(house.anna, house.ben, start=False)
    house.telegram.faults.flood_retry_after = 30
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.flood_next = 1
    began = house.telegram.now()
    await house.press(house.anna, "▶️")
    await house.breathe(70)

    delivered = house.telegram.messages(house.group)
    board = next(message for message in delivered if "ound 1" in message.text)

    assert board.date - began >= 29
    assert thrown_at(house)[0] - board.date in (ROUND_S, ROUND_S + 1)


async def test_a_board_that_never_comes_holds_nobody_up_longer_than_60_s(house: House) -> None:
    house.excused.add("refusals")
    await house.open(house.anna, house.ben, start=False)
    house.telegram.faults.flood_retry_after = 300
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.flood_next = 1
    began = int(house.telegram.now())

    await house.press(house.anna, "▶️")
    await house.breathe(100)

    assert thrown_at(house)[0] - began in (GRACE_S + ROUND_S, GRACE_S + ROUND_S + 1)


async def test_the_late_have_their_lowest_die_thrown_in_joining_order(house: House) -> None:
    await house.begin(house.cem, house.anna, house.ben)
    await house.typed(house.anna, "4+4+4", 1, 1, 1)
    house.rolls = [3, 2]

    await house.breathe(ROUND_S + 3)

    assert moves(house) == [(1, "4+4+4", "1,1,1"), (0, "late", "3"), (2, "late", "2")]


async def test_what_the_late_had_picked_is_ignored(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "d20")

    await house.breathe(ROUND_S + 3)

    assert moves(house)[0] == (0, "late", "1")
    await house.press(house.anna, "d6")
    assert house.telegram.toasts(house.anna)[-1].text.startswith("6 ")


async def test_the_game_ends_at_once_when_nobody_is_in(house: House) -> None:
    await house.begin(house.anna, house.ben, house.cem)

    for person in (house.anna, house.ben, house.cem):
        await house.score(person, "4+20", 16)
    await house.breathe()

    assert house.table().status == "over"
    assert house.says("fifty.reason.all_out") in house.board().text


async def test_who_leaves_is_out_and_a_sole_survivor_plays_on(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.leave(house.ben)
    await house.breathe(6)
    alone = house.board().text

    for pool in POOLS:
        await house.score(house.anna, pool, 10)
        await house.breathe()

    assert house.says("fifty.line.gone", name="Ben") in alone
    assert house.table().status == "over"
    assert f"🥇 {house.anna.name}" in house.board().text


async def test_when_everybody_leaves_the_game_is_over(house: House) -> None:
    await house.begin(house.anna, house.ben)

    for person in (house.anna, house.ben):
        await house.leave(person)
    await house.breathe(3)

    assert house.table().status == "over"


# -- picking and throwing ----------------------------------------------------------------------


async def test_a_press_on_a_die_tells_its_odds_to_the_one_who_pressed(house: House) -> None:
    await house.begin(house.anna, house.ben)
    board = house.board().text

    await house.press(house.anna, "d4")
    toast = await house.press(house.anna, "d8")

    over, exact = dice.chance_over((4, 8), 15), dice.chance((4, 8), 15)
    odds = (whole_percent(float(chance)) for chance in (over, exact))
    assert toast == "4+8 · mostly 5–12 · {}% too much · 🎯 {}%".format(*odds)
    assert await house.press(house.anna, "👁") == f"{toast} · left 4+4+6+6+8+10+12+20"
    assert house.board().text == board


async def test_a_german_gets_german_odds(house: House) -> None:
    await house.begin(house.anna, house.cem)

    toast = await house.press(house.cem, "d8")

    assert toast == "8 · meist 2–7 · 2\u00a0% zu viel · 🎯 2\u00a0%"
    assert "Grenze" not in house.board().text


async def test_pressing_adds_a_die_each_time_and_clear_empties(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "d4")
    two = await house.press(house.anna, "d4")

    cleared = await house.press(house.anna, "↩️")
    refused = await house.press(house.anna, "🎲")

    assert two.startswith("4+4 ")
    assert cleared == house.says("fifty.cleared", left=ALL)
    assert refused == house.says("fifty.refused.empty", left=ALL)
    assert moves(house) == []


async def test_everybody_picks_for_themselves(house: House) -> None:
    await house.begin(house.anna, house.ben)

    for person, die in ((house.anna, "d4"), (house.ben, "d6"), (house.anna, "d8")):
        await house.press(person, die)
    await house.press(house.ben, "🎲")
    await house.press(house.anna, "🎲")

    assert [(seat, pool) for seat, pool, _ in moves(house)] == [(1, "6"), (0, "4+8")]


async def test_what_was_thrown_is_told_and_shown_with_its_chain(house: House) -> None:
    await house.begin(house.anna, house.ben)

    toast = await house.throw(house.anna, "4+6", 4, 4, 2, 3)
    await house.breathe(5)

    assert toast == house.says("fifty.threw.below", throw="4>4>2 + 3 = 13", limit=15, below=2)
    assert "✅ Anna · 4>4>2 + 3 = 13\n" in house.board().text


async def test_exactly_the_limit_is_a_bullseye(house: House) -> None:
    await house.begin(house.anna, house.ben)

    toast = await house.throw(house.anna, "20", 15)
    await house.breathe(5)

    assert toast == house.says("fifty.threw.bullseye", throw="15", limit=15)
    assert "🎯 Anna · 15" in house.board().text


async def test_over_the_limit_is_out_at_once(house: House) -> None:
    await house.begin(house.anna, house.ben)

    toast = await house.throw(house.anna, "20", 16)
    again = await house.press(house.anna, "d4")
    await house.breathe(5)

    assert toast == house.says("fifty.threw.over", throw="16", limit=15, over=1)
    assert again == house.says("fifty.refused.out")
    assert house.says("fifty.line.over", name="Anna", throw="16", limit=15) in house.board().text


async def test_a_die_is_used_once_and_its_key_goes_when_nobody_has_one(house: House) -> None:
    await house.begin(house.anna, house.ben)
    for person in (house.anna, house.ben):
        await house.throw(person, "20", 10)
    await house.breathe(3)

    keys = [button["text"] for row in house.board().buttons for button in row]

    assert [key for key in keys if key.startswith("d")] == ["d4", "d6", "d8", "d10", "d12"]
    assert max(map(len, house.board().buttons)) <= 4


async def test_a_key_that_others_still_need_is_refused_to_who_has_none(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.typed(house.anna, "20", 10)
    await house.score(house.ben, "4+4", 4)
    await house.breathe(3)

    async with house.nothing_written():
        toast = await house.press(house.anna, "d20")

    assert toast == house.says("fifty.refused.die", die=20, left="4+4+4+6+6+8+8+10+12")


async def test_who_has_thrown_waits_for_the_next_round(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.throw(house.anna, "4", 1)

    async with house.nothing_written():
        toast = await house.press(house.anna, "d4")
        answer = await house.ask(house.anna, "/d 4")

    assert {toast, answer} == {house.says("fifty.refused.thrown")}


# -- typed moves -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "pool"),
    [
        ("4+4+6", "4+4+6"),
        ("2w4+W6", "4+4+6"),
        ("2D4 + d6", "4+4+6"),
        ("w6+2W4", "4+4+6"),
        ("20", "20"),
        (f"  {ALL} ", ALL),
    ],
)
async def test_a_typed_throw(house: House, words: str, pool: str) -> None:
    await house.begin(house.anna, house.ben, limits=(40, 5, 5))

    house.say(house.anna, f"/d {words}")
    await house.breathe(3)

    assert [(seat, move) for seat, move, _ in moves(house)] == [(0, pool)]
    assert "✅ Anna" in house.board().text


@pytest.mark.parametrize(
    "words",
    [
        "4+4+4+4",
        "3w6",
        "7",
        "w100",
        "4+",
        "+4",
        "4,4",
        "x",
        "-4",
        "0w4",
        "1e1",
        "4_4",
        "٤",
        "４",
        "४+4",
        "²w4",
        "9" * 30,
        "4+" * 500 + "4",
        "4'; DROP TABLE moves; --",
        "<b>4</b>",
        "leave",
        "deal",
    ],
)
async def test_dice_that_cannot_be_thrown_are_refused_with_the_dice_left(
    house: House, words: str
) -> None:
    await house.begin(house.anna, house.ben)

    async with house.nothing_written():
        answer = await house.ask(house.anna, f"/d {words}")

    assert ALL in answer
    assert house.telegram.last(house.group).reply_to is not None


async def test_an_empty_throw_is_refused_with_the_dice_left(house: House) -> None:
    await house.begin(house.anna, house.ben)

    async with house.nothing_written():
        answer = await house.ask(house.anna, "/d")

    assert answer == house.says("fifty.refused.empty", left=ALL)


async def test_d_alone_throws_what_was_picked(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.press(house.anna, "d12")

    house.say(house.anna, "/d")
    await house.breathe()

    assert moves(house) == [(0, "12", "1")]


async def test_a_typed_move_dated_before_its_phase_is_refused(house: House) -> None:
    await house.begin(house.anna, house.ben)
    typed = house.telegram.now()
    await house.breathe(3)
    for person in (house.anna, house.ben):
        await house.score(person, "4+20", 5)
    await house.breathe(3)

    async with house.nothing_written():
        answer = await house.ask(house.anna, "/d 4", date=typed)

    assert answer == house.says("refused.too_early")


async def test_what_is_only_asked_may_be_old(house: House) -> None:
    await house.begin(house.anna, house.ben)

    answer = await house.ask(house.anna, "/d ?", date=house.telegram.now() - 30)

    assert answer == house.says("fifty.position", place=1, throws="–", total=0, left=ALL)


async def test_typed_moves_mean_the_game_of_this_chat(house: House) -> None:
    other = house.telegram.group("Other", house.anna, house.ben)
    await house.begin(house.anna, house.ben)

    await house.ask(house.anna, "/d 4", other)

    assert moves(house) == []
    assert house.telegram.last(other).text.startswith("🎲 Anna throws d4: ")


# -- presses that mean nothing -----------------------------------------------------------------


async def test_who_does_not_play_is_told_so(house: House) -> None:
    await house.begin(house.anna, house.ben)

    async with house.nothing_written():
        toasts = [await house.press(house.cem, button) for button in ("d4", "🎲", "↩️")]
        answer = await house.ask(house.cem, "/d 4")

    assert {*toasts} == {house.says("refused.not_playing", "de")}
    assert answer == house.says("refused.not_playing")


# -- /d ? --------------------------------------------------------------------------------------


async def test_d_question_tells_a_player_their_position(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.score(house.anna, "4+20", 10)
    await house.score(house.ben, "4+20", 12)

    await house.breathe(2)

    answer = await house.ask(house.anna, "/d ?")

    left = "4+4+6+6+8+8+10+12"
    assert answer == house.says("fifty.position", place=2, throws="10", total=10, left=left)


async def test_d_question_tells_who_is_out_that_they_are(house: House) -> None:
    await house.begin(house.anna, house.ben)
    await house.score(house.anna, "4+20", 16)

    answer = await house.ask(house.anna, "/d ?")

    left = "4+4+6+6+8+8+10+12"
    told = house.says("fifty.position_out", place=0, throws="16", total=16, left=left)
    assert answer == told


async def test_d_question_shows_others_the_best_throws_at_any_time(house: House) -> None:
    await house.begin(house.anna, house.ben)

    in_game = await house.ask(house.cem, "/d ?")
    private = await house.ask(house.cem, "/d ?", house.private(house.cem))

    assert in_game.count(house.says("best.none")) == 3
    assert private.count(house.says("best.none", "de")) == 3


async def test_best_throws_are_those_furthest_over_in_staked_games(house: House) -> None:
    await house.stake(1)
    await house.game({house.anna: (18,), house.ben: (21,), house.cem: (16,)})

    answer = await house.ask(house.anna, "/d ?")

    led = [line for line in answer.split("\n") if "Ben" in line and "2 + 19 = 21 > 15" in line]
    assert len(led) == 3
    assert all(" 6 " in line for line in led)


async def test_of_equal_best_throws_the_earlier_stands(house: House) -> None:
    await house.stake(1)
    await house.game({house.anna: (18,), house.ben: (18,), house.cem: (16,)})

    answer = await house.ask(house.cem, "/d ?")

    assert "Anna" in answer
    assert "Ben" not in answer


@pytest.mark.parametrize(("stake", "players"), [(0, 3), (1, 2)])
async def test_free_games_and_games_of_two_write_no_best_throws(
    house: House, stake: int, players: int
) -> None:
    await house.stake(stake)
    people = (house.anna, house.ben, house.cem)[:players]

    await house.game(dict.fromkeys(people, (16,)))

    assert house.table().status == "over"
    assert house.sql("SELECT * FROM bests") == []


async def test_a_best_throw_of_yesterday_is_not_one_of_today(house: House) -> None:
    await house.stake(1)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))
    await house.away(24 * 3600)

    answer = await house.ask(house.anna, "/d ?")

    day, month, year = answer.split("\n")[1:]
    assert house.says("best.none") in day
    assert "1 + 15 = 16 > 15" in month
    assert "1 + 15 = 16 > 15" in year


async def test_a_name_hidden_from_lists_is_not_shown_outside_its_chats(house: House) -> None:
    # what /privacy promises
    other = house.telegram.group("Other", house.cem)
    await house.stake(1)
    await house.game({house.anna: (16,), house.ben: (20,), house.cem: (16,)})
    await house.ask(house.ben, "/privacy", house.private(house.ben))
    await house.press(house.ben, "🙈", house.telegram.last(house.private(house.ben)))

    outside = await house.ask(house.cem, "/d ?", other)
    inside = await house.ask(house.cem, "/d ?")

    assert "Ben" not in outside
    assert "1 + 19 = 20 > 15" in outside
    assert "Ben" in inside


# -- Stechen -----------------------------------------------------------------------------------


async def tied(house: House, *stechen: int) -> None:
    """Anna and Ben level on place one after three rounds, Cem behind."""
    await house.begin(house.anna, house.ben, house.cem)
    for pool in POOLS:
        await house.breathe()
        for person, total in ((house.cem, 8), (house.anna, 10)):
            await house.score(person, pool, total)
        if pool == POOLS[-1]:
            house.rolls = [*showing(pool, 10), *stechen]
            await house.typed(house.ben, pool)
        else:
            await house.score(house.ben, pool, 10)
    await house.breathe(2)


async def test_a_tie_on_a_paid_place_is_broken_by_a_stechen(house: House) -> None:
    await tied(house, 16, 2)

    board = house.board()

    assert house.says("fifty.head.stechen", limit=20, name="Anna", ends="")[:20] in board.text
    assert "Anna throws" in board.text
    assert house.says("fifty.then", names="Ben") in board.text
    assert "Cem" not in board.text
    assert mentioned(board) == {house.anna.id}


async def test_the_order_of_a_stechen_is_drawn(house: House) -> None:
    await tied(house, 16, 1)

    assert "Ben throws" in house.board().text


async def test_in_a_stechen_all_ten_dice_are_there_again(house: House) -> None:
    await tied(house, 16, 2)

    keys = [button["text"] for row in house.board().buttons for button in row]
    position = await house.ask(house.anna, "/d ?")

    assert keys[:6] == ["d4", "d6", "d8", "d10", "d12", "d20"]
    assert dice.notation(DICE) in position


async def test_in_a_stechen_one_throws_after_the_other(house: House) -> None:
    await tied(house, 16, 2)

    async with house.nothing_written():
        early = await house.press(house.ben, "d4")
        outsider = await house.press(house.cem, "d4")
    await house.throw(house.anna, "20", 12)
    await house.breathe(2)

    assert early == house.says("fifty.refused.stechen")
    assert outsider == house.says("fifty.refused.stechen", "de")
    assert mentioned(house.board()) == {house.ben.id}
    assert "✅ Anna · 12" in house.board().text


async def test_closest_to_the_limit_wins_the_stechen(house: House) -> None:
    await tied(house, 16, 2)

    await house.throw(house.anna, "20", 12)
    await house.breathe(2)
    await house.throw(house.ben, "20", 13)
    await house.breathe(2)

    order = [line[:2] + line[2:].split(" (")[0] for line in house.board().text.split("\n")]
    assert [line for line in order if line[0] in "🥇🥈🥉"] == [
        "🥇 Ben 30",
        "🥈 Anna 30",
        "🥉 Cem 24",
    ]


async def test_a_late_throw_in_a_stechen_is_the_lowest_die(house: House) -> None:
    await tied(house, 16, 2)

    await house.breathe(ROUND_S + 3)

    assert moves(house)[-1] == (0, "late", "1")
    assert "Ben throws" in house.board().text


async def test_level_again_is_another_stechen_on_a_new_message(house: House) -> None:
    await tied(house, 16, 2)
    first = house.board()

    await house.throw(house.anna, "20", 12)
    await house.breathe(2)
    await house.throw(house.ben, "20", 12, 1, 1)
    await house.breathe(2)

    assert house.board().id > first.id
    assert "Ben throws" in house.board().text
    assert "limit 5" in house.board().text


async def test_throws_over_the_limit_of_a_stechen_enter_no_best_list(house: House) -> None:
    await house.stake(1)
    await tied(house, 1, 2)

    await house.throw(house.anna, "20", 19)
    await house.breathe(2)
    await house.throw(house.ben, "4", 1)
    await house.breathe(2)

    assert house.table().status == "over"
    assert house.sql("SELECT * FROM bests") == []


async def test_leaving_in_a_stechen_is_being_out_and_those_behind_move_up(house: House) -> None:
    await tied(house, 16, 2)

    await house.leave(house.anna)
    await house.breathe(3)

    assert house.table().status == "over"
    places = house.sql("SELECT place FROM seats ORDER BY seat")
    assert places == [(0,), (1,), (2,)]


# -- result ------------------------------------------------------------------------------------


async def test_the_result_shows_places_winnings_and_every_throw(house: House) -> None:
    await house.stake(5)

    await house.game({house.anna: (14, 21, 12), house.ben: (12, 20, 12), house.cem: (15, 9, 8)})

    lines = house.board().text.split("\n")
    assert lines[0] == house.says("result.title_stake", game="Fifty!", stake="5 Knuddels")
    assert lines[1] == "🎉 Anna wins! (3 ahead)"
    assert lines[2:5] == [
        "🥇 Anna 47 (14 + 21 + 12) +8\u00a0🪙 +4\u00a0P",
        "🥈 Ben 44 (12 + 20 + 12) +4\u00a0🪙 +1\u00a0P",
        "🥉 Cem 32 (15 + 9 + 8) +3\u00a0🪙 +1\u00a0P",
    ]
    shown = [b["text"] for row in house.board().buttons for b in row]
    assert shown == ["🔁 Again · 5", "🎩 Analysis", "🔎 Verify"]


async def test_a_free_result_speaks_of_points_only(house: House) -> None:
    await house.game({house.anna: (14, 21, 12), house.ben: (12, 20, 12)})

    assert "🥇 Anna 47 (14 + 21 + 12) +2 points\n🥈 Ben 44 (12 + 20 + 12)\n" in house.board().text
    assert "Knuddel" not in house.board().text


async def test_all_out_feeds_the_jackpot_with_the_whole_pot(house: House) -> None:
    await house.stake(5)

    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    assert (house.jackpot(), house.jackpot("fifty")) == (15, 6)
    fed = house.says("result.jackpot_fed", pool="6 points · 15 Knuddels", jackpot="X")
    assert fed.split("(")[0] in house.board().text


async def test_the_next_lobby_shows_the_jackpot(house: House) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.ask(house.anna, "/fifty")

    pool = "6 points · 15 Knuddels"
    assert house.says("lobby.jackpot_from", jackpot=pool, fewest=3) in house.board().text


async def test_1_6_a_lobby_shows_what_this_game_could_win_and_no_more(house: House) -> None:
    people = (house.anna, house.ben, house.cem)
    await house.stake(10)
    await house.game(dict.fromkeys(people, (16,)))  # 30 Knuddels and 6 points into the jackpot
    assert house.bot
    assert house.bot.hall.settings.jackpot_stakes == 100
    house.bot.hall.settings.jackpot_stakes = 2

    await house.stake(0)
    await house.open(*people, start=False)
    await house.breathe(5)
    free = house.board().text
    await house.ask(house.anna, "/stop")
    await house.breathe(3)
    await house.stake(1)
    house.say(house.anna, "/fifty")
    await house.breathe(4)

    assert house.says("lobby.jackpot", jackpot="6 points", fewest=3) in free
    staked = house.says("lobby.jackpot_from", jackpot="6 points · 2 Knuddels", fewest=3)
    assert staked in house.board().text


async def test_three_bullseyes_win_pot_and_jackpot_that_instant(house: House) -> None:
    await house.stake(5)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.game(
        {house.anna: (15, 22, 13), house.ben: (10, 10), house.cem: (10, 10)}, (15, 22, 13)
    )

    assert house.table().status == "over"
    assert house.says("fifty.reason.bullseyes", name="Anna") in house.board().text
    won = house.says("result.jackpot_won", pool="6 points · 15 Knuddels")
    assert won in house.board().text
    assert (house.coins(house.anna), house.points(house.anna)) == (30, 12)
    assert (house.jackpot(), house.jackpot("fifty")) == (0, 0)


async def test_a_jackpot_pays_at_most_a_hundred_times_the_stake(house: House) -> None:
    await put_into_jackpot(house, 350)
    await house.stake(2)

    await house.game({house.anna: (15, 22, 13), house.ben: (10, 10), house.cem: (10, 10)})

    assert house.coins(house.anna) == 10 - 2 + 6 + 200
    assert house.jackpot() == 150


async def test_a_free_game_wins_only_the_points_of_the_jackpot(house: House) -> None:
    await put_into_jackpot(house, 350)
    await house.game(dict.fromkeys((house.anna, house.ben, house.cem), (16,)))

    await house.game({house.anna: (15, 22, 13), house.ben: (10, 10), house.cem: (10, 10)})

    assert (house.coins(house.anna), house.points(house.anna)) == (10, 6)
    assert (house.jackpot(), house.jackpot("fifty")) == (350, 0)


async def test_two_players_win_the_pot_and_no_jackpot(house: House) -> None:
    await put_into_jackpot(house, 350)
    await house.stake(2)

    await house.game({house.anna: (15, 22, 13), house.ben: (10, 10)})

    assert house.coins(house.anna) == 12
    assert house.jackpot() == 350


# -- proof -------------------------------------------------------------------------------------


async def played_with_real_dice(house: House) -> None:
    assert house.bot
    house.bot.hall.chance.stream = Stream
    await house.open(house.anna, house.ben)
    await house.breathe(40 * ROUND_S)
    assert house.table().status == "over"


async def test_verify_recomputes_every_throw_and_counts_those_of_people(house: House) -> None:
    await played_with_real_dice(house)
    throws = len(house.sql("SELECT n FROM moves WHERE seat >= 0"))

    toast = await house.press(house.cem, "🔎")
    answer = await house.ask(house.cem, "/verify")

    game_id = house.table().id
    assert toast == house.says("verify.right_short", "de", n=throws, game=game_id)
    ((secret, part),) = house.sql("SELECT lower(hex(secret)), lower(hex(part)) FROM games")
    assert secret in answer
    assert part in answer
    assert answer.startswith("✅")


async def tampered(house: House, move: int) -> None:
    """Changes one recorded die after the fact."""
    assert house.bot
    store = house.bot.hall.store
    query = f"SELECT dice FROM moves WHERE n = {move}"
    first, *rest = house.sql(query)[0][0].split(",")
    dice = ",".join(["1" if first != "1" else "2", *rest])
    change = f"UPDATE moves SET dice = '{dice}' WHERE n = {move}"
    await house.bot.clerk.run(lambda: store.db.execute_sql(change))


@pytest.mark.parametrize("move", [0, 1])
async def test_verify_finds_a_die_that_was_tampered_with(house: House, move: int) -> None:
    # also where the moves lead nowhere any more
    await played_with_real_dice(house)
    await tampered(house, move)

    answer = await house.ask(house.anna, f"/verify {house.table().id}")
    toast = await house.press(house.ben, "🔎")

    assert answer.startswith("❌")
    assert toast == house.says("verify.wrong_short", game=house.table().id)


async def test_verify_does_not_blame_the_dice_for_rules_that_have_changed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played_with_real_dice(house)
    throws = len(house.sql("SELECT n FROM moves WHERE seat >= 0"))
    monkeypatch.setattr("games.fifty.rules.VERSION", 1_000)

    toast = await house.press(house.ben, "🔎")

    assert toast == house.says("verify.old_short", n=throws)


async def test_verify_while_it_runs_shows_only_the_seal(house: House) -> None:
    await house.begin(house.anna, house.ben)

    answer = await house.ask(house.anna, "/verify")

    (secret,) = house.secrets().values()
    assert secret.hex() not in answer
    assert answer.startswith("🔒")


async def test_verify_knows_the_game_by_its_name_in_any_chat(house: House) -> None:
    await played_with_real_dice(house)

    answer = await house.ask(
        house.anna, f"/verify {house.table().id.upper()}", house.private(house.anna)
    )

    assert answer.startswith("✅")


async def test_verify_of_nothing_says_so(house: House) -> None:
    none = await house.ask(house.anna, "/verify")
    unknown = await house.ask(house.anna, "/verify x")

    assert none == house.says("verify.none")
    assert unknown == house.says("refused.no_game")


# -- outside a game ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["/dice 2w6+w20", "/diceo 2w6+w20"])
async def test_dice_outside_a_game(house: House, command: str) -> None:
    answer = await house.ask(house.anna, command)

    assert answer.startswith("🎲 Anna throws 2d6, d20")
    assert house.sql("SELECT * FROM moves") == []


async def test_a_single_die_outside_a_game_adds_up_to_nothing(house: House) -> None:
    answer = await house.ask(house.anna, "/dice w1000")

    assert re.fullmatch(r"🎲 Anna throws d1000: [0-9,]+", answer)


@pytest.mark.parametrize("words", ["", "x", "1", "99999", "51w6", "-3", "２w6", "2w6+<b>"])
async def test_dice_that_do_not_exist_are_refused_with_words(house: House, words: str) -> None:
    await house.ask(house.anna, "/help")

    async with house.nothing_written():
        answer = await house.ask(house.anna, f"/dice {words}")

    assert "🎲" not in answer
    assert house.telegram.last(house.group).reply_to is not None
