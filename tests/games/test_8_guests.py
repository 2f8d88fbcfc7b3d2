"""James sits at the table and belongs to nobody (RULES 8): he plays, and holds no place."""

from __future__ import annotations

import dataclasses

import pytest

from games import registry
from games.analysis import unlike_james
from games.checking import check, replay
from games.fairness import Stream
from games.game import HOUSE, Refusal, Setup
from games.mind import james, mind_of
from games.proof import Proof, read, write
from tests.games.fifty.table import Fifty
from tests.games.proofs import Sealed
from tests.games.table import Table
from tests.games.ways import Choose, leaving, mixed, policy, steps

KINDS = sorted(registry())


def with_james(kind: str, people: int) -> Table:
    """A table at which so many people and, in the last seat, James sit."""
    return Table(registry()[kind], people + 1, guests=(people,))


@pytest.mark.parametrize("choose", [policy("greedy"), mixed, leaving])
@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_8_a_guest_holds_no_place_and_enters_no_list(
    kind: str, people: int, choose: Choose
) -> None:
    for seed in range(3):
        table = with_james(kind, people)
        for _ in steps(table, choose, f"guest {seed}"):
            pass

        outcome = table.rules.outcome(table.state)
        assert sorted([*sum(outcome.places, ()), *outcome.out]) == list(range(people))
        assert all(record.seat < people for record in outcome.records)
        assert table.rules.house(table.state) is None


@pytest.mark.parametrize("kind", KINDS)
def test_8_a_guest_alone_ends_the_game(kind: str) -> None:
    table = with_james(kind, 2)
    if kind == "fifty":
        table.chance(HOUSE, "deal", "alone")
    for seat in (0, 1):
        if not table.over:
            table.move(seat, "leave", ())

    assert table.over
    with pytest.raises(Refusal):
        table.rules.throw(table.state, 2, "leave")


@pytest.mark.parametrize("kind", ["yahtzee", "zilch"])
def test_8_the_last_of_several_people_has_won_though_a_guest_is_there(kind: str) -> None:
    table = with_james(kind, 2)

    table.move(0, "leave", ())

    assert table.places == "B"


@pytest.mark.parametrize("kind", KINDS)
def test_8_one_person_alone_with_a_guest_plays_on(kind: str) -> None:
    table = with_james(kind, 1)

    assert not table.over
    assert 1 in table.rules.seated(table.state)


def fifty(people: int, script: str) -> Fifty:
    """A game of Fifty! with James in the last seat, in which `script` was played."""
    game = Fifty(people + 1)
    game.setup = Setup(people + 1, guests=(people,))
    game.state = game.rules.start(game.setup)
    game.play(script)
    return game


LEVEL = """
deal 10 20 20
A: 4 = 1
B: 4 = 1
C: 4 = 1
A: 6 = 1
B: 6 = 1
C: 6 = 1
A: 20 = 17
B: 20 = 16
C: 20 = 17
"""
"""A and James, C, end with 19 points, B with 18."""


def test_8_a_guest_sits_in_no_stechen() -> None:
    game = fifty(2, LEVEL)

    assert game.places == "A B"
    assert game.out == ""


def test_8_three_bullseyes_of_a_guest_end_nothing() -> None:
    game = fifty(
        2,
        """
        deal 5 5 40
        A: 4 = 1
        B: 4 = 2
        C: 8 = 5
        A: 4 = 1
        B: 4 = 1
        C: 10 = 5
        C: 6+6+12+20 = 5 5 11 19
        """,
    )

    assert game.total("C") == 50
    assert not game.over
    game.play("A: 4 = 3\nB: 4 = 1")
    assert game.places == "A B"


@pytest.mark.parametrize("kind", ["fifty", "zilch"])
def test_8_people_reckon_as_if_no_guest_were_there_unless_alone_with_one(kind: str) -> None:
    mind = mind_of(registry()[kind])

    def first(people: int, guests: int) -> dict[str, float]:
        seats = people + guests
        table = Table(registry()[kind], seats, guests=(people,) if guests else ())
        if kind == "fifty":
            table.chance(HOUSE, "deal", "reckon")
        return mind.values(table.state, 0)

    assert first(2, 1) == first(2, 0)
    assert first(1, 1) == first(2, 0)


def proof_with_james(kind: str) -> Proof:
    """The proof of a game in which James had the last seat, and others played at random."""
    choose, others = james(registry()[kind]), policy("random")

    def play(table: Table, draw: Stream) -> tuple[int, str]:
        if table.rules.legal(table.state, 1):
            return 1, choose(table.state, 1, draw)
        return others(table, draw)

    table = Sealed(kind, 2, f"James at {kind}", guests=(1,))
    for _ in steps(table, play, f"James at {kind}"):
        pass
    return table.proof


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", ["yahtzee", "zilch"])
def test_8_a_proof_tells_which_moves_were_james_s_and_they_can_be_checked(kind: str) -> None:
    game, proof = registry()[kind], proof_with_james(kind)

    again = read(write(proof))

    assert again == proof
    assert again.james == (1,)
    assert check(again).right
    assert unlike_james(game, replay(again), again.james) == ()
    assert unlike_james(game, replay(again), (0,))


def test_8_what_james_would_not_write_is_no_move_of_his() -> None:
    game, proof = registry()["fifty"], proof_with_james("fifty")
    n = next(it.n for it in proof.moves if it.seat == 1)
    moved = proof.moves[n]
    other = f"{moved.move} "
    written = dataclasses.replace(
        proof, moves=(*proof.moves[:n], moved._replace(move=other), *proof.moves[n + 1 :])
    )
    gone = dataclasses.replace(
        proof, moves=(*proof.moves[:n], moved._replace(move="leave", sides=(), open=False, dice=()))
    )

    for forged in (written, gone):
        assert unlike_james(game, replay(dataclasses.replace(forged, ended="")), (1,)) == (n,)


def test_8_seats_that_are_none_are_no_seats_of_james() -> None:
    proof = proof_with_james("zilch")

    for seats in ((2,), (1, 1)):
        problems = check(read(write(dataclasses.replace(proof, james=seats)))).problems
        assert problems[0].key == "proof.wrong"
