"""What the house promises, tested in the order of the rulebook.

`games/` and `economy/` test the rules with scripted dice and real SQLite files, `test_house.py`
who may import whom. Nothing here sleeps, mocks or draws a number that a seed does not fix.
"""
