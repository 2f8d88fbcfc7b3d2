"""What an operator does and is told, in Telegram and on the command line."""
