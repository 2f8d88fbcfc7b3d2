"""Planted bugs: each still has its place, a few are caught here, and `make mutants` hunts all."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.mutants.hunt import PACKAGES, ROOT, copied, hunt
from tests.faults.mutants.planted import MUTANTS, SOAK, Mutant

BY_NAME = {mutant.name: mutant for mutant in MUTANTS}
QUICK = "rest from below"


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house without any bug planted."""
    return copied(tmp_path_factory.mktemp("clean"))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_bug_has_one_place_and_changes_what_is_done(mutant: Mutant) -> None:
    source = (ROOT / mutant.file).read_text("utf-8")

    planted = mutant.planted(source)

    if mutant.file.endswith(".py"):
        assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(source))
    assert mutant.promise
    assert all((ROOT / net).exists() for net in mutant.net.split() if net != SOAK)


def test_bugs_are_planted_everywhere_and_one_in_a_migration() -> None:
    where = Counter(mutant.file.split("/")[0] for mutant in MUTANTS)

    assert len(BY_NAME) == len(MUTANTS) >= 20
    assert {*where} == {*PACKAGES, "deploy"}
    assert min(where[package] for package in PACKAGES) >= 5
    assert any("/migrations/" in mutant.file for mutant in MUTANTS)


def test_a_bug_is_caught(clean: Path) -> None:
    catch = hunt(BY_NAME[QUICK], clean)

    assert (catch.verdict, catch.caught) == ("caught", True)
    assert catch.by.startswith("seed " if BY_NAME[QUICK].net == SOAK else BY_NAME[QUICK].net)


def test_what_nobody_notices_lives(clean: Path) -> None:
    bug = BY_NAME["biased dice"]

    catch = hunt(replace(bug, new=f"{bug.old}  # no bug at all"), clean)

    assert (catch.verdict, catch.caught) == ("lives", False)


def test_what_hangs_is_noticed_only_where_the_promise_is_about_ending(clean: Path) -> None:
    endless = "while True: __import__('time').sleep(1)"

    catch = hunt(replace(BY_NAME["biased dice"], new=endless), clean, within_s=3)

    ends = replace(catch, mutant=replace(catch.mutant, hangs=True))
    assert (catch.verdict, catch.caught, ends.caught) == ("hung", False, True)


def test_what_fails_without_a_bug_as_well_is_no_catch(clean: Path, tmp_path: Path) -> None:
    failing = tmp_path / "test_failing.py"
    failing.write_text("def test_it() -> None:\n    assert False\n")

    catch = hunt(replace(BY_NAME["biased dice"], net=str(failing)), clean)

    assert (catch.verdict, catch.caught) == ("void", False)
