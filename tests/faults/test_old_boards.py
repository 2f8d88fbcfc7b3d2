"""Boards of the past lose their keyboard whatever happens, and nothing but a game touches a board.

All of it was found by `dicehall soak`.
"""

from __future__ import annotations

import pytest

from games.game import Percent, text
from tests.tgbot.house import House
from tests.tgbot.playing import codes, painted, tap
from tgbot.playground import Message

MENUS = ("set:0:stake=5", "{id}:0:stop", "open:0:zilch", "top:0:first", "rules:0:all")


async def crash(house: House) -> None:
    """The process is gone at once, whatever it still had to do, and another one begins."""
    assert house.bot
    house.bot.painter._desks.clear()  # a killed process tidies nothing
    await house.stop()
    await house.start()


def live(house: House) -> list[Message]:
    """The messages of the group that have buttons of a game."""
    messages = house.telegram.messages(house.group)
    return [m for m in messages if (m.buttons and "join" in codes(m)) or "throw" in codes(m)]


@pytest.mark.parametrize("form", MENUS)
async def test_a_forged_menu_press_leaves_the_board_as_it_is(house: House, form: str) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    board = house.board()
    before = board.text, board.buttons

    await house.forge(house.anna, form.format(id=house.table().id), board)
    await house.breathe(5)

    assert (board.text, board.buttons) == before


async def test_a_forged_press_cannot_bare_another_games_board(house: House) -> None:
    forum = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    topics = [house.telegram.topic(forum, name) for name in ("one", "two")]
    ids = []
    for topic in topics:
        house.say(house.anna, "/fifty", forum, topic=topic)
        await house.breathe(3)
        ids.append(house.table(forum).id)
    mine, other = (m for m in house.telegram.messages(forum) if m.buttons and "join" in codes(m))

    await house.forge(house.ben, f"{ids[0]}:0:join", other)
    await house.breathe(10)

    assert mine.buttons
    assert other.buttons


async def test_a_keyboard_a_death_left_behind_goes_at_the_next_start(house: House) -> None:
    house.excused.add("errors")
    await house.open(house.anna, house.ben, start=False)
    lobby = house.board()
    await tap(house, house.anna, "start")
    await painted(house)
    assert lobby.buttons  # its turn has not come yet

    await crash(house)
    await house.breathe(5)

    assert not lobby.buttons
    assert live(house) == [house.board()]
    assert house.sql("SELECT * FROM leftovers") == []


async def test_a_board_sent_unseen_before_a_death_loses_its_keyboard(house: House) -> None:
    house.excused |= {"refusals", "errors"}
    house.telegram.faults.only = "sendMessage"
    house.telegram.faults.timeout_after_next = 1
    house.say(house.anna, "/fifty")
    await house.breathe(0.5)
    unseen = house.board()

    await crash(house)
    await house.breathe(5)

    assert house.board() is not unseen
    assert live(house) == [house.board()]


async def test_a_board_left_in_a_chat_that_comes_back_loses_its_keyboard(house: House) -> None:
    await house.open(house.anna, house.ben, start=False)
    board = house.board()

    house.telegram.kick(house.group)
    await house.breathe(5)
    house.telegram.readd(house.group)
    await house.breathe(5)

    assert not board.buttons
    assert house.table().status == "void"


async def test_a_board_of_somebody_who_blocked_the_bot_is_bare_when_they_are_back(
    house: House,
) -> None:
    house.excused.add("refusals")
    private = house.private(house.anna)
    house.say(house.anna, "/farkle20", private)
    await house.breathe(3)
    board = house.telegram.last(private, buttons=True)

    house.telegram.block(house.anna)
    await house.breathe(2 * 24 * 3600)
    house.telegram.unblock(house.anna)
    await house.breathe(5)

    assert not board.buttons
    assert house.sql("SELECT * FROM leftovers") == []


async def test_boards_of_a_chat_that_is_gone_are_nobodys_work(house: House) -> None:
    house.excused |= {"refusals", "errors"}
    house.telegram.faults.only = "sendMessage"
    house.say(house.anna, "/fifty")
    await house.breathe(5)
    house.telegram.faults.timeout_before_next = 20
    await house.breathe(91)  # called off, and nobody can be told
    house.telegram.kick(house.group)
    await house.breathe(60)

    assert house.table().status == "off"
    assert house.sql("SELECT count(*) FROM showings WHERE painted < board") == [(0,)]

    house.telegram.readd(house.group)
    await house.breathe(120)  # the painter still holds back from a Telegram out of reach
    assert live(house) == []


async def test_a_race_whose_chat_is_gone_is_over_on_every_private_board(house: House) -> None:
    house.excused.add("refusals")
    for person in (house.anna, house.ben):
        house.say(person, "/start", house.private(person))
    await house.open(house.anna, house.ben, kind="farkle20")
    house.group.bot_status = "kicked"  # without a word to the bot: it finds out by a 403

    await house.leave(house.anna, house.private(house.anna))
    await house.breathe(20)

    assert house.table().status == "void"
    stopped = house.says("stop.title", icon="🔥", game=text("farkle20.title"))
    for person in (house.anna, house.ben):
        assert house.heard(house.private(person))[-1].startswith(stopped)


async def test_a_game_chosen_in_a_group_of_the_past_opens_in_its_supergroup(house: House) -> None:
    small = house.telegram.group("Small", house.anna, house.ben, supergroup=False)
    house.say(house.anna, "/play", small)
    await house.breathe()
    menu = house.telegram.last(small, buttons=True)
    new = house.telegram.migrate(small)
    await house.breathe(3)

    house.telegram.press_data(house.anna, small, menu.id, "open:0:fifty")
    await house.breathe(5)

    assert house.table(new).status == "lobby"
    assert "join" in codes(house.telegram.last(new, buttons=True))


async def test_small_shares_can_be_shown_in_a_message(house: House) -> None:
    assert house.bot
    shown = house.bot.words.html(text("just", it=Percent(0.001)), "en")

    assert shown == "&lt;1%"
