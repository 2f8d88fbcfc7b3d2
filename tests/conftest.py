"""What all tests share: a PostgreSQL server, and golden files that `--update` rewrites."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.postgres import postgres

__all__ = ["postgres"]

settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite golden files with what the code does now"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """`golden(path, text)` compares `text` with the file, or writes it with `--update`."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return check
