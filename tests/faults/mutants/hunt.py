"""Plants one bug in a copy of the house and runs there what should catch it."""

from __future__ import annotations

import compileall
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.mutants.planted import SOAK, Mutant

ROOT = Path(__file__).parents[3]
PACKAGES = ("games", "economy", "tgbot")
SEEDS = 80
"""So many seeds of the soak have their try."""
WITHIN_S = 300
"""A net that takes longer has hung."""

PYTEST = ("-m", "pytest", "-x", "-q", "--tb=no", "-rfE", "--timeout=60",
          "-o", f"cache_dir={ROOT / '.pytest_cache'}")  # fmt: skip
"""The cache holds the tables of the minds, by what they were made of."""
WHENCE = f"import {', '.join(PACKAGES)}; print(*(it.__file__ for it in ({', '.join(PACKAGES)})))"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)
_SEED = re.compile(r"^seed (\d+): .*", re.M)


@dataclass(frozen=True)
class Catch:
    """What became of a mutant, and `by` which test or seed: it is caught, lives or has hung.

    `void`: what failed fails without the mutant as well, and says nothing of it.
    """

    mutant: Mutant
    verdict: str
    by: str = ""
    seconds: float = 0.0

    @property
    def caught(self) -> bool:
        """Whether the net holds; one that hangs is noticed only where the promise is about it."""
        return self.verdict == "caught" or (self.verdict == "hung" and self.mutant.hangs)


def copied(folder: Path) -> Path:
    """A copy of the house as it is now, compiled, to plant in copies of."""
    for name in (*PACKAGES, "tests", "deploy"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", folder)
    compileall.compile_dir(folder, quiet=2)
    return folder


def hunt(mutant: Mutant, clean: Path, within_s: float = WITHIN_S) -> Catch:
    """Plants `mutant` in a copy of `clean`, runs its net, and what caught it without it."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        house = Path(folder) / "house"
        shutil.copytree(clean, house)
        path = house / mutant.file
        path.write_text(mutant.planted(path.read_text("utf-8")), "utf-8")
        _certify(house)
        verdict, by = _netted(mutant, house, clean, within_s)
    return Catch(mutant, verdict, by, time.monotonic() - began)


def _netted(mutant: Mutant, house: Path, clean: Path, within_s: float) -> tuple[str, str]:
    try:
        done = _run(_command(mutant.net), house, within_s)
    except subprocess.TimeoutExpired:
        return "hung", f"after {within_s:.0f} s"
    if done.returncode == 0:
        return "lives", ""
    again, by = _found(mutant.net, done.stdout + done.stderr)
    if done.returncode != 1 or not again or _run(again, clean, within_s).returncode:
        return "void", by
    return "caught", by


def _command(net: str) -> tuple[str, ...]:
    if net == SOAK:
        return ("-m", "tests.faults.mutants.seeds", "0", str(SEEDS))
    return (*PYTEST, *net.split())


def _found(net: str, said: str) -> tuple[tuple[str, ...], str]:
    """How to run again what failed, and what to call it."""
    if net == SOAK:
        match = _SEED.search(said)
        seed = int(match[1]) if match else 0
        again = ("-m", "tests.faults.mutants.seeds", str(seed), str(seed + 1))
        return again, match[0] if match else said.strip().rpartition("\n")[2]
    match = _FAILED.search(said)
    if not match:
        return (), said.strip().rpartition("\n")[2]
    return (*PYTEST, match[1]), match[1]


def _certify(house: Path) -> None:
    """The program is installed as it lies in the tree; here the copy is to be imported."""
    there = _run(("-c", WHENCE), house, 60).stdout.split()
    if len(there) != len(PACKAGES) or not all(Path(it).is_relative_to(house) for it in there):
        raise RuntimeError(f"not the copy is imported but {there}")


def _run(command: Sequence[str], house: Path, within_s: float) -> subprocess.CompletedProcess[str]:
    """Python in a house, ended with everything it began when it takes too long."""
    process = subprocess.Popen(
        (sys.executable, *command), cwd=house, env={**os.environ, "PYTHONPATH": str(house)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=within_s)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
