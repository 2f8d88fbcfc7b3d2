"""What the commands share: the application, options, documents, complaints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from peewee import Database
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table as Grid

from economy.audit import OnStep
from economy.database import Damaged, connect, shut, unsynced
from tgbot import __version__, config, log
from tgbot.config import Settings
from tgbot.database import open_database, open_existing
from tgbot.hall.hall import Hall, open_hall
from tgbot.people import amounts
from tgbot.people.people import People

MOST_IN_A_GROUP = 8
"""Values that belong together and are shown one a row."""

app = typer.Typer(
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    """A Telegram bot that turns a group chat into a dice hall."""
    if version:
        print(f"dicehall {__version__}")
        raise typer.Exit


class Wrong(Exception):
    """Something typed wrong; the message says what would be right."""


def whole(typed: str | int) -> int:
    """A whole number in plain digits; `int` would take 1_000 and the digits of any script."""
    if not re.fullmatch(r"-?[0-9]{1,18}", str(typed), re.ASCII):
        raise typer.BadParameter("a whole number in plain digits")
    return int(typed)


def number(about: str) -> Any:
    """An option that is a whole number."""
    return typer.Option(help=about, parser=whole, metavar="NUMBER")


AMOUNTS = {"ignore_unknown_options": True}
"""Of commands that take amounts: `-5` is an amount that is refused, and no option."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def read_amount(typed: str) -> int:
    """An amount of coins. Raises `Wrong`."""
    amount = amounts.read_amount(typed)
    if amount is None:
        raise Wrong(f"AMOUNT: a whole number from 1 to {amounts.HIGHEST_AMOUNT} in plain digits")
    return amount


def read_reason(typed: str) -> str:
    """A reason, as one line. Raises `Wrong` for none."""
    reason = " ".join(typed.split())
    if not reason:
        raise Wrong("--reason: say why, it is kept")
    return reason


def load_settings() -> Settings:
    """The settings, with logs set up as they say. Raises `WrongSetting`."""
    settings = config.load()
    log.setup(settings.log_level, as_json=settings.log_json)
    return settings


@contextmanager
def progress(about: str) -> Iterator[OnStep]:
    """Shows on a terminal how far it is; nothing anywhere else."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(about, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


@contextmanager
def existing(
    settings: Settings, *, read_only: bool = False, lost: list[str] | None = None
) -> Iterator[Database]:
    """The database as it stands (see `open_existing`), closed afterwards.

    With a list `lost` one that is damaged is opened all the same, and the list told what it lacks.
    """
    try:
        db = open_existing(settings, read_only=read_only)
    except Damaged as error:
        if lost is None:
            raise
        lost += error.problems
        db = connect(settings.database, read_only=read_only)
    try:
        yield db
    finally:
        shut(db)


@contextmanager
def opened(*, read_only: bool = False) -> Iterator[tuple[Hall, People]]:
    """The use cases over the database of the settings, in one transaction."""
    settings = load_settings()
    with existing(settings, read_only=read_only) as db:
        hall, people = open_hall(db, settings)
        with db.atomic():
            yield hall, people


@contextmanager
def temporary(**settings: object) -> Iterator[tuple[Settings, Database]]:
    """A database that is gone afterwards, and the defaults for everything but some `settings`."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/temporary.db"
        made = config.load(_env_file=None, database=url, **settings)
        db = open_database(made)
        unsynced(db)
        try:
            yield made, db
        finally:
            shut(db)


def tell(document: dict[str, Any], as_json: bool, show: Callable[[Console], None]) -> None:
    """Prints what came of a command: the document, or what `show` prints for people."""
    if as_json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        show(Console())


def tell_rows(console: Console, title: str, rows: dict[str, Any]) -> None:
    """Prints names and values as a table; without any the title alone."""
    if not rows:
        console.print(escape(title))
        return
    grid = Grid(title=title, show_header=False, title_justify="left")
    grid.add_column(style="bold")
    grid.add_column(justify="right")
    for name, value in _flat(rows):
        grid.add_row(escape(name.replace("_", " ")), escape(_said(value)))
    console.print(grid)


def _flat(rows: dict[str, Any], about: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values; those of a small group are rows of their own, `scores mean`."""
    for name, value in rows.items():
        if isinstance(value, dict) and len(value) <= MOST_IN_A_GROUP:
            yield from _flat(value, f"{about}{name} ")
        else:
            yield f"{about}{name}", value


def _said(value: Any) -> str:
    """A value as people read it: what has several parts is one line each, or all in one line."""
    match value:
        case bool():
            return "yes" if value else "no"
        case None | "" | []:
            return "–"
        case dict():
            lines = (f"{name.replace('_', ' ')} {_said(it)}" for name, it in value.items())
            return "\n".join(lines) or "–"
        case list() if isinstance(value[0], dict):
            return "\n".join(", ".join(_said(it).split("\n")) for it in value)
        case list() | tuple():
            return ", ".join(map(_said, value))
    return str(value)
