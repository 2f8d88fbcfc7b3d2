"""A bot as a process of its own, and what it costs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from tgbot.playground import Telegram

READY_S = 30
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass
class Bot:
    """A running bot, and the file it writes its log to.

    `commits` is known once a dicehall has stopped.
    """

    pid: int
    log: Path | None = None
    peak_mb: float = 0.0
    commits: int = 0

    def cpu_s(self) -> float:
        """Processor time used so far, by its children too."""
        return sum(map(_ticks, _family(self.pid))) / _TICKS_A_SECOND

    def read_peak(self) -> float:
        """The most memory it ever held, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def says(self, event: str) -> bool:
        """Whether its log has a line of this name."""
        assert self.log
        return f'"event": "{event}"' in self.log.read_text("utf-8")


@contextlib.asynccontextmanager
async def running(
    telegram: Telegram,
    *command: str,
    environment: dict[str, str] | None = None,
    stop_s: float = 15,
) -> AsyncIterator[Bot]:
    """The bot `python -m *command` while the block runs, from its first poll on.

    Afterwards it has `stop_s` seconds to stop.
    """
    telegram.log.clear()
    with tempfile.NamedTemporaryFile(prefix="dicehall-log-") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *command,
            env={**os.environ, **(environment or {})},
            stdout=log,
            stderr=log,
        )
        bot = Bot(process.pid, Path(log.name))
        try:
            await _polls(telegram, process)
            yield bot
            bot.peak_mb = bot.read_peak()
        finally:
            died = process.returncode is not None
            await _end(process, stop_s)
            log.seek(0)
            lines = log.read().decode().splitlines()
            if died or any('"level": "error"' in line for line in lines):
                print("\n".join(lines[-20:]), file=sys.stderr)
    bot.commits = _commits(lines)


def _family(pid: int) -> Iterator[int]:
    """A process and all that it started, as far as they still run."""
    yield pid
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))


def _ticks(pid: int) -> int:
    """Processor time of a process and of its children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


async def _polls(telegram: Telegram, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(READY_S):
        while not any(call.method == "getMe" for call in telegram.log):
            if process.returncode is not None:
                raise RuntimeError("the bot did not start")
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)


async def _end(process: asyncio.subprocess.Process, stop_s: float) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), stop_s)
    except TimeoutError:
        process.kill()
        await process.wait()


def _commits(lines: list[str]) -> int:
    said = (json.loads(line) for line in lines if line.startswith("{") and '"commits"' in line)
    return sum(line["commits"] for line in said)
