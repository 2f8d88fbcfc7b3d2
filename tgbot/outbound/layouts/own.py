"""The board of one seat in its player's private chat."""

from __future__ import annotations

from games.fairness import CHARMS
from games.game import Lines, Text, text
from tgbot.done import Row, key
from tgbot.hall.best_lists import standing_line
from tgbot.hall.table import Table
from tgbot.outbound.layouts.common import Layout, analysis_row, charms, seal
from tgbot.outbound.layouts.ended import reason, stopped
from tgbot.outbound.layouts.running import game_keys


def own(table: Table, seat: int) -> Layout:
    """The board of one seat in its private chat; once all is over, with what to do next."""
    own = table.game.own
    assert own
    if table.state is None or not (table.open or table.status == "over"):
        return stopped(table)
    board = own(table.state, seat, table.selections.get(seat, ""))
    if table.open:
        keys = game_keys(table, board, table.phase(seat).rev)
        first = table.alone and not table.n
        mine = [_my_charm(table, seat)] if table.alone and table.sittings[seat].charm else []
        return [*board.lines, *mine, *seal(table)], ((charms(table), *keys) if first else keys)
    rows: list[Row] = []
    if str(seat) in table.result.get("signable", {}) and seat not in table.result.get("signed", ()):
        rows.append((key(text("sign.button"), table.id, "sign", style="success"),))
    again = (key(text("result.again"), table.id, "again", style="primary"),) if table.solo else ()
    rows.append((*again, *analysis_row(table), key(text("result.verify"), table.id, "verify")))
    compared = table.result.get("compared", {}).get(str(seat), ())
    lists = [text("sign.lists", lists=Lines(tuple(map(standing_line, compared))))]
    verdict = [reason(table)] if table.practice else []
    lines = [*board.lines, *verdict, *(lists if compared else []), *seal(table)]
    return [*lines, text("result.game", game=table.id)], tuple(rows)


def _my_charm(table: Table, seat: int) -> Text:
    return text("lobby.my_charm", charm=CHARMS[table.sittings[seat].charm])
