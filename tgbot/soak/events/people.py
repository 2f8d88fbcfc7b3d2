"""What people do: they play, press whatever is there, and write whatever they like."""

from __future__ import annotations

from games import registry
from tgbot.hall.table import Table
from tgbot.inbound.commands import commands
from tgbot.playground import Chat, Message, Person
from tgbot.soak.events.common import addressed, everybody, members, named, press, somewhere, write
from tgbot.soak.world import World

EAGER = {"best": 6, "bank": 9, "roll": 4, "throw": 3, "join": 0, "guide": 0, "hint": 1}
"""How likely a sensible person presses a button; those not named 1."""
FLOOD = 60
CROWD = 40
LINES = (
    "/d", "/d ?", "/d +", "/d 4+20", "/d 2w4+w6", "/d 99", "/d ١٢", "/d w6+", "/join", "/leave",
    "/stop", "/roll 135", "/roll", "/keep 24", "/keep", "/score", "/score sixes", "/sheet",
    "/dice 2w6+w20", "/diceo 3w6", "/dice w0", "/play", "/help", "/rules", "/rules zilch",
    "/top", "/points", "/verify", "/verify abcdefgh", "/whois", "/settings", "/settings stake 5",
    "/settings stake 1_0", "/settings stake 0", "/settings openers admins",
    "/settings openers anyone", "/settings language de", "/settings topics here",
    "/settings topics all", "/give 5", "/give 1e9 @person1", "/give 12 @person1", "/give -5 @olga",
    "/FIFTY", "/fifty@otherbot", "/nothing", "James Fifty", "nice, one five roll", "bank", "free",
    "!roll 12", "!score chance", "hello", "/board", "/fair",
    *(f"/{it.name}" for it in commands()),
)  # fmt: skip
ALONE = (
    "/start", "/points", "/history", "/whois @person1", "/whois", "/top", "/language", "/privacy",
    "/farkle20", "/help", "/rules", "/rules farkle20", "/operator", "/d", "/leave", "/stop",
    "/verify", "/give 1 @person3", "/start play_abcdefgh", "Anna", "ten letters", "/play", "/fifty",
    "/daily", "/start daily", "/board", "/fair", "/start bell_abcdefgh",
)  # fmt: skip
MOST_PRESSES = 40
"""Enough for an attempt in which every box takes two."""
THREAD = "Dice"
TYPED = ("", "fifty", "Far", "zi", "chess")
"""What is typed behind the bot's name."""
BROUGHT = (*registry(), "nothing", "")
"""What a link says that brings the bot into a group."""
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


async def say_in_thread(world: World) -> str:
    """Somebody writes to the bot in a thread of their private chat (SURVIVE 37)."""
    person = world.pick(everybody(world))
    private = world.telegram.private(person)
    if not private.topics:
        private.is_forum = True
        world.telegram.topic(private, THREAD)
    topic = world.pick([*private.topics])
    return f"{write(world, person, private, topic, world.pick(ALONE))}, in a thread"


async def follow(world: World) -> str:
    """Somebody follows the deep link of a race or of a bell."""
    table = world.pick([t for t in world.tables if t.chat_id < 0])
    person = world.pick(world.people)
    private, link = world.telegram.private(person), "play" if table.game.own else "bell"
    return write(world, person, private, None, f"/start {link}_{table.id}")


async def follow_from_outside(world: World) -> str:
    """Somebody who is not in a group, and perhaps restricted there, follows the link of its race
    (SURVIVE 37)."""
    table = world.pick([t for t in world.tables if t.game.own and t.chat_id < 0])
    chat, seated = world.telegram.chats[table.chat_id], {it.user_id for it in table.sittings}
    outside = [p for p in world.people if p.id not in chat.members and p.id not in seated]
    person = world.pick(outside)
    if world.telegram.queue.pending:
        raise LookupError("what they did when they were there still waits")
    world.outside.add((table.id, person.id))
    return write(world, person, world.telegram.private(person), None, f"/start play_{table.id}")


async def invite(world: World) -> str:
    """Somebody types the bot's name somewhere, and sends what it offers."""
    person = world.pick(world.people)
    chat = world.pick([*(chat for chat in world.chats if chat.migrated_to is None),
                       world.telegram.private(person)])  # fmt: skip
    words = world.pick(TYPED)
    query = world.telegram.type_at(person, chat, words)
    await world.live(1)
    kind = world.pick([*(world.telegram.inline[query].results or {})])
    topic = world.pick([None, *chat.topics])
    world.telegram.choose(person, chat, query, kind, topic=topic)
    return f"{world.name(person)} invites to {kind} in {named(chat)}"


async def bring(world: World) -> str:
    """Somebody follows a link that brings the bot, or a game, into a group."""
    person, chat, _ = somewhere(world)
    word = world.pick(BROUGHT)
    world.telegram.start_in(person, chat, word)
    return f"{world.name(person)} brings {word!r} into {named(chat)}"


async def ring(world: World) -> str:
    """Somebody presses the bell of a lobby."""
    table = world.pick([t for t in world.tables if t.status == "lobby" and t.chat_id < 0])
    chat = world.telegram.chats[table.chat_id]
    message = chat.messages[table.showings[0].message_id]
    return press(world, world.pick(members(world, chat)), chat, message, f"bell:0:here {table.id}")


async def pin(world: World) -> str:
    """Whoever opened a lobby pins it where the bot may pin, or unpins it."""
    may = [t for t in world.tables if t.status == "lobby" and world.may_pin(t.chat_id)]
    table = world.pick(may)
    chat = world.telegram.chats[table.chat_id]
    message = chat.messages[table.showings[0].message_id]
    opener = world.telegram.people[table.opener]
    return press(world, opener, chat, message, f"pin:0:{table.id}")


async def daily(world: World) -> str:
    """Somebody begins their daily, or looks where they stand."""
    person = world.pick(world.people)
    return write(world, person, world.telegram.private(person), None, "/daily")


async def daily_through(world: World) -> str:
    """Somebody plays their daily to its end, each box with the first throw, and rings its bell."""
    table = world.pick([t for t in world.tables if t.daily and t.status == "running"])
    person = world.telegram.people[table.opener]
    private = world.telegram.private(person)
    for _ in range(MOST_PRESSES):
        now = {t.id: t for t in world.tables}.get(table.id)
        if now is None or now.status != "running":
            break
        legal = now.game.rules.legal(now.state, 0)
        boxes = [move.removeprefix("score ") for move in legal if move.startswith("score ")]
        message = private.messages[now.showings[0].message_id]
        world.telegram.press_data(
            person, private, message.id, f"{now.id}:{now.phase(0).rev}:{[*boxes, 'roll'][0]}"
        )
        await world.live(1)
    bell = f"daily:0:bell {table.daily}"
    return press(world, person, private, world.pick(world.boards(private)[-1:]), bell)


async def practise(world: World) -> str:
    """Somebody begins a practice with James in private."""
    person = world.pick(world.people)
    private = world.telegram.private(person)
    if not (boards := world.boards(private)):
        return write(world, person, private, None, "/start")
    message = world.pick(boards[-2:])
    kind = world.pick([kind for kind, game in registry().items() if game.mind])
    return press(world, person, private, message, f"james:0:{kind}")


async def hint(world: World) -> str:
    """Somebody who is to act asks what James would do."""
    table = world.pick([t for t in world.tables if t.status == "running" and t.game.mind])
    sitting = world.pick([s for s in table.people if s.seat in table.phase(s.seat).actors])
    showing = table.showing(sitting.seat)
    chat = world.telegram.chats[showing.chat_id]
    data = f"{table.id}:{table.phase(sitting.seat).rev}:hint"
    person, message = world.telegram.people[sitting.user_id], chat.messages[showing.message_id]
    return press(world, person, chat, message, data)


async def crowd(world: World) -> str:
    """Very many people whom nobody knows write one command each (SURVIVE 39)."""
    line = world.pick(ALONE)
    for n in range(CROWD):
        stranger = world.telegram.person(f"Stranger {n}")
        world.telegram.say(stranger, world.telegram.private(stranger), line)
    return f"{CROWD} strangers write {line!r}"


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
    world.came(chat, person)
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
