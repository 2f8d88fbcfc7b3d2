"""The soak: short seeds of everything at once, and that it is what it says it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import count

import pytest

from tgbot.done import Done
from tgbot.hall.leaving import Leaving
from tgbot.hall.lobby import Lobby
from tgbot.hall.settle import Settling
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import AdminAct, Front
from tgbot.outbound.painter import Painter
from tgbot.soak import Report, soak, world

pytestmark = pytest.mark.usefixtures("tables")

SEEDS = 80
STEPS = 25


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_promise_holds_whatever_happens(seed: int) -> None:
    report = soak(seed, STEPS)

    assert report.failure is None, f"dicehall soak --seed {seed} --steps {STEPS} repeats it"


def test_the_same_seed_does_the_same_things_in_any_process() -> None:
    command = (sys.executable, "-m", "tgbot", "soak", "--seed", "1", "--steps", "60", "--json")
    documents = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PACE": hash_seed * 2 + "0"}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=True)
        documents.append(json.loads(done.stdout))

    first = documents[0]
    assert documents == [first, first]
    assert list(first) == [
        "seed", "steps", "ok", "faults", "deaths", "games_finished", "digest",
    ]  # fmt: skip
    assert (first["seed"], first["steps"], first["ok"]) == (1, 60, True)
    assert first["deaths"] > 0
    assert first["games_finished"] > 0


def test_other_seeds_do_other_things() -> None:
    digests = {soak(seed, 10).digest for seed in range(5)}

    assert len(digests) == 5


# -- does it find anything? --------------------------------------------------------------------


def found(*, shorten: bool = False) -> Report:
    """The first failure of some seeds."""
    for seed in range(30):
        report = soak(seed, 60, shorten=shorten)
        if report.failure:
            return report
    raise AssertionError("the soak found nothing")


def test_it_finds_a_stake_that_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = Settling.settle
    monkeypatch.setattr(
        Settling,
        "settle",
        lambda self, table, *rest: settle(
            self, replace(table, sittings=table.sittings[:-1]) if table.stake else table, *rest
        ),
    )

    failure = found().failure

    assert failure
    assert any("escrow" in line or "logged" in line for line in failure.broken)


def test_it_finds_a_board_nobody_repaints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Painter, "take_up", lambda self, games, leftovers: None)

    assert found().failure


def test_it_finds_a_stake_nobody_could_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lobby, "_afford", lambda self, person, stake: None)

    assert found().failure


@pytest.mark.parametrize("called_percent", [0, 100])
def test_it_finds_an_update_that_is_lost_whichever_way_it_came(
    called_percent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "CALLED_PERCENT", called_percent)
    do, came = Front.do_admin, count(1)

    async def forgetful(self: Front, ask: Ask, act: AdminAct) -> None:
        if next(came) % 5:
            await do(self, ask, act)

    monkeypatch.setattr(Front, "do_admin", forgetful)

    failure = found().failure

    assert failure
    assert failure.broken[0].startswith("an update is lost")


def test_updates_come_either_way_and_every_one_is_accounted_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reports = {}
    for called_percent in (0, 100):
        monkeypatch.setattr(world, "CALLED_PERCENT", called_percent)
        reports[called_percent] = soak(2, 60)

    assert reports[0].failure is reports[100].failure is None
    assert reports[0].digest != reports[100].digest
    for report in reports.values():
        assert report.updates["noted"] > 20
        assert report.updates["waiting"] == 0


def test_a_failure_is_made_short_and_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Leaving, *args: object, **more: object) -> Done:
        raise RuntimeError("planted")

    monkeypatch.setattr(Leaving, "leave", broken)
    report = found(shorten=True)
    failure = report.failure
    assert failure

    again = soak(report.seed, 60, failure.only, shorten=False)

    assert "planted" in failure.broken[0]
    assert len(failure.only) == len(failure.script) <= 8
    assert again.failure == failure
    assert again.digest == soak(report.seed, 60, failure.only, shorten=False).digest
