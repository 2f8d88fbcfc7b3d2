"""What all tests share: a PostgreSQL server, tables of the minds, golden files (`--update`)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests import minds
from tests.postgres import postgres

__all__ = ["postgres"]

settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite golden files with what the code does now"
    )


def pytest_configure(config: pytest.Config) -> None:
    # A process that a test starts is not to work out its own, nor numpy to take every processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["MIND_FOLDER"] = str(minds.folder(config))


@pytest.fixture(scope="session")
def tables() -> Path:
    """Every mind is ready. The folder of their tables."""
    where = Path(os.environ["MIND_FOLDER"])
    minds.ready(where)
    return where


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """`golden(path, text)` compares `text` with the file, or writes it with `--update`."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return check
