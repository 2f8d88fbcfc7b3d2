"""Runs use cases on the database thread and commits all that wait together.

One commit costs a wait for the disk, so everything that has come in while the last one was under
way shares the next one, each use case in its own savepoint: a refusal undoes only itself, and a
result is told only after the commit. Use cases run in the order in which they were handed in.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog
from peewee import Database, OperationalError

from economy.db import undoable

T = TypeVar("T")

MOST_TOGETHER = 256

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Job:
    work: Callable[[], Any]
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Clerk:
    """The database thread of one SQLite file.

    `on_commit` and `on_rollback` are called on that thread right after a group was made durable or
    was lost.
    """

    def __init__(self, db: Database) -> None:
        self.db = db
        self.on_commit: list[Callable[[], None]] = []
        self.on_rollback: list[Callable[[], None]] = []
        self.outstanding = 0
        self.commits = 0
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="clerk", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Starts the thread; results come back to the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def stop(self) -> None:
        """Finishes what was handed in and ends the thread."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        log.info("the database is at rest", commits=self.commits)

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Hands `work` in; the future has its result once it is committed.

        What `work` raises undoes what it wrote and comes out of the future.
        """
        assert self._loop
        future: asyncio.Future[T] = self._loop.create_future()
        self.outstanding += 1
        self._jobs.put(_Job(work, future))
        return future

    def _work(self) -> None:
        while (first := self._jobs.get()) is not None:
            group: list[_Job] = []
            self._together(first, group)
            assert self._loop
            with contextlib.suppress(RuntimeError):  # the loop may be gone at a hard stop
                self._loop.call_soon_threadsafe(self._tell, group)
        self.db.close()

    def _together(self, first: _Job, group: list[_Job]) -> None:
        try:
            with self.db.atomic():
                for job in self._waiting(first):
                    group.append(job)
                    self._alone(job)
        except Exception as error:
            for job in group:
                job.error = error
            for lost in self.on_rollback:
                lost()
            log.error("commit failed", error=str(error), jobs=len(group))
            return
        self.commits += 1
        for committed in self.on_commit:
            committed()

    def _waiting(self, first: _Job) -> Iterator[_Job]:
        """The job and those that wait behind it, also what comes in meanwhile."""
        yield first
        for _ in range(MOST_TOGETHER - 1):
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return
            if job is None:
                self._jobs.put(None)  # the end: `_work` is to see it too
                return
            yield job

    def _alone(self, job: _Job) -> None:
        try:
            with undoable(self.db):
                job.result = job.work()
        except OperationalError:
            raise  # the database itself failed: nothing of this group can be kept
        except Exception as error:
            job.error = error

    def _tell(self, group: list[_Job]) -> None:
        self.outstanding -= len(group)
        for job in group:
            if job.future.cancelled():
                continue
            if job.error is not None:
                job.future.set_exception(job.error)
            else:
                job.future.set_result(job.result)
