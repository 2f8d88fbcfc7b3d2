"""Keyboards that belong to no single game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games import registry
from games.game import Game, text
from tgbot.done import Key, Row, Say, grid, key

COLUMNS = 2


def games(
    scope: str = "open", which: Callable[[Game[Any]], bool] = lambda game: True
) -> tuple[Row, ...]:
    """A button for every game that is `which`: to `open` it, read its `rules`, or with `james`."""
    keys = [
        key(text("menu.game", icon=game.icon, game=game.title()), scope, kind)
        for kind, game in registry().items()
        if which(game)
    ]
    return grid(keys, COLUMNS)


def free(kind: str) -> tuple[Row, ...]:
    """The button that opens a game here without a stake."""
    return ((key(text("broke.free", game=registry()[kind].title()), "free", kind), daily()),)


def group_link(username: str, word: str) -> str:
    """The address that brings the bot into a group of one's choice; a game as the `word` is opened
    there."""
    return f"https://t.me/{username}?startgroup={word}"


def invite(username: str, word: str = "new") -> Row:
    """The button that brings the bot into a group, with a game as the `word`."""
    return (Key(text("start.add"), url=group_link(username, word)),)


def alone() -> tuple[Row, ...]:
    """A button for every game that somebody can play alone in private, for James and the daily."""
    with_james = key(text("james.practise"), "james", "ask")
    return (*games(which=lambda game: game.solo), (with_james, daily()))


def minds() -> tuple[Row, ...]:
    """A button for every game that can be practised with James."""
    return games("james", lambda game: bool(game.mind))


def daily() -> Key:
    """The button that leads to the daily, which costs nothing."""
    return key(text("daily.button"), "daily", "open")


def into_a_group(user_id: int, language: str, username: str, word: str = "new") -> Say:
    """What somebody reads who wants to play alone what takes several, a game as the `word`."""
    keys = (invite(username, word), *alone())
    return Say(user_id, text("start.group"), language, keys)
