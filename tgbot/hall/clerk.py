"""Runs use cases on threads of their own, and commits them.

A commit costs a wait for the disk, so for SQLite everything that has come in while the last one was
under way shares the next one. A refusal undoes only itself: that most use cases need no undoing is
trusted at first; once one does, all are done again, each in its own savepoint. A result is told
only after the commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import structlog
from peewee import Database, IntegrityError, OperationalError

from economy.database import is_sqlite, shut, stay_connected
from economy.transactions import Unsaved, passing, patiently, trusting, undoable
from tgbot.log import Rarely

T = TypeVar("T")
P = ParamSpec("P")

MOST_TOGETHER = 256
ATTEMPTS = 5
PATIENT_THREADS = 2
PATIENCE_S = 10
"""How long a use case is tried that finds PostgreSQL away, or a row in somebody's hands."""
LOCK_S = 2
"""How long a patient try waits for one lock."""
AGAIN_S = 0.1

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class _Job:
    work: Callable[[], Any]
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None
    since: float = field(default_factory=time.monotonic)


class Clerk(ABC):
    """The threads on which use cases run.

    Each listener is called on such a thread: those of `on_commit` and `on_rollback` right after
    what was done became durable or was lost, those of `on_begin` before each use case, those of
    `on_undone` after one alone was undone while others of its transaction stand. Those of
    `on_timed` are told how many seconds a transaction took, from its first statement on.
    """

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
                        self._alone(job)
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

    def _alone(self, job: _Job) -> None:
        _call(self.on_begin)
        try:
            with undoable(self.db):
                job.result, job.error = job.work(), None
        except OperationalError:
            raise  # the database itself failed: nothing of this group can be kept
        except Exception as error:
            job.error = error
            _call(self.on_undone)


class PostgresClerk(Clerk):
    """Several threads for a PostgreSQL; each use case is a transaction of its own.

    Work of one lane keeps its order; no lane waits for another one. A transaction that another one
    got in the way of (a deadlock, the same new row) is done again. One that finds something locked,
    or no database, leaves its thread to others and is tried again by a patient one, with its lane
    behind it, for `PATIENCE_S` at most. Nothing is undone but by a rollback.
    """

    def __init__(self, db: Database, threads: int = 8) -> None:
        super().__init__(db)
        self._lanes: dict[object, deque[_Job]] = {}
        """What waits in each lane that has work; its first job is under way, or about to be."""
        self._changed = threading.Condition()
        quick, patient = queue.SimpleQueue[object](), queue.SimpleQueue[object]()
        self._ready, self._blocked = quick, patient
        self._threads = [
            *(self._thread(f"clerk-{n}", quick) for n in range(threads)),
            *(self._thread(f"patient-{n}", patient) for n in range(PATIENT_THREADS)),
        ]

    def _thread(self, name: str, lanes: queue.SimpleQueue[object]) -> threading.Thread:
        return threading.Thread(target=self._work, args=(lanes,), name=name, daemon=True)

    def _finish(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._lanes)
        for lanes in (self._ready, self._blocked):
            for _ in self._threads:
                lanes.put(None)
        for thread in self._threads:
            thread.join()
        shut(self.db)

    def _take(self, job: _Job, lane: int) -> None:
        key: object = lane or job
        with self._changed:
            waiting = self._lanes.setdefault(key, deque())
            waiting.append(job)
            if len(waiting) == 1:
                self._ready.put(key)

    def _work(self, lanes: queue.SimpleQueue[object]) -> None:
        while (key := lanes.get()) is not None:
            job = self._lanes[key][0]
            if not self._done(job, patient=lanes is self._blocked):
                self._blocked.put(key)
                continue
            self._hand_back([job])
            with self._changed:
                waiting = self._lanes[key]
                waiting.popleft()
                if waiting:
                    self._ready.put(key)
                else:
                    del self._lanes[key]
                    self._changed.notify_all()
        self.db.close()

    def _done(self, job: _Job, *, patient: bool) -> bool:
        """Whether a job is through, well or not; else it is for a patient thread."""
        for _ in range(ATTEMPTS):
            job.result, job.error = None, None
            self._attempt(job, patient=patient)
            if not isinstance(job.error, OperationalError | IntegrityError):
                return True
            if not passing(job.error):
                continue
            if time.monotonic() - job.since > PATIENCE_S:
                return True
            if patient:
                time.sleep(AGAIN_S)
            return False
        return True

    def _attempt(self, job: _Job, *, patient: bool) -> None:
        """One transaction; it is done once more if it needs a savepoint, which is a round trip."""
        began = time.perf_counter()
        for savepoints in (trusting, contextlib.nullcontext):
            try:
                _call(self.on_begin)
                stay_connected(self.db)
                with savepoints(), self.db.atomic():
                    if patient:
                        patiently(self.db, LOCK_S)
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
    """The clerk a database wants."""
    return SqliteClerk(db) if is_sqlite(db) else PostgresClerk(db)


def _call(listeners: Sequence[Callable[P, None]], *args: P.args, **more: P.kwargs) -> None:
    """Calls them all; one that fails must not end the thread everything waits for."""
    for listener in listeners:
        try:
            listener(*args, **more)
        except Exception:
            log.exception("a listener of the database thread failed")
