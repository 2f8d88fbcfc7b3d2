"""What tests of the economy say about the databases they run on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import economy

MIGRATIONS = Path(economy.__file__).parent / "migrations"
Urls = Callable[[], str]

only_sqlite = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
only_postgres = pytest.mark.parametrize("kind", ["postgres"], indirect=True)
