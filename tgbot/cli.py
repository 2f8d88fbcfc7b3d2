"""The command line: `dicehall run`, `dicehall play`, and the operator's tools.

Every command prints one JSON document with `--json`; logs go to stderr. What is typed or set wrong
is told in one line, with exit status 2.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid
from telegram.error import InvalidToken

from economy.db import Damaged, Unreadable, connect
from economy.ledger import KeyConflict, Overdrawn
from games import dice, registry
from games.game import Refusal, Text
from tgbot import config, log
from tgbot.app import all_words, open_database, open_hall
from tgbot.config import Settings, WrongSetting

MOST_GRANTED = 10**12
MOST_LIMIT = 1000

app = typer.Typer(
    help="A Telegram bot that turns a group chat into a dice hall.",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def whole(typed: str | int) -> int:
    """A whole number in plain digits; `int` would take 1_000 and the digits of any script."""
    if not re.fullmatch(r"-?[0-9]{1,18}", str(typed), re.ASCII):
        raise typer.BadParameter("a whole number in plain digits")
    return int(typed)


def number(about: str) -> Any:
    """An option that is a whole number."""
    return typer.Option(help=about, parser=whole, metavar="NUMBER")


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


class Wrong(Exception):
    """Something typed wrong; the message says what would be right."""


def main() -> None:
    """The entry point: one clear line and exit status 2 for whatever is wrong."""
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="dicehall", standalone_mode=False)
    except (Wrong, WrongSetting) as error:
        _fail(str(error))
    except Damaged as error:
        _fail(f"DATABASE: {error}; dicehall audit tells all that is wrong")
    except Unreadable as error:
        _fail(f"DATABASE: {error}; expected a file such as sqlite:///dicehall.db")
    except Refusal as error:
        _fail(_said(error.text))
    except InvalidToken:
        _fail("BOT_TOKEN: Telegram does not know this token; get a new one from @BotFather")
    except typer.TyperException as error:
        _fail(f"{error.format_message().rstrip('.')}. Try: dicehall --help")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception:
        print(log.redact(traceback.format_exc()), file=sys.stderr)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(line: str) -> None:
    print(f"dicehall: {log.redact(' '.join(line.split()))}", file=sys.stderr)
    sys.exit(2)


def _said(text: Text) -> str:
    return all_words(Settings.model_construct()).plain(text, "en")


def _settings() -> Settings:
    settings = config.load()
    log.setup(settings.log_level, as_json=settings.log_json)
    return settings


def _print(document: dict[str, Any], as_json: bool, show: Callable[[Console], None]) -> None:
    if as_json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        show(Console())


def _rows(console: Console, title: str, rows: dict[str, Any]) -> None:
    grid = Grid(title=title, show_header=False, title_justify="left")
    grid.add_column(style="bold")
    grid.add_column(justify="right")
    for name, value in rows.items():
        grid.add_row(escape(name), escape(str(value)))
    console.print(grid)


# -- serving ----------------------------------------------------------------------------------


@app.command(epilog="Example: BOT_TOKEN=123456:ABC… dicehall run")
def run() -> None:
    """Serve the bot by long polling until it is stopped."""
    from tgbot.serve import serve

    settings = _settings()
    settings.token()
    serve(settings)


@app.command(epilog="Example: dicehall play --port 8081")
def play(
    port: Annotated[int, number("Port of the page on 127.0.0.1.")] = 8081,
    browser: Annotated[bool, typer.Option(help="Open the page where there is a screen.")] = True,
    keep: Annotated[str, typer.Option(help="A database file to go on with.")] = "",
) -> None:
    """Play in a browser without Telegram: a playground and the bot, as two processes."""
    from tgbot.playground.play import play as run_playground

    if not 0 <= port <= 65535:
        raise Wrong("--port: 0 to 65535; 0 takes any free one")
    if keep and not Path(keep).resolve().parent.is_dir():
        raise Wrong(f"--keep: there is no folder for {keep}")
    log.setup("warning")
    try:
        run_playground(port, browser=browser, keep=keep)
    except OSError as error:
        raise Wrong(f"--port: {port} cannot be used ({error.strerror}); choose another") from None


# -- the database -----------------------------------------------------------------------------


@app.command(epilog="Example: dicehall migrate")
def migrate(as_json: Json = False) -> None:
    """Create the database or bring it up to date."""
    from tgbot.app import migrate_database

    settings = _settings()
    done = migrate_database(settings)
    document = {"database": settings.database, "applied": done}
    said = ", ".join(done) if done else "nothing to do"
    _print(document, as_json, lambda console: console.print(f"{settings.database}: {said}"))


@app.command(epilog="Example: dicehall audit --json")
def audit(as_json: Json = False) -> None:
    """Prove the books: sums, signs, balances, escrows, triggers. Exit status 1 if one is wrong."""
    settings = _settings()
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
        _rows(console, "Audit", {**rows, "bookings": result.bookings, "postings": result.postings})
        for problem in result.problems:
            console.print(f"[bold red]wrong:[/] {escape(problem)}")
        if not result.problems:
            console.print("[bold green]All is well.[/]")

    _print(document, as_json, show)
    raise typer.Exit(1 if result.problems else 0)


@app.command(epilog="Example: dicehall verify k3fa9c1e")
def verify(
    game: Annotated[str, typer.Argument(help="The game's id, as its result shows it.")],
    as_json: Json = False,
) -> None:
    """Recompute every throw of a finished game from its revealed secret."""
    from tgbot.verify import verification

    settings = _settings()
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
    _print(document, as_json, lambda console: _rows(console, "Verify", document))
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
    settings = _settings()
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
    _print(document, as_json, lambda console: _rows(console, "Grant", document))


# -- numbers ----------------------------------------------------------------------------------


@app.command(epilog="Example: dicehall odds 4+4+12 --limit 17")
def odds(
    pool: Annotated[str, typer.Argument(help="Dice such as 4+4+12 or 2w6+w20.")],
    limit: Annotated[int | None, number("The limit to compare with.")] = None,
    as_json: Json = False,
) -> None:
    """The exact distribution of an open throw."""
    if limit is not None and not 0 <= limit <= MOST_LIMIT:
        raise Wrong(f"--limit: a whole number from 0 to {MOST_LIMIT}")
    sides = dice.parse(pool)
    top = dice.HIGHEST_SUM if limit is None else limit
    document: dict[str, Any] = {
        "pool": dice.notation(sides),
        "limit": limit,
        "mean": float(dice.mean(sides)),
        "variance": float(dice.variance(sides)),
        "pmf": [
            {"sum": total, **_probability(p)}
            for total, p in enumerate(dice.chances(sides, top))
            if p
        ],
        "exact": None if limit is None else _probability(dice.chance(sides, limit)),
        "over": None if limit is None else _probability(dice.chance_over(sides, limit)),
    }

    def show(console: Console) -> None:
        rows = {row["sum"]: f"{row['float']:.4%}" for row in document["pmf"]}
        title = f"{document['pool']} · mean {document['mean']:.2f}"
        _rows(console, title, {str(total): chance for total, chance in rows.items()})
        if limit is not None:
            console.print(f"exactly {limit}: {document['exact']['float']:.4%}")
            console.print(f"over {limit}: {document['over']['float']:.4%}")

    _print(document, as_json, show)


def _probability(p: Fraction) -> dict[str, Any]:
    return {"p": str(p), "float": float(p)}


@app.command(epilog="Example: dicehall score zilch 113355 222444 --json")
def score(
    game: Annotated[str, typer.Argument(help="A game that scores throws, such as yahtzee.")],
    throws: Annotated[list[str], typer.Argument(help="Throws such as 33366; - reads them.")],
    as_json: Json = False,
) -> None:
    """What throws are worth; with - one a line from standard input."""
    known = registry().get(game)
    if known is None or known.score is None:
        scoring = ", ".join(kind for kind, other in registry().items() if other.score)
        raise Wrong(f"{game!r} scores no throws; these do: {scoring}")
    given = [line.strip() for line in sys.stdin if line.strip()] if throws == ["-"] else throws
    document = {"throws": [known.score(throw) for throw in given]}

    def show(console: Console) -> None:
        for scored in document["throws"]:
            rows = {name: value for name, value in scored.items() if name != "throw"}
            rows |= rows.pop("boxes", {})
            _rows(console, scored["throw"], rows)

    _print(document, as_json, show)


@app.command(epilog="Example: dicehall simulate fifty --players 4 --games 1000 --seed 7 --stake 5")
def simulate(
    game: Annotated[str, typer.Argument(help="The kind of game, such as fifty.")],
    players: Annotated[int, number("Players in each game.")] = 3,
    games: Annotated[int, number("How many games.")] = 100,
    seed: Annotated[int, number("The same seed plays the same games.")] = 1,
    stake: Annotated[int, number("Coins each player puts in.")] = 0,
    policy: Annotated[
        str, typer.Option(help="How they play: random, cautious, greedy.")
    ] = "random",
    as_json: Json = False,
) -> None:
    """Play whole games through the real rules and the real ledger, in a temporary database."""
    from tgbot.simulate import Plan
    from tgbot.simulate import simulate as run_simulation

    log.setup("warning")
    known = registry().get(game)
    if known is None:
        raise Wrong(f"there is no game {game!r}; there is {', '.join(registry())}")
    fewest, most = known.seats
    if not fewest <= players <= most:
        raise Wrong(f"--players: {fewest} to {most} play {game}")
    if not 1 <= games <= 10**6:
        raise Wrong("--games: 1 to 1000000")
    if not 0 <= stake <= 101:
        raise Wrong("--stake: 0 to 101")
    if policy not in known.policies:
        raise Wrong(f"--policy: {' or '.join(known.policies)}")
    document = run_simulation(Plan(game, players, games, seed, stake, policy))
    _print(document, as_json, lambda console: _rows(console, "Simulation", document))
    raise typer.Exit(1 if document["problems"] else 0)
