"""SURVIVE.md, row by row: `test_05_…` drives the fault of row 5 through the real bot."""
