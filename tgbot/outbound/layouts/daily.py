"""The board of somebody's attempt at a daily, in their private chat (RULES 9)."""

from __future__ import annotations

from datetime import date

from games.game import Until, text
from tgbot.done import key
from tgbot.hall.table import Table
from tgbot.outbound.layouts.common import Layout
from tgbot.outbound.layouts.ended import stopped
from tgbot.outbound.layouts.running import game_keys


def daily(table: Table, seat: int) -> Layout:
    """The lines and keys of a turn; once it is over, what leads to where one stands."""
    if table.own is None or table.state is None or not (table.open or table.status == "over"):
        return stopped(table)
    day = date.fromisoformat(table.daily)
    title = text("daily.title", icon=table.game.icon, day=day)
    board = table.own(table.state, seat, table.selections.get(seat, ""))
    if not table.open:
        stand = key(text("daily.stand"), "daily", f"day {table.daily}", style="primary")
        return [title, *board.lines, text("result.game", game=table.id)], ((stand,),)
    lines = [title, *board.lines, text("daily.until", ends=Until())]
    keys = game_keys(table, board, table.phase(seat).rev)
    if not table.n:
        seals = text("daily.seals", seal=table.sealed, tomorrow=table.options["tomorrow"])
        lines += [text("daily.about"), seals]
        if before := table.options.get("before"):
            keys = (*keys, (key(text("daily.yesterday"), "daily", f"day {before}"),))
    return lines, keys
