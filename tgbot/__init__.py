"""Telegram only: the one package that knows games and economy both and ties them together.

An update comes in through `inbound/`, becomes one use case of `hall/` (games) or `people/`, runs
on the database thread, and what is to be seen goes out through `outbound/`. `operator/` is what
keeps a bot running, `cli/` the command line; `app.py` puts the parts together. It never waits for
Telegram inside a transaction, and never shows a move before it is committed.
"""

import os

__version__ = "0.2.0"

# Before anything reads it: how long Telegram asks to wait is a timedelta, as it will always be.
os.environ.setdefault("PTB_TIMEDELTA", "true")
