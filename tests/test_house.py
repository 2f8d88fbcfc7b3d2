"""The house (ARCHITECTURE, The house): who may import whom, and what lies where."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("games", "economy", "tgbot")
TOP = {
    "pyproject.toml",
    "Makefile",
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE",
    *PACKAGES,
    "tests",
    "deploy",
}

CLOCKS_AND_CHANCE = {"time", "datetime", "os", "sqlite3", "secrets", "random"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path, root: Path = ROOT) -> Iterator[str]:
    """The full names of what a module imports, wherever in it: `games.dice.parse` for a
    `from games.dice import parse`."""
    package = path.relative_to(root).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def imported(package: str) -> dict[str, list[str]]:
    """Every top-level package that `package` imports, and the modules that do."""
    found: dict[str, list[str]] = {}
    for path in modules(package):
        for name in imports(path):
            found.setdefault(name.split(".")[0], []).append(str(path.relative_to(ROOT)))
    return found


def test_games_import_only_the_standard_library_and_games_and_minds_numpy() -> None:
    others = {
        name: where
        for name, where in imported("games").items()
        if name != "games" and name not in sys.stdlib_module_names
    }

    assert {*others} <= {"numpy"}
    assert all(Path(path).stem.endswith("mind") for path in others.get("numpy", []))


def test_the_rules_of_every_game_load_without_numpy() -> None:
    code = "import sys, games, games.mind; games.registry(); sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_games_read_no_clock_no_file_and_draw_no_number() -> None:
    found = imported("games")

    assert {name: found[name] for name in CLOCKS_AND_CHANCE & {*found}} == {}


def test_economy_imports_no_games_and_no_telegram() -> None:
    found = imported("economy")

    assert {name: found[name] for name in {"games", "tgbot", "telegram"} & {*found}} == {}


@pytest.mark.parametrize("package", ["games", "tgbot"])
def test_nothing_imports_random(package: str) -> None:
    assert "random" not in imported(package)


def test_the_imports_of_a_module_are_all_found(tmp_path: Path) -> None:
    # what the tests above rest on: nested, aliased, relative and conditional imports
    path = tmp_path / "games" / "fifty" / "rules.py"
    path.parent.mkdir(parents=True)
    path.write_text("""
import a, b.c as d
from e import f as g
from . import h
from .. import i
from ..j import k
def late():
    if True:
        import l.m
""")

    found = {*imports(path, tmp_path)}

    assert found == {"a", "b.c", "e.f", "games.fifty.h", "games.i", "games.j.k", "l.m"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_tells_its_story(package: str) -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in modules(package)
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]

    assert silent == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_with_modules_is_a_package(package: str) -> None:
    folders = {path.parent for path in modules(package)} | {ROOT / package}
    missing = [
        str(folder.relative_to(ROOT))
        for folder in folders
        if folder.name != "migrations" and not (folder / "__init__.py").exists()
    ]

    assert missing == []


def test_the_top_level_holds_nothing_else() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text().split()]
    others = {
        path.name
        for path in ROOT.iterdir()
        if not path.name.startswith(".")
        and not any(fnmatch(path.name, pattern) for pattern in ignored)
    }

    assert others <= TOP


FLOORS = (
    {"games", "economy"},
    {"tgbot", "http", "log", "models", "press", "words"},
    {"charts", "config", "done", "facts", "playground"},
    {"cards", "lock", "people"},
    {"database", "hall"},
    {"outbound"},
    {"operator"},
    {"inbound"},
    {"app"},
    {"soak"},
    {"cli"},
    {"__main__"},
)
"""The rooms of `tgbot` and the two packages below it: each imports from lower floors alone."""


def room(module: str) -> str:
    """The room of a module: the folder or file right under `tgbot`, or another package."""
    first, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    is_room = (ROOT / first / name).is_dir() or (ROOT / first / f"{name}.py").exists()
    return name if first == "tgbot" and name and is_room else first


def test_every_room_knows_only_the_floors_below_it() -> None:
    floor = {name: number for number, names in enumerate(FLOORS) for name in names}
    climbing = []
    for path in modules("tgbot"):
        if path.parent.name == "migrations":
            continue
        here = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
        here = "tgbot" if here == "__init__" else here
        for name in imports(path):
            there = room(name)
            if there in floor and there != here and floor[there] >= floor[here]:
                climbing.append(f"{path.relative_to(ROOT)} imports {name}")

    assert climbing == []


def test_the_hall_knows_neither_inbound_nor_outbound_nor_telegram() -> None:
    known = {name for path in modules("tgbot/hall") for name in imports(path)}

    assert {name for name in known if room(name) in ("inbound", "outbound", "telegram")} == set()


WRITES = {"insert", "insert_many", "update", "delete", "replace", "create"}


def test_every_table_has_one_module_that_writes_it() -> None:
    writers: dict[str, set[str]] = {}
    for path in (*modules("economy"), *modules("tgbot")):
        if "migrations" in path.parts:
            continue
        where = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in WRITES:
                table = node.value
                if isinstance(table, ast.Name) and table.id.endswith("Row"):
                    writers.setdefault(table.id, set()).add(where)

    assert len(writers) >= 20
    assert {table: where for table, where in writers.items() if len(where) > 1} == {}


def test_nothing_outside_games_names_a_game_its_commands_or_what_it_counts() -> None:
    from games import registry

    of_games = {*registry(), "bullseyes", "zilches", "busts"}
    of_games |= {name for game in registry().values() for name in game.throws}
    named = []
    for path in (*modules("economy"), *modules("tgbot")):
        room_of = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if "migrations" in path.parts or room_of in ("soak", "playground"):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        # `f"d{sides}"` shows a die and names no command.
        shown = {
            id(part) for it in ast.walk(tree) if isinstance(it, ast.JoinedStr) for part in it.values
        }
        named += [
            f"{path.relative_to(ROOT)}:{node.lineno} {node.value!r}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and node.value in of_games and id(node) not in shown
        ]

    assert named == []
