"""Whole games as plain text: `tests/games/KIND/transcripts/*.txt`.

Lines at the margin are the moves with their recorded dice (see `tests.games.table`), what is
indented is what the game made of them: what the mover was told, who is waited for, and at every
new phase the whole board, where somebody plays in private their own. `pytest --update` writes the
indented lines anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from games import registry
from games.game import HOUSE, Refusal
from tests.games.table import Table, keys, letters, show

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*/transcripts/*.txt"))
INDENT = "    "


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_game_goes_as_written(path: Path, golden: Callable[[Path, str], None]) -> None:
    script = path.read_text(encoding="utf-8").splitlines()

    golden(path, "".join(f"{line}\n" for line in transcript(script)))


@pytest.mark.parametrize("kind", registry())
def test_every_game_has_a_transcript(kind: str) -> None:
    assert any(path.parts[-3] == kind for path in TRANSCRIPTS)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_transcript_tells_a_whole_game(path: Path) -> None:
    assert f"\n{INDENT}the end: " in path.read_text(encoding="utf-8")


def transcript(script: list[str]) -> Iterator[str]:
    """The lines of `script` at the margin, each with what the game makes of it."""
    table: Table | None = None
    for line in script:
        if line.startswith(INDENT):
            continue
        yield line
        if not line.strip() or line.startswith("#"):
            continue
        if table is None:
            kind, seats = line.removesuffix("s").removesuffix(" seat").split(" for ")
            table = Table(registry()[kind], int(seats))
        else:
            yield from (INDENT + made for made in told(table, line))


def told(table: Table, line: str) -> Iterator[str]:
    """Plays `line` and tells what came of it."""
    before, rules = table.state, table.rules
    seat, move, dice = table.read(line)
    try:
        table.move(seat, move, dice)
    except Refusal as refusal:
        yield f"refused: {show(refusal.text)}"
        return
    if line.startswith("late"):
        yield f"made for {letters([seat])}: {move}"
    if seat != HOUSE:
        yield show(table.view.thrown(before, table.state, seat))
    if rules.house(table.state):
        yield f"now the house: {rules.house(table.state)}"
        return
    if table.game.own and seat != HOUSE:
        phase, board = rules.phase(table.state, seat), table.board(seat)
        yield f"-- phase {phase.rev} of {letters([seat])}, {phase.time_s} s"
        yield from map(show, board.lines)
        yield from keys(board)
    phase = rules.phase(table.state)
    if phase.rev > rules.phase(before).rev or table.over:
        yield f"-- phase {phase.rev}, scene {phase.scene}, {phase.time_s} s"
        yield from table.lines
        yield from table.keys
    yield f"waiting for {table.actors}" if not table.over else f"the end: {ending(table)}"


def ending(table: Table) -> str:
    """The outcome in one line."""
    outcome = table.rules.outcome(table.state)
    words = [outcome.reason, f"places {table.places or '–'}", f"out {table.out or '–'}"]
    words += ["sweep"] * outcome.sweep
    words += [f"{r.board} {letters([r.seat])} {r.value} ({r.note})" for r in outcome.records]
    return ", ".join(words)
