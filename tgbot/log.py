"""Logs on stderr, in which no bot token ever appears."""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import threading
from typing import Any

import structlog

from economy.database import unavailable

_TOKEN = re.compile(r"[0-9]{5,}(?::|%3[Aa])[A-Za-z0-9_-]{10,}")
_HIDDEN = "[token]"

QUIET = (
    "httpx", "httpcore", "apscheduler", "aiohttp.access", "uvicorn.access", "peewee",
    "telegram",
)  # fmt: skip
"""Libraries that tell much: python-telegram-bot every text it sends, and the webhook's secret."""


class Rarely:
    """A line that would be written for everything that waits, as where there is no database: once
    in `every_s` seconds, with how many were left out since."""

    def __init__(self, every_s: float = 10.0) -> None:
        self._every_s = every_s
        self._said_at: float | None = None
        self._left_out = 0

    def take(self, now: float) -> int | None:
        """How many lines were left out since the last one; None to leave out this one too.

        `now` is in seconds, of any clock.
        """
        if self._said_at is not None and 0 <= now - self._said_at < self._every_s:
            self._left_out += 1
            return None
        left_out, self._left_out, self._said_at = self._left_out, 0, now
        return left_out

    def error(
        self, logger: Any, event: str, error: BaseException, now: float, **about: object
    ) -> None:
        """Writes what went wrong: with its traceback, or if there was only no database as such a
        line."""
        if not unavailable(error):
            logger.error(event, exc_info=error, **about)
        elif (left_out := self.take(now)) is not None:
            logger.error(event, error=str(error), more=left_out, **about)


def redact(line: str) -> str:
    """The line with everything that looks like a bot token taken out."""
    return _TOKEN.sub(_HIDDEN, line)


class _Redacting(logging.StreamHandler[Any]):
    def format(self, record: logging.LogRecord) -> str:
        """The finished line, traceback included, without tokens or extra lines of a name."""
        return redact(super().format(record))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Says that a line could not be written, without its arguments: they may hold a token."""
        error = redact(repr(sys.exc_info()[1]))
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"a log line of {record.name} could not be written: {error}\n")


def thread_failed(args: threading.ExceptHookArgs) -> None:
    """A `threading.excepthook`: what no thread caught goes through the redacting handler too."""
    error = args.exc_value
    logging.getLogger(__name__).error("a thread failed", exc_info=error)


def setup(level: str = "info", *, as_json: bool = False) -> None:
    """Sends everything, also what libraries log, through one redacting handler to stderr."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
    ]
    last: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if as_json
        else [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        ]
    )
    handler = _Redacting(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
