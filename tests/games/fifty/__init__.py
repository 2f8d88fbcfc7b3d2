"""Fifty! rule by rule (RULES 1.2 to 1.4, 1.6, 1.7)."""
