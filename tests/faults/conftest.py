"""The house of `tests/tgbot`, its virtual time, and commands as `tests/process` types them."""

from __future__ import annotations

from tests.process.conftest import _logging_as_it_was, books, dicehall, played
from tests.tgbot.conftest import (
    _time_is_virtual,
    house,
    no_environment,
    pytest_asyncio_loop_factories,
    strict_house,
)

__all__ = [
    "_logging_as_it_was",
    "_time_is_virtual",
    "books",
    "dicehall",
    "house",
    "no_environment",
    "played",
    "pytest_asyncio_loop_factories",
    "strict_house",
]
