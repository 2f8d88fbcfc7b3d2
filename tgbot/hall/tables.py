"""Pictures of all games, kept between use cases.

A picture changed in a transaction is staged and counts for everybody else only once that
transaction has committed; one that was lost is forgotten.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace

from economy.ledger import COINS, Ledger
from games.game import HOUSE, Refusal
from tgbot.hall.store import Store
from tgbot.hall.table import GRACE_S, Showing, Table

MOST_OVER = 64


class Tables:
    """Reads games, and writes what changed of them."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self.store = store
        self.ledger = ledger
        self.seen: dict[str, Table] = {}
        """Committed pictures of open games, and of others until they are painted, for anyone."""
        self._over: dict[str, Table] = {}
        """Pictures of finished games that were asked for lately: folding one takes its time."""
        self.here: dict[tuple[int, int], str] = {}
        """The open game of a chat and topic, as far as it is in `seen`."""
        self._local = threading.local()

    @property
    def _staged(self) -> dict[str, Table]:
        """What the transaction of this thread has changed."""
        staged: dict[str, Table] | None = getattr(self._local, "staged", None)
        if staged is None:
            staged = self._local.staged = {}
        return staged

    @property
    def _before(self) -> dict[str, Table | None]:
        """What was staged of a game before the present use case of this thread changed it."""
        before: dict[str, Table | None] | None = getattr(self._local, "before", None)
        if before is None:
            before = self._local.before = {}
        return before

    def committed(self) -> None:
        """What was staged has become durable."""
        for table in self._staged.values():
            seen = self.seen.get(table.id)
            if seen and seen.stamp > table.stamp:
                continue  # another thread was faster with something newer
            thread = (table.chat_id, table.topic)
            if table.open:
                self.here[thread] = table.id
            elif self.here.get(thread) == table.id:
                del self.here[thread]
            if table.open or table.behind:
                self.seen[table.id] = table
            else:
                self.seen.pop(table.id, None)
        self._staged.clear()

    def rolled_back(self) -> None:
        """What was staged was lost."""
        self._staged.clear()

    def begin(self) -> None:
        """Another use case begins."""
        self._before.clear()

    def undone(self) -> None:
        """The present use case was undone: what it staged never was."""
        for game_id, before in self._before.items():
            if before is None:
                self._staged.pop(game_id, None)
            else:
                self._staged[game_id] = before
        self._before.clear()

    def get(self, game_id: str) -> Table:
        """The game as it stands in this transaction. Raises `Refusal` for one that never was."""
        stamp = self.store.stamp(game_id)
        if stamp is None:
            raise Refusal("refused.no_game")
        known = self._staged.get(game_id) or self.seen.get(game_id) or self._over.get(game_id)
        if known is None or known.stamp != stamp:
            known = self.with_jackpot(self.store.read(game_id, known))
            self._stage(known)
            if not known.open:
                self._keep(known)
        return known

    def look(self, game_id: str) -> bool:
        """Has the picture of a game as it stands; False while another transaction has the game."""
        free = self.store.free(game_id)
        if free:
            self.get(game_id)
        return free

    def _keep(self, table: Table) -> None:
        self._over[table.id] = table
        if len(self._over) > MOST_OVER:
            self._over.pop(next(iter(self._over)), None)

    def forget(self, game_id: str) -> None:
        """Reads the game anew next time."""
        self.seen.pop(game_id, None)
        self._over.pop(game_id, None)
        self._staged.pop(game_id, None)

    def prune(self, still_open: set[str]) -> None:
        """Drops pictures of games that others have ended."""
        for game_id, table in list(self.seen.items()):
            if table.open and game_id not in still_open:
                self.seen.pop(game_id, None)
                self.here.pop((table.chat_id, table.topic), None)

    def with_jackpot(self, table: Table) -> Table:
        """The picture with what its chat's jackpot holds."""
        if not table.game.jackpot:
            return table
        held = self.ledger.balances("jackpot", str(table.chat_id))
        return table.changed(jackpot={c: held[c] for c in (COINS, table.kind) if held.get(c)})

    def insert(self, table: Table) -> Table:
        """Writes a new game."""
        self.store.insert(table)
        for showing in table.showings:
            self._due(table, showing)
        self._stage(table)
        return table

    def save(self, table: Table, seats: Iterable[int] | None = None) -> Table:
        """Writes a changed game; the boards of `seats` (None: all) are out of date with it."""
        table = table.changed(stamp=table.stamp + 1)
        self.store.update(table)
        for showing in table.showings:
            if seats is None or showing.seat in seats:
                changed = replace(showing, revision=showing.revision + 1)
                table = table.with_showing(changed)
                self.store.boards.update(table.id, changed)
                self._due(table, changed)
        self._stage(table)
        return table

    def save_showing(self, table: Table, showing: Showing) -> Table:
        """Writes how far a board is painted, and its clock; nothing is out of date with it."""
        table = table.with_showing(showing).changed(stamp=table.stamp + 1)
        self.store.restamp(table)
        self.store.boards.update(table.id, showing)
        self._due(table, showing)
        self._stage(table)
        return table

    def add_showing(self, table: Table, showing: Showing) -> Table:
        """Writes a new board."""
        self.store.boards.add(table.id, showing)
        self._due(table, showing)
        return table.changed(showings=(*table.showings, showing))

    def _stage(self, table: Table) -> None:
        self._before.setdefault(table.id, self._staged.get(table.id))
        self._staged[table.id] = table

    def _due(self, table: Table, showing: Showing) -> None:
        self.store.due.set(
            "game", due_ref(table.id, showing.seat), showing.fires_at if table.open else 0
        )


def new_phase(table: Table, seat: int, now: int) -> Table:
    """The picture with a board whose phase has just begun: its time runs once it is seen."""
    due = table.runs_until(seat, now + GRACE_S)
    return table.with_showing(replace(table.showing(seat), began_at=now, shown=0, due_at=due))


def due_ref(game_id: str, seat: int) -> str:
    """How a due row names a board: the game's id, and the seat where it is a seat's own."""
    return game_id if seat == HOUSE else f"{game_id}:{seat}"


def due_board(ref: str) -> tuple[str, int]:
    """The game and seat of a due row."""
    game_id, _, seat = ref.partition(":")
    return game_id, int(seat) if seat else HOUSE
