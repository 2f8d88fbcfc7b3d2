"""Promises of the playground: it refuses, delays, repeats and shows as Telegram does."""
