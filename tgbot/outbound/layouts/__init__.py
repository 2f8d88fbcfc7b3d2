"""What every board says and offers: its lines and keys, by how far its game is.

`layout` finds the right one; each is a function from a `Table` to lines and rows of keys. They know
words by their keys only, and nothing of Telegram.
"""

from __future__ import annotations

from games.game import HOUSE
from tgbot.hall.table import Table
from tgbot.outbound.layouts.common import Layout
from tgbot.outbound.layouts.daily import daily
from tgbot.outbound.layouts.ended import off, over, stopped
from tgbot.outbound.layouts.lobby import lobby
from tgbot.outbound.layouts.own import own
from tgbot.outbound.layouts.running import running

BY_STATUS = {
    "lobby": lobby,
    "running": running,
    "over": over,
    "off": off,
    "stopped": stopped,
    "void": stopped,
}


def layout(table: Table, seat: int) -> Layout:
    """The lines and keys of a seat's own board, or of everybody's (`games.game.HOUSE`)."""
    if seat == HOUSE:
        return BY_STATUS[table.status](table)
    return daily(table, seat) if table.daily else own(table, seat)
