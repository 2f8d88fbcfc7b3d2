"""The rules of every game: one contract over all of them, then each by its own chapter."""
