"""The README is a promise: what it names exists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.games.proofs import document
from tgbot.cli.main import app
from tgbot.config import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_every_make_target_it_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    named = set(re.findall(r"(?:^ *|`)make ([a-z]+)", README, re.MULTILINE))
    assert named >= {"play", "test", "setup", "lint", "bench"}
    assert named <= targets


def test_its_table_of_commands_is_the_command_line() -> None:
    commands = set(get_command(app).commands)
    table = set(re.findall(r"^\| `dicehall ([a-z-]+)`", README, re.MULTILINE))
    assert table == commands
    assert set(re.findall(r"dicehall ([a-z]+)`", README)) <= commands


def test_every_setting_it_names_exists() -> None:
    settings = {name.upper() for name in Settings.model_fields}
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)*)`", README)) - {"GAME", "FILE", "FOLDER"}
    assert named
    assert named <= settings


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)([^)]+)\)", README))))
def test_every_file_it_links_to_exists(link: str) -> None:
    assert (ROOT / link).exists()


def test_every_file_in_its_picture_of_the_house_exists() -> None:
    picture = README.split("```\ngames/")[1].split("```")[0]
    inside = re.findall(r"^  (\S+)", picture, re.MULTILINE)
    assert inside
    assert all((ROOT / "tgbot" / name).exists() for name in inside)


def test_7_its_ten_lines_check_a_proof(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```text\n(import .*?)```", README, re.DOTALL)
    (tmp_path / "ten.py").write_text(lines, "utf-8")

    def said(it: dict[str, Any]) -> str:
        (tmp_path / "proof.json").write_text(json.dumps(it), "utf-8")
        command = [sys.executable, "ten.py", "proof.json"]
        return (
            subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
            .stdout.split(":")[0]
            .strip()
        )

    it = document("fifty")
    assert len(lines.strip().splitlines()) == 10
    assert said(it) == "right"
    it["players"][0]["charm"] = (it["players"][0]["charm"] + 1) % 7
    assert said(it) == "wrong"
