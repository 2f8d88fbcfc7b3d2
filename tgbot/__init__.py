"""Telegram only: the one package that knows games and economy both and ties them together.

Updates come in through `intake.py`, become use cases in `hall.py` (games), `people.py` and
`chats.py`, run on the database thread of `clerk.py`, and go out through `painter.py`. `app.py` puts
the parts together, `cli.py` is the command line. It never waits for Telegram inside a transaction,
and never shows a move before it is committed.
"""
