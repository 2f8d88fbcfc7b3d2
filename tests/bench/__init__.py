"""`make bench`: what presses, boards and bookings cost, beside what they are built on.

Two bare python-telegram-bots (`bare.py`) and `dicehall run` by polling and by webhook, each a
process of its own that is reached over HTTP, serve crowds of the playground in turn (`presses.py`,
`players.py`); boards are made and sent (`boards.py`); and the ledger books against plain sqlite3
(`bookings.py`). Every run ends by itself. No test asserts a time.
"""
