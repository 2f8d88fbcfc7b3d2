"""The daily (RULES 9): one game a day with the same dice for everyone.

`days` seals them ahead and keeps the calendar, `attempts` holds what everybody made of them. Begin
with `daily`, the use cases; `pages` is what people read, `reckoning` what James has to say once a
day is over. An attempt itself is a game like any other, played on a board of its own.
"""
