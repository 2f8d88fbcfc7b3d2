"""RULES 9: the same throw of the day gives everyone the same dice, and proofs tell so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from games.checking import check
from games.daily import sealed_as
from games.dice import cast
from games.fairness import Stream, players_part, seal, secret_of
from games.game import Setup
from games.proof import Moved, Player, Proof, read, write
from games.yahtzee import GAME, rules
from games.yahtzee.boxes import BOXES
from games.yahtzee.daily import DAILY, levels, number
from games.yahtzee.rules import State
from tests.games.test_proof import by_hand, key_of

DAY = "2026-12-01"
SECRET = secret_of(b"a key of the tests, of 32 bytes.", sealed_as(DAY), b"nonce")
Move = Callable[[State], str]


def attempt(choose: Move, *, moves: int = 999, charm: int = 0) -> Proof:
    """Somebody's attempt at the day, or what of it so many moves are; a `charm` is forged."""
    state, moved = rules.start(Setup(1)), list[Moved]()
    while state.turn is not None and len(moved) < moves:
        move = choose(state)
        n, throw = number(state, move), rules.throw(state, 0, move)
        dice = cast(throw, Stream(SECRET, players_part([charm]), n))
        moved.append(Moved(n, 0, move, throw.sides, throw.open, dice))
        state = rules.play(state, 0, move, dice)
    sealed = seal(SECRET, sealed_as(DAY), GAME.kind, rules.VERSION)
    ended = "over" if state.turn is None else "stopped"
    head = (sealed_as(DAY), GAME.kind, rules.VERSION, sealed, SECRET.hex())
    return Proof(*head, (Player(0, "Anna", charm),), tuple(moved), ended=ended)


def hasty(state: State) -> str:
    """Takes every first throw as it is."""
    return f"score {BOXES[DAILY.turn(state)]}" if state.thrown else "roll"


def stubborn(state: State) -> str:
    """Throws the first three dice again as often as may be."""
    if state.thrown == rules.THROWS:
        return f"score {BOXES[-1 - DAILY.turn(state)]}"
    return "roll 123" if state.thrown else "roll"


def test_9_dice_go_by_turn_and_throw_whatever_was_done_before() -> None:
    quick, slow = attempt(hasty), attempt(stubborn)

    firsts = [[m.dice for m in it.moves if m.move == "roll"] for it in (quick, slow)]
    assert firsts[0] == firsts[1]
    assert len(firsts[0]) == 15
    all_five = attempt(lambda s: "roll 12345" if s.thrown else "roll", moves=2).moves[1].dice
    assert slow.moves[1].dice == all_five[:3]
    assert [move.n for move in quick.moves[:4]] == [0, 3, 4, 7]
    assert [move.n for move in slow.moves[:5]] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("choose", [hasty, stubborn])
def test_9_an_attempt_is_proved_like_any_game(choose: Move) -> None:
    whole, part = attempt(choose), attempt(choose, moves=7)

    for proof in (whole, part):
        raw = write(proof)
        assert read(raw) == proof
        assert check(proof).right
        assert by_hand(raw)
    assert check(whole).outcome


def _forged(change: Callable[[dict[str, Any]], object]) -> str:
    it = json.loads(write(attempt(hasty)))
    change(it)
    return key_of(json.dumps(it))


def test_9_no_forged_attempt_passes() -> None:
    def as_if_thrown_later(it: dict[str, Any]) -> None:
        # The dice of the second throw of the turn, which looked better, taken as the first.
        second = attempt(lambda s: "roll 12345" if s.thrown else "roll", moves=2).moves[1]
        it["moves"][0] |= {"n": second.n, "dice": second.dice}

    assert _forged(as_if_thrown_later) == "proof.gap"
    assert _forged(lambda it: it["moves"].pop(4)) == "proof.illegal"
    assert _forged(lambda it: it["moves"].insert(2, it["moves"][2])) == "proof.gap"
    assert _forged(lambda it: it["moves"][2].update(dice=[6, 6, 6, 6, 6])) == "proof.dice"
    assert _forged(lambda it: it.update(game="daily-2026-12-02")) == "proof.seal"
    two = replace(attempt(hasty), players=(Player(0, "Anna", 0), Player(1, "Ben", 0)))
    assert not check(two).right
    # With a charm the secret of the day gives other dice: the best of seven days, not everybody's.
    charmed = check(attempt(hasty, charm=3))
    assert [it.key for it in charmed.problems] == ["proof.wrong"]
    assert not charmed.wrong


def test_9_what_is_shown_to_others_tells_no_dice() -> None:
    state = rules.start(Setup(1))
    for box, dice in (
        ("ones", (2, 3, 4, 5, 6)),
        ("yahtzee", (5,) * 5),
        ("chance", (1, 2, 3, 4, 5)),
    ):
        state = rules.play(state, 0, "roll", dice)
        state = rules.play(state, 0, f"score {box}", ())

    assert levels(state) == (3, 1, 0)
