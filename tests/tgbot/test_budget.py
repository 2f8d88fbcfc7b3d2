"""How often a chat is written to. Its times are numbers here, nobody waits."""

from __future__ import annotations

import pytest

from tests.tgbot.playing import MINUTE_S, MOST_A_MINUTE, most_within
from tgbot.outbound.budget import Budget, Urgency
from tgbot.outbound.delivery import MOST_REVEAL_WAIT_S, SCENES_TO_COME

LOBBY = (0.0, 3.0, 4.2, 5.2, 6.2, 7.2)
"""When a group is written to until a game has begun."""
MOST_WAIT_S = 5.0
"""Longer than that, and people think that their press was lost."""


def played(every_s: float, *, presses: int = 60, turn: int = 4) -> tuple[list[float], list[float]]:
    """How long each press waits for its board, and when a group was written to.

    After the lobby somebody presses so many seconds after the board they waited for; every
    `turn`th press begins a new scene.
    """
    budget = Budget(group=True)
    made = list(LOBBY)
    for at in made:
        budget.spend(at)
    waits, now = [], made[-1]
    for number in range(presses):
        now += every_s
        wait = budget.wait(Urgency.EDIT if number % turn else Urgency.SCENE, now)
        now += wait
        budget.spend(now)
        waits.append(wait)
        made.append(now)
    return waits, made


@pytest.mark.parametrize("every_s", [2.5, 3.0, 3.3, 4.0])
def test_nobody_waits_long_for_a_board_because_much_was_shown_before(every_s: float) -> None:
    waits, made = played(every_s)

    assert max(waits) < MOST_WAIT_S
    assert most_within(made, MINUTE_S) <= MOST_A_MINUTE


@pytest.mark.parametrize("every_s", [0.8, 1.6, 3.2])
def test_a_stechen_finds_room_however_fast_the_rounds_before_it_were(every_s: float) -> None:
    budget, now, scenes = Budget(group=True), LOBBY[-1], []

    def show(urgency: Urgency) -> None:
        """A call; how a scene ended only where there is room soon, and for the scenes to come."""
        nonlocal now
        ending = urgency is Urgency.ENDING
        wait = budget.wait(urgency, now, 1 + SCENES_TO_COME if ending else 1)
        if not ending or wait <= MOST_REVEAL_WAIT_S:
            now += wait
            budget.spend(now)
            scenes.extend([wait] if urgency is Urgency.SCENE else [])

    for at in LOBBY:
        budget.spend(at)
    for _ in range(3):  # rounds of three people
        for urgency in (Urgency.EDIT, Urgency.EDIT, Urgency.SCENE):
            now += every_s
            show(urgency)
    for _ in range(3):  # throws of a Stechen: how each ended, and the board of the next
        now += every_s
        show(Urgency.ENDING)
        show(Urgency.SCENE)

    assert max(scenes) < MOST_WAIT_S


def test_a_call_right_behind_another_is_none_too_many_in_three_seconds() -> None:
    budget = Budget(group=False)
    for at in (0.0, 1.0, 1.0):
        budget.spend(at)

    assert budget.breath(1.0) == 2.0
    assert budget.wait(Urgency.EDIT, 1.5) == 1.5


def test_a_group_where_little_is_shown_waits_for_nothing() -> None:
    waits, _ = played(6.0)

    assert max(waits) == 0
