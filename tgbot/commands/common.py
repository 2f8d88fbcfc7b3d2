"""What the commands share: the application, options, documents, complaints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from tgbot import config, log
from tgbot.config import Settings

app = typer.Typer(
    help="A Telegram bot that turns a group chat into a dice hall.",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


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


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def load_settings() -> Settings:
    """The settings, with logs set up as they say. Raises `WrongSetting`."""
    settings = config.load()
    log.setup(settings.log_level, as_json=settings.log_json)
    return settings


def tell(document: dict[str, Any], as_json: bool, show: Callable[[Console], None]) -> None:
    """Prints what came of a command: the document, or what `show` prints for people."""
    if as_json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        show(Console())


def tell_rows(console: Console, title: str, rows: dict[str, Any]) -> None:
    """Prints names and values as a table."""
    grid = Grid(title=title, show_header=False, title_justify="left")
    grid.add_column(style="bold")
    grid.add_column(justify="right")
    for name, value in rows.items():
        grid.add_row(escape(name), escape(str(value)))
    console.print(grid)
