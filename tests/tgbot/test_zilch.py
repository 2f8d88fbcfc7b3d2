"""RULES 3: what a group sees and does while Zilch is played."""

from __future__ import annotations

import pytest

from tests.tgbot.house import House
from tests.tgbot.playing import codes, labels, mentioned, moves, sent, tap, typed
from tgbot.playground import Person

TURN_S = 60
FIRST = "111533"
"""A first throw in which 1 1 1, 1, 5 and nothing else score."""


async def begin(house: House, *players: Person, stake: int = 0) -> None:
    """A game of Zilch in its first turn."""
    if stake:
        await house.stake(stake)
    await house.open(*players, kind="zilch")


async def bank(house: House, person: Person, dice: str, kept: str) -> None:
    """A whole turn by commands: one throw, some of it banked."""
    await typed(house, person, "/roll", f"/bank {kept}", dice=dice)


async def zilch(house: House, person: Person) -> None:
    """A whole turn by commands that ends in a zilch."""
    await typed(house, person, "/roll", "/roll 5", dice="522334" + "22334")


def says(house: House, person: Person, words: str, *, reply: bool = False) -> None:
    """Somebody writes a sentence, perhaps as a reply to the board."""
    house.say(person, words, reply_to=house.board().id if reply else None)


def banks(house: House) -> list[str]:
    """What everybody still in has banked, as the newest board says it."""
    line = next(line for line in house.board().text.split("\n") if line.count("▶️"))
    return [bank.replace("\u00a0", " ") for bank in line.split(" · ") if "🚪" not in bank]


# -- a turn by buttons -------------------------------------------------------------------------


async def test_a_turn_by_buttons(house: House) -> None:
    await begin(house, house.anna, house.ben)
    house.rolls = [int(die) for die in FIRST]

    thrown = await tap(house, house.anna, "roll")
    one = await tap(house, house.anna, "k1")
    three = await tap(house, house.anna, "k2", "k3")
    house.rolls = [5, 2, 3]
    await tap(house, house.anna, "roll", "k3")
    banked = await tap(house, house.anna, "bank")
    await house.breathe(3)

    assert thrown == house.says("zilch.threw", dice="1 1 1 3 3 5", best="1 1 1 5", points=1050)
    assert one == "🔒 1 = 100 → turn 100 · 🎲 5: 8% bust"
    assert three == "🔒 1 1 1 = 1,000 → turn 1,000 · 🎲 3: 28% bust"
    assert banked == house.says("zilch.told.banked", points=1050, bank=1050)
    assert moves(house) == [(0, "roll"), (0, "111 roll"), (0, "5 bank")]
    assert banks(house) == ["Anna 1,050", "▶️ Ben 0"]


async def test_only_what_scores_can_be_chosen_and_the_best_is_offered(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="111334")
    await house.breathe(3)
    offered = labels(house.board())

    async with house.nothing_written():
        toast = await tap(house, house.anna, "k4")

    assert "✨ 111 = 1,000 → 🎲 3 · 28% bust" in offered
    assert "🏦 Bank 1,000" in offered
    assert toast == house.says("zilch.refused.no_score", dice="3", best="1 1 1", points=1000)


async def test_dice_that_need_others_say_so_and_cannot_be_thrown_on_yet(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="222346")

    toast = await tap(house, house.anna, "k1")
    await house.breathe(3)

    assert toast == house.says("zilch.not_yet", dice="2", best="2 2 2", points=200)
    assert toast in house.board().text
    assert codes(house.board())[-2:] == ["roll", "hint"]


async def test_a_bank_below_300_has_no_button_and_is_refused(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="152234")
    await tap(house, house.anna, "k1", "k5")
    await house.breathe(3)
    shown = codes(house.board())

    async with house.nothing_written():
        answer = await house.ask(house.anna, "/bank")

    assert "roll" in shown
    assert "bank" not in shown
    assert answer == house.says("zilch.refused.too_little", least=300, points=100)


async def test_the_points_guide_is_one_tap_away_for_everybody(house: House) -> None:
    await begin(house, house.anna, house.ben)

    async with house.nothing_written():
        toasts = [await tap(house, person, "guide") for person in (house.anna, house.ben)]

    assert toasts == [house.says("zilch.guide")] * 2
    assert all(len(house.says("zilch.guide", language)) <= 200 for language in ("de", "en"))


async def test_hot_dice_are_six_new_ones(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice="123456")
    await house.breathe(3)
    shown = labels(house.board())

    await tap(house, house.anna, "roll_best")

    assert {"✨ 123456 = 1,500 → 🎲 6", "🏦 Bank 1,500"} <= {*shown}
    assert moves(house)[-1] == (0, "123456 roll")


# -- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "words", "move"),
    [
        ("152234", "nice, one five roll", "15 roll"),
        ("333346", "Threeses and I BANK it!", "3333 bank"),
        ("123456", "free, bank.", "123456 bank"),
        ("223346", "for free: roll", "223346 roll"),
    ],
)
async def test_a_sentence_is_a_move(house: House, dice: str, words: str, move: str) -> None:
    house.telegram.privacy = False
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice=dice)

    says(house, house.anna, words)
    await house.breathe()

    assert moves(house) == [(0, "roll"), (0, move)]


async def test_in_privacy_mode_a_sentence_takes_a_reply(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice=FIRST)

    says(house, house.anna, "ones bank")
    await house.breathe()
    unheard = moves(house)
    says(house, house.anna, "ones bank", reply=True)
    await house.breathe()

    assert unheard == [(0, "roll")]
    assert moves(house) == [(0, "roll"), (0, "111 bank")]


async def test_dice_said_without_an_action_are_only_chosen(house: House) -> None:
    house.telegram.privacy = False
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice=FIRST)

    says(house, house.anna, "one and a five")
    await house.breathe(5)
    chosen = house.board().text
    says(house, house.anna, "roll them")
    await house.breathe()

    assert "🔒 1 5 = 150 → turn 150 · 🎲 4: 16% bust" in chosen
    assert moves(house)[-1] == (0, "15 roll")


async def test_words_that_do_not_fit_are_answered_only_in_a_reply(house: House) -> None:
    house.telegram.privacy = False
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice=FIRST)
    await house.breathe(3)
    wrong = ("fives roll", "free bank", "roll or bank?", "roll", "one bank")

    async with house.nothing_written():
        before = sent(house)
        for words in wrong:
            says(house, house.anna, words)
            await house.breathe()
        silent = sent(house) == before
        board = house.board()
        answers = [await house.ask(house.anna, words, reply_to=board.id) for words in wrong]

    best = {"best": "1 1 1 5", "points": 1050}
    assert silent
    assert answers == [
        house.says("zilch.refused.dice", dice="5 5 5", lying="1 1 1 3 3 5"),
        house.says("zilch.refused.free"),
        house.says("zilch.refused.both"),
        house.says("zilch.refused.nothing", **best),
        house.says("zilch.refused.too_little", least=300, points=100),
    ]


@pytest.mark.parametrize("who", ["ben", "cem", "channel", "nobody"])
async def test_only_the_one_whose_turn_it_is_is_heard(house: House, who: str) -> None:
    house.telegram.privacy = False
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", dice=FIRST)
    (dora,) = house.friends(1)
    speaker = {"ben": house.ben, "cem": house.cem, "nobody": dora}.get(who, house.anna)
    await house.breathe(3)

    async with house.nothing_written():
        before = house.heard()
        house.say(speaker, "ones roll", as_channel=who == "channel")
        house.say(speaker, "fives bank", as_channel=who == "channel", reply_to=house.board().id)
        await house.breathe(3)

    assert house.heard() == before


async def test_words_mean_nothing_where_no_zilch_is_played(house: House) -> None:
    house.telegram.privacy = False
    await house.open(house.anna, house.ben, kind="yahtzee")

    async with house.nothing_written():
        heard = house.heard()
        says(house, house.anna, "one five roll", reply=True)
        await house.breathe(3)

    assert house.heard() == heard


# -- commands ----------------------------------------------------------------------------------


async def test_roll_and_bank_can_be_typed_with_dice_words_or_what_is_chosen(house: House) -> None:
    await begin(house, house.anna, house.ben)

    await typed(house, house.anna, "/roll", "/roll 1 5", dice=FIRST + "5512")
    await tap(house, house.anna, "k1")
    await typed(house, house.anna, "/roll", "/bank five", dice="555")
    shown = await house.ask(house.ben, "/d")

    assert [move for _, move in moves(house)] == ["roll", "15 roll", "1 roll", "5 bank"][:4]
    assert shown


WRONG = {
    "/roll 6": "6 isn’t there. On the table: 1 1 1 3 3 5.",
    "/roll 3": "3 doesn’t score: every die set aside must count. The best here: 1 1 1 5 = 1,050.",
    "/roll 999": "I can’t read that. Name up to six dice to set aside",
    "/bank fours": "4 4 4 isn’t there. On the table: 1 1 1 3 3 5.",
    "/bank 1": "That makes 100 this turn; you can bank from 300. Roll on!",
    "/bank": "Set something aside first. The best here: 1 1 1 5 = 1,050.",
    "/roll bank": "Roll or bank? Say only one of them.",
}


async def test_what_cannot_be_done_is_told_in_one_line_and_changes_nothing(house: House) -> None:
    await begin(house, house.anna, house.ben)
    early = await house.ask(house.anna, "/roll 5")
    await typed(house, house.anna, "/roll", dice=FIRST)

    async with house.nothing_written():
        answers = [await house.ask(house.anna, line) for line in WRONG]
        other = await house.ask(house.ben, "/roll")

    assert early == house.says("zilch.refused.throw_first")
    assert other == house.says("zilch.refused.turn")
    for answer, told in zip(answers, WRONG.values(), strict=True):
        assert answer.startswith(told)
        assert "\n" not in answer


# -- zilches, the last round -------------------------------------------------------------------


async def test_a_zilch_ends_the_turn_and_is_marked(house: House) -> None:
    await begin(house, house.anna, house.ben)
    board = house.board()

    house.rolls = [int(die) for die in FIRST + "22334"]
    toast = await tap(house, house.anna, "roll", "k6", "roll")
    await house.breathe(5)

    assert toast.startswith("❌ Zilch! 2 2 3 3 4 brings nothing and 50 points are gone.")
    assert board.text == "❌ Anna zilches on 2 2 3 3 4: 50 gone!"
    assert banks(house) == ["Anna 0 ❌", "▶️ Ben 0"]


async def test_three_zilches_in_a_row_cost_500_also_below_zero(house: House) -> None:
    await begin(house, house.anna, house.ben)

    for _ in range(2):
        await zilch(house, house.anna)
        await bank(house, house.ben, FIRST, "111")
    await house.breathe(5)
    board = house.board()
    await zilch(house, house.anna)
    await house.breathe(60)

    assert board.text == "❌❌❌ Anna: third zilch, on 2 2 3 3 4: −500!"
    assert banks(house) == ["Anna −500", "▶️ Ben 2,000"]


async def test_10000_begins_the_last_round_and_the_highest_bank_wins(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem, stake=5)
    for person in (house.anna, house.ben, house.cem):
        await bank(house, person, "111111", "111111")

    triggered = await tap(house, house.anna, "roll", "bank_best")
    await house.breathe(3)
    last = house.board().text
    await bank(house, house.ben, "111111", "111111")
    await bank(house, house.cem, FIRST, "111")
    await house.breathe(3)

    assert triggered == house.says("zilch.told.last_round", points=8000, bank=16000)
    assert house.says("zilch.last_round", name="Anna", bank=16000) in last
    assert house.table().status == "over"
    assert house.says("zilch.reason.level") in house.board().text
    # 15 are 8, 4 and 3: the two level ones share twelve
    assert [house.coins(p) - 5 for p in (house.anna, house.ben, house.cem)] == [6, 6, 3]


# -- who is late, who leaves -------------------------------------------------------------------


async def test_who_is_late_banks_what_was_set_aside_if_it_is_enough(house: House) -> None:
    await begin(house, house.anna, house.ben)
    board = house.board()
    await typed(house, house.anna, "/roll", "/roll 111", dice=FIRST + "522")

    await house.breathe(TURN_S + 5)

    assert board.text == "🐢 Anna was late: 1,000 banked"
    assert moves(house)[-1] == (0, "late")
    assert mentioned(house.board()) == {house.ben.id}


async def test_what_is_only_chosen_is_not_banked(house: House) -> None:
    await begin(house, house.anna, house.ben)
    board = house.board()
    await typed(house, house.anna, "/roll", dice=FIRST)
    await tap(house, house.anna, "k1", "k2", "k3")

    await house.breathe(TURN_S + 5)

    assert board.text == "🐢 Anna was late: nothing banked"


async def test_three_late_turns_in_a_row_and_one_is_out(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem)

    for _ in range(3):
        await house.breathe(TURN_S + 3)
        await bank(house, house.ben, FIRST, "111")
        await bank(house, house.cem, FIRST, "111")
    await house.breathe(3)

    assert "🚪 Anna is out" in house.board().text
    assert banks(house) == ["▶️ Ben 3,000", "Cem 3,000"]


async def test_the_last_one_left_wins_the_pot(house: House) -> None:
    await begin(house, house.anna, house.ben, house.cem, stake=4)
    await house.leave(house.ben)
    await house.breathe(3)

    await house.leave(house.anna)
    await house.breathe(3)

    assert house.says("zilch.reason.alone", name="Cem") in house.board().text
    assert [house.coins(p) for p in (house.anna, house.ben, house.cem)] == [6, 6, 18]
    assert house.held("wallet", house.cem.id, "zilch") == 6


async def test_nobody_joins_late_and_the_fifth_finds_no_seat(house: House) -> None:
    players = house.friends(4)
    house.say(house.anna, "/zilch")
    await house.breathe()
    for person in players:
        await house.press(person, "✅")
    await house.breathe(3)

    async with house.nothing_written():
        toast = await house.forge(house.anna, f"{house.table().id}:0:join")

    assert house.table().status == "running"
    assert toast == house.says("refused.started")
    assert "join" not in codes(house.board())


# -- boards ------------------------------------------------------------------------------------


async def test_one_mention_a_turn_and_not_at_every_throw(house: House) -> None:
    await begin(house, house.anna, house.ben)
    before = sent(house)
    house.rolls = [int(die) for die in FIRST + "15234" + "5523"]

    await tap(house, house.anna, "roll", "k1", "roll", "k1", "roll")
    await house.breathe(5)
    within = sent(house)
    await typed(house, house.anna, "/roll 5", dice="223")
    await house.breathe(5)

    assert within == before
    assert sent(house) == before + 1
    assert mentioned(house.board()) == {house.ben.id}


async def test_a_busy_table_stays_within_telegrams_limits(strict_house: House) -> None:
    house = strict_house
    await begin(house, house.anna, house.ben)

    for person in (house.anna, house.ben) * 3:
        house.rolls = [int(die) for die in FIRST]
        await tap(house, person, "roll", "k1", "k2", "k3", "k6", "t6", "bank")
    await house.breathe(30)

    assert house.refused == []
    assert banks(house) == ["▶️ Anna 3,000", "Ben 3,000"]


async def test_a_restart_in_the_middle_of_a_turn_loses_nothing(house: House) -> None:
    await begin(house, house.anna, house.ben)
    await typed(house, house.anna, "/roll", "/roll 111", dice=FIRST + "515")
    await tap(house, house.anna, "k2")
    await house.breathe(3)
    board = house.board()
    text_before = board.text.split(" · ⏱")[1].split("\n", 1)[1]

    await house.away(900)

    assert house.board() is board
    assert text_before in board.text
    assert await tap(house, house.anna, "bank") == house.says(
        "zilch.told.banked", points=1050, bank=1050
    )


async def test_the_game_is_shown_in_the_language_of_the_group(house: House) -> None:
    await house.ask(house.anna, "/settings language de")
    await begin(house, house.anna, house.cem)
    await typed(house, house.anna, "/roll", dice=FIRST)

    refused = await house.ask(house.cem, "/bank")

    assert "Anna ist dran" in house.board().text
    assert refused == house.says("zilch.refused.turn", "de")
