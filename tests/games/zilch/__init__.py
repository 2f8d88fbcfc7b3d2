"""Zilch rule by rule (RULES 3)."""
