"""The command line: `dicehall run`, `dicehall play`, and the operator's tools.

Every command prints one JSON document with `--json`; logs go to stderr. What is typed or set wrong
is told in one line, with exit status 2. The commands themselves are in `tgbot.cli`.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import traceback

import typer
from peewee import DatabaseError
from telegram.error import InvalidToken

from economy.database import (
    Damaged,
    Missing,
    Newer,
    Older,
    Ruined,
    Stuck,
    Unreachable,
    Unreadable,
    unavailable,
)
from games.game import Refusal, Text
from tgbot import cli as commands
from tgbot import log
from tgbot.cli.common import Wrong, app
from tgbot.config import Settings, WrongSetting
from tgbot.lock import Running
from tgbot.operator.backup import RESTORE
from tgbot.words import all_words

__all__ = ["app", "commands", "main"]

LONGEST_PATH = 100
"""So much of a path stands in a line about it."""


def main() -> None:
    """The entry point: one clear line and exit status 2 for whatever is wrong."""
    # What numpy reckons is small: more threads would only wait for each other, and for the bot.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Databases, their copies and proofs hold people's names: nobody else on the machine reads them.
    os.umask(0o077)
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="dicehall", standalone_mode=False)
    except (Wrong, WrongSetting) as error:
        _fail(str(error))
    except Damaged as error:
        _fail(f"DATABASE: {error}; see dicehall audit and dicehall repair, or {RESTORE}")
    except Ruined as error:
        _fail(f"DATABASE: {error}; {RESTORE}")
    except Newer as error:
        _fail(f"DATABASE: {error}; or {RESTORE}, made before the upgrade")
    except Missing as error:
        _fail(f"DATABASE: {error}; dicehall migrate makes it, and so does dicehall run")
    except Older as error:
        _fail(f"DATABASE: {error}; stop the bot, then dicehall migrate brings it up to date")
    except (Running, Stuck) as error:
        _fail(f"DATABASE: {error}")
    except Unreachable as error:
        _fail(f"DATABASE: {error}; is PostgreSQL up, and are address, user and password right?")
    except Unreadable as error:
        lost = f", or {RESTORE}" if "not a database" in str(error) else ""
        _fail(f"DATABASE: {error}; expected a file such as sqlite:///dicehall.db{lost}")
    except Refusal as error:
        _fail(_said(error.text))
    except InvalidToken:
        _fail("BOT_TOKEN: Telegram does not know this token; get a new one from @BotFather")
    except typer.TyperException as error:
        if not error.format_message():  # a group of commands alone: its help was shown
            sys.exit(0)
        _fail(f"{error.format_message().rstrip('.')}. Try: dicehall --help")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except OSError as error:  # a folder one may not enter, a name too long
        where = str(error.filename or "")
        shown = where if len(where) <= LONGEST_PATH else f"{where[:LONGEST_PATH]}…"
        _fail(f"{shown + ': ' if shown else ''}{(error.strerror or str(error)).lower()}")
    except Exception as error:
        if isinstance(error, DatabaseError | sqlite3.Error) and "malformed" in str(error):
            _fail(f"DATABASE: {error}; {RESTORE}")
        if unavailable(error):
            _fail(f"DATABASE: {error}; nothing was changed")
        print(log.redact(traceback.format_exc()), file=sys.stderr)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(line: str) -> None:
    print(f"dicehall: {log.redact(' '.join(line.split()))}", file=sys.stderr)
    sys.exit(2)


def _said(text: Text) -> str:
    return all_words(Settings.model_construct()).plain(text, "en")
