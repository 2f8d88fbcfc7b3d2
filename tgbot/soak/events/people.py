"""What people do: they play, press whatever is there, and write whatever they like."""

from __future__ import annotations

from games import registry
from tgbot.hall.table import Table
from tgbot.playground import Chat, Message, Person
from tgbot.soak.events.common import addressed, everybody, members, named, press, somewhere, write
from tgbot.soak.world import World

EAGER = {"best": 6, "bank": 9, "roll": 4, "throw": 3, "join": 0, "guide": 0, "hint": 0}
"""How likely a sensible person presses a button; those not named 1."""
FLOOD = 60
LINES = (
    "/d", "/d ?", "/d +", "/d 4+20", "/d 2w4+w6", "/d 99", "/d ١٢", "/d w6+", "/join", "/leave",
    "/stop", "/roll 135", "/roll", "/keep 24", "/keep", "/score", "/score sixes", "/sheet",
    "/dice 2w6+w20", "/diceo 3w6", "/dice w0", "/play", "/help", "/rules", "/rules zilch",
    "/top", "/points", "/verify", "/verify abcdefgh", "/whois", "/settings", "/settings stake 5",
    "/settings stake 1_0", "/settings stake 0", "/settings openers admins",
    "/settings openers anyone", "/settings language de", "/settings topics here",
    "/settings topics all", "/give 5", "/give 1e9 @person1", "/give 12 @person1", "/give -5 @olga",
    "/FIFTY", "/fifty@otherbot", "/nothing", "James Fifty", "nice, one five roll", "bank", "free",
    "!roll 12", "!score chance", "hello", "/daily",
)  # fmt: skip
ALONE = (
    "/start", "/points", "/history", "/whois @person1", "/whois", "/top", "/language", "/privacy",
    "/farkle20", "/help", "/rules", "/rules farkle20", "/operator", "/d", "/leave", "/stop",
    "/verify", "/give 1 @person3", "/start play_abcdefgh", "Anna", "ten letters", "/play", "/fifty",
    "/daily", "/start daily",
)  # fmt: skip
NEW_NAMES = ("Z" * 64, "\u202eabc", "<i>it</i>", "\u2060", "a\nb", "'; --", "👨‍👩‍👧‍👦" * 5,
             "ที่รัก", "हिंदी", "می\u200cخواهم")  # fmt: skip
FORGED = ("", ":", "::", "x", "op:0:home", "op:0:do.drain", "set:0:stake=101", "points:0:show",
          "top:0:first", "language:0:de", "open:0:fifty", "open:0:none", "abcdefgh:0:join",
          "abcdefgh:٣:join", "é" * 32, "set:0:stake=٥", "name:0:x", "james:0:ask", "james:0:zilch",
          "james:0:yahtzee",
          "james:0:none", "daily:0:open", "daily:0:top", "daily:0:day 2027-01-15",
          "daily:0:share 2027-01-15", "daily:0:bell 2027-01-15", "daily:0:choices 2027-01-14",
          )  # fmt: skip
CODES = (
    "join", "start", "leave", "stop", "again", "verify", "sheets", "analysis", "sign", "name",
    "throw", "clear", "+4", "+20", "+99", "roll", "bank", "keep", "k1", "s1", "best", "rules",
    "guide", "hint", "james", "practise",
)  # fmt: skip


async def play(world: World) -> str:
    """Somebody makes a sensible move in a game that is open."""
    if not world.tables:
        return await open_game(world)
    table = world.pick(world.tables)
    person, chat, message, data = _lobby(world, table) if table.status == "lobby" else _turn(
        world, table
    )  # fmt: skip
    return press(world, person, chat, message, data)


def _lobby(world: World, table: Table) -> tuple[Person, Chat, Message, str]:
    chat = world.telegram.chats[table.chat_id]
    message = chat.messages[table.showings[0].message_id]
    seated = {s.user_id for s in table.sittings}
    code, who = "join", [p for p in members(world, chat) if p.id not in seated]
    if len(seated) >= table.game.seats[0] and world.chance(40):
        code, who = "start", [world.telegram.people[table.opener]]
    elif seated and table.game.mind and world.chance(15):
        code, who = "james", [world.telegram.people[table.opener]]
    elif seated and world.chance(10):
        code, who = "leave", [world.telegram.people[user] for user in sorted(seated)]
    return world.pick(who), chat, message, f"{table.id}:0:{code}"


def _turn(world: World, table: Table) -> tuple[Person, Chat, Message, str]:
    sitting = world.pick([s for s in table.people if s.seat in table.phase(s.seat).actors])
    showing = table.showing(sitting.seat)
    chat = world.telegram.chats[showing.chat_id]
    message = chat.messages[showing.message_id]
    keys = [k["callback_data"] for row in message.buttons for k in row if "callback_data" in k]
    keys = [data for data in keys for _ in range(EAGER.get(data.split(":")[2], 1))]
    return world.telegram.people[sitting.user_id], chat, message, world.pick(keys)


async def open_game(world: World) -> str:
    """Somebody opens a game."""
    kind = world.pick(list(registry()))
    return write(world, *somewhere(world), f"/{kind}")


async def press_any(world: World) -> str:
    """Somebody presses a button that is there, of whatever message."""
    chat = world.pick([*world.chats, *map(world.telegram.private, everybody(world))])
    message = world.pick(world.boards(chat)[-4:])
    key = world.pick([k for row in message.buttons for k in row if "callback_data" in k])
    person = chat.person or world.pick(members(world, chat))
    return press(world, person, chat, message, key["callback_data"])


async def press_twice(world: World) -> str:
    """A sensible press, and the same again at once."""
    said = await play(world)
    again = _again(world)
    return f"{said}, twice" if again else said


def _again(world: World) -> bool:
    if world.last is None:
        return False
    world.telegram.press_data(*world.last)
    return True


async def press_stale(world: World) -> str:
    """What some board once offered is pressed on some message there is or was."""
    person, chat, _ = somewhere(world)
    message_id = world.draw(max(1, chat.last_message_id + 2))
    data = world.pick(list(world.pressed))
    world.telegram.press_data(person, chat, message_id, data)
    return f"{world.name(person)} forges {data!r} on message {message_id} of {named(chat)}"


async def press_forged(world: World) -> str:
    """Data no board ever offered."""
    person, chat, _ = somewhere(world)
    data = world.pick(FORGED)
    if world.tables and world.chance(60):
        table = world.pick(world.tables)
        rev = world.pick((0, 1, table.phase().rev, table.phase().rev + 1, 999_999_999))
        data = f"{table.id}:{rev}:{world.pick(CODES)}"
    message_id = world.draw(max(1, chat.last_message_id + 2))
    world.telegram.press_data(person, chat, message_id, data)
    return f"{world.name(person)} forges {data!r} on message {message_id} of {named(chat)}"


async def say(world: World) -> str:
    """Somebody writes in a group, perhaps as a reply."""
    return write(world, *somewhere(world), world.pick(LINES))


async def say_alone(world: World) -> str:
    """Somebody writes to the bot."""
    person = world.pick(everybody(world))
    return write(world, person, world.telegram.private(person), None, world.pick(ALONE))


async def follow(world: World) -> str:
    """Somebody follows the deep link of a race."""
    table = world.pick([t for t in world.tables if t.game.own])
    person = world.pick(world.people)
    private = world.telegram.private(person)
    return write(world, person, private, None, f"/start play_{table.id}")


async def masked(world: World) -> str:
    """A command comes from an anonymous admin or a channel."""
    person, chat, topic = somewhere(world)
    as_channel = world.chance(50)
    world.telegram.say(
        person, chat, addressed(world, world.pick(LINES), chat), topic=topic,
        anonymous=not as_channel, as_channel=as_channel,
    )  # fmt: skip
    return f"somebody masked writes in {named(chat)}"


async def edit(world: World) -> str:
    """An old message becomes a command."""
    chat = world.pick(world.chats)
    mine = [m for m in world.telegram.messages(chat) if m.sender in world.people and m.text]
    message = world.pick(mine[-5:])
    assert message.sender
    text = addressed(world, world.pick(LINES), chat)
    world.telegram.edit(message.sender, chat, message.id, text)
    return f"{world.name(message.sender)} makes message {message.id} say {text!r}"


async def forward(world: World) -> str:
    """A command is forwarded, or comes from the past."""
    person, chat, topic = somewhere(world)
    text, old = addressed(world, world.pick(LINES), chat), world.telegram.now() - 3600
    date = old if world.chance(50) else None
    world.telegram.say(person, chat, text, topic=topic, forwarded=date is None, date=date)
    return f"{world.name(person)} passes on {text!r} in {named(chat)}"


async def flood(world: World) -> str:
    """One person presses as fast as a machine."""
    person, chat, _ = somewhere(world)
    message = world.pick(world.boards(chat)[-2:])
    key = world.pick([k for row in message.buttons for k in row if "callback_data" in k])
    for _ in range(FLOOD):
        world.telegram.press_data(person, chat, message.id, key["callback_data"])
    return f"{world.name(person)} presses {key['callback_data']!r} {FLOOD} times"


async def come_or_go(world: World) -> str:
    """Somebody leaves a group or joins it."""
    person, chat = world.pick(world.people), world.pick(world.chats)
    if person.id in chat.members:
        world.telegram.leave(chat, person)
        return f"{world.name(person)} leaves {named(chat)}"
    world.telegram.join(chat, person)
    world.been.add((chat.title, person.id))
    return f"{world.name(person)} joins {named(chat)}"


async def block(world: World) -> str:
    """Somebody blocks the bot or lets it write again."""
    person = world.pick(world.people)
    if person.blocked:
        world.telegram.unblock(person)
        return f"{world.name(person)} unblocks the bot"
    world.telegram.block(person)
    world.away.add(person.id)
    return f"{world.name(person)} blocks the bot"


async def rename(world: World) -> str:
    """Somebody has another name and language."""
    person = world.pick(world.people)
    world.renamed.add(person.id)
    person.first_name = world.pick(NEW_NAMES)
    person.language_code = world.pick(("de", "en", "fr", ""))
    person.username = world.pick((None, "person1", f"new{person.id}"))
    return f"{world.name(person)} is called {person.first_name!r} now"
