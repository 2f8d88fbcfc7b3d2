"""Does the net catch fish? Bugs, each planted in a copy, that tests or the soak must catch.

`planted.py` says what is planted and which promise it breaks, `hunt.py` plants one and runs its
net, `python -m tests.faults.mutants` (`make mutants`) does so with all of them and prints a table.
One that lives is a missing test. Nothing here ever changes the tree itself.
"""
