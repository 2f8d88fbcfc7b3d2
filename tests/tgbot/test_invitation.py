"""Invitations: `@bot fifty` in any chat, and links that bring a game into a group."""

from __future__ import annotations

import pytest

from games import registry
from tests.tgbot.house import House
from tests.tgbot.playing import labels
from tgbot.playground import Chat, Message, Person


async def offered(house: House, person: Person, words: str, chat: Chat) -> tuple[str, list[str]]:
    """The inline query of somebody who types this behind the bot's name, and what it offers."""
    query = house.telegram.type_at(person, chat, words)
    await house.breathe()
    results = house.telegram.inline[query].results or {}
    return query, list(results)


async def invites(house: House, person: Person, kind: str, chat: Chat) -> Message:
    """Somebody sends an invitation into a chat."""
    query, _ = await offered(house, person, kind, chat)
    message = house.telegram.choose(person, chat, query, kind)
    await house.breathe(2)
    return message


@pytest.mark.parametrize(
    ("words", "kinds"),
    [("fifty", ["fifty"]), ("Far", ["farkle20"]), ("", [*registry()]), ("chess", [*registry()])],
)
async def test_what_is_typed_behind_the_bots_name_finds_games(
    house: House, words: str, kinds: list[str]
) -> None:
    _, found = await offered(house, house.ben, words, house.group)

    assert found == kinds
    (answer,) = [call for call in house.telegram.log if call.method == "answerInlineQuery"]
    assert (answer.params["is_personal"], answer.params["cache_time"]) == (True, 300)


async def test_an_invitation_opens_its_game_where_the_bot_is(house: House) -> None:
    sent = await invites(house, house.ben, "fifty", house.group)

    assert sent.text == house.says("invite.text", icon="🎲", game="Fifty!")
    assert (house.table().status, house.table().opener) == ("lobby", house.ben.id)
    assert "✅ Join" in labels(house.board())


async def test_who_may_open_holds_for_invitations_too(house: House) -> None:
    house.say(house.anna, "/settings openers admins")
    await house.breathe()

    await invites(house, house.ben, "fifty", house.group)
    refused = house.heard()[-1]
    await invites(house, house.anna, "fifty", house.group)

    assert refused == house.says("refused.admins_open")
    assert house.table().opener == house.anna.id
    assert len(house.sql("SELECT * FROM games")) == 1


async def test_an_invitation_that_is_passed_on_or_made_by_another_bot_opens_nothing(
    house: House,
) -> None:
    sent = await invites(house, house.ben, "fifty", house.private(house.ben))
    update = {**sent.json(), "chat": house.group.json()}

    house.telegram.queue.push("message", {**update, "forward_origin": {
        "type": "user", "date": 1, "sender_user": house.anna.user()}})  # fmt: skip
    other = {"id": 77, "is_bot": True, "first_name": "Other", "username": "other_bot"}
    house.telegram.queue.push("message", {**update, "via_bot": other})
    await house.breathe(2)

    assert house.sql("SELECT * FROM games") == []


async def test_elsewhere_the_invitation_brings_the_bot_along(house: House) -> None:
    house.telegram.kick(house.group)
    await house.breathe()
    sent = await invites(house, house.ben, "fifty", house.group)
    before = house.sql("SELECT * FROM games")
    (url,) = [button["url"] for row in sent.buttons for button in row]

    house.telegram.start_in(house.ben, house.group, url.partition("?startgroup=")[2])
    await house.breathe(3)

    assert (before, url) == ([], "https://t.me/dicehall_bot?startgroup=fifty")
    assert house.table().opener == house.ben.id


async def test_somebody_who_types_too_fast_is_offered_nothing(house: House) -> None:
    for n in range(200):
        house.telegram.type_at(house.ben, house.group, f"f{n}")
    await house.breathe(3)

    answered = [call for call in house.telegram.log if call.method == "answerInlineQuery"]
    assert len(answered) == house.settings.presses_a_second * 10
