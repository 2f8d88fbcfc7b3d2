"""Yahtzee, rule by rule (RULES 2)."""
