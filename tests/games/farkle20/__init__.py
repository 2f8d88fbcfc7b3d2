"""Farkle 20 Limited rule by rule (RULES 4)."""
