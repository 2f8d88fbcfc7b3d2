"""Runs use cases on threads of their own, and commits them.

A commit costs a wait for the disk, so everything that has come in while the last one was under way
shares the next one. A refusal undoes only itself: that most use cases need no undoing is trusted at
first; once one does, all are done again, each in its own savepoint. A result is told only after the
commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import structlog
from peewee import Database, IntegrityError, OperationalError

from economy.database import is_sqlite, round_trip_s, shut, stay_connected
from economy.ledger import Overdrawn
from economy.transactions import aborted, claim, claimed, passing, patiently, undoable
from economy.trust import Unsaved, trusting
from tgbot.log import Rarely

T = TypeVar("T")
P = ParamSpec("P")

MOST_TOGETHER = 256
ATTEMPTS = 5
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

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class _Job:
    work: Callable[[], Any]
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None
    since: float = 0.0
    """When it was handed in, where that matters, by `time.monotonic`."""


class Clerk(ABC):
    """The threads on which use cases run.

    Each listener is called on such a thread: those of `on_commit` and `on_rollback` right after
    what was done became durable or was lost, those of `on_begin` before each use case, those of
    `on_undone` after one alone was undone while others of its transaction stand. Those of
    `on_timed` are told how many seconds a transaction took, from its first statement on.
    """

    _of_all: tuple[type[Exception], ...] = (OperationalError,)
    """What a job raises that the whole transaction fails of: the database's own trouble."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.on_commit: list[Callable[[], None]] = []
        self.on_rollback: list[Callable[[], None]] = []
        self.on_begin: list[Callable[[], None]] = []
        self.on_undone: list[Callable[[], None]] = []
        self.on_timed: list[Callable[[float], None]] = []
        self.outstanding = 0
        """Use cases that were handed in and are not done."""
        self.commits = 0
        self.jobs = 0
        """Use cases that were committed."""
        self._threads: list[threading.Thread] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Starts the threads; results come back to the running event loop."""
        self._loop = asyncio.get_running_loop()
        for thread in self._threads:
            thread.start()

    async def stop(self) -> None:
        """Finishes what was handed in and ends the threads."""
        await asyncio.to_thread(self._finish)
        log.info("the database is at rest", commits=self.commits)

    def run(self, work: Callable[[], T], lane: int = 0) -> asyncio.Future[T]:
        """Hands `work` in; the future has its result once it is committed.

        What `work` raises undoes what it wrote and comes out of the future. Work of one `lane` (a
        chat) is done in the order in which it was handed in; that of lane 0 need not be.
        """
        assert self._loop
        future: asyncio.Future[T] = self._loop.create_future()
        self.outstanding += 1
        self._take(_Job(work, future), lane)
        return future

    @abstractmethod
    def _take(self, job: _Job, lane: int) -> None:
        """Puts a job where a thread finds it."""

    @abstractmethod
    def _finish(self) -> None:
        """Waits for all that was handed in, and for the threads."""

    def _committed(self, jobs: int, began: float) -> None:
        """Counts and tells a commit of so many jobs, which began at this `time.perf_counter`."""
        self.commits += 1
        self.jobs += jobs
        _call(self.on_commit)
        _call(self.on_timed, time.perf_counter() - began)

    def _among_others(self, job: _Job) -> None:
        """Does one job of a transaction; what it raises undoes what it wrote, and nothing else.

        Raises what is not its own affair: then nothing of this transaction can be kept.
        """
        _call(self.on_begin)
        try:
            with undoable(self.db):
                job.result, job.error = job.work(), None
        except Exception as error:
            if isinstance(error, self._of_all) or aborted(self.db):
                raise
            job.error = error
            _call(self.on_undone)

    def _hand_back(self, jobs: Sequence[_Job]) -> None:
        """Has the event loop tell the results."""
        assert self._loop
        with contextlib.suppress(RuntimeError):  # the loop may be gone at a hard stop
            self._loop.call_soon_threadsafe(self._tell, jobs)

    def _tell(self, jobs: Sequence[_Job]) -> None:
        self.outstanding -= len(jobs)
        for job in jobs:
            if job.future.cancelled():
                continue
            if job.error is not None:
                job.future.set_exception(job.error)
            else:
                job.future.set_result(job.result)


class SqliteClerk(Clerk):
    """One thread for a SQLite file; all use cases that wait together share a commit."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._lost = Rarely()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="clerk", daemon=True)]

    def _take(self, job: _Job, lane: int) -> None:
        self._jobs.put(job)

    def _finish(self) -> None:
        self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (first := self._jobs.get()) is not None:
            group = [first]
            self._together(group)
            self._hand_back(group)
        self.db.close()

    def _together(self, group: list[_Job]) -> None:
        """Commits what waits; one that there is no room for does not hold back the others."""
        jobs, failed, trusted = self._waiting(group), list[_Job](), True
        while len(failed) < ATTEMPTS:
            job, began = None, time.perf_counter()
            try:
                with trusting() if trusted else contextlib.nullcontext(), self.db.atomic():
                    for job in jobs:
                        self._among_others(job)
                    job = None  # should the commit fail, it is nobody's fault
            except Unsaved:
                _call(self.on_rollback)
                jobs, trusted = iter([job for job in group if job not in failed]), False
                continue
            except Exception as error:
                _call(self.on_rollback)
                if (left_out := self._lost.take(time.monotonic())) is not None:
                    log.error("commit failed", error=str(error), jobs=len(group), more=left_out)
                failed += [job] if job else group
                for job in group:
                    job.error = error
                jobs = iter([job for job in group if job not in failed])
                if len(failed) < len(group):
                    continue
                return
            self._committed(len(group) - len(failed), began)
            return

    def _waiting(self, group: list[_Job]) -> Iterator[_Job]:
        """The group's first job, then those that wait behind it, also what comes in meanwhile."""
        yield group[0]
        while len(group) < MOST_TOGETHER:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return
            if job is None:
                self._jobs.put(None)  # the end: `_work` is to see it too
                return
            group.append(job)
            yield job


_Key = int | _Job
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
        self._lanes: dict[_Key, deque[_Job]] = {}
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

    def _take(self, job: _Job, lane: int) -> None:
        key: _Key = lane or job
        job.since = time.monotonic()
        with self._changed:
            waiting = self._lanes.setdefault(key, deque())
            waiting.append(job)
            if len(waiting) == 1:
                (self._ready if lane else self._single).put(key)

    def _done(self, done: Mapping[Any, Sequence[_Job]]) -> None:
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

    def _group(self, first: int) -> dict[int, list[_Job]]:
        """This lane and others that are ready, with what waits in each."""
        group, jobs, keys = dict[int, list[_Job]](), 0, [first]
        for key in keys:
            with self._changed:
                group[key] = [*self._lanes[key]]
            jobs += len(group[key])
            with contextlib.suppress(queue.Empty):
                if jobs < MOST_TOGETHER and (another := self._ready.get_nowait()):
                    keys.append(another)
        return group

    def _together(self, group: dict[int, list[_Job]]) -> None:
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
                _call(self.on_rollback)
                trusted = False
            except Exception as error:
                _call(self.on_rollback)
                threads = self._blocked if passing(error) else self._single
                for lane in [key] if key else [*group]:
                    del group[lane]
                    threads.put(lane)
            else:
                if group:
                    self._committed(sum(map(len, group.values())), began)
                self._done(group)
                return

    def _leave_out_others(self, group: dict[int, list[_Job]]) -> None:
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

    def _through(self, key: _Key, job: _Job, *, patient: bool) -> bool:
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

    def _attempt(self, key: _Key, job: _Job, *, patient: bool) -> None:
        """One transaction; it is done once more if it needs a savepoint, which is a round trip."""
        began = time.perf_counter()
        for savepoints in (trusting, contextlib.nullcontext):
            try:
                _call(self.on_begin)
                stay_connected(self.db)
                with savepoints(), self.db.atomic():
                    if patient:
                        patiently(self.db, LOCK_S)
                    if isinstance(key, int):
                        claim(self.db, key)
                    job.result = job.work()
                break
            except Unsaved:
                _call(self.on_rollback)
            except Exception as error:
                job.error = error
                _call(self.on_rollback)
                return
        self._committed(1, began)


def clerk_for(db: Database) -> Clerk:
    """The clerk a database wants: the longer PostgreSQL's answers take, the more groups at once."""
    if is_sqlite(db):
        return SqliteClerk(db)
    return PostgresClerk(db, min(MOST_GROUPS, 1 + int(round_trip_s(db) / TRIP_S)))


def _call(listeners: Sequence[Callable[P, None]], *args: P.args, **more: P.kwargs) -> None:
    """Calls them all; one that fails must not end the thread everything waits for."""
    for listener in listeners:
        try:
            listener(*args, **more)
        except Exception:
            log.exception("a listener of the database thread failed")
