"""Serving the bot, and playing without Telegram."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tgbot import log
from tgbot.cli.common import Wrong, app, load_settings, number


@app.command(epilog="Example: BOT_TOKEN_FILE=token dicehall run")
def run(
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Have Telegram call WEBHOOK_URL instead.")
    ] = False,
) -> None:
    """Serve the bot by long polling, or by webhook, until it is stopped."""
    from tgbot.app import serve

    settings = load_settings()
    settings.token()
    settings.dice_key()
    if webhook:
        settings.hook()
    serve(settings, webhook=webhook)


@app.command(epilog="Example: dicehall play --port 8081")
def play(
    port: Annotated[int, number("Port of the page on 127.0.0.1.")] = 8081,
    browser: Annotated[bool, typer.Option(help="Open the page where there is a screen.")] = True,
    keep: Annotated[str, typer.Option(help="A database file to go on with.")] = "",
    slow: Annotated[bool, typer.Option("--slow", help="Four times as long to play.")] = False,
    operator: Annotated[
        bool, typer.Option("--operator", help="Anna is the bot's operator.")
    ] = False,
) -> None:
    """Play in a browser without Telegram: a playground and the bot, as two processes."""
    from tgbot.playground.play import play as run_playground

    if not 0 <= port <= 65535:
        raise Wrong("--port: 0 to 65535; 0 takes any free one")
    if keep and not Path(keep).resolve().parent.is_dir():
        raise Wrong(f"--keep: there is no folder for {keep}")
    log.setup("warning")
    try:
        run_playground(port, browser=browser, keep=keep, slow=slow, operator=operator)
    except OSError as error:
        raise Wrong(f"--port: {port} cannot be used ({error.strerror}); choose another") from None
