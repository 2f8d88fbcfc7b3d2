"""What every game promises in a chat, whatever its rules are (RULES 0)."""

from __future__ import annotations

from games import registry
from tests.tgbot.house import House
from tests.tgbot.playing import KINDS, codes, load, presses, tap, typed

CHARMS = [f"charm{n}" for n in range(1, 7)]


# -- lobby, rules, commands --------------------------------------------------------------------


@KINDS
async def test_every_lobby_has_join_start_leave_and_the_rules(house: House, kind: str) -> None:
    house.say(house.anna, f"/{kind}")
    await house.breathe()

    rules = {person: await house.press(person, "📖") for person in (house.anna, house.cem)}
    refused = await tap(house, house.anna, "start")
    joined = await tap(house, house.cem, "join")
    await house.breathe(2)
    left = await tap(house, house.cem, "leave")

    asked = ["james", f"here {house.table().id}", "rules", "leave"]
    assert codes(house.board()) == ["join", "start", "wait", *CHARMS, *asked]
    assert rules == {
        house.anna: house.says(f"{kind}.rules_short"),
        house.cem: house.says(f"{kind}.rules_short", "de"),
    }
    assert max(map(len, rules.values())) <= 200
    assert house.telegram.toasts(house.anna)[0].alert
    # a press that leads into the private chat shows no text
    assert joined == ("" if registry()[kind].own else house.says("lobby.joined", "de"))
    assert refused == house.says("refused.too_few", n=registry()[kind].seats[0])
    assert left == house.says("left.lobby", "de")


@KINDS
async def test_the_rules_are_read_in_the_readers_language(house: House, kind: str) -> None:
    english = await house.ask(house.anna, f"/rules {kind}")
    german = await house.ask(house.cem, f"/rules {kind.upper()}", house.private(house.cem))

    assert english == house.says(f"{kind}.rules")
    assert german == house.says(f"{kind}.rules", "de")


@KINDS
async def test_rules_alone_are_those_of_the_game_that_is_open_here(house: House, kind: str) -> None:
    other = next(another for another in registry() if another != kind)
    house.say(house.anna, f"/{kind}")
    await house.breathe()

    alone = await house.ask(house.ben, "/rules")
    named = await house.ask(house.ben, f"/rules {other}")

    assert alone == house.says(f"{kind}.rules")
    assert named == house.says(f"{other}.rules")


@KINDS
async def test_d_leave_and_stop_mean_the_game_of_this_chat(house: House, kind: str) -> None:
    for person in (house.anna, house.ben, house.cem):
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    other = house.telegram.group("Other", house.anna, house.ben)
    await house.open(house.anna, house.ben, house.cem, kind=kind)

    shown = await house.ask(house.anna, "/d")
    nothing = [await house.ask(house.anna, line, other) for line in ("/d", "/leave", "/stop")]
    await house.leave(house.cem)
    seated = house.table().people
    await typed(house, house.anna, "/stop")
    await house.breathe(3)

    assert house.telegram.bot.username in nothing[0]
    assert nothing == [nothing[0]] * 3
    assert shown != nothing[0]
    assert seated == [house.anna, house.ben]
    assert house.table().status == "stopped"


# -- whole games -------------------------------------------------------------------------------


@KINDS
async def test_a_whole_game_is_played_by_pressing_buttons_alone(house: House, kind: str) -> None:
    people = [house.anna, house.ben, house.cem]
    for person in people:
        house.say(person, "/start", house.private(person))
    await house.breathe(2)
    await house.stake(5)
    random = load(house, kind)
    await house.open(*people, kind=kind)
    game_id = house.table().id
    async for _ in presses(house, people, random):
        pass
    await house.breathe(3)

    assert house.table().status == "over"
    assert house.held("escrow", game_id) == 0
    assert sum(map(house.coins, people)) + house.jackpot() == 30
    assert sum(house.held("wallet", p.id, kind) for p in people) + house.jackpot(kind) == 6
    assert house.sql("SELECT count(*) FROM moves WHERE move = 'late'") == [(0,)]
