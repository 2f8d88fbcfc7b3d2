"""The board was deleted: a new one is sent, the game goes on and settles once."""

from __future__ import annotations

from tests.tgbot.house import POOLS, House
from tests.tgbot.playing import KINDS, load, painted


async def test_a_deleted_board_comes_back_and_the_game_settles_once(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.begin(house.anna, house.ben)
    first = house.board()

    house.telegram.delete(house.group, first.id)
    await house.score(house.anna, "4+20", 10)
    await house.breathe(9)
    again = house.board()
    for pool, person in ((POOLS[0], house.ben), *((p, x) for p in POOLS[1:]
                                                  for x in (house.anna, house.ben))):  # fmt: skip
        await house.score(person, pool, 10 if person is house.anna else 9)
        await house.breathe(2)

    assert again.id > first.id
    assert "✅ Anna" in again.text
    assert house.table().status == "over"
    assert house.sql("SELECT count(*) FROM bookings WHERE reason = 'game'") == [(1,)]


async def test_a_deleted_lobby_comes_back_when_somebody_presses_it(strict_house: House) -> None:
    house = strict_house
    house.excused.add("refusals")
    await house.ask(house.anna, "/fifty")
    data = house.board().buttons[0][0]["callback_data"]
    old = house.board()
    house.telegram.delete(house.group, old.id)

    toast = await house.forge(house.ben, data, old)
    await house.breathe(5)
    new = house.board()
    await house.press(house.ben, "✅")

    assert toast == house.says("refused.stale")
    assert new.id > old.id
    assert house.table().people == [house.anna, house.ben]


@KINDS
async def test_every_board_of_every_game_comes_back(house: House, kind: str) -> None:
    house.excused.add("refusals")
    people = [house.anna, house.ben, house.cem]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    await house.open(*people, kind=kind)
    await painted(house)
    game_id = house.table().id

    for chat in (house.group, *map(house.private, people if kind == "farkle20" else ())):
        board = house.telegram.last(chat)
        house.telegram.delete(chat, board.id)
        await house.forge(chat.person or house.anna, f"{game_id}:1:roll", board)
        await house.breathe(5)
        assert house.telegram.last(chat).id > board.id
    moves = house.sql("SELECT count(*) FROM moves WHERE seat >= 0")
    load(house, kind)
    await house.breathe(45 * 60)

    assert moves == [(0,)]

    assert house.table().status == "over"
    assert house.held("escrow", game_id) == 0
    assert len(house.sql("SELECT * FROM bookings WHERE key LIKE 'settle:%'")) == 1
