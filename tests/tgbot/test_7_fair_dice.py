"""RULES 7 in the chat: seal, charms, proof files, and a key that is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.checking import check
from games.fairness import CHARMS, Stream
from games.proof import read
from tests.tgbot.house import House, running_house
from tests.tgbot.playing import codes, labels
from tgbot.playground import Chat, Limits, Message, Person


def files(house: House, chat: Chat | None = None) -> list[Message]:
    """The messages with a file in a chat, oldest first."""
    messages = house.telegram.messages(chat or house.group)
    return [message for message in messages if message.document]


def proof(message: Message) -> dict[str, Any]:
    """The proof that a message holds, as JSON."""
    assert message.document
    found: dict[str, Any] = json.loads(message.document.data)
    return found


async def real_dice(house: House, *players: Person, kind: str = "fifty") -> None:
    """A game in which nobody does anything, with the dice that are its own."""
    assert house.bot
    house.bot.hall.chance.stream = Stream
    await house.open(*players, kind=kind)
    await house.breathe(40 * 25)


# -- charms ---------------------------------------------------------------------------------------


async def test_7_a_charm_stands_beside_the_name_and_is_in_the_proof(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    lobby = house.board()
    await house.press(house.anna, "✅", lobby)
    told = await house.press(house.anna, "🐱", lobby)
    joined = await house.press(house.cem, "⚓", lobby)  # instead of joining
    await house.breathe(3)

    assert told == house.says("charm.3", charm="🐱")
    assert joined.startswith(house.says("lobby.joined", "de"))
    assert joined.endswith(house.says("charm.6", "de", charm="⚓"))
    assert house.table().people == [house.anna, house.cem]
    assert "Anna 🐱, Cem ⚓" in house.board().text

    assert house.bot
    house.bot.hall.chance.stream = Stream
    await house.press(house.anna, "▶️", lobby)
    await house.breathe(40 * 25)
    await house.press(house.ben, "🔎")
    await house.breathe(3)

    (sent,) = files(house)
    assert [(it["name"], it["charm"]) for it in proof(sent)["players"]] == [("Anna", 3), ("Cem", 6)]
    assert sent.document
    assert check(read(sent.document.data)).right
    # the lobby stays in the chat, with seal and charms
    assert "Anna 🐱, Cem ⚓" in lobby.text
    assert proof(sent)["seal"] in lobby.text


async def test_7_presses_on_charms_cost_no_message_and_few_edits(strict_house: House) -> None:
    house = strict_house
    await house.ask(house.anna, "/fifty")
    await house.press(house.anna, "✅")
    await house.breathe(5)
    before = house.written()

    for charm in (*CHARMS[1:], *CHARMS[1:]):
        assert charm in await house.press(house.anna, charm)
    await house.breathe(8)

    more = house.written()[len(before) :]
    assert {call.method for call in more} == {"editMessageText"}
    assert len(more) <= 5
    assert "Anna ⚓" in house.board().text


async def test_7_the_same_charm_again_writes_nothing(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    await house.press(house.anna, "🍀")
    await house.breathe(3)
    before = len(house.written())

    again = await house.press(house.anna, "🍀")
    await house.breathe(3)

    assert again == house.says("charm.1", charm="🍀")
    assert len(house.written()) == before


async def test_7_once_the_dice_roll_charms_are_chosen(house: House) -> None:
    await house.begin(house.anna, house.ben)
    game_id = house.table().id

    late = await house.forge(house.anna, f"{game_id}:0:charm2")
    stranger = await house.forge(house.cem, f"{game_id}:0:charm2")
    nonsense = await house.forge(house.anna, f"{game_id}:0:charm7")

    assert late == house.says("charm.too_late")
    assert stranger == house.says("refused.started", "de")
    assert nonsense
    assert house.sql("SELECT charm FROM seats") == [(0,), (0,)]


async def test_7_a_charm_takes_no_stake_its_button_does_not_say(house: House) -> None:
    await house.stake(5)
    await house.open(house.anna, house.ben, kind="yahtzee", start=False)

    in_lobby = await house.press(house.cem, "🦉")
    await house.press(house.anna, "▶️")
    await house.breathe(3)
    (dora,) = house.friends(1)
    await house.press(dora, "➕")
    await house.breathe(3)
    while_it_runs = await house.press(house.cem, "🦉")

    assert in_lobby == while_it_runs == house.says("refused.not_seated", "de")
    assert house.sql("SELECT 1 FROM seats WHERE user_id = ?", house.cem.id) == []
    assert "➕ 5" in labels(house.board())


async def test_7_the_charm_of_who_came_later_is_shown_and_not_mixed_in(house: House) -> None:
    assert house.bot
    house.bot.hall.chance.stream = Stream
    await house.open(house.anna, house.ben, kind="yahtzee")
    await house.press(house.cem, "➕")
    await house.breathe(3)
    await house.press(house.cem, "🌶")
    await house.press(house.cem, "🎩")
    await house.breathe(3)

    assert house.says("lobby.came_later", names="Cem 🎩") in house.board().text

    assert await house.forge(house.anna, f"{house.table().id}:0:charm1") == house.says(
        "charm.too_late"
    )
    await house.breathe(300)
    house.say(house.anna, "/stop")
    await house.breathe(3)
    answer = await house.ask(house.anna, "/verify")

    it = proof(files(house)[-1])
    assert [player["name"] for player in it["players"]] == ["Anna", "Ben"]
    assert it["later"] == [{"seat": 2, "name": "Cem", "charm": 2}]
    assert answer.startswith("✅")
    assert check(read(json.dumps(it))).right


async def test_7_alone_seal_and_charms_are_on_the_first_board_until_the_first_throw(
    house: House,
) -> None:
    assert house.bot
    house.bot.hall.chance.stream = Stream
    mine = house.private(house.anna)
    await house.ask(house.anna, "/farkle20", mine)
    board = house.telegram.last(mine, buttons=True)
    first = codes(board)

    assert [code for code in first if code.startswith("charm")] == [
        f"charm{n}" for n in range(1, 7)
    ]
    assert await house.press(house.anna, "🎩", board) == house.says("charm.2", charm="🎩")
    await house.breathe(3)
    assert "🎩" in board.text

    house.say(house.anna, "/roll", mine)
    await house.breathe(3)
    assert not any(code.startswith("charm") for code in codes(board))
    assert await house.forge(house.anna, f"{house.table(mine).id}:0:charm1", board)
    house.say(house.anna, "/stop", mine)
    await house.breathe(3)
    await house.ask(house.anna, "/verify", mine)

    (sent,) = files(house, mine)
    assert sent.document
    assert check(read(sent.document.data)).right
    assert [player["charm"] for player in proof(sent)["players"]] == [2]
    assert proof(sent)["seal"] in board.html


# -- proof files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["fifty", "yahtzee", "zilch"])
async def test_7_verify_brings_a_proof_file_that_checks(house: House, kind: str) -> None:
    await real_dice(house, house.anna, house.ben, kind=kind)
    house.say(house.anna, "/stop")
    await house.breathe(3)

    answer = await house.ask(house.ben, "/verify")

    (sent,) = files(house)
    assert sent.document
    assert sent.document.name == f"dicehall-{house.table().id}.json"
    assert check(read(sent.document.data)).right
    assert proof(sent)["seal"] in answer


async def test_7_a_chat_gets_the_file_of_a_game_once_from_all_who_press(house: House) -> None:
    await real_dice(house, house.anna, house.ben)
    board = house.board()

    toasts = [await house.press(person, "🔎", board) for person in (house.anna, house.ben)]
    await house.breathe(3)

    assert len(files(house)) == 1
    assert files(house)[0].reply_to is board
    assert house.says("verify.sent", it=toasts[0]) == toasts[1]


async def test_7_a_game_called_off_in_its_lobby_has_a_proof_too(house: House) -> None:
    await house.ask(house.anna, "/fifty")
    house.say(house.anna, "/stop")
    await house.breathe(3)

    answer = await house.ask(house.anna, "/verify")

    assert check(read(files(house)[0].document.data)).right
    assert proof(files(house)[0])["players"] == []
    assert "nobody threw" in answer


async def test_7_the_page_is_linked_where_people_can_reach_it(tmp_path: Path) -> None:
    async for house in running_house(
        tmp_path, Limits(off=True), public_url="https://dice.example.org/"
    ):
        await real_dice(house, house.anna, house.ben)
        answer = await house.ask(house.ben, "/verify")

        assert "https://dice.example.org/verify" in answer


async def test_7_games_of_the_earlier_scheme_finish_and_say_so(house: House) -> None:
    await house.begin(house.anna, house.ben, stake=5)
    assert house.bot
    store, game_id = house.bot.hall.store, house.table().id
    await house.stop()
    store.db.execute_sql(
        "UPDATE games SET nonce = x'', seal = '', secret = zeroblob(32), part = zeroblob(32)"
    )
    store.db.close()
    await house.start()
    assert house.bot
    house.bot.hall.chance.stream = Stream
    await house.breathe(40 * 25)

    answer = await house.ask(house.ben, f"/verify {game_id}")

    assert house.table().status == "over"
    assert "earlier way" in answer
    assert files(house) == []


# -- the key --------------------------------------------------------------------------------------


async def test_7_a_running_game_whose_seal_no_longer_fits_is_called_off(tmp_path: Path) -> None:
    key = tmp_path / "dice.key"
    key.write_bytes(b"k" * 32)
    async for house in running_house(tmp_path, Limits(off=True), dice_key_file=key):
        house.settings = house.settings.model_copy(update={"operators": (house.cem.id,)})
        for person in (house.anna, house.cem):
            house.say(person, "/start", house.private(person))
        await house.begin(house.anna, house.ben, stake=5)
        game_id = house.table().id
        await house.stop()
        key.write_bytes(b"x" * 32)

        await house.start()
        await house.breathe(5)

        assert house.table().status == "void"
        assert (house.coins(house.anna), house.coins(house.ben)) == (10, 10)
        assert house.says("stop.why_key") in house.board().text
        opener, operator = (house.heard(house.private(p))[-1] for p in (house.anna, house.cem))
        assert opener == house.says("sealed.lost_opener", game="Fifty!", id=game_id)
        assert operator == house.says("sealed.lost_operator", "de", game="Fifty!", id=game_id)
        answer = await house.ask(house.ben, "/verify")
        assert answer.startswith("🔑")


async def test_7_a_worker_with_another_key_throws_no_dice(house: House) -> None:
    # it may take a running game over without a restart
    await house.begin(house.anna, house.ben, stake=5)
    assert house.bot
    house.bot.hall.sealing._read = lambda: b"x" * 32
    vars(house.bot.hall.sealing).pop("_key")

    toast = await house.press(house.anna, "d20")
    toast = await house.press(house.anna, "🎲")
    await house.breathe(5)

    assert toast == house.says("stop.why_key")
    assert house.table().status == "void"
    assert house.coins(house.anna) == 10
