"""A process begun by fork from one that has imported everything: it starts in a moment.

Python takes a second to import a bot, which is most of a life that is over after two.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from games import registry

IMPORTED = ("tgbot.cli.main", "tgbot.app", "numpy", __name__)
GAMES = registry()
"""Working out what throws are worth is most of what is left."""

# A fork takes the program begun by `python -m` from what is imported already, as it should.
warnings.filterwarnings("ignore", ".* found in sys.modules after import", RuntimeWarning)


class Forked:
    """As much of asyncio's `Process` as a test needs."""

    def __init__(self, process: BaseProcess) -> None:
        self._process = process
        assert process.pid
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status, or minus the signal that ended it; None while it lives."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Raises ProcessLookupError where it is dead."""
        if self.returncode is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    async def wait(self) -> int:
        """Waits for its end; the exit status."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, over.set)
        try:
            await over.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        assert self.returncode is not None
        return self.returncode


def dicehall(words: Sequence[str], environment: Mapping[str, str], cwd: Path, log: Path) -> Forked:
    """Begins `dicehall` with these words; what it says on stderr is added to `log`."""
    process = _context().Process(target=_live, args=(tuple(words), dict(environment), cwd, log))
    process.start()
    return Forked(process)


@cache
def _context() -> ForkServerContext:
    context, main = multiprocessing.get_context("forkserver"), sys.modules["__main__"].__spec__
    # Each fork does the imports of the program begun by `python -m` once more.
    context.set_forkserver_preload(["__main__", *IMPORTED, *([main.name] if main else [])])
    return context


def _live(words: Sequence[str], environment: Mapping[str, str], cwd: Path, log: Path) -> None:
    os.setpgrp()  # Ctrl-C means those who look on
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    with log.open("ab") as file, open(os.devnull, "wb") as nothing:
        os.dup2(file.fileno(), sys.stderr.fileno())
        os.dup2(nothing.fileno(), sys.stdout.fileno())
    sys.argv = ["dicehall", *words]
    from tgbot.cli.main import main

    main()
