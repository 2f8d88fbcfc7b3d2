"""A board that lies below much talk is sent anew: at the next one's turn, and by /board."""

from __future__ import annotations

from tests.tgbot.house import House
from tests.tgbot.playing import boards_with_keys, tap
from tgbot.outbound.latest import BURIED


async def talk(house: House, messages: int = BURIED) -> None:
    """They talk among themselves; privacy mode hides all of it but a command at the end."""
    for n in range(messages):
        house.say(house.cem, f"bla {n}")
    house.say(house.cem, "/points")
    await house.breathe(3)


async def begin(house: House) -> None:
    """A game of turns of several phases; Anna is to play, and has thrown once."""
    await house.open(house.anna, house.ben, kind="yahtzee")
    await tap(house, house.anna, "roll")
    await house.breathe(3)


async def test_a_buried_board_is_sent_anew_when_somebody_is_to_act(house: House) -> None:
    await begin(house)
    old = house.board()
    await talk(house)
    before = house.board().id

    await house.press(house.anna, "🎲", old)
    await house.breathe(5)

    assert house.board().id > before
    assert old.text == house.says("board.moved", it="🖐️ Yahtzee")
    assert [message.id for message in boards_with_keys(house)] == [house.board().id]


async def test_below_less_talk_a_board_is_edited(house: House) -> None:
    await begin(house)
    old = house.board()
    await talk(house, BURIED - 3)

    await house.press(house.anna, "🎲", old)
    await house.breathe(5)

    assert [message.id for message in boards_with_keys(house)] == [old.id]


async def test_a_buried_lobby_comes_up_again_with_who_joins(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    old = house.board()
    await talk(house)

    await house.press(house.ben, "✅", old)
    await house.breathe(3)

    assert house.board().id > old.id
    assert "Ben" in house.board().text
    assert old.text == house.says("board.moved", it="🎲 Fifty!")


async def test_board_brings_the_board_down(house: House) -> None:
    nothing = await house.ask(house.anna, "/board")
    alone = await house.ask(house.anna, "/board", house.private(house.anna))
    await begin(house)
    old = house.board()

    house.say(house.ben, "/board")
    await house.breathe(4)
    for _ in range(3):
        house.say(house.ben, "/board")
        await house.breathe(4)
    await house.breathe(40)

    assert nothing == house.says("refused.no_game_here", game="/play@dicehall_bot")
    assert alone == house.says("refused.no_game_here", game="/play")
    assert [message.id for message in boards_with_keys(house)] == [house.board().id]
    assert house.board().id > old.id
    assert "Anna’s turn" in house.board().text
    assert house.says("board.just_now") in house.heard()


async def test_board_in_private_shows_ones_own_board(house: House) -> None:
    private = house.private(house.ben)
    await house.ask(house.ben, "/farkle20", private)
    await house.breathe(2)
    old = house.telegram.last(private, buttons=True)

    house.say(house.ben, "/board", private)
    await house.breathe(3)

    assert house.telegram.last(private, buttons=True).id > old.id
