"""Playing: the buttons of a game, typed moves, dice outside a game, leaving and stopping."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

from games import dice, registry
from games.fairness import Stream
from games.game import Refusal, Text, Throw, text
from tgbot import charts
from tgbot.done import Done, Drawing, Say
from tgbot.hall.table import Table
from tgbot.hall.verify import Verification, verification
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import bells, guide
from tgbot.inbound.handlers.analysis import analysis
from tgbot.inbound.handlers.common import App, on_bang, on_command
from tgbot.inbound.handlers.hint import hint
from tgbot.people.people import Person
from tgbot.press import Press, number

JOIN_WORD = "+"


def register(app: App, front: Front) -> None:
    """The commands of all games, but those that are commands of the bot's own as well."""
    own = {name for it in COMMANDS for name in it.names}
    for name in sorted({name for game in registry().values() for name in game.commands} - own):
        on_command(app, front, [name], partial(command, name=name), bang=True)
    on_bang(app, front, ["start"], start)


async def press_game(front: Front, ask: Ask, said: Press) -> None:
    """A button on a game's board."""
    if said.code == "rules":
        await guide.press_rules(front, ask, said)
        return
    if said.code == "hint":
        await hint(front, ask, said)
        return
    ahead = None
    if ask.who and said.rev:
        ahead = partial(front.hall.play.ahead, said.scope, ask.who.user_id, said.rev)
    await front.do_admin(ask, partial(_press, front, ask, said), ahead)
    table = front.hall.tables.seen.get(said.scope)
    over = table is None or not table.open
    lobbys = said.code in ("join", "start", "wait", "leave", "james") or said.code.startswith(
        "charm"
    )
    of_board = said.rev > 0 or lobbys or (
        said.code == "stop" and over
    )  # fmt: skip
    boards = [showing.message_id for showing in table.showings] if table else []
    if of_board and ask.message_id and ask.message_id not in boards:
        front.doubts.look_into(ask.chat_id, ask.message_id)


def _press(
    front: Front, ask: Ask, said: Press, person: Person, now: int, admin: bool | None
) -> Done:
    hall, game_id = front.hall, said.scope
    as_written = said.code in ("verify", "analysis")
    table = _unfolded(front, game_id) if as_written else hall.tables.get(game_id)
    here, chats = ask.chat_id, {showing.chat_id for showing in table.showings}
    if here not in chats:  # one of them may have another id by now
        here, chats = front.chats.here(here), {*map(front.chats.here, chats)}
    if here not in chats or (said.code == "again" and here != table.chat_id):
        raise Refusal("refused.stale")
    match said.code:
        case "join":
            done = hall.lobby.join(person, game_id, now)
        case "charm1" | "charm2" | "charm3" | "charm4" | "charm5" | "charm6":
            done = hall.lobby.choose_charm(person, game_id, int(said.code[-1]), now)
        case "start":
            done = hall.lobby.start(person, game_id, now, admin=admin)
        case "wait":
            done = hall.lobby.wait(person, game_id, now)
        case "leave":
            done = hall.leaving.leave(person, game_id, now, chat_id=ask.chat_id, topic=ask.topic)
        case code if code.startswith("quit "):
            question = Say(
                ask.chat_id,
                text("leave.asked"),
                table.language,
                edit=ask.message_id,
                asks_of=game_id,
            )
            row = number(code.removeprefix("quit ")) or 0
            done = hall.leaving.quit(person, game_id, row, now, edit=question)
        case "stop":
            edit = ask.message_id if here == table.chat_id else 0
            done = hall.leaving.stop(person, game_id, now, admin=admin, edit=edit)
        case "james":
            done = hall.james.ask(person, game_id, now)
        case "again" | "practise":
            done = _again(front, ask, said.code, table, person, now, admin)
            front.opened(ask, person, now)
        case "sign":
            done = front.lists.ask_name(person, table, now)
        case "name":
            done = front.lists.sign_short(person, table, now, ask.message_id)
        case "sheets":
            done = _sheets(table)
        case "verify":
            done = _verify(front, ask, table, person, now)
        case "analysis":
            done = analysis(front, ask, person, game_id, now)
        case _:
            pressed = (said.rev, said.code, now)
            done = hall.play.press(person, table, *pressed, message_id=ask.message_id)
    return done


def _again(
    front: Front,
    ask: Ask,
    code: str,
    table: Table,
    person: Person,
    now: int,
    admin: bool | None,
) -> Done:
    """Another game of the kind: alone as before, or asking everybody and James."""
    hall, kind = front.hall, table.kind
    if table.solo and table.practice:
        return hall.james.practise(person, kind, now, ask.topic)
    if table.solo:
        return hall.lobby.open_solo(person, kind, now, ask.topic)
    if table.practice or code == "practise":
        return hall.james.practise_here(person, table, now, admin=admin)
    done = hall.lobby.open(
        person,
        table.chat_id,
        table.topic,
        kind,
        now,
        admin=admin,
        invited=tuple(sitting.user_id for sitting in table.people),
        james=table.james,
        pressed=True,
        agreed=table.stake,
    )
    return bells.rung(front, ask, done, person)


def _sheets(table: Table) -> Done:
    """Every sheet of a finished game as a picture, for all to see. Raises `Refusal` without one."""
    if table.status != "over" or table.game.sheets is None:
        raise Refusal("refused.stale")
    title = text("sheets.title", icon=table.game.icon, game=table.game.title())
    names = tuple(sitting.name for sitting in table.sittings)
    grid = table.game.sheets(table.state)
    draw = partial(charts.sheets, grid=grid, title=table.game.title(), names=names)
    picture = Drawing(("sheets", table.id), draw)
    say = Say(table.chat_id, title, table.language, topic=table.topic, picture=picture)
    return Done(say=(say,))


async def command(front: Front, ask: Ask, *, name: str) -> None:
    """A typed move of the game that runs here (RULES 0)."""

    def act(person: Person, now: int) -> Done:
        game_id = game_here(front, ask, person)
        if ask.words == JOIN_WORD:
            return front.hall.lobby.join(person, required(front, ask, game_id), now)
        table = front.hall.tables.get(game_id) if game_id else None
        throws = any(name in game.throws for game in registry().values())
        here = table is not None and name in table.game.throws
        if throws and not here and ask.words not in ("", "?"):
            return _thrown(front, ask, person, open_dice=False)
        sits = table and table.status == "running" and table.sitting(person.user_id)
        asked = ask.words == "?" and not sits
        leaders = front.lists.asked_by(name, ask.chat_id, now) if asked else None
        if leaders:
            return Done(toast=leaders)
        table = table or front.hall.tables.get(required(front, ask, game_id))
        if name not in table.game.commands:
            works = " ".join(f"/{known}" for known in sorted(table.game.commands))
            raise Refusal("refused.other_game", game=table.game.title(), works=works)
        return front.hall.play.command(person, table.id, name, ask.words, front.sent_at(ask), now)

    await front.do(ask, act)


async def sentence(front: Front, ask: Ask) -> None:
    """A plain sentence where a game listens; a misfit is told only in a reply to the bot.

    Whoever does not sit in that game only chats; nothing of it is noted.
    """
    game_id = front.hall.tables.here.get((ask.chat_id, ask.topic))
    table = front.hall.tables.seen.get(game_id or "")
    if table is None or table.game.hear is None:
        return
    if ask.who is None or table.sitting(ask.who.user_id) is None:
        return

    def act(person: Person, now: int) -> Done:
        try:
            return front.hall.play.hear(person, table.id, ask.words, front.sent_at(ask), now)
        except Refusal:
            if ask.to_bot:
                raise
            return Done()

    await front.do(ask, act)


async def join(front: Front, ask: Ask) -> None:
    """/join: the lobby of this chat."""

    def act(person: Person, now: int) -> Done:
        game_id = required(front, ask, game_here(front, ask, person))
        return front.hall.lobby.join(person, game_id, now)

    await front.do(ask, act)


async def leave(front: Front, ask: Ask) -> None:
    """/leave: the lobby or game of this chat."""

    def act(person: Person, now: int) -> Done:
        game_id = required(front, ask, game_here(front, ask, person))
        asked = {"chat_id": ask.chat_id, "topic": ask.topic, "reply_to": ask.message_id}
        return front.hall.leaving.leave(person, game_id, now, **asked)

    await front.do(ask, act)


async def start(front: Front, ask: Ask) -> None:
    """!start: the lobby of this chat; where there is none, what games there are."""
    if ask.private:
        await guide.start(front, replace(ask, words=""))
        return

    def act(person: Person, now: int, admin: bool | None) -> Done:
        game_id = game_here(front, ask, person)
        if game_id is None:
            greeting = guide.greeting(front, ask.chat_id, ask.topic, person.language)
            return Done(say=(greeting,))
        return front.hall.lobby.start(person, game_id, now, admin=admin)

    await front.do_admin(ask, act)


async def stop(front: Front, ask: Ask) -> None:
    """/stop: the game of this chat, for those who may (RULES 0)."""

    def act(person: Person, now: int, admin: bool | None) -> Done:
        game_id = required(front, ask, game_here(front, ask, person))
        return front.hall.leaving.stop(person, game_id, now, admin=admin)

    await front.do_admin(ask, act)


async def verify(front: Front, ask: Ask) -> None:
    """/verify: the dice of the last game here, or of the one named."""

    def act(person: Person, now: int) -> Done:
        game_id = ask.words.lower() or (
            game_here(front, ask, person) or front.store.last_finished(ask.chat_id, ask.topic)
        )
        if not game_id:
            raise Refusal("verify.none")
        table = _unfolded(front, game_id)
        found = _verified(front, ask, table, person, now)
        reply_to = 0 if ask.private else ask.message_id
        said = _proof(front, ask, table, found, person, reply_to=reply_to)
        return Done(say=(said,)) if found.file else Done(toast=found.long)

    await front.do(ask, act)


def _verify(front: Front, ask: Ask, table: Table, person: Person, now: int) -> Done:
    """The Verify button: an alert says it in short, and the chat gets the proof file once."""
    found = _verified(front, ask, table, person, now)
    if not found.file:
        return Done(toast=found.short, alert=True)
    if not front.limits.proofs.take(hash((ask.chat_id, table.id)), now, ask.update_id):
        return Done(toast=text("verify.sent", it=found.short), alert=True)
    said = _proof(front, ask, table, found, person, reply_to=ask.message_id)
    return Done(toast=found.short, alert=True, say=(said,))


def _proof(
    front: Front, ask: Ask, table: Table, found: Verification, person: Person, *, reply_to: int
) -> Say:
    """What was recomputed, with the proof file and where it can be checked."""
    body = text("verify.page", it=found.long, page=front.verify_page)
    return Say(
        ask.chat_id,
        body if front.verify_page else found.long,
        person.language,
        topic=ask.topic,
        reply_to=reply_to,
        file=(f"dicehall-{table.id}.json", found.file.encode()),
    )


def _verified(front: Front, ask: Ask, table: Table, person: Person, now: int) -> Verification:
    """The dice of a game, recomputed. Raises `Refusal` for who asks too often."""
    if not front.limits.verifies.take(person.user_id, now, ask.update_id):
        raise Refusal("refused.too_fast")
    return verification(front.store, front.hall.sealing, table)


def _unfolded(front: Front, game_id: str) -> Table:
    """A game as written, also one whose moves lead nowhere."""
    table = front.store.find(game_id)
    if table is None:
        raise Refusal("refused.no_game")
    return table


async def outside(front: Front, ask: Ask, *, open_dice: bool) -> None:
    """/dice and /diceo: a throw that belongs to no game (RULES 1.9).

    /dice alone is a command of some games.
    """
    listens = any("dice" in game.commands for game in registry().values())
    if not ask.words and not open_dice and listens:
        await command(front, ask, name="dice")
        return

    await front.do(ask, lambda person, now: _thrown(front, ask, person, open_dice=open_dice))


def _thrown(front: Front, ask: Ask, person: Person, *, open_dice: bool) -> Done:
    pool = dice.parse(ask.words)
    throw = Throw(pool, open_dice)
    values = dice.cast(throw, Stream(front.hall.chance.token_bytes(32), b"", 0))
    said = {"name": person.name, "pool": _named(pool), "sum": sum(values)}
    if len(values) == 1:
        return Done(toast=text("dice.one", **said))
    shown = dice.show(dice.chains(throw, values))
    return Done(toast=text("dice.open" if open_dice else "dice.plain", **said, throw=shown))


def _named(pool: dice.Pool) -> tuple[Text, ...]:
    """The dice as people call them: `2d6, d20`."""
    return tuple(
        text("dice.dice", n=n, sides=str(sides)) if n > 1 else text("dice.die", sides=str(sides))
        for sides, n in Counter(pool).items()
    )


def game_here(front: Front, ask: Ask, person: Person) -> str | None:
    """The game a typed move means; in private that of the board replied to, else the newest."""
    if ask.private:
        return front.hall.own_boards.private_game(person.user_id, ask.reply_to)
    return front.store.running(ask.chat_id, ask.topic)


def required(front: Front, ask: Ask, game_id: str | None) -> str:
    """The game. Raises `Refusal` where there is none, with the command that opens one."""
    if game_id is None:
        play = "/play" if ask.private else f"/play@{front.username}"
        raise Refusal("refused.no_game_here", game=play)
    return game_id


COMMANDS = (
    Command(("leave", "remove"), leave, (GROUP,), 20, bang=True),
    Command(("stop",), stop, (GROUP,), 21, bang=True),
    Command(("dice",), partial(outside, open_dice=False), (GROUP,), 22, bang=True),
    Command(("diceo",), partial(outside, open_dice=True), (GROUP,), 23, bang=True),
    Command(("join",), join, bang=True),
    Command(("verify",), verify, (PRIVATE, GROUP), 38),
)
