"""How a game goes on: it begins, moves are made with their dice, what is over is settled.

Every way to move a game ends here: presses and typed moves, late joining, leaving, and time. The
methods run inside the transaction of a use case.
"""

from __future__ import annotations

from typing import Any

from games.dice import cast
from games.fairness import players_part
from games.game import HOUSE, Draw, Game, Setup
from tgbot.config import WrongSetting
from tgbot.hall.chance import Chance
from tgbot.hall.sealing import Sealing
from tgbot.hall.settle import Settling
from tgbot.hall.table import ALONG, PRACTICE, Showing, Table, with_james
from tgbot.hall.tables import Tables, new_phase


class Moves:
    """Begins games, and makes moves in them."""

    def __init__(
        self, tables: Tables, settling: Settling, sealing: Sealing, chance: Chance
    ) -> None:
        self.store = tables.store
        self.tables = tables
        self.settling = settling
        self.sealing = sealing
        self.chance = chance

    def begin(self, table: Table, now: int, topic: int = 0) -> None:
        """Starts a game with those who sit in its lobby; called off, as by `make`.

        Boards of single seats stand in the thread `topic` of their private chats.
        """
        if not self.fits(table):
            self.settling.without_key(table, now)
            return
        self.store.selections.forget(table.id)  # who would have called it off has a game to stop
        lobby, table = table, self._with_james(table, now)
        for seat, sitting in enumerate(table.sittings):
            self.store.seats.number(sitting.row, seat)
        seated = self.store.seats.of(table.id, lobby=False)
        if table.james:
            seated = with_james(seated)
        table = table.changed(sittings=seated)
        part = players_part(sitting.charm for sitting in seated)
        state = table.game.rules.start(Setup(len(seated), table.options, table.guests))
        robin = self.settling.robin.attach(table, now)
        table = table.changed(status="running", part=part, state=state, robin=robin)
        if table.own:
            for sitting in table.people:
                table = self.tables.add_showing(
                    table, Showing(sitting.seat, sitting.user_id, topic)
                )
        table = self._house_moves(table, now)
        for showing in table.showings:
            table = new_phase(table, showing.seat, now)
        self._await_james(lobby, table, now)
        self.tables.save(table)

    def _with_james(self, table: Table, now: int) -> Table:
        """A lobby as it starts: James makes room where it is full; one person practises with him,
        and gets the stake back."""
        people, most = len(table.people), table.game.seats[1]
        if not table.james or people == most:
            return table.changed(james=0)
        if people > 1:
            return table.changed(james=ALONG)
        for sitting in table.people:
            self.settling.give_back(table, sitting, now)
        return table.changed(james=PRACTICE, stake=0)

    def make(self, table: Table, seat: int, move: str, now: int) -> Table:
        """The table after a move, the house's moves that follow, and the settlement.

        Called off, where its seal no longer fits the dice key.
        """
        if not self.fits(table):
            return self.settling.without_key(table, now)
        before = table
        revs = {showing.seat: table.phase(showing.seat).rev for showing in table.showings}
        table = self._house_moves(self._move(table, seat, move, now), now)
        self.store.selections.unpick(table.id, seat)
        picked = {other: p for other, p in table.selections.items() if other != seat}
        table = table.changed(selections=picked)
        outcome = table.game.rules.outcome(table.state)
        if outcome:
            table = self.settling.settle(table, outcome, now)
        self._await_james(before, table, now)
        if outcome:
            return self.tables.save(table)
        table = self.settling.records.fallen(before, table, now)
        for other, rev in revs.items():
            if table.phase(other).rev != rev:
                table = new_phase(table, other, now)
        # Where everybody plays in private, only their own board and the common one change. That of
        # who plays alone offers charms until the first throw, which may be one of James's.
        first = table.alone and not before.n
        return self.tables.save(table, (HOUSE, seat) if table.own and not first else None)

    def _await_james(self, before: Table, table: Table, now: int) -> None:
        """Puts down when James acts: 2 to 4 s after his phase opened, sooner by the game's pace."""
        then, rev = (it.awaits_james and it.phase(it.guests[0]).rev for it in (before, table))
        if rev != then:
            pause_s = (2 + table.n % 3) * min(100, table.options.get("pace", 100)) // 100
            self.store.due.set("james", table.id, now + pause_s if rev else 0)

    def _house_moves(self, table: Table, now: int) -> Table:
        while (move := table.game.rules.house(table.state)) is not None:
            table = self._move(table, HOUSE, move, now)
        return table

    def _draw(self, table: Table, move: str) -> Draw:
        """The dice of a game's next move; in a daily they go by turn and throw (RULES 9)."""
        daily = table.game.daily if table.daily else None
        n = daily.number(table.state, move) if daily else table.n
        secret = self.sealing.secret(table)
        assert secret, f"the seal of {table.id} was checked before"
        return self.chance.stream(secret, table.part, n)

    def fits(self, table: Table) -> bool:
        """Whether its dice can be made: its seal fits the dice key, or the key is elsewhere."""
        try:
            return self.sealing.secret(table) is not None
        except WrongSetting:
            return True  # a tool without the key; it is asked for as soon as dice are thrown

    def _move(self, table: Table, seat: int, move: str, now: int) -> Table:
        game: Game[Any] = table.game
        throw = game.rules.throw(table.state, seat, move)
        dice = cast(throw, self._draw(table, move)) if throw.sides else ()
        state = game.rules.play(table.state, seat, move, dice)
        self.store.moves.add(table.id, table.n, seat, move, throw, dice, now)
        return table.changed(state=state, n=table.n + 1)
