"""One use case, one transaction, never Telegram: games are opened, played, settled here."""
