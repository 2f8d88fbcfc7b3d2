"""`make setup` on a machine that lacks Python's venv, as a fresh Debian does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

MAKEFILE = Path(__file__).parent.parent / "Makefile"


def make(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`make` in a folder that holds nothing but the Makefile."""
    shutil.copy(MAKEFILE, folder)
    return subprocess.run(
        ["make", *words], cwd=folder, env={**os.environ, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_without_venv_it_says_what_to_install_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "ensurepip.py").write_text("raise ImportError")

    python = f"PYTHON={sys.executable}"
    done = make(tmp_path, ".venv/bin/pip", python, PYTHONPATH=str(tmp_path))

    assert done.returncode
    assert "apt-get install python3-venv" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_what_broke_off_half_way_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    # Without pip it is made in a moment.
    python = f"{sys.executable} -m venv --without-pip --clear .venv; true"

    done = make(tmp_path, ".venv/bin/pip", f"PYTHON={python}")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv" / "pyvenv.cfg").exists()
