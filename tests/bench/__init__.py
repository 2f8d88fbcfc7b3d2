"""`make bench`: what presses, boards and bookings cost, beside what they are built on.

Two bare python-telegram-bots (`bare.py`) and `dicehall run` by polling, by webhook and with
PostgreSQL, each a process of its own that is reached over HTTP, serve crowds of the playground in
turn (`opponents.py`, `presses.py`, `players.py`); boards are made and sent (`boards.py`); the
ledger books against plain sqlite3 (`bookings.py`); every use case meets a database of years
(`years.py`), and a bot starts with it (`start.py`). Every run ends by itself. No test asserts a
time.
"""
