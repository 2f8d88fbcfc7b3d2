"""`python -m tgbot` is `dicehall`."""

from tgbot.cli.main import main

main()
