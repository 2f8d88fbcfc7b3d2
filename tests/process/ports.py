"""Ports for the processes of tests."""

from __future__ import annotations

import os
import socket
from itertools import count

_LOWEST = 20_000
_A_WORKER = 1_000
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_numbers = count(os.getpid() % _A_WORKER)


def free_port() -> int:
    """One that nothing listens on, and that nobody else comes upon before it is used.

    The system gives the numbers above 32767 to outgoing connections as it likes; each worker of
    the tests has a thousand below.
    """
    for n in _numbers:
        port = _LOWEST + _A_WORKER * (_worker % 10) + n % _A_WORKER
        with socket.socket() as taken:
            try:
                taken.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError
