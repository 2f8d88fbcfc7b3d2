"""The tables minds need, worked out once for all tests: kept by pytest's cache between runs."""

from __future__ import annotations

import fcntl
import hashlib
import inspect
from pathlib import Path
from typing import Any

import numpy as np

from games.mind import Table


def solved(table: Table, cache: Path) -> Any:
    """The numbers of a table, from the cache where the same code has made them before."""
    module = inspect.getmodule(table.solve)
    assert module
    made_by = hashlib.sha256(inspect.getsource(module).encode()).hexdigest()[:16]
    path = cache / f"{table.name}-{made_by}.npy"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the workers of one run share it
        if not path.exists():
            for old in cache.glob(f"{table.kind}-*.npy"):
                old.unlink()
            np.save(path, table.solve())
    return np.load(path, mmap_mode="r")
