"""Killed at moments nobody chose, the process loses nothing (see `kills.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.kills import course


@pytest.mark.real_time
async def test_killed_again_and_again_under_load_every_press_counts_once(
    tmp_path: Path, tables: Path
) -> None:
    summary = await course(tmp_path, tables, times=2, seed=1)

    assert (summary.kills, summary.audits_clean, summary.losses) == (2, 2, 0)
    assert summary.presses == summary.handed_out == summary.applied > 20
