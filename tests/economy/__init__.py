"""Money: who gets what of a pot, and the ledger that never loses a unit."""
