"""What the operator does on the panel and the command line."""

from __future__ import annotations

from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.operator import actions
from tgbot.soak.events.common import press, write
from tgbot.soak.virtual import now
from tgbot.soak.world import World


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
