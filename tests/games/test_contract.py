"""What every registered game promises (games/game.py), whatever its rules are.

Games are played by seed: legal moves at random, people leaving and being late in between, games in
which nobody ever acts, and games that everybody leaves.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from games import registry
from games.dice import cast
from games.fairness import Stream
from games.game import HOUSE, NO_DICE, Answer, Button, Game, Move, Phase, Refusal, Select, Throw
from tests.games.table import Table, acting
from tests.games.ways import Choose, lately, leaving, mixed, policy, randomly, steps

GAMES = registry()
SEATS_PLAYED = 80
MOST_PRESSES = 1000
DATA_BYTES = 64
BUTTONS_IN_A_ROW = 4
DICE_IN_A_ROW = 5
DIE = re.compile("[kt][1-6]")
"""The code of a button that keeps a die or lets it go."""


def sizes(game: Game[Any]) -> tuple[int, ...]:
    """Fewest, some, and most seats; of games that can be played alone also one."""
    fewest, most = game.seats
    return tuple(sorted({*([1] if game.solo else []), fewest, min(fewest + 2, most), most}))


def phases(table: Table, state: Any) -> dict[int, Phase]:
    """The phase of all, and where everybody plays in private each seat's own."""
    own = range(table.setup.seats) if table.game.own else ()
    return {seat: table.rules.phase(state, seat) for seat in (HOUSE, *own)}


TABLES = [(kind, seats) for kind, game in GAMES.items() for seats in sizes(game)]
SMALL = pytest.mark.parametrize(
    ("kind", "seats"), [(kind, sizes(GAMES[kind])[1]) for kind in GAMES]
)


@cache
def play(kind: str, seats: int, choose: Choose, seed: int) -> tuple[Table, tuple[Any, ...]]:
    """A finished table and all states it went through."""
    table = Table(GAMES[kind], seats)
    states = [table.state for _ in steps(table, choose, f"{kind} {seats} {seed}")]
    return table, (*states, table.state)


def played(
    kind: str, seats: int, choose: Choose = mixed
) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    """Finished games: the fewer seats, the more of them."""
    for seed in range(SEATS_PLAYED // seats):
        yield play(kind, seats, choose, seed)


WAYS = pytest.mark.parametrize("choose", [randomly, mixed, lately, leaving])
ALL = pytest.mark.parametrize(("kind", "seats"), TABLES)


# -- how it ends --------------------------------------------------------------------------------


@WAYS
@ALL
def test_every_game_ends(kind: str, seats: int, choose: Choose) -> None:
    for table, _ in played(kind, seats, choose):
        assert table.over


@WAYS
@ALL
def test_an_outcome_gives_every_seat_a_place_or_puts_it_out(
    kind: str, seats: int, choose: Choose
) -> None:
    for table, _ in played(kind, seats, choose):
        outcome = table.rules.outcome(table.state)

        assert sorted([*sum(outcome.places, ()), *outcome.out]) == list(range(seats))
        assert all(outcome.places)
        assert outcome.reason
        assert not outcome.sweep or len(outcome.places[0]) == 1
        assert all(record.seat in range(seats) for record in outcome.records)


@WAYS
@ALL
def test_what_happened_in_a_game_is_counted(kind: str, seats: int, choose: Choose) -> None:
    for table, _ in played(kind, seats, choose):
        assert all(count >= 0 for count in table.rules.tally(table.state).values())


@WAYS
@ALL
def test_after_the_end_nobody_can_do_anything(kind: str, seats: int, choose: Choose) -> None:
    for table, _ in played(kind, seats, choose):
        rules, state = table.rules, table.state

        assert rules.house(state) is None
        assert rules.expire(state) is None
        assert all(phase.actors == () for phase in phases(table, state).values())
        for seat in range(seats):
            assert table.view.how(state, seat).key
            if table.game.own:
                assert table.board(seat).buttons == ()
            assert rules.expire(state, seat) is None
            assert rules.legal(state, seat) == ()
            for move in {move for _, move, _ in table.record} | {"leave"}:
                with pytest.raises(Refusal):
                    rules.throw(state, seat, move)


@ALL
def test_who_left_is_gone_for_good(kind: str, seats: int) -> None:
    for table, states in played(kind, seats):
        for number, (gone, move, _) in enumerate(table.record):
            for state in states[number + 1 :] if move == "leave" else ():
                assert gone not in table.rules.seated(state)
                assert gone not in acting(table.game, state)
                with pytest.raises(Refusal):
                    table.rules.throw(state, gone, "leave")


# -- the state is the fold of its moves ---------------------------------------------------------


@WAYS
@ALL
def test_the_state_is_the_fold_of_its_moves(kind: str, seats: int, choose: Choose) -> None:
    for table, states in played(kind, seats, choose):
        again = Table(GAMES[kind], seats)
        for number, move in enumerate(table.record):
            assert again.state == states[number]
            again.move(*move)

        assert again.state == table.state
        assert repr(again.state) == repr(table.state)


@ALL
def test_a_move_leaves_the_state_before_it_as_it_was(kind: str, seats: int) -> None:
    table = Table(GAMES[kind], seats)
    seen = [(table.state, repr(table.state)) for _ in steps(table, mixed, "as it was")]

    assert all(repr(state) == shown for state, shown in seen)


@ALL
def test_a_state_is_frozen(kind: str, seats: int) -> None:
    for _, states in played(kind, seats):
        for name in (field.name for field in dataclasses.fields(states[-1])):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(states[-1], name, None)


# -- legal and illegal --------------------------------------------------------------------------


@SMALL
def test_every_legal_move_is_accepted(kind: str, seats: int) -> None:
    table = Table(GAMES[kind], seats)
    for _ in steps(table, mixed, "legal"):
        state = table.state
        for seat in range(seats):
            moves = table.rules.legal(state, seat)
            assert len({*moves}) == len(moves)
            assert bool(moves) == (seat in acting(table.game, state))
            for move in moves:
                dice = cast(table.rules.throw(state, seat, move), Stream(b"", b"", seat))
                assert table.rules.play(state, seat, move, dice) != state


@SMALL
def test_what_is_not_legal_is_refused_without_a_trace(kind: str, seats: int) -> None:
    for table, states in played(kind, seats):
        rules = table.rules
        known = {"", " ", "nonsense", "leave leave", "-1", "٤"}
        known |= {move for _, move, _ in table.record} - {"leave"}
        for state in states:
            before = repr(state)
            for seat in range(seats):
                late = rules.expire(state, seat)
                made_for = {late[1]} if late and late[0] == seat else set()
                for move in known.difference(rules.legal(state, seat), made_for):
                    with pytest.raises(Refusal):
                        rules.play(state, seat, move, ())
            for move in (known | {"leave"}) - {rules.house(state)}:
                with pytest.raises(Refusal):
                    rules.play(state, HOUSE, move, ())
            assert repr(state) == before


def wrong_dice(throw: Throw, dice: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Values that no throw of these dice could have left."""
    yield (*dice, 1)
    if throw == NO_DICE:
        return
    yield ()
    yield dice[:-1]
    yield (0, *dice[1:])
    yield (-1, *dice[1:])
    yield (throw.sides[0] + 1, *dice[1:])
    if throw.open:
        yield (*dice[:-1], throw.sides[-1])


@ALL
def test_dice_that_do_not_fit_the_move_are_refused_without_a_trace(kind: str, seats: int) -> None:
    for table, states in played(kind, seats):
        for state, (seat, move, dice) in zip(states, table.record, strict=False):
            before = repr(state)
            for wrong in wrong_dice(table.rules.throw(state, seat, move), dice):
                with pytest.raises(ValueError, match="throw of"):
                    table.rules.play(state, seat, move, wrong)
            assert repr(state) == before


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, game in GAMES.items() for name in game.policies]
)
def test_a_policy_makes_legal_moves_only(kind: str, name: str) -> None:
    for seats in sizes(GAMES[kind])[:2]:
        table = Table(GAMES[kind], seats)
        for seat, move in steps(table, policy(name), name):
            assert seat == HOUSE or move in table.rules.legal(table.state, seat)

        assert table.over


# -- phases -------------------------------------------------------------------------------------


def turns(table: Table, states: tuple[Any, ...]) -> Iterator[tuple[Phase, int, Phase]]:
    """The phases before each move, who made it, and the same ones before a person's next move.

    What the house does in between belongs to the move before.
    """
    found = [
        (phases(table, state), seat)
        for state, (seat, _, _) in zip(states, table.record, strict=False)
        if seat != HOUSE
    ]
    for (before, seat), (after, _) in pairwise(found):
        for whose, phase in before.items():
            yield phase, seat, after[whose]


@WAYS
@ALL
def test_while_a_game_runs_somebody_can_act(kind: str, seats: int, choose: Choose) -> None:
    for table, states in played(kind, seats, choose):
        for state in states[:-1]:
            if table.rules.house(state) is None:
                actors = acting(table.game, state)
                assert actors
                assert {*actors} <= {*table.rules.seated(state)}
                assert all(phase.time_s > 0 for phase in phases(table, state).values())


@WAYS
@ALL
def test_a_revision_never_shrinks(kind: str, seats: int, choose: Choose) -> None:
    for table, states in played(kind, seats, choose):
        for found in zip(*(phases(table, state).values() for state in states), strict=True):
            assert [phase.rev for phase in found] == sorted(phase.rev for phase in found)
            assert [phase.scene for phase in found] == sorted(phase.scene for phase in found)


@WAYS
@ALL
def test_every_phase_has_its_own_revision(kind: str, seats: int, choose: Choose) -> None:
    for table, states in played(kind, seats, choose):
        for before, seat, after in turns(table, states):
            newcomers = {*after.actors} - {*before.actors}
            once_more = before.actors == after.actors == (seat,)
            new_scene = after.scene > before.scene
            assert after.rev > before.rev or not (newcomers or once_more or new_scene)


@WAYS
@ALL
def test_what_others_do_within_a_phase_makes_nothing_stale(
    kind: str, seats: int, choose: Choose
) -> None:
    for table, states in played(kind, seats, choose):
        for before, seat, after in turns(table, states):
            bystander = seat not in before.actors and after.actors == before.actors
            others = {*before.actors} - {seat}
            within = others and {*after.actors} == others
            if bystander or within:
                assert after.rev == before.rev


# -- boards -------------------------------------------------------------------------------------


def boards(kind: str, seats: int) -> Iterator[tuple[Table, Any, tuple[tuple[Button, ...], ...]]]:
    """Every state that people see, and its buttons: those of all, and of whoever moves next."""
    for table, states in played(kind, seats):
        movers = (*(seat for seat, _, _ in table.record), 0)
        for state, mover in zip(states, movers, strict=True):
            if table.rules.house(state) is None and table.rules.outcome(state) is None:
                yield table, state, table.view.board(state).buttons
                if table.game.own:
                    yield table, state, table.game.own(state, mover, "").buttons


@ALL
def test_a_board_has_at_most_four_buttons_in_a_row(kind: str, seats: int) -> None:
    for table, state, buttons in boards(kind, seats):
        codes = [button.code for row in buttons for button in row]

        assert table.view.board(state).lines
        for row in buttons:
            dice = all(DIE.fullmatch(button.code) for button in row)
            assert 1 <= len(row) <= (DICE_IN_A_ROW if dice else BUTTONS_IN_A_ROW)
        assert len({*codes}) == len(codes)


@ALL
def test_the_board_of_an_earlier_scene_can_still_be_read(kind: str, seats: int) -> None:
    for table, states in played(kind, seats):
        scenes = {table.rules.phase(state).scene for state in states[1:]}
        for scene in sorted(scenes)[:-1]:
            assert all(line.key for line in table.view.past(table.state, scene))


@ALL
def test_a_button_fits_into_64_bytes_of_callback_data(kind: str, seats: int) -> None:
    for table, state, buttons in boards(kind, seats):
        for button in (button for row in buttons for button in row):
            data = f"{'g' * 8}:{table.rules.phase(state).rev}:{button.code}"

            assert button.code
            assert len(data.encode()) <= DATA_BYTES


@ALL
def test_every_press_is_an_action_or_a_refusal(kind: str, seats: int) -> None:
    done: Counter[type] = Counter()

    for table, state, buttons in boards(kind, seats):
        for seat in range(seats):
            for button in (button for row in buttons for button in row):
                try:
                    action = table.view.press(state, seat, "", button.code)
                except Refusal:
                    done[Refusal] += 1
                    continue
                assert isinstance(action, Select | Move | Answer)
                done[type(action)] += 1
                if isinstance(action, Move):
                    table.rules.throw(state, seat, action.move)

    assert done[Refusal]
    assert done[Select] + done[Move]


@SMALL
def test_a_forged_press_is_refused(kind: str, seats: int) -> None:
    for table, state, _ in boards(kind, seats):
        for code in ("", "nonsense", "+", "+0", "+٤", "+-4", "💥", "+" + "9" * 60):
            with pytest.raises(Refusal):
                table.view.press(state, 0, "", code)


@SMALL
def test_a_whole_game_can_be_played_by_pressing_only(kind: str, seats: int) -> None:
    def press(table: Table, draw: Stream) -> tuple[int, str]:
        actors = acting(table.game, table.state)
        seat, selection = actors[draw(len(actors)) - 1], ""
        for _ in range(MOST_PRESSES):
            buttons = table.board(seat, selection).buttons
            codes = [button.code for row in buttons for button in row]
            code = codes[draw(len(codes)) - 1]
            try:
                action = table.view.press(table.state, seat, selection, code)
            except Refusal:
                continue
            if isinstance(action, Move):
                return seat, action.move
            if isinstance(action, Select):
                selection = action.selection
        raise AssertionError("no press ever becomes a move")

    table = Table(GAMES[kind], seats)
    for _ in steps(table, press, "press"):
        pass

    assert table.over


@WAYS
@ALL
def test_every_move_is_told_in_words(kind: str, seats: int, choose: Choose) -> None:
    for table, states in played(kind, seats, choose):
        for (before, after), (seat, _, _) in zip(pairwise(states), table.record, strict=True):
            if seat != HOUSE:
                assert table.view.thrown(before, after, seat).key


# -- the registry -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GAMES)
def test_a_game_is_registered_under_its_folder_and_complete(kind: str) -> None:
    game = GAMES[kind]

    assert game.kind == kind
    assert 1 <= game.seats[0] <= game.seats[1]
    assert game.icon
    assert game.title().key == f"{kind}.title"
    assert "random" in game.policies
    assert all(command == command.lower() for command in game.commands)
    assert all(phrase == phrase.lower() for phrase in game.phrases)
    assert game.rules.VERSION >= 1


def test_the_registry_finds_fifty() -> None:
    assert "fifty" in registry()
