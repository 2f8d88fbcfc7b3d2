"""/settings: what the admins of a group decide, and that only they do."""

from __future__ import annotations

import pytest

from games import registry
from tests.tgbot.house import House
from tgbot.people.chat_settings import SETTINGS, Setting
from tgbot.playground import Person

WHAT = (
    "stake 0–101, language de|en, openers anyone|admins, games NAME, pace 75|100|150|200, "
    "topics all|here|not_here"
)


def settings(house: House) -> tuple[int, str, str, str]:
    """What the group's row says: stake, language, openers, topics."""
    ((stake, language, openers, topics),) = house.sql(
        "SELECT stake, language, openers, topics FROM chats WHERE chat_id = ?", house.group.id
    )
    return stake, language, openers, topics


async def panel(house: House, person: Person) -> str:
    """Somebody asks for the settings."""
    return await house.ask(person, "/settings")


# -- who ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", ["creator", "administrator"])
async def test_admins_change_settings(house: House, rank: str) -> None:
    admin = house.anna if rank == "creator" else house.ben
    house.telegram.promote(house.group, admin, rank)
    await panel(house, admin)

    toast = await house.press(admin, "5")

    assert toast == house.says("settings.saved")
    assert settings(house)[0] == 5


async def test_others_may_look_but_not_change(house: House) -> None:
    shown = await panel(house, house.ben)

    async with house.nothing_written():
        pressed = await house.press(house.ben, "20")
        typed = await house.ask(house.ben, "/settings stake 20")

    assert house.says("settings.openers_anyone") in shown
    assert pressed == typed == house.says("settings.admins_only")


async def test_the_right_is_checked_at_every_press(house: House) -> None:
    house.telegram.promote(house.group, house.ben)
    await panel(house, house.ben)
    await house.press(house.ben, "5")

    house.telegram.promote(house.group, house.ben, "member")
    toast = await house.press(house.ben, "20")

    assert toast == house.says("settings.admins_only")
    assert settings(house)[0] == 5


async def test_where_telegram_does_not_say_who_is_an_admin_nothing_changes(house: House) -> None:
    house.excused.add("refusals")
    await panel(house, house.anna)
    house.telegram.faults.only = "getChatMember"
    house.telegram.faults.error_5xx_next = 1

    toast = await house.press(house.anna, "20")

    assert toast == house.says("refused.admins_untold")
    assert settings(house)[0] == 0


async def test_settings_belong_to_a_group(house: House) -> None:
    answer = await house.ask(house.anna, "/settings", house.private(house.anna))

    assert answer == house.says("settings.in_group")


async def test_a_settings_button_forged_in_private_changes_nothing(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/start", private)

    async with house.nothing_written():
        toast = await house.forge(house.anna, "set:0:stake=5", house.telegram.last(private))

    assert toast == house.says("settings.in_group")


# -- stake -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stake", ["0", "1", "7", "101", "007"])
async def test_a_stake_from_0_to_101(house: House, stake: str) -> None:
    await house.stake(3)

    for typed in (f"stake {stake}", stake):
        answer = await house.ask(house.anna, f"/settings {typed}")

        assert settings(house)[0] == int(stake)
        shown = str(int(stake)) if int(stake) else house.says("settings.no_stake")
        assert house.says("settings.stake", it=shown) in answer


@pytest.mark.parametrize(
    "stake",
    ["102", "-5", "1e9", "٣", "1_0", "１０", "9" * 30, "", "5.0", "five", "+5", "0x5", "5 6", "²"],
)
async def test_any_other_stake_is_refused_with_words(house: House, stake: str) -> None:
    await house.stake(3)

    async with house.nothing_written():
        answer = await house.ask(house.anna, f"/settings stake {stake}")

    assert answer == house.says("settings.bad_stake", most=101)
    assert settings(house)[0] == 3


@pytest.mark.parametrize(
    "words", ["x", "language fr", "openers ben", "topics everywhere", "title x", "chat_id 5"]
)
async def test_what_cannot_be_set_is_refused_with_what_can(house: House, words: str) -> None:
    await panel(house, house.anna)

    async with house.nothing_written():
        answer = await house.ask(house.anna, f"/settings {words}")

    assert answer == house.says("settings.unknown", what=WHAT)


async def test_a_typed_setting_may_be_written_in_capitals(house: House) -> None:
    await house.ask(house.anna, "/settings Language DE")

    assert settings(house)[1] == "de"


async def test_the_panel_is_edited_in_place(house: House) -> None:
    await panel(house, house.anna)
    shown = house.board()
    messages = len(house.telegram.messages(house.group))

    for button in ("5", "20", "admins"):
        await house.press(house.anna, button, shown)
        await house.breathe(3)

    assert "20" in shown.text.split("\n")[1]
    assert shown.buttons[1][1]["text"].startswith("✓") or "✓ 20" in str(shown.buttons)
    assert len(house.telegram.messages(house.group)) == messages


async def test_choosing_what_is_chosen_changes_nothing(house: House) -> None:
    await house.stake(5)

    async with house.nothing_written():
        toast = await house.press(house.anna, "✓ 5")

    assert toast == house.says("settings.saved")
    assert house.log.said("ERROR") == []


# -- openers -----------------------------------------------------------------------------------


async def test_where_only_admins_open_members_are_told(house: House) -> None:
    await house.ask(house.anna, "/settings openers admins")
    await house.ask(house.anna, "/play")

    async with house.nothing_written():
        pressed = await house.press(house.ben, "🎲 Fifty!")
        typed = await house.ask(house.ben, "/fifty")
        said = await house.ask(house.ben, "James Fifty", reply_to=house.board().id)

    assert {pressed, typed, said} == {house.says("refused.admins_open")}
    await house.ask(house.anna, "/fifty")
    assert house.table().opener == house.anna.id


async def test_where_only_admins_open_again_is_for_them_too(house: House) -> None:
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9)})
    result = house.board()
    await house.ask(house.anna, "/settings openers admins")

    refused = await house.press(house.ben, "🔁", result)
    opened = await house.press(house.anna, "🔁", result)

    assert refused == house.says("refused.admins_open")
    assert opened == house.says("lobby.opened_in")


# -- topics ------------------------------------------------------------------------------------


async def forum(house: House) -> tuple[int, int]:
    """The house moves into a forum with two topics."""
    house.group = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    topics = house.telegram.topic(house.group, "Dice"), house.telegram.topic(house.group, "Talk")
    await house.breathe()
    return topics


async def test_games_only_in_allowed_topics(house: House) -> None:
    dice, talk = await forum(house)
    await house.ask(house.anna, "/settings topics here", topic=dice)

    refused = await house.ask(house.ben, "/fifty", topic=talk)
    nowhere = await house.ask(house.ben, "/fifty")
    house.say(house.ben, "/fifty", topic=dice)
    await house.breathe()

    assert refused == nowhere == house.says("refused.topic")
    assert house.sql("SELECT topic FROM games") == [(dice,)]


async def test_topics_by_button(house: House) -> None:
    dice, talk = await forum(house)
    await house.ask(house.anna, "/settings", topic=talk)

    await house.press(house.anna, house.says("settings.topics_here"))
    await house.breathe()
    here = settings(house)[3]
    await house.press(house.anna, house.says("settings.topics_all"))

    assert here == str(talk)
    assert settings(house)[3] == ""
    assert dice != talk


async def test_several_topics_and_one_taken_back(house: House) -> None:
    dice, talk = await forum(house)
    for topic in (dice, talk):
        await house.ask(house.anna, "/settings topics here", topic=topic)

    await house.ask(house.anna, "/settings topics not_here", topic=dice)

    assert settings(house)[3] == str(talk)


# -- language ----------------------------------------------------------------------------------


async def test_the_language_of_a_group_is_that_of_its_boards(house: House) -> None:
    await panel(house, house.anna)

    await house.press(house.anna, "Deutsch")
    await house.ask(house.anna, "/fifty")
    toast = await house.press(house.ben, "✅")

    assert house.says("lobby.free", "de") in house.board().text
    assert toast == house.says("lobby.joined", "en")


async def test_a_game_keeps_the_language_it_was_opened_in_or_takes_the_new_one_whole(
    house: House,
) -> None:
    await house.open(house.anna, house.ben, start=False)
    await house.ask(house.anna, "/settings language de")

    await house.press(house.anna, "▶️", house.telegram.messages(house.group)[3])
    await house.breathe(3)

    text = house.board().text
    assert ("limit" in text) != ("Grenze" in text)


# -- games and times -----------------------------------------------------------------------------


async def test_a_game_that_is_not_allowed_is_not_opened_here(house: House) -> None:
    await panel(house, house.anna)
    await house.press(house.anna, "✓ 🏦")

    refused = await house.ask(house.ben, "/zilch")
    await house.ask(house.ben, "/fifty")

    assert refused == house.says("refused.game_here", game="Zilch")
    assert house.table().opener == house.ben.id


async def test_one_game_at_least_has_to_stay(house: House) -> None:
    for kind in registry():
        said = await house.ask(house.anna, f"/settings games {kind}")

    assert said == house.says("settings.one_game")


async def test_the_time_to_play_is_the_groups(house: House) -> None:
    await house.ask(house.anna, "/settings pace 200")
    await house.begin(house.anna, house.ben)

    ends = next(e for e in house.board().entities if e["type"] == "date_time")["unix_time"]
    assert 45 <= ends - house.board().date <= 51


async def test_a_group_without_topics_reads_of_none(house: House) -> None:
    shown = await house.ask(house.anna, "/settings")

    assert "Topics" not in shown


async def test_a_setting_is_one_declaration_needs_no_column_and_follows_the_group(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `Setting` takes any words; these are there already.
    monkeypatch.setitem(SETTINGS, "topics", Setting("topics", ("all", "here")))
    monkeypatch.setattr("tgbot.people.chats.COLUMNS", ("stake", "language"))
    await panel(house, house.anna)

    toast = await house.press(house.anna, house.says("settings.topics_here"))

    assert toast == house.says("settings.saved")
    assert house.bot
    chats, clerk = house.bot.hall.chats, house.bot.clerk
    found = await clerk.run(lambda: chats.settings(house.group.id))
    assert (found.value("topics"), found.topics) == ("here", ())

    await clerk.run(lambda: chats.moved(house.group.id, -4711))
    assert (await clerk.run(lambda: chats.settings(-4711))).value("topics") == "here"
    assert (await clerk.run(lambda: chats.settings(-1))).value("topics") == "all"
