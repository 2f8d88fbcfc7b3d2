"""No row of SURVIVE.md is forgotten: `test_05_….py` holds what must be true of row 5."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROWS = 45


def test_every_row_has_its_file_and_every_file_its_tests() -> None:
    files = sorted(Path(__file__).parent.glob("test_[0-9]*.py"))
    tests = {file.name: re.findall(r"^(?:async )?def test_", file.read_text("utf-8"), re.M)
             for file in files}  # fmt: skip

    rows = Counter(int(name[5:7]) for name in tests)
    assert set(rows) == {*range(1, ROWS + 1)}
    assert set(rows.values()) == {1}
    assert all(tests.values())
