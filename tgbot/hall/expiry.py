"""What happens when the time of a lobby or of a phase is over (RULES 0)."""

from __future__ import annotations

from dataclasses import replace

from economy.transactions import undoable
from games.game import HOUSE
from tgbot.done import Done
from tgbot.hall.moves import Moves
from tgbot.hall.table import EMPTY, GRACE_S, Table
from tgbot.hall.tables import Tables, due_board


class _Unseen(Exception):
    """A game that cannot be shown would end by time alone."""


class Expiry:
    """Starts or calls off lobbies, and moves for those who let their time run out."""

    def __init__(self, tables: Tables, moves: Moves) -> None:
        self.store = tables.store
        self.tables = tables
        self.moves = moves
        self.settling = moves.settling

    def expire(self, ref: str, now: int) -> Done:
        """What happens when a lobby's or phase's time is over; nothing if it is not."""
        game_id, seat = due_board(ref)
        table = self.tables.get(game_id)
        if not table.open:
            self.store.due.set("game", ref, 0)
            return Done(games=(game_id,))
        showing = table.showing(seat)
        if not 0 < showing.fires_at <= now:
            self.store.due.set("game", ref, showing.fires_at)
            return Done(games=(game_id,))  # another process may have changed it
        if 0 < showing.called_off_at <= now:
            self.settling.call_off(table, now, "void", "unseen")
            return Done(games=(game_id,))
        if table.status == "lobby":
            if table.can_start:
                self.moves.begin(table, now)
            else:
                self.settling.call_off(table, now, why="" if table.sittings else EMPTY)
            return Done(games=(game_id,))
        if table.daily:  # it stays as it stands (RULES 9)
            self.moves.make(table, seat, "leave", now)
            return Done(games=(game_id,))
        if seat != HOUSE and not table.phase(seat).actors:
            # Who is through waits for the others; nothing of theirs is due any more.
            self.tables.save_showing(table, replace(table.showing(seat), due_at=0))
            return Done()
        try:
            with undoable(self.store.db):
                self._force(table, seat, now)
        except _Unseen:
            # Nobody wins by what nobody could see: it waits to be shown, or to be called off.
            self.tables.undone()
            self.tables.save_showing(table, replace(showing, due_at=now + GRACE_S))
        return Done(games=(game_id,), say=self.settling.news(self.tables.get(game_id)))

    def _force(self, table: Table, seat: int, now: int) -> None:
        """The moves of those whose time is over. Raises `_Unseen` where they would end a game that
        cannot be shown."""
        showing, rev, rules = table.showing(seat), table.phase(seat).rev, table.game.rules
        shared = table.showings[0]
        hidden = shared.hidden_at and not (showing is shared and shared.shown)
        while table.open and table.phase(seat).rev == rev:
            forced = rules.expire(table.state, seat, seen=bool(showing.shown))
            if forced is None:
                raise RuntimeError(f"{table.kind} has no move for a phase that is over")
            table = self.moves.make(table, *forced, now)
            if hidden and not table.open:
                raise _Unseen
