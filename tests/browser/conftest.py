"""Chromium on the real page, the real bot in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_S = 30
PATIENCE_S = 30


@dataclass(frozen=True)
class Play:
    """A running `dicehall play`: the address of its page and its database."""

    address: str
    database: str


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium; without one these tests are skipped unless they are required.

    Playwright keeps an event loop running, so it ends with the module: others need theirs.
    """
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if path is None:
        if os.environ.get("BROWSER_TESTS") == "required":
            pytest.fail("BROWSER_TESTS=required, but there is no Chromium on this machine")
        pytest.skip("no Chromium on this machine")
    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def play(tmp_path: Path, browser: Browser) -> Iterator[Play]:
    """`dicehall play` on a free port; the pages of a test are closed before it ends."""
    database = tmp_path / "play.db"
    command = [sys.executable, "-m", "tgbot", "play", "--port", "0", "--no-browser"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [*command, "--keep", str(database)], stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert process.stdout
            line = process.stdout.readline()
            address = re.search(r"http://\S+", line)
            assert address, f"no address in {line!r}"
            yield Play(address[0], f"sqlite:///{database}")
        finally:
            for context in browser.contexts:
                context.close()
            process.terminate()
            process.wait(START_S)
            if process.stdout:
                process.stdout.close()
