"""Plants every bug, two at a time, and prints what caught it; exit status 1 if one lives."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tests.faults.mutants.hunt import Catch, copied, hunt
from tests.faults.mutants.planted import MUTANTS, Mutant

TOGETHER = 2
LONGEST = 150
"""So much is shown of what caught it."""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutants", description=__doc__)
    names = [mutant.name for mutant in MUTANTS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="only these")
    only = parser.parse_args().only or names
    catches = []
    for catch in hunted([mutant for mutant in MUTANTS if mutant.name in only]):
        print(f"{catch.verdict}: {catch.mutant.name}", file=sys.stderr, flush=True)
        catches.append(catch)
    Console().print(table(catches))
    lost = [catch.mutant.name for catch in catches if not catch.caught]
    print(f"{len(catches) - len(lost)} of {len(catches)} caught", *lost)
    raise SystemExit(bool(lost))


def hunted(mutants: Sequence[Mutant]) -> Iterator[Catch]:
    """What became of them, one after the other."""
    with tempfile.TemporaryDirectory(prefix="clean") as folder:
        clean = copied(Path(folder))
        with ThreadPoolExecutor(TOGETHER) as pool:
            yield from pool.map(partial(hunt, clean=clean), mutants)


def table(catches: Sequence[Catch]) -> Table:
    """A line a mutant."""
    shown = Table("mutant", "promise", "caught by", "s")
    for catch in catches:
        by = escape(catch.by[:LONGEST])
        if not catch.caught:
            by = f"[bold red]{catch.verdict}[/] {by}"
        mutant = catch.mutant
        shown.add_row(mutant.name, escape(mutant.promise), by, f"{catch.seconds:.1f}")
    return shown


if __name__ == "__main__":
    main()
