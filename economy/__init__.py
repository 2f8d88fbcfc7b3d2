"""Money only: no Telegram, no games.

Every Knuddel and every point moves by a booking in one double-entry ledger. `ledger.py` is the
place to begin; `pots.py` says who gets what of a pot, `database.py` opens the database,
`models.py` is its schema, `statements.py` makes its queries fast. Amounts are whole numbers;
nothing here reads a clock: the caller says what time it is.
"""
