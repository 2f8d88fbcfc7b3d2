"""The database and its books: bringing it up to date, proving it, giving coins."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from economy.db import Damaged, connect
from economy.ledger import KeyConflict, Overdrawn
from games.game import Refusal
from tgbot.app import open_database, open_hall
from tgbot.commands.common import Json, Wrong, app, load_settings, tell, tell_rows

MOST_GRANTED = 10**12


@app.command(epilog="Example: dicehall migrate")
def migrate(as_json: Json = False) -> None:
    """Create the database or bring it up to date."""
    from tgbot.app import migrate_database

    settings = load_settings()
    done = migrate_database(settings)
    document = {"database": settings.database, "applied": done}
    said = ", ".join(done) if done else "nothing to do"
    line = escape(f"{settings.database}: {said}")
    tell(document, as_json, lambda console: console.print(line, soft_wrap=True))


@app.command(epilog="Example: dicehall audit --json")
def audit(as_json: Json = False) -> None:
    """Prove the books: sums, signs, balances, escrows, triggers. Exit status 1 if one is wrong."""
    settings = load_settings()
    try:
        db = open_database(settings)
    except Damaged:
        db = connect(settings.database)
    hall, _ = open_hall(db, settings)
    with db.atomic():
        result = hall.ledger.audit(hall.store.open_games())
    document = {
        "ok": not result.problems,
        "sums": result.sums,
        "held": result.held,
        "bookings": result.bookings,
        "postings": result.postings,
        "problems": list(result.problems),
    }

    def show(console: Console) -> None:
        rows: dict[str, Any] = {}
        for currency, kinds in result.held.items():
            rows |= {f"{currency} · {kind}": held for kind, held in kinds.items()}
            rows[f"{currency} · sum"] = result.sums[currency]
        tell_rows(
            console, "Audit", {**rows, "bookings": result.bookings, "postings": result.postings}
        )
        for problem in result.problems:
            console.print(f"[bold red]wrong:[/] {escape(problem)}")
        if not result.problems:
            console.print("[bold green]All is well.[/]")

    tell(document, as_json, show)
    raise typer.Exit(1 if result.problems else 0)


@app.command(epilog="Example: dicehall verify k3fa9c1e")
def verify(
    game: Annotated[str, typer.Argument(help="The game's id, as its result shows it.")],
    as_json: Json = False,
) -> None:
    """Recompute every throw of a finished game from its revealed secret."""
    from tgbot.verify import verification

    settings = load_settings()
    db = open_database(settings)
    hall, _ = open_hall(db, settings)
    with db.atomic():
        table = hall.store.find(game.lower())
        if table is None:
            raise Wrong(f"there is no game {game!r}")
        if table.open:
            raise Wrong(f"game {game} is still running; its secret is shown when it is over")
        found = verification(hall.store, table)
    document = {
        "game": table.id,
        "kind": table.kind,
        "ok": not found.wrong,
        "throws": found.throws,
        "wrong": list(found.wrong),
        "seal": found.sealed,
        "secret": found.secret,
        "players_part": found.part,
    }
    tell(document, as_json, lambda console: tell_rows(console, "Verify", document))
    raise typer.Exit(1 if found.wrong else 0)


@app.command(epilog="Example: dicehall grant @anna 50 --reason 'won the raffle'")
def grant(
    person: Annotated[str, typer.Argument(help="A Telegram user id or @username.")],
    amount: Annotated[str, typer.Argument(help="How many coins, in plain digits.")],
    reason: Annotated[str, typer.Option(help="Why; it stays with the booking.")],
    key: Annotated[str, typer.Option(help="Said twice, it is granted once.")] = "",
    as_json: Json = False,
) -> None:
    """Give somebody new coins; the booking keeps the reason."""
    from tgbot.operator import grant as give

    if not re.fullmatch(r"[0-9]{1,13}", amount, re.ASCII) or not 1 <= int(amount) <= MOST_GRANTED:
        raise Wrong(f"AMOUNT: a whole number from 1 to {MOST_GRANTED} in plain digits")
    if not reason.strip():
        raise Wrong("--reason: say why, it stays with the booking")
    settings = load_settings()
    db = open_database(settings)
    _, people = open_hall(db, settings)
    with db.atomic():
        try:
            given = give(people, person, int(amount), reason.strip(), key)
        except Refusal:
            raise Wrong(
                f"PERSON: I have not met {person}; a Telegram user id or @username of somebody "
                "who has played or written to the bot"
            ) from None
        except KeyConflict:
            raise Wrong(f"--key: {key} was used for another grant; choose another") from None
        except Overdrawn:
            raise Wrong("AMOUNT: nobody can own that much") from None
    document = {
        "user": given.person.user_id,
        "name": given.person.name,
        "granted": int(amount) if given.new else 0,
        "balance": given.balance,
        "key": given.key,
    }
    tell(document, as_json, lambda console: tell_rows(console, "Grant", document))
