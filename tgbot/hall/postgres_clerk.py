"""The clerk of a PostgreSQL, of which several workers may have one each."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from peewee import Database, IntegrityError, OperationalError

from economy.database import round_trip_s, shut, stay_connected
from economy.ledger import Overdrawn
from economy.transactions import claim, claimed, passing, patiently
from economy.trust import Unsaved, trusting
from tgbot.hall.clerk import ATTEMPTS, MOST_TOGETHER, Clerk, Job, call_all

MOST_GROUPS = 8
TRIP_S = 0.0001
"""For every so many seconds that PostgreSQL's answers take one more thread has groups."""
ALONE_THREADS = 4
PATIENT_THREADS = 2
PATIENCE_S = 10
"""How long a use case is tried that finds PostgreSQL away, or a row in somebody's hands."""
LOCK_S = 2
"""How long a patient try waits for one lock."""
GROUPS_MOST_S = 0.05
"""After so long a group takes no other lane, so that its first press is answered soon."""
GROUPS_LOCK_S = 0.25
"""How long a group does: everything that is in it waits with it."""
AGAIN_S = 0.1

_Key = int | Job
"""A lane; what has none is one of its own."""
_Lanes = queue.SimpleQueue[Any]


class PostgresClerk(Clerk):
    """Several threads for a PostgreSQL; what waits together shares a transaction, as for SQLite.

    Work of one lane keeps its order, and is one worker's at a time: a group leaves out lanes that
    another worker has. Other threads do one use case at a time, and wait: those of no lane, of one
    that was left out twice, and those that another transaction got in the way of (a deadlock, the
    same new row, the last coins). What finds something locked, or no database, is tried again by a
    patient thread, with its lane behind it, for `PATIENCE_S` at most.
    """

    # Who would be overdrawn had the coins when that was looked up: alone it is looked up anew.
    _of_all = (OperationalError, IntegrityError, Overdrawn)

    def __init__(self, db: Database, threads: int = 1) -> None:
        super().__init__(db)
        self._lanes: dict[_Key, deque[Job]] = {}
        """What waits in each lane that has work; its first jobs are under way, or about to be."""
        self._left_out = set[int]()
        """Lanes that the last group which wanted them left out."""
        self._changed = threading.Condition()
        self._ready, self._single, self._blocked = _Lanes(), _Lanes(), _Lanes()
        self._threads = [
            *(self._thread(f"clerk-{n}", self._work_together) for n in range(threads)),
            *(self._thread(f"alone-{n}", self._work_alone) for n in range(ALONE_THREADS)),
            *(self._thread(f"patient-{n}", self._work_patiently) for n in range(PATIENT_THREADS)),
        ]

    def _thread(self, name: str, work: Callable[[], None]) -> threading.Thread:
        return threading.Thread(target=work, name=name, daemon=True)

    def _finish(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._lanes)
        for keys in (self._ready, self._single, self._blocked):
            for _ in self._threads:
                keys.put(None)
        for thread in self._threads:
            thread.join()
        shut(self.db)

    def _take(self, job: Job, lane: int) -> None:
        key: _Key = lane or job
        job.since = time.monotonic()
        with self._changed:
            waiting = self._lanes.setdefault(key, deque())
            waiting.append(job)
            if len(waiting) == 1:
                (self._ready if lane else self._single).put(key)

    def _done(self, done: Mapping[Any, Sequence[Job]]) -> None:
        """Hands back what the lanes began with; what waits behind it is ready."""
        self._hand_back([job for jobs in done.values() for job in jobs])
        with self._changed:
            for key, jobs in done.items():
                waiting = self._lanes[key]
                for _ in jobs:
                    waiting.popleft()
                if waiting:
                    self._ready.put(key)
                else:
                    del self._lanes[key]
            if not self._lanes:
                self._changed.notify_all()

    # -- together -----------------------------------------------------------------------------

    def _work_together(self) -> None:
        while (key := self._ready.get()) is not None:
            self._together(self._group(key))
        self.db.close()

    def _group(self, first: int) -> dict[int, list[Job]]:
        """This lane and others that are ready, with what waits in each."""
        group, jobs, keys = dict[int, list[Job]](), 0, [first]
        for key in keys:
            with self._changed:
                group[key] = [*self._lanes[key]]
            jobs += len(group[key])
            with contextlib.suppress(queue.Empty):
                if jobs < MOST_TOGETHER and (another := self._ready.get_nowait()):
                    keys.append(another)
        return group

    def _together(self, group: dict[int, list[Job]]) -> None:
        """Commits a group; what it cannot be done with leaves it, for the other threads."""
        trusted = True
        while group:
            key, began = None, time.perf_counter()
            try:
                stay_connected(self.db)
                with trusting() if trusted else contextlib.nullcontext(), self.db.atomic():
                    self._leave_out_others(group)
                    for n, key in enumerate([*group]):
                        # The first one is done however far away PostgreSQL is.
                        if n and time.perf_counter() > began + GROUPS_MOST_S:
                            del group[key]
                            self._ready.put(key)
                        for job in group.get(key, ()):
                            self._among_others(job)
                    key = None  # should the commit fail, it is nobody's fault
            except Unsaved:
                call_all(self.on_rollback)
                trusted = False
            except Exception as error:
                call_all(self.on_rollback)
                threads = self._blocked if passing(error) else self._single
                for lane in [key] if key else [*group]:
                    del group[lane]
                    threads.put(lane)
            else:
                if group:
                    self._committed(sum(map(len, group.values())), began)
                self._done(group)
                return

    def _leave_out_others(self, group: dict[int, list[Job]]) -> None:
        """Takes those lanes out of a group that another worker has; the next one may have them."""
        patiently(self.db, GROUPS_LOCK_S)
        free = claimed(self.db, group.keys())
        left_out = group.keys() - free
        self._left_out -= free
        for key in left_out:
            del group[key]
        for key in left_out:
            if key in self._left_out or not group:
                self._left_out.discard(key)
                self._single.put(key)
            else:
                self._left_out.add(key)
                self._ready.put(key)

    # -- one at a time ------------------------------------------------------------------------

    def _work_alone(self) -> None:
        self._one_by_one(self._single, patient=False)

    def _work_patiently(self) -> None:
        self._one_by_one(self._blocked, patient=True)

    def _one_by_one(self, keys: _Lanes, *, patient: bool) -> None:
        while (key := keys.get()) is not None:
            job = self._lanes[key][0]
            if self._through(key, job, patient=patient):
                self._done({key: [job]})
            else:
                self._blocked.put(key)
        self.db.close()

    def _through(self, key: _Key, job: Job, *, patient: bool) -> bool:
        """Whether a job is through, well or not; else it is for a patient thread."""
        for _ in range(ATTEMPTS):
            job.result, job.error = None, None
            self._attempt(key, job, patient=patient)
            if not isinstance(job.error, self._of_all):
                return True
            if not passing(job.error):
                continue
            if time.monotonic() - job.since > PATIENCE_S:
                return True
            if patient:
                time.sleep(AGAIN_S)
            return False
        return True

    def _attempt(self, key: _Key, job: Job, *, patient: bool) -> None:
        """One transaction; it is done once more if it needs a savepoint, which is a round trip."""
        began = time.perf_counter()
        for savepoints in (trusting, contextlib.nullcontext):
            try:
                call_all(self.on_begin)
                stay_connected(self.db)
                with savepoints(), self.db.atomic():
                    if patient:
                        patiently(self.db, LOCK_S)
                    if isinstance(key, int):
                        claim(self.db, key)
                    job.result = job.work()
                break
            except Unsaved:
                call_all(self.on_rollback)
            except Exception as error:
                job.error = error
                call_all(self.on_rollback)
                return
        self._committed(1, began)


def groups_at_once(db: Database) -> int:
    """How many threads are to have groups: the more, the longer PostgreSQL's answers take."""
    return min(MOST_GROUPS, 1 + int(round_trip_s(db) / TRIP_S))
