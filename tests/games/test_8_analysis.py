"""What the dice and one's choices did to a player (RULES 8)."""

from __future__ import annotations

import pytest

from games import registry
from games.analysis import Sheet, analyse, decision_at, mark, net_luck
from games.game import Setup
from games.mind import NoMind, Unit, mind_of
from tests.games.fifty.table import Fifty
from tests.games.table import Table
from tests.games.ways import Choose, lately, mixed, policy, steps
from tests.games.yahtzee.table import Yahtzee
from tgbot.config import Settings
from tgbot.words import LANGUAGES, Cast, all_words

SEATS = {"yahtzee": 2, "farkle20": 2, "zilch": 3, "fifty": 3}


def played(kind: str, choose: Choose, seed: str) -> Table:
    table = Table(registry()[kind], SEATS[kind])
    for _ in steps(table, choose, seed):
        pass
    return table


def sheets(table: Table) -> tuple[Sheet, ...]:
    first = table.rules.start(Setup(table.setup.seats))
    return analyse(table.game, first, table.record)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("choose", [policy("greedy"), policy("random"), mixed, lately])
@pytest.mark.parametrize("kind", SEATS)
def test_8_start_and_dice_less_choices_are_the_result(kind: str, choose: Choose) -> None:
    table = played(kind, choose, "analysis")
    left = {seat for seat, move, _ in table.record if move == "leave"}
    mind = mind_of(table.game)

    found = sheets(table)

    assert {sheet.seat for sheet in found} <= {*range(SEATS[kind])} - left
    assert found or left
    for sheet in found:
        assert sheet.result == mind.result(table.state, sheet.seat)
        total = sheet.start + sheet.dice - sheet.choices
        assert total == pytest.approx(sheet.result, abs=1e-9)
        assert all(
            one.loss >= two.loss for one, two in zip(sheet.worst, sheet.worst[1:], strict=False)
        )
        assert all(decision.loss > 1e-4 for decision in sheet.worst)
        assert sheet.like_james <= len(sheet.decisions)
        for decision in (it for it in sheet.worst if len(it.values) > 1):
            first = table.rules.start(Setup(table.setup.seats))
            again = decision_at(table.game, first, table.record, decision.n)
            assert (again.state, again.move, again.better) == (
                decision.state,
                decision.move,
                decision.better,
            )


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", ["yahtzee", "zilch", "farkle20"])
def test_8_who_plays_like_james_loses_nothing_by_choice(kind: str) -> None:
    mind = mind_of(registry()[kind])

    def like_james(table: Table, draw: object) -> tuple[int, str]:
        seat = next(s for s in range(9) if table.rules.legal(table.state, s))
        values = mind.values(table.state, seat)
        return seat, max(values, key=values.__getitem__)

    for sheet in sheets(played(kind, like_james, "like James")):
        assert abs(sheet.choices) <= 1e-3
        assert sheet.worst == ()
        assert sheet.like_james == len(sheet.decisions)


@pytest.mark.usefixtures("tables")
def test_8_a_box_scored_late_costs_as_if_it_had_been_chosen() -> None:
    def costs(*ending: str) -> float:
        game = Yahtzee(2, "A 11246\n" + "\n".join(ending))
        while not game.over:
            game.turns(1)
        return sheets(game)[0].decisions[0].loss

    chosen = costs("A: score one_pair")

    assert chosen > 1
    assert costs("late") == pytest.approx(chosen)


@pytest.mark.usefixtures("tables")
def test_8_dice_thrown_for_somebody_late_are_dice_and_no_choice() -> None:
    game = Yahtzee(2)
    game.play("late = 6 6 6 6 6")
    while not game.over:
        game.turns(1)

    (mine, _) = sheets(game)

    # what it cost to score five sixes where they brought most: Yahtzee, as James would
    assert mine.decisions[0].move == "late"
    assert mine.decisions[0].expected > mine.start + 50
    assert mine.decisions[0].like_james


@pytest.mark.usefixtures("tables")
def test_8_a_die_that_fell_for_somebody_late_costs_as_if_they_had_thrown_it() -> None:
    def analysed(throw: str) -> Sheet:
        rest = "B: 20 = 9\nA: 4 = 2\nB: 12 = 7\nA: 4 = 1\nB: 10 = 8"
        return sheets(Fifty(2, f"deal 19 15 16\n{throw}\n{rest}"))[0]

    chosen, late = analysed("A: 4 = 3"), analysed("late = 3")

    assert late.decisions[0].move == "late"
    assert late.choices == pytest.approx(chosen.choices)
    assert late.choices > 0


@pytest.mark.parametrize(
    ("unit", "losses"),
    [("points", (0.49, 0.5, 2.0, 8.0, 8.1)), ("share", (0.0049, 0.005, 0.02, 0.05, 0.051))],
)
def test_8_marks_grow_with_what_a_decision_cost(unit: Unit, losses: tuple[float, ...]) -> None:
    assert [mark(loss, unit) for loss in losses] == ["", "?!", "?!", "?", "??"]


def test_8_net_luck_is_against_the_others() -> None:
    def sheet(seat: int, dice: float) -> Sheet:
        return Sheet(seat, "points", ((100.0, 90.0),), 90.0 + dice, ())

    assert net_luck([sheet(0, -45.0), sheet(1, -33.0)], 0) == pytest.approx(-12.0)
    assert net_luck([sheet(0, 9.0), sheet(1, 3.0), sheet(2, 5.0)], 0) == pytest.approx(5.0)
    assert net_luck([sheet(0, 9.0)], 0) == pytest.approx(9.0)


def test_8_a_game_without_a_mind_is_not_analysed() -> None:
    from dataclasses import replace

    plain = replace(registry()["zilch"], mind="")

    with pytest.raises(NoMind):
        analyse(plain, plain.rules.start(Setup(2)), ())


@pytest.mark.parametrize("kind", SEATS)
def test_8_every_move_of_a_game_with_a_mind_has_words(kind: str) -> None:
    game = registry()[kind]
    assert game.named
    assert game.situation
    assert game.facing
    assert game.meant
    names = Cast([f"P{seat}" for seat in range(SEATS[kind])])
    words = all_words(Settings(_env_file=None))
    table = Table(game, SEATS[kind])
    for _ in steps(table, policy("random"), "words"):
        for seat in range(SEATS[kind]):
            legal = game.rules.legal(table.state, seat)
            said = [game.named(table.state, seat, move) for move in legal[:40]]
            if legal:
                said += [game.situation(table.state, seat), *game.facing(table.state, seat)]
                assert all(isinstance(it, str) for it in game.meant(table.state, seat, ""))
            assert all(words.plain(it, code, names) for it in said for code in LANGUAGES)
