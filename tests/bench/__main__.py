"""Runs all measurements and prints tables and, as the last line, one JSON object."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import tempfile
import time
from pathlib import Path

from tests import minds
from tests.bench import boards, bookings, opponents, pace, start, years
from tests.bench.report import Report
from tgbot import log
from tgbot.app import spare_the_collector

README = Path(__file__).parents[2] / "README.md"


def measure(
    folder: Path,
    *,
    seconds: float,
    rounds: int,
    groups: int = opponents.GROUPS,
    running: int = years.RUNNING,
) -> Report:
    """Everything, one after the other.

    Each bot is pressed for `seconds` at each load, in so many rounds, by people of so many groups;
    a bot starts among so many `running` games.
    """
    began, small = time.monotonic(), folder / "years.db"
    those = opponents.everybody(folder, groups)
    pressed = asyncio.run(opponents.contest(those, seconds, rounds))
    report = Report(
        pressed,
        bookings.measure(folder / "ledger.db"),
        boards.measure(),
        years.measure(small, years.SIZES[0], running),
        asyncio.run(start.measure(small, running)),
    )
    report.took_s = time.monotonic() - began
    return report


def _ready_minds() -> None:
    """No bot is to work out tables while it is measured: they are those of the tests."""
    os.environ["MIND_FOLDER"] = str(minds.kept())


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=…", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=5, help="each bot is pressed, in each setting and load"
    )
    parser.add_argument("--rounds", type=int, default=2, help="in so many turns")
    parser.add_argument("--readme", action="store_true", help="write the figures into README.md")
    parser.add_argument("--pace", action="store_true", help="what games at human pace are like")
    parser.add_argument("--years", action="store_true", help="how long things take after ten years")
    parser.add_argument("--postings", type=int, default=years.SIZES[-1], help="so many (--years)")
    typed = parser.parse_args()
    log.setup("warning")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # no bot or server outlives it
    spare_the_collector()
    if typed.pace:
        for played in pace.measure():
            print(played.line())
        return
    with tempfile.TemporaryDirectory(prefix="dicehall-bench-") as name:
        folder = Path(name)
        if typed.years:
            sizes = (years.SIZES[0], typed.postings)
            years.show([years.measure(folder / f"{size}.db", size) for size in sizes])
            return
        _ready_minds()
        print("This takes about four minutes.", flush=True)
        report = measure(folder, seconds=typed.seconds, rounds=typed.rounds)
    report.show()
    if typed.readme:
        README.write_text(report.written(README.read_text("utf-8")), "utf-8")
    print(json.dumps(report.document()))


if __name__ == "__main__":
    main()
