"""Boards: a picture of a game becomes the text and keyboard of its message (BOARDS.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from games.game import HOUSE, Text, text
from tgbot.done import Key
from tgbot.hall.table import Table
from tgbot.outbound.layouts import layout
from tgbot.outbound.layouts.ended import WITHOUT_RESULT
from tgbot.outbound.layouts.lobby import everybody, kept_lines
from tgbot.outbound.markup import Keyboard, fitting, keyboard
from tgbot.words import Cast, Words

SHOWN = ("running", "over")
"""Games whose throws are shown to the end."""


@dataclass(frozen=True)
class BoardMessage:
    """A board as its message is to show it.

    `revision` is the board's, `scene` and `rev` are those of its phase, which ends at `ends` (unix
    seconds).
    """

    html: str
    keyboard: Keyboard | None
    revision: int
    scene: int
    rev: int
    ends: int


def message(table: Table, seat: int, words: Words, now: float) -> BoardMessage:
    """The newest board of a seat, or everybody's (`games.game.HOUSE`).

    The phase's time counts from `now` (unix seconds) if it was not shown yet.
    """
    phase, showing = table.phase(seat), table.showing(seat)
    ends = showing.due_at if showing.shown else table.runs_until(seat, math.ceil(now))
    cast = Cast(
        names=table.names + [name for _, name in table.invited],
        users=[s.user_id for s in table.sittings] + [user for user, _ in table.invited],
        mention=_mentioned(table) if seat == HOUSE else frozenset(),
        ends=ends,
        now=math.ceil(now),
    )
    lines, rows = layout(table, seat)
    rows = tuple(tuple(_linked(k, words) for k in row) for row in rows)
    language = table.spoken(seat)
    return BoardMessage(
        fitting([words.html(line, language, cast) for line in lines]),
        keyboard(rows, words, language),
        showing.revision,
        phase.scene,
        phase.rev,
        ends,
    )


def past(table: Table, seat: int, words: Words) -> str | None:
    """What the message of the scene before this one is left to say; None: as it is."""
    scene = table.showing(seat).scene
    lines: list[Text] = []
    if table.open and scene < 0:
        title = text("menu.game", icon=table.game.icon, game=table.game.title())
        lines = [text("board.moved", it=text("daily.button") if table.daily else title)]
    elif seat == HOUSE and scene == 0:
        # What was called off is told once, by the board that comes.
        lines = kept_lines(table)[:1] if table.status == "off" else kept_lines(table)
    elif seat == HOUSE and table.state is not None and scene > 0:
        lines = list(table.game.view.past(table.state, scene))
    if seat == HOUSE and table.status in WITHOUT_RESULT:
        lines.append(text("stop.title", icon=table.game.icon, game=table.game.title()))
    cast = Cast(table.names, [s.user_id for s in table.sittings])
    return fitting([words.html(line, table.language, cast) for line in lines]) or None


def ending(table: Table, seat: int, words: Words) -> tuple[str, ...]:
    """What a group's board says, one after the other, before the board of the next scene comes.

    The steps of a throw worth the wait, and what it brought; only the latter where the game is over
    with it; else nothing, and the next scene begins at once.
    """
    showing = table.showing(seat)
    if seat != HOUSE or table.state is None or showing.scene < 1 or table.status not in SHOWN:
        return ()
    steps = table.game.view.reveal(table.state, showing.scene)
    if not steps and table.status != "over":
        return ()
    cast = Cast(table.names, [s.user_id for s in table.sittings])
    shown = [fitting([words.html(line, table.language, cast) for line in step]) for step in steps]
    return (*shown, *filter(None, [past(table, seat, words)]))


def _linked(k: Key, words: Words) -> Key:
    """A key whose address is a deep link's word leads into the bot's private chat."""
    if not k.url or "://" in k.url:
        return k
    return replace(k, url=f"https://t.me/{words.names['bot']}?start={k.url}")


def _mentioned(table: Table) -> frozenset[int]:
    """The numbers of the names that notify their owners: whose turn it is, who is invited."""
    if table.status == "running":
        return frozenset(table.phase().actors) - {*table.guests}
    if table.status == "lobby":
        return frozenset(range(len(table.sittings), len(everybody(table))))
    return frozenset()
