"""A command under the restrictions of a systemd unit, also where systemd does not run.

What the unit's text says is done by hand, as systemd does it: a read-only file system but for the
state folder, no capabilities, and the filter of system calls (libseccomp). Run as a program:
`confined.py UNIT COMMAND…`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

STATE = Path("/var/lib/dicehall")
"""The state folder of the units, StateDirectory=dicehall."""
TOOLS = ("unshare", "setpriv", "systemd-analyze")

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EQUAL, MASKED = 4, 7
WRITE_AND_RUN, RUN, SHARED_RUN = 0x6, 0x4, 0o100000
NAMESPACES = (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
MOST_FAMILIES = 46

# What is tested may lie below /tmp, so the private one is /var/tmp.
MOUNT = """
set -e
mount --make-rprivate /
mount --bind "$1" /mnt
mount -t tmpfs -o mode=755 none /var/lib
mkdir /var/lib/dicehall
mount --move /mnt /var/lib/dicehall
mount -t tmpfs -o mode=1777 none /var/tmp
mount -o remount,bind,ro /
shift
cd /var/lib/dicehall
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
"""


def possible() -> bool:
    """Whether this machine can confine at all: the tools, and namespaces for who runs the tests."""
    if not all(map(shutil.which, TOOLS)):
        return False
    return not subprocess.run([*_namespaces(), "true"], capture_output=True, check=False).returncode


def under(unit: Path, state: Path) -> tuple[str, ...]:
    """What is put before a command, so that it runs as `unit` says with its state in `state`."""
    inner = (sys.executable, str(Path(__file__)), str(unit))
    return (*_namespaces(), "sh", "-c", MOUNT, "sh", str(state), *inner)


def environment(unit: Path) -> dict[str, str]:
    """The unit's own settings; its token lies in the state folder."""
    lines = dict(line.partition("=")[::2] for line in values(unit, "Environment"))
    return {name: value.replace("%d", str(STATE)) for name, value in lines.items()}


def words(unit: Path) -> tuple[str, ...]:
    """What the unit has `dicehall` do."""
    [command] = values(unit, "ExecStart")
    return tuple(command.split()[1:])


def values(unit: Path, name: str) -> list[str]:
    """What a unit says under a name, line by line."""
    return re.findall(rf"^{name}=(.*)$", unit.read_text("utf-8"), re.MULTILINE)


def _namespaces() -> tuple[str, ...]:
    return ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)))


# -- system calls -----------------------------------------------------------------------------


class _Condition(ctypes.Structure):
    """libseccomp's scmp_arg_cmp."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    )


class Filter:
    """What happens at system calls: `default`, unless a rule says otherwise."""

    def __init__(self, default: int) -> None:
        self.lib = ctypes.CDLL("libseccomp.so.2")
        self.lib.seccomp_init.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.lib.seccomp_init(ctypes.c_uint32(default)))

    def rule(self, action: int, call: str, *where: tuple[int, int, int, int]) -> None:
        """`action` at `call`, where its arguments are (number, how, mask or value, value)."""
        number = self.lib.seccomp_syscall_resolve_name(call.encode())
        if number < 0:  # of another architecture, or newer than the library
            return
        conditions = (_Condition * len(where))(*where)
        result = self.lib.seccomp_rule_add_array(
            self.context, ctypes.c_uint32(action), number, len(where), conditions
        )
        if result:
            raise OSError(-result, call)

    def load(self) -> None:
        """Puts it in force, for good."""
        if result := self.lib.seccomp_load(self.context):
            raise OSError(-result, "seccomp_load")


def confine(unit: Path) -> None:
    """Puts in force what the unit says of system calls, here and in all that is begun here."""
    refusal = values(unit, "SystemCallErrorNumber")
    default = ERRNO | getattr(errno, refusal[0]) if refusal else KILL
    refused = ERRNO | errno.EPERM
    loaded = [Filter(ALLOW)]
    if values(unit, "MemoryDenyWriteExecute") == ["yes"]:
        loaded[0].rule(refused, "mmap", (2, MASKED, WRITE_AND_RUN, WRITE_AND_RUN))
        loaded[0].rule(refused, "mprotect", (2, MASKED, RUN, RUN))
        loaded[0].rule(refused, "pkey_mprotect", (2, MASKED, RUN, RUN))
        loaded[0].rule(refused, "shmat", (2, MASKED, SHARED_RUN, SHARED_RUN))
    if values(unit, "RestrictNamespaces") == ["yes"]:
        loaded[0].rule(refused, "unshare")
        loaded[0].rule(refused, "setns")
        for kind in NAMESPACES:
            loaded[0].rule(refused, "clone", (0, MASKED, kind, kind))
    for families in values(unit, "RestrictAddressFamilies"):
        known = {FAMILIES[family] for family in families.split()}
        for family in {*range(MOST_FAMILIES)} - known:
            loaded[0].rule(ERRNO | errno.EAFNOSUPPORT, "socket", (0, EQUAL, family, 0))
    if values(unit, "SystemCallFilter"):
        loaded.append(Filter(default))
        for call in sorted(allowed(unit)):
            loaded[1].rule(ALLOW, call)
    for each in loaded:
        each.load()


def allowed(unit: Path) -> set[str]:
    """The system calls that the unit's filter lets through."""
    calls = set(group("@default"))
    for line in values(unit, "SystemCallFilter"):
        named = {call for name in line.removeprefix("~").split() for call in group(name)}
        calls = calls - named if line.startswith("~") else calls | named
    return calls


@cache
def _groups() -> dict[str, list[str]]:
    said = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    groups: dict[str, list[str]] = {}
    for line in said.splitlines():
        if line.startswith("@"):
            members = groups[line.strip()] = []
        elif line.strip() and not line.strip().startswith("#"):
            members.append(line.strip())
    return groups


def group(name: str) -> Iterator[str]:
    """The system calls that a name stands for: itself, or all of a group as systemd has it."""
    if not name.startswith("@"):
        yield name
        return
    for member in _groups()[name]:
        yield from group(member)


if __name__ == "__main__":
    confine(Path(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
