"""RULES 0: opening, joining, leaving, waiting and starting."""

from __future__ import annotations

import hashlib
import re

import pytest

from games.fifty import rules
from tests.tgbot.house import House
from tests.tgbot.playing import labels
from tgbot.playground import Person

# -- opening ----------------------------------------------------------------------------------


async def test_opening_a_free_game_is_joining_it(house: House) -> None:
    house.say(house.anna, "/fifty")
    await house.breathe()

    assert house.table().people == [house.anna]
    assert "Anna" in house.board().text


async def test_for_a_staked_game_joining_is_asked(house: House) -> None:
    await house.stake(5)
    await house.ask(house.anna, "/fifty")

    assert house.says("lobby.empty") in house.board().text
    assert house.table().people == []
    assert house.coins(house.anna) == 10


async def test_a_second_fifty_points_to_the_one_that_is_there(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    board = house.board()

    answer = await house.ask(house.ben, "/fifty")

    assert answer == house.says("refused.busy_lobby", game="Fifty!")
    assert "/stop@dicehall_bot" in answer
    assert house.telegram.last(house.group).reply_to is board
    assert len(house.sql("SELECT id FROM games")) == 1


async def test_a_second_fifty_while_one_runs_is_not_asked_to_join(house: House) -> None:
    await house.begin(house.anna, house.ben)

    answer = await house.ask(house.cem, "/fifty")

    assert answer == house.says("refused.busy", game="Fifty!")


async def test_a_press_while_a_game_is_open_is_answered_by_a_toast_alone(house: House) -> None:
    # thirty people pressing Again must not fill the chat
    await house.ask(house.anna, "/play")
    menu = house.board()
    await house.press(house.anna, "🎲 Fifty!", menu)
    await house.breathe(5)
    heard = house.heard()

    toast = await house.press(house.ben, "🎲 Fifty!", menu)

    await house.breathe(5)
    assert toast == house.says("refused.busy_lobby", game="Fifty!")
    assert house.heard() == heard


async def test_the_menu_of_play_opens_a_game(house: House) -> None:
    await house.ask(house.ben, "/play")

    toast = await house.press(house.ben, "🎲 Fifty!")

    await house.breathe()
    assert toast == house.says("lobby.opened_in")
    assert house.table().people == [house.ben]


async def test_james_fifty_opens_it_where_the_bot_can_read(house: House) -> None:
    house.say(house.anna, "James Fifty!")
    await house.breathe()
    assert house.sql("SELECT * FROM games") == []

    house.telegram.privacy = False
    house.say(house.anna, "james fifty please")
    await house.breathe()

    assert house.table().opener == house.anna.id


@pytest.mark.parametrize(
    "said", ["I say: James,  Fifty!", "shall we? james ,fifty", "hello James\tFifty please"]
)
async def test_1_1_james_fifty_opens_it_anywhere_in_a_sentence(house: House, said: str) -> None:
    house.telegram.privacy = False

    house.say(house.anna, said)
    await house.breathe()

    assert house.table().opener == house.anna.id


async def test_1_1_words_that_only_look_like_it_open_nothing(house: House) -> None:
    house.telegram.privacy = False

    for said in ("James Fiftyone", "Sir-James: fifty", "BigJames Fifty"):
        house.say(house.anna, said)

    await house.breathe()
    assert house.sql("SELECT * FROM games") == []


async def test_james_fifty_as_a_reply_reaches_the_bot(house: House) -> None:
    greeting = house.board()

    house.say(house.anna, "James Fifty", reply_to=greeting.id)

    await house.breathe()
    assert house.table().opener == house.anna.id


async def test_alone_with_the_bot_it_says_that_it_takes_company(house: House) -> None:
    private = house.private(house.anna)

    answer = await house.ask(house.anna, "/fifty", private)

    assert answer == house.says("start.group")
    assert house.sql("SELECT * FROM games") == []


# -- who ---------------------------------------------------------------------------------------


async def test_the_welcome_gift_comes_once_and_before_the_first_stake_check(house: House) -> None:
    await house.stake(10)
    await house.ask(house.anna, "/fifty")

    toast = await house.press(house.ben, "✅")
    await house.press(house.ben, "🚪")
    await house.ask(house.ben, "/points", house.private(house.ben))

    assert toast == house.says("lobby.joined_stake", stake="10 Knuddels")
    assert house.coins(house.ben) == 10
    gifts = house.sql("SELECT key FROM bookings WHERE reason = 'gift' ORDER BY key")
    assert gifts == [(f"gift:{house.anna.id}",), (f"gift:{house.ben.id}",)]


async def test_the_bot_greets_with_games_and_rules_when_it_is_added(house: House) -> None:
    group = house.telegram.group("Neu", house.cem, house.anna)

    await house.breathe()

    greeting = house.telegram.last(group)
    assert greeting.text == house.says("start.hello_group", "de")
    buttons = [button["text"] for row in greeting.buttons for button in row]
    assert {"🎲 Fifty!", house.says("rules.button", "de")} <= {*buttons}


# -- joining -----------------------------------------------------------------------------------


async def test_join_by_typing_d_plus_as_the_board_says(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    assert house.says("lobby.hint", command="d") in house.board().text

    house.say(house.ben, "/d +")
    house.say(house.cem, "/join")
    await house.breathe(3)

    assert house.table().people == [house.anna, house.ben, house.cem]
    assert "Anna, Ben, Cem" in house.board().text


async def test_what_opens_joins_leaves_and_stops_a_game_may_begin_with_a_bang(house: House) -> None:
    async def said(person: Person, word: str) -> list[Person]:
        house.say(person, word, reply_to=house.board().id)
        await house.breathe(3)
        return house.table().people

    assert await said(house.anna, "!fifty") == [house.anna]
    assert await said(house.ben, "!join") == [house.anna, house.ben]
    assert await said(house.ben, "!leave") == [house.anna]
    assert await said(house.cem, "!join") == [house.anna, house.cem]
    assert await said(house.cem, "!remove") == [house.anna]
    await said(house.ben, "!JOIN")
    await said(house.anna, "!start")
    assert house.table().status == "running"
    await said(house.anna, "!stop")
    assert house.table().status == "stopped"


async def test_join_by_a_bare_d_plus_in_reply_to_the_board(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    board = house.board()
    house.say(house.cem, "hello")

    house.telegram.say(house.ben, house.group, "/d +", reply_to=board.id)

    await house.breathe()
    assert house.table().people == [house.anna, house.ben]


async def test_typed_joining_where_nothing_is_open_says_how_to_open(house: House) -> None:
    async with house.nothing_written():
        answer = await house.ask(house.ben, "/d +")

    assert answer == house.says("refused.no_game_here", game="/play@dicehall_bot")


async def test_joining_moves_the_stake_into_escrow_and_leaving_returns_it(house: House) -> None:
    await house.stake(4)
    await house.ask(house.anna, "/fifty")

    await house.press(house.ben, "✅")
    inside = (house.coins(house.ben), house.held("escrow", house.table().id))
    toast = await house.press(house.ben, "🚪")

    assert inside == (6, 4)
    assert toast == house.says("left.lobby_stake")
    assert (house.coins(house.ben), house.held("escrow", house.table().id)) == (10, 0)
    assert house.table().people == []


async def test_who_left_a_lobby_may_join_again_and_pays_again(house: House) -> None:
    await house.stake(4)
    await house.ask(house.anna, "/fifty")

    for button in ("✅", "🚪", "✅"):
        await house.press(house.ben, button)

    assert house.table().people == [house.ben]
    assert (house.coins(house.ben), house.held("escrow", house.table().id)) == (6, 4)


async def test_joining_twice_is_refused_and_costs_one_stake(house: House) -> None:
    await house.stake(4)
    await house.ask(house.anna, "/fifty")
    await house.press(house.ben, "✅")

    async with house.nothing_written():
        toast = await house.press(house.ben, "✅")
        answer = await house.ask(house.ben, "/d +")

    assert {toast, answer} == {house.says("refused.joined")}
    assert house.coins(house.ben) == 6


async def test_who_cannot_pay_is_told_what_is_missing_in_an_alert(house: House) -> None:
    await house.ask(house.ben, "/points", house.private(house.ben))
    await house.stake(12)
    await house.ask(house.anna, "/fifty")

    async with house.nothing_written():
        toast = await house.press(house.ben, "✅")

    money = {"stake": "12 Knuddels", "held": "10 Knuddels", "missing": "2 Knuddels"}
    assert toast == house.says("refused.poor", **money)
    assert house.telegram.toasts(house.ben)[-1].alert
    assert house.table().people == []


async def test_a_stake_that_sits_in_one_game_cannot_pay_for_another(house: House) -> None:
    other = house.telegram.group("Other", house.anna, house.ben)
    for group in (house.group, other):
        await house.ask(house.anna, "/settings stake 10", group)
        await house.ask(house.anna, "/fifty", group)

    first = await house.press(house.ben, "✅", house.telegram.last(house.group))
    second = await house.press(house.ben, "✅", house.telegram.last(other))

    assert first == house.says("lobby.joined_stake", stake="10 Knuddels")
    missing = {"stake": "10 Knuddels", "held": "0 Knuddels", "missing": "10 Knuddels"}
    assert second == house.says("refused.poor", **missing)


async def test_what_somebody_lacks_is_not_told_in_the_open(house: House) -> None:
    await house.stake(50)
    house.say(house.anna, "/fifty")
    await house.breathe()

    said = [await house.ask(house.ben, line) for line in ("/d +", "/join")]

    assert said == [house.says("refused.poor_open", stake="50 Knuddels")] * 2
    assert not any("10" in line for line in said)


async def test_a_person_sits_in_several_games_each_stake_held_separately(house: House) -> None:
    other = house.telegram.group("Other", house.anna, house.ben)
    for group in (house.group, other):
        await house.ask(house.anna, "/settings stake 4", group)
        await house.ask(house.anna, "/fifty", group)
        await house.press(house.ben, "✅", house.telegram.last(group))

    await house.press(house.ben, "🚪", house.telegram.last(other, buttons=True))

    escrows = [house.held("escrow", house.table(group).id) for group in (house.group, other)]
    assert (house.coins(house.ben), escrows) == (6, [4, 0])


async def test_joining_late_is_refused(house: House) -> None:
    await house.open(house.anna, house.ben, start=False)
    lobby = house.board()
    await house.press(house.anna, "▶️")

    async with house.nothing_written():
        toast = await house.forge(house.cem, f"{house.table().id}:0:join", lobby)
        answer = await house.ask(house.cem, "/d +")

    assert toast == house.says("refused.started", "de")
    assert answer == house.says("refused.started")


async def test_a_full_table_starts_at_once_and_the_next_one_is_told(house: House) -> None:
    people = house.friends(21)
    await house.stake(1)
    await house.ask(house.anna, "/fifty")
    lobby = house.board()
    toasts = [await house.press(person, "✅", lobby) for person in people[:20]]

    late = await house.forge(people[20], f"{house.table().id}:0:join", lobby)
    await house.breathe(3)

    assert toasts == [house.says("lobby.joined_stake", stake="1 Knuddel")] * 20
    assert late == house.says("refused.started")
    assert (house.table().status, len(house.table().people)) == ("running", 20)


async def test_whoever_left_cannot_come_back_into_a_running_game(house: House) -> None:
    await house.open(house.anna, house.ben, house.cem)
    await house.ask(house.cem, "/leave")

    async with house.nothing_written():
        await house.ask(house.cem, "/d +")
        typed = await house.ask(house.cem, "/d 4")
        toast = await house.press(house.cem, "d4")

    assert toast == house.says("fifty.refused.gone", "de")
    assert typed == house.says("fifty.refused.gone")


# -- starting ----------------------------------------------------------------------------------


async def test_1_5_what_each_place_would_get_is_told_once_enough_sit_there(house: House) -> None:
    await house.stake(5)
    await house.ask(house.anna, "/fifty")
    await house.press(house.ben, "✅")
    await house.breathe(3)
    alone = house.board().text

    await house.press(house.anna, "✅")
    await house.breathe(3)

    assert "🥇" not in alone
    assert "Pot 10 Knuddels → 🥇\u00a07 🥈\u00a03" in house.board().text


async def test_0_the_opener_starts_at_once(house: House) -> None:
    await house.open(house.ben, house.cem, start=False)

    toast = await house.press(house.ben, "▶️")

    assert toast == house.says("lobby.started")
    assert house.table().status == "running"


async def test_0_it_starts_when_everyone_who_sits_has_pressed_start(house: House) -> None:
    (dora,) = house.friends(1)
    await house.stake(1)
    await house.ask(house.anna, "/fifty")
    for person in (house.ben, house.cem, dora):
        await house.press(person, "✅")
    async with house.nothing_written():
        (eva,) = house.friends(1)
        onlooker = await house.press(eva, "▶️")

    first = await house.press(house.cem, "▶️")
    twice = await house.press(house.cem, "▶️")
    await house.breathe(3)
    label = house.says("lobby.start_ready", n=1, of=3)
    shown = label in [key["text"] for row in house.board().buttons for key in row]
    before = house.table().status
    await house.press(house.ben, "▶️")
    last = await house.press(dora, "▶️")

    assert onlooker == house.says("refused.not_seated")
    assert first == twice == house.says("lobby.ready", "de", n=1, of=3)
    assert (shown, before) == (True, "lobby")
    assert (last, house.table().status) == (house.says("lobby.started"), "running")


async def test_0_when_the_one_who_had_not_pressed_gets_up_it_starts(house: House) -> None:
    await house.stake(1)
    await house.ask(house.anna, "/fifty")
    for person in (house.ben, house.cem, *house.friends(1)):
        await house.press(person, "✅")
    for person in (house.ben, house.cem):
        await house.press(person, "▶️")

    await house.press(house.table().people[2], "🚪")

    assert (house.table().status, len(house.table().people)) == ("running", 2)


@pytest.mark.parametrize("rank", ["creator", "administrator"])
async def test_an_admin_starts_what_somebody_else_opened(house: House, rank: str) -> None:
    admin = house.anna if rank == "creator" else house.cem
    house.telegram.promote(house.group, admin, rank)
    await house.open(house.ben, house.cem, start=False)

    await house.press(admin, "▶️")

    assert house.table().status == "running"


async def test_too_few_cannot_be_started(house: House) -> None:
    await house.ask(house.anna, "/fifty")

    async with house.nothing_written():
        toast = await house.press(house.anna, "▶️")

    assert toast == house.says("refused.too_few", n=2)


async def test_too_few_at_the_end_call_it_off_and_every_stake_goes_back(house: House) -> None:
    await house.stake(10)
    await house.ask(house.anna, "/fifty")
    await house.press(house.ben, "✅")
    assert house.coins(house.ben) == 0

    await house.breathe(95)

    assert house.table().status == "off"
    assert house.coins(house.ben) == 10
    board = house.board().text
    assert house.says("off.title", icon="🎲", game="Fifty!") in board
    assert house.says("off.stake") in board


async def test_0_with_too_few_it_waits_90_s(house: House) -> None:
    await house.ask(house.anna, "/fifty")

    await house.breathe(85)
    before = house.table().status
    await house.breathe(8)

    assert (before, house.table().status) == ("lobby", "off")


async def test_0_an_empty_lobby_goes_away_quietly(house: House) -> None:
    await house.stake(5)
    await house.ask(house.anna, "/fifty")
    board, heard = house.board(), len(house.heard())

    await house.breathe(95)

    assert house.table().status == "off"
    assert len(house.heard()) == heard
    assert board.text == house.says("off.empty", icon="🎲", game="Fifty!")


async def test_0_what_is_called_off_is_told_once(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    await house.breathe(95)

    told = house.says("off.title", icon="🎲", game="Fifty!")
    assert [told in text for text in house.heard()].count(True) == 1


async def test_0_with_enough_it_starts_30_s_after_the_last_new_one(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    await house.breathe(5)
    await house.press(house.ben, "✅")
    await house.breathe(25)
    await house.press(house.cem, "✅")

    await house.breathe(28)
    before = house.table().status
    await house.breathe(4)

    assert (before, house.table().status) == ("lobby", "running")


async def test_0_who_comes_and_goes_holds_no_lobby_open(house: House) -> None:
    await house.open(house.anna, house.ben, house.cem, start=False)
    await house.breathe(20)

    for button in ("🚪", "✅"):
        await house.press(house.cem, button)
    await house.breathe(12)

    assert house.table().status == "running"


async def test_0_when_too_few_are_left_it_waits_for_others_again(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    await house.breathe(5)
    await house.press(house.ben, "✅")
    await house.breathe(20)
    await house.press(house.ben, "🚪")

    await house.breathe(45)
    before = house.table().status
    await house.breathe(25)

    assert (before, house.table().status) == ("lobby", "off")


async def test_0_who_sits_adds_a_minute_at_most_until_ten(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    opened, due = house.table().opened_at, house.table().due_at

    async with house.nothing_written():
        onlooker = await house.press(house.ben, "⏳")
    toasts = [await house.press(house.anna, "⏳") for _ in range(9)]
    last = await house.press(house.anna, "⏳")

    assert onlooker == house.says("refused.not_seated")
    assert toasts == [house.says("lobby.longer")] * 9
    assert last == house.says("refused.waits_most", n=10)
    assert (due - opened < 95, house.table().due_at) == (True, opened + 600)


async def test_the_board_counts_down_to_the_new_end(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    await house.breathe(20)

    await house.press(house.ben, "✅")
    await house.breathe(3)

    closes = next(e for e in house.board().entities if e["type"] == "date_time")
    assert closes["unix_time"] == house.table().due_at


async def test_the_time_of_a_lobby_runs_from_the_delivery_of_its_board(house: House) -> None:
    house.telegram.faults.flood_chat = house.group.id
    house.telegram.faults.flood_retry_after = 20
    house.telegram.faults.flood_next = 1
    house.excused.add("refusals")
    house.say(house.anna, "/fifty")

    await house.breathe(105)
    before = house.table().status
    await house.breathe(8)

    assert (before, house.table().status) == ("lobby", "off")


# -- stake and options -------------------------------------------------------------------------


async def test_the_default_is_a_free_game(house: House) -> None:
    await house.ask(house.anna, "/fifty")

    assert house.sql("SELECT stake FROM games") == [(0,)]
    assert f"Fifty! · {house.says('lobby.free')} · 2–20 players" in house.board().text
    assert house.coins(house.anna) == 10


async def test_a_change_of_the_stake_counts_from_the_next_lobby(house: House) -> None:
    await house.stake(3)
    await house.ask(house.anna, "/fifty")
    await house.stake(7)

    await house.press(house.ben, "✅", house.telegram.messages(house.group)[-3])
    await house.breathe(95)
    await house.ask(house.anna, "/fifty")

    assert house.sql("SELECT stake FROM games ORDER BY opened_at") == [(3,), (7,)]
    assert house.sql("SELECT amount FROM postings p JOIN accounts a ON a.id = p.account_id "
                     "WHERE a.kind = 'escrow' ORDER BY p.id") == [(3,), (-3,)]  # fmt: skip


async def test_stake_and_options_stand_in_the_first_row(house: House) -> None:
    await house.stake(3)

    await house.ask(house.anna, "/fifty")

    ((stake, options, version, secret, nonce),) = house.sql(
        "SELECT stake, options, version, length(secret), length(nonce) FROM games"
    )
    assert (stake, version, secret, nonce) == (3, rules.VERSION, 0, 32)
    assert '"lobby_s": 30' in options


async def test_7_the_lobby_shows_all_of_its_seal_before_anybody_joins(house: House) -> None:
    await house.ask(house.anna, "/fifty")

    answer = await house.ask(house.ben, "/verify")

    ((shown,),) = [re.findall(r"\b[0-9a-f]{64}\b", house.board().text)]
    ((game_id, secret),) = house.secrets().items()
    assert shown == hashlib.sha256(secret + f"{game_id}:fifty:{rules.VERSION}".encode()).hexdigest()
    assert shown in answer


# -- topics ------------------------------------------------------------------------------------


async def test_one_game_per_topic(house: House) -> None:
    forum = house.telegram.group("Forum", house.anna, house.ben, forum=True)
    red, blue = (house.telegram.topic(forum, name) for name in ("Red", "Blue"))
    await house.breathe()

    for topic in (red, blue, None):
        house.say(house.anna, "/fifty", forum, topic=topic)
    house.say(house.ben, "/fifty", forum, topic=red)
    await house.breathe(5)

    games = house.sql("SELECT topic, count(*) FROM games GROUP BY topic ORDER BY topic")
    assert games == [(0, 1), (red, 1), (blue, 1)]
    answer = house.telegram.last(forum)
    assert (answer.text, answer.topic) == (house.says("refused.busy_lobby", game="Fifty!"), red)


# -- again -------------------------------------------------------------------------------------


async def test_again_seats_who_presses_and_mentions_the_others(house: House) -> None:
    await house.stake(2)
    await house.game({house.anna: (14, 20, 12), house.ben: (12, 20, 12), house.cem: (10, 9, 8)})
    coins = house.coins(house.ben)
    assert "🔁 Again · 2" in labels(house.board())

    toast = await house.press(house.ben, "🔁")
    await house.breathe()

    asked: set[Person] = {
        house.telegram.people[entity["user"]["id"]]
        for entity in house.board().entities
        if entity["type"] == "text_mention"
    }
    assert toast == house.says("lobby.joined_stake", stake="2 Knuddels")
    assert asked == {house.anna, house.cem}
    assert house.table().people == [house.ben]
    assert house.coins(house.ben) == coins - 2


async def test_again_takes_no_stake_that_its_button_did_not_say(house: House) -> None:
    await house.stake(2)
    await house.game({house.anna: (14, 20, 12), house.ben: (12, 20, 12)})
    result, coins = house.board(), house.coins(house.ben)
    await house.stake(3)

    toast = await house.press(house.ben, "🔁", result)

    assert toast == house.says("lobby.opened")
    assert (house.table().stake, house.table().people) == (3, [])
    assert house.coins(house.ben) == coins


async def test_again_starts_as_soon_as_all_of_them_are_in(house: House) -> None:
    await house.game({house.anna: (14, 20, 12), house.ben: (12, 20, 12), house.cem: (10, 9, 8)})
    await house.press(house.ben, "🔁")
    await house.breathe()

    await house.press(house.anna, "✅")
    before = house.table().status
    await house.press(house.cem, "✅")

    assert (before, house.table().status) == ("lobby", "running")


async def test_again_stops_asking_those_who_have_joined(house: House) -> None:
    await house.game({house.anna: (14, 20, 12), house.ben: (12, 20, 12), house.cem: (10, 9, 8)})
    await house.press(house.ben, "🔁")
    await house.breathe()

    await house.press(house.anna, "✅")
    await house.breathe(25)

    assert house.says("lobby.again", names="Cem") in house.board().text
