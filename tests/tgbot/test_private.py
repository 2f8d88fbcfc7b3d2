"""What a person can ask for themselves, and that numbers never stand in the open (RULES 1.8)."""

from __future__ import annotations

import pytest
from telegram.ext import CommandHandler

from economy.ledger import mint, wallet
from games import registry
from tests.tgbot.house import House
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

    assert answer == house.says("start.welcome", name="Anna", held="10 Knuddels")
    assert "play money" in answer
    invite = house.telegram.last(private).buttons[0][0]
    assert invite["url"].startswith("https://t.me/dicehall_bot?startgroup=")
    assert house.coins(house.anna) == 10


async def test_everybody_is_answered_in_the_language_of_their_app(house: House) -> None:
    answer = await house.ask(house.cem, "/start", house.private(house.cem))

    assert answer == house.says("start.welcome", "de", name="Cem", held="10 Knuddels")


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
    assert {f"board{at}", f"verify{at}"} <= {*listed}
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
    for name in sorted(commands(house)):
        before = len(house.written(chat))

        house.say(house.ben, f"/{name}", chat)
        await house.breathe(5)

        assert len(house.written(chat)) > before, name
        if place == "group" and house.sql("SELECT * FROM games WHERE status = 'lobby'"):
            house.say(house.ben, "/stop")
            await house.breathe(5)


@pytest.mark.parametrize("said", ["/weather", "/weather@other_bot", "/play@other_bot x"])
async def test_an_unknown_command_is_left_to_others(house: House, said: str) -> None:
    heard = house.heard()

    house.telegram.say(house.anna, house.group, said)
    if "@" in said:
        house.telegram.say(house.anna, house.private(house.anna), said)
    await house.breathe()

    assert house.heard() == heard
    assert house.heard(house.private(house.anna)) == []


@pytest.mark.parametrize("said", ["/weather@dicehall_bot", "/Weather@Dicehall_Bot now"])
async def test_an_unknown_command_to_this_bot_is_answered_with_a_hint(
    house: House, said: str
) -> None:
    in_group = await house.ask(house.anna, said)
    private = await house.ask(house.cem, said.partition("@")[0], house.private(house.cem))
    named = await house.ask(house.cem, said, house.private(house.cem))

    assert in_group == house.says("help.unknown", help="/help@dicehall_bot")
    assert private == named == house.says("help.unknown", "de", help="/help")


async def test_a_command_nobody_knows_changes_no_game(house: House) -> None:
    await house.begin(house.anna, house.ben)

    async with house.nothing_written():
        await house.ask(house.anna, "/weather")


async def test_rules_have_a_button_that_opens_the_game(house: House) -> None:
    await house.ask(house.anna, "/rules zilch")

    await house.press(house.ben, "▶️")
    await house.breathe(2)

    assert house.sql("SELECT kind, status FROM games") == [("zilch", "lobby")]


@pytest.mark.parametrize("kind", registry())
async def test_in_private_rules_offer_what_can_be_played_alone(house: House, kind: str) -> None:
    chat = house.private(house.anna)
    await house.ask(house.anna, "/rules", chat)
    await house.press(house.anna, registry()[kind].icon, house.telegram.last(chat))
    await house.breathe()
    page = house.telegram.last(chat)

    if not registry()[kind].solo:
        assert page.buttons == []
        return
    await house.press(house.anna, "▶️", page)
    await house.breathe(2)
    assert house.sql("SELECT kind, status FROM games") == [(kind, "running")]


async def test_the_rules_can_be_read_in_both_languages(house: House) -> None:
    english = await house.ask(house.anna, "/rules fifty", house.private(house.anna))
    german = await house.ask(house.cem, "/rules fifty", house.private(house.cem))

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

    told = [line.split(" ", 3)[3] for line in answer.split("\n")[1:]]
    assert sorted(told[:2]) == [
        "+4 Fifty! points · won in a game",
        "+8 Knuddels · won in a game",
    ]
    assert told[2:] == ["−5 Knuddels · stake", "+10 Knuddels · welcome gift"]
    assert "15 Jan, 09:0" in answer


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

    assert answer == house.says("refused.private_only")


# -- /whois ------------------------------------------------------------------------------------


async def test_whois_tells_games_wins_and_the_best_throw(house: House) -> None:
    await house.stake(1)
    await house.game({house.anna: (12, 12, 12), house.ben: (9, 9, 9), house.cem: (20,)})
    await house.breathe(60)  # the game has left no room for answers

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

    await house.ask(house.ben, "/fifty")
    toast = await house.press(house.anna, "✅")

    assert house.says("lobby.hint", command="d") in house.board().text
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

    kept, number = "privacy.title", str(house.anna.id)
    assert f"Your Telegram id: {number}\n" in shown  # which an operator's setting asks for
    assert shown == house.says(kept, id=number, state=house.says("privacy.listed"))
    assert hidden == house.says(kept, id=number, state=house.says("privacy.unlisted"))
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
