"""Rules lie beside the code they govern; whatever cites one cites one that is there."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
READ = (".py", ".md", ".js", ".html", ".po", ".toml", ".yml")
_SECTION = re.compile(r"^#{2,3} (\d+(?:\.\d+)?)[. ]", re.M)
_OF_8 = re.compile(r"^- (8\.\d+) ", re.M)


def tracked() -> list[Path]:
    """The files of the repository, those to be added included."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [path for name in listed if (path := ROOT / name).suffix in READ and path.exists()]


def rulebooks() -> list[Path]:
    return [path for path in tracked() if path.name == "RULES.md"]


def cited(pattern: str) -> dict[str, list[str]]:
    """What `pattern` finds in all files, and where."""
    found: dict[str, list[str]] = {}
    for path in tracked():
        for what in re.findall(pattern, path.read_text("utf-8")):
            found.setdefault(what, []).append(str(path.relative_to(ROOT)))
    return found


def test_every_section_of_the_rules_stands_in_one_page() -> None:
    pages = [path.read_text("utf-8") for path in rulebooks()]
    sections = Counter(number for page in pages for number in _SECTION.findall(page))

    assert {n for n in sections if "." not in n} == {*map(str, range(10))}
    assert {*sections.values()} == {1}


def test_every_game_has_a_page_of_rules() -> None:
    games = {path.parent for path in (ROOT / "games").glob("*/rules.py")}

    assert games <= {path.parent for path in rulebooks()}


def test_every_rule_that_is_cited_is_there() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in rulebooks())
    sections = {*_SECTION.findall(pages), *_OF_8.findall(pages)}

    lost = {n: where for n, where in cited(r"\bRULES (\d+(?:\.\d+)?)").items() if n not in sections}
    assert lost == {}


def test_every_row_of_survive_that_is_cited_is_there() -> None:
    page = (ROOT / "tests/faults/SURVIVE.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \|", page, re.M)

    assert rows == [str(n) for n in range(1, len(rows) + 1)]
    lost = {n: where for n, where in cited(r"\bSURVIVE (\d+)").items() if n not in rows}
    assert lost == {}


def test_every_part_of_the_architecture_that_is_cited_is_there() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8").lower()
    named = cited(r"\bARCHITECTURE, ([A-Za-z][A-Za-z ]+)")

    assert named
    assert {what: where for what, where in named.items() if what.lower() not in page} == {}


@pytest.mark.parametrize("name", ["BOARDS", "SURVIVE", "ARCHITECTURE"])
def test_every_page_that_is_cited_is_there_once(name: str) -> None:
    assert cited(rf"\b{name}\b")
    assert len([path for path in tracked() if path.name == f"{name}.md"]) == 1


def test_links_of_the_pages_lead_somewhere() -> None:
    pages = [path for path in tracked() if path.suffix == ".md"]
    dead = {
        str(page.relative_to(ROOT)): link
        for page in pages
        for link in re.findall(r"\]\((?!http|#)([^)#]+)[^)]*\)", page.read_text("utf-8"))
        if not (page.parent / link).exists()
    }

    assert dead == {}


def test_a_rulebook_comes_along_with_its_package() -> None:
    # The bot shows rules where they are installed, so a wheel has to have them.
    assert '"RULES.md"' in (ROOT / "pyproject.toml").read_text("utf-8")
