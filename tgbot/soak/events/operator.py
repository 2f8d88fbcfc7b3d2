"""What the operator does on the panel and the command line."""

from __future__ import annotations

from economy.audit import prove
from economy.database import emptied_log
from games.game import Refusal
from tgbot.database import migrate_database, open_database, open_existing
from tgbot.hall.hall import open_hall
from tgbot.hall.store import Store
from tgbot.operator import actions
from tgbot.soak.events.common import press, write
from tgbot.soak.virtual import now
from tgbot.soak.world import World

SAYS_WHO = 6
"""A name as long as that is in no file by chance."""


async def operate(world: World) -> str:
    """The operator presses something on the panel."""
    chat = world.telegram.private(world.operator)
    if not world.boards(chat):
        return write(world, world.operator, chat, None, "/operator")
    message = world.boards(chat)[-1]
    key = world.pick([k for row in message.buttons for k in row if "callback_data" in k])
    if "drain" in key["callback_data"]:
        raise LookupError("the hall stays open")
    return press(world, world.operator, chat, message, key["callback_data"])


async def command_line(world: World) -> str:
    """The operator's tools write beside the bot."""
    person, what = world.pick(world.people), world.pick(("grant", "bar", "unbar", "round", "fund"))
    db = open_database(world.settings)
    hall, people = open_hall(db, world.settings)
    at, key = int(now()), world.key()
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


async def erase(world: World) -> str:
    """Somebody is to be forgotten: no file of the bot holds their name any more (SURVIVE 36)."""
    person = world.pick(world.people)
    others = [other.first_name for other in world.people if other is not person]
    db = open_database(world.settings)
    try:
        with db.atomic():
            _, people = open_hall(db, world.settings)
            known = people.known(person.id)
            if not known:
                raise LookupError("nobody knows them")
            actions.erase(people, str(person.id), now=int(now()), key=world.key())
        emptied_log(db)
    except Refusal as refusal:
        raise LookupError(refusal.text.key) from refusal
    finally:
        db.close()
    world.renamed.add(person.id)
    if len(known.name) >= SAYS_WHO and not any(known.name in other for other in others):
        name = known.name.encode()
        if any(name in content for content in world.life.files().values()):
            world.errors.append(f"{world.name(person)} was erased, and a file holds the name")
    return f"the command line: erase {world.name(person)}"


async def look(world: World) -> str:
    """Another program audits and migrates beside the bot: nothing is wrong, or changed
    (SURVIVE 42)."""
    if missing := migrate_database(world.settings):
        world.errors.append(f"a running bot's database was brought up to date: {missing}")
    db = open_existing(world.settings, read_only=True)
    try:
        # Asked of the file: a bot that dies after a commit has not seen what it committed.
        audit = prove(db, Store(db, "en").open_games())
    finally:
        db.close()
    if audit.problems:
        world.errors.append(f"an audit beside the bot says {audit.problems}")
    return "the command line: migrate and audit"
