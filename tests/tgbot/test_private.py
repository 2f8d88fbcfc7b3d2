"""What a person can ask for themselves, and that numbers never stand in the open (RULES 1.8)."""

from __future__ import annotations

import pytest
from telegram.ext import CommandHandler

from economy.ledger import mint, wallet
from games import registry
from tests.tgbot.conftest import House
from tgbot.playground import Message, Person


def commands(house: House) -> set[str]:
    """Every command the bot has a handler for."""
    assert house.bot
    handlers = [h for group in house.bot.application.handlers.values() for h in group]
    found = [h.commands for h in handlers if isinstance(h, CommandHandler)]
    return set().union(*found)


def labels(message: Message) -> list[str]:
    """The words on a message's buttons."""
    return [button["text"] for row in message.buttons for button in row]


async def give(house: House, person: Person, points: int) -> None:
    """Points out of nowhere."""
    assert house.bot
    ledger = house.bot.hall.ledger
    postings = {mint("fifty"): -points, wallet(person.id, "fifty"): points}
    at = int(house.telegram.now())
    await house.bot.clerk.run(lambda: ledger.book(f"given:{at}", "grant", postings, at=at))


# -- /start, /help -----------------------------------------------------------------------------


async def test_start_says_what_this_is_and_that_it_is_play_money(house: House) -> None:
    private = house.private(house.anna)

    answer = await house.ask(house.anna, "/start", private)

    assert answer == house.says("start.welcome", name="Anna", gift=10)
    assert "play money" in answer
    invite = house.telegram.last(private).buttons[0][0]
    assert invite["url"].startswith("https://t.me/dicehall_bot?startgroup=")
    assert house.coins(house.anna) == 10


async def test_everybody_is_answered_in_the_language_of_their_app(house: House) -> None:
    answer = await house.ask(house.cem, "/start", house.private(house.cem))

    assert answer == house.says("start.welcome", "de", name="Cem", gift=10)


async def test_start_in_a_group_offers_the_games(house: House) -> None:
    answer = await house.ask(house.anna, "/start")

    assert answer == house.says("start.hello_group")
    assert "🎲 Fifty!" in labels(house.board())


@pytest.mark.parametrize("place", ["private", "group"])
async def test_help_lists_only_commands_that_exist(house: House, place: str) -> None:
    chat = house.group if place == "group" else house.private(house.anna)

    answer = await house.ask(house.anna, "/help", chat)

    listed = [line[1:].split(" – ")[0] for line in answer.split("\n") if line.startswith("/")]
    at = "@dicehall_bot" if place == "group" else ""
    assert len(listed) >= 8
    assert all(name.endswith(at) for name in listed)
    assert {name.removesuffix(at) for name in listed} <= commands(house)


async def test_the_menus_at_telegram_list_only_commands_that_exist(house: House) -> None:
    menus = house.telegram.commands

    names = {command["command"] for menu in menus.values() for command in menu}

    assert len(names) >= 15
    assert names <= commands(house)
    assert {language for _, language in menus} == {"", "de", "en"}
    assert len(menus) == 9


async def test_every_game_has_its_command_in_the_menu(house: House) -> None:
    menus = [menu for (scope, _), menu in house.telegram.commands.items() if "group" in scope]

    names = [{command["command"] for command in menu} for menu in menus]

    assert len(names) == 3
    assert all({*registry()} <= menu for menu in names)


@pytest.mark.parametrize("place", ["private", "group"])
async def test_every_command_answers_something(house: House, place: str) -> None:
    chat = house.group if place == "group" else house.private(house.ben)
    for name in sorted(commands(house) - {"operator"}):  # which for others is not there
        before = len(house.written(chat))

        house.say(house.ben, f"/{name}", chat)
        await house.breathe(5)

        assert len(house.written(chat)) > before, name
        if place == "group" and house.sql("SELECT * FROM games WHERE status = 'lobby'"):
            house.say(house.ben, "/stop")
            await house.breathe(5)


async def test_an_unknown_command_is_left_to_others(house: House) -> None:
    heard = house.heard()

    house.say(house.anna, "/weather")
    await house.breathe()

    assert house.heard() == heard


async def test_the_rules_can_be_read_in_both_languages(house: House) -> None:
    english = await house.ask(house.anna, "/rules fifty")
    german = await house.ask(house.cem, "/rules fifty")

    assert english == house.says("fifty.rules")
    assert german == house.says("fifty.rules", "de")


async def test_the_rules_button_of_a_lobby_answers_the_presser_alone(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    heard = house.heard()

    toast = await house.press(house.cem, "📖")
    await house.breathe()

    assert toast == house.says("fifty.rules_short", "de")
    assert house.telegram.toasts(house.cem)[-1].alert
    assert house.heard() == heard


# -- /points -----------------------------------------------------------------------------------


async def test_points_in_private_tell_everything_one_owns(house: House) -> None:
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (8, 8, 8)})

    answer = await house.ask(house.anna, "/points", house.private(house.anna))

    lines = [
        house.says("points.ranked", amount="10 Knuddels", change="+10", rank=1, of=3),
        house.says("points.ranked", amount="2 Fifty! points", change="+2", rank=1, of=2),
    ]
    assert answer == house.says("points.title", name="Anna", owned="\n".join(lines))
    buttons = labels(house.telegram.last(house.private(house.anna)))
    assert buttons == ["📈 Chart", "📜 History", "🏆 Best lists"]


async def test_points_tell_the_change_of_the_last_seven_days(house: House) -> None:
    await house.ask(house.anna, "/start", house.private(house.anna))
    await house.away(8 * 24 * 3600)
    await house.stake(3)
    await house.open(house.anna, start=False)

    answer = await house.ask(house.anna, "/points", house.private(house.anna))

    assert house.says("points.ranked", amount="7 Knuddels", change="−3", rank=1, of=1) in answer


async def test_points_in_a_group_are_shown_to_the_presser_alone(house: House) -> None:
    await give(house, house.anna, 777)
    await house.ask(house.anna, "/start")

    answer = await house.ask(house.anna, "/points")
    heard = house.heard()
    hers = await house.press(house.anna, "👛")
    his = await house.press(house.ben, "👛")
    await house.breathe()

    assert answer == house.says("points.in_group")
    assert "777" in hers
    assert "777" not in his
    assert "10 Knuddels" in his
    assert house.telegram.toasts(house.anna)[-1].alert
    assert not any("777" in said for said in house.heard())
    assert house.heard() == heard


# -- /history ----------------------------------------------------------------------------------


async def test_history_tells_every_booking_newest_first(house: House) -> None:
    await house.stake(5)
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (8, 8, 8)})

    answer = await house.ask(house.anna, "/history", house.private(house.anna))

    told = [line.split(" ", 2)[2] for line in answer.split("\n")[1:]]
    assert sorted(told[:2]) == [
        "+4 Fifty! points · won in a game",
        "+8 Knuddels · won in a game",
    ]
    assert told[2:] == ["−5 Knuddels · stake", "+10 Knuddels · welcome gift"]
    assert "15.01. 09:0" in answer


async def test_history_has_pages_in_one_message(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/start", private)
    for _ in range(11):
        await give(house, house.anna, 1)
        await house.breathe()
    first = await house.ask(house.anna, "/history", private)
    page = house.telegram.last(private)

    await house.press(house.anna, "Older", page)
    await house.breathe()
    second, keys = page.text, labels(page)
    await house.press(house.anna, "◀️", page)
    await house.breathe()

    assert [len(text.split("\n")) - 1 for text in (first, second)] == [10, 2]
    assert "welcome gift" in second
    assert "welcome gift" not in first
    assert keys == [house.says("history.newer")]
    assert page.text == first
    assert house.telegram.last(private) is page


@pytest.mark.parametrize("command", ["/history", "/language", "/privacy"])
async def test_what_is_private_is_not_told_in_a_group(house: House, command: str) -> None:
    answer = await house.ask(house.cem, command)

    assert answer == house.says("refused.private_only", "de")


# -- /whois ------------------------------------------------------------------------------------


async def test_whois_tells_games_wins_and_the_best_throw(house: House) -> None:
    await house.stake(1)
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (20,)})

    anna = await house.ask(house.ben, "/whois Anna")
    cem = await house.ask(house.ben, "/whois Cem")

    assert anna.startswith("👤 Anna\n")
    for line in (house.says("whois.games", n=1), house.says("whois.wins", n=1)):
        assert line in anna
    assert house.says("whois.wins", n=0) in cem
    assert "1 + 19 = 20 > 15" in cem


async def test_a_profile_shows_fifty_points_only_from_100_on(house: House) -> None:
    await house.ask(house.anna, "/start")
    await give(house, house.anna, 99)
    few = await house.ask(house.ben, "/whois Anna")
    await house.breathe()
    await give(house, house.anna, 1)

    many = await house.ask(house.ben, "/whois Anna")

    assert "99" not in few
    assert house.says("game_points", n=100, game="Fifty!") in many


async def test_a_profile_never_shows_knuddels(house: House) -> None:
    await house.stake(5)
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9)})

    answer = await house.ask(house.ben, "/whois Anna")

    assert "Knuddel" not in answer


async def test_whois_by_reply_by_username_and_of_oneself(house: House) -> None:
    dora = house.telegram.person("Dora", username="DoraTheThrower")
    house.telegram.join(house.group, dora)
    said = house.say(dora, "/points")
    await house.breathe()

    by_reply = await house.ask(house.ben, "/whois", reply_to=said.id)
    by_name = await house.ask(house.ben, "/whois @dorathethrower")
    own = await house.ask(house.ben, "/whois")

    assert by_reply == by_name
    assert by_reply.startswith("👤 Dora\n")
    assert own.startswith("👤 Ben\n")


@pytest.mark.parametrize("name", ["Nobody", "@", "@nobody", "' OR 1=1 --", "%", "١"])
async def test_whois_of_somebody_the_bot_never_met(house: House, name: str) -> None:
    await house.ask(house.ben, "/start")

    answer = await house.ask(house.ben, f"/whois {name}")

    assert answer == house.says("refused.unknown_person")


# -- /language, /privacy -----------------------------------------------------------------------


async def test_language_switches_at_once_and_for_good(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/language", private)
    panel = house.telegram.last(private)

    toast = await house.press(house.anna, "Deutsch", panel)
    await house.breathe()
    answer = await house.ask(house.anna, "/points", private)

    assert toast == house.says("language.chosen", "de")
    assert panel.text == house.says("language.title", "de")
    line = {"amount": "10 Knuddels", "change": "+10", "rank": 1, "of": 1}
    assert house.says("points.ranked", "de", **line) in answer
    assert "in Klammern" in answer


async def test_the_chosen_language_outlives_the_app_and_a_restart(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/language", private)
    await house.press(house.anna, "Deutsch", house.telegram.last(private))
    house.telegram.language(house.anna, "fr")

    await house.away(10)
    answer = await house.ask(house.anna, "/language", private)

    assert answer == house.says("language.title", "de")


async def test_a_persons_language_changes_no_board(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/language", private)
    await house.press(house.anna, "Deutsch", house.telegram.last(private))

    await house.ask(house.anna, "/fifty")
    toast = await house.press(house.anna, "✅")

    assert house.says("lobby.hint") in house.board().text
    assert toast == house.says("lobby.joined", "de")


async def test_privacy_tells_what_is_kept_and_hides_a_name(house: House) -> None:
    private = house.private(house.anna)
    shown = await house.ask(house.anna, "/privacy", private)
    panel = house.telegram.last(private)

    await house.press(house.anna, "🙈", panel)
    await house.breathe()
    hidden = panel.text
    await house.press(house.anna, "🙂", panel)
    await house.breathe()

    assert shown == house.says("privacy.title", state=house.says("privacy.listed"))
    assert hidden == house.says("privacy.title", state=house.says("privacy.unlisted"))
    assert panel.text == shown


async def test_who_blocked_the_bot_and_comes_back_is_served_again(house: House) -> None:
    private = house.private(house.anna)
    await house.ask(house.anna, "/start", private)
    house.telegram.block(house.anna)
    await house.breathe()
    house.telegram.unblock(house.anna)

    answer = await house.ask(house.anna, "/language", private)

    assert answer == house.says("language.title")
    assert house.sql("SELECT reachable FROM people") == [(1,)]
