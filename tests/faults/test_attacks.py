"""What clever and hostile people try, in a group, in private and with forged buttons (issue 5).

Each test is an attack; it holds because the attack fails.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any

import pytest

from games import dice
from games.game import Refusal
from games.yahtzee.names import find
from games.zilch.words import understood
from tests.tgbot.house import House
from tests.tgbot.playing import Beside, furnish, give, order
from tgbot import press
from tgbot.hall.move_rows import MoveRows
from tgbot.inbound.limits import VERIFIES_A_MINUTE
from tgbot.operator import actions
from tgbot.people.names import clean_name
from tgbot.playground import Message, Person

MINUTE_S = 60
DAY_S = 24 * 3600
LOBBY_S = 30


async def flooding(house: House, seconds: int, *people: Person, line: str = "/dice 2w6") -> None:
    """People write a command again and again, three times a second each."""
    for _ in range(3 * seconds):
        for person in people:
            house.say(person, line)
        await house.breathe(1 / 3)


async def shown_within(house: House, seconds: int, said: Callable[[], bool]) -> bool:
    """Whether it is to be seen before so many seconds are over."""
    for _ in range(seconds):
        if said():
            return True
        await house.breathe(1)
    return False


# -- holding up others -------------------------------------------------------------------------


async def test_a_flood_of_commands_keeps_no_board_unpainted(strict_house: House) -> None:
    house = strict_house
    crowd = [house.cem, *house.friends(3)]
    await house.open(house.anna, start=False)
    board = house.board()
    await flooding(house, 20, *crowd)

    await house.press(house.ben, "✅", board)
    await flooding(house, 5, *crowd)

    assert "Ben" in house.board().text  # sent anew, below so much talk


async def test_a_flood_of_commands_makes_no_round_late(strict_house: House) -> None:
    house = strict_house
    crowd = [house.cem, *house.friends(3)]
    await house.begin(house.anna, house.ben)
    await flooding(house, 45, *crowd)
    for person in (house.anna, house.ben):
        house.say(person, "/d 20")
    await flooding(house, 10, *crowd)
    told = [text for text in house.heard() if "round 3" in text.lower()]

    assert told
    assert house.telegram.last(house.group, buttons=True).text == told[-1]


async def test_one_flooder_takes_nobody_elses_answer(strict_house: House) -> None:
    house = strict_house
    await flooding(house, 40, house.cem)

    house.say(house.ben, "/dice 3w12")
    answered = await shown_within(house, 20, lambda: any("3d12" in t for t in house.heard()))

    assert answered


async def test_one_person_in_many_groups_leaves_the_sends_to_others(strict_house: House) -> None:
    house = strict_house
    groups = [house.telegram.group(f"G{n}", house.cem) for n in range(30)]
    await house.breathe(10)
    began = house.telegram.now()

    for n in range(10 * MINUTE_S):
        house.say(house.cem, "/dice 2w6", groups[n % len(groups)])
        await house.breathe(0.1)

    sends = [c for c in house.telegram.log if c.method == "sendMessage" and c.at > began]
    assert 0 < len(sends) <= 20


async def test_one_person_in_private_leaves_the_sends_to_others(strict_house: House) -> None:
    house = strict_house
    alone = house.private(house.cem)
    for _ in range(4 * MINUTE_S):
        house.say(house.cem, "/help", alone)
        await house.breathe(0.5)

    assert 20 <= len(house.calls("sendMessage", chat=alone)) <= 100


async def test_presses_on_old_messages_delay_no_board(strict_house: House) -> None:
    house = strict_house
    old: list[Message] = []
    for _ in range(16):
        house.say(house.cem, "/play")
        await house.breathe(8)
        old.append(house.board())
    await house.breathe(MINUTE_S)
    await house.open(house.anna, start=False)
    board = house.board()
    for message in old:
        await house.forge(house.cem, f"{house.table().id}:1:throw", message)
    await house.breathe(20)

    await house.press(house.ben, "✅", board)

    assert await shown_within(house, 12, lambda: "Ben" in board.text)


async def test_0_who_leaves_and_comes_again_does_not_hold_a_lobby_open(house: House) -> None:
    await house.open(house.anna, house.ben, start=False)
    opened = house.table().opened_at
    for _ in range(20):
        if house.table().status != "lobby":
            break
        await house.press(house.cem, "✅", house.board())
        await house.breathe(5)
        await house.press(house.cem, "🚪", house.board())
        await house.breathe(5)

    assert house.table().status == "running"
    assert house.sql("SELECT min(at) FROM moves")[0][0] - opened <= LOBBY_S + 10


async def test_joining_and_leaving_fills_no_ledger(house: House) -> None:
    await house.stake(5)
    await house.open(house.anna, start=False)
    before = house.sql("SELECT count(*) FROM bookings")[0][0]
    board = house.board()
    for _ in range(50):
        await house.press(house.ben, "✅", board)
        await house.press(house.ben, "🚪", board)

    assert house.sql("SELECT count(*) FROM bookings")[0][0] - before <= 12
    assert house.coins(house.ben) == 10


async def test_presses_on_a_finished_game_read_its_moves_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.game({house.anna: (2, 3, 4), house.ben: (3, 4, 5)})
    board, game_id, read = house.board(), house.table().id, 0
    moves = MoveRows.of

    def counting(self: MoveRows, *asked: Any) -> Any:
        nonlocal read
        read += 1
        return moves(self, *asked)

    monkeypatch.setattr(MoveRows, "of", counting)
    toasts = [await house.forge(house.cem, f"{game_id}:3:throw", board) for _ in range(9)]
    said = [await house.forge(house.cem, f"{game_id}:0:verify", board) for _ in range(9)]

    assert set(toasts) == {house.says("refused.over", "de")}
    assert said[-1] == house.says("refused.too_fast", "de")
    assert read == 1 + VERIFIES_A_MINUTE


# -- coins and rights --------------------------------------------------------------------------


async def settled(house: House, *people: Person) -> None:
    """They have finished a game eight days ago, and so may give."""
    await house.game({house.anna: (2, 3, 4), house.ben: (3, 4, 5), house.cem: (4, 5, 6)})
    await house.away(8 * DAY_S)


@pytest.mark.parametrize("line", ["/give 5 @thrower", "/leave", "/stop", "/settings stake 7"])
async def test_a_command_somebody_was_made_to_forward_is_not_theirs(
    house: House, line: str
) -> None:
    thief = house.telegram.person("Thief", username="thrower")
    house.telegram.join(house.group, thief)
    house.say(thief, "/points", house.private(thief))
    await settled(house)
    await give(house, house.anna, 50)
    await house.open(house.anna, house.ben)

    async with house.nothing_written():
        house.say(house.anna, line, forwarded=thief)


async def test_a_sentence_or_a_game_that_was_forwarded_is_not_theirs(house: House) -> None:
    async with house.nothing_written():
        house.say(house.anna, "/fifty", forwarded=house.ben)
        house.say(house.anna, "James Fifty", forwarded=house.ben)
    assert house.sql("SELECT count(*) FROM games") == [(0,)]


async def test_who_was_thrown_out_opens_no_game_there_from_an_old_race(house: House) -> None:
    house.excused.add("refusals")  # who never wrote to the bot cannot be written to
    await house.open(house.anna, house.ben, house.cem, kind="farkle20")
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    await house.breathe(5)
    board = house.telegram.last(house.private(house.cem), buttons=True)
    game_id = house.table().id
    await house.breathe(31 * MINUTE_S)
    house.telegram.leave(house.group, house.cem)

    toast = await house.forge(house.cem, f"{game_id}:0:again", board)

    assert toast == house.says("refused.stale", "de")
    assert house.table().id == game_id


async def test_6_a_chat_barred_while_a_round_waits_there_gets_none(house: House) -> None:
    people = await furnish(house)
    await order(house)
    await house.look()
    assert house.sql("SELECT status, place FROM robin_rounds") == [("waiting", str(house.group.id))]
    bot = house.bot
    assert bot
    await bot.clerk.run(lambda: bot.hall.settling.robin.bar(house.group.id, True))

    await house.open(*people[:3])

    assert house.held("escrow", house.table().id) == 0
    assert house.held("fund") == 100


async def test_6_nothing_anybody_can_ask_tells_that_a_round_waits(house: House) -> None:
    people = await furnish(house)

    async def asked() -> list[str]:
        """Everything the bot says in a lobby until it is about to close."""
        await house.breathe(2 * MINUTE_S)
        since = len(house.heard())
        await house.open(*people[:3], start=False)
        toasts = [await house.press(people[3], button) for button in ("✅", "🚪", "📖")]
        for line in ("/points", "/d ?", "/top", "/verify", "/stop", "/whois", "/settings", "/roll"):
            house.say(people[4], line)
            await house.breathe(2)
        game_id = house.table().id
        said = [text.replace(game_id, "ID") for text in house.heard()[since:]]
        house.say(house.anna, "/stop")
        await house.breathe(MINUTE_S)
        return toasts + [re.sub(r"[0-9a-f]{24,64}|[0-9]+ s\b", "…", text) for text in said]

    before = await asked()
    await order(house)
    await house.look()
    assert house.sql("SELECT status FROM robin_rounds") == [("waiting",)]
    assert await asked() == before


@pytest.mark.parametrize("kind", ["fifty", "yahtzee", "zilch", "farkle20"])
async def test_no_answer_tells_the_secret_of_an_open_game(house: House, kind: str) -> None:
    await house.open(house.anna, house.ben, kind=kind, start=False)
    lobby = house.board()
    house.excused.add("refusals")  # races write to people who never wrote to the bot
    ((game_id, secret),) = house.secrets().items()
    for press_start in (False, True):
        if press_start:
            await house.press(house.anna, "▶️", lobby)
        house.say(house.cem, f"/verify {game_id}")
        house.say(house.cem, f"/verify {game_id}", house.private(house.cem))
        house.say(house.cem, f"/start play_{game_id}_", house.private(house.cem))
        toast = await house.forge(house.cem, f"{game_id}:0:verify", lobby)
        await house.breathe(5)
        told = [toast, *house.heard(), *house.heard(house.private(house.cem))]
        assert any(game_id in text for text in told)
        assert not any(secret.hex()[:12] in text for text in told)


async def test_5_who_is_erased_and_comes_back_gets_no_second_gift(house: House) -> None:
    house.say(house.cem, "/points", house.private(house.cem))
    await house.breathe()
    assert house.coins(house.cem) == 10
    with Beside(house) as (_, people):
        actions.erase(people, str(house.cem.id))
    house.telegram.block(house.cem)
    house.telegram.unblock(house.cem)

    house.say(house.cem, "/points", house.private(house.cem))
    house.say(house.cem, "/fifty")
    await house.breathe(3)

    assert house.coins(house.cem) == 0


async def test_0_a_vote_in_the_lobby_stops_no_game(house: House) -> None:
    await house.stake(5)
    await house.open(house.anna, house.ben, house.cem, start=False)
    lobby = house.board()
    house.say(house.anna, "/stop")
    house.say(house.ben, "/stop")
    await house.breathe()
    await house.press(house.anna, "▶️", lobby)
    await house.breathe(3)

    house.say(house.cem, "/stop")
    await house.breathe(3)

    assert house.table().status == "running"


async def test_a_heap_of_small_gifts_hides_no_news(house: House) -> None:
    await settled(house)
    await give(house, house.anna, 50)
    house.say(house.cem, "/points")
    await house.breathe(3)
    said = house.say(house.cem, "hello")
    for _ in range(10):
        house.say(house.anna, "/give 1", reply_to=said.id)
        await house.breathe(4)
    waiting = house.sql("SELECT count(*) FROM notices")[0][0]

    toast = await house.press(house.cem, "points:0:show", house.board())

    told = waiting - house.sql("SELECT count(*) FROM notices")[0][0]
    assert waiting == 10
    assert toast.count("Anna") == told >= 1


# -- inputs of any kind ------------------------------------------------------------------------

LONG = 4096
SHAPES = ("9", "w", "+", " ", "1 ", "2w6+", "+2", "a ", "threes", "es", "threeseses ", "\u0300",
          "١", "1\u00a0", "free ", "one five ", "(", "\\", "<b>", "🎲")  # fmt: skip
PARSERS: dict[str, Callable[[str], object]] = {
    "dice": dice.parse,
    "zilch": lambda words: understood(words, "123456"),
    "yahtzee": find,
    "press": press.decode,
    "name": lambda words: clean_name(words, 1),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", PARSERS)
def test_no_text_of_4096_characters_holds_a_parser_up_for_ever(name: str) -> None:
    for shape in SHAPES:
        for tail in ("", "x", "!"):
            words = (shape * LONG)[: LONG - len(tail)] + tail
            with contextlib.suppress(Refusal):
                PARSERS[name](words)


@pytest.mark.parametrize(
    "line", ["/dice 9999w9999", "/diceo 50w2", "/dice 50w1000", "/diceo 2w2" + "+2w2" * 24]
)
async def test_1_9_huge_throws_are_one_message(house: House, line: str) -> None:
    house.rolls = [2] * 200 if "diceo" in line else []
    await house.ask(house.cem, line)
    assert len(house.heard()) == 2
