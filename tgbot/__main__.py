"""`python -m tgbot` is `dicehall`."""

from tgbot.cli import main

main()
