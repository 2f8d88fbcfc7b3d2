"""The bell: being told privately when a game opens in a chat (BOARDS, Lobby)."""

from __future__ import annotations

from tests.tgbot.house import House
from tests.tgbot.playing import labels, tap
from tgbot.people.bells import MOST_BELLS
from tgbot.playground import Person


async def started(house: House, *people: Person) -> None:
    """They write to the bot in private, which may write to them from now on."""
    for person in people:
        await house.ask(person, "/start", house.private(person))


async def opened(house: House, opener: Person, command: str = "/fifty") -> None:
    """A lobby that is called off for want of players after a while."""
    house.say(opener, command)
    await house.breathe(2)


async def empty(house: House) -> None:
    """The lobby here is called off."""
    await house.breathe(200)


def rings(house: House, person: Person) -> list[str]:
    """What the bell has told somebody."""
    return [said for said in house.heard(house.private(person)) if said.startswith("🔔")]


async def test_a_bell_rings_once_then_every_time_then_no_more(house: House) -> None:
    await started(house, house.ben)
    await opened(house, house.anna)
    once = await house.press(house.ben, "🔔")
    await empty(house)
    assert "🔔" in labels(house.board())  # the message that it was called off has one too

    for _ in range(2):
        await opened(house, house.anna)
        await empty(house)
    told_once = rings(house, house.ben)
    again = [await house.press(house.ben, "🔔") for _ in range(2)]
    for _ in range(2):
        await opened(house, house.anna)
        await empty(house)
    always = len(rings(house, house.ben))
    off = await house.press(house.ben, "🔔")
    await opened(house, house.anna)

    assert once == again[0] == house.says("bell.once")
    assert told_once == [
        house.says("bell.rings", chat="Round", name="Anna", icon="🎲", game="Fifty!", stake="free")
    ]
    assert (again[1], off) == (house.says("bell.always"), house.says("bell.off"))
    assert (always, len(rings(house, house.ben))) == (3, 3)


async def test_who_opens_a_game_hears_no_bell_of_it(house: House) -> None:
    await started(house, house.anna)
    await opened(house, house.anna)
    await house.press(house.anna, "🔔")
    await empty(house)

    await opened(house, house.anna)

    assert rings(house, house.anna) == []
    assert len(house.sql("SELECT * FROM bells")) == 1


async def test_who_cannot_be_written_to_is_led_to_the_private_chat_first(house: House) -> None:
    await opened(house, house.anna)
    (bell,) = [label for label in labels(house.board()) if label == "🔔"]
    query = house.telegram.press(house.cem, house.group, house.board().id, bell)
    await house.breathe()
    toast = house.telegram.toast(query)
    before = house.sql("SELECT * FROM bells")
    assert toast
    assert toast.url
    word = toast.url.partition("?start=")[2]

    answer = await house.ask(house.cem, f"/start {word}", house.private(house.cem))
    await empty(house)
    await opened(house, house.anna)

    assert (toast.text, before) == ("", [])  # Telegram's apps follow no link where a text is
    assert answer == house.says("bell.set_once", "de", chat="Round")
    assert len(rings(house, house.cem)) == 2


async def test_a_seat_is_taken_from_the_private_chat_by_members_alone(house: House) -> None:
    await started(house, house.ben, house.cem)
    await opened(house, house.anna)
    await house.press(house.ben, "🔔")
    await house.press(house.cem, "🔔")
    await empty(house)
    await opened(house, house.anna)
    house.telegram.leave(house.group, house.cem)

    await tap(house, house.ben, f"join {house.table().id}", chat=house.private(house.ben))
    await house.breathe()
    refused = await tap(house, house.cem, f"join {house.table().id}", chat=house.private(house.cem))

    assert house.table().people == [house.anna, house.ben]
    assert house.heard(house.private(house.ben))[-1] == house.says("bell.joined", chat="Round")
    assert refused == house.says("refused.no_member", "de")


async def test_privacy_shows_the_bells_and_takes_them_off(house: House) -> None:
    private = house.private(house.ben)
    await started(house, house.ben)
    await opened(house, house.anna)
    await house.press(house.ben, "🔔")

    shown = await house.ask(house.ben, "/privacy", private)
    await house.press(house.ben, "🔕 Round", house.telegram.last(private))
    await house.breathe()

    assert house.says("privacy.bells", state="", n=1).strip() in shown
    assert house.sql("SELECT * FROM bells") == []
    assert labels(house.telegram.last(private)) == [house.says("privacy.hide")]


async def test_a_bell_goes_with_who_blocks_the_bot_or_leaves_the_chat(house: House) -> None:
    await started(house, house.ben, house.cem)
    await opened(house, house.anna)
    await house.press(house.ben, "🔔")
    await house.press(house.cem, "🔔")

    house.telegram.block(house.ben)
    house.telegram.leave(house.group, house.cem)
    await house.breathe(2)

    assert house.sql("SELECT * FROM bells") == []


async def test_somebody_with_bells_in_many_chats_is_told_of_a_few_games(house: House) -> None:
    await started(house, house.ben)
    groups = [house.telegram.group(f"Group {n}", house.cem, house.ben) for n in range(9)]
    house.settings.lobbies_an_hour = 100
    await house.breathe(2)
    for group in groups:
        house.sql("INSERT INTO bells (chat_id, user_id, always) VALUES (?, ?, 0)", group.id,
                  house.ben.id)  # fmt: skip

    for group in groups:
        house.say(house.cem, "/fifty", group)
        await house.breathe(4)

    assert len(rings(house, house.ben)) == 6
    assert len(house.sql("SELECT * FROM bells")) == 3  # those still wait for their one time


async def test_a_chat_has_no_more_bells_than_can_be_told_at_once(house: House) -> None:
    await started(house, house.ben)
    await opened(house, house.anna)
    for n in range(MOST_BELLS):
        house.sql(
            "INSERT INTO bells (chat_id, user_id, always) VALUES (?, ?, 0)", house.group.id, n
        )

    assert await house.press(house.ben, "🔔") == house.says("bell.full", n=MOST_BELLS)
