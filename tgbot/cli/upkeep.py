"""Keeping a bot running for years: copies, putting one back, quiet before an upgrade."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from economy.database import shut
from economy.ledger import Overdrawn
from games.game import Refusal
from tgbot.cli.common import (
    Json,
    Wrong,
    app,
    existing,
    load_settings,
    number,
    opened,
    read_reason,
    tell,
    tell_rows,
)
from tgbot.config import read_secret
from tgbot.database import new_database
from tgbot.hall.hall import open_hall
from tgbot.lock import alone, is_running, unserved
from tgbot.operator import actions

MOST_KEPT = 10_000
LOOK_EVERY_S = 1.0


@app.command(epilog="Example: dicehall backup /srv/backups/ --keep 14")
def backup(
    path: Annotated[str, typer.Argument(help="A new file, or a folder/ for dated files.")],
    keep: Annotated[int | None, number("Keep only so many copies in the folder.")] = None,
    as_json: Json = False,
) -> None:
    """Copy the database while the bot runs, and audit the copy.

    A path that ends in / is a folder, and so is any with --keep: it is made where
    it is missing.
    """
    from tgbot.operator.backup import BackupError, back_up

    if keep is not None and not 1 <= keep <= MOST_KEPT:
        raise Wrong(f"--keep: 1 to {MOST_KEPT}")
    if not path:
        raise Wrong("PATH: name a new file, or a folder")
    settings = load_settings()
    folder = keep is not None or path.endswith("/")
    try:
        made = back_up(settings, Path(path), keep=keep or 0, folder=folder)
    except BackupError as error:
        raise Wrong(str(error)) from None
    document = {
        "file": str(made.file),
        "bytes": made.size,
        "bookings": made.bookings,
        "removed": [str(old) for old in made.removed],
    }
    shown = {**document, "removed": len(made.removed)}
    tell(document, as_json, lambda console: tell_rows(console, "Backup", shown))


@app.command(epilog="Example: dicehall restore /srv/backups/dicehall-20270131T030000Z.db")
def restore(
    path: Annotated[str, typer.Argument(help="A copy that dicehall backup made.")],
    as_json: Json = False,
) -> None:
    """Put a copy in the place of the database, which is kept under a dated name.

    Only while no bot runs, and only what is a ledger and passes its audit.
    """
    from tgbot.operator.backup import BackupError
    from tgbot.operator.backup import restore as put_back

    settings = load_settings()
    try:
        done = put_back(settings, Path(path))
    except BackupError as error:
        raise Wrong(str(error)) from None
    document = {
        "database": str(done.file),
        "bookings": done.bookings,
        "applied": list(done.applied),
        "kept": str(done.kept) if done.kept else None,
    }
    shown = {**document, "applied": ", ".join(done.applied) or "nothing", "kept": done.kept or "–"}
    tell(document, as_json, lambda console: tell_rows(console, "Restored", shown))


@app.command(epilog="Example: dicehall drain --wait && systemctl stop dicehall")
def drain(
    off: Annotated[bool, typer.Option("--off", help="Open new games again.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Return when no game is open.")] = False,
    as_json: Json = False,
) -> None:
    """Open no new games, so that the running ones finish and the bot can be stopped."""
    if off and wait:
        raise Wrong("--wait: waits for games to end; --off opens new ones")
    settings = load_settings()
    with existing(settings) as db:
        hall, _ = open_hall(db, settings)
        with db.atomic():
            games = actions.drain(hall.store, not off)
        while wait and games:
            if not is_running(settings, db):
                raise Wrong(f"--wait: no bot runs, and nothing else ends the open games ({games})")
            time.sleep(LOOK_EVERY_S)
            games = len(hall.store.open_games())
    document = {"draining": not off, "open": games}

    def show(console: Console) -> None:
        state = "new games open again" if off else "no new games open"
        console.print(f"{state}; open now: {games}")

    tell(document, as_json, show)


@app.command(epilog="Example: dicehall cancel k3fa9c1e --reason 'hangs since the move'")
def cancel(
    game: Annotated[str, typer.Argument(help="The game's id; without it the open ones.")] = "",
    reason: Annotated[str, typer.Option(help="Why; it stays with the game and its booking.")] = "",
    as_json: Json = False,
) -> None:
    """End an open game; every stake returns. Without GAME: list the open games.

    What a finished game still holds goes evenly to those who sat in it, the rest
    to the Robin Hood fund. A bot that runs shows the end of an open game within
    half a minute.
    """
    if not game:
        _tell_open(as_json)
        return
    why = read_reason(reason)
    with opened() as (hall, _):
        try:
            done = actions.cancel(hall, game.lower(), why)
        except Overdrawn:
            raise Wrong(f"GAME: the pot of {game} is short; dicehall repair can tell why") from None
        except Refusal as refusal:
            if refusal.text.key != "refused.no_game":
                raise
            raise Wrong(f"GAME: there is no game {game!r}") from None
    document = {"game": done.game, "returned": dict(done.returned), "fund": done.fund}
    shown = {f"to {user}": coins for user, coins in done.returned.items()}
    shown["to the fund"] = done.fund
    tell(document, as_json, lambda console: tell_rows(console, f"Cancelled {done.game}", shown))


def _tell_open(as_json: bool) -> None:
    with opened(read_only=True) as (hall, _):
        tables = [hall.store.read_bare(game_id) for game_id in hall.store.open_games()]
        titles = {table.chat_id: hall.chats.settings(table.chat_id).title for table in tables}
    document = {
        "open": [
            {
                "game": table.id,
                "kind": table.kind,
                "chat": table.chat_id,
                "title": titles[table.chat_id],
                "status": table.status,
                "pot": table.pot,
                "opened_at": table.opened_at,
            }
            for table in tables
        ]
    }
    shown = {
        table.id: f"{table.kind} · {table.status} · pot {table.pot} · "
        f"{titles[table.chat_id] or table.chat_id}"
        for table in tables
    }
    tell(
        document, as_json, lambda console: tell_rows(console, "Open games", shown or {"none": "–"})
    )


@app.command("copy-to", epilog="Example: dicehall copy-to /run/secrets/database")
def copy_to(
    url: Annotated[
        str,
        typer.Argument(help="An empty database: its URL, or a file that holds only the URL."),
    ],
    as_json: Json = False,
) -> None:
    """Copy everything into another database, audited on both sides; no bot may run meanwhile."""
    from tgbot.operator.copying import NotCopied
    from tgbot.operator.copying import copy_to as copy

    settings = load_settings()
    if "://" not in url:  # other people see what is typed, a password as well
        url = read_secret("URL", Path(url))
    with existing(settings, read_only=True) as source:
        target = new_database(settings.model_copy(update={"database": url}))
        try:
            with alone(settings):
                unserved(source)
                copied = copy(source, target)
        except NotCopied as error:
            raise Wrong(f"nothing was copied: {error}") from None
        finally:
            shut(target)
    document = {
        "rows": copied.rows,
        "bookings": copied.target.bookings,
        "sums": copied.target.sums,
        "ok": not copied.target.problems,
    }
    tell(document, as_json, lambda console: tell_rows(console, "Copied", document))
