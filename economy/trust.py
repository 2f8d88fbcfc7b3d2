"""Trust that a transaction goes well: while it is trusted, nothing in it can be undone alone.

Then no savepoints are made, and what is written without looking at the answer waits until the next
answer is needed: most of what that would save nobody misses. Where the trust was misplaced, all of
the transaction is undone and done again without it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Unsaved(BaseException):
    """Undo the transaction, and do it again without trust. No use case catches it."""


class _Here(threading.local):
    trusting = False


_here = _Here()


@contextlib.contextmanager
def trusting() -> Iterator[None]:
    """Inside, this thread trusts; where it should not have, `Unsaved` is raised."""
    _here.trusting = True
    try:
        yield
    finally:
        _here.trusting = False


def trusts() -> bool:
    """Whether this thread does."""
    return _here.trusting
