"""Runs use cases on threads of their own, and commits them.

A commit costs a wait for the disk, so everything that has come in while the last one was under way
shares the next one. A refusal undoes only itself: that most use cases need no undoing is trusted at
first; once one does, all are done again, each in its own savepoint. A result is told only after the
commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import structlog
from peewee import Database, OperationalError

from economy.transactions import aborted, undoable

T = TypeVar("T")
P = ParamSpec("P")

MOST_TOGETHER = 256
"""Use cases in one transaction."""
ATTEMPTS = 5

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class Job:
    """A use case that was handed in, and what came of it."""

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
        self._take(Job(work, future), lane)
        return future

    @abstractmethod
    def _take(self, job: Job, lane: int) -> None:
        """Puts a job where a thread finds it."""

    @abstractmethod
    def _finish(self) -> None:
        """Waits for all that was handed in, and for the threads."""

    def _committed(self, jobs: int, began: float) -> None:
        """Counts and tells a commit of so many jobs, which began at this `time.perf_counter`."""
        self.commits += 1
        self.jobs += jobs
        call_all(self.on_commit)
        call_all(self.on_timed, time.perf_counter() - began)

    def _among_others(self, job: Job) -> None:
        """Does one job of a transaction; what it raises undoes what it wrote, and nothing else.

        Raises what is not its own affair: then nothing of this transaction can be kept.
        """
        call_all(self.on_begin)
        try:
            with undoable(self.db):
                job.result, job.error = job.work(), None
        except Exception as error:
            if isinstance(error, self._of_all) or aborted(self.db):
                raise
            job.error = error
            call_all(self.on_undone)

    def _hand_back(self, jobs: Sequence[Job]) -> None:
        """Has the event loop tell the results."""
        assert self._loop
        with contextlib.suppress(RuntimeError):  # the loop may be gone at a hard stop
            self._loop.call_soon_threadsafe(self._tell, jobs)

    def _tell(self, jobs: Sequence[Job]) -> None:
        self.outstanding -= len(jobs)
        for job in jobs:
            if job.future.cancelled():
                continue
            if job.error is not None:
                job.future.set_exception(job.error)
            else:
                job.future.set_result(job.result)


def call_all(listeners: Sequence[Callable[P, None]], *args: P.args, **more: P.kwargs) -> None:
    """Calls them all; one that fails must not end the thread everything waits for."""
    for listener in listeners:
        try:
            listener(*args, **more)
        except Exception:
            log.exception("a listener of the database thread failed")
