"""Seeds of the soak, one after the other until one fails: `… seeds 0 40` runs the first forty."""

from __future__ import annotations

import sys

from tgbot.soak import soak

STEPS = 60


def main() -> None:
    """Says what the first failing seed found; exit status 1 if one did."""
    first, end = map(int, sys.argv[1:])
    for seed in range(first, end):
        failure = soak(seed, STEPS, shorten=False).failure
        if failure:
            print(f"seed {seed}: {failure.broken[0]}")
            raise SystemExit(1)


if __name__ == "__main__":
    main()
