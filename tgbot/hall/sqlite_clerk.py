"""The clerk of a SQLite file."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Iterator

import structlog
from peewee import Database

from economy.trust import Unsaved, trusting
from tgbot.hall.clerk import ATTEMPTS, MOST_TOGETHER, Clerk, Job, call_all
from tgbot.log import Rarely

log = structlog.get_logger(__name__)


class SqliteClerk(Clerk):
    """One thread for a SQLite file; all use cases that wait together share a commit."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._lost = Rarely()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="clerk", daemon=True)]

    def _take(self, job: Job, lane: int) -> None:
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

    def _together(self, group: list[Job]) -> None:
        """Commits what waits; one that there is no room for does not hold back the others."""
        jobs, failed, trusted = self._waiting(group), list[Job](), True
        while len(failed) < ATTEMPTS:
            job, began = None, time.perf_counter()
            try:
                with trusting() if trusted else contextlib.nullcontext(), self.db.atomic():
                    for job in jobs:
                        self._among_others(job)
                    job = None  # should the commit fail, it is nobody's fault
            except Unsaved:
                call_all(self.on_rollback)
                jobs, trusted = iter([job for job in group if job not in failed]), False
                continue
            except Exception as error:
                call_all(self.on_rollback)
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

    def _waiting(self, group: list[Job]) -> Iterator[Job]:
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
