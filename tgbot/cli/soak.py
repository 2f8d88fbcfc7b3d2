"""The soak: the real bot among clumsy people, Telegram's faults and deaths of the process."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from games import registry
from tgbot.cli.common import Json, Wrong, app, number, tell_rows

if TYPE_CHECKING:
    from tgbot.soak import Report

MOST_STEPS = 10**6


@app.command(epilog="Example: dicehall soak --seed 7 --steps 500 --json")
def soak(
    seed: Annotated[int, number("The same seed does the same things.")] = 1,
    steps: Annotated[int, number("Steps of each seed.")] = 300,
    minutes: Annotated[int, number("Go on with the next seeds for so long.")] = 0,
    only: Annotated[str, typer.Option(help="Only these steps, as a failure names them.")] = "",
    as_json: Json = False,
) -> None:
    """Look for faults nobody thought of: everything that can go wrong, in virtual time.

    A failure prints the seed, the step, what was broken and the shortest script
    that repeats it. Needs no token and touches no database of yours.
    """
    from tgbot.cli.minds import ready
    from tgbot.soak import soak as run

    if seed < 0:
        raise Wrong("--seed: 0 or more")
    if not 1 <= steps <= MOST_STEPS:
        raise Wrong(f"--steps: 1 to {MOST_STEPS}")
    if not 0 <= minutes <= 10_000:
        raise Wrong("--minutes: 0 to 10000")
    try:
        numbers = sorted({int(number) for number in only.split(",")}) if only else []
    except ValueError:
        raise Wrong("--only: numbers of steps such as 3,17,29") from None
    for game in registry().values():
        if game.mind:
            ready(game)  # or whether James plays would depend on the machine
    end = time.monotonic() + 60 * minutes
    while True:
        report = run(seed, steps, numbers)
        if as_json:
            print(json.dumps(report.document(), ensure_ascii=False), flush=True)
        else:
            _show(Console(), report)
        if not report.ok:
            raise typer.Exit(1)
        if time.monotonic() >= end:
            break
        seed += 1


def _show(console: Console, report: Report) -> None:
    rows = {
        "deaths": report.deaths,
        "games finished": report.games_finished,
        "faults": sum(report.faults.values()),
        "updates": ", ".join(f"{n} {what}" for what, n in sorted(report.updates.items())),
        "digest": report.digest[:16],
    }
    tell_rows(console, f"Seed {report.seed}, {report.steps} steps", rows)
    if failure := report.failure:
        when = "once all was quiet" if failure.step is None else f"after step {failure.step}"
        console.print(f"broken {when}:", style="bold red")
        for line in (*failure.broken, "the script:", *failure.script):
            console.print(line, markup=False)
        steps = ",".join(map(str, failure.only))
        console.print(f"again: dicehall soak --seed {report.seed} --only {steps}", markup=False)
