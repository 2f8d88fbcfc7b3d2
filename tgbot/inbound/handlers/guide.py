"""Finding one's way: /start, /help, /rules, /language, /privacy."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from economy.ledger import COINS, wallet
from games import registry
from games.game import Lines, Refusal, text
from tgbot.done import Done, Row, Say, key
from tgbot.inbound import menus
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import ADMIN, GROUP, PRIVATE, Command, deep_links, shown
from tgbot.inbound.front import Front
from tgbot.inbound.handlers.common import App, on_unknown
from tgbot.inbound.handlers.lobby import open_game
from tgbot.people.amounts import amount
from tgbot.people.people import Person
from tgbot.press import Press

DEEP_LINK = "play_"
"""What comes before a game's id in `t.me/bot?start=…`."""


async def start(front: Front, ask: Ask) -> None:
    """In private what this is; in a group the menu of games, or the game of an invitation."""

    for prefix, follow_it in deep_links().items():
        if ask.private and ask.words.startswith(prefix):
            await follow_it(front, ask, ask.words.removeprefix(prefix))
            return
    if not ask.private and ask.words in registry():
        await open_game(front, ask, kind=ask.words)
        return

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            return Done(say=(greeting(front, ask.chat_id, ask.topic, person.language),))
        rows: tuple[Row, ...] = (
            menus.invite(front.username),
            *menus.alone(),
            (
                key(text("points.button"), "points", "show"),
                key(text("rules.button"), "rules", "all"),
                key(text("language.button"), "language", "ask"),
            ),
        )
        held = front.people.ledger.balance(wallet(person.user_id))
        welcome = text("start.welcome", name=person.name, held=amount(held, COINS))
        return Done(say=(Say(ask.chat_id, welcome, person.language, rows),))

    await front.do(ask, act)


async def follow(front: Front, ask: Ask, game_id: str) -> None:
    """A deep link into a game: a member of its group joins its lobby, a player sees their board."""
    group = await front.clerk.run(partial(_lobby_of, front, game_id))
    member = await front.members.has(ask.who.user_id, group) if group and ask.who else None

    def act(person: Person, now: int) -> Done:
        table = front.hall.tables.get(game_id)
        if table.game.own is None:
            raise Refusal("refused.no_game")
        if table.status != "lobby":
            return front.hall.own_boards.show(person, game_id, now, ask.topic)
        if table.sitting(person.user_id) is None:
            if not member:
                raise Refusal("refused.unsure_member" if member is None else "refused.no_member")
            front.hall.lobby.join(person, game_id, now)
        say = Say(ask.chat_id, text("own.waiting", game=table.game.title()), person.language)
        return Done(say=(say,), games=(game_id,))

    await front.do(ask, act)


def _lobby_of(front: Front, game_id: str) -> int:
    """The group of a game whose lobby is open; 0 for any other."""
    table = front.store.find(game_id)
    return table.chat_id if table and table.status == "lobby" else 0


def greeting(front: Front, chat_id: int, topic: int, language: str) -> Say:
    """What a group reads when the bot is added, or when it asks for /start."""
    keys = (*menus.games(), (key(text("rules.button"), "rules", "all"),))
    return Say(chat_id, text("start.hello_group"), language, keys, topic=topic)


async def show_help(front: Front, ask: Ask) -> None:
    """Every command of this place with one line."""

    def act(person: Person, now: int) -> Done:
        found = shown(PRIVATE if ask.private else ADMIN, front.words)
        at = "" if ask.private else f"@{front.username}"
        lines = tuple(
            text("help.line", command=f"{name}{at}", about=about) for name, about in found.items()
        )
        body = text("help.private" if ask.private else "help.group", lines=Lines(lines))
        return Done(say=(Say(ask.chat_id, body, person.language, topic=ask.topic),))

    await front.do(ask, act)


async def rules(front: Front, ask: Ask) -> None:
    """The rules of the game named, or of the one that runs here; else the choice of games."""

    def act(person: Person, now: int) -> Done:
        game_id = front.store.running(ask.chat_id, ask.topic)
        kind = ask.words.lower()
        if kind not in registry() and game_id:
            kind = front.hall.tables.get(game_id).kind
        if kind not in registry():
            if len(registry()) > 1:
                title = text("rules.which")
                keys = menus.games("rules")
                say = Say(ask.chat_id, title, person.language, keys, topic=ask.topic)
                return Done(say=(say,))
            kind = next(iter(registry()))
        return _page(ask, person, kind)

    await front.do(ask, act)


def _page(ask: Ask, person: Person, kind: str) -> Done:
    """A game's rules, with a button that opens it where it can be played here."""
    game = registry()[kind]
    play = key(text("rules.open", game=game.title()), "open", kind, style="primary")
    keys = () if ask.private and not game.solo else ((play,),)
    page = text(f"{kind}.rules")
    return Done(say=(Say(ask.chat_id, page, person.language, keys, topic=ask.topic),))


async def press_rules(front: Front, ask: Ask, said: Press) -> None:
    """Rules by a button: short as an alert on a lobby, whole as a message elsewhere."""

    def act(person: Person, now: int) -> Done:
        if said.scope != "rules":
            kind = front.hall.tables.get(said.scope).kind
            return Done(toast=text(f"{kind}.rules_short"), alert=True)
        kinds = [said.code] if said.code in registry() else list(registry())
        if len(kinds) > 1:
            keys = menus.games("rules")
            which = Say(ask.chat_id, text("rules.which"), person.language, keys, topic=ask.topic)
            return Done(say=(which,))
        return _page(ask, person, kinds[0])

    await front.do(ask, act)


async def language(front: Front, ask: Ask) -> None:
    """The language the bot speaks with the asker."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.private_only", bot=front.username)
        return front.people.language(person)

    await front.do(ask, act)


async def press_language(front: Front, ask: Ask, said: Press) -> None:
    """A language was chosen, or the choice asked for."""

    def act(person: Person, now: int) -> Done:
        if said.code == "ask":
            return front.people.language(person)
        if not ask.private:
            raise Refusal("refused.stale")
        done = front.people.choose_language(person, said.code, ask.message_id)
        return replace(done, games=front.hall.own_boards.speak(person))

    await front.do(ask, act)


async def unknown(front: Front, ask: Ask) -> None:
    """A hint where a command means nothing to this bot."""
    command = "/help" if ask.private else f"/help@{front.username}"
    await front.do(ask, lambda person, now: Done(toast=text("help.unknown", help=command)))


async def privacy(front: Front, ask: Ask) -> None:
    """What the bot keeps of the asker."""

    def act(person: Person, now: int) -> Done:
        if not ask.private:
            raise Refusal("refused.private_only", bot=front.username)
        return front.people.privacy(person)

    await front.do(ask, act)


async def press_privacy(front: Front, ask: Ask, said: Press) -> None:
    """The switch for lists outside one's own chats."""

    def act(person: Person, now: int) -> Done:
        if not ask.private or said.code not in ("0", "1"):
            raise Refusal("refused.stale")
        return front.people.list_me(person, said.code == "1", ask.message_id)

    await front.do(ask, act)


COMMANDS = (
    Command(("start",), start, (PRIVATE,), 10),
    Command(("language",), language, (PRIVATE,), 35),
    Command(("privacy",), privacy, (PRIVATE,), 36),
    Command(("rules",), rules, (PRIVATE, GROUP), 37),
    Command(("help",), show_help, (PRIVATE, GROUP), 40),
)

MENUS = {"language": press_language, "privacy": press_privacy, "rules": press_rules}
"""What handles the presses on its buttons, by their scope."""
DEEP_LINKS = {DEEP_LINK: follow}
"""What follows the deep links that begin so."""


def register_last(app: App, front: Front) -> None:
    """Commands that nobody else took."""
    on_unknown(app, front, unknown)
