"""What happens in a soak: each deed is drawn by its weight and drawn on by the step's stream.

A deed answers what it did in a few words; one that finds nothing to do raises LookupError or
ValueError, as the playground does, and then nothing happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from games import registry
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.table import Table
from tgbot.operator import actions
from tgbot.playground import Chat, Message, Person
from tgbot.playground.faults import Faults
from tgbot.soak.life import Doom, full
from tgbot.soak.virtual import VirtualLoop, now
from tgbot.soak.world import UNSHOWN, World

Deed = Callable[[World], Awaitable[str]]

EAGER = {"best": 6, "bank": 9, "roll": 4, "throw": 3, "join": 0, "guide": 0, "hint": 0}
"""How likely a sensible person presses a button; those not named 1."""
FLOOD = 60
LATE_S = 20.0
LONG_WAIT_S = 900
STALL_S = 1e6
NEVER_ENDING = 10**6
REFUSED = tuple(f"Bad Request: {words}" for words in UNSHOWN)
OUT_WITHIN_S = 10

LINES = (
    "/d", "/d ?", "/d +", "/d 4+20", "/d 2w4+w6", "/d 99", "/d ١٢", "/d w6+", "/join", "/leave",
    "/stop", "/roll 135", "/roll", "/keep 24", "/keep", "/score", "/score sixes", "/sheet",
    "/dice 2w6+w20", "/diceo 3w6", "/dice w0", "/play", "/help", "/rules", "/rules zilch",
    "/top", "/points", "/verify", "/verify abcdefgh", "/whois", "/settings", "/settings stake 5",
    "/settings stake 1_0", "/settings stake 0", "/settings openers admins",
    "/settings openers anyone", "/settings language de", "/settings topics here",
    "/settings topics all", "/give 5", "/give 1e9 @person1", "/give 12 @person1", "/give -5 @olga",
    "/FIFTY", "/fifty@otherbot", "/nothing", "James Fifty", "nice, one five roll", "bank", "free",
    "!roll 12", "!score chance", "hello",
)  # fmt: skip
ALONE = (
    "/start", "/points", "/history", "/whois @person1", "/whois", "/top", "/language", "/privacy",
    "/farkle20", "/help", "/rules", "/rules farkle20", "/operator", "/d", "/leave", "/stop",
    "/verify", "/give 1 @person3", "/start play_abcdefgh", "Anna", "ten letters", "/play", "/fifty",
)  # fmt: skip
NEW_NAMES = ("Z" * 64, "\u202eabc", "<i>it</i>", "\u2060", "a\nb", "'; --", "👨‍👩‍👧‍👦" * 5)
FORGED = ("", ":", "::", "x", "op:0:home", "op:0:do.drain", "set:0:stake=101", "points:0:show",
          "top:0:first", "language:0:de", "open:0:fifty", "open:0:none", "abcdefgh:0:join",
          "abcdefgh:٣:join", "é" * 32, "set:0:stake=٥", "name:0:x")  # fmt: skip
CODES = (
    "join", "start", "leave", "stop", "again", "verify", "sheets", "analysis", "sign", "name",
    "throw", "clear", "+4", "+20", "+99", "roll", "bank", "keep", "k1", "s1", "best", "rules",
    "guide", "hint",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of deed: how likely it is, and whether it is a fault to be counted."""

    weight: int
    do: Deed
    fault: str = ""


# -- people -----------------------------------------------------------------------------------


async def play(world: World) -> str:
    """Somebody makes a sensible move in a game that is open."""
    if not world.tables:
        return await open_game(world)
    table = world.pick(world.tables)
    person, chat, message, data = _lobby(world, table) if table.status == "lobby" else _turn(
        world, table
    )  # fmt: skip
    return _press(world, person, chat, message, data)


def _lobby(world: World, table: Table) -> tuple[Person, Chat, Message, str]:
    chat = world.telegram.chats[table.chat_id]
    message = chat.messages[table.showings[0].message_id]
    seated = {s.user_id for s in table.sittings}
    code, who = "join", [p for p in _members(world, chat) if p.id not in seated]
    if len(seated) >= table.game.seats[0] and world.chance(40):
        code, who = "start", [world.telegram.people[table.opener]]
    elif seated and world.chance(10):
        code, who = "leave", [world.telegram.people[user] for user in sorted(seated)]
    return world.pick(who), chat, message, f"{table.id}:0:{code}"


def _turn(world: World, table: Table) -> tuple[Person, Chat, Message, str]:
    seats = range(len(table.sittings))
    sitting = table.sittings[world.pick([s for s in seats if s in table.phase(s).actors])]
    showing = table.showing(sitting.seat)
    chat = world.telegram.chats[showing.chat_id]
    message = chat.messages[showing.message_id]
    keys = [k["callback_data"] for row in message.buttons for k in row if "callback_data" in k]
    keys = [data for data in keys for _ in range(EAGER.get(data.split(":")[2], 1))]
    return world.telegram.people[sitting.user_id], chat, message, world.pick(keys)


async def open_game(world: World) -> str:
    """Somebody opens a game."""
    kind = world.pick(list(registry()))
    return _say(world, *_somewhere(world), f"/{kind}")


async def press_any(world: World) -> str:
    """Somebody presses a button that is there, of whatever message."""
    chat = world.pick([*world.chats, *map(world.telegram.private, _everybody(world))])
    message = world.pick(world.boards(chat)[-4:])
    key = world.pick([k for row in message.buttons for k in row if "callback_data" in k])
    person = chat.person or world.pick(_members(world, chat))
    return _press(world, person, chat, message, key["callback_data"])


async def press_twice(world: World) -> str:
    """A sensible press, and the same again at once."""
    said = await play(world)
    again = _last_press(world)
    return f"{said}, twice" if again else said


def _last_press(world: World) -> bool:
    if world.last is None:
        return False
    world.telegram.press_data(*world.last)
    return True


async def press_stale(world: World) -> str:
    """What some board once offered is pressed on some message there is or was."""
    person, chat, _ = _somewhere(world)
    message_id = world.draw(max(1, chat.last_message_id + 2))
    data = world.pick(list(world.pressed))
    world.telegram.press_data(person, chat, message_id, data)
    return f"{world.name(person)} forges {data!r} on message {message_id} of {_named(chat)}"


async def press_forged(world: World) -> str:
    """Data no board ever offered."""
    person, chat, _ = _somewhere(world)
    data = world.pick(FORGED)
    if world.tables and world.chance(60):
        table = world.pick(world.tables)
        rev = world.pick((0, 1, table.phase().rev, table.phase().rev + 1, 999_999_999))
        data = f"{table.id}:{rev}:{world.pick(CODES)}"
    message_id = world.draw(max(1, chat.last_message_id + 2))
    world.telegram.press_data(person, chat, message_id, data)
    return f"{world.name(person)} forges {data!r} on message {message_id} of {_named(chat)}"


async def say(world: World) -> str:
    """Somebody writes in a group, perhaps as a reply."""
    return _say(world, *_somewhere(world), world.pick(LINES))


async def say_alone(world: World) -> str:
    """Somebody writes to the bot."""
    person = world.pick(_everybody(world))
    return _say(world, person, world.telegram.private(person), None, world.pick(ALONE))


async def follow(world: World) -> str:
    """Somebody follows the deep link of a race."""
    table = world.pick([t for t in world.tables if t.game.own])
    person = world.pick(world.people)
    private = world.telegram.private(person)
    return _say(world, person, private, None, f"/start play_{table.id}")


async def masked(world: World) -> str:
    """A command comes from an anonymous admin or a channel."""
    person, chat, topic = _somewhere(world)
    as_channel = world.chance(50)
    world.telegram.say(
        person, chat, _addressed(world, world.pick(LINES), chat), topic=topic,
        anonymous=not as_channel, as_channel=as_channel,
    )  # fmt: skip
    return f"somebody masked writes in {_named(chat)}"


async def edit(world: World) -> str:
    """An old message becomes a command."""
    chat = world.pick(world.chats)
    mine = [m for m in world.telegram.messages(chat) if m.sender in world.people and m.text]
    message = world.pick(mine[-5:])
    assert message.sender
    text = _addressed(world, world.pick(LINES), chat)
    world.telegram.edit(message.sender, chat, message.id, text)
    return f"{world.name(message.sender)} makes message {message.id} say {text!r}"


async def forward(world: World) -> str:
    """A command is forwarded, or comes from the past."""
    person, chat, topic = _somewhere(world)
    text, old = _addressed(world, world.pick(LINES), chat), world.telegram.now() - 3600
    date = old if world.chance(50) else None
    world.telegram.say(person, chat, text, topic=topic, forwarded=date is None, date=date)
    return f"{world.name(person)} passes on {text!r} in {_named(chat)}"


async def flood(world: World) -> str:
    """One person presses as fast as a machine."""
    person, chat, _ = _somewhere(world)
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
        return f"{world.name(person)} leaves {_named(chat)}"
    world.telegram.join(chat, person)
    return f"{world.name(person)} joins {_named(chat)}"


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


# -- chats ------------------------------------------------------------------------------------


async def kick_or_add(world: World) -> str:
    """The bot is thrown out of a group, or comes back."""
    chat = world.pick([chat for chat in world.chats if chat.migrated_to is None])
    if chat.bot_status in ("left", "kicked"):
        world.telegram.readd(chat)
        return f"the bot comes back to {_named(chat)}"
    world.telegram.kick(chat)
    world.away.add(chat.id)
    return f"the bot is thrown out of {_named(chat)}"


async def migrate(world: World) -> str:
    """A group becomes a supergroup."""
    chat = world.pick([c for c in world.chats if c.type == "group" and c.migrated_to is None])
    world.telegram.migrate(chat)
    return f"{_named(chat)} becomes a supergroup"


async def topics(world: World) -> str:
    """Topics are switched off, or another one is opened."""
    chat = world.pick([chat for chat in world.chats if chat.is_forum])
    if world.chance(30):
        world.telegram.close_topics(chat)
        return f"{_named(chat)} has no topics any more"
    return f"{_named(chat)} has topic {world.telegram.topic(chat, 'More')}"


async def promote(world: World) -> str:
    """Somebody, or the bot, becomes an admin or a member."""
    chat = world.pick(world.chats)
    person = world.pick([*_members(world, chat), world.telegram.bot])
    status = world.pick(("administrator", "member"))
    if chat.members.get(person.id) == "creator":
        raise ValueError("the creator stays")
    world.telegram.promote(chat, person, status)
    return f"{person.first_name!r} becomes {status} of {_named(chat)}"


async def delete(world: World) -> str:
    """Somebody deletes a board."""
    chat = world.pick(world.chats)
    message = world.pick(world.boards(chat)[-3:])
    world.telegram.delete(chat, message.id)
    return f"message {message.id} of {_named(chat)} is deleted"


# -- the operator -----------------------------------------------------------------------------


async def operate(world: World) -> str:
    """The operator presses something on the panel."""
    chat = world.telegram.private(world.operator)
    if not world.boards(chat):
        return _say(world, world.operator, chat, None, "/operator")
    message = world.boards(chat)[-1]
    key = world.pick([k for row in message.buttons for k in row if "callback_data" in k])
    if "drain" in key["callback_data"]:
        raise LookupError("the hall stays open")
    return _press(world, world.operator, chat, message, key["callback_data"])


async def command_line(world: World) -> str:
    """The operator's tools write beside the bot."""
    person, what = world.pick(world.people), world.pick(("grant", "bar", "unbar", "round", "fund"))
    db = open_database(world.settings)
    hall, people = open_hall(db, world.settings)
    at, key = int(now()), f"soak at {now()}"
    try:
        with db.atomic():
            if what == "grant":
                actions.grant(people, str(person.id), world.draw(500), "soak", key, now=at)
            elif what == "bar":
                actions.bar(hall, people, str(person.id), "soak", now=at)
            elif what == "unbar":
                for other in people.barred():
                    actions.unbar(people, str(other.user_id))
            elif what == "round":
                hall.settling.robin.order(at, 25)
            else:
                actions.top_up(hall.ledger, world.draw(100), "soak", key, now=at)
    finally:
        db.close()
    # The regular look, rare in virtual time, would notice within seconds.
    world.life.bot.painter.spawn(world.life.bot.clock.look())
    return f"the command line: {what} {world.name(person)}"


# -- Telegram ---------------------------------------------------------------------------------


def strike(name: str, most: int = 3) -> Deed:
    """A deed that lets so many calls or updates of Telegram's go wrong."""

    async def deed(world: World) -> str:
        number = world.draw(most)
        setattr(world.telegram.faults, f"{name}_next", number)
        return f"Telegram: the next {number} {name}"

    return deed


async def slow(world: World) -> str:
    """For a while updates come late, or every call takes long."""
    faults, loop = world.telegram.faults, asyncio.get_running_loop()
    what = world.pick(("late_updates_s", "latency_s"))
    setattr(faults, what, float(world.draw(8)))
    loop.call_later(LATE_S, setattr, faults, what, 0.0)
    return f"Telegram: {what} = {getattr(faults, what)} for {LATE_S} s"


async def long_wait(world: World) -> str:
    """One chat must wait for a quarter of an hour (SURVIVE 32)."""
    chat, faults = world.pick(world.chats), world.telegram.faults
    faults.flood_chat, faults.flood_next, faults.flood_retry_after = chat.id, 1, LONG_WAIT_S
    loop = asyncio.get_running_loop()
    ordinary = partial(_set, faults, flood_chat=None, flood_next=0, flood_retry_after=5)
    loop.call_later(LATE_S, ordinary)
    return f"Telegram: the next call about {_named(chat)} must wait {LONG_WAIT_S} s"


async def refuse(world: World) -> str:
    """For a while nothing can be shown in a chat, in whatever words (SURVIVE 31)."""
    chat, faults = world.pick(world.chats), world.telegram.faults
    faults.refuse_chat, faults.refuse_next = chat.id, NEVER_ENDING
    faults.refuse_reason, seconds = world.pick(REFUSED), world.pick((5, 60, 1000))
    faults.only = "sendMessage,editMessageText"
    world.away.add(chat.id)
    loop = asyncio.get_running_loop()
    loop.call_later(seconds, partial(_set, faults, refuse_chat=None, refuse_next=0, only=None))
    return f"Telegram: nothing can be shown in {_named(chat)} for {seconds} s"


def _set(faults: Faults, **values: object) -> None:
    for name, value in values.items():
        setattr(faults, name, value)


async def rival(world: World) -> str:
    """Another process polls with the same token for a moment (409); it confirms nothing."""
    await world.telegram.call("getUpdates", {"timeout": 0})
    return "another process polls"


# -- the machine ------------------------------------------------------------------------------


def wait(least: int, most: int) -> Deed:
    """A deed that lets so many seconds pass."""

    async def deed(world: World) -> str:
        seconds = least + world.draw(most - least + 1) - 1
        await world.live(seconds)
        return f"{seconds} s pass"

    return deed


async def set_clock(world: World) -> str:
    """The machine's wall clock is set."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.skew = float(world.pick((0, 0, -3600, 3600, -30, 30, 86_400)))
    # The regular look, rare in virtual time, would notice within seconds.
    world.life.bot.painter.spawn(world.life.bot.clock.look())
    return f"the wall clock is {loop.skew} s ahead"


def dies(where: str) -> Deed:
    """A deed that lets the process die at one of the next commits or calls."""

    async def deed(world: World) -> str:
        doom = Doom(where, world.pick(("before", "in", "after")), world.draw(4))
        world.life.doom = doom
        return f"the process will die {doom.how} the {doom.left}. {where}"

    return deed


async def restart(world: World) -> str:
    """The operator restarts the bot."""
    await world.restart()
    return "the bot is restarted"


async def stalled_restart(world: World) -> str:
    """The operator restarts the bot while Telegram answers nothing (SURVIVE 45)."""
    faults, clock = world.telegram.faults, asyncio.get_running_loop().time
    before, faults.latency_s, began = faults.latency_s, STALL_S, clock()
    await world.life.stop()
    took = clock() - began
    faults.latency_s = before
    if took > OUT_WITHIN_S:
        world.errors.append(f"it took {took:.0f} s to end while Telegram stalled")
    await world.reborn(1.0)
    return "the bot is restarted while Telegram stalls"


async def clocks_differ(world: World) -> str:
    """The machine's clock runs some seconds beside Telegram's (SURVIVE 35)."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.skew = float(world.pick((-20, -10, -2, 2, 10, 20)))
    return f"the wall clock is {loop.skew} s ahead of Telegram's"


async def disk_full(world: World) -> str:
    """The disk is full for a while."""
    loop, db, seconds = asyncio.get_running_loop(), world.life.clerk.db, float(world.draw(40))
    full(db, world.draw(3) - 1)
    world.excused_until = loop.time() + seconds + 5
    life = world.life
    loop.call_later(seconds, lambda: None if life.dead.is_set() else full(db, None))
    return f"the disk is full for {seconds} s"


KINDS: dict[str, Kind] = {
    "play": Kind(150, play),
    "open": Kind(20, open_game),
    "press any": Kind(40, press_any),
    "press twice": Kind(15, press_twice),
    "press stale": Kind(20, press_stale, "stale press"),
    "press forged": Kind(15, press_forged, "forged press"),
    "say": Kind(40, say),
    "say alone": Kind(20, say_alone),
    "follow": Kind(10, follow),
    "masked": Kind(3, masked, "masked sender"),
    "edit": Kind(3, edit, "edited command"),
    "forward": Kind(3, forward, "forwarded command"),
    "flood": Kind(2, flood, "flood of presses"),
    "come or go": Kind(6, come_or_go),
    "block": Kind(6, block, "block"),
    "rename": Kind(4, rename),
    "kick": Kind(4, kick_or_add, "kick"),
    "migrate": Kind(2, migrate, "migration"),
    "topics": Kind(2, topics, "topics"),
    "promote": Kind(2, promote),
    "delete": Kind(6, delete, "deleted board"),
    "operate": Kind(4, operate),
    "command line": Kind(4, command_line),
    "flood 429": Kind(6, strike("flood")),
    "long wait": Kind(2, long_wait, "long wait"),
    "refuse": Kind(3, refuse, "nothing shown"),
    "lost call": Kind(6, strike("timeout_before")),
    "lost answer": Kind(8, strike("timeout_after")),
    "bad gateway": Kind(6, strike("error_5xx")),
    "broken line": Kind(4, strike("reset_after")),
    "proxy": Kind(4, strike("odd_before")),
    "proxy late": Kind(4, strike("odd_after")),
    "lower ids": Kind(2, strike("lower_ids", 1)),
    "late answer": Kind(3, strike("bad_request_answers")),
    "update twice": Kind(6, strike("duplicate_updates")),
    "press doubled": Kind(6, strike("duplicate_presses")),
    "shuffle": Kind(4, strike("shuffle", 5)),
    "slow": Kind(3, slow, "slowness"),
    "rival": Kind(2, rival, "rival poll"),
    "wait": Kind(50, wait(1, 10)),
    "wait a phase": Kind(15, wait(20, 90)),
    "wait for long": Kind(3, wait(600, 12 * 3600)),
    "wait for days": Kind(1, wait(86_400, 3 * 86_400)),
    "set clock": Kind(2, set_clock, "clock set"),
    "clocks differ": Kind(2, clocks_differ, "clock beside Telegram's"),
    "die at commit": Kind(8, dies("commit")),
    "die at call": Kind(8, dies("call")),
    "restart": Kind(3, restart, "restart"),
    "stalled restart": Kind(2, stalled_restart, "stall at the end"),
    "disk full": Kind(2, disk_full, "full disk"),
}
"""Everything that happens."""

_TOTAL = sum(kind.weight for kind in KINDS.values())


def drawn(world: World) -> str:
    """The name of the deed the step's stream says comes now."""
    at = world.draw(_TOTAL)
    for name, kind in KINDS.items():
        at -= kind.weight
        if at <= 0:
            return name
    raise AssertionError("the weights add up")


# -- inside -----------------------------------------------------------------------------------


def _everybody(world: World) -> list[Person]:
    return [*world.people, world.operator]


def _members(world: World, chat: Chat) -> list[Person]:
    return [person for person in _everybody(world) if person.id in chat.members]


def _somewhere(world: World) -> tuple[Person, Chat, int | None]:
    """Somebody in a group, perhaps in one of its topics."""
    chat = world.pick([chat for chat in world.chats if chat.migrated_to is None])
    topic = world.pick([None, *chat.topics]) if chat.topics else None
    return world.pick(_members(world, chat)), chat, topic


def _addressed(world: World, line: str, chat: Chat) -> str:
    command, space, words = line.partition(" ")
    if not line.startswith("/") or "@" in command or not chat.is_group:
        return line
    return f"{command}@{world.telegram.bot.username}{space}{words}"


def _say(world: World, person: Person, chat: Chat, topic: int | None, line: str) -> str:
    boards = world.boards(chat)
    reply = world.pick(boards[-2:]).id if boards and world.chance(25) else None
    text = _addressed(world, line, chat)
    world.telegram.say(person, chat, text, topic=topic, reply_to=reply)
    return f"{world.name(person)} writes {text!r} in {_named(chat)}"


def _press(world: World, person: Person, chat: Chat, message: Message, data: str) -> str:
    if person.id not in chat.members:
        raise LookupError("not there")
    world.pressed.append(data)
    world.last = (person, chat, message.id, data)
    world.telegram.press_data(*world.last)
    return f"{world.name(person)} presses {data!r} on message {message.id} of {_named(chat)}"


def _named(chat: Chat) -> str:
    return repr(chat.title) if chat.is_group else "private"
