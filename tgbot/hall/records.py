"""Records: results that enter a best list, and those that nobody has beaten on their day."""

from __future__ import annotations

from collections.abc import Iterator

from economy.best_lists import Best, TopLists, bounds
from games.best_list import BestList
from games.game import Outcome, Record
from tgbot.config import Settings
from tgbot.hall.best_lists import Standing, standings
from tgbot.hall.bonuses import Bonuses
from tgbot.hall.store import Store
from tgbot.hall.table import Table

Waiting = dict[str, tuple[list[int], list[Standing]]]
"""Results that wait for a name, by seat: value and time, `[5400, 1800000000]`, and where they stand
in each list."""


class Records:
    """Runs inside the caller's transaction."""

    def __init__(self, store: Store, bests: TopLists, bonuses: Bonuses, settings: Settings) -> None:
        self.store = store
        self.bests = bests
        self.bonuses = bonuses
        self.settings = settings

    def enter(self, table: Table, outcome: Outcome, now: int) -> tuple[Waiting, list[Record]]:
        """Enters what a finished game brought; answers what waits for a name, and of each list the
        record of the day."""
        waiting: Waiting = {}
        of_the_day: dict[str, Record] = {}
        lists: dict[str, BestList] = {}
        for best, record in _listed(table, outcome.records):
            if best.signed:
                waiting[str(record.seat)] = self._compared(table, best, record)
                continue
            who = table.sittings[record.seat].user_id
            counted = self._counts(best, who, now)
            led = of_the_day.get(best.name)
            if counted and (
                record.value > led.value if led else self._leads(table, best, record, now)
            ):
                of_the_day[best.name] = record
            self.bests.enter(
                best.key(table.kind),
                Best(str(who), record.value, record.note, now, str(table.chat_id)),
                source=table.id,
                counted=counted,
            )
            if counted:
                lists[best.name] = best
        for best in lists.values():
            self.bonuses.counted(table.game, best, now)
        return waiting, [*of_the_day.values()]

    def fallen(self, before: Table, after: Table, now: int) -> Table:
        """The running game after a move, and in its `result` what of it nobody has beaten today.

        It is told as long as the scene it fell in, and the next one, are shown.
        """
        so_far = after.game.so_far
        if so_far is None:
            return after
        had = so_far(before.state)
        new = [
            (record.seat, record.board, record.value)
            for best, record in _listed(after, so_far(after.state))
            if record not in had
            and all(it.value < record.value for it in had if it.board == record.board)
            and self._counts(best, after.sittings[record.seat].user_id, now)
            and self._leads(after, best, record, now)
        ]
        if not new:
            return after
        return after.changed(result={"records": new, "scene": before.phase().scene})

    def _compared(
        self, table: Table, best: BestList, record: Record
    ) -> tuple[list[int], list[Standing]]:
        at = self.store.moves.last_at(table.id, record.seat)
        rows = standings(self.bests, best, table.kind, record.value, at, self.settings.zone)
        return [record.value, at], rows

    def _leads(self, table: Table, best: BestList, record: Record, now: int) -> bool:
        """Whether a result is better than all of its day so far."""
        if "day" not in best.periods:
            return False
        day = bounds("day", now, self.settings.zone)
        place, _ = self.bests.standing(1, best.key(table.kind), record.value, now, *day)
        return place == 1

    def _counts(self, best: BestList, user_id: int, now: int) -> bool:
        """Whether this is still one of a person's counted games of the day (RULES 1.7)."""
        if not best.a_day:
            return True
        start, end = bounds("day", now, self.settings.zone)
        return self.store.seats.staked_games(user_id, start, end) < self.settings.counted_games


def _listed(table: Table, records: tuple[Record, ...]) -> Iterator[tuple[BestList, Record]]:
    """The records whose list counts this game: none a practice (RULES 8), and none a daily."""
    if table.practice or table.daily:
        return
    lists = {best.name: best for best in table.game.lists}
    for record in records:
        best = lists.get(record.board)
        if best and best.takes(len(table.people), table.stake):
            yield best, record
