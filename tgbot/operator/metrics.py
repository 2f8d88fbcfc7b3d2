"""What Prometheus is told: counts and times, never a token, a name or anybody's number.

Counters are fed where things happen; what the database knows is read when it is asked for.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from peewee import fn
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from economy.database import size, sqlite_file
from games import registry
from tgbot import facts
from tgbot.hall.store import Store
from tgbot.models import OPEN, DueRow, GameRow

KINDS = ("callback_query", "message", "my_chat_member", "inline_query")
LATE_S = 10
"""So long after its time a due row is late."""
STARTED_AT = int(time.time())
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


@dataclass(frozen=True)
class Numbers:
    """What the database says of itself: `games` by kind, sizes in bytes, `audit` as noted."""

    games: dict[str, int]
    late: int
    late_s: int
    size: int
    free: int | None
    audit: tuple[bool, int] | None
    backup: int


class Metrics:
    """The counters of one bot, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.updates = Counter(
            "dicehall_updates", "Updates that came in.", ["kind"], registry=registry
        )
        self.update_errors = Counter(
            "dicehall_update_errors",
            "Updates that failed: by their own fault, or because there was no database.",
            ["cause"],
            registry=registry,
        )
        self.press_seconds = Histogram(
            "dicehall_press_seconds",
            "From a press coming in to its answer: by request, or in a webhook's response.",
            ["way"],
            buckets=SECONDS,
            registry=registry,
        )
        self.commit_seconds = Histogram(
            "dicehall_commit_seconds",
            "A transaction, from its first statement to its commit.",
            buckets=SECONDS,
            registry=registry,
        )
        self.calls = Counter(
            "dicehall_calls",
            "Calls of the Bot API: ok, flood (429), refused, or failed without an answer.",
            ["method", "outcome"],
            registry=registry,
        )
        self.webhook_refused = Counter(
            "dicehall_webhook_refused",
            "Webhook calls that were not taken.",
            ["status"],
            registry=registry,
        )
        self.waiting = Gauge(
            "dicehall_updates_waiting",
            "Updates that wait at Telegram, when it was last asked (--webhook).",
            registry=registry,
        )
        build = Gauge("dicehall_build_info", "The version.", ["version"], registry=registry)
        build.labels(facts.version()).set(1)
        for cause in ("update", "database"):
            self.update_errors.labels(cause)
        # Looking one up takes longer than counting it.
        self._came = cache(self.updates.labels)
        self._called = cache(self.calls.labels)
        self._answered = {way: self.press_seconds.labels(way) for way in ("request", "response")}

    def came(self, update: Mapping[str, Any]) -> None:
        """An update came in."""
        kind = next((kind for kind in KINDS if kind in update), "other")
        self._came(kind).inc()

    def answered(self, way: str, seconds: float) -> None:
        """A press has its answer."""
        self._answered[way].observe(seconds)

    def called(self, method: str, outcome: str) -> None:
        """A call of the Bot API is over."""
        self._called(method, outcome).inc()

    def text(self, live: Collector) -> bytes:
        """Everything in Prometheus's text format, what is read at this moment included."""
        now = CollectorRegistry()
        now.register(live)
        return generate_latest(self.registry) + generate_latest(now)


@dataclass(frozen=True, eq=False)
class Live(Collector):
    """What is read when it is asked for; without `numbers` the database did not answer."""

    numbers: Numbers | None
    counters: dict[str, tuple[str, float]] = field(default_factory=dict)
    gauges: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Values by name, each with what it is."""

    def collect(self) -> Iterator[Any]:
        """The metrics of this moment."""
        for name, (about, value) in self.counters.items():
            yield CounterMetricFamily(f"dicehall_{name}", about, value=value)
        for name, (about, value) in {**self.gauges, **self._numbers()}.items():
            yield GaugeMetricFamily(f"dicehall_{name}", about, value=value)
        if self.numbers:
            games = GaugeMetricFamily(
                "dicehall_open_games", "Lobbies and running games.", labels=["game"]
            )
            for kind, number in self.numbers.games.items():
                games.add_metric([kind], number)
            yield games

    def _numbers(self) -> dict[str, tuple[str, float]]:
        found = self.numbers
        up = ("Whether the database answers within a second.", float(found is not None))
        if found is None:
            return {"database_up": up}
        told: dict[str, tuple[str, float]] = {
            "database_up": up,
            "due_late": (f"Due rows that are late by {LATE_S} s or more.", found.late),
            "due_late_seconds": ("How late the latest due row is.", found.late_s),
            "database_bytes": ("The size of the database.", found.size),
        }
        if found.free is not None:
            told["database_free_bytes"] = ("Room left on its disk.", found.free)
        ok, at = found.audit or (True, STARTED_AT)
        told["audit_ok"] = ("Whether the last audit found the books right, if there was one.", ok)
        told["audit_timestamp_seconds"] = (
            "When the last audit was; before the first one, when this process began.",
            at,
        )
        told["backup_timestamp_seconds"] = (
            "When the newest copy in BACKUP_FOLDER was made; 0: there is none.",
            found.backup,
        )
        return told


def reader(store: Store, url: str, backed_up: Callable[[], int]) -> Callable[[int], Numbers]:
    """The use case that reads the numbers from the database at `url`.

    `backed_up` says when the newest copy of it was made.
    """
    file = sqlite_file(url)

    def read(now: int) -> Numbers:
        games = dict.fromkeys(registry(), 0)
        kinds = GameRow.select(GameRow.kind, fn.COUNT(GameRow.id)).where(OPEN)
        games |= dict(kinds.group_by(GameRow.kind).tuples().execute(store.db))
        due = DueRow.select(fn.COUNT(DueRow.at), fn.MIN(DueRow.at))
        ((late, oldest),) = due.where(DueRow.at <= now - LATE_S).tuples().execute(store.db)
        late_s = now - oldest if oldest else 0
        audit = facts.last_audit(store.db)
        return Numbers(games, late, late_s, size(store.db), _free(file), audit, backed_up())

    return read


def _free(file: Path | None) -> int | None:
    return shutil.disk_usage(file.parent).free if file else None
