"""The real bot against a strict Telegram, with everything that can go wrong, in virtual time.

One seed drives people (sensible, clumsy, malicious), a clock, Telegram's faults and deaths of the
process, step by step; after every step the promises of `promises.py` must hold, and what `rows.py`
says of the database. The same seed does the same things: one thread, virtual time, secrets and dice
drawn from the seed.
"""

from tgbot.soak.run import Failure, Report, soak

__all__ = ["Failure", "Report", "soak"]
