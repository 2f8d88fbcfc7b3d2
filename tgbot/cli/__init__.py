"""The commands of `dicehall`, by what they are about. `tgbot.cli.main` runs them.

A command reads what was typed, calls a function of the bot, and prints one document. What is typed
wrong is raised as `common.Wrong` and told in one line; begin with `common.py`.
"""

from tgbot.cli import books, minds, numbers, persons, proofs, robin_hood, serving, soak, upkeep

__all__ = [
    "books",
    "minds",
    "numbers",
    "persons",
    "proofs",
    "robin_hood",
    "serving",
    "soak",
    "upkeep",
]
