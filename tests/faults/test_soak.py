"""The soak: short seeds of everything at once, and that it is what it says it is."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest
import telegram
from telegram import Bot, InlineQuery

from tgbot.done import Done, Say
from tgbot.hall import hints
from tgbot.hall.daily.dailies import Dailies
from tgbot.hall.daily.days import Days
from tgbot.hall.leaving import Leaving
from tgbot.hall.lobby import Lobby
from tgbot.hall.pins import Pins
from tgbot.hall.settle import Settling
from tgbot.hall.table import ALONG, PRACTICE, Table
from tgbot.hall.upkeep import Upkeep
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.inbound.handlers import bells, invitation
from tgbot.inbound.members import Members
from tgbot.outbound import calls
from tgbot.outbound.painter import Painter
from tgbot.people.people import Person
from tgbot.soak import Report, events, soak, world

pytestmark = pytest.mark.usefixtures("tables")

SEEDS = 60
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


def found(first: int = 0, *, shorten: bool = False) -> Report:
    """The first failure of some seeds; `first` is one that is known to get there."""
    for seed in range(first, first + 30):
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

    assert found(4).failure


def test_it_finds_a_stake_nobody_could_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lobby, "_afford", lambda self, person, stake: None)

    assert found().failure


@pytest.mark.parametrize("called_percent", [0, 100])
def test_it_finds_an_update_that_is_lost_whichever_way_it_came(
    called_percent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "CALLED_PERCENT", called_percent)
    do, came = Front.do_admin, count(1)

    async def forgetful(self: Front, *asked: Any) -> None:
        if next(came) % 5:
            await do(self, *asked)

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
    report = found(9, shorten=True)
    failure = report.failure
    assert failure

    again = soak(report.seed, 60, failure.only, shorten=False)

    assert "planted" in failure.broken[0]
    assert len(failure.only) == len(failure.script) <= 8
    assert again.failure == failure
    assert again.digest == soak(report.seed, 60, failure.only, shorten=False).digest


# -- what bells, pins, links and dailies promise -----------------------------------------------

Plant = Callable[[pytest.MonkeyPatch], None]


def pin_forgotten(patch: pytest.MonkeyPatch) -> None:
    def unpinned(self: Upkeep, chat_id: int, message_id: int, **more: bool) -> None:
        Pins(self.store.db).unpinned(chat_id, message_id)

    patch.setattr(Upkeep, "not_pinned", unpinned)


def bell_rings_twice(patch: pytest.MonkeyPatch) -> None:
    rung = bells.rung

    def twice(front: Front, ask: Ask, done: Done, opener: Person) -> Done:
        told = rung(front, ask, done, opener)
        return replace(told, say=(*told.say, *told.say[len(done.say) :]))

    patch.setattr(bells, "rung", twice)


def board_elsewhere(patch: pytest.MonkeyPatch) -> None:
    send, homes = calls.send, list[int]()

    async def astray(bot: Bot, chat_id: int, *args: Any, **more: Any) -> int:
        if chat_id < 0 and chat_id not in homes:
            homes.append(chat_id)
        return await send(bot, homes[0] if chat_id < 0 else chat_id, *args, **more)

    patch.setattr(calls, "send", astray)


def practice_pays(patch: pytest.MonkeyPatch) -> None:
    settle = Settling.settle

    def paid(self: Settling, table: Table, *rest: Any) -> Table:
        if not table.practice:
            return settle(self, table, *rest)
        return replace(settle(self, replace(table, james=ALONG), *rest), james=PRACTICE)

    patch.setattr(Settling, "settle", paid)


def hints_for_a_stake(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(hints, "offered", lambda table: table.status == "running")


def anybody_is_a_member(patch: pytest.MonkeyPatch) -> None:
    async def has(self: Members, user_id: int, chat_id: int) -> bool:
        return True

    patch.setattr(Members, "has", has)


def daily_never_shown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Days, "reveal", lambda self, day: True)


def nobody_told_in_the_morning(patch: pytest.MonkeyPatch) -> None:
    def tell(self: Dailies, date: str, now: int) -> Done:
        self.store.due.set("daily_morning", date, 0)
        return Done()

    patch.setattr(Dailies, "tell", tell)


def chat_costs_a_task(patch: pytest.MonkeyPatch) -> None:
    say = Painter.say

    def leaking(self: Painter, it: Say) -> None:
        self.spawn(asyncio.sleep(1e9))
        say(self, it)

    patch.setattr(Painter, "say", leaking)


def invitation_unheard(patch: pytest.MonkeyPatch) -> None:
    async def offer(front: Front, query: InlineQuery) -> None:
        return

    patch.setattr(invitation, "_offer", offer)


PLANTS: dict[str, tuple[Plant, str, tuple[str, ...]]] = {
    "pin": (pin_forgotten, "are still pinned", ("open", "pin", "pin right", "wait a phase")),
    "bell": (bell_rings_twice, "has rung", ("say alone", "open", "ring", "wait a phase")),
    "board": (board_elsewhere, "a board of", ("open", "play", "wait")),
    "practice": (practice_pays, "the practice", ("practise", "play", "wait a phase")),
    "hint": (hints_for_a_stake, "hints in", ("open", "play", "hint")),
    "outside": (anybody_is_a_member, "asked from outside",
                ("open", "come or go", "follow from outside", "wait")),
    "channel": (lambda patch: patch.setattr(telegram.Chat, "CHANNEL", "none"),
                "a channel is written to", ("channel", "wait")),
    "thread": (lambda patch: patch.setattr(calls, "send", partial(topicless, calls.send)),
               "is in thread", ("say in a thread", "play", "wait")),
    "daily": (daily_never_shown, "the daily of", ("daily", "play", "wait for long")),
    "morning": (nobody_told_in_the_morning, "waits to be told",
                ("daily", "daily through", "wait for long")),
    "crowd": (chat_costs_a_task, "tasks are left", ("crowd", "wait")),
    "invitation": (invitation_unheard, "an update is lost", ("invite", "wait a phase")),
}  # fmt: skip
"""What is done wrong, in which words that is found, and what has to happen for it."""


async def topicless(send: Callable[..., Any], bot: Bot, *args: Any, **more: Any) -> int:
    return int(await send(bot, *args, **{**more, "topic": 0}))


@pytest.mark.parametrize("what", PLANTS)
def test_it_finds_what_is_planted_where_the_right_things_happen(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, words, kinds = PLANTS[what]
    happens = {name: replace(events.KINDS[name], weight=1) for name in kinds}
    monkeypatch.setattr(events, "KINDS", happens)
    monkeypatch.setattr(events, "_TOTAL", len(happens))
    plant(monkeypatch)

    failure = found().failure

    assert failure
    assert words in "\n".join(failure.broken)
