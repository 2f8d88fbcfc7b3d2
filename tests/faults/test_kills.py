"""Killed at moments nobody chose, the process loses nothing (see `kills.py`)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.faults.kills import Reaping, course
from tests.faults.worker_kills import Summary

TIMES, MOST = 2, 9


@pytest.mark.real_time
async def test_killed_again_and_again_under_load_every_press_counts_once_also_by_ctrl_c(
    tmp_path: Path, tables: Path
) -> None:
    """What must be true at the end is looked at although somebody has seen enough before."""
    reaping = Reaping()

    def ctrl_c(summary: Summary) -> None:
        if summary.kills == TIMES:
            os.kill(os.getpid(), signal.SIGINT)

    summary = await reaping.heeding(course(tmp_path, tables, MOST, 1, ctrl_c, reaping.enough))

    assert TIMES <= summary.kills == summary.audits_clean < MOST
    assert summary.losses == 0
    assert summary.presses == summary.handed_out == summary.applied > 20
