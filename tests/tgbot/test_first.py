from tests.tgbot.conftest import House


async def test_a_group_plays_a_staked_game(house: House) -> None:
    t = house.telegram
    for m in t.messages(house.group):
        print("MSG", m.text)
    await house.stake(5)
    await house.open(house.anna, house.ben, house.cem, start=False)
    print(house.board().text, house.board().buttons)
    house.rolls = [666 // 2]
    await house.press(house.anna, "▶️")
    await house.breathe(2)
    print(house.board().text, house.board().buttons)
    for r in range(3):
        for p in (house.anna, house.ben, house.cem):
            print(await house.throw(p, {0: "4", 1: "6", 2: "12"}[r]))
        await house.breathe(4)
        print(house.board().text)
    print(house.audit())
    house.say(house.anna, "/points", house.private(house.anna))
    await house.breathe(2)
    print(t.last(house.private(house.anna)).text)
    for c in t.log:
        print(c) if c.status != 200 else None
    for m in t.messages(house.group):
        print("MSG", m.id, m.text, bool(m.buttons))
    assert 0
