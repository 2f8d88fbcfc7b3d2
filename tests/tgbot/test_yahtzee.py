"""RULES 2: what a group sees and does while Yahtzee is played."""

from __future__ import annotations

from typing import Any

import pytest

from economy.ledger import mint, wallet
from games.fairness import Stream
from games.game import text
from games.yahtzee.boxes import BOXES, UPPER
from tests.tgbot.house import House
from tests.tgbot.playing import codes, data, labels, mentioned, moves, sent, tap, typed, waited
from tgbot.playground import Person

TURN_S = 60
PLAIN = "12456"
"""Five dice that bring 18 as one's Chance, and little elsewhere."""


async def begin(house: House, *players: Person, stake: int = 0) -> None:
    """A game of Yahtzee in its first turn."""
    if stake:
        await house.stake(stake)
    await house.open(*players, kind="yahtzee")


async def turn(house: House, person: Person, dice: str, box: str) -> None:
    """A whole turn by commands: one throw, scored at once."""
    await typed(house, person, "/roll", f"/score {box}", dice=dice)


async def whole(house: House, dice: dict[Person, str]) -> None:
    """The fifteen rounds of a game in which everybody always throws the same dice."""
    for box in BOXES:
        for person, thrown in dice.items():
            await turn(house, person, thrown, box.replace("_", " "))
    await house.breathe(3)


def points(house: House, *people: Person) -> list[int]:
    """Their Yahtzee points."""
    return [house.held("wallet", person.id, "yahtzee") for person in people]


def box(name: str) -> Any:
    """The name of a box, for a sentence."""
    return text(f"yahtzee.box.{name}")


# -- a turn by buttons -------------------------------------------------------------------------


async def test_a_turn_by_buttons(house: House) -> None:
    await begin(house, house.anna, house.ben)
    house.rolls = [3, 3, 5, 2, 6]

    first = await tap(house, house.anna, "roll")
    await tap(house, house.anna, "k1", "k2")
    house.rolls = [3, 1, 4]
    second = await tap(house, house.anna, "roll")
    house.rolls = [3, 3]
    third = await tap(house, house.anna, "k3", "roll")
    scored = await tap(house, house.anna, "yahtzee")
    await house.breathe(3)

    assert first.startswith("3 3 5 2 6")
    assert second.startswith("3 3 3 1 4")
    assert third.startswith("🎆 YAHTZEE! 3 3 3 3 3")
    assert scored == house.says("yahtzee.scored", box=box("yahtzee"), value="50", total=50)
    assert moves(house) == [
        (0, "roll"),
        (0, "roll 345"),
        (0, "roll 45"),
        (0, "score yahtzee"),
    ]


async def test_the_board_shows_the_dice_the_boxes_and_what_they_would_bring(house: House) -> None:
    await begin(house, house.anna, house.ben)
    before = labels(house.board())
    await typed(house, house.anna, "/roll", dice="33526")
    await house.breathe(3)

    shown = labels(house.board())

    assert before == ["🎲 Roll 5", "➕ Join in"]
    assert shown[:7] == ["🔒 3 3 → 🎲 3", "🎲 all 5", "3", "3", "5", "2", "6"]
    assert shown[7:10] == ["Threes 6", "1 pair 19", "Chance 19"]
    assert shown[10:] == ["All boxes", "📋 Sheet", "Cross out", "➕ Join in"]
    assert "🎲 3 3 5 2 6 · 2 throws left" in house.board().text


async def test_every_box_is_two_presses_away(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="33526")

    await tap(house, house.anna, "cross")
    crossed = await waited(house, "back")
    rows = len(crossed.buttons)
    await tap(house, house.anna, "yahtzee")
    await house.breathe(3)

    assert rows <= 7
    assert moves(house)[-1] == (0, "score yahtzee")
    assert "✖️ Anna crosses out Yahtzee · 3 3 5 2 6" in house.board().text


async def test_ones_own_sheet_is_an_answer_to_whoever_asks(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await turn(house, house.anna, "33526", "one pair")
    await typed(house, house.ben, "/roll", dice=PLAIN)

    toast = await tap(house, house.anna, "sheet")

    assert "1P 19" in toast
    assert "Total 19" in toast
    assert house.telegram.toasts(house.anna)[-1].alert


async def test_a_toggle_carries_the_wanted_state_and_twice_is_once(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="33526")
    await house.breathe(3)
    keep = data(house.board(), "k2")

    once = await house.press(house.anna, keep)
    await house.breathe(3)
    twice = await house.forge(house.anna, keep)
    await house.breathe(3)
    kept = codes(house.board())
    let_go = await tap(house, house.anna, "t2")
    await house.breathe(3)

    told = house.says("yahtzee.selected", kept="3", n=4)
    assert once == twice
    assert once.startswith(told)
    assert [code for code in kept if code[0] in "kt" and len(code) == 2] == [
        "k1", "t2", "k3", "k4", "k5",
    ]  # fmt: skip
    assert let_go == house.says("yahtzee.selected", kept="–", n=5)
    assert "k2" in codes(house.board())
    assert moves(house) == [(0, "roll")]


async def test_a_press_of_the_throw_before_is_stale(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="33526")
    await house.breathe(3)
    old = data(house.board(), "k2")
    await typed(house, house.anna, "/roll 345", dice="111")
    await house.breathe(3)

    async with house.nothing_written():
        toast = await house.forge(house.anna, old)

    assert toast == house.says("refused.stale")


async def test_the_one_who_waits_is_told_how_long(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem)

    async with house.nothing_written():
        toasts = [await tap(house, person, "roll") for person in (house.ben, house.cem)]

    assert toasts == [
        house.says("yahtzee.refused.turn", n=1),
        house.says("yahtzee.refused.turn", "de", n=2),
    ]


# -- a turn by commands ------------------------------------------------------------------------


async def test_moves_can_be_typed_in_every_form(house: House) -> None:
    await begin(house, house.anna, house.ben)
    lines = {
        "/roll": "roll",
        "/roll 135": "roll 135",
        "/r 5, 3 1": "roll 135",
        "/score kl. Straße": "score short_straight",
    }
    others = {
        "/keep 24": "roll",  # before the first throw every form throws all five
        "/k 4 2": "roll 135",
        "/keep": "roll 12345",
        "/score sixes": "score sixes",
    }
    again = {"/roll 1": "roll", "/roll ": "roll 0", "/SCORE Full House": "score full_house"}

    for person, said in ((house.anna, lines), (house.ben, others), (house.anna, again)):
        await typed(house, person, *said)

    assert [move for _, move in moves(house)] == [
        *lines.values(),
        *others.values(),
        *again.values(),
    ]


async def test_an_exclamation_mark_works_where_the_bot_can_read_it(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="33526")

    await typed(house, house.anna, "!roll 135")
    unheard = moves(house)
    house.telegram.privacy = False
    await typed(house, house.anna, "!roll 135", "!K 2 4")

    assert unheard == [(0, "roll")]
    assert moves(house) == [(0, "roll"), (0, "roll 135"), (0, "roll 135")]


async def test_an_exclamation_mark_works_in_a_reply_to_the_bot(house: House) -> None:
    await begin(house, house.anna, house.ben)

    house.say(house.anna, "!roll", reply_to=house.board().id)
    await house.breathe()
    answer = await house.ask(house.anna, "!sheet Ben", reply_to=house.board().id)

    assert moves(house) == [(0, "roll")]
    assert answer.startswith("📋 Ben · 0\n")


async def test_dice_and_d_show_the_dice_again_to_anybody(house: House) -> None:
    await begin(house, house.anna, house.ben)
    nobody = await house.ask(house.ben, "/d")
    await typed(house, house.anna, "/roll", dice="33526")

    mine = await house.ask(house.anna, "/dice")
    others = await house.ask(house.ben, "/d")

    assert nobody == house.says("yahtzee.show.other_none", name="Anna")
    assert mine == house.says("yahtzee.show.mine", dice="3 3 5 2 6", faces="⚂ ⚂ ⚄ ⚁ ⚅", n=2)
    assert others.startswith("Anna: 3 3 5 2 6")


async def test_dice_with_dice_named_throws_outside_the_game(house: House) -> None:
    await begin(house, house.anna, house.ben)

    async with house.nothing_written():
        answer = await house.ask(house.anna, "/dice 2w6")

    assert answer.startswith("🎲 Anna throws 2d6: ")


async def test_score_lists_every_open_box_with_its_value_now(house: House) -> None:
    await begin(house, house.anna, house.ben)
    later = await house.ask(house.anna, "/score")
    await typed(house, house.anna, "/roll", dice="33526")

    answer = await house.ask(house.anna, "/score")

    rows = dict(line.rsplit(None, 1) for line in answer.split("\n")[1:])
    assert len(rows) == len(BOXES)
    assert (rows["Threes"], rows["1 pair"], rows["Yahtzee"]) == ("6", "19", "0")
    assert later.startswith("You have no dice on the table right now. Open: Ones, ")


async def test_score_leaves_out_what_is_scored(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await turn(house, house.anna, PLAIN, "chance")
    await turn(house, house.ben, PLAIN, "chance")
    await typed(house, house.anna, "/roll", dice=PLAIN)
    await house.breathe(3)

    answer = await house.ask(house.anna, "/score")

    assert "Chance" not in answer
    assert len(answer.split("\n")) == len(BOXES)


async def test_sheet_shows_ones_own_or_somebodys(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await turn(house, house.anna, PLAIN, "chance")
    await turn(house, house.ben, "66611", "full house")
    await house.breathe(5)

    own = await house.ask(house.anna, "/sheet")
    others = [await house.ask(house.anna, f"/sheet {asked}") for asked in ("Ben", "be", "2")]

    assert own.startswith("📋 Anna · 18\n")
    assert "Chance           C   18" in own
    assert others == [others[0]] * 3
    assert others[0].startswith("📋 Ben · 25\n")


async def test_the_answers_are_in_the_language_of_the_group(house: House) -> None:
    await begin(house, house.cem, house.anna)
    await typed(house, house.cem, "/roll", dice="33526")

    scores = await house.ask(house.cem, "/score")
    refused = await house.ask(house.cem, "/score foo")

    assert "Long straight" in scores
    assert refused.startswith("There is no box “foo”. Open: Ones, ")
    assert "throws left" in house.board().text


# -- bad input ---------------------------------------------------------------------------------


WRONG = {
    "/roll 999": "There is no die 9. They are named by their place, 1 to 5: /roll 135.",
    "/roll 1 1": "Die 1 is named twice. This works: /roll 1.",
    "/keep 44": "Die 4 is named twice. This works: /keep 4.",
    "/keep 06": "There is no die 0. They are named by their place, 1 to 5: /keep 135.",
    "/roll foo": "I can’t read that. Name the dice by their place, 1 to 5: /roll 135",
    "/roll ١": "I can’t read that. Name the dice by their place, 1 to 5: /roll 135",
    "/score foo": "There is no box “foo”. Open: Ones, Twos, ",
    "/score " + "x" * 300: "There is no box “xxxxxxxxxxxxxxxxxxxx”. Open: ",
    "/score <b>": "There is no box “<b>”. Open: Ones, ",
    "/score s": "“s” can mean Sixes, Short straight. Write a little more.",
    "/score chance": "Chance is taken already (18). Open: Ones, ",
    "/sheet zoe": "Nobody called “zoe” plays here. Playing: Anna, Ben.",
}


async def test_what_cannot_be_done_is_told_in_one_line_and_changes_nothing(house: House) -> None:
    await begin(house, house.anna, house.ben)
    for person in (house.anna, house.ben):
        await turn(house, person, PLAIN, "chance")
    await house.breathe(50)  # the chat has room again for so many answers
    await typed(house, house.anna, "/roll", dice="33526")

    async with house.nothing_written():
        answers = [await house.ask(house.anna, line) for line in WRONG]

    for answer, told in zip(answers, WRONG.values(), strict=True):
        assert answer.startswith(told)
        assert "\n" not in answer
    assert house.telegram.last(house.group).reply_to is not None


async def test_out_of_turn_nothing_happens(house: House) -> None:
    await begin(house, house.anna, house.ben)

    async with house.nothing_written():
        typed_ = [await house.ask(house.ben, line) for line in ("/roll", "/keep 1", "/score ones")]

    assert typed_ == [house.says("yahtzee.refused.turn", n=1)] * 3


async def test_the_command_of_another_game_is_told_what_would_work(house: House) -> None:
    await begin(house, house.anna, house.ben)

    async with house.nothing_written():
        answer = await house.ask(house.anna, "/bank")

    assert answer.startswith("Yahtzee is running here")
    assert all(f"/{name}" in answer for name in ("roll", "keep", "score", "sheet", "d"))


async def test_scoring_before_throwing_and_a_fourth_throw_are_refused(house: House) -> None:
    await begin(house, house.anna, house.ben)

    async with house.nothing_written():
        early = await house.ask(house.anna, "/score ones")
    await typed(house, house.anna, "/roll", "/roll", "/roll", dice="33526")
    async with house.nothing_written():
        fourth = await house.ask(house.anna, "/roll 1")

    assert early == house.says("yahtzee.refused.first")
    assert fourth == house.says("yahtzee.refused.no_throw", box=box("one_pair"), value=19)


async def test_a_move_typed_before_ones_turn_began_is_refused(house: House) -> None:
    await begin(house, house.anna, house.ben)
    early = house.telegram.now()
    await house.breathe(3)
    await turn(house, house.anna, PLAIN, "chance")
    await house.breathe(3)

    async with house.nothing_written():
        answer = await house.ask(house.ben, "/roll", date=early)

    assert answer == house.says("refused.too_early")


# -- boards ------------------------------------------------------------------------------------


async def test_one_mention_a_turn_and_not_at_every_move(house: House) -> None:
    await begin(house, house.anna, house.ben)
    first, before = mentioned(house.board()), sent(house)
    house.rolls = [3, 3, 5, 2, 6]
    await tap(house, house.anna, "roll", "k1", "k2", "roll")
    await house.breathe(5)
    within = sent(house)
    await typed(house, house.anna, "/score chance")
    await house.breathe(5)

    assert within == before
    assert sent(house) == before + 1
    assert first == {house.anna.id}
    assert mentioned(house.board()) == {house.ben.id}


async def test_the_board_of_a_turn_that_is_over_says_what_it_brought(house: House) -> None:
    await begin(house, house.anna, house.ben)
    board = house.board()

    await turn(house, house.anna, PLAIN, "chance")
    await house.breathe(5)

    assert board.text == "✅ Anna: 1 2 4 5 6 → Chance 18"
    assert board.buttons == []


async def test_a_busy_turn_stays_within_telegrams_limits(strict_house: House) -> None:
    house = strict_house
    await begin(house, house.anna, house.ben)

    for person in (house.anna, house.ben, house.anna, house.ben):
        await tap(house, person, "roll", "k1", "k2", "k3", "t2", "k4", "roll", "k5", "roll")
        await tap(house, person, next(b for b in BOXES if b in codes(house.board())))
    await house.breathe(30)

    assert len(moves(house)) == 16
    assert house.refused == []
    assert "▶️\u00a0Anna\u00a0" in house.board().text


async def test_the_board_says_how_everybody_stands_and_where_the_bonus_does(house: House) -> None:
    await begin(house, house.anna, house.ben)
    for dice, name in (("66666", "sixes"), ("55555", "fives"), ("44442", "fours")):
        await turn(house, house.anna, dice, name)
        await turn(house, house.ben, PLAIN, "chance" if name == "sixes" else name)
    await house.breathe(5)

    board = house.board().text

    assert house.says("yahtzee.upper.won", have=71) in board
    assert "▶️\u00a0Anna\u00a0106" in board


# -- joining late ------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["press", "/join"])
async def test_during_the_first_round_one_may_still_join_and_pays(house: House, how: str) -> None:
    await begin(house, house.anna, house.ben, stake=5)
    await turn(house, house.anna, PLAIN, "chance")
    await house.breathe(3)

    if how == "press":
        await house.press(house.cem, "➕ Join in · 5")
    else:
        await typed(house, house.cem, how)
    await turn(house, house.ben, PLAIN, "chance")
    await house.breathe(3)

    assert house.coins(house.cem) == 5
    assert house.held("escrow", house.table().id) == 15
    assert mentioned(house.board()) == {house.cem.id}
    assert "▶️\u00a0Cem\u00a00" in house.board().text


async def test_the_first_round_runs_until_the_late_have_had_their_turn(house: House) -> None:
    (dora,) = house.friends(1)
    await begin(house, house.anna, house.ben)
    await turn(house, house.anna, PLAIN, "chance")
    await typed(house, house.cem, "/join")
    await turn(house, house.ben, PLAIN, "chance")
    await typed(house, dora, "/join")
    for person in (house.cem, dora):
        await turn(house, person, PLAIN, "chance")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.ben, house.cem, dora]
    assert "Round 2 of 15" in house.board().text
    assert "join" not in codes(house.board())


async def test_after_the_first_round_nobody_joins_any_more(house: House) -> None:
    await begin(house, house.anna, house.ben, stake=5)
    for person in (house.anna, house.ben):
        await turn(house, person, PLAIN, "chance")

    async with house.nothing_written():
        answer = await house.ask(house.cem, "/join")
        toast = await house.forge(house.cem, f"{house.table().id}:0:join")

    assert toast == house.says("refused.started", "de")
    assert answer == house.says("refused.started")
    assert house.table().people == [house.anna, house.ben]


async def test_who_joins_twice_or_cannot_pay_is_refused(house: House) -> None:
    await house.ask(house.cem, "/start")
    await spend(house, house.cem, 6)
    await begin(house, house.anna, house.ben, stake=5)

    async with house.nothing_written():
        twice = await house.press(house.ben, "➕")
        poor = await house.press(house.cem, "➕")

    assert twice == house.says("refused.joined")
    assert poor.startswith("Der Einsatz ist 5 Knuddels, du hast 4 Knuddels:")
    assert house.telegram.toasts(house.cem)[-1].alert


async def spend(house: House, person: Person, coins: int) -> None:
    """Somebody has so much less."""
    assert house.bot
    ledger = house.bot.hall.ledger
    postings = {wallet(person.id): -coins, mint(): coins}
    await house.bot.clerk.run(lambda: ledger.book("spent", "grant", postings, at=0))


async def test_the_ninth_finds_no_seat(house: House) -> None:
    eight = house.friends(8)
    await begin(house, *eight[:7])
    await typed(house, eight[7], "/join")
    await house.breathe(3)

    answer = await house.ask(house.cem, "/join")

    assert len(house.table().people) == 8
    assert answer == house.says("refused.started")


# -- leaving -----------------------------------------------------------------------------------


async def test_who_leaves_before_the_current_player_does_not_shift_the_turn(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem)
    await turn(house, house.anna, PLAIN, "chance")
    await house.leave(house.anna)
    await house.breathe(3)
    board = "\n".join(house.heard())

    for person, name in ((house.ben, "ones"), (house.cem, "ones"), (house.ben, "twos")):
        await turn(house, person, PLAIN, name)

    assert "Ben’s turn" in board
    assert "🚪 Anna has left" in board
    assert [seat for seat, move in moves(house) if move.startswith("score")] == [0, 1, 2, 1]


async def test_who_leaves_in_their_turn_hands_it_on(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem)
    board = house.board()
    await typed(house, house.anna, "/roll", dice=PLAIN)
    await house.leave(house.anna)
    await house.breathe(5)

    assert board.text == "🚪 Anna has left"
    assert mentioned(house.board()) == {house.ben.id}


async def test_when_the_last_but_one_leaves_the_other_wins_the_pot(house: House) -> None:
    await begin(house, house.anna, house.ben, stake=5)
    await turn(house, house.anna, PLAIN, "chance")

    toast = await tap_leave(house, house.ben)
    await house.breathe(3)

    assert toast == house.says("left.stake", stake=text("coins", n=5))
    assert house.says("yahtzee.reason.last", name="Anna") in house.board().text
    assert [house.coins(p) for p in (house.anna, house.ben)] == [15, 5]
    assert points(house, house.anna, house.ben) == [4, 0]
    assert house.held("escrow", house.table().id) == 0


async def tap_leave(house: House, person: Person) -> str:
    """Leaves by a button that a forwarded lobby would still have, and agrees to it."""
    await house.forge(person, f"{house.table().id}:0:leave")
    await house.breathe(4)
    return await house.press(person, "🚪")


async def test_who_left_cannot_come_back_and_is_not_recorded(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem)
    await turn(house, house.anna, PLAIN, "chance")
    await house.leave(house.anna)

    async with house.nothing_written():
        again = await house.ask(house.anna, "/join")
        rolled = await house.ask(house.anna, "/roll")
    await turn(house, house.ben, PLAIN, "chance")
    await house.leave(house.ben)
    await house.breathe(3)

    assert again == house.says("refused.left")
    assert rolled == house.says("yahtzee.refused.gone")
    assert house.table().status == "over"
    assert house.sql("SELECT ref FROM bests WHERE board = 'yahtzee.total'") == []


# -- who is late -------------------------------------------------------------------------------


async def test_who_is_idle_for_60_s_gets_the_best_box_for_the_dice_as_they_lie(
    house: House,
) -> None:
    await begin(house, house.anna, house.ben)
    board = house.board()
    await typed(house, house.anna, "/roll", dice="33526")
    await tap(house, house.anna, "k1")
    await house.breathe(50)
    before = moves(house)

    await house.breathe(12)

    assert before == [(0, "roll")]
    assert moves(house) == [(0, "roll"), (0, "late")]
    assert board.text == "🐢 Anna was late: 3 3 5 2 6 → 1 pair 19"
    assert mentioned(house.board()) == {house.ben.id}


async def test_every_throw_gives_60_s_anew(house: House) -> None:
    await begin(house, house.anna, house.ben)

    for line in ("/roll", "/roll 1", "/roll 1", "/score ones"):
        await house.breathe(TURN_S - 5)
        await typed(house, house.anna, line)

    assert [move for _, move in moves(house)] == ["roll", "roll 1", "roll 1", "score ones"]


async def test_three_late_turns_in_a_row_and_one_is_out_while_the_others_play_on(
    house: House,
) -> None:
    await begin(house, house.anna, house.ben, house.cem)
    for name in UPPER[:3]:
        await house.breathe(TURN_S + 3)
        await turn(house, house.ben, PLAIN, name)
        await turn(house, house.cem, PLAIN, name)
    await house.breathe(3)

    assert "💤 Anna is out" in house.board().text
    assert mentioned(house.board()) == {house.ben.id}
    assert house.table().status == "running"


async def test_a_table_everybody_has_left_alone_ends_by_itself(house: House) -> None:
    await begin(house, house.anna, house.ben)

    await house.breathe(7 * (TURN_S + 5))

    assert house.table().status == "over"
    assert [move for _, move in moves(house)] == ["late"] * 5
    assert house.says("yahtzee.reason.last", name="Ben") in house.board().text


# -- a whole game ------------------------------------------------------------------------------


async def test_a_whole_game_ranks_by_total_and_splits_the_pot(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem, stake=5)

    await whole(house, {house.anna: "66666", house.ben: "22222", house.cem: PLAIN})

    assert "🥇 Anna 330 (⬆️ 30 · 🎆 2 Yahtzees) +8\u00a0🪙 +4\u00a0P" in house.board().text
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [13, 9, 8]
    assert points(house, house.anna, house.ben, house.cem) == [4, 1, 1]
    totals = house.sql("SELECT ref, value FROM bests WHERE board = 'yahtzee.total' ORDER BY value")
    # sixes, four sums, the Yahtzee, and Chance after it with the 100
    assert totals[-1] == (str(house.anna.id), 30 + 4 * 30 + 50 + 30 + 100)
    assert len(totals) == 3


async def test_tied_players_share_their_places(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem, stake=7)

    await whole(house, {house.anna: PLAIN, house.ben: "12465", house.cem: "66666"})

    assert "🥇 Cem" in house.board().text
    assert "🥈 Anna" in house.board().text
    assert "🥈 Ben" in house.board().text
    # 21 are 11, 6 and 4: the two share ten
    assert [house.coins(p) - 3 for p in (house.anna, house.ben, house.cem)] == [5, 5, 11]


async def test_a_tie_at_the_top_says_so(house: House) -> None:
    await begin(house, house.anna, house.ben)

    await whole(house, {house.anna: PLAIN, house.ben: PLAIN})

    assert house.says("yahtzee.reason.tied") in house.board().text
    assert points(house, house.anna, house.ben) == [1, 1]


async def test_the_result_has_every_sheet_as_a_picture(house: House) -> None:
    await begin(house, house.anna, house.ben)

    await whole(house, {house.anna: "55555", house.ben: PLAIN})

    assert labels(house.board()) == ["🔁 Again", "📋 Sheets", "🎩 Analysis", "🔎 Verify"]
    await house.press(house.ben, "📋")
    await house.breathe()
    assert house.telegram.last(house.group).photo


async def test_the_dice_can_be_verified_also_with_somebody_who_joined_late(house: House) -> None:
    assert house.bot
    house.bot.hall.chance.stream = Stream
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", "/roll 12")
    await typed(house, house.cem, "/join")
    for person in (house.anna, house.ben):
        await house.leave(person)
    await house.breathe(3)

    answer = await house.ask(house.anna, "/verify")

    assert answer.startswith("✅ ")
    assert "all 2 throws" in answer


async def test_again_asks_the_same_players(house: House) -> None:
    await begin(house, house.anna, house.ben, stake=2)
    await house.leave(house.ben)
    await house.breathe(3)

    await house.press(house.anna, "🔁")
    await house.breathe(3)

    assert "🔁 Ben: another round?" in house.board().text
    assert house.table().stake == 2


async def test_a_restart_keeps_dice_and_what_was_kept(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="33526")
    await tap(house, house.anna, "k1", "k2")
    await house.breathe(4)
    board = house.board()

    await house.away(600)
    house.rolls = [3, 3, 3]
    toast = await tap(house, house.anna, "roll")

    assert house.board() is board
    assert "t1" in codes(board)
    assert toast.startswith("🎆 YAHTZEE! 3 3 3 3 3")
    assert moves(house) == [(0, "roll"), (0, "roll 345")]
