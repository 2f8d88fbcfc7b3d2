"""`make bench`: how fast presses and bookings are, against what they are built on.

The same crowd of people on the playground presses through a bare python-telegram-bot (`bare.py`)
and through `dicehall run`, each a process of its own that is reached over HTTP; and the ledger
books against plain sqlite3 (`bookings.py`). Every run ends by itself. No test asserts a time.
"""
