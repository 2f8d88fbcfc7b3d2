"""The bell `🔔`: being told privately when a game opens in a chat, once or every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from games.game import Refusal, Text, text
from tgbot.done import Done, Key, Row, Say, key
from tgbot.hall.table import Table
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.people.bells import Bells
from tgbot.people.people import Person, can_be_written_to
from tgbot.press import Press, number
from tgbot.words import spoken

_WAYS = {
    "rung": ("once", "always"),
    "once": ("always", "off"),
    "always": ("off",),
    "off": ("once", "always"),
}
"""What is offered to whom: whose bell has rung its one time, and who has just chosen."""
DEEP_LINK = "bell_"
"""What comes before a game's id in `t.me/bot?start=…`."""


def rung(front: Front, ask: Ask, done: Done, opener: Person) -> Done:
    """`done` with a word to everybody whose bell hangs where a lobby has just opened.

    Who is asked by the lobby itself, or was told often of late, is not told; a bell that was to
    ring once stays for the next time.
    """
    if not done.games:
        return done  # there is a game already
    table = front.hall.tables.get(done.games[0])
    bells, said = Bells(front.store.db), []
    know = {opener.user_id, *(user_id for user_id, _ in table.invited)}
    for bell in bells.hanging(table.chat_id):
        if bell.user_id in know:
            continue
        if not front.limits.bells.take(bell.user_id, front.now(), ask.update_id):
            continue
        if not bell.always:
            bells.take_off(bell.user_id, table.chat_id)
        title = front.chats.settings(table.chat_id).title
        keys = ((_join_key(table),), _choice(table.chat_id, "always" if bell.always else "rung"))
        said.append(Say(bell.user_id, _news(table, title, opener), bell.language, keys))
    return replace(done, say=(*done.say, *said))


def _news(table: Table, title: str, opener: Person) -> Text:
    stake = text("lobby.stake", stake=table.stake) if table.stake else text("lobby.free")
    game = {"icon": table.game.icon, "game": table.game.title(), "stake": stake}
    return text("bell.rings", chat=title, name=opener.name, **game)


def _join_key(table: Table) -> Key:
    label = text("lobby.join_stake", n=table.stake) if table.stake else text("lobby.join")
    return key(label, "bell", f"join {table.id}", style="success")


def _choice(chat_id: int, now: str) -> Row:
    """The keys of a bell's other ways to ring."""
    return tuple(key(text(f"bell.key_{way}"), "bell", f"{way} {chat_id}") for way in _WAYS[now])


async def press_bell(front: Front, ask: Ask, said: Press) -> None:
    """The bell of a lobby, and what is chosen below what it says in private."""
    way, _, ref = said.code.partition(" ")
    if not ask.private:
        await front.do(ask, lambda person, now: _turn(front, ask, person, ref))
    elif way == "join":
        await _join(front, ask, ref)
    elif way in ("once", "always", "off", "drop") and (chat_id := number(ref)):
        await _choose(front, ask, way, chat_id)
    else:
        front.answers.refuse(ask, Refusal("refused.stale"), spoken(ask.code))


def _turn(front: Front, ask: Ask, person: Person, game_id: str) -> Done:
    """Who cannot be written to is led to their private chat, and comes back by a deep link."""
    if not can_be_written_to(front.store.db, person.user_id):
        return Done(start=f"{DEEP_LINK}{game_id}")
    way = Bells(front.store.db).turn(front.chats.here(ask.chat_id), person.user_id)
    return Done(toast=text(f"bell.{way}"))


async def follow(front: Front, ask: Ask, game_id: str) -> None:
    """A deep link from the bell of a chat: from now on its owner can be written to."""
    chat_id = await front.clerk.run(lambda: _chat_of(front, game_id))
    await _by_member(front, ask, chat_id, partial(_chosen, front, ask, "once", chat_id, 0))


async def _choose(front: Front, ask: Ask, way: str, chat_id: int) -> None:
    """Only who is in a chat may hear of it; anybody may hear no more."""
    choose = partial(_chosen, front, ask, way, chat_id, ask.message_id)
    if way in ("off", "drop"):
        await front.do(ask, lambda person, now: choose(person))
    else:
        await _by_member(front, ask, chat_id, choose)


def _chosen(front: Front, ask: Ask, way: str, chat_id: int, edit: int, person: Person) -> Done:
    chat_id, bells = front.chats.here(chat_id), Bells(front.store.db)
    if way in ("off", "drop"):
        bells.take_off(person.user_id, chat_id)
        if way == "drop":
            return front.people.privacy(person, edit)
    else:
        bells.hang(chat_id, person.user_id, always=way == "always")
    said = text(f"bell.set_{way}", chat=front.chats.settings(chat_id).title)
    say = Say(ask.chat_id, said, person.language, (_choice(chat_id, way),), edit=edit)
    return Done(say=(say,))


async def _join(front: Front, ask: Ask, game_id: str) -> None:
    """Takes a seat in the lobby a bell told of, from the private chat."""
    chat_id = await front.clerk.run(lambda: _chat_of(front, game_id))

    def act(person: Person) -> Done:
        done = front.hall.lobby.join(person, game_id, int(front.now()))
        said = text("bell.joined", chat=front.chats.settings(chat_id).title)
        return replace(
            done, say=(Say(ask.chat_id, said, person.language, edit=ask.message_id), *done.say)
        )

    await _by_member(front, ask, chat_id, act)


async def _by_member(front: Front, ask: Ask, chat_id: int, act: Callable[[Person], Done]) -> None:
    """Does what only somebody in the chat may do."""
    member = await front.members.has(ask.who.user_id, chat_id) if chat_id and ask.who else None

    def done(person: Person, now: int) -> Done:
        if not chat_id:
            raise Refusal("refused.no_game")
        if not member:
            raise Refusal("refused.unsure_member" if member is None else "refused.no_member")
        return act(person)

    await front.do(ask, done)


def _chat_of(front: Front, game_id: str) -> int:
    """The group of a game; 0 where there is none."""
    table = front.store.find(game_id)
    return table.chat_id if table and table.chat_id < 0 else 0


MENUS = {"bell": press_bell}
"""What handles the presses on its buttons, by their scope."""
DEEP_LINKS = {DEEP_LINK: follow}
"""What follows the deep links that begin so."""
