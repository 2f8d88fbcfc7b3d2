"""The database and its books: bringing it up to date, proving it, telling what is in it."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from peewee import DatabaseError
from rich.console import Console
from rich.markup import escape

from economy.audit import Audit, prove_in_slices
from economy.database import Damaged, Ruined, Unreadable, file_problems
from economy.ledger import KeyConflict, Overdrawn, Unbalanced
from economy.supply import MOST_DAYS, Supply
from economy.transactions import snapshot
from tgbot.cli.common import (
    AMOUNTS,
    Json,
    Wrong,
    app,
    existing,
    load_settings,
    number,
    opened,
    progress,
    read_amount,
    read_reason,
    tell,
    tell_rows,
)
from tgbot.config import Settings
from tgbot.facts import last_audit, note_audit
from tgbot.hall.hall import open_hall
from tgbot.operator import actions
from tgbot.operator.backup import RESTORE, BackupError
from tgbot.operator.digest import FEWEST
from tgbot.operator.digest import problems as changed
from tgbot.people.names import shown_name

FINISHED = "of a finished game"
"""What only the audit says of an escrow."""


@app.command(epilog="Example: dicehall migrate")
def migrate(as_json: Json = False) -> None:
    """Create the database or bring it up to date."""
    from tgbot.database import migrate_database

    settings = load_settings()
    done = migrate_database(settings)
    database = re.sub(r"(//[^/@]*):[^/@]*@", r"\1@", settings.database)  # without a password
    document = {"database": database, "applied": done}
    said = ", ".join(done) if done else "nothing to do"
    line = escape(f"{database}: {said}")
    tell(document, as_json, lambda console: console.print(line, soft_wrap=True))


@app.command(epilog="Example: dicehall audit --json")
def audit(
    digest: Annotated[
        str, typer.Option(help="A seal the bot sent you one night: are these still those books?")
    ] = "",
    as_json: Json = False,
) -> None:
    """Prove the books: sums, signs, balances, escrows, triggers, and that no past was changed.

    Exit status 1 if anything is wrong.
    """
    kept = "".join(digest.split()).lower()
    if kept and not re.fullmatch(rf"[0-9a-f]{{{FEWEST},64}}", kept):
        raise Wrong(f"--digest: at least {FEWEST} of the digits the bot sent, such as 3f9a02c17b6e")
    settings = load_settings()
    result, problems = _proved(settings, kept)
    if not kept:  # a seal may be mistyped
        _noted(settings, len(problems))
    document = {
        "ok": not problems,
        "sums": result.sums,
        "held": result.held,
        "bookings": result.bookings,
        "postings": result.postings,
        "problems": list(problems),
    }

    def show(console: Console) -> None:
        rows: dict[str, Any] = {}
        for currency, kinds in result.held.items():
            rows |= {f"{currency} · {kind}": held for kind, held in kinds.items()}
            rows[f"{currency} · sum"] = result.sums[currency]
        tell_rows(
            console, "Audit", {**rows, "bookings": result.bookings, "postings": result.postings}
        )
        _show_problems(console, problems)

    tell(document, as_json, show)
    raise typer.Exit(1 if problems else 0)


def _show_problems(console: Console, problems: Sequence[str]) -> None:
    for problem in problems:
        console.print(f"[bold red]wrong:[/] {escape(problem)}")
    if not problems:
        console.print("[bold green]All is well.[/]")


def _noted(settings: Settings, problems: int) -> None:
    """Has the bot's metrics and panel tell what an audit found wrong, and that it is right again.

    An audit that finds nothing new writes nothing; nor is a damaged file written to, which no bot
    serves.
    """
    with contextlib.suppress(DatabaseError, sqlite3.Error, Unreadable, Damaged):
        with existing(settings) as db:
            right, _ = last_audit(db) or (True, 0)
            if (problems or not right) and not file_problems(db):
                with db.atomic():
                    note_audit(db, problems, int(time.time()))


def _proved(settings: Settings, kept: str = "") -> tuple[Audit, tuple[str, ...]]:
    """What the audit says, and everything that is wrong, the schema included."""
    lost: list[str] = []
    with existing(settings, read_only=True, lost=lost) as db:
        hall, _ = open_hall(db, settings)
        try:
            with progress("Proving the file and the books") as told:
                result = prove_in_slices(db, hall.store.open_games, told)
            past = [] if lost else changed(db, kept)
        except (DatabaseError, sqlite3.Error) as error:
            raise Ruined("; ".join((*lost, str(error)))) from None
    return result, (*dict.fromkeys((*result.problems, *lost, *past)),)


@app.command(epilog="Example: dicehall repair")
def repair(as_json: Json = False) -> None:
    """Set every balance to what its postings say, put back missing triggers, and audit.

    Only while no bot runs. A SQLite file is kept first as it was, under a dated
    name. Exit status 1 if anything is left that only a backup mends.
    """
    from tgbot.operator.repair import repair as mend

    settings = load_settings()
    try:
        done = mend(settings)
    except BackupError as error:
        raise Wrong(str(error)) from None
    except Unbalanced as error:
        raise Wrong(
            f"nothing was repaired, for {error}, and no balance can be told from that; {RESTORE}"
        ) from None
    _, problems = _proved(settings)
    _noted(settings, len(problems))
    document = {
        "triggers": list(done.triggers),
        "balances": [asdict(mended) for mended in done.balances],
        "kept": str(done.kept) if done.kept else None,
        "ok": not problems,
        "problems": list(problems),
    }

    def show(console: Console) -> None:
        rows = {f"trigger {name}": "put back" for name in done.triggers}
        rows |= {mended.account: f"{mended.was} → {mended.now}" for mended in done.balances}
        tell_rows(console, "Repair", {**rows, "kept": done.kept.name if done.kept else "–"})
        _show_problems(console, problems)
        if any(FINISHED in problem for problem in problems):
            console.print("dicehall cancel GAME gives back what a finished game still holds.")
        if not all(FINISHED in problem for problem in problems):
            console.print(f"This cannot be mended; {RESTORE}.")

    tell(document, as_json, show)
    raise typer.Exit(1 if problems else 0)


@app.command(epilog="Example: dicehall fund 1000 --reason 'for December'", context_settings=AMOUNTS)
def fund(
    amount: Annotated[str, typer.Argument(help="How many coins, in plain digits.")],
    reason: Annotated[str, typer.Option(help="Why; it stays with the booking.")],
    key: Annotated[str, typer.Option(help="Said twice, it is booked once.")] = "",
    as_json: Json = False,
) -> None:
    """Put new coins into the Robin Hood fund."""
    coins, why = read_amount(amount), read_reason(reason)
    with opened() as (hall, _):
        try:
            filled = actions.top_up(hall.ledger, coins, why, key)
        except KeyConflict:
            raise Wrong(f"--key: {key} was used for something else; choose another") from None
        except Overdrawn:
            raise Wrong("AMOUNT: the fund cannot hold that much") from None
    document = {"added": coins if filled.new else 0, "fund": filled.balance, "key": filled.key}
    tell(document, as_json, lambda console: tell_rows(console, "Fund", document))


@app.command(epilog="Example: dicehall supply --days 30")
def supply(days: Annotated[int, number("Days to tell about.")] = 7, as_json: Json = False) -> None:
    """What is in circulation and where, what is new and paid out by day, and who is richest."""
    if not 1 <= days <= MOST_DAYS:
        raise Wrong(f"--days: 1 to {MOST_DAYS}")
    settings = load_settings()
    with existing(settings, read_only=True) as db, snapshot(db):
        hall, _ = open_hall(db, settings)
        found = actions.supply(hall.store, settings, int(time.time()), days=days)
        names = {owner.ref: shown_name(hall.store.db, int(owner.ref)) for owner in found.richest}
    document = {
        "circulation": found.circulation,
        "held": found.held,
        "days": {currency: [asdict(day) for day in of] for currency, of in found.days.items()},
        "richest": [{**asdict(owner), "name": names[owner.ref]} for owner in found.richest],
        "richest_share": found.richest_share,
    }
    tell(document, as_json, lambda console: _show_supply(console, found, names))


def _show_supply(console: Console, found: Supply, names: dict[str, str]) -> None:
    for currency, places in found.held.items():
        rows = {"in circulation": found.circulation[currency], **places}
        tell_rows(console, currency, rows)
        # The three numbers of a quiet day say nothing.
        told = {
            day.date: f"+{day.new} −{day.gone} · paid {day.paid}"
            for day in found.days[currency]
            if day.new or day.gone or day.paid
        }
        if told:
            tell_rows(console, f"{currency} by day: new, gone, paid out by games", told)
    richest = {
        f"{place}. {names[owner.ref]}": f"{owner.coins} · {owner.share:.1%}"
        for place, owner in enumerate(found.richest, 1)
    }
    if richest:
        tell_rows(console, f"Richest, together {found.richest_share:.1%}", richest)


@app.command(epilog="Example: dicehall export --format csv > bookings.csv")
def export(
    form: Annotated[
        str, typer.Option("--format", help="csv: a line a posting; jsonl: a line a booking.")
    ] = "csv",
    as_json: Json = False,
) -> None:
    """Print all bookings with their postings, oldest first."""
    from tgbot.operator.export import FORMATS, write

    if form not in FORMATS:
        raise Wrong(f"--format: {' or '.join(FORMATS)}")
    try:
        with existing(load_settings(), read_only=True) as db, snapshot(db):
            write(db, "json" if as_json else form, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has seen enough; Python would complain once more at its end.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
