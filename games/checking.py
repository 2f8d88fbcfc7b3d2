"""Proofs checked (RULES 7): the seal, the players' part, every die, and the game by its rules."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from games import registry
from games.dice import cast
from games.fairness import Stream, seal
from games.game import HOUSE, Game, Outcome, Refusal, Setup, Text, Throw, text
from games.proof import Moved, Proof, shown


def _misnumbered(proof: Proof) -> tuple[int, int] | None:
    """The first move that has another number than its place, and what it has instead.

    Those of a daily grow from one to the next; which they are to be, `replay` knows (RULES 9).
    """
    least = 0
    for moved in proof.moves:
        if moved.n < least or (moved.n > least and not proof.is_daily):
            return least, moved.n
        least = moved.n + 1
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking a proof brought.

    `wrong` are the numbers of moves whose dice are not what secret and charms give. `problems` say
    in words everything that is wrong; empty where all is right. `played` says whether the game was
    played again by its rules; `outcome` is how it ended then, None for one that was stopped.
    """

    sealed: bool
    throws: int
    wrong: tuple[int, ...]
    problems: tuple[Text, ...]
    played: bool
    outcome: Outcome | None

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def check(proof: Proof) -> Verdict:
    """Recomputes everything a proof says (RULES 7)."""
    problems = []
    secret = bytes.fromhex(proof.secret)
    by_hand = seal(secret, proof.game, proof.kind, proof.version)
    if not (sealed := hmac.compare_digest(by_hand, proof.seal)):
        problems.append(text("proof.seal"))
    if proof.is_daily and any(player.charm for player in proof.players):
        problems.append(text("proof.wrong", where="players"))  # everybody's part is one
    part, throws, wrong = proof.part, 0, []
    if gap := _misnumbered(proof):
        problems.append(text("proof.gap", move=gap[0], there=gap[1]))
    for moved in proof.moves:
        throws += bool(moved.sides)
        if not _dice_right(moved, Stream(secret, part, moved.n)):
            wrong.append(moved.n)
    if wrong:
        problems.append(text("proof.dice", moves=tuple(wrong[:10]), n=len(wrong)))
    state, broken = None, None
    if proof.rules:
        try:
            for step in replay(proof):
                state = step.after
        except Refusal as refusal:
            broken = refusal.text
    outcome = proof.rules.rules.outcome(state) if proof.rules and state is not None else None
    if not broken and proof.rules and proof.ended == "over" and outcome is None:
        broken = text("proof.unfinished")
    if broken and not (gap and broken.key == "proof.gap"):
        problems.append(broken)
    return Verdict(sealed, throws, tuple(wrong), tuple(problems), bool(proof.rules), outcome)


def _dice_right(moved: Moved, draw: Stream) -> bool:
    return cast(Throw(moved.sides, moved.open), draw) == moved.dice


class Step(NamedTuple):
    """A move played again: the state before and after it."""

    before: Any
    moved: Moved
    after: Any


def replay(proof: Proof) -> Iterator[Step]:
    """Plays the moves of a proof again by the rules, whether or not they reach the end.

    Raises `Refusal` for rules of another version, and for the first move that is missing, not
    legal, or took other dice than it says.
    """
    game = proof.rules
    if game is None:
        raise Refusal("proof.version", version=proof.version)
    fewest, most = game.seats
    players = len(proof.players)
    if not proof.moves and not players:
        return  # called off in its lobby
    if proof.is_daily:
        fewest = most = 1
    if not (1 if game.solo else fewest) <= players <= most:
        raise Refusal("proof.players", n=players)
    if len({*proof.james}) < len(proof.james) or any(seat >= players for seat in proof.james):
        raise Refusal("proof.wrong", where="james")
    state, seats = first_state(proof), players
    for place, moved in enumerate(proof.moves):
        due = number_of(proof, state, moved.move, place)
        if moved.n != due:
            raise Refusal("proof.gap", move=due, there=moved.n)
        joins = moved.move == "join" and moved.seat == seats
        if moved.seat >= seats + joins:
            raise Refusal("proof.wrong", where=f"moves[{place}].seat")
        after = _played(game, state, moved)
        seats += joins
        yield Step(state, moved, after)
        state = after


def number_of(proof: Proof, state: Any, move: str, place: int) -> int:
    """The number of the move at a `place`: in a daily it says where in the game it is made."""
    daily = registry()[proof.kind].daily
    return daily.number(state, move) if daily and proof.is_daily else place


def folded(proof: Proof) -> Any:
    """The state after all moves of a proof, as `replay`; of one without moves the first one."""
    state = first_state(proof)
    for step in replay(proof):
        state = step.after
    return state


def first_state(proof: Proof) -> Any:
    """The state before the first move. Raises `Refusal` for rules of another version."""
    game = proof.rules
    if game is None:
        raise Refusal("proof.version", version=proof.version)
    return game.rules.start(Setup(len(proof.players), guests=proof.james))


def _played(game: Game[Any], state: Any, moved: Moved) -> Any:
    rules = game.rules
    house = rules.house(state)
    try:
        if house is not None and (moved.seat, moved.move) != (HOUSE, house):
            raise ValueError(f"the house has to {house}")
        throw = rules.throw(state, moved.seat, moved.move)
        if throw != Throw(moved.sides, moved.open):
            raise Refusal("proof.asked", move=moved.n)
        return rules.play(state, moved.seat, moved.move, moved.dice)
    except Refusal as refusal:
        if refusal.text.key == "proof.asked":
            raise
        raise Refusal("proof.illegal", move=moved.n, said=shown(moved.move)) from None
    except ValueError:
        raise Refusal("proof.illegal", move=moved.n, said=shown(moved.move)) from None
